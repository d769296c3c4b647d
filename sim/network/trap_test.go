package network_test

import (
	"math"
	"slices"
	"testing"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// TestMillionFlows says that flows of every size end, a billionth of a byte and
// none included, late on the clock, where an instant is rounded to a nanosecond,
// with links that close and open; and that none ends before it starts.
func TestMillionFlows(t *testing.T) {
	flows := int32(1_000_000)
	if testing.Short() {
		flows = 50_000
	}
	w := eight(t)
	s := rng.New(7, 0).Stream("million")
	l := new(des.List)
	n := network.New(capacities(w), l, kinds)
	ts := draw(w, 1000, 1) // for their routes
	started := make([]unit.Time, flows)
	l.Schedule(des.Event{At: 1e7, Priority: des.Arrival, Kind: kindArrival})
	l.Schedule(des.Event{At: 1e7, Priority: des.CapacityChange, Kind: kindCapacity, Index: int32(len(w.Links) - 1)})
	ended, events := int32(0), 0
	for ended < flows {
		before := l.Now()
		e, ok := l.Next()
		if !ok || l.Now() < before {
			t.Fatalf("after %v s, %d flows ended: next event at %v s, %v", float64(before), ended, float64(l.Now()), ok)
		}
		switch e.Kind {
		case kindArrival:
			f := flow(0, 0, ts[s.Uint64()%uint64(len(ts))].route...)
			if s.Uint64()%10 > 0 {
				f.Bytes = unit.Bytes(math.Round(1e12*s.Float64()*math.Exp(-45*s.Float64())*1e9) / 1e9)
			}
			f.Delay = unit.Seconds(s.Uint64()%2) * 0.015
			f.Owner = e.Index
			n.Start(f.Flow)
			started[e.Index] = l.Now()
			if e.Index+1 < flows {
				l.Schedule(des.Event{At: l.Now() + unit.Time(0.2*s.Exp()), Priority: des.Arrival, Kind: kindArrival, Index: e.Index + 1})
			}
		case kindCapacity: // a hub link closes, or opens and another is next
			link, next := topo.LinkID(e.Index), e
			if n.Capacity(link) > 0 {
				n.SetCapacity(link, 0)
				next.At += 5
			} else {
				n.SetCapacity(link, w.Links[link].Capacity)
				next.At += 60
				next.Index--
				if w.Links[next.Index].Tier != topo.HubTier {
					next.Index = int32(len(w.Links) - 1)
				}
			}
			l.Schedule(next)
		default:
			if id, done := n.Handle(e); done {
				if l.Now() < started[n.Owner(id)] {
					t.Fatalf("flow %d ends before it starts", n.Owner(id))
				}
				n.Release(id)
				ended++
			}
		}
		if events++; events%10000 == 0 {
			if err := n.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n.Active() != 0 {
		t.Errorf("%d flows are active at the end", n.Active())
	}
}

// TestIdlePlaces says that links which nothing crosses change nothing.
func TestIdlePlaces(t *testing.T) {
	w := eight(t)
	ts := draw(w, 2000, 2.2)
	c := capacities(w)
	want := play(c, ts)
	if got := play(append(slices.Clone(c), 1e3, 0, unit.Unlimited()), ts); !slices.Equal(got, want) {
		t.Error("idle links changed finish times")
	}
}

// TestSteadyState says that nothing is allocated once the network has been as
// full as it gets.
func TestSteadyState(t *testing.T) {
	w := eight(t)
	ts := draw(w, 500, 2)
	l := new(des.List)
	n := network.New(capacities(w), l, kinds)
	i := 0
	step := func() {
		x := ts[i%len(ts)]
		i++
		n.ShareOfOneMore(x.route, 1, unit.Unlimited())
		n.Start(network.Flow{Route: x.route, Bytes: x.bytes, Weight: 1, Cap: unit.Unlimited()})
		n.SetCapacity(x.route[0], w.Links[x.route[0]].Capacity*unit.Rate(1+i%2))
		for n.Active() > 50 {
			e, _ := l.Next()
			if id, done := n.Handle(e); done {
				n.Carried(x.route[0])
				n.Release(id)
			}
		}
	}
	for range 20 * len(ts) {
		step()
	}
	if got := testing.AllocsPerRun(len(ts), step); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// TestSteadyChannels says the same of channels, buckets and outages.
func TestSteadyChannels(t *testing.T) {
	w := eight(t)
	ts := draw(w, 500, 2)
	l := new(des.List)
	n := network.New(capacities(w), l, kinds)
	n.SetOnOutage(network.OnOutage{Kind: network.ToChunk, Chunk: gb})
	for i, link := range w.Links {
		if i%3 == 0 {
			n.Shape(topo.LinkID(i), network.Shaper{Burst: link.Capacity, Refill: link.Capacity / 4, Size: gb})
		}
	}
	var open []network.ChannelID
	i := 0
	step := func() {
		x := ts[i%len(ts)]
		i++
		id := n.Open(x.route, unit.Rate(1+i%3)*gbit)
		if open = append(open, id); len(open) > 30 {
			n.Close(open[0])
			n.ReleaseChannel(open[0])
			open = append(open[:0], open[1:]...)
		}
		f := network.Flow{Route: x.route, Bytes: x.bytes / 100, Weight: 1, Cap: unit.Unlimited(), Channel: open[i%len(open)]}
		n.SetCap(n.Start(f), 10*gbit)
		n.SetCapacity(x.route[0], 0)
		n.SetCapacity(x.route[0], w.Links[x.route[0]].Capacity)
		for n.Active() > 50 {
			e, _ := l.Next()
			if id, done := n.Handle(e); done {
				n.Carried(x.route[0])
				n.Release(id)
			}
		}
	}
	for range 20 * len(ts) {
		step()
	}
	if got := testing.AllocsPerRun(len(ts), step); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// TestExpected compares what is expected with what happens where nothing comes
// between.
func TestExpected(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10, 0}, l, kinds)
	n.Start(flow(0, 1e9, 0).Flow)
	a := n.Start(flow(0, 50, 0).with(1, unit.Unlimited(), 2).Flow)
	if got := n.Expected(a); got != 12 { // 2 s of delay, then 50 bytes at 5
		t.Errorf("expected at %v s, want 12", float64(got))
	}
	closed := n.Start(flow(0, 1, 1).Flow)
	if got := n.Expected(closed); got != unit.Forever() {
		t.Errorf("expected at %v s, want never", float64(got))
	}
	for e, ok := l.Next(); ok; e, ok = l.Next() {
		if id, done := n.Handle(e); done {
			if id != a || l.Now() != 12 {
				t.Errorf("flow %d done at %v s", id, float64(l.Now()))
			}
			return
		}
		if got := n.Expected(a); got != 12 {
			t.Errorf("at %v s expected at %v s, want 12", float64(l.Now()), float64(got))
		}
	}
}

func TestBrokenPromises(t *testing.T) {
	for name, f := range map[string]func(*network.Network, *des.List, network.FlowID){
		"canceled twice": func(n *network.Network, _ *des.List, id network.FlowID) { n.Cancel(id); n.Cancel(id) },
		"released alive": func(n *network.Network, _ *des.List, id network.FlowID) { n.Release(id) },
		"released twice": func(n *network.Network, _ *des.List, id network.FlowID) { n.Cancel(id); n.Release(id); n.Release(id) },
		"not its event":  func(n *network.Network, _ *des.List, id network.FlowID) { n.Handle(des.Event{Kind: kindArrival}) },
		"ended too early": func(n *network.Network, _ *des.List, id network.FlowID) {
			n.Handle(des.Event{Kind: kindEnd, Index: int32(id)})
		},
		"a link twice":   func(n *network.Network, _ *des.List, _ network.FlowID) { n.Start(flow(0, 1, 0, 0).Flow) },
		"no weight":      func(n *network.Network, _ *des.List, _ network.FlowID) { n.Start(flow(0, 1, 0).with(0, 1, 0).Flow) },
		"a cap of 0":     func(n *network.Network, _ *des.List, _ network.FlowID) { n.Start(flow(0, 1, 0).with(1, 0, 0).Flow) },
		"negative delay": func(n *network.Network, _ *des.List, _ network.FlowID) { n.Start(flow(0, 1, 0).with(1, 1, -1).Flow) },
		"negative bytes": func(n *network.Network, _ *des.List, _ network.FlowID) { n.Start(flow(0, -1, 0).Flow) },
		"NaN bytes": func(n *network.Network, _ *des.List, _ network.FlowID) {
			n.Start(flow(0, unit.Bytes(math.NaN()), 0).Flow)
		},
		"negative capacity": func(n *network.Network, _ *des.List, _ network.FlowID) { n.SetCapacity(0, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			l := new(des.List)
			n := network.New([]unit.Rate{10}, l, kinds)
			id := n.Start(flow(0, 100, 0).Flow)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(n, l, id)
		})
	}
}
