package trace

import (
	"context"
	"fmt"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// SampleOptions say which tasks of a trace are kept: those that are submitted in
// the window and are drawn. What they come `after` is kept with them, wherever it
// stands.
type SampleOptions struct {
	Format      string // of what is read, one of FormatNames; "": by content
	SkipBadRows bool   // count broken rows, which are faults otherwise

	// From and Length are the window on submit_s, in seconds since the trace's
	// start: since the first task, where submit_s counts from 1970.
	From, Length unit.Seconds
	HasLength    bool
	// Share is how many of the tasks are drawn, up to 1; 0 counts as 1. A task is
	// drawn by its name and Seed alone: a larger share holds a smaller one.
	Share float64
	Seed  uint64
}

// Sample writes a part of a trace, as Convert writes all of it. Rows do not
// change: submit_s keeps counting from the same instant.
func Sample(ctx context.Context, in, out string, o SampleOptions) (Report, error) {
	if err := o.check(in); err != nil {
		return Report{}, err
	}
	ext, err := extensionOf(out)
	if err != nil {
		return Report{}, err
	}
	if err := notItself(in, out); err != nil {
		return Report{}, err
	}
	g, err := gather(ctx, in, o.Format, o.SkipBadRows)
	if err != nil {
		return Report{}, err
	}
	defer g.close()
	s := sampling{gathering: g, o: &o, kept: newMarks(g.len())}
	s.from = s.start() + float64(o.From)
	for _, step := range []func() error{s.choose, s.follow, s.recount} {
		if err := step(); err != nil {
			return Report{}, err
		}
	}
	n, err := g.writeRows(ctx, out, ext, s.kept.has)
	if err != nil {
		return Report{}, err
	}
	return g.tell(out, n), nil
}

func (o *SampleOptions) check(in string) error {
	var faults fault.List
	if !(o.Share >= 0 && o.Share <= 1) {
		faults = append(faults, fault.Fault{File: in, Field: "share", Message: fmt.Sprintf("got %v, want a share above 0 and up to 1; write 0.1 for a tenth", o.Share)})
	}
	if !(o.From >= 0) {
		faults = append(faults, fault.Fault{File: in, Field: "from", Message: fmt.Sprintf("got %v, want a time of at least 0; write 0s for the trace's start", o.From)})
	}
	if o.HasLength && !(o.Length > 0) {
		faults = append(faults, fault.Fault{File: in, Field: "length", Message: fmt.Sprintf("got %v, want a time above 0; leave it out to keep all", o.Length)})
	}
	return faults.Err()
}

// A sampling is the rows of a file and which of them are kept.
type sampling struct {
	*gathering
	o    *SampleOptions
	from float64 // where the window begins, as submit_s counts
	kept *marks
}

// start is the instant of the trace's start, as submit_s counts.
func (s *sampling) start() float64 {
	if s.len() == 0 {
		return 0
	}
	first := s.submit.at(0)
	for i := range s.len() {
		first = min(first, s.submit.at(i))
	}
	return startOf(float64(first))
}

// startOf is the instant of the trace's start where its first task is submitted
// at first: 0, or first where that counts from 1970.
func startOf(first float64) float64 {
	if first < epochFrom {
		return 0
	}
	return first
}

// inside reports whether a row is submitted in the window.
func (s *sampling) inside(i int) bool {
	at := float64(s.submit.at(i))
	return at >= s.from && !(s.o.HasLength && at >= s.from+float64(s.o.Length))
}

// choose keeps what is drawn of the window.
func (s *sampling) choose() error {
	streams := rng.New(s.o.Seed, 0)
	all := s.o.Share == 0 || s.o.Share == 1
	var row Row
	for i := range s.len() {
		if !s.inside(i) {
			continue
		}
		if !all {
			if err := s.row(i, &row); err != nil {
				return err
			}
			if streams.U01("sample", row.Cells[ColTask].Text) >= s.o.Share {
				continue
			}
		}
		s.kept.set(uint32(i))
	}
	return nil
}

// follow keeps all that kept tasks come after, directly or not.
func (s *sampling) follow() error {
	if s.present[ColAfter] == 0 {
		return nil
	}
	byName := make(map[string]uint32, s.len()) // looked up only
	var open []uint32
	var row Row
	for i := range s.len() {
		if err := s.row(i, &row); err != nil {
			return err
		}
		byName[row.Cells[ColTask].Text] = uint32(i)
		if s.kept.has(uint32(i)) {
			open = append(open, uint32(i))
		}
	}
	chosen := s.kept.n
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		if err := s.row(int(i), &row); err != nil {
			return err
		}
		for name := range strings.SplitSeq(row.Cells[ColAfter].Text, ";") {
			before, ok := byName[trim(name)]
			if ok && !s.kept.has(before) { // a name that is not there is a fault of the trace, as before
				s.kept.set(before)
				open = append(open, before)
			}
		}
	}
	if more := s.kept.n - chosen; more > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d of them are kept because others come after them", more))
	}
	return nil
}

// recount tells why rows are left out, and which columns the kept ones have.
func (s *sampling) recount() error {
	s.present, s.texts = [NumColumns]int64{}, [NumColumns]bool{}
	var row Row
	for i := range s.len() {
		switch {
		case s.kept.has(uint32(i)):
			if err := s.row(i, &row); err != nil {
				return err
			}
			s.count(&row)
		case s.inside(i):
			s.dropped.add("not drawn", 1)
		default:
			s.dropped.add("outside the window", 1)
		}
	}
	return nil
}
