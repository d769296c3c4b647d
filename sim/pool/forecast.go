package pool

import (
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// reach is how many instants a forecast looks ahead. Chosen: 512 passes take
// about 0.2 ms, and cover a queue of some hundred jobs; a deeper one stands in an
// overloaded pool, whose waits are long and need no second.
const reach = 512

// A forecast is what would happen in a pool if no job came any more and all ran
// exactly their estimates: the instants at which slots become free, with what
// the pass of each leaves. It is found by running a copy of the core, only as
// far as was asked for, and never past the instant at which its queue is empty.
//
// It outlives the changes of the pool that it foresaw: releases at the expected
// end and the starts that they lead to. A job that is submitted last joins it
// where it starts no earlier than the last instant known.
type forecast struct {
	valid    bool
	partial  bool // jobs of lesser priority are left out
	built    unit.Time
	priority int32 // jobs of lesser priority are left out; of a priority queue only
	sim      core
	known    []instant
	from     int       // the instant of known that holds now
	drained  unit.Time // of the last instant known; 0 where it was not asked for

	// Where cut is true, sim no longer goes on from the last instant known: it
	// lacks a job that starts at the instant cutAt.
	cut   bool
	cutAt unit.Time
}

// An instant is the pool after a pass.
type instant struct {
	at    unit.Time
	free  int32
	empty bool // no job waits
	head  reservation
}

// admits reports whether a job that came last would start at this instant, were
// it now.
func (s *instant) admits(now unit.Time, slots int32, estimate unit.Seconds) bool {
	if slots > s.free {
		return false
	}
	return s.empty || s.head.known && s.head.admits(now, slots, estimate)
}

// EstimateStart returns when a job would start if it came now, behind all jobs
// that came before it and by the queue's own discipline, if no other came and
// all ran exactly as long as is believed (what has outlived its estimate ends
// now): the scheduling rule itself, run ahead on a copy. It is Forever where the
// job never starts. It may be called before or after the pass of an instant and
// changes nothing.
//
// The answers share one forecast, which is kept as long as what happens is what
// it foresaw, so that most calls cost a look at some of its instants.
//
// A job that the next 512 instants do not take is expected to start when all work
// that is then queued or running is done, with no slot idle. In a conservative
// queue, jobs whose estimate is 0 may delay others past the answer: they hold
// their slots for a part of an instant, which its plan does not show.
func (p *Pool) EstimateStart(now unit.Time, slots, priority int32, estimate unit.Seconds) unit.Time {
	p.mustNotGoBack(now)
	if !p.Fits(slots) {
		return unit.Forever()
	}
	switch p.kind {
	case topo.Conservative:
		return p.planned(now, slots, estimate)
	case topo.Priority:
		if p.queue.n == 0 || p.queue.first().key > -float64(priority) {
			return p.core.whenIdle(now, slots)
		}
	default:
		if p.queue.n == 0 {
			return p.core.whenIdle(now, slots)
		}
		priority = 0
	}
	if p.settled(now) && slots <= p.free() && p.head.admits(now, slots, estimate) {
		return now
	}
	return p.ahead.start(&p.core, now, slots, priority, estimate)
}

// settled reports whether a pass of an EASY queue at now would change nothing.
func (c *core) settled(now unit.Time) bool {
	return c.head.known && !c.eased && c.tested == c.order && c.head.shadow >= now
}

// whenIdle returns when a job starts for which no other waits.
func (c *core) whenIdle(now unit.Time, slots int32) unit.Time {
	if slots <= c.free() {
		return now
	}
	return c.reserve(now, slots).shadow
}

// planned is the answer of a conservative queue: the earliest start that its
// plan leaves after a pass.
func (p *Pool) planned(now unit.Time, slots int32, estimate unit.Seconds) unit.Time {
	c := &p.core
	if c.eased || c.tested != c.order || len(c.plan.steps) == 0 || !c.planHolds(now) {
		f := &p.ahead
		if !f.valid || f.built != now {
			f.valid, f.built = true, now
			f.sim.copyFrom(c)
			f.sim.pass(now)
		}
		c = &f.sim
	}
	return c.plan.earliest(now, slots, estimate)
}

// start finds the first instant that takes the job.
func (f *forecast) start(c *core, now unit.Time, slots, priority int32, estimate unit.Seconds) unit.Time {
	if !f.covers(c, priority) || !f.catchUp(c, now) {
		f.build(c, now, priority)
	}
	for i := f.first(); ; i++ {
		if i == len(f.known) && f.cut {
			f.build(c, now, priority)
			i = 0
		}
		if i == len(f.known) {
			if i-f.from >= reach {
				return f.whenDrained()
			}
			if !f.step() {
				return unit.Forever()
			}
		}
		s := &f.known[i]
		at := max(now, s.at)
		if s.admits(at, slots, estimate) {
			return at
		}
		if s.empty {
			return f.sim.whenIdle(at, slots)
		}
	}
}

// first returns the first instant known that may take a job that came last.
func (f *forecast) first() int {
	if f.sim.kind == topo.EASY {
		return f.from
	}
	return len(f.known) - 1 // before it jobs wait, and none passes them
}

// covers reports whether the forecast is of the jobs that a job of that priority
// finds before it.
func (f *forecast) covers(c *core, priority int32) bool {
	if !f.valid || f.priority == priority {
		return f.valid
	}
	b, i := c.queue.seek(-float64(priority), ^uint64(0))
	b2, i2 := c.queue.seek(-float64(f.priority), ^uint64(0))
	return b == b2 && i == i2
}

// build begins a forecast with the pass of now.
func (f *forecast) build(c *core, now unit.Time, priority int32) {
	f.valid, f.built, f.priority, f.cut = true, now, priority, false
	f.sim.copyFrom(c)
	f.sim.loose = true
	f.sim.queue.dropAfter(-float64(priority))
	f.partial = f.sim.queue.n < c.queue.n
	f.known, f.from = f.known[:0], 0
	f.note(now)
}

// note runs the pass of an instant and keeps what it leaves.
func (f *forecast) note(at unit.Time) {
	f.sim.pass(at)
	f.known = append(f.known, f.sim.left(at))
	f.drained = 0
}

// whenDrained returns when all work of the last instant known is done, if no
// slot is idle until then.
func (f *forecast) whenDrained() unit.Time {
	if f.drained == 0 {
		at, work := f.last().at, unit.Seconds(0)
		f.sim.queue.each(func(it *item) { work += unit.Seconds(it.estimate * unit.Seconds(it.slots)) })
		f.sim.running.each(func(it *item) { work += unit.Seconds(unit.Time(it.key).Sub(at) * unit.Seconds(it.slots)) })
		f.drained = at.Add(work / unit.Seconds(max(1, f.sim.slots-f.sim.held)))
	}
	return f.drained
}

// left describes what the pass of an instant has left.
func (c *core) left(at unit.Time) instant {
	return instant{at: at, free: c.free(), empty: c.queue.n == 0, head: c.head}
}

// step goes on to the next instant at which slots become free and reports
// whether there is one.
func (f *forecast) step() bool {
	at, ok := f.sim.nextEnd(f.last().at)
	if ok {
		f.sim.endAll(at)
		f.note(at)
	}
	return ok
}

func (f *forecast) last() *instant { return &f.known[len(f.known)-1] }

// catchUp finds the instant that holds now and reports whether the forecast
// still stands: nothing that it expected to end is late, and it knows that
// instant. Instants that are over are dropped.
func (f *forecast) catchUp(c *core, now unit.Time) bool {
	if f.built == now {
		return f.from == 0
	}
	if c.running.n > 0 && unit.Time(c.running.first().key) <= now || f.cut && f.cutAt <= now {
		return false
	}
	for f.last().at < now && !f.cut {
		if at, ok := f.sim.nextEnd(f.last().at); !ok || at > now {
			break
		}
		if f.last().empty {
			return false // the pool has been idle; there is nothing to keep
		}
		f.step()
	}
	for f.from+1 < len(f.known) && f.known[f.from].at < now && f.known[f.from+1].at <= now {
		f.from++
	}
	if f.from > 256 && f.from > len(f.known)/2 {
		f.known = append(f.known[:0], f.known[f.from:]...)
		f.from = 0
	}
	return true
}

// submitted takes in a job that was just submitted at the end of the queue.
func (f *forecast) submitted(c *core, now unit.Time, it item) {
	if !f.valid {
		return
	}
	if c.kind == topo.Conservative || it.key < -float64(f.priority) || !f.catchUp(c, now) {
		f.valid = false
		return
	}
	if it.key > -float64(f.priority) {
		f.partial = true
		return
	}
	last := len(f.known) - 1
	for i := f.first(); i < last || f.cut && i == last; i++ {
		s := &f.known[i]
		at := max(now, s.at)
		if s.admits(at, it.slots, it.estimate) {
			f.known = f.known[:i]
			f.cut, f.cutAt, f.valid = true, at, i > f.from
			return
		}
	}
	if f.cut {
		return
	}
	f.sim.push(it)
	f.drained = 0
	at := max(now, f.known[last].at)
	f.sim.pass(at)
	f.known[last] = f.sim.left(at)
}

// surprised ends a forecast that did not foresee what happened.
func (f *forecast) surprised() { f.valid = false }
