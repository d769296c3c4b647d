package policy

import (
	"cmp"
	"slices"

	"tiersim/sim/task"
	"tiersim/sim/topo"
)

// spread lists the ways to spread a gang over several pools: for each room, city
// and hub that its span allows and that has more than one pool for it, the parts
// that can start soonest there. A pool with a conservative queue has no place for
// a part, since its reservations could not wait for others'.
func (d *Desk) spread(v View, t *task.Task, held bool) {
	topology := d.terms.Topology
	same := [...]func(a, b *topo.Room) bool{
		task.SpanRoom: func(a, b *topo.Room) bool { return a == b },
		task.SpanCity: func(a, b *topo.Room) bool { return a.City == b.City },
		task.SpanHub:  func(a, b *topo.Room) bool { return a.Hub == b.Hub },
	}
	for span := task.SpanRoom; span <= t.Span; span++ {
		d.fits = d.fits[:0]
		var place *topo.Room
		for p := range topology.Pools { // in the order of places
			pool := &topology.Pools[p]
			room := &topology.Rooms[pool.Room]
			if place == nil || !same[span](place, room) {
				d.gang(v, t, span)
				d.fits, place = d.fits[:0], room
			}
			if t.OfKind(pool.Kind) && pool.Queue != topo.Conservative && d.mayUse(t, topo.PoolID(p), held) {
				d.fits = append(d.fits, topo.PoolID(p))
			}
		}
		d.gang(v, t, span)
	}
}

// gang makes a candidate of the pools of one place. It takes slots that are free,
// where most are; where they are too few, those of the largest pools. Of a pool it
// takes whole nodes, but for the rest of the gang.
func (d *Desk) gang(v View, t *task.Task, span task.Span) {
	if len(d.fits) < 2 || d.narrower(span) {
		return
	}
	first := int32(len(d.parts))
	if !d.take(t, v.Free) && !d.take(t, v.Slots) {
		return
	}
	parts := d.parts[first:]
	if len(parts) < 2 {
		d.parts = d.parts[:first]
		return
	}
	main := parts[0].Pool
	d.candidates = append(d.candidates, Candidate{Pool: main, Room: d.terms.Topology.Pools[main].Room, first: first, n: int32(len(parts))})
}

// narrower reports whether a narrower span has the same pools.
func (d *Desk) narrower(span task.Span) bool {
	rooms := d.terms.Topology.Rooms
	a, b := &rooms[d.terms.Topology.Pools[d.fits[0]].Room], &rooms[d.terms.Topology.Pools[d.fits[len(d.fits)-1]].Room]
	return span > task.SpanRoom && a == b || span > task.SpanCity && a.City == b.City
}

// take fills a gang from what each pool has, and reports whether that is enough;
// where it is not, nothing is taken. The largest part comes first.
func (d *Desk) take(t *task.Task, has func(topo.PoolID) int32) bool {
	first := len(d.parts)
	slices.SortStableFunc(d.fits, func(a, b topo.PoolID) int { return cmp.Compare(has(b), has(a)) })
	need := t.Slots
	for _, p := range d.fits {
		per := d.terms.Topology.Pools[p].PerNode
		n := min(has(p)/per*per, need)
		if n > 0 {
			d.parts = append(d.parts, Part{p, n})
			need -= n
		}
	}
	if need > 0 {
		d.parts = d.parts[:first]
	}
	slices.Sort(d.fits)
	return need == 0
}
