package network

import (
	"tiersim/sim/des"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Owner returns what the caller gave as owner.
func (n *Network) Owner(id FlowID) int32 { return n.flows[id].owner }

// Rate returns the rate of a flow; 0 while it waits its delay.
func (n *Network) Rate(id FlowID) unit.Rate { return n.flows[id].rate }

// Active returns the number of flows that are neither done nor canceled.
func (n *Network) Active() int { return n.active }

// Sent returns the bytes that a flow has sent up to now, those that it sent twice
// included.
func (n *Network) Sent(id FlowID) unit.Bytes {
	f := &n.flows[id]
	if f.phase != sending {
		return f.sent(f.left)
	}
	return f.sent(n.leftNow(f))
}

// Expected returns when a flow will be done if all stays as it is: Forever where
// it gets nothing. While a flow waits its delay, it is taken to get then what
// one more flow would get now.
func (n *Network) Expected(id FlowID) unit.Time {
	f := n.mustBe(id, "expected", waiting, sending)
	if !n.list.Pending(f.event) {
		return unit.Forever()
	}
	at := n.list.At(f.event)
	if f.phase == sending || f.bytes == 0 {
		return at
	}
	rate := unit.Rate(n.alloc.ShareOfOneMore(n.shared(n.route(id), f.channel), f.weight, float64(f.cap)))
	return at.Add(f.bytes.Over(rate))
}

// ShareOfOneMore returns the rate that one more flow would get now as best effort,
// all others yielding as they would. It is exact, and nothing changes.
func (n *Network) ShareOfOneMore(route []topo.LinkID, weight float64, cap unit.Rate) unit.Rate {
	return n.ShareInChannel(0, route, weight, cap)
}

// ShareInChannel returns what it would get in a channel.
func (n *Network) ShareInChannel(id ChannelID, route []topo.LinkID, weight float64, cap unit.Rate) unit.Rate {
	n.scratch = n.scratch[:0]
	for _, l := range route {
		n.scratch = append(n.scratch, int32(l))
	}
	return unit.Rate(n.alloc.ShareOfOneMore(n.shared(n.scratch, id), weight, float64(cap)))
}

// Capacity returns what a link can carry now: its capacity, or what its shaper
// lets through. Channels included.
func (n *Network) Capacity(link topo.LinkID) unit.Rate {
	c := n.raw[link]
	if len(n.shapers) > 0 && n.shapers[link].Size > 0 {
		c = min(c, n.shapers[link].most())
	}
	return c
}

// Load returns what a link carries now.
func (n *Network) Load(link topo.LinkID) unit.Rate {
	sum := unit.Rate(n.alloc.Load(int32(link)))
	if n.reserved(link) {
		n.scratch = n.appendInChannels(n.scratch[:0], link)
		for _, id := range n.scratch {
			sum += n.flows[id].rate
		}
	}
	return sum
}

// Carried returns the bytes that a link has carried up to now: of flows that are
// over, and what those on it have sent, those that were sent twice included.
func (n *Network) Carried(link topo.LinkID) unit.Bytes {
	sum := n.sent[link]
	n.scratch = n.appendFlows(n.scratch[:0], link)
	for _, id := range n.scratch {
		sum += n.Sent(FlowID(id))
	}
	return sum
}

// Moves reports whether anything is on its way: a flow has a rate, or waits its
// delay. It takes time that grows with flows.
func (n *Network) Moves() bool {
	for i := range n.flows {
		if n.flows[i].event != (des.Handle{}) {
			return true
		}
	}
	return false
}

// Flows returns the number of flows that hold capacity of a link now.
func (n *Network) Flows(link topo.LinkID) int {
	n.scratch = n.appendFlows(n.scratch[:0], link)
	return len(n.scratch)
}

// AppendFlows appends the flows that hold capacity of a link now, in no order that
// means something.
func (n *Network) AppendFlows(dst []FlowID, link topo.LinkID) []FlowID {
	n.scratch = n.appendFlows(n.scratch[:0], link)
	for _, id := range n.scratch {
		dst = append(dst, FlowID(id))
	}
	return dst
}

func (n *Network) appendFlows(dst []int32, link topo.LinkID) []int32 {
	dst = n.alloc.AppendFlows(dst, int32(link))
	if n.reserved(link) {
		dst = n.appendInChannels(dst, link)
	}
	return dst
}
