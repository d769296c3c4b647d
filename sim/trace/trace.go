package trace

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"time"

	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// A Trace is a prepared trace: checked, filled, merged and in order of
// submission, in a spool file of its own. Many readers may share it, from
// several goroutines. Close removes the spool.
type Trace struct {
	Catalog *Catalog
	Tasks   int64 // carried ones included
	Carried int64
	// First and Last are the submissions of the first and the last task that is
	// not carried; 0 where there is none.
	First, Last unit.Time
	// Longest is the most work that a task has.
	Longest  unit.Seconds
	HasAfter bool // some task must come after another
	Skipped  int  // broken rows that were left out
	// Notes say what was done to the input that a reader of results should know.
	Notes []string
	// NotInUse are the columns that have values which no model uses yet, in the
	// order of the schema.
	NotInUse []Column
	// Begins is the date of instant 0: of the first source that tells one. The
	// zero Time where none does.
	Begins time.Time

	file *os.File
}

// Close removes the spool. Readers must not be used after it.
func (t *Trace) Close() error { return closeSpool(t.file) }

// Reader returns a reader that stands before the first task.
func (t *Trace) Reader() *Reader { return &Reader{trace: t} }

// readSize is how much of a spool is read at a time. Chosen: some two hundred
// tasks, so that the system call costs little for each.
const readSize = 64 << 10

// A Reader reads the tasks of a trace in the order of their submission. It is
// used by one goroutine at a time.
type Reader struct {
	trace  *Trace
	buf    []byte
	at     int   // of the next record in buf
	offset int64 // of buf's end in the spool
	row    int64
}

// Clone returns a reader that reads on from the same place by itself.
func (r *Reader) Clone() *Reader {
	return &Reader{trace: r.trace, offset: r.offset - int64(len(r.buf)-r.at), row: r.row}
}

// Next fills t with the next task, reusing its slices, and reports whether there
// was one.
func (r *Reader) Next(t *task.Task) (bool, error) {
	if r.row >= r.trace.Tasks {
		return false, nil
	}
	if err := r.need(4); err != nil {
		return false, err
	}
	n := int(binary.LittleEndian.Uint32(r.buf[r.at:]))
	if err := r.need(n); err != nil {
		return false, err
	}
	decode(r.buf[r.at:r.at+n], t)
	t.Row = r.row
	r.at += n
	r.row++
	return true, nil
}

// need makes the next n bytes stand in buf.
func (r *Reader) need(n int) error {
	rest := len(r.buf) - r.at
	if rest >= n {
		return nil
	}
	if r.buf == nil {
		r.buf = make([]byte, 0, readSize)
	}
	copy(r.buf[:rest], r.buf[r.at:])
	if size := max(n, readSize); cap(r.buf) < size {
		r.buf = append(make([]byte, 0, size), r.buf[:rest]...)
	}
	got, err := r.trace.file.ReadAt(r.buf[rest:cap(r.buf)], r.offset)
	r.buf, r.at = r.buf[:rest+got], 0
	r.offset += int64(got)
	if rest+got < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("reading task %d of the spool: %w", r.row, err)
	}
	return nil
}
