package replay

import (
	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A weather is what changes in the world whatever the tasks do: capacities, slots
// that are held, jitter. Each course is drawn from a stream of its own, so that it
// is the same under every policy.
type weather struct {
	links  []changing // by link; none where all capacities are constant
	pools  []changing // by pool: slots that are held
	jitter []*profile.JitterCourse
	mean   []unit.Seconds // mean jitter by link
}

// A changing value is a course with the value that comes next.
type changing struct {
	course profile.Course // nil: constant
	next   float64
}

func newWeather(w *scenario.World, s rng.Streams) weather {
	var x weather
	if w.Capacity != nil {
		x.links = make([]changing, len(w.Capacity))
		for i, law := range w.Capacity {
			if law != nil {
				x.links[i].course = law.Begin(s, "link/"+w.Topology.Links[i].Name)
			}
		}
	}
	if w.Held != nil {
		x.pools = make([]changing, len(w.Held))
		for p, law := range w.Held {
			if law != nil {
				x.pools[p].course = law.Begin(s, "held/"+w.Topology.PoolName(topo.PoolID(p)))
			}
		}
	}
	if w.Jitter != nil {
		x.jitter = make([]*profile.JitterCourse, len(w.Jitter))
		x.mean = make([]unit.Seconds, len(w.Jitter))
		for i := range w.Jitter {
			if w.Jitter[i].Law != nil {
				x.jitter[i] = w.Jitter[i].Begin(s, "jitter/"+w.Topology.Links[i].Name)
				x.mean[i] = w.Jitter[i].Mean()
			}
		}
	}
	return x
}

// capacities returns the capacities at instant 0.
func (x *weather) capacities(t *topo.Topology) []unit.Rate {
	all := make([]unit.Rate, len(t.Links))
	for i := range all {
		all[i] = t.Links[i].Capacity
		if x.links != nil && x.links[i].course != nil {
			all[i] = unit.Rate(x.links[i].course.Value())
		}
	}
	return all
}

// scheduleWeather sets the first change of everything.
func (r *run) scheduleWeather() {
	for l := range r.weather.links {
		r.scheduleNext(&r.weather.links[l], capacityChange, int32(l))
	}
	for p := range r.weather.pools {
		if c := r.weather.pools[p].course; c != nil {
			r.pools[p].held = within(c.Value(), r.pools[p].spec.Slots)
			r.applyHeld(topo.PoolID(p))
			r.scheduleNext(&r.weather.pools[p], heldChange, int32(p))
		}
	}
}

func (r *run) scheduleNext(c *changing, kind uint8, index int32) {
	if c.course == nil {
		return
	}
	if at, v, ok := c.course.Next(); ok {
		c.next = v
		r.at(at, des.CapacityChange, kind, index)
	}
}

func (r *run) changeCapacity(l topo.LinkID) {
	r.addCapacity(l)
	c, was := &r.weather.links[l], r.net.Capacity(l)
	r.net.SetCapacity(l, unit.Rate(c.next))
	r.rates.epoch++
	r.lineChanged(l, was)
	r.scheduleNext(c, capacityChange, int32(l))
}

// changeHeld lets what services need of a pool change.
func (r *run) changeHeld(p topo.PoolID) {
	c := &r.weather.pools[p]
	r.pools[p].held = within(c.next, r.pools[p].spec.Slots)
	r.applyHeld(p)
	r.scheduleNext(c, heldChange, int32(p))
}

// jitterOn returns how much later than its latency a message on a route is now.
func (r *run) jitterOn(route []topo.LinkID) unit.Seconds {
	sum := unit.Seconds(0)
	if r.weather.jitter == nil {
		return sum
	}
	for _, l := range route {
		if j := r.weather.jitter[l]; j != nil {
			sum += j.At(r.now())
		}
	}
	return sum
}

// meanJitter returns how much later it is on average.
func (r *run) meanJitter(from, to topo.RoomID) unit.Seconds {
	sum := unit.Seconds(0)
	if r.weather.jitter == nil || from == to {
		return sum
	}
	route, _ := r.topo.AppendRoute(r.route[:0], from, to)
	r.route = route
	for _, l := range route {
		sum += r.weather.mean[l]
	}
	return sum
}

// patience is how long a run goes on in which no task comes further: none arrives or
// ends, no transfer is through, nothing is kept of any work, and no byte flows for
// good. What then waits for slots that do not come back, for a line that never stays
// up for long enough, or starts its work over and over, is censored. Chosen: longer
// than any repair.
const patience = 90 * unit.Day

// stalled reports whether the run has waited for that long.
func (r *run) stalled() bool {
	if r.hasNext || r.now().Sub(r.moved) <= patience {
		return false
	}
	flows := r.net.Moves()
	for i := range r.lives {
		if l := &r.lives[i]; l.used && l.stay.running && (l.stay.sync == 0 || flows) && r.mayEnd(l) {
			return false
		}
	}
	return r.world.Network.OnOutage.Kind != network.Resume || !flows
}

// mayEnd reports whether an attempt may be the last: it is the first, or has lasted
// for long already.
func (r *run) mayEnd(l *life) bool {
	return l.past.cuts == 0 || r.now().Sub(l.stay.from) > patience/2
}
