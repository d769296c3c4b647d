package network

import (
	"fmt"
	"math"

	"tiersim/sim/des"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// phase is where a flow is in its life.
type phase uint8

const (
	unused  phase = iota
	waiting       // its delay
	sending
	over // done or canceled, until it is released
)

type flow struct {
	anchor  unit.Time  // instant of left and rate
	left    unit.Bytes // at the anchor
	rate    unit.Rate  // since
	bytes   unit.Bytes
	event   des.Handle // the end of its delay, or its end
	cap     unit.Rate
	weight  float64
	owner   int32
	hops    int32
	channel ChannelID
	phase   phase
	kept    unit.Bytes // what was left after the last outage; at first all
	again   unit.Bytes // sent, and lost to outages
}

// sent returns what a flow has sent when so much is left.
func (f *flow) sent(left unit.Bytes) unit.Bytes { return f.bytes - left + f.again }

// end returns when nothing will be left at the flow's rate.
func (f *flow) end() unit.Time {
	if f.left == 0 {
		return f.anchor
	}
	return f.anchor.Add(f.left.Over(f.rate))
}

// leftNow returns what is left of a flow that is sending. Where its end was
// rounded that is a little above or below 0; how far is checked, then it is 0.
func (n *Network) leftNow(f *flow) unit.Bytes {
	now := n.list.Now()
	switch {
	case f.rate == unit.Unlimited():
		return 0 // it sends all at once, at instant 0 too, where 0·∞ would be no number
	case now == f.anchor:
		return f.left
	}
	left := f.left - f.rate.For(now.Sub(f.anchor))
	if left < 0 {
		n.mustBeNothing(f, left)
		return 0
	}
	return left
}

// rounded is the share of a flow's bytes that may be left, or be sent too much,
// when it ends. It decides nothing: what is beyond is a fault of this package.
const rounded = 1e-9

// tolerance is how far rounding may take a sum of rates, relative to it.
const tolerance = 1e-12

// mustBeNothing panics where what is left at a flow's end is more than rounding:
// of its bytes, or of the instant of its end.
func (n *Network) mustBeNothing(f *flow, left unit.Bytes) {
	if left == 0 {
		return
	}
	now := n.list.Now()
	instant := unit.Seconds(float64(now) * 0x1p-51)
	if !(math.Abs(float64(left)) <= rounded*float64(f.bytes)+float64(f.rate.For(instant))) {
		panic(fmt.Sprintf("network: at %v s: %v of %v bytes left at the end of a flow (%v bytes/s since %v s)",
			float64(now), float64(left), float64(f.bytes), float64(f.rate), float64(f.anchor)))
	}
}

// take finds an id and keeps the route under it.
func (n *Network) take(route []topo.LinkID) FlowID {
	if len(route) > n.stride {
		wide := make([]int32, len(n.flows)*len(route))
		for i := range n.flows {
			copy(wide[i*len(route):], n.routes[i*n.stride:(i+1)*n.stride])
		}
		n.routes, n.stride = wide, len(route)
	}
	var id FlowID
	if k := len(n.free); k > 0 {
		id = n.free[k-1]
		n.free = n.free[:k-1]
	} else {
		id = FlowID(len(n.flows))
		n.flows = append(n.flows, flow{})
		for range n.stride {
			n.routes = append(n.routes, 0)
		}
	}
	for i, l := range route {
		n.routes[int(id)*n.stride+i] = int32(l)
	}
	return id
}

func (n *Network) route(id FlowID) []int32 {
	i := int(id) * n.stride
	return n.routes[i : i+int(n.flows[id].hops)]
}

func (n *Network) mustBeFlow(f *Flow) {
	if !(f.Bytes >= 0) || math.IsInf(float64(f.Bytes), 1) || !(f.Delay >= 0) || !(f.Weight > 0) || !(f.Cap > 0) {
		panic(fmt.Sprintf("network: at %v s: flow of %v bytes, delay %v s, weight %v, cap %v",
			float64(n.list.Now()), float64(f.Bytes), float64(f.Delay), f.Weight, float64(f.Cap)))
	}
	if f.Channel != 0 {
		n.mustBeOpen(f.Channel)
	}
}

// mustBe returns the flow if it is in one of two phases, and panics otherwise.
func (n *Network) mustBe(id FlowID, what string, a, b phase) *flow {
	if id < 0 || int(id) >= len(n.flows) || n.flows[id].phase != a && n.flows[id].phase != b {
		panic(fmt.Sprintf("network: at %v s: flow %d cannot be %s", float64(n.list.Now()), id, what))
	}
	return &n.flows[id]
}
