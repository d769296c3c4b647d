package record

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// errBusy says that another process holds the folder.
var errBusy = errors.New("another process is writing it")

// A hold is a folder that this process alone writes in. The lock on its file
// ends with the process, however that ends; that is how a folder that was left
// behind is told from one in use. Where the file system has no locks, no folder
// is taken for left behind.
type hold struct {
	dir    string
	file   *os.File
	locked bool // false: the file system has no locks
}

const lockFile = "lock"

// patience is how long a folder that is taken is tried for. Chosen: a cleaner
// that looks into a folder lets go of it within milliseconds, a writer keeps it.
const patience = time.Second

// acquire makes the folder this process's own, for a writer.
func acquire(dir string) (*hold, error) { return acquireFor(dir, patience) }

// acquireNow does so for a cleaner: a folder that is in use is not waited for.
func acquireNow(dir string) (*hold, error) { return acquireFor(dir, 0) }

func acquireFor(dir string, wait time.Duration) (*hold, error) {
	const rounds = 100 // in each, someone else has just let go of the folder
	for range rounds {
		h, again, err := tryAcquire(dir)
		if !again || wait == 0 && errors.Is(err, errBusy) {
			return h, err
		}
		if errors.Is(err, errBusy) {
			time.Sleep(wait / rounds)
		}
	}
	return nil, errBusy
}

func tryAcquire(dir string) (h *hold, again bool, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, false, err
	}
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, os.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	err = lock(f)
	if err != nil && !errors.Is(err, errNoLocks) {
		f.Close()
		return nil, errors.Is(err, errBusy), err
	}
	locked := err == nil
	if !stillAt(f, path) {
		f.Close()
		return nil, true, nil
	}
	return &hold{dir, f, locked}, false, nil
}

// stillAt reports whether the path names the open file.
func stillAt(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// empty removes what a process that is no more has left: all but the lock.
func (h *hold) empty() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != lockFile {
			if err := os.RemoveAll(filepath.Join(h.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// release removes the folder and lets go of it. It is first moved out of the
// way, so that nothing of a process that makes it anew is removed.
func (h *hold) release() error {
	defer h.file.Close()
	if !h.locked {
		h.file.Close() // some systems do not move a folder with an open file in it
	}
	var err error
	for range 100 { // each round, someone else has cleaned up the place for it
		var gone string
		if gone, err = os.MkdirTemp(filepath.Dir(h.dir), gonePrefix+"*"); err != nil {
			return err
		}
		if err = os.Rename(h.dir, filepath.Join(gone, "x")); err == nil {
			return os.RemoveAll(gone)
		}
		os.Remove(gone)
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return err
}

// removeStale removes a folder that nobody holds.
func removeStale(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		// Not yet locked, or its removal was cut short: only an empty one goes.
		os.Remove(dir)
		return nil
	}
	if err != nil {
		return err
	}
	err = lock(f)
	if errors.Is(err, errBusy) || errors.Is(err, errNoLocks) || err == nil && !stillAt(f, filepath.Join(dir, lockFile)) {
		return f.Close()
	}
	if err != nil {
		f.Close()
		return err
	}
	return (&hold{dir, f, true}).release()
}
