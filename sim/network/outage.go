package network

import (
	"fmt"
	"math"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// An OnOutage says what a flow that is sending keeps of what it has sent when the
// capacity of a link of its route falls to 0. What it does not keep it sends
// again: the link bytes count both times.
type OnOutage struct {
	Kind  OutageKind
	Chunk unit.Bytes // of ToChunk: > 0, counted from the flow's first byte
}

// An OutageKind is a rule of what is kept.
type OutageKind uint8

const (
	Resume  OutageKind = iota // every byte
	ToChunk                   // whole chunks
	Restart                   // nothing
)

// SetOnOutage says what happens from now on when a capacity falls to 0; at first
// it is Resume.
func (n *Network) SetOnOutage(o OnOutage) {
	if o.Kind > Restart || o.Kind == ToChunk && !(o.Chunk > 0) {
		panic(fmt.Sprintf("network: at %v s: on outage %d with chunks of %v bytes", float64(n.list.Now()), o.Kind, float64(o.Chunk)))
	}
	n.onOutage = o
}

// Again returns the bytes that a flow has lost to outages up to now: it has sent
// them, and sends them twice.
func (n *Network) Again(id FlowID) unit.Bytes { return n.flows[id].again }

// interrupt takes from the flows that are sending on a link what they do not keep.
// Its capacity must be set to 0 next, which takes back the events of their ends.
func (n *Network) interrupt(link topo.LinkID) {
	if n.onOutage.Kind == Resume {
		return
	}
	n.scratch = n.appendFlows(n.scratch[:0], link)
	for _, id := range n.scratch {
		f := &n.flows[id]
		left := n.leftNow(f)
		if left == 0 {
			continue // it has sent all; only its event is still to fire
		}
		f.anchor, f.left = n.list.Now(), n.onOutage.left(f, left)
		f.kept = f.left
		f.again += f.left - left
	}
}

// left returns what a flow has to send after an outage, where left was left before
// it. Chunks are counted from what was left after the outage before: so none is
// lost to rounding, however many outages there are.
func (o OnOutage) left(f *flow, left unit.Bytes) unit.Bytes {
	if o.Kind == Restart {
		return f.bytes
	}
	chunks := math.Floor(float64(f.kept-left) / float64(o.Chunk))
	return max(left, f.kept-unit.Bytes(chunks*float64(o.Chunk)))
}
