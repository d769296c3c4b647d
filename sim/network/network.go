// Package network moves data between rooms as fluid flows.
//
// # Model
//
// A flow of S bytes along a route waits its delay (latency, start-up) without
// holding capacity, and then drains at a rate that is constant between events.
// The rates of all flows are the weighted max-min fair shares, with a cap per
// flow, of the link capacities at that instant (package maxmin); they change
// when a flow begins to hold capacity or ends, or a capacity or a cap changes, and
// only then. A flow alone on its route thus takes delay + S/min(cap, capacities).
//
// A flow without bytes ends after exactly its delay. So does one that nothing
// limits (inside a room without a storage, say).
//
// What a link can carry is its capacity, or less while its token bucket is empty
// (Shape). Channels get what they reserve of it first, flows outside channels share
// the rest (Open). Nothing is sent while a capacity is 0; how much of what a flow
// has sent by then it sends again, OnOutage says. A Calendar holds what is reserved
// ahead.
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
// it done; how far what is left then is from 0 is checked, not asked. The tokens
// of a bucket are kept in the same way.
//
// # Not modeled
//
// Packets, slow start, congestion windows and unfairness by round-trip time beyond
// what weight and cap say (WindowCap, LossCap): a short flow, which slow start would
// dominate, finishes too early here, and all adapt to a change at once. A token
// bucket slows flows down and drops nothing. To open a channel takes no time, and
// what it does not use is not lent to others. An outage is noticed when it begins,
// and a link that is back is used at once.
//
// # Units
//
// Capacities are usable bytes per second in one direction; protocol overhead is
// the scenario's business. A full-duplex link is two links.
package network

import (
	"fmt"
	"slices"

	"tiersim/sim/des"
	"tiersim/sim/maxmin"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Kinds are the kinds of the events that a Network schedules; their index is a
// FlowID, a shaper's the link. The replay gives such events to Handle.
type Kinds struct {
	Latency uint8 // a flow has waited its delay
	FlowEnd uint8 // nothing is left of a flow
	Shaper  uint8 // a token bucket ran empty, or lets bursts through again
}

// A FlowID names a flow from Start to Release.
type FlowID int32

// A Flow is bytes that are asked to go along a route.
type Flow struct {
	Route   []topo.LinkID // each link at most once; storage links included
	Bytes   unit.Bytes
	Weight  float64      // > 0
	Cap     unit.Rate    // unit.Unlimited: none
	Delay   unit.Seconds // latency and start-up, passed before it holds capacity
	Channel ChannelID    // 0: none, best effort
	Owner   int32        // the caller's
}

// A Network is the flows on the links of a topology. It is not safe for
// concurrent use.
type Network struct {
	list  *des.List
	kinds Kinds
	alloc *maxmin.Allocator

	flows    []flow
	routes   []int32 // stride for each flow
	stride   int
	free     []FlowID
	raw      []unit.Rate  // by link: its capacity without its shaper
	sent     []unit.Bytes // by link: of flows that are over
	onOutage OnOutage
	shapers  []shaper // by link; empty: none
	touched  []topo.LinkID
	channels channels
	solved   int // times that rates were solved
	active   int
	scratch  []int32
	hops     []int32
	links    []topo.LinkID
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
		stride: 8, raw: slices.Clone(capacity), sent: make([]unit.Bytes, len(capacity)),
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
	n.raw = append(n.raw[:0], o.raw...)
	n.onOutage = o.onOutage
	n.shapers = append(n.shapers[:0], o.shapers...)
	n.touched = n.touched[:0]
	n.channels.copyFrom(&o.channels)
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
		anchor: now, left: f.Bytes, bytes: f.Bytes, kept: f.Bytes, cap: f.Cap, weight: f.Weight,
		owner: f.Owner, channel: f.Channel, hops: int32(len(f.Route)), phase: waiting,
	}
	n.active++
	if f.Channel > 0 {
		n.channels.all[f.Channel].flows++
	}
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
	case n.kinds.Shaper:
		n.turn(topo.LinkID(e.Index))
		return 0, false
	}
	panic(fmt.Sprintf("network: at %v s: event of kind %d is not the network's", float64(e.At), e.Kind))
}

