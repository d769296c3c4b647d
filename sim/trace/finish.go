package trace

import (
	"fmt"
	"slices"

	"tiersim/sim/fault"
	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// finish checks what can only be checked when all rows are known, brings the
// records into order and makes the Trace.
func (p *preparation) finish() error {
	if err := p.spool.w.Flush(); err != nil {
		return fmt.Errorf("writing the spool: %w", err)
	}
	dropped := newMarks(p.spool.len())
	if err := p.twins(dropped); err != nil {
		return err
	}
	var deps dependencies
	if p.spool.after {
		var err error
		if deps, err = p.dependencies(dropped); err != nil {
			return err
		}
	}
	if len(p.report.list) > 0 {
		return p.report.err(p.report.list[0].File)
	}
	if order := p.spool.order(); order != nil || dropped.n > 0 || p.spool.after {
		if err := p.rewrite(order, dropped, deps); err != nil {
			return err
		}
	}
	p.sum()
	return nil
}

// marks is a set of records.
type marks struct {
	bits []uint64
	n    int
}

func newMarks(n int) *marks { return &marks{bits: make([]uint64, (n+63)/64)} }

func (m *marks) has(i uint32) bool { return m.bits[i/64]>>(i%64)&1 == 1 }

func (m *marks) set(i uint32) {
	if !m.has(i) {
		m.bits[i/64] |= 1 << (i % 64)
		m.n++
	}
}

// drop notes a fault of a record, or leaves the record out where broken rows are.
func (p *preparation) drop(dropped *marks, i uint32, o origin, c Column, message string) {
	if p.SkipBadRows {
		if !dropped.has(i) {
			p.trace.Skipped++
		}
		dropped.set(i)
		return
	}
	p.report.add(int(o.source), o.line, p.placeOf(o, c, message))
}

// placeOf returns a fault at the row that a record comes from.
func (p *preparation) placeOf(o origin, c Column, message string) fault.Fault {
	b := p.builder
	b.file, b.rows = p.Sources[o.source].File, p.inRows[o.source]
	return b.place(o.line, c, message)
}

// twins finds tasks of one name: by hashes first, and by the names themselves
// where two hashes are equal.
func (p *preparation) twins(dropped *marks) error {
	hashes := p.spool.hash.all()
	slices.Sort(hashes)
	clashes := map[uint64][]uint32{} // the first record of each name; looked up only
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			clashes[hashes[i]] = nil
		}
	}
	if len(clashes) == 0 {
		return nil
	}
	var buf, other []byte
	for i := range p.spool.len() {
		h := p.spool.hash.at(i)
		firsts, ok := clashes[h]
		if !ok || p.report.full() && !p.SkipBadRows {
			continue
		}
		var err error
		if buf, err = p.spool.record(i, buf); err != nil {
			return err
		}
		twin := false
		for _, first := range firsts {
			if other, err = p.spool.record(int(first), other); err != nil {
				return err
			}
			if string(recordName(buf)) == string(recordName(other)) {
				twin = true
				p.drop(dropped, uint32(i), recordOrigin(buf), ColTask, p.twinMessage(buf, other))
				break
			}
		}
		if !twin {
			clashes[h] = append(firsts, uint32(i))
		}
	}
	return nil
}

// twinMessage says that a task has the name of an earlier one.
func (p *preparation) twinMessage(record, first []byte) string {
	o, f := recordOrigin(record), recordOrigin(first)
	unit := "line"
	if p.inRows[f.source] {
		unit = "row"
	}
	m := fmt.Sprintf("got %q, which %s %d has too", clip(string(recordName(record))), unit, f.line)
	switch {
	case o.source != f.source:
		return m[:len(m)-len(" has too")] + fmt.Sprintf(" of %s has too; give the sources different names with as:", p.Sources[f.source].File)
	case o.copy > 0 || f.copy > 0:
		return m + " as the name of a copy that load makes; rename the task"
	}
	return m + "; give each task a name of its own"
}

// rewrite writes the records into a new spool, in order, without those dropped,
// and with the rows of the tasks that come before each.
func (p *preparation) rewrite(order []uint32, dropped *marks, deps dependencies) error {
	from := p.spool
	n := from.len()
	at := func(k int) uint32 {
		if order == nil {
			return uint32(k)
		}
		return order[k]
	}
	var rows []uint32 // of each record, in the new order
	if deps.any() {
		rows = make([]uint32, n)
		row := uint32(0)
		for k := range n {
			if i := at(k); !dropped.has(i) {
				rows[i] = row
				row++
			}
		}
	}
	to, err := newSpool(p.Dir)
	if err != nil {
		return fmt.Errorf("making room for the trace: %w", err)
	}
	p.spool = to
	p.trace.Tasks, p.trace.Carried = 0, 0
	defer from.close()
	var t task.Task
	var buf, out []byte
	for k := range n {
		if k&0xfff == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		i := at(k)
		if dropped.has(i) {
			continue
		}
		if buf, err = from.record(int(i), buf); err != nil {
			return fmt.Errorf("reading the spool: %w", err)
		}
		record := buf
		if from.after {
			decode(buf, &t)
			t.After = t.After[:0]
			for _, before := range deps.of(i) {
				if !dropped.has(before) {
					t.After = append(t.After, int64(rows[before]))
				}
			}
			p.trace.HasAfter = p.trace.HasAfter || len(t.After) > 0
			out = encode(out[:0], &t, recordOrigin(buf), nil)
			record = out
		}
		p.count(recordTime(record))
		if err := to.write(record); err != nil {
			return fmt.Errorf("writing the spool: %w", err)
		}
	}
	return to.w.Flush()
}

// count counts a task of the trace.
func (p *preparation) count(at unit.Time, carried bool) {
	t := p.trace
	t.Tasks++
	if carried {
		t.Carried++
		return
	}
	if first := t.Tasks-t.Carried == 1; first {
		t.First, t.Last = at, at
	}
	t.First, t.Last = min(t.First, at), max(t.Last, at)
}

// sum completes the trace.
func (p *preparation) sum() {
	p.trace.Catalog = p.builder.catalog.finish()
	p.trace.file = p.spool.file
	for c := range NumColumns {
		if p.inUse[c] {
			p.trace.NotInUse = append(p.trace.NotInUse, c)
		}
	}
}
