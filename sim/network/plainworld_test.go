package network_test

import (
	"math"
	"slices"

	"tiersim/sim/maxmin"
	"tiersim/sim/network"
	"tiersim/sim/topo"
)

// A fluid is a world under the plain solver, without events: at every change it
// solves everything, finds what happens next, and lets all flow until then. It
// shares no code with Network, des or Allocator.
type fluid struct {
	now      float64
	raw      []float64
	buckets  []bucket
	outage   network.OnOutage
	channels []fluidChannel
	flows    []fluidFlow
	carried  []float64
}

type bucket struct {
	burst, refill, size float64 // size 0: none
	tokens, dry         float64
	bursts              bool
}

type fluidChannel struct {
	route         []topo.LinkID
	rate, granted float64
	asked, got    float64
	open          bool
}

type fluidFlow struct {
	network.Flow
	begins           float64 // when its delay is over
	cap, left, whole float64 // whole: sent in chunks that are kept, or 0
	again            float64
	rate             float64
	over             bool
	finish           float64
}

func (w *world) playPlain() outcome {
	f := &fluid{outage: w.outage, carried: make([]float64, len(w.capacity))}
	for l, c := range w.capacity {
		s := w.shapers[l]
		f.raw = append(f.raw, float64(c))
		f.buckets = append(f.buckets, bucket{float64(s.Burst), float64(s.Refill), float64(s.Size), float64(s.Size), 0, true})
	}
	deeds := w.deeds
	for {
		f.solve()
		at, do := f.next()
		if len(deeds) > 0 && float64(deeds[0].at) <= at {
			d := &deeds[0]
			at, do = float64(d.at), func() { f.do(d) }
			deeds = deeds[1:]
		}
		if math.IsInf(at, 1) {
			break
		}
		f.advance(at)
		do()
	}
	var out outcome
	for i := range f.flows {
		out.finish = append(out.finish, f.flows[i].finish)
		out.again = append(out.again, f.flows[i].again)
	}
	out.carried = f.carried
	for i := range f.channels {
		c := &f.channels[i]
		out.honoured = append(out.honoured, 1)
		if c.asked > 0 {
			out.honoured[i] = c.got / c.asked
		}
	}
	return out
}

func (f *fluid) capacity(l int) float64 {
	b := &f.buckets[l]
	switch {
	case b.size == 0:
		return f.raw[l]
	case b.bursts:
		return min(f.raw[l], b.burst)
	}
	return min(f.raw[l], b.refill)
}

// solve finds the rates of all flows: channels are links of their own, behind the
// others.
func (f *fluid) solve() {
	asked := make([]float64, len(f.raw))
	for _, c := range f.channels {
		for _, l := range c.route {
			if c.open {
				asked[l] += c.rate
			}
		}
	}
	capacity := make([]float64, len(f.raw))
	for l := range f.raw {
		capacity[l] = f.capacity(l)
	}
	for i := range f.channels {
		c := &f.channels[i]
		c.granted = 0
		if !c.open {
			capacity = append(capacity, 0)
			continue
		}
		part := 1.0
		for _, l := range c.route {
			if asked[l] > f.capacity(int(l)) {
				part = min(part, f.capacity(int(l))/asked[l])
			}
		}
		c.granted = c.rate * part
		capacity = append(capacity, c.granted)
		for _, l := range c.route {
			if capacity[l] -= c.granted; capacity[l] < 1e-12 {
				capacity[l] = 0
			}
		}
	}
	var on []int
	var flows []maxmin.Flow
	for i := range f.flows {
		x := &f.flows[i]
		x.rate = 0
		if x.over || x.begins > f.now || x.left == 0 {
			continue
		}
		on = append(on, i)
		flows = append(flows, maxmin.Flow{Route: f.shared(x), Weight: x.Weight, Cap: x.cap})
	}
	for k, r := range maxmin.Solve(capacity, flows) {
		f.flows[on[k]].rate = r
	}
}

