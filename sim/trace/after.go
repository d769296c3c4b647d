package trace

import (
	"fmt"
	"slices"
	"strings"

	"tiersim/sim/task"
)

// dependencies are the records that must be done before each: those of record i
// are list[start[i]:start[i+1]]. The zero value has none.
type dependencies struct {
	start []uint32
	list  []uint32
}

func (d dependencies) any() bool { return d.start != nil }

func (d dependencies) of(i uint32) []uint32 { return d.list[d.start[i]:d.start[i+1]] }

// A resolver finds records by the names of their tasks.
type resolver struct {
	spool  *spool
	byHash []uint32
	seen   []uint64 // hashes of names that are not in the spool, in order
	buf    []byte
}

func (p *preparation) newResolver() *resolver {
	r := &resolver{spool: p.spool, byHash: make([]uint32, p.spool.len()), seen: p.seen.all()}
	for i := range r.byHash {
		r.byHash[i] = uint32(i)
	}
	hash := func(i uint32) uint64 { return r.spool.hash.at(int(i)) }
	slices.SortFunc(r.byHash, func(a, b uint32) int {
		switch x, y := hash(a), hash(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(int64(a) - int64(b))
	})
	slices.Sort(r.seen)
	return r
}

// find returns the first record of a name.
func (r *resolver) find(name string) (uint32, bool, error) {
	h := hashName([]byte(name))
	at, _ := slices.BinarySearchFunc(r.byHash, h, func(i uint32, h uint64) int {
		switch x := r.spool.hash.at(int(i)); {
		case x < h:
			return -1
		case x > h:
			return 1
		}
		return 0
	})
	for ; at < len(r.byHash) && r.spool.hash.at(int(r.byHash[at])) == h; at++ {
		var err error
		if r.buf, err = r.spool.record(int(r.byHash[at]), r.buf); err != nil {
			return 0, false, err
		}
		if string(recordName(r.buf)) == name {
			return r.byHash[at], true, nil
		}
	}
	return 0, false, nil
}

// findFor finds the task that a task, or its k-th copy, comes after: for a copy
// the same copy of the other, or the nearest before it.
func (r *resolver) findFor(copy uint16, name string) (uint32, bool, error) {
	for k := int(copy); k > 0; k-- {
		i, ok, err := r.find(fmt.Sprintf("%s#%d", name, k+1))
		if ok || err != nil {
			return i, ok, err
		}
	}
	return r.find(name)
}

// wasSeen reports whether some row outside the spool has the name. It goes by the
// hash alone: that two names share one is less likely than a fault of the disk.
func (r *resolver) wasSeen(name string) bool {
	_, ok := slices.BinarySearch(r.seen, hashName([]byte(name)))
	return ok
}

// dependencies finds the records that `after` names. Tasks outside the replayed
// part count as done; names that no row has, and circles, are faults.
func (p *preparation) dependencies(dropped *marks) (dependencies, error) {
	r := p.newResolver()
	n := p.spool.len()
	d := dependencies{start: make([]uint32, 1, n+1)}
	var t task.Task
	var buf []byte
	outside := 0
	for i := range n {
		var err error
		if buf, err = p.spool.record(i, buf); err != nil {
			return d, fmt.Errorf("reading the spool: %w", err)
		}
		dec := decode(buf, &t)
		o := recordOrigin(buf)
		from := len(d.list)
		for range dec.u32() {
			name := string(dec.text())
			before, ok, err := r.findFor(o.copy, name)
			switch {
			case err != nil:
				return d, fmt.Errorf("reading the spool: %w", err)
			case ok && before == uint32(i):
				p.drop(dropped, uint32(i), o, ColAfter, fmt.Sprintf("task %q comes after itself; remove it from its list", clip(name)))
			case ok:
				d.list = append(d.list, before)
			case r.wasSeen(name):
				outside++
			default:
				p.drop(dropped, uint32(i), o, ColAfter, fmt.Sprintf("no task %q in the trace; write the name of one, or remove it", clip(name)))
			}
		}
		slices.Sort(d.list[from:])
		d.list = d.list[:from+len(slices.Compact(d.list[from:]))]
		d.start = append(d.start, uint32(len(d.list)))
	}
	if outside > 0 {
		p.note("entries of after that name tasks outside the replayed part: %d; they count as done", outside)
	}
	return d, p.circles(d, dropped)
}

// circles finds tasks that wait for each other: takes away, again and again, the
// tasks that wait for none (Kahn, CACM 5(11), 1962); each circle lies in what
// stays.
func (p *preparation) circles(d dependencies, dropped *marks) error {
	n := p.spool.len()
	waits := make([]uint32, n)
	next := dependencies{start: make([]uint32, n+1), list: make([]uint32, len(d.list))}
	for _, before := range d.list {
		next.start[before+1]++
	}
	for i := range n {
		next.start[i+1] += next.start[i]
		waits[i] = uint32(len(d.of(uint32(i))))
	}
	free := slices.Clone(next.start)
	var ready []uint32
	for i := range uint32(n) {
		for _, before := range d.of(i) {
			next.list[free[before]] = i
			free[before]++
		}
		if waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range next.of(i) {
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return p.tellCircles(d, waits, dropped)
}

// tellCircles walks back from each task that still waits, once over each task,
// and tells each circle that a walk closes.
func (p *preparation) tellCircles(d dependencies, waits []uint32, dropped *marks) error {
	walk := make([]uint32, len(waits)) // the walk that came by; 0: none
	for i := range uint32(len(waits)) {
		if waits[i] == 0 || walk[i] != 0 {
			continue
		}
		var path []uint32
		at := i
		for walk[at] == 0 {
			walk[at] = i + 1
			path = append(path, at)
			for _, before := range d.of(at) {
				if waits[before] > 0 {
					at = before
					break
				}
			}
		}
		if walk[at] != i+1 {
			continue // it joins an earlier walk
		}
		if err := p.tellCircle(path[slices.Index(path, at):], dropped); err != nil {
			return err
		}
	}
	return nil
}

// tellCircle tells one circle at its first task.
func (p *preparation) tellCircle(circle []uint32, dropped *marks) error {
	const most = 8
	var names []string
	var first origin
	var buf []byte
	for k, i := range circle {
		if k == most {
			names = append(names, fmt.Sprintf("%d more", len(circle)-most))
			break
		}
		var err error
		if buf, err = p.spool.record(int(i), buf); err != nil {
			return fmt.Errorf("reading the spool: %w", err)
		}
		if k == 0 {
			first = recordOrigin(buf)
		}
		names = append(names, clip(string(recordName(buf))))
	}
	names = append(names, names[0])
	m := fmt.Sprintf("tasks wait for each other: %s; remove one of them from a list", strings.Join(names, " after "))
	if p.SkipBadRows {
		for _, i := range circle {
			p.drop(dropped, i, origin{}, ColAfter, "")
		}
		return nil
	}
	p.report.add(int(first.source), first.line, p.placeOf(first, ColAfter, m))
	return nil
}
