package network_test

import (
	"testing"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// closes plays one flow of 1 TB on a line of 10 Gbit/s that is closed in windows,
// and returns the network when it is done.
func closes(t *testing.T, o network.OnOutage, f network.Flow, windows ...float64) (unit.Time, *network.Network, network.FlowID) {
	t.Helper()
	l := new(des.List)
	n := network.New([]unit.Rate{10 * gbit, 10 * gbit}, l, kinds)
	n.SetOnOutage(o)
	for i, at := range windows {
		l.Schedule(des.Event{At: unit.Time(at), Priority: des.CapacityChange, Kind: kindCapacity, Index: int32(i)})
	}
	id := n.Start(f)
	for e, ok := l.Next(); ok; e, ok = l.Next() {
		if e.Kind == kindCapacity {
			n.SetCapacity(0, unit.Rate(e.Index%2)*10*gbit) // even: closes
		} else if _, done := n.Handle(e); done {
			return l.Now(), n, id
		}
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the flow never ends")
	return 0, nil, 0
}

// TestOutages says what an outage of [200 s, 500 s) costs, and several. At 200 s
// 2000 of 8000 Gbit are sent, which is 3 whole chunks of 512 Gbit and 464 more.
func TestOutages(t *testing.T) {
	line := flow(0, tb, 0).Flow
	twice := flow(0, tb, 0, 1).Flow
	for _, c := range []struct {
		name    string
		rule    network.OnOutage
		flow    network.Flow
		windows []float64
		done    unit.Time
		again   unit.Bytes
	}{
		{"N12 resume", network.OnOutage{}, line, []float64{200, 500}, 1100, 0},
		{"N12 64 GB chunks", network.OnOutage{Kind: network.ToChunk, Chunk: 64 * gb}, line, []float64{200, 500}, 1146.4, 58 * gb},
		{"N12 restart", network.OnOutage{Kind: network.Restart}, line, []float64{200, 500}, 1300, 250 * gb},
		{"two links, restart", network.OnOutage{Kind: network.Restart}, twice, []float64{200, 500}, 1300, 250 * gb},
		// In the 100 s between: 0.8 s of chunk 4 ends at 546.4, 53.6 s are 67 GB: one
		// more chunk and 3 GB.
		{"chunks, two outages", network.OnOutage{Kind: network.ToChunk, Chunk: 64 * gb}, line, []float64{200, 500, 600, 700}, 1295.2, 119 * gb},
		{"restart, two outages", network.OnOutage{Kind: network.Restart}, line, []float64{200, 500, 600, 700}, 1500, 375 * gb},
		{"an outage after nothing was sent", network.OnOutage{Kind: network.Restart}, line, []float64{0, 100}, 900, 0},
		{"a chunk larger than the flow", network.OnOutage{Kind: network.ToChunk, Chunk: 2 * tb}, line, []float64{200, 500}, 1300, 250 * gb},
		// 250 GB are 250 chunks: none is lost, however often it is closed. Of a chunk
		// of ⅓ GB no count is exact, and none is lost either.
		{"whole chunks", network.OnOutage{Kind: network.ToChunk, Chunk: gb}, line, []float64{200, 500, 600, 700}, 1200, 0},
		{"while it waits its delay", network.OnOutage{Kind: network.Restart}, flow(0, tb, 0).with(1, unit.Unlimited(), 300).Flow, []float64{200, 250}, 1100, 0},
		{"all sent when it closes", network.OnOutage{Kind: network.Restart}, line, []float64{800, 900}, 800, 0},
		{"the other link closes", network.OnOutage{Kind: network.Restart}, flow(0, tb, 1).Flow, []float64{200, 500}, 800, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			done, n, id := closes(t, c.rule, c.flow, c.windows...)
			if !near(float64(done), float64(c.done)) || !near(float64(n.Again(id)), float64(c.again)) {
				t.Errorf("done at %v s after %v bytes again, want %v s and %v", float64(done), float64(n.Again(id)), float64(c.done), float64(c.again))
			}
			sent := c.flow.Bytes + c.again
			if got := n.Sent(id); !near(float64(got), float64(sent)) {
				t.Errorf("sent %v bytes, want %v", float64(got), float64(sent))
			}
			for _, l := range c.flow.Route {
				if got := n.Carried(l); !near(float64(got), float64(sent)) {
					t.Errorf("link %d carried %v bytes, want %v", l, float64(got), float64(sent))
				}
			}
		})
	}
}

// TestChunksStay says that what an outage kept, the next keeps: closing a link
// again before anything was sent loses nothing, whatever the chunk.
func TestChunksStay(t *testing.T) {
	for _, chunk := range []unit.Bytes{gb / 3, gb / 7, 1.1 * gb, 64e6} {
		l := new(des.List)
		n := network.New([]unit.Rate{10 * gbit}, l, kinds)
		n.SetOnOutage(network.OnOutage{Kind: network.ToChunk, Chunk: chunk})
		id := n.Start(flow(0, tb, 0).Flow)
		l.Schedule(des.Event{At: 123, Kind: kindCapacity})
		l.Next()
		n.SetCapacity(0, 0)
		lost := n.Again(id)
		if lost < 0 || lost >= chunk {
			t.Errorf("lost %v bytes of a chunk of %v", float64(lost), float64(chunk))
		}
		for range 1000 {
			n.SetCapacity(0, gbit)
			n.SetCapacity(0, 0)
		}
		if got := n.Again(id); got != lost {
			t.Errorf("lost %v bytes, then %v", float64(lost), float64(got))
		}
	}
}

// A copy has the rule of what it is a copy of.
func TestCopyHasOnOutage(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10}, l, kinds)
	n.SetOnOutage(network.OnOutage{Kind: network.Restart})
	id := n.Start(flow(0, 100, 0).Flow)
	until(t, n, l, 4)
	n, _ = copyOf(n, l)
	n.SetCapacity(0, 0)
	if got := n.Again(id); got != 40 {
		t.Errorf("%v bytes again, want 40", float64(got))
	}
}

