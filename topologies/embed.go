// Package topologies holds the topologies that tiersim brings along. It holds
// files only; package scenario reads them.
package topologies

import "embed"

// Files are all files of this folder.
//
//go:embed all:*
var Files embed.FS