// Cancel ends a flow that is not done and returns the bytes that it sent, those
// that it sent twice included. It stays until it is released.
func (n *Network) Cancel(id FlowID) unit.Bytes {
	f := n.mustBe(id, "canceled", waiting, sending)
	if n.list.Pending(f.event) {
		n.list.Cancel(f.event)
		f.event = des.Handle{}
	}
	left := f.left
	if f.phase == sending {
		left = n.leftNow(f)
	}
	n.leave(id, left)
	return f.sent(left)
}

// Release forgets a flow that is done or canceled; its id is given out again.
func (n *Network) Release(id FlowID) {
	n.mustBe(id, "released", over, over).phase = unused
	n.free = append(n.free, id)
}

// SetCapacity changes the capacity of a link from now on; a shaper may leave less.
func (n *Network) SetCapacity(link topo.LinkID, c unit.Rate) {
	if !(c >= 0) {
		panic(fmt.Sprintf("network: at %v s: a capacity of %v", float64(n.list.Now()), float64(c)))
	}
	if c == 0 && n.raw[link] > 0 {
		n.interrupt(link)
	}
	n.raw[link] = c
	n.limit(link)
}

// limit lets a change of what a link can carry take effect.
func (n *Network) limit(link topo.LinkID) {
	if n.reserved(link) {
		n.links = append(n.links[:0], link)
		n.grant(n.links)
	} else {
		n.alloc.SetCapacity(int32(link), float64(n.Capacity(link)))
		n.update(n.alloc.Changed())
	}
	n.finish()
}

// SetCap changes the cap of a flow from now on; at 0 it stops.
func (n *Network) SetCap(id FlowID, cap unit.Rate) {
	f := n.mustBe(id, "capped", waiting, sending)
	if !(cap >= 0) {
		panic(fmt.Sprintf("network: at %v s: a cap of %v", float64(n.list.Now()), float64(cap)))
	}
	f.cap = cap
	if f.phase == sending {
		n.alloc.SetCap(int32(id), float64(cap))
		n.apply()
	}
}

// begin lets a flow hold capacity from now on.
func (n *Network) begin(id FlowID) {
	f := n.mustBe(id, "begun", waiting, waiting)
	f.phase = sending
	f.anchor = n.list.Now()
	route := n.route(id)
	if f.channel > 0 {
		route = n.shared(route, f.channel)
	}
	n.alloc.Add(int32(id), route, f.weight, float64(f.cap))
	n.apply()
}

// end makes a flow done.
func (n *Network) end(id FlowID) {
	f := n.mustBe(id, "ended", waiting, sending)
	if f.phase == sending {
		n.mustBeNothing(f, n.leftNow(f))
	}
	n.leave(id, 0)
}

// leave takes a flow of which so much is left off the network.
func (n *Network) leave(id FlowID, left unit.Bytes) {
	f := &n.flows[id]
	sent := f.sent(left)
	for _, l := range n.route(id) {
		n.sent[l] += sent
	}
	was := f.phase
	f.phase = over
	f.left = left
	f.rate = 0
	n.active--
	if f.channel > 0 {
		n.channels.all[f.channel].flows--
	}
	if was == sending {
		n.alloc.Remove(int32(id))
		if len(n.shapers) > 0 {
			n.touchRoutes([]int32{int32(id)})
		}
		n.apply()
	}
}

// checkEvery is how many solutions pass between two checks of the whole network;
// what a solution touched is checked each time. Chosen: about 1 % of the work.
const checkEvery = 2048

// apply gives the flows whose rate changed their new rate and end, and ends a
// change of the network.
func (n *Network) apply() {
	n.update(n.alloc.Changed())
	n.finish()
}

// update gives flows that are sending their rate and end, as they are now.
func (n *Network) update(ids []int32) {
	now := n.list.Now()
	for _, id := range ids {
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
	if len(n.shapers) > 0 {
		n.touchRoutes(ids)
	}
}

// finish ends a change of the network.
func (n *Network) finish() {
	n.solved++
	if len(n.touched) > 0 || n.solved%checkEvery == 0 {
		n.settleAndCheck()
	}
}

// settleAndCheck is what seldom is to do then; apart, so that finish is inlined.
func (n *Network) settleAndCheck() {
	n.settle()
	if n.solved%checkEvery > 0 {
		return
	}
	if err := n.Check(); err != nil {
		panic(err)
	}
}

func (n *Network) schedule(at unit.Time, kind uint8, id FlowID) des.Handle {
	return n.list.Schedule(des.Event{At: at, Priority: des.FlowEnd, Kind: kind, Index: int32(id)})
}
