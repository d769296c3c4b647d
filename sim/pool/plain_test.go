package pool

import (
	"slices"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// plain is the definition of the queue kinds: it keeps nothing between passes
// but who waits and who runs (and, for conservative queues, what was reserved),
// and looks at everything each time.
type plain struct {
	kind        topo.QueueKind
	slots, held int32
	queue       []plainJob // in order of submission
	running     []plainJob
	changed     bool // for conservative queues: slots became free unexpectedly
	broken      bool // reservations cannot be relied on
}

type plainJob struct {
	Job
	end      unit.Time // expected, on slots
	reserved bool
	planned  unit.Time
}

func (p *plain) clone() *plain {
	c := *p
	c.queue, c.running = slices.Clone(p.queue), slices.Clone(p.running)
	return &c
}

// idle may be negative: more held than idle.
func (p *plain) idle() int32 {
	n := p.slots - p.held
	for _, j := range p.running {
		n -= j.Slots
	}
	return n
}

func (p *plain) fits(j plainJob) bool { return j.Slots <= max(0, p.idle()) }

func (p *plain) submit(j Job) { p.queue = append(p.queue, plainJob{Job: j}) }

func (p *plain) place(now unit.Time, j Job) {
	p.running = append(p.running, plainJob{Job: j, end: now.Add(j.Estimate)})
	p.broken = true
}

func (p *plain) hold(held int32) {
	p.broken = p.broken || held != p.held
	p.held = held
}

func (p *plain) withdraw(task int32) {
	p.queue = slices.DeleteFunc(p.queue, func(j plainJob) bool { return j.Task == task })
	p.changed = true
}

func (p *plain) release(now unit.Time, task int32) {
	i := slices.IndexFunc(p.running, func(j plainJob) bool { return j.Task == task })
	p.changed = p.changed || p.running[i].end != now
	p.running = slices.Delete(p.running, i, i+1)
}

func (p *plain) start(now unit.Time, i int, started []int32) []int32 {
	j := p.queue[i]
	p.queue = slices.Delete(p.queue, i, i+1)
	j.end = now.Add(j.Estimate)
	p.running = append(p.running, j)
	return append(started, j.Task)
}

// head returns the place in the queue of the job that is first in line.
func (p *plain) head() int {
	best := 0
	for i, j := range p.queue {
		if p.kind == topo.Priority && j.Priority > p.queue[best].Priority {
			best = i
		}
	}
	return best
}

func (p *plain) pass(now unit.Time) (started []int32) {
	if p.kind == topo.Conservative {
		return p.passConservative(now)
	}
	for len(p.queue) > 0 && p.fits(p.queue[p.head()]) {
		started = p.start(now, p.head(), started)
	}
	if p.kind != topo.EASY || len(p.queue) == 0 {
		return started
	}
	shadow, extra := p.shadow(now)
	for i := 1; i < len(p.queue); {
		j := p.queue[i]
		inTime := now.Add(j.Estimate) <= shadow
		if !p.fits(j) || !inTime && j.Slots > extra {
			i++
			continue
		}
		if !inTime {
			extra -= j.Slots
		}
		started = p.start(now, i, started)
	}
	return started
}

// shadow tries the expected ends one after the other.
func (p *plain) shadow(now unit.Time) (unit.Time, int32) {
	at := func(t unit.Time) int32 { // slots free at t, by the estimates
		n := p.idle()
		for _, j := range p.running {
			if max(now, j.end) <= t {
				n += j.Slots
			}
		}
		return n
	}
	best := unit.Forever()
	for _, j := range p.running {
		if t := max(now, j.end); t < best && at(t) >= p.queue[0].Slots {
			best = t
		}
	}
	if best == unit.Forever() {
		return best, 0
	}
	return best, at(best) - p.queue[0].Slots
}

func (p *plain) passConservative(now unit.Time) (started []int32) {
	for _, j := range p.running {
		p.broken = p.broken || j.end <= now
	}
	for _, j := range p.queue {
		p.broken = p.broken || j.reserved && j.planned < now
	}
	if p.broken {
		for i := range p.queue {
			p.queue[i].reserved = false
		}
	}
	for moved := p.changed; moved; {
		moved = false
		for i := range p.queue {
			if j := &p.queue[i]; j.reserved {
				before := j.planned
				p.plan(now, j)
				moved = moved || before != j.planned
			}
		}
	}
	for i := range p.queue {
		if j := &p.queue[i]; !j.reserved {
			p.plan(now, j)
		}
	}
	p.changed, p.broken = false, false
	for i := 0; i < len(p.queue); {
		if p.queue[i].planned <= now && p.fits(p.queue[i]) {
			started = p.start(now, i, started)
		} else {
			i++
		}
	}
	return started
}

func (p *plain) plan(now unit.Time, j *plainJob) {
	j.reserved = false
	j.planned = p.earliest(now, j.Slots, j.Estimate)
	j.reserved = true
}

// earliest tries now and every instant at which something ends.
func (p *plain) earliest(now unit.Time, slots int32, length unit.Seconds) unit.Time {
	type span struct {
		from, to unit.Time
		slots    int32
	}
	var taken []span
	for _, j := range p.running {
		taken = append(taken, span{unit.Time(-1), max(now, j.end), j.Slots})
	}
	for _, j := range p.queue {
		if j.reserved {
			taken = append(taken, span{j.planned, j.planned.Add(j.Estimate), j.Slots})
		}
	}
	free := func(t unit.Time) int32 {
		n := p.slots - p.held
		for _, s := range taken {
			if s.from <= t && t < s.to {
				n -= s.slots
			}
		}
		return n
	}
	best := unit.Forever()
	try := func(t unit.Time) {
		if t >= best || free(t) < slots {
			return
		}
		for _, s := range taken {
			if s.from > t && s.from < t.Add(length) && free(s.from) < slots {
				return
			}
		}
		best = t
	}
	try(now)
	for _, s := range taken {
		try(s.to)
	}
	return best
}

// startOf runs a copy on, all jobs exactly as long as estimated, until the job
// that is submitted last starts.
func (p *plain) startOf(now unit.Time, j Job) unit.Time {
	p = p.clone()
	p.submit(j)
	for {
		if slices.Contains(p.pass(now), j.Task) {
			return now
		}
		if len(p.running) == 0 {
			return unit.Forever()
		}
		next := unit.Forever()
		for _, r := range p.running {
			next = min(next, max(now, r.end))
		}
		now = next
		for _, r := range slices.Clone(p.running) {
			if r.end <= now {
				p.release(now, r.Task)
			}
		}
	}
}
