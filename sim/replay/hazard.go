package replay

import (
	"math"

	"tiersim/sim/des"
	"tiersim/sim/pool"
	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A cause is what took a task's slots away.
type cause uint8

const (
	byFailure cause = iota
	byPreemption
	byCapacity
	byMaintenance
	byLink
	numCauses
)

var causeNames = [numCauses]string{"failure", "preemption", "capacity", "maintenance", "link"}

// causes are those of the kinds of contracts.
var causes = [...]cause{pool.OnDemand: byFailure, pool.Spot: byPreemption, pool.Recorded: byCapacity, pool.Maintenance: byMaintenance}

// hazards are what takes slots away, by pool.
type hazards struct {
	all   []hazard
	first []int32 // by pool, with one more at the end: where its hazards begin
	away  []away  // nodes that will come back
	free  []int32
}

// A hazard is one contract of one pool, followed through time.
type hazard struct {
	contract  *pool.Contract
	pool      topo.PoolID
	course    profile.Course // of Recorded: slots that are available
	next      float64        // the next value of it
	available int32
	missing   int32        // slots that are taken from the pool now
	node      unit.Seconds // of Recorded: mean time between two interruptions of a node
	luck      rng.Stream   // of Recorded: whom a fall meets
	back      unit.Time    // of Maintenance: when the slots come back
}

// An away is slots of a node that come back at an instant.
type away struct {
	pool  topo.PoolID
	slots int32
}

func newHazards(w *scenario.World, s rng.Streams) hazards {
	if w.Interruptions == nil {
		return hazards{}
	}
	h := hazards{first: []int32{0}}
	for p, contracts := range w.Interruptions {
		spec := &w.Topology.Pools[p]
		for i := range contracts {
			x := hazard{contract: &contracts[i], pool: topo.PoolID(p)}
			if x.contract.Kind == pool.Recorded {
				name := "interruption/" + w.Topology.PoolName(topo.PoolID(p))
				x.luck = s.Stream(name)
				x.node = spacingOf(x.contract.Available.Begin(s, name+"/available"), spec)
				x.course = x.contract.Available.Begin(s, name+"/available")
				x.available = within(x.course.Value(), spec.Slots)
				x.missing = spec.Slots - x.available
			}
			h.all = append(h.all, x)
		}
		h.first = append(h.first, int32(len(h.all)))
	}
	return h
}

// of returns the hazards of a pool.
func (h *hazards) of(p topo.PoolID) []hazard {
	if h.first == nil {
		return nil
	}
	return h.all[h.first[p]:h.first[p+1]]
}

// within rounds a number of slots to a whole one that the pool has.
func within(v float64, slots int32) int32 {
	return int32(min(max(math.Round(v), 0), float64(slots)))
}

// looked is how many changes of a recorded availability the spacing of its losses
// is taken from. Chosen: more than any record that is shipped has.
const looked = 10_000

// spacingOf returns the mean time between two losses of one node, by the record.
func spacingOf(c profile.Course, spec *topo.Pool) unit.Seconds {
	was, since, held, lost := min(c.Value(), float64(spec.Slots)), unit.Time(0), 0.0, 0.0
	for range looked {
		at, v, ok := c.Next()
		if !ok {
			break
		}
		v = min(v, float64(spec.Slots))
		held += was * float64(at.Sub(since))
		lost += max(0, was-v)
		was, since = v, at
	}
	if lost == 0 {
		return unit.Seconds(math.Inf(1)) // also where none is held
	}
	return unit.Seconds(held / lost) // both sums are in slots
}

// spacing returns the mean time between two interruptions of a gang on a pool's
// nodes: that of the sum of the rates. Maintenance is not part of it, since it is
// told ahead.
func (h *hazards) spacing(p topo.PoolID, nodes int32) unit.Seconds {
	rate := 0.0
	for i := range h.of(p) {
		switch x := &h.of(p)[i]; x.contract.Kind {
		case pool.OnDemand, pool.Spot:
			rate += 1 / float64(x.contract.Spacing(nodes))
		case pool.Recorded:
			rate += float64(nodes) / float64(x.node)
		}
	}
	return unit.Seconds(1 / rate)
}

// scheduleHazards sets the first change of what is recorded and of maintenance.
func (r *run) scheduleHazards() {
	for i := range r.hazards.all {
		x := &r.hazards.all[i]
		switch x.contract.Kind {
		case pool.Recorded:
			r.scheduleAvailable(int32(i))
		case pool.Maintenance:
			r.at(unit.Time(x.contract.Every), des.Interruption, maintenance, int32(i))
		}
		if x.missing > 0 {
			r.applyHeld(x.pool)
		}
	}
}

func (r *run) scheduleAvailable(i int32) {
	x := &r.hazards.all[i]
	if at, v, ok := x.course.Next(); ok {
		x.next = v
		r.at(at, des.Interruption, availability, i)
	}
}

// drawCut draws when the attempt that begins now is interrupted, and schedules it.
func (r *run) drawCut(i int32) {
	l := &r.lives[i]
	first := unit.Forever()
	for _, part := range l.parts {
		for k, x := range r.hazards.of(part.Pool) {
			if x.contract.Kind != pool.OnDemand && x.contract.Kind != pool.Spot {
				continue
			}
			if !l.past.lucky {
				l.past.lucky, l.past.luck = true, r.setup.Weather.Stream("interruption/"+string(l.task.Name))
			}
			u := l.past.luck.Float64()
			if l.locked && x.contract.Kind == pool.Spot {
				continue
			}
			lasts := x.contract.Lasts(u, pool.Nodes(part.Slots, r.pools[part.Pool].spec.PerNode))
			if at := r.now().Add(lasts); at < first {
				first, l.stay.by = at, r.hazards.first[part.Pool]+int32(k)
			}
		}
	}
	if first < unit.Forever() {
		l.stay.cut = r.events.Schedule(des.Event{At: first, Priority: des.Interruption, Kind: interruption, Index: i})
	}
}

// nodeFails interrupts a task whose first node is gone; the node is away for a
// while where the contract says so.
func (r *run) nodeFails(i int32) {
	l := &r.lives[i]
	l.stay.cut = des.Handle{}
	x := &r.hazards.all[l.stay.by]
	if x.contract.Down != nil {
		r.takeAway(x.pool, min(l.slotsIn(x.pool), r.pools[x.pool].spec.PerNode), unit.Seconds(l.past.luck.Draw(x.contract.Down)))
	}
	r.interrupt(i, causes[x.contract.Kind], 0)
}

// takeAway takes slots from a pool for a while.
func (r *run) takeAway(p topo.PoolID, slots int32, length unit.Seconds) {
	if length == 0 {
		return
	}
	h := &r.hazards
	var k int32
	if n := len(h.free); n > 0 {
		k, h.free = h.free[n-1], h.free[:n-1]
	} else {
		k = int32(len(h.away))
		h.away = append(h.away, away{})
	}
	h.away[k] = away{p, slots}
	r.pools[p].away += slots
	r.applyHeld(p)
	r.at(r.now().Add(length), des.CapacityChange, nodeBack, k)
}

// nodeReturns gives slots back to their pool.
func (r *run) nodeReturns(k int32) {
	a := r.hazards.away[k]
	r.hazards.free = append(r.hazards.free, k)
	r.pools[a.pool].away -= a.slots
	r.applyHeld(a.pool)
}

// applyHeld tells a pool how many of its slots nobody can have. These may be more
// than it has: services then have fewer than they need.
func (r *run) applyHeld(p topo.PoolID) {
	ps := &r.pools[p]
	held := int64(ps.held) + int64(ps.away)
	for _, x := range r.hazards.of(p) {
		held += int64(x.missing)
	}
	ps.SetHeld(r.now(), int32(min(held, math.MaxInt32)))
	ps.varies = true
	r.callPass(p)
}

// changeAvailable lets the recorded availability of a pool change. Where it falls,
// the nodes that go are drawn from all that were there, and those on them are
// interrupted.
func (r *run) changeAvailable(i int32) {
	x := &r.hazards.all[i]
	spec := r.pools[x.pool].spec
	was := x.available
	x.available = within(x.next, spec.Slots)
	x.missing = spec.Slots - x.available
	r.applyHeld(x.pool)
	r.fall(x, was)
	r.scheduleAvailable(i)
}

// fall interrupts those that a fall of the availability meets.
func (r *run) fall(x *hazard, was int32) {
	p := &r.pools[x.pool]
	per := p.spec.PerNode
	for up := was; up > x.available; up -= per {
		if at := int32(x.luck.Float64() * float64(up)); at < p.Busy() {
			r.meet(x, at)
		}
	}
	for p.Busy() > x.available {
		if !r.meet(x, int32(x.luck.Float64()*float64(p.Busy()))) {
			return // what is left is locked
		}
	}
}

// meet interrupts the task that holds the n-th busy slot of a pool, unless its quota
// is locked: then another.
func (r *run) meet(x *hazard, n int32) bool {
	r.running = r.pools[x.pool].AppendRunning(r.running[:0])
	for _, i := range r.running {
		if n -= r.lives[i].slotsIn(x.pool); n < 0 && !r.lives[i].locked {
			r.interrupt(i, byCapacity, 0)
			return true
		}
	}
	for _, i := range r.running {
		if !r.lives[i].locked {
			r.interrupt(i, byCapacity, 0)
			return true
		}
	}
	return false
}

// maintain takes a whole pool for maintenance.
func (r *run) maintain(i int32) {
	x := &r.hazards.all[i]
	x.missing = r.pools[x.pool].spec.Slots
	x.back = r.now().Add(x.contract.Length)
	r.applyHeld(x.pool)
	r.running = r.pools[x.pool].AppendRunning(r.running[:0])
	for _, k := range r.running {
		r.interrupt(k, byMaintenance, x.contract.Notice)
	}
	r.at(x.back, des.CapacityChange, maintained, i)
	r.at(r.now().Add(x.contract.Every), des.Interruption, maintenance, i)
}

// endMaintenance gives the pool back.
func (r *run) endMaintenance(i int32) {
	x := &r.hazards.all[i]
	x.missing = 0
	r.applyHeld(x.pool)
}

// whenBack is when slots that a pool lacks now are expected back: the end of a
// maintenance, else the mean time for which a node is away.
func (r *run) whenBack(p topo.PoolID) unit.Time {
	at := r.now()
	for _, x := range r.hazards.of(p) {
		switch {
		case x.contract.Kind == pool.Maintenance && x.missing > 0:
			at = max(at, x.back)
		case x.contract.Down != nil:
			at = max(at, r.now().Add(unit.Seconds(x.contract.Down.Mean())))
		case x.contract.Kind == pool.Recorded:
			at = max(at, r.now().Add(min(x.node, unit.Hour)))
		}
	}
	return at
}
