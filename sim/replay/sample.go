package replay

import (
	"tiersim/sim/des"
	"tiersim/sim/stats"
	"tiersim/sim/topo"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// A sampler reads links and pools at fixed intervals, for the tables links and
// pools and for what is said of overloaded ones.
type sampler struct {
	interval unit.Seconds
	from     unit.Time // begin of the present interval
	links    []linkSample
	pools    []poolSample
}

type linkSample struct {
	carried  unit.Bytes // up to the present interval
	since    unit.Time  // of the present capacity
	capacity float64    // capacity·time so far in the present interval, bytes
	offered  float64    // capacity·time of all intervals, bytes
	full     unit.Seconds
	atLast   window // up to the last arrival
}

// A window is what a link did while tasks arrived. What comes after, the run's
// last tasks alone, would hide that a link was overloaded.
type window struct {
	carried unit.Bytes
	offered float64
	full    unit.Seconds
}

type poolSample struct {
	busy, queued, held float64 // integrals up to the present interval
	busyAtLast         float64 // slot-seconds up to the last arrival
	heldAtLast         float64
	asked              float64         // slot-seconds that tasks asked for before the last arrival
	headroom           stats.Quantiles // of the samples, where slots are held for services
}

// intervals are the lengths that samples come in: the shortest that parts the
// time of arrivals into at most maxSamples, and that with the longest task after
// it into at most ten times as many.
var intervals = [...]unit.Seconds{1, 10, 60, 300, 900, 3600, 6 * 3600, 86400, 7 * 86400}

const (
	maxSamples = 300
	// fullAt is the utilization of an interval from which a link counts as full.
	fullAt = 0.95
)

func newSampler(t *topo.Topology, tr *trace.Trace) sampler {
	s := sampler{
		interval: intervals[len(intervals)-1],
		links:    make([]linkSample, len(t.Links)), pools: make([]poolSample, len(t.Pools)),
	}
	for _, i := range intervals {
		if unit.Seconds(tr.Last) <= maxSamples*i && unit.Seconds(tr.Last)+tr.Longest <= 10*maxSamples*i {
			s.interval = i
			break
		}
	}
	return s
}

// sample ends an interval and begins the next. Where no other event is left,
// nothing will ever happen again, and the next sample would not end the run.
func (r *run) sample() {
	r.readSamples()
	if r.events.Len() == 0 {
		return
	}
	r.at(r.now().Add(r.samples.interval), des.Start+1, sample, 0)
}

// finalSample ends the last interval, which may be shorter.
func (r *run) finalSample() {
	if r.now() > r.samples.from {
		r.readSamples()
	}
}

func (r *run) readSamples() {
	length := r.now().Sub(r.samples.from)
	for i := range r.samples.links {
		s := &r.samples.links[i]
		r.addCapacity(topo.LinkID(i))
		carried := r.net.Carried(topo.LinkID(i))
		moved := carried - s.carried
		s.carried = carried
		if float64(moved) > fullAt*s.capacity {
			s.full += length
		}
		s.offered += s.capacity
		r.recordLink(topo.LinkID(i), length, moved, s.capacity)
		s.capacity = 0
	}
	for p := range r.samples.pools {
		s := &r.samples.pools[p]
		busy, queued := float64(r.pools[p].SlotSeconds(r.now())), float64(r.pools[p].QueueIntegral(r.now()))
		held := float64(r.pools[p].HeldSeconds(r.now()))
		r.recordPool(topo.PoolID(p), length, busy-s.busy, queued-s.queued, held-s.held)
		s.busy, s.queued, s.held = busy, queued, held
		if r.pools[p].keeps {
			s.headroom.Add(float64(r.pools[p].Headroom()))
		}
	}
	r.samples.from = r.now()
}

// addCapacity adds what a link could have carried since its capacity last
// changed or was read; it is called before a change, too.
func (r *run) addCapacity(l topo.LinkID) {
	s := &r.samples.links[l]
	if now := r.now(); now > s.since {
		s.capacity += float64(r.net.Capacity(l).For(now.Sub(s.since)))
		s.since = now
	}
}

// countAsked adds what a task asks of its pool before the last arrival: of work
// that goes on longer, the part until then.
func (r *run) countAsked(l *life) {
	if l.past.cuts > 0 {
		return // it asked for that before
	}
	work := unit.Seconds(float64(l.task.Work) / r.speedOf(l.parts))
	inWindow := max(0, min(work, r.setup.Trace.Last.Sub(r.now())))
	for _, part := range l.parts {
		r.samples.pools[part.Pool].asked += float64(inWindow) * float64(part.Slots)
	}
}

// atLastArrival notes what links and pools did while tasks arrived.
func (r *run) atLastArrival() {
	for i := range r.samples.links {
		r.addCapacity(topo.LinkID(i))
		s := &r.samples.links[i]
		s.atLast = window{r.net.Carried(topo.LinkID(i)), s.offered + s.capacity, s.full}
	}
	for p := range r.pools {
		r.samples.pools[p].busyAtLast = float64(r.pools[p].SlotSeconds(r.now()))
		r.samples.pools[p].heldAtLast = float64(r.pools[p].HeldSeconds(r.now()))
	}
}
