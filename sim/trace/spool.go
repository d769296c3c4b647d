package trace

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// A spool is the file that records are written to while rows go by. What it
// keeps in memory of a task is 24 bytes.
type spool struct {
	file    *os.File
	w       *bufio.Writer
	end     int64
	buf     []byte
	submit  chunks[unit.Time]
	offset  chunks[int64]
	hash    chunks[uint64] // of names
	ordered bool
	after   bool // some record has names of tasks before it
}

// maxTasks is the most tasks a trace can have: their numbers take 4 bytes.
const maxTasks = 1<<32 - 2

// newSpool makes an empty spool. Its file has no name any more where the system
// allows that, so that nothing stays behind, whatever ends the process.
func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "tiersim-spool-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where this cannot be done yet, close does it
	return &spool{file: f, w: bufio.NewWriterSize(f, 1<<18), ordered: true}, nil
}

func (s *spool) close() error { return closeSpool(s.file) }

// closeSpool gives the space of a spool back.
func closeSpool(f *os.File) error {
	err := f.Close()
	_ = os.Remove(f.Name()) // it is gone already on most systems
	return err
}

func (s *spool) len() int { return s.submit.n }

// add writes the record of a task.
func (s *spool) add(t *task.Task, o origin, after []string) error {
	if s.len() >= maxTasks {
		return fmt.Errorf("more than %d tasks", int64(maxTasks))
	}
	if n := s.len(); n > 0 && s.submit.at(n-1) > t.Submit {
		s.ordered = false
	}
	s.submit.add(t.Submit)
	s.hash.add(hashName(t.Name))
	s.after = s.after || len(after) > 0
	s.buf = encode(s.buf[:0], t, o, after)
	return s.write(s.buf)
}

// write appends a record as it is.
func (s *spool) write(record []byte) error {
	s.offset.add(s.end)
	s.end += int64(len(record))
	_, err := s.w.Write(record)
	return err
}

// record reads a record into buf. The spool must have been flushed.
func (s *spool) record(i int, buf []byte) ([]byte, error) {
	from, to := s.offset.at(i), s.end
	if i+1 < s.offset.n {
		to = s.offset.at(i + 1)
	}
	buf = slices.Grow(buf[:0], int(to-from))[:to-from]
	_, err := s.file.ReadAt(buf, from)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buf, err
}

// order returns the records in the order of their submission, those of one
// instant in the order in which they were written; nil where they stand so.
func (s *spool) order() []uint32 {
	if s.ordered {
		return nil
	}
	order := make([]uint32, s.len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		switch x, y := s.submit.at(int(a)), s.submit.at(int(b)); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(int64(a) - int64(b))
	})
	return order
}

// hashName is FNV-1a with a last mix. Equal hashes are looked into.
func hashName(name []byte) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range name {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h = (h ^ h>>32) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// chunks is a list that grows without being copied, so that a long one never
// takes twice its size.
type chunks[T any] struct {
	parts [][]T
	n     int
}

const chunkSize = 1 << 14

func (c *chunks[T]) add(v T) {
	if c.n%chunkSize == 0 {
		c.parts = append(c.parts, make([]T, 0, chunkSize))
	}
	last := &c.parts[len(c.parts)-1]
	*last = append(*last, v)
	c.n++
}

func (c *chunks[T]) at(i int) T { return c.parts[i/chunkSize][i%chunkSize] }

// all returns a copy of the list in one piece.
func (c *chunks[T]) all() []T {
	out := make([]T, 0, c.n)
	for _, p := range c.parts {
		out = append(out, p...)
	}
	return out
}
