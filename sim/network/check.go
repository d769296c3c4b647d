package network

import (
	"fmt"
	"math"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Check verifies everything that must hold of the network now: no link carries
// more than its capacity, channels and best effort together; every flow is at its
// cap or has a full link, or channel, on which no flow has a larger share for its
// weight; every flow ends when it should, and every token bucket turns. It takes
// time that grows with flows and links: call it now and then.
func (n *Network) Check() error {
	err := n.alloc.Check()
	if err == nil {
		err = n.checkFlows()
	}
	for l := 0; err == nil && l < len(n.raw); l++ {
		err = n.checkLink(topo.LinkID(l))
	}
	for id := 1; err == nil && id < len(n.channels.all); id++ {
		err = n.checkChannel(ChannelID(id))
	}
	if err != nil {
		return fmt.Errorf("network: at %v s: %w", float64(n.list.Now()), err)
	}
	return nil
}

func (n *Network) checkFlows() error {
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
		if f.rate != rate || f.left < 0 || f.left > f.kept || f.kept > f.bytes || ends != n.list.Pending(f.event) {
			return fmt.Errorf("flow %d has rate %v, not %v, %v of %v bytes left, event pending: %v",
				i, float64(f.rate), float64(rate), float64(f.left), float64(f.bytes), n.list.Pending(f.event))
		}
	}
	if active != n.active {
		return fmt.Errorf("%d flows are active, not %d", active, n.active)
	}
	return nil
}

// checkLink verifies that a link carries what it can, that best effort has what
// channels leave of it, and that its bucket knows its load.
func (n *Network) checkLink(l topo.LinkID) error {
	c, left := n.Capacity(l), n.Capacity(l)
	shaped, reserved := len(n.shapers) > 0 && n.shapers[l].Size > 0, n.reserved(l)
	if reserved {
		left = n.bestEffort(l)
	}
	if got := n.alloc.Capacity(int32(l)); got != float64(left) {
		return fmt.Errorf("link %d of %v leaves %v to best effort, not %v", l, float64(c), got, float64(left))
	}
	if !shaped && !reserved {
		return nil // the allocator has checked the load
	}
	load := n.Load(l)
	if float64(load) > float64(c)*(1+2*tolerance) {
		return fmt.Errorf("link %d carries %v of %v", l, float64(load), float64(c))
	}
	if !shaped {
		return nil
	}
	s := &n.shapers[l]
	held, turns, pending := s.held(n.list.Now()), s.turns(), n.list.Pending(s.event)
	knows := s.load == load || math.Abs(float64(s.load-load)) <= 2*tolerance*float64(load)
	if held > s.Size || s.touched || !knows || pending != (turns < unit.Forever()) || pending && n.list.At(s.event) != turns {
		return fmt.Errorf("the bucket of link %d holds %v of %v, believes in a load of %v, not %v, and turns at %v s, pending: %v",
			l, float64(held), float64(s.Size), float64(s.load), float64(load), float64(turns), pending)
	}
	return nil
}

// checkChannel verifies that a channel has its part of what its links have.
func (n *Network) checkChannel(id ChannelID) error {
	x := &n.channels.all[id]
	if !x.open {
		return nil
	}
	part, flows := 1.0, int32(0)
	for _, l := range x.route {
		part = min(part, n.shareOf(l))
	}
	for i := range n.flows {
		if f := &n.flows[i]; f.channel == id && (f.phase == waiting || f.phase == sending) {
			flows++
		}
	}
	if granted := unit.Rate(float64(x.rate) * part); x.granted != granted || n.alloc.Capacity(x.own) != float64(granted) || flows != x.flows {
		return fmt.Errorf("channel %d is granted %v of %v, not %v, and has %d flows, not %d", id, float64(x.granted), float64(x.rate), float64(granted), x.flows, flows)
	}
	return nil
}
