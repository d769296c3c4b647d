// Package network moves data between rooms as fluid flows.
//
// # Model
//
// A flow of S bytes along a route waits its delay (latency, start-up) without
// holding capacity, and then drains at a rate that is constant between events.
// The rates of all flows are the weighted max-min fair shares, with a cap per
// flow, of the link capacities at that instant (package maxmin); they change
// when a flow begins to hold capacity or ends, or a capacity changes, and only
// then. A flow alone on its route thus takes delay + S/min(cap, capacities).
// Nothing is sent while a capacity is 0, and sending resumes where it was.
//
// A flow without bytes ends after exactly its delay. So does one that nothing
// limits (inside a room without a storage, say).
//
// Source: Casanova and Marchal, A Network Model for Simulation of Grid
// Application, LIP RR-2002-40; accuracy and limits in Velho et al., ACM TOMACS
// 23(4), 2013, doi:10.1145/2517448.
//
// # How
//
// A flow keeps what is left of it at an instant, the anchor, and its rate since.
// Both are made anew only when its rate changes, so rounding does not build up
// with the events of others. The event at the instant when nothing is left makes
// it done; how far what is left then is from 0 is checked, not asked.
//
// # Not modeled
//
// Packets, loss, slow start and unfairness by round-trip time beyond what weight
// and cap say: a short flow, which slow start would dominate, finishes too early
// here. What was sent before a capacity fell to 0 is never sent again.
//
// # Units
//
// Capacities are usable bytes per second in one direction; protocol overhead is
// the scenario's business. A full-duplex link is two links.
package network

