//go:build unix

package record

import (
	"errors"
	"os"
	"syscall"
)

// errNoLocks says that the file system has none.
var errNoLocks = errors.New("the file system has no locks")

// lock takes the file's lock, which ends when the file is closed, or says that
// another has it.
func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errBusy
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK):
			return errNoLocks
		}
		return err
	}
}
