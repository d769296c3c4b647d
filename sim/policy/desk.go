package policy

import (
	"math"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Reason says why a task stayed in its domain, or was refused.
type Reason uint8

// Reasons, in the order of the screen; then those of a refusal.
const (
	NoReason     Reason = iota
	Compliance          // its data may be nowhere outside the domain that holds it, or not at its home
	Portable            // it cannot run elsewhere
	NoPool              // no pool that it may use fits it
	NoRoute             // pools fit, but no route or no space for its data leads there
	NoPlace             // the policy offers it no place
	AfterRefused        // a task that it comes after was refused
	GivenUp             // it was interrupted more often than the scenario allows
	NumReasons
)

var reasonNames = [NumReasons]string{"", "compliance", "portable", "no-pool", "no-route", "no-place", "after-refused", "given-up"}

func (r Reason) String() string { return reasonNames[r] }

// ReasonNames returns the names of the reasons.
func ReasonNames() []string { return reasonNames[:] }

// A Decision is one answer, with its estimates. Its contents are valid until the
// desk's next Decide.
type Decision struct {
	OK     bool // a place was found; else Reason says why not
	Reason Reason
	Chosen Candidate
	Value  unit.PerHour // of the task's turnaround
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

	own        topo.RoomID // the room whose domain is the task's own
	candidates []Candidate
	parts      []Part // of the candidates
	order      []int
	fits       []topo.PoolID
}

// NewDesk returns a desk. Where record is set, every candidate is priced, also
// for policies that do not look at prices.
func NewDesk(terms Terms, p Policy, record bool) *Desk {
	return &Desk{terms: terms, policy: p, prices: record || p.Prices()}
}

// Decide answers for one task.
func (d *Desk) Decide(v View, t *task.Task) Decision {
	var dec Decision
	dec.Reason = d.screen(v, t)
	dec.Value = d.Value(t)
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
	chosen, ok := d.policy.Choose(d, v, t, d.candidates)
	if !ok {
		return refused(dec, NoPlace)
	}
	if d.prices && !d.candidates[chosen].Priced {
		d.price(v, t, dec.Value, &d.candidates[chosen])
	}
	dec.OK, dec.Chosen = true, d.candidates[chosen]
	if d.prices {
		d.compare(&dec, chosen)
	}
	return dec
}

// refused turns a decision down; a screen's reason is the first cause and stays.
func refused(dec Decision, why Reason) Decision {
	if dec.Reason == NoReason {
		dec.Reason = why
	}
	return dec
}

// screen returns why the task may not leave its domain, and sets which domain
// that is: its home's, or its data's where compliance holds it.
func (d *Desk) screen(v View, t *task.Task) Reason {
	d.own = t.Home
	if held, at := d.heldByCompliance(v, t); held {
		d.own = at
		return Compliance
	}
	if !t.Portable {
		return Portable
	}
	return NoReason
}

// heldByCompliance reports whether the jurisdictions leave the task nowhere to
// go: its data may not come to its home, or may be in no room outside the
// domain of its data. at is the room of its data.
func (d *Desk) heldByCompliance(v View, t *task.Task) (held bool, at topo.RoomID) {
	if t.Allowed == task.Anywhere {
		return false, t.Home
	}
	at = t.Home
	if len(t.Inputs) > 0 {
		for _, h := range v.Holders(t, 0) {
			if d.allows(t, h.Room) && h.Complete {
				at = h.Room
				break
			}
		}
	}
	if !d.allows(t, t.Home) {
		return true, at
	}
	topology := d.terms.Topology
	for r := range topology.Rooms {
		if room := topo.RoomID(r); d.allows(t, room) && !d.terms.Domain.Same(topology, room, at) {
			return false, at
		}
	}
	return true, at
}

func (d *Desk) allows(t *task.Task, r topo.RoomID) bool {
	return t.Allowed.Allows(d.terms.Topology.Rooms[r].Jurisdiction)
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
		if c.Total > best[c.Option] && c.Total > second {
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
func (d *Desk) compare(dec *Decision, chosen int) {
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
}
