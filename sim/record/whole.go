package record

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// WriteWhole writes a file that appears whole or not at all, and makes its
// folder. What stood there before stays until then.
func WriteWhole(path string, write func(io.Writer) error) error {
	root := filepath.Dir(path)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(root, asidePrefix+"*")
	if err != nil {
		return err
	}
	held, err := acquire(dir)
	if err != nil {
		return err
	}
	aside := filepath.Join(dir, filepath.Base(path))
	err = writeFile(aside, write)
	if err == nil {
		err = os.Rename(aside, path)
	}
	if e := held.release(); err == nil {
		err = e
	}
	return err
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
