package policy

import (
	"math"

	"tiersim/sim/formula"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Decision is one answer, with its estimates. Its contents are valid until the
// desk's next Decide.
type Decision struct {
	OK     bool // a place was found; else Reason says why not
	Reason Reason
	Rule   int // that excluded it, counted from 1; 0 where none did
	Chosen Candidate
	// Err says that a rule, a score or a program of the user's failed.
	Err   error
	Value unit.PerHour // of the task's turnaround
	// Available says which options the task had.
	Available [NumOptions]bool
	// Best holds the least total within each option that was available; priced
	// only if the desk prices.
	Best [NumOptions]Candidate
	// Margin is the runner-up's total less the chosen one's; the runner-up is
	// the best of all other candidates, where there is one.
	Margin   unit.Money
	RunnerUp bool
}

// A Desk decides for the tasks of one replay by one policy: it screens, lists
// and prices the candidates, and lets the policy choose. It keeps buffers only.
type Desk struct {
	terms  Terms
	policy Policy
	prices bool
	every  bool // candidates are priced, not only those that may be the best
	buffer bool // prices are by quantiles

	own        topo.RoomID // the room whose domain is the task's own
	candidates []Candidate
	open       []Candidate // those whose gates are open, where some are not
	opened     []int       // which those are
	parts      []Part      // of the candidates
	order      []int
	fits       []topo.PoolID
	outside    []topo.PoolID
	part       [1]Part
	facts      Facts
	machine    formula.Machine
}

// NewDesk returns a desk. Where record is set, every candidate is priced, also
// for policies that do not look at prices.
func NewDesk(terms Terms, p Policy, record bool) *Desk {
	need := p.Prices()
	return &Desk{terms: terms, policy: p, prices: record || need != Unpriced, every: need == AllPriced, buffer: need == BestBuffered}
}

// Decide answers for one task.
func (d *Desk) Decide(v View, t *task.Task) Decision {
	dec := Decision{Value: d.Value(t)}
	if d.screen(v, t, &dec); dec.Err != nil {
		return dec
	}
	d.enumerate(v, t, dec.Reason != NoReason)
	if len(d.candidates) == 0 {
		return refused(dec, NoPool)
	}
	d.classify(v, t, dec.Value)
	if len(d.candidates) == 0 {
		return refused(dec, NoRoute)
	}
	for i := range d.candidates {
		dec.Available[d.candidates[i].Option] = true
	}
	chosen, ok := d.choose(v, t, &dec)
	if !ok {
		return refused(dec, NoPlace)
	}
	if d.prices && !d.candidates[chosen].Priced {
		d.price(v, t, dec.Value, &d.candidates[chosen])
	}
	dec.OK, dec.Chosen = true, d.candidates[chosen]
	if d.prices {
		d.compare(v, t, &dec, chosen)
	}
	return dec
}

// choose lets the policy choose. Where a gate stops what it chooses, it chooses
// again among those that no gate stops, and the decision says which gate it was.
func (d *Desk) choose(v View, t *task.Task, dec *Decision) (chosen int, ok bool) {
	chosen, ok = d.policy.Choose(d, v, t, d.candidates)
	if !ok {
		return 0, false
	}
	closed := d.gate(v, t, &d.candidates[chosen])
	if closed.Open() {
		return chosen, true
	}
	if dec.Reason == NoReason {
		dec.Reason = closed.reason()
	}
	d.open, d.opened = d.open[:0], d.opened[:0]
	for i := range d.candidates {
		if i != chosen && d.gate(v, t, &d.candidates[i]).Open() {
			d.open, d.opened = append(d.open, d.candidates[i]), append(d.opened, i)
		}
	}
	if len(d.open) == 0 {
		return 0, false
	}
	chosen, ok = d.policy.Choose(d, v, t, d.open)
	if !ok {
		return 0, false
	}
	return d.opened[chosen], true
}

// refused turns a decision down; a screen's reason is the first cause and stays.
func refused(dec Decision, why Reason) Decision {
	if dec.Reason == NoReason {
		dec.Reason = why
	}
	return dec
}

// fitting lists the pools of the task's kind, whatever their size now; those that
// are too small for all of it only where none is large enough.
func (d *Desk) fitting(t *task.Task) []topo.PoolID {
	for _, least := range [...]int32{t.Slots, 1} {
		d.fits = d.fits[:0]
		for p := range d.terms.Topology.Pools {
			pool := &d.terms.Topology.Pools[p]
			if t.OfKind(pool.Kind) && pool.Slots >= least {
				d.fits = append(d.fits, topo.PoolID(p))
			}
		}
		if len(d.fits) > 0 {
			break
		}
	}
	return d.fits
}

// Parts returns the slots of a candidate, the main part first. They are valid until
// the next Decide.
func (d *Desk) Parts(c *Candidate) []Part { return d.parts[c.first : c.first+c.n] }

// enumerate lists the pools that may run the task.
func (d *Desk) enumerate(v View, t *task.Task, held bool) {
	d.candidates, d.parts = d.candidates[:0], d.parts[:0]
	for _, p := range d.fitting(t) {
		if v.Slots(p) < t.Slots || !d.mayUse(t, p, held) {
			continue
		}
		d.candidates = append(d.candidates, Candidate{Pool: p, Room: d.terms.Topology.Pools[p].Room, first: int32(len(d.parts)), n: 1})
		d.parts = append(d.parts, Part{p, t.Slots})
	}
	if t.Spreads() {
		d.spread(v, t, held)
	}
}

// mayUse reports whether the task may run in the pool's room.
func (d *Desk) mayUse(t *task.Task, p topo.PoolID, held bool) bool {
	room := d.terms.Topology.Pools[p].Room
	return d.allows(t, room) && (!held || d.terms.Domain.Same(d.terms.Topology, room, d.own))
}

// classify names each candidate's option, drops what cannot be reached, and
// prices the others.
func (d *Desk) classify(v View, t *task.Task, value unit.PerHour) {
	kept := d.candidates[:0]
	for i := range d.candidates {
		c := d.candidates[i]
		if d.reachable(v, t, c.Room) {
			c.Option = d.option(v, t, c.Room)
			kept = append(kept, c)
		}
	}
	d.candidates = kept
	if d.prices {
		d.priceAll(v, t, value)
	}
}

// priceAll prices the candidates, those of the lowest bounds first, and leaves
// out those whose bound shows that they are neither the best of their option nor
// the second best of all: a price takes a solution of the network for each of its
// transfers, a bound takes none.
func (d *Desk) priceAll(v View, t *task.Task, value unit.PerHour) {
	d.order = d.order[:0]
	for i := range d.candidates {
		c := &d.candidates[i]
		c.Total = d.bound(v, t, value, c)
		k := len(d.order)
		d.order = append(d.order, i)
		for ; k > 0 && d.candidates[d.order[k-1]].Total > c.Total; k-- {
			d.order[k] = d.order[k-1]
		}
		d.order[k] = i
	}
	never := unit.Money(math.Inf(1))
	best := [NumOptions]unit.Money{never, never, never}
	first, second := never, never
	for _, i := range d.order {
		c := &d.candidates[i]
		if !d.every && c.Total > best[c.Option] && c.Total > second {
			continue
		}
		d.price(v, t, value, c)
		best[c.Option] = min(best[c.Option], c.Total)
		if c.Total < first {
			first, second = c.Total, first
		} else {
			second = min(second, c.Total)
		}
	}
}

// option says what crosses the border of the task's domain if it runs in room.
func (d *Desk) option(v View, t *task.Task, room topo.RoomID) Option {
	for i := range t.Inputs {
		if t.Inputs[i].Bytes > 0 && !d.heldNear(v, t, i, room) {
			return MoveData
		}
	}
	if d.terms.Domain.Same(d.terms.Topology, room, d.own) {
		return Wait
	}
	return MoveTask
}

// heldNear reports whether the room's domain holds the i-th input, or the room
// is about to.
func (d *Desk) heldNear(v View, t *task.Task, i int, room topo.RoomID) bool {
	for _, h := range v.Holders(t, i) {
		if h.Complete && d.terms.Domain.Same(d.terms.Topology, h.Room, room) || h.Room == room {
			return true
		}
	}
	return false
}

// reachable reports what price finds out too: that routes and space are there.
func (d *Desk) reachable(v View, t *task.Task, room topo.RoomID) bool {
	brings := unit.Bytes(0)
	for i := range t.Inputs {
		if t.Inputs[i].Bytes == 0 {
			continue
		}
		from, here := false, false
		for _, h := range v.Holders(t, i) {
			here = here || h.Room == room
			if h.Complete && !from {
				_, _, from = d.terms.Topology.Between(h.Room, room)
			}
		}
		if !here && !from {
			return false
		}
		if !here {
			brings += t.Inputs[i].Bytes
		}
	}
	if t.Present(task.HasImage) && room != t.Home {
		if _, ok := v.HasImage(t, room); !ok {
			if _, _, ok := d.terms.Topology.Between(t.Home, room); !ok {
				return false
			}
			brings += t.ImageBytes
		}
	}
	if t.Output > 0 {
		if _, _, ok := d.terms.Topology.Between(room, t.ResultHome); !ok {
			return false
		}
	}
	if at, _, ok := v.Checkpoint(t); ok {
		if _, _, ok := d.terms.Topology.Between(at, room); !ok {
			return false
		}
	}
	brings += v.StateSpace(t)
	return brings == 0 || v.HasRoom(room, brings)
}

// compare fills in the best of each option, the chosen one standing for its own,
// and the margin to the runner-up.
func (d *Desk) compare(v View, t *task.Task, dec *Decision, chosen int) {
	var have [NumOptions]bool
	for i := range d.candidates {
		c := &d.candidates[i]
		if o := c.Option; c.Priced && (!have[o] || c.Total < dec.Best[o].Total) {
			have[o], dec.Best[o] = true, *c
		}
	}
	runnerUp, found := unit.Money(0), false
	for i := range d.candidates {
		if c := &d.candidates[i]; i != chosen && c.Priced && (!found || d.candidates[i].Total < runnerUp) {
			runnerUp, found = d.candidates[i].Total, true
		}
	}
	dec.RunnerUp = found
	if found && runnerUp != dec.Chosen.Total { // two that never end differ by nothing
		dec.Margin = runnerUp - dec.Chosen.Total
	}
	dec.Best[dec.Chosen.Option] = dec.Chosen
	for o := range dec.Best {
		if dec.Available[o] {
			dec.Best[o].Gates = d.gate(v, t, &dec.Best[o])
		}
	}
}