// What nothing limits is sent at once: what closes at that instant comes too late.
func TestSentAtOnce(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{unit.Unlimited()}, l, kinds)
	n.SetOnOutage(network.OnOutage{Kind: network.Restart})
	id := n.Start(flow(0, tb, 0).Flow)
	n.SetCapacity(0, 0)
	e, _ := l.Next()
	if _, done := n.Handle(e); !done || n.Again(id) != 0 || n.Carried(0) != tb {
		t.Errorf("done: %v, %v bytes again, carried %v", done, float64(n.Again(id)), float64(n.Carried(0)))
	}
}

// A flow that is canceled after an outage has sent what it sent before it too.
func TestCancelAfterOutage(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10}, l, kinds)
	n.SetOnOutage(network.OnOutage{Kind: network.Restart})
	id := n.Start(flow(0, 1000, 0).Flow)
	for at, c := range []unit.Rate{10, 0, 10, 10} { // closed for [1 s, 2 s)
		l.Schedule(des.Event{At: unit.Time(at), Priority: des.CapacityChange, Kind: kindCapacity})
		l.Next()
		n.SetCapacity(0, c)
	}
	if got := n.Cancel(id); got != 20 || n.Sent(id) != 20 || n.Again(id) != 10 || n.Carried(0) != 20 {
		t.Errorf("sent %v, %v, %v again, carried %v; want 20, 20, 10, 20", float64(got), float64(n.Sent(id)), float64(n.Again(id)), float64(n.Carried(0)))
	}
}

// SetCap stops a flow and lets it go on; Moves tells when nothing does.
func TestSetCapAndMoves(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10}, l, kinds)
	if n.Moves() {
		t.Error("something moves in an empty network")
	}
	a := n.Start(flow(0, 100, 0).Flow)
	b := n.Start(flow(0, 50, 0).with(1, unit.Unlimited(), 4).Flow)
	n.SetCap(a, 0)
	n.SetCap(b, 5)
	if n.Rate(a) != 0 || !n.Moves() { // b waits its delay
		t.Errorf("a flow capped at 0 has rate %v; moves: %v", float64(n.Rate(a)), n.Moves())
	}
	l.Schedule(des.Event{At: 1, Kind: kindCapacity})
	l.Next()
	n.SetCap(a, 2) // until b comes 3 s later: 6 bytes
	e, _ := l.Next()
	n.Handle(e)
	n.SetCap(a, unit.Unlimited()) // a and b get 5 each: b is done 10 s later, a has sent 56
	if got := n.AppendFlows(nil, 0); len(got) != 2 || n.Flows(0) != 2 {
		t.Errorf("flows %v on the link, want two", got)
	}
	for e, ok := l.Next(); ok; e, ok = l.Next() {
		if id, done := n.Handle(e); done {
			if want := map[network.FlowID]unit.Time{b: 14, a: 18.4}[id]; l.Now() != want { // 44 at 10
				t.Errorf("flow %d done at %v s, want %v", id, float64(l.Now()), float64(want))
			}
		}
	}
	c := n.Start(flow(0, 100, 0).Flow)
	n.SetCapacity(topo.LinkID(0), 0)
	if n.Moves() || n.Rate(c) != 0 {
		t.Error("something moves on a closed link")
	}
}
