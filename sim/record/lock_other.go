//go:build !unix

package record

import (
	"errors"
	"os"
)

// errNoLocks says that the file system has none.
var errNoLocks = errors.New("the file system has no locks")

func lock(*os.File) error { return errNoLocks }
