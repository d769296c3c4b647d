package network_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/profile"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// drawScript draws flows on a few links with capacities that change. Sizes are
// irrational, so that no flow ends at the very instant of a capacity change:
// which of the two comes first would then be up to rounding.
func drawScript(t *rapid.T) script {
	var s script
	for range rapid.IntRange(1, 8).Draw(t, "links") {
		s.capacity = append(s.capacity, unit.Rate(rapid.IntRange(1, 4).Draw(t, "capacity")))
		points := []profile.Point{{Value: profile.Value{Number: 1}}}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			points = append(points, profile.Point{
				At:    points[len(points)-1].At + unit.Time(rapid.Float64Range(0.1, 10).Draw(t, "after")),
				Value: profile.Value{Number: float64(rapid.IntRange(0, 3).Draw(t, "factor")) / 2},
			})
		}
		points = append(points, profile.Point{At: 1000, Value: profile.Value{Number: 1}}) // so that all ends
		p, err := profile.Hold(points)
		if err != nil {
			t.Fatal(err)
		}
		s.profiles = append(s.profiles, p)
	}
	link := rapid.Map(rapid.IntRange(0, len(s.capacity)-1), func(i int) topo.LinkID { return topo.LinkID(i) })
	for range rapid.IntRange(1, 25).Draw(t, "flows") {
		f := flow(unit.Time(rapid.Float64Range(0, 20).Draw(t, "at")), unit.Bytes(math.Sqrt2*float64(rapid.IntRange(0, 20).Draw(t, "bytes"))),
			rapid.SliceOfNDistinct(link, 0, 5, rapid.ID[topo.LinkID]).Draw(t, "route")...)
		cap := unit.Unlimited()
		if rapid.Bool().Draw(t, "capped") || len(f.Route) == 0 {
			cap = unit.Rate(rapid.Float64Range(0.1, 2).Draw(t, "cap"))
		}
		s.flows = append(s.flows, f.with(float64(rapid.IntRange(1, 3).Draw(t, "weight")), cap, unit.Seconds(rapid.IntRange(0, 2).Draw(t, "delay"))))
	}
	return s
}

// TestRandomWorlds compares with the plain solver, checks the network after
// every event (in run) and that every link has carried just what crossed it.
func TestRandomWorlds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScript(rt)
		got, n := s.run(rt)
		for i, want := range s.runPlain() {
			if math.Abs(float64(got[i]-want)) > 1e-9*float64(want) {
				rt.Fatalf("flow %d: done at %v, plain solver %v", i, float64(got[i]), float64(want))
			}
		}
		for l := range s.capacity {
			want := unit.Bytes(0)
			for _, f := range s.flows {
				if slices.Contains(f.Route, topo.LinkID(l)) {
					want += f.Bytes
				}
			}
			if got := n.Carried(topo.LinkID(l)); !near(float64(got), float64(want)) {
				rt.Fatalf("link %d carried %v bytes, %v crossed it", l, float64(got), float64(want))
			}
		}
	})
}

// TestCopyAndCancel starts and cancels at random. What a link carried is at any
// instant the sum of what the flows on it sent, and never falls; a copy runs on
// as the original does, and neither touches the other.
func TestCopyAndCancel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := new(des.List)
		n := network.New([]unit.Rate{1, 2, 3}, l, kinds)
		var live []network.FlowID
		var carried, over [3]unit.Bytes // by all flows, by those that are over
		routes := map[network.FlowID][]topo.LinkID{}
		drop := func(id network.FlowID, sent unit.Bytes) {
			for _, k := range routes[id] {
				over[k] += sent
			}
			live = slices.DeleteFunc(live, func(o network.FlowID) bool { return o == id })
			n.Release(id)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch kind := rapid.IntRange(0, 9).Draw(t, "step"); {
			case kind < 4:
				route := rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, 2), func(i int) topo.LinkID { return topo.LinkID(i) }), 1, 3, rapid.ID[topo.LinkID]).Draw(t, "route")
				f := flow(0, unit.Bytes(rapid.Float64Range(0, 10).Draw(t, "bytes")), route...).with(1, unit.Unlimited(), unit.Seconds(rapid.IntRange(0, 1).Draw(t, "delay")))
				id := n.Start(f.Flow)
				live, routes[id] = append(live, id), route
			case kind < 5 && len(live) > 0:
				id := rapid.SampledFrom(live).Draw(t, "canceled")
				sent := n.Sent(id)
				if got := n.Cancel(id); got != sent {
					t.Fatalf("canceled after %v bytes, sent %v", float64(got), float64(sent))
				}
				drop(id, sent)
			case kind < 6:
				n.SetCapacity(topo.LinkID(rapid.IntRange(0, 2).Draw(t, "link")), unit.Rate(rapid.IntRange(0, 3).Draw(t, "capacity")))
			case kind < 7:
				l2, n2 := new(des.List), new(network.Network)
				l2.CopyFrom(l)
				n2.CopyFrom(n, l2)
				if a, b := rest(n2, l2), rest(copyOf(n, l)); !slices.Equal(a, b) {
					t.Fatalf("a copy ends %v, another %v", a, b)
				}
			default:
				e, ok := l.Next()
				if !ok {
					continue
				}
				if id, done := n.Handle(e); done {
					drop(id, n.Sent(id))
				}
			}
			if err := n.Check(); err != nil {
				t.Fatal(err)
			}
			if n.Active() != len(live) {
				t.Fatalf("%d active, want %d", n.Active(), len(live))
			}
			for k := range carried {
				want := over[k]
				for _, id := range live {
					if slices.Contains(routes[id], topo.LinkID(k)) {
						want += n.Sent(id)
					}
				}
				got := n.Carried(topo.LinkID(k))
				if !near(float64(got), float64(want)) || float64(got) < float64(carried[k])*(1-1e-12) {
					t.Fatalf("link %d carried %v bytes, flows sent %v, before it was %v", k, float64(got), float64(want), float64(carried[k]))
				}
				carried[k] = got
			}
		}
	})
}

func copyOf(n *network.Network, l *des.List) (*network.Network, *des.List) {
	l2, n2 := new(des.List), new(network.Network)
	l2.CopyFrom(l)
	n2.CopyFrom(n, l2)
	return n2, l2
}

// rest runs a network to its end and returns the instants of its events.
func rest(n *network.Network, l *des.List) (out []unit.Time) {
	for e, ok := l.Next(); ok; e, ok = l.Next() {
		n.Handle(e)
		out = append(out, l.Now())
	}
	return out
}
