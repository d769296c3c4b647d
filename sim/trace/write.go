package trace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tiersim/sim/fault"
)

// A rowWriter writes rows of the schema in a format. finish completes what was
// written; it does not close what it was written to.
type rowWriter interface {
	write(*Row) error
	finish() error
}

// extensions are the endings of names that can be written, and what they mean.
func extensions() []string { return []string{".csv", ".csv.gz", ".csv.zst", ".parquet"} }

// extensionOf returns the ending that says in which format a file is written.
func extensionOf(name string) (string, error) {
	for _, e := range extensions() {
		if strings.HasSuffix(strings.ToLower(name), e) {
			return e, nil
		}
	}
	want := strings.Join(extensions(), ", ")
	return "", fault.Fault{File: name, Message: fmt.Sprintf("got the ending %q, want one of %s; end the name in one of them", filepath.Ext(name), want)}
}

// newRowWriter begins a file that ends in ext.
func newRowWriter(w io.Writer, ext string, g *gathering) (rowWriter, error) {
	used := g.used()
	switch ext {
	case ".parquet":
		return newParquetWriter(w, used, g.texts)
	case ".csv.gz":
		z := gzip.NewWriter(w) // without name and time: the same rows are the same bytes
		return newCSVWriter(z, z, g.name, used), nil
	case ".csv.zst":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
		if err != nil {
			return nil, err
		}
		return newCSVWriter(z, z, g.name, used), nil
	}
	return newCSVWriter(w, nil, g.name, used), nil
}

// writeRows writes the rows that keep names, in the order of submission, and
// returns how many. Nothing stands under that name until all of them are written:
// they are written aside and renamed.
func (g *gathering) writeRows(ctx context.Context, out, ext string, keep func(i uint32) bool) (n int64, err error) {
	aside, err := createAside(out)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			aside.Close()
			os.Remove(aside.Name())
		}
	}()
	buffered := bufio.NewWriterSize(aside, 1<<18)
	if n, err = g.copyRows(ctx, buffered, ext, keep); err != nil {
		if _, ok := fault.Of(err); ok || ctx.Err() != nil {
			return 0, err
		}
		return 0, fmt.Errorf("writing %s: %w", out, err)
	}
	if err = buffered.Flush(); err == nil {
		err = aside.Close()
	}
	if err == nil {
		err = os.Rename(aside.Name(), out)
	}
	if err != nil {
		return 0, fmt.Errorf("writing %s: %w", out, err)
	}
	return n, nil
}

// copyRows writes the rows to w.
func (g *gathering) copyRows(ctx context.Context, w io.Writer, ext string, keep func(i uint32) bool) (int64, error) {
	rows, err := newRowWriter(w, ext, g)
	if err != nil {
		return 0, err
	}
	order := g.order()
	n := int64(0)
	var row Row
	for k := range g.len() {
		if k&0xfff == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		i := uint32(k)
		if order != nil {
			i = order[k]
		}
		if keep != nil && !keep(i) {
			continue
		}
		if err := g.row(int(i), &row); err != nil {
			return 0, err
		}
		if err := rows.write(&row); err != nil {
			return 0, err
		}
		n++
	}
	return n, rows.finish()
}

// createAside makes a file beside out to write to, readable as out would be.
func createAside(out string) (*os.File, error) {
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		return nil, fault.Fault{File: out, Message: "is a folder, want the name of a file; write one"}
	}
	name := filepath.Join(filepath.Dir(out), "."+filepath.Base(out))
	for try := 1; ; try++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.%d-%d", name, os.Getpid(), try), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrExist):
		case errors.Is(err, fs.ErrNotExist):
			return nil, fault.Fault{File: out, Message: fmt.Sprintf("no folder %q to write it into; make it", filepath.Dir(out))}
		default:
			var path *fs.PathError
			if errors.As(err, &path) {
				err = path.Err
			}
			return nil, fault.Fault{File: out, Message: fmt.Sprintf("cannot be written: %v", err)}
		}
	}
}

// notItself is a fault where a file would be written over what it is made from.
func notItself(in, out string) error {
	a, errIn := os.Stat(in)
	b, errOut := os.Stat(out)
	if errIn == nil && errOut == nil && os.SameFile(a, b) {
		return fault.Fault{File: out, Message: "is the input, which would be lost; write another name"}
	}
	return nil
}
