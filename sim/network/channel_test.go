package network_test

import (
	"testing"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

func route(links ...topo.LinkID) []topo.LinkID { return links }

// N15: 250 GB are 2000 Gbit: 1000 in the first 100 s, 400 at 4 Gbit/s beside a
// reservation of 6, and 600 in 60 s after it.
func TestBestEffortBesideChannel(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10 * gbit}, l, kinds)
	n.Start(flow(0, 250*gb, 0).Flow)
	until(t, n, l, 100)
	id := n.Open(route(0), 6*gbit)
	until(t, n, l, 200)
	n.Close(id)
	e, _ := l.Next()
	if _, done := n.Handle(e); !done || !near(float64(l.Now()), 260) {
		t.Errorf("done at %v s: %v, want 260", float64(l.Now()), done)
	}
	if got := n.Honoured(id); got != 1 {
		t.Errorf("honoured %v", got)
	}
}

// TestChannelRates has who gets what of two links of 10 and 8.
func TestChannelRates(t *testing.T) {
	type in struct {
		channel int // from 1; 0 best effort
		timed
	}
	type reservation struct {
		route []topo.LinkID
		rate  unit.Rate
	}
	for _, c := range []struct {
		name     string
		channels []reservation
		flows    []in
		want     []unit.Rate
		load     unit.Rate // of link 0
	}{
		{"channel first, the rest to best effort", []reservation{{route(0), 6}},
			[]in{{1, flow(0, tb, 0)}, {0, flow(0, tb, 0)}}, []unit.Rate{6, 4}, 10},
		{"what a channel does not use is withheld", []reservation{{route(0), 6}},
			[]in{{1, flow(0, tb, 0).with(1, 2, 0)}, {0, flow(0, tb, 0)}}, []unit.Rate{2, 4}, 6},
		{"flows in a channel share it by weight", []reservation{{route(0, 1), 6}},
			[]in{{1, flow(0, tb, 0, 1).with(2, unit.Unlimited(), 0)}, {1, flow(0, tb, 0, 1)}, {0, flow(0, tb, 1)}}, []unit.Rate{4, 2, 2}, 6},
		{"a link that the channel does not cover is shared", []reservation{{route(0), 6}},
			[]in{{1, flow(0, tb, 0, 1)}, {0, flow(0, tb, 1)}}, []unit.Rate{4, 4}, 4},
		{"a flow on a part of the channel", []reservation{{route(0, 1), 6}},
			[]in{{1, flow(0, tb, 1)}, {0, flow(0, tb, 0)}}, []unit.Rate{6, 4}, 4},
		// Link 1 has 8 of 16: half of each. Of link 0, 4 is reserved then.
		{"too much is reserved: pro rata", []reservation{{route(0, 1), 8}, {route(1), 8}},
			[]in{{1, flow(0, tb, 0, 1)}, {2, flow(0, tb, 1)}, {0, flow(0, tb, 1)}, {0, flow(0, tb, 0)}}, []unit.Rate{4, 4, 0, 6}, 10},
		{"a channel of rate 0", []reservation{{route(0), 0}},
			[]in{{1, flow(0, tb, 0)}, {0, flow(0, tb, 0)}}, []unit.Rate{0, 10}, 10},
		{"a channel that covers nothing", []reservation{{nil, 3}},
			[]in{{1, flow(0, tb, 0)}, {0, flow(0, tb, 0)}}, []unit.Rate{3, 7}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := new(des.List)
			n := network.New([]unit.Rate{10, 8}, l, kinds)
			var ids []network.ChannelID
			for _, r := range c.channels {
				ids = append(ids, n.Open(r.route, r.rate))
			}
			for i, f := range c.flows {
				if f.channel > 0 {
					f.Channel = ids[f.channel-1]
				}
				share := n.ShareInChannel(f.Channel, f.Route, f.Weight, f.Cap)
				if id := n.Start(f.Flow); n.Rate(id) != share {
					t.Errorf("flow %d gets %v, was promised %v", i, float64(n.Rate(id)), float64(share))
				}
			}
			for i, want := range c.want {
				if got := n.Rate(network.FlowID(i)); got != want {
					t.Errorf("flow %d: rate %v, want %v", i, float64(got), float64(want))
				}
			}
			if got := n.Load(0); got != c.load {
				t.Errorf("link 0 carries %v, want %v", float64(got), float64(c.load))
			}
			if err := n.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A link without a limit grants all and has no less for best effort.
func TestChannelOnUnlimitedLink(t *testing.T) {
	n := network.New([]unit.Rate{unit.Unlimited(), 10}, new(des.List), kinds)
	id := n.Open(route(0, 1), 6)
	a := n.Start(flow(0, tb, 0).with(1, 100, 0).Flow)
	b := n.Start(flow(0, tb, 0, 1).Flow)
	if n.Granted(id) != 6 || n.Rate(a) != 100 || n.Rate(b) != 4 {
		t.Errorf("granted %v, rates %v and %v, want 6, 100 and 4", float64(n.Granted(id)), float64(n.Rate(a)), float64(n.Rate(b)))
	}
	if err := n.Check(); err != nil {
		t.Error(err)
	}
}

// TestHonoured has a channel of 8 on a link of 10 that falls to 6 and to 0: of 8,
// 8, 6 and 0 bytes/s for 10 s each, then of 4 at 10.
func TestHonoured(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10}, l, kinds)
	n.SetOnOutage(network.OnOutage{Kind: network.Restart})
	id := n.Open(route(0), 8)
	a := n.Start(network.Flow{Route: route(0), Bytes: 1e6, Weight: 1, Cap: unit.Unlimited(), Channel: id})
	b := n.Start(flow(0, 1e6, 0).Flow)
	for i, c := range []unit.Rate{10, 10, 6, 0} {
		until(t, n, l, unit.Time(10*i))
		n.SetCapacity(0, c)
	}
	until(t, n, l, 40)
	if got := n.Honoured(id); got != 220.0/320 {
		t.Errorf("honoured %v, want 220/320", got)
	}
	if n.Again(a) != 220 || n.Again(b) != 40 || n.Granted(id) != 0 || n.Flows(0) != 2 {
		t.Errorf("%v and %v bytes again, granted %v, %d flows; want 220, 40, 0, 2", float64(n.Again(a)), float64(n.Again(b)), float64(n.Granted(id)), n.Flows(0))
	}
	n.SetCapacity(0, 10)
	n.SetChannelRate(id, 4)
	until(t, n, l, 50)
	if got := n.Honoured(id); got != 260.0/360 || n.Rate(a) != 4 || n.Rate(b) != 6 {
		t.Errorf("honoured %v, rates %v and %v, want 260/360, 4 and 6", got, float64(n.Rate(a)), float64(n.Rate(b)))
	}
	n.Close(id) // a goes on as best effort
	if n.Rate(a) != 5 || n.Rate(b) != 5 || n.Honoured(id) != 260.0/360 {
		t.Errorf("rates %v and %v, want 5 and 5", float64(n.Rate(a)), float64(n.Rate(b)))
	}
	if got := n.Carried(0); got != 220+40+40+60 {
		t.Errorf("the link has carried %v bytes, want 360", float64(got))
	}
	n.ReleaseChannel(id)
	if again := n.Open(route(0), 1); again != id || n.Honoured(again) != 1 {
		t.Errorf("channel %d is honoured %v, want %d and 1", again, n.Honoured(again), id)
	}
}

// When a channel closes and the others take all that there is, its flows stop.
func TestCloseLeavesNothing(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10}, l, kinds)
	id := n.Open(route(0), 5)
	other := n.Open(route(0), 10)
	a := n.Start(network.Flow{Route: route(0), Bytes: 100, Weight: 1, Cap: unit.Unlimited(), Channel: id})
	if !near(float64(n.Rate(a)), 5*10/15.0) {
		t.Errorf("rate %v, want 5·10/15", float64(n.Rate(a)))
	}
	n.Close(id)
	if n.Rate(a) != 0 || n.Moves() || n.Granted(other) != 10 || n.Expected(a) != unit.Forever() {
		t.Errorf("rate %v, moves: %v, the other channel has %v", float64(n.Rate(a)), n.Moves(), float64(n.Granted(other)))
	}
	n.Close(other)
	if n.Rate(a) != 10 {
		t.Errorf("rate %v, want 10", float64(n.Rate(a)))
	}
	if err := n.Check(); err != nil {
		t.Error(err)
	}
}

