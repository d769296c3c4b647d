// Package scenarios holds the scenarios that tiersim brings along, with their
// traces beside them. It holds files only; package scenario reads them.
package scenarios

import "embed"

// Files are all files of this folder.
//
//go:embed all:*
var Files embed.FS
