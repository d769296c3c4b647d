package pool

import "tiersim/sim/unit"

// An arrival is a job with the time that it really stays on its slots.
type arrival struct {
	at  unit.Time
	run unit.Seconds
	job Job
}

// An end is a job on slots that will be released.
type end struct {
	at   unit.Time
	task int32
}

func (e end) before(o end) bool { return e.at < o.at || e.at == o.at && e.task < o.task }

// ends is a binary heap of what will be released, in order of (instant, task).
type ends []end

func (e *ends) push(x end) {
	h := append(*e, x)
	i := len(h) - 1
	for ; i > 0 && x.before(h[(i-1)/2]); i = (i - 1) / 2 {
		h[i] = h[(i-1)/2]
	}
	h[i] = x
	*e = h
}

func (e *ends) pop() end {
	h := *e
	first, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		c := 2*i + 1
		if c+1 < len(h) && h[c+1].before(h[c]) {
			c++
		}
		if c >= len(h) || x.before(h[c]) {
			h[i] = x
			break
		}
		h[i] = h[c]
		i = c
	}
	*e = h
	return first
}

// run carries arrivals, ordered by instant, through a pool and returns when each
// started. The job of arrivals[i] gets the task number i. look, where it is not
// nil, is called after every pass.
func run(p *Pool, arrivals []arrival, look func(now unit.Time, started []int32)) []unit.Time {
	start := make([]unit.Time, len(arrivals))
	var running ends
	var started []int32
	next := 0
	for next < len(arrivals) || len(running) > 0 {
		now := unit.Forever()
		if len(running) > 0 {
			now = running[0].at
		}
		if next < len(arrivals) {
			now = min(now, arrivals[next].at)
		}
		for len(running) > 0 && running[0].at == now {
			p.Release(now, running.pop().task)
		}
		for ; next < len(arrivals) && arrivals[next].at == now; next++ {
			j := arrivals[next].job
			j.Task = int32(next)
			p.Submit(now, j)
		}
		started = p.Pass(now, started[:0])
		for _, i := range started {
			start[i] = now
			running.push(end{now.Add(arrivals[i].run), i})
		}
		if look != nil {
			look(now, started)
		}
	}
	return start
}
