package network

import (
	"fmt"
	"math"

	"tiersim/sim/des"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Shaper is a token bucket on a link. While it holds tokens, a byte each, the
// link carries up to Burst, and then up to Refill; never more than its capacity.
// It begins full, gains Refill all the time up to Size, and loses what the link
// carries. Once empty it lets bursts through again when it holds what it gains in
// a second (all of Size where that is less): else a link whose load is near Refill
// would switch without end.
//
// Source: measured on cloud networks by Uta et al., Is Big Data Performance
// Reproducible in Modern Cloud Networks?, NSDI 2020, which finds such buckets.
type Shaper struct {
	Burst, Refill unit.Rate
	Size          unit.Bytes
}

// shaper is a Shaper with its tokens; the zero value is none.
type shaper struct {
	Shaper
	tokens  unit.Bytes // at the anchor
	load    unit.Rate  // of the link since
	anchor  unit.Time
	dry     unit.Time  // when it ran empty last
	event   des.Handle // when it runs empty, or bursts again
	bursts  bool
	touched bool // the load may have changed: it is in Network.touched
}

// pause is how long an empty bucket at least holds bursts back, for those smaller
// than that. Chosen: far below what a transfer notices, far above the rounding of
// an instant.
const pause unit.Seconds = 1e-3

// Shape puts a token bucket on a link, full, in place of one that it has.
func (n *Network) Shape(link topo.LinkID, s Shaper) {
	if !(s.Refill > 0) || !(s.Burst >= s.Refill) || !(s.Size > 0) || math.IsInf(float64(s.Refill), 1) || math.IsInf(float64(s.Size), 1) {
		panic(fmt.Sprintf("network: at %v s: shaper of burst %v, refill %v, size %v", float64(n.list.Now()), float64(s.Burst), float64(s.Refill), float64(s.Size)))
	}
	if k := n.kinds; k.Shaper == k.Latency || k.Shaper == k.FlowEnd {
		panic(fmt.Sprintf("network: the kind of shapers' events, %d, is that of others", k.Shaper))
	}
	if len(n.shapers) == 0 {
		n.shapers = append(n.shapers, make([]shaper, len(n.raw))...)
	}
	b := &n.shapers[link]
	if b.event != (des.Handle{}) {
		n.list.Cancel(b.event)
	}
	*b = shaper{Shaper: s, tokens: s.Size, anchor: n.list.Now(), bursts: true}
	n.touch(link)
	n.limit(link)
}

// Tokens returns the bytes that the bucket of a link holds now; 0 without one.
func (n *Network) Tokens(link topo.LinkID) unit.Bytes {
	if len(n.shapers) == 0 {
		return 0
	}
	return n.shapers[link].held(n.list.Now())
}

// most returns what the bucket lets through now.
func (s *shaper) most() unit.Rate {
	if s.bursts {
		return s.Burst
	}
	return s.Refill
}

// again is how many tokens an empty bucket must hold to let bursts through.
func (s *shaper) again() unit.Bytes { return min(s.Size, s.Refill.For(1)) }

// held returns the tokens at an instant up to which the load has not changed. It
// is a little below 0 where the instant at which the bucket ran empty was rounded;
// how far is checked.
func (s *shaper) held(now unit.Time) unit.Bytes {
	if now == s.anchor {
		return s.tokens
	}
	tokens := s.tokens + (s.Refill - s.load).For(now.Sub(s.anchor))
	if tokens < 0 {
		s.mustBeRounding(tokens, now)
		return 0
	}
	return min(tokens, s.Size)
}

// mustBeRounding panics where the tokens that a bucket is off when it runs empty,
// or bursts again, are more than rounding: of its size, of the sum of the rates, or
// of the instant.
func (s *shaper) mustBeRounding(tokens unit.Bytes, now unit.Time) {
	rate := s.load + s.Refill
	off := rounded*float64(s.Size) + tolerance*float64(rate.For(now.Sub(s.anchor))) + float64(rate.For(unit.Seconds(float64(now)*0x1p-51)))
	if !(math.Abs(float64(tokens)) <= off) {
		panic(fmt.Sprintf("network: at %v s: a bucket of %v tokens turns %v too early (load %v, refill %v since %v s)",
			float64(now), float64(s.Size), float64(tokens), float64(s.load), float64(s.Refill), float64(s.anchor)))
	}
}

// touch notes that the load of a link may change, if it has a bucket.
func (n *Network) touch(link topo.LinkID) {
	if s := &n.shapers[link]; s.Size > 0 && !s.touched {
		s.touched = true
		n.touched = append(n.touched, link)
	}
}

// touchRoutes does so for the links of flows' routes.
func (n *Network) touchRoutes(flows []int32) {
	for _, id := range flows {
		for _, l := range n.route(FlowID(id)) {
			n.touch(topo.LinkID(l))
		}
	}
}

// settle anchors the buckets whose load may have changed, and foretells when they
// run empty or burst again.
func (n *Network) settle() {
	now := n.list.Now()
	for _, l := range n.touched {
		s := &n.shapers[l]
		s.touched = false
		s.tokens, s.anchor, s.load = s.held(now), now, n.carries(l)
		at := s.turns()
		switch pending := s.event != (des.Handle{}); {
		case at == unit.Forever():
			if pending {
				n.list.Cancel(s.event)
				s.event = des.Handle{}
			}
		case pending:
			n.list.Move(s.event, at)
		default:
			s.event = n.list.Schedule(des.Event{At: at, Priority: des.CapacityChange, Kind: n.kinds.Shaper, Index: int32(l)})
		}
	}
	n.touched = n.touched[:0]
}

// carries returns the load of a link: exactly what it can carry where it is full,
// so that a bucket does not fill or drain by the rounding of a sum.
func (n *Network) carries(link topo.LinkID) unit.Rate {
	if n.alloc.Full(int32(link)) && !n.reserved(link) {
		return n.Capacity(link)
	}
	return n.Load(link)
}

// turns returns when the bucket will run empty, or burst again, at its load.
// An unlimited load is over before any time passes.
func (s *shaper) turns() unit.Time {
	switch {
	case s.bursts && s.load > s.Refill && s.load < unit.Unlimited():
		return s.anchor.Add(s.tokens.Over(s.load - s.Refill))
	case !s.bursts && s.load < s.Refill:
		missing := max(0, s.again()-s.tokens) // none where the pause is longer
		return max(s.anchor.Add(missing.Over(s.Refill-s.load)), s.dry.Add(pause))
	}
	return unit.Forever()
}

// turn makes a bucket empty, or lets it burst again.
func (n *Network) turn(link topo.LinkID) {
	if len(n.shapers) == 0 || n.shapers[link].event == (des.Handle{}) {
		panic(fmt.Sprintf("network: at %v s: no bucket of link %d turns", float64(n.list.Now()), link))
	}
	s := &n.shapers[link]
	now := n.list.Now()
	held, turns := s.held(now), unit.Bytes(0)
	if s.bursts {
		s.dry = now
	} else {
		turns = max(held, s.again()) // more where the pause was longer
	}
	s.mustBeRounding(held-turns, now)
	s.tokens, s.anchor, s.event = turns, now, des.Handle{}
	s.bursts = !s.bursts
	n.touch(link)
	n.limit(link)
}
