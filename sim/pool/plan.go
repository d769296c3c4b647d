package pool

import "tiersim/sim/unit"

// A plan holds the slots that are free at each instant to come, with all that
// runs and all that is reserved for the queue taken off: a step function.
type plan struct {
	steps    []step
	next     unit.Time // no job of the queue has an earlier reservation
	loosened bool      // slots became free before, or after, they were expected to
	broken   bool      // reservations may not hold any more
}

// A step is the free slots from an instant until the next step.
type step struct {
	at   unit.Time
	free int32
}

// passConservative gives every job of the queue the earliest start that delays
// no reservation of a job that has one, and starts those whose start is now. A
// job keeps its reservation until an earlier one is found for it: when slots
// become free unexpectedly, jobs move up one by one, in queue order, past the
// reservations of all others, until none can. Where reservations cannot hold (a job outlived its
// estimate, more slots are held) all are made anew in queue order.
func (c *core) passConservative(now unit.Time) {
	fresh := c.tested + 1
	switch {
	case !c.planHolds(now):
		c.plan.lay(c, now)
		c.planFrom(now, 0)
	case c.plan.loosened:
		c.plan.lay(c, now)
		c.compress(now)
		c.planFrom(now, fresh)
	default:
		if len(c.plan.steps) == 0 {
			c.plan.lay(c, now)
		}
		c.plan.forget(now)
		c.planFrom(now, fresh)
	}
	c.plan.broken, c.plan.loosened = false, false
	c.startPlanned(now)
}

// planHolds reports whether the reservations can be relied on: none is past, and
// nothing has outlived its estimate.
func (c *core) planHolds(now unit.Time) bool {
	if c.running.n > 0 && unit.Time(c.running.first().key) <= now || c.plan.broken {
		return false
	}
	holds := true
	if c.plan.next < now { // unless that job was withdrawn
		c.eachTested(func(it *item) { holds = holds && it.planned >= now })
	}
	return holds
}

// planFrom reserves for the jobs from the given order on.
func (c *core) planFrom(now unit.Time, order uint64) {
	l := &c.queue
	b, i := l.seek(0, order)
	for ; b < len(l.blocks); b, i = b+1, 0 {
		in := l.items(b)
		for ; i < len(in); i++ {
			it := &in[i]
			it.planned = c.plan.earliest(now, it.slots, it.estimate)
			c.plan.take(it.planned, it.estimate, it.slots)
		}
	}
}

// compress moves jobs that have a reservation up, one by one in queue order, until
// none can move: a job that moved may have made room for one before it.
func (c *core) compress(now unit.Time) {
	c.eachTested(func(it *item) { c.plan.take(it.planned, it.estimate, it.slots) })
	for moved := true; moved; {
		moved = false
		c.eachTested(func(it *item) {
			before := it.planned
			c.plan.take(before, it.estimate, -it.slots)
			it.planned = c.plan.earliest(now, it.slots, it.estimate)
			c.plan.take(it.planned, it.estimate, it.slots)
			moved = moved || it.planned != before
		})
	}
}

// eachTested calls do for the jobs that have a reservation.
func (c *core) eachTested(do func(*item)) {
	c.queue.each(func(it *item) {
		if it.order <= c.tested {
			do(it)
		}
	})
}

// startPlanned starts the jobs whose time has come. One that still finds its
// slots taken, by a job that outlived its estimate, stays.
func (c *core) startPlanned(now unit.Time) {
	l := &c.queue
	c.plan.next = unit.Forever()
	for b := 0; b < len(l.blocks); b++ {
		blocks := len(l.blocks)
		for i := 0; len(l.blocks) == blocks && i < int(l.blocks[b].n); {
			it := &l.items(b)[i]
			if it.planned > now || it.slots > c.free() {
				c.plan.next = min(c.plan.next, it.planned)
				i++
				continue
			}
			c.start(now, l.removeAt(b, i))
		}
		b -= blocks - len(l.blocks)
	}
}

// lay lays out the ends of what runs. A job past its expected end is expected to
// end now.
func (p *plan) lay(c *core, now unit.Time) {
	free := c.slots - c.held - c.busy
	p.steps = append(p.steps[:0], step{now, free})
	for b := range c.running.blocks {
		for _, it := range c.running.items(b) {
			free += it.slots
			end := max(now, unit.Time(it.key))
			if last := &p.steps[len(p.steps)-1]; last.at == end {
				last.free = free
			} else {
				p.steps = append(p.steps, step{end, free})
			}
		}
	}
}

// forget drops the steps that are over and lets the present one begin now.
func (p *plan) forget(now unit.Time) {
	n := 0
	for n+1 < len(p.steps) && p.steps[n+1].at <= now {
		n++
	}
	p.steps = append(p.steps[:0], p.steps[n:]...)
	p.steps[0].at = max(p.steps[0].at, now)
}

// earliest returns the first instant, not before now, from which that many slots
// are free for that long; Forever where there is none. A job of length 0 needs
// them at that instant.
func (p *plan) earliest(now unit.Time, slots int32, length unit.Seconds) unit.Time {
	start, fits := now, false
	for i := range p.steps {
		if i+1 < len(p.steps) && p.steps[i+1].at <= now {
			continue // it is over
		}
		s := &p.steps[i]
		if fits && s.at >= start.Add(length) {
			return start
		}
		if s.free < slots {
			fits = false
		} else if !fits {
			start, fits = max(now, s.at), true
		}
	}
	if fits {
		return start
	}
	return unit.Forever()
}

// take takes slots off for that long from start on; a negative number gives them
// back.
func (p *plan) take(start unit.Time, length unit.Seconds, slots int32) {
	end := start.Add(length)
	if start == unit.Forever() || start == end {
		return
	}
	from := p.cut(start)
	for i, to := from, p.cut(end); i < to; i++ {
		p.steps[i].free -= slots
	}
}

// cut makes sure that a step begins at t and returns its place. Forever is the
// place past the end.
func (p *plan) cut(t unit.Time) int {
	lo, hi := 0, len(p.steps)
	for lo < hi {
		if mid := (lo + hi) / 2; p.steps[mid].at < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(p.steps) && p.steps[lo].at == t || t == unit.Forever() {
		return lo
	}
	p.steps = append(p.steps, step{})
	copy(p.steps[lo+1:], p.steps[lo:])
	p.steps[lo] = step{t, p.steps[lo-1].free}
	return lo
}

func (p *plan) copyFrom(o *plan) {
	p.steps = append(p.steps[:0], o.steps...)
	p.next, p.loosened, p.broken = o.next, o.loosened, o.broken
}