import (
	"fmt"
	"math"

	"tiersim/sim/des"
	"tiersim/sim/maxmin"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Kinds are the kinds of the events that a Network schedules; their index is a
// FlowID. The replay gives such events to Handle.
type Kinds struct {
	Latency uint8 // a flow has waited its delay
	FlowEnd uint8 // nothing is left of a flow
}

// A FlowID names a flow from Start to Release.
type FlowID int32

// A Flow is bytes that are asked to go along a route.
type Flow struct {
	Route  []topo.LinkID // each link at most once; storage links included
	Bytes  unit.Bytes
	Weight float64      // > 0
	Cap    unit.Rate    // unit.Unlimited: none
	Delay  unit.Seconds // latency and start-up, passed before it holds capacity
	Owner  int32        // the caller's
}

// A Network is the flows on the links of a topology. It is not safe for
// concurrent use.
type Network struct {
	list  *des.List
	kinds Kinds
	alloc *maxmin.Allocator

	flows   []flow
	routes  []int32 // stride for each flow
	stride  int
	free    []FlowID
	sent    []unit.Bytes // by link: of flows that are over
	solved  int          // times that rates were solved
	active  int
	scratch []int32
}

// phase is where a flow is in its life.
type phase uint8

const (
	unused  phase = iota
	waiting       // its delay
	sending
	over // done or canceled, until it is released
)

type flow struct {
	anchor unit.Time  // instant of left and rate
	left   unit.Bytes // at the anchor
	rate   unit.Rate  // since
	bytes  unit.Bytes
	event  des.Handle // the end of its delay, or its end
	cap    unit.Rate
	weight float64
	owner  int32
	hops   int32
	phase  phase
}

// New returns a network without flows on links of these capacities, whose events
// go to the list.
func New(capacity []unit.Rate, l *des.List, kinds Kinds) *Network {
	c := make([]float64, len(capacity))
	for i, r := range capacity {
		c[i] = float64(r)
	}
	return &Network{
		list: l, kinds: kinds, alloc: maxmin.New(c),
		stride: 8, sent: make([]unit.Bytes, len(capacity)),
	}
}

// CopyFrom makes n an independent copy of o in the storage that n has. The copy
// schedules in l, which must be a copy of o's list.
func (n *Network) CopyFrom(o *Network, l *des.List) {
	if n.alloc == nil {
		n.alloc = maxmin.New(nil)
	}
	n.list, n.kinds = l, o.kinds
	n.alloc.CopyFrom(o.alloc)
	n.flows = append(n.flows[:0], o.flows...)
	n.routes = append(n.routes[:0], o.routes...)
	n.stride = o.stride
	n.free = append(n.free[:0], o.free...)
	n.sent = append(n.sent[:0], o.sent...)
	n.active, n.solved = o.active, o.solved
}

// Start begins a flow now. It is never done at once: even where nothing delays
// or limits it, an event says so.
func (n *Network) Start(f Flow) FlowID {
	n.mustBeFlow(&f)
	id := n.take(f.Route)
	now := n.list.Now()
	g := &n.flows[id]
	*g = flow{
		anchor: now, left: f.Bytes, bytes: f.Bytes, cap: f.Cap, weight: f.Weight,
		owner: f.Owner, hops: int32(len(f.Route)), phase: waiting,
	}
	n.active++
	switch {
	case f.Bytes == 0:
		g.event = n.schedule(now.Add(f.Delay), n.kinds.FlowEnd, id)
	case f.Delay > 0:
		g.event = n.schedule(now.Add(f.Delay), n.kinds.Latency, id)
	default:
		n.begin(id)
	}
	return id
}

// Handle takes an event of the network's kinds. It returns the flow that is done
// by it, if any, which stays until it is released.
func (n *Network) Handle(e des.Event) (done FlowID, ok bool) {
	id := FlowID(e.Index)
	switch e.Kind {
	case n.kinds.Latency:
		n.flows[id].event = des.Handle{}
		n.begin(id)
		return 0, false
	case n.kinds.FlowEnd:
		n.flows[id].event = des.Handle{}
		n.end(id)
		return id, true
	}
	panic(fmt.Sprintf("network: at %v s: event of kind %d is not the network's", float64(e.At), e.Kind))
}

// Cancel ends a flow that is not done and returns the bytes that it sent. It
// stays until it is released.
func (n *Network) Cancel(id FlowID) unit.Bytes {
	f := n.mustBe(id, "canceled", waiting, sending)
	sent := n.Sent(id)
	if n.list.Pending(f.event) {
		n.list.Cancel(f.event)
		f.event = des.Handle{}
	}
	n.leave(id, sent)
	return sent
}

// Release forgets a flow that is done or canceled; its id is given out again.
func (n *Network) Release(id FlowID) {
	n.mustBe(id, "released", over, over).phase = unused
	n.free = append(n.free, id)
}

// SetCapacity changes the capacity of a link from now on.
func (n *Network) SetCapacity(link topo.LinkID, c unit.Rate) {
	n.alloc.SetCapacity(int32(link), float64(c))
	n.apply()
}

// begin lets a flow hold capacity from now on.
func (n *Network) begin(id FlowID) {
	f := n.mustBe(id, "begun", waiting, waiting)
	f.phase = sending
	f.anchor = n.list.Now()
	n.alloc.Add(int32(id), n.route(id), f.weight, float64(f.cap))
	n.apply()
}

// end makes a flow done.
func (n *Network) end(id FlowID) {
	f := n.mustBe(id, "ended", waiting, sending)
	if f.phase == sending {
		n.mustBeNothing(f, n.leftNow(f))
	}
	n.leave(id, f.bytes)
}

// leave takes a flow that sent so much off the network.
func (n *Network) leave(id FlowID, sent unit.Bytes) {
	f := &n.flows[id]
	for _, l := range n.route(id) {
		n.sent[l] += sent
	}
	was := f.phase
	f.phase = over
	f.left = f.bytes - sent
	f.rate = 0
	n.active--
	if was == sending {
		n.alloc.Remove(int32(id))
		n.apply()
	}
}

// checkEvery is how many solutions pass between two checks of the whole network;
// what a solution touched is checked each time. Chosen: under 1 % of the work.
const checkEvery = 1024

// apply gives the flows whose rate changed their new rate and end.
func (n *Network) apply() {
	now := n.list.Now()
	for _, id := range n.alloc.Changed() {
		f := &n.flows[id]
		f.left = n.leftNow(f)
		f.anchor = now
		f.rate = unit.Rate(n.alloc.Rate(id))
		pending := f.event != des.Handle{}
		switch {
		case f.left > 0 && f.rate == 0:
			if pending {
				n.list.Cancel(f.event)
				f.event = des.Handle{}
			}
		case pending:
			n.list.Move(f.event, f.end())
		default:
			f.event = n.schedule(f.end(), n.kinds.FlowEnd, FlowID(id))
		}
	}
	if n.solved++; n.solved%checkEvery == 0 {
		if err := n.Check(); err != nil {
			panic(err)
		}
	}
}

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

func (n *Network) schedule(at unit.Time, kind uint8, id FlowID) des.Handle {
	return n.list.Schedule(des.Event{At: at, Priority: des.FlowEnd, Kind: kind, Index: int32(id)})
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
}

// mustBe returns the flow if it is in one of two phases, and panics otherwise.
func (n *Network) mustBe(id FlowID, what string, a, b phase) *flow {
	if id < 0 || int(id) >= len(n.flows) || n.flows[id].phase != a && n.flows[id].phase != b {
		panic(fmt.Sprintf("network: at %v s: flow %d cannot be %s", float64(n.list.Now()), id, what))
	}
	return &n.flows[id]
}