func (f *fluid) shared(x *fluidFlow) []int32 {
	if x.Channel == 0 || !f.channels[x.Channel-1].open {
		return links(x.Route)
	}
	route := []int32{int32(len(f.raw)) + int32(x.Channel) - 1}
	for _, l := range x.Route {
		if !slices.Contains(f.channels[x.Channel-1].route, l) {
			route = append(route, int32(l))
		}
	}
	return route
}

func (f *fluid) load(l int) (sum float64) {
	for i := range f.flows {
		if x := &f.flows[i]; slices.Contains(x.Route, topo.LinkID(l)) {
			sum += x.rate
		}
	}
	return sum
}

// next returns what happens next if nobody does anything.
func (f *fluid) next() (at float64, do func()) {
	at = math.Inf(1)
	try := func(t float64, what func()) {
		if t < at {
			at, do = t, what
		}
	}
	for i := range f.flows {
		x := &f.flows[i]
		switch {
		case x.over:
		case x.begins > f.now && x.left > 0:
			try(x.begins, func() {})
		case x.left == 0:
			try(max(f.now, x.begins), func() { f.end(x) })
		case x.rate > 0:
			try(f.now+x.left/x.rate, func() { f.end(x) })
		}
	}
	for l := range f.buckets {
		b := &f.buckets[l]
		load := f.load(l)
		switch {
		case b.size == 0 || math.Abs(load-b.refill) < 1e-9:
		case b.bursts && load > b.refill:
			try(f.now+b.tokens/(load-b.refill), func() { b.tokens, b.bursts, b.dry = 0, false, f.now })
		case !b.bursts && load < b.refill:
			try(max(f.now+(min(b.size, b.refill)-b.tokens)/(b.refill-load), b.dry+1e-3), func() { b.bursts = true })
		}
	}
	return at, do
}

func (f *fluid) advance(at float64) {
	dt := at - f.now
	for l := range f.raw {
		load := f.load(l)
		f.carried[l] += load * dt
		b := &f.buckets[l]
		b.tokens = min(b.size, max(0, b.tokens+(b.refill-load)*dt))
	}
	for i := range f.flows {
		f.flows[i].left -= f.flows[i].rate * dt
	}
	for i := range f.channels {
		if c := &f.channels[i]; c.open {
			c.asked += c.rate * dt
			c.got += c.granted * dt
		}
	}
	f.now = at
}

func (f *fluid) end(x *fluidFlow) { x.left, x.over, x.finish = 0, true, f.now }

func (f *fluid) do(d *deed) {
	switch d.kind {
	case start:
		f.flows = append(f.flows, fluidFlow{Flow: d.flow, begins: f.now + float64(d.flow.Delay), cap: float64(d.flow.Cap), left: float64(d.flow.Bytes)})
	case cancel:
		if x := &f.flows[d.index]; !x.over {
			x.over, x.finish = true, f.now
		}
	case setCap:
		f.flows[d.index].cap = float64(d.rate)
	case setCapacity:
		if d.rate == 0 && f.raw[d.index] > 0 {
			f.lose(topo.LinkID(d.index))
		}
		f.raw[d.index] = float64(d.rate)
	case open:
		f.channels = append(f.channels, fluidChannel{route: d.route, rate: float64(d.rate), open: true})
	case setRate:
		f.channels[d.index].rate = float64(d.rate)
	case closeChannel:
		f.channels[d.index].open = false
	}
}

// lose takes from the flows on a link what they do not keep.
func (f *fluid) lose(l topo.LinkID) {
	for i := range f.flows {
		x := &f.flows[i]
		sent := float64(x.Bytes) - x.left
		if x.over || !slices.Contains(x.Route, l) || sent == 0 {
			continue
		}
		keeps := sent
		switch f.outage.Kind {
		case network.Restart:
			keeps = 0
		case network.ToChunk:
			// The first term keeps a whole number of chunks whole.
			chunk := float64(f.outage.Chunk)
			keeps = max(x.whole, math.Floor(sent/chunk)*chunk)
			x.whole = keeps
		}
		x.left += sent - keeps
		x.again += sent - keeps
	}
}