// A flow that waits its delay when its channel closes begins as best effort.
func TestCloseBeforeBegin(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10}, l, kinds)
	id := n.Open(route(0), 4)
	f := flow(0, 100, 0).with(1, unit.Unlimited(), 5).Flow
	f.Channel = id
	a := n.Start(f)
	if got := n.Expected(a); got != 30 {
		t.Errorf("expected at %v s, want 5 + 100/4", float64(got))
	}
	n.Close(id)
	if got := n.Expected(a); got != 15 {
		t.Errorf("expected at %v s, want 5 + 100/10", float64(got))
	}
	until(t, n, l, 20)
	if n.Active() != 0 || n.Carried(0) != 100 {
		t.Errorf("%d flows are active, the link has carried %v", n.Active(), float64(n.Carried(0)))
	}
}

func TestBrokenChannelPromises(t *testing.T) {
	for name, f := range map[string]func(*network.Network, network.ChannelID){
		"no such channel":     func(n *network.Network, id network.ChannelID) { n.Close(id + 1) },
		"channel 0":           func(n *network.Network, id network.ChannelID) { n.Close(0) },
		"closed twice":        func(n *network.Network, id network.ChannelID) { n.Close(id); n.Close(id) },
		"changed when closed": func(n *network.Network, id network.ChannelID) { n.Close(id); n.SetChannelRate(id, 1) },
		"released open":       func(n *network.Network, id network.ChannelID) { n.ReleaseChannel(id) },
		"released twice": func(n *network.Network, id network.ChannelID) {
			n.Close(id)
			n.ReleaseChannel(id)
			n.ReleaseChannel(id)
		},
		"a link twice":      func(n *network.Network, id network.ChannelID) { n.Open(route(0, 0), 1) },
		"an unlimited rate": func(n *network.Network, id network.ChannelID) { n.Open(route(0), unit.Unlimited()) },
		"a flow in a closed": func(n *network.Network, id network.ChannelID) {
			n.Close(id)
			n.Start(network.Flow{Route: route(0), Weight: 1, Cap: 1, Channel: id})
		},
		"a chunk of nothing":  func(n *network.Network, id network.ChannelID) { n.SetOnOutage(network.OnOutage{Kind: network.ToChunk}) },
		"a bucket of nothing": func(n *network.Network, id network.ChannelID) { n.Shape(0, network.Shaper{Burst: 2, Refill: 1}) },
		"a refill above burst": func(n *network.Network, id network.ChannelID) {
			n.Shape(0, network.Shaper{Burst: 1, Refill: 2, Size: 1})
		},
		"no bucket turns": func(n *network.Network, id network.ChannelID) { n.Handle(des.Event{Kind: kindShaper}) },
		"a negative cap":  func(n *network.Network, id network.ChannelID) { n.SetCap(0, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			n := network.New([]unit.Rate{10}, new(des.List), kinds)
			id := n.Open(route(0), 2)
			n.Start(flow(0, 1, 0).Flow)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(n, id)
		})
	}
}
