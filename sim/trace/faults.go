package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tiersim/sim/fault"
)

// maxFaults is how many faults are told one by one, and maxAlike how many of
// those that say the same of different rows. Chosen: more than anybody mends
// before checking again; enough to see what the rows have in common.
const (
	maxFaults = 100
	maxAlike  = 3
)

// A report gathers the faults of a preparation, in the order of the input.
type report struct {
	list  []reported
	alike map[likeness]*alike // looked up only
	more  int64               // not told one by one
}

// A reported fault has its place in the input, by which the list is sorted.
type reported struct {
	fault.Fault
	source int
	line   int64
	more   int64 // rows after it that have the same fault and are not told
}

// A likeness is what faults that say the same of different rows have in common.
type likeness struct {
	source         int
	field, message string
}

// alike are the faults of one likeness: how many are told, and which is the last.
type alike struct{ told, last int }

func (r *report) full() bool { return len(r.list) >= maxFaults }

func (r *report) add(source int, line int64, f fault.Fault) {
	like := likeness{source, f.Field, f.Message}
	if strings.HasPrefix(f.Field, "row ") {
		_, like.field, _ = strings.Cut(f.Field, ", ")
	}
	same := r.alike[like]
	if same != nil && same.told == maxAlike {
		r.list[same.last].more++
		return
	}
	if r.full() {
		r.more++
		return
	}
	if same == nil {
		if r.alike == nil {
			r.alike = map[likeness]*alike{}
		}
		same = new(alike)
		r.alike[like] = same
	}
	*same = alike{same.told + 1, len(r.list)}
	r.list = append(r.list, reported{Fault: f, source: source, line: line})
}

// addError adds an error's faults, and reports whether it held any.
func (r *report) addError(source int, line int64, err error) bool {
	list, ok := fault.Of(err)
	for _, f := range list {
		r.add(source, line, f)
	}
	return ok
}

// err returns the faults as one error, nil where there are none.
func (r *report) err(file string) error {
	slices.SortStableFunc(r.list, func(a, b reported) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.line, b.line))
	})
	var list fault.List
	for _, f := range r.list {
		if f.more > 0 {
			f.Message += fmt.Sprintf(" (and so in %d more rows)", f.more)
		}
		list = append(list, f.Fault)
	}
	if r.more > 0 {
		list = append(list, fault.Fault{File: file, Message: fmt.Sprintf("and %d more", r.more)})
	}
	return list.Err()
}
