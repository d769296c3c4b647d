package network

import (
	"fmt"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Owner returns what the caller gave as owner.
func (n *Network) Owner(id FlowID) int32 { return n.flows[id].owner }

// Rate returns the rate of a flow; 0 while it waits its delay.
func (n *Network) Rate(id FlowID) unit.Rate { return n.flows[id].rate }

// Active returns the number of flows that are neither done nor canceled.
func (n *Network) Active() int { return n.active }

// Sent returns the bytes that a flow has sent up to now.
func (n *Network) Sent(id FlowID) unit.Bytes {
	f := &n.flows[id]
	if f.phase != sending {
		return f.bytes - f.left
	}
	return f.bytes - n.leftNow(f)
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
	rate := unit.Rate(n.alloc.ShareOfOneMore(n.route(id), f.weight, float64(f.cap)))
	return at.Add(f.bytes.Over(rate))
}

// ShareOfOneMore returns the rate that one more flow would get now, all others
// yielding as they would. It is exact, and nothing changes.
func (n *Network) ShareOfOneMore(route []topo.LinkID, weight float64, cap unit.Rate) unit.Rate {
	n.scratch = n.scratch[:0]
	for _, l := range route {
		n.scratch = append(n.scratch, int32(l))
	}
	return unit.Rate(n.alloc.ShareOfOneMore(n.scratch, weight, float64(cap)))
}

// Capacity returns the capacity of a link now.
func (n *Network) Capacity(link topo.LinkID) unit.Rate {
	return unit.Rate(n.alloc.Capacity(int32(link)))
}

// Load returns what a link carries now.
func (n *Network) Load(link topo.LinkID) unit.Rate { return unit.Rate(n.alloc.Load(int32(link))) }

// Carried returns the bytes that a link has carried up to now: of flows that are
// over, and what those on it have sent.
func (n *Network) Carried(link topo.LinkID) unit.Bytes {
	sum := n.sent[link]
	n.scratch = n.alloc.AppendFlows(n.scratch[:0], int32(link))
	for _, id := range n.scratch {
		sum += n.Sent(FlowID(id))
	}
	return sum
}

// Check verifies everything that must hold of the network now: no link carries
// more than its capacity, every flow is at its cap or has a full link on which
// no flow has a larger share for its weight, and every flow ends when it should.
// It takes time that grows with flows and links: call it now and then.
func (n *Network) Check() error {
	if err := n.alloc.Check(); err != nil {
		return fmt.Errorf("at %v s: %w", float64(n.list.Now()), err)
	}
	active := 0
	for i := range n.flows {
		f := &n.flows[i]
		if f.phase != waiting && f.phase != sending {
			continue
		}
		active++
		rate := unit.Rate(0)
		if f.phase == sending {
			rate = unit.Rate(n.alloc.Rate(int32(i)))
		}
		ends := f.phase == waiting || f.rate > 0 || f.left == 0
		if f.rate != rate || f.left < 0 || f.left > f.bytes || ends != n.list.Pending(f.event) {
			return fmt.Errorf("network: at %v s: flow %d has rate %v, not %v, %v of %v bytes left, event pending: %v", float64(n.list.Now()),
				i, float64(f.rate), float64(rate), float64(f.left), float64(f.bytes), n.list.Pending(f.event))
		}
	}
	if active != n.active {
		return fmt.Errorf("network: at %v s: %d flows are active, not %d", float64(n.list.Now()), active, n.active)
	}
	return nil
}

// Flows returns the number of flows that hold capacity of a link now.
func (n *Network) Flows(link topo.LinkID) int {
	n.scratch = n.alloc.AppendFlows(n.scratch[:0], int32(link))
	return len(n.scratch)
}
