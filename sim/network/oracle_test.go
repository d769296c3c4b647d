package network_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/profile"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

const (
	gbit unit.Rate  = 1e9 / 8
	gb   unit.Bytes = 1e9
	tb   unit.Bytes = 1e12
)

// A script is flows that start at instants, and capacities that follow profiles.
type script struct {
	capacity []unit.Rate
	profiles []*profile.Steps // by link; may be shorter
	flows    []timed
}

type timed struct {
	at unit.Time
	network.Flow
}

// flow returns a flow without weight, cap and delay of its own.
func flow(at unit.Time, bytes unit.Bytes, route ...topo.LinkID) timed {
	return timed{at, network.Flow{Route: route, Bytes: bytes, Weight: 1, Cap: unit.Unlimited()}}
}

func (f timed) with(weight float64, cap unit.Rate, delay unit.Seconds) timed {
	f.Weight, f.Cap, f.Delay = weight, cap, delay
	return f
}

// run plays the script to the end of its flows and returns when each was done
// and the network then. After every event it checks that no link carries more
// than its capacity, at no instant.
func (s script) run(t rapid.TB) ([]unit.Time, *network.Network) {
	t.Helper()
	var l des.List
	n := network.New(s.capacity, &l, kinds)
	for i, f := range s.flows {
		l.Schedule(des.Event{At: f.at, Priority: des.Arrival, Kind: kindArrival, Index: int32(i)})
	}
	for link, p := range s.profiles {
		n.SetCapacity(topo.LinkID(link), unit.Rate(p.At(0))*s.capacity[link])
		if at, _, ok := p.Next(0); ok {
			l.Schedule(des.Event{At: at, Priority: des.CapacityChange, Kind: kindCapacity, Index: int32(link)})
		}
	}
	finish := make([]unit.Time, len(s.flows))
	for left := len(s.flows); left > 0; {
		e, ok := l.Next()
		if !ok {
			t.Fatalf("%d flows never end", left)
		}
		switch e.Kind {
		case kindArrival:
			f := s.flows[e.Index].Flow
			f.Owner = e.Index
			n.Start(f)
		case kindCapacity:
			p := s.profiles[e.Index]
			n.SetCapacity(topo.LinkID(e.Index), unit.Rate(p.At(e.At))*s.capacity[e.Index])
			if at, _, ok := p.Next(e.At); ok {
				l.Schedule(des.Event{At: at, Priority: des.CapacityChange, Kind: kindCapacity, Index: e.Index})
			}
		default:
			if id, done := n.Handle(e); done {
				finish[n.Owner(id)] = l.Now()
				n.Release(id)
				left--
			}
		}
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return finish, n
}

func recorded(t *testing.T, period unit.Seconds, atThenValue ...float64) *profile.Steps {
	t.Helper()
	var points []profile.Point
	for i := 0; i < len(atThenValue); i += 2 {
		points = append(points, profile.Point{At: unit.Time(atThenValue[i]), Value: profile.Value{Number: atThenValue[i+1]}})
	}
	p, err := profile.Hold(points)
	if period > 0 {
		p, err = profile.Loop(points, period)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }

// TestFinish has the finish times that follow from the model by hand.
func TestFinish(t *testing.T) {
	inf := unit.Unlimited()
	for _, c := range []struct {
		name string
		s    script
		want []unit.Time
	}{
		// 8·10¹² bit / 10¹⁰ bit/s + the latency, paid once.
		{"N1 latency and one link", script{[]unit.Rate{10 * gbit}, nil, []timed{
			flow(0, tb, 0).with(1, inf, 0.02)}}, []unit.Time{800.02}},
		// A alone sends 200 Gbit, then each gets 5: B needs 400/5 = 80 s, in which A
		// sends 400 of its 600; the last 200 go at 10.
		{"N2 a joiner", script{[]unit.Rate{10 * gbit}, nil, []timed{
			flow(0, 100*gb, 0), flow(20, 50*gb, 0)}}, []unit.Time{120, 100}},
		// long gets 2 (6/3 at link 2), the shorts 8, 2, 4: 200 Gbit take 25, 100 and
		// 50 s. When the second is done, long gets min(10, 4, 6) = 4 for its other
		// 800-200 Gbit.
		{"N4 parking lot", script{[]unit.Rate{10 * gbit, 4 * gbit, 6 * gbit}, nil, []timed{
			flow(0, 100*gb, 0, 1, 2), flow(0, 25*gb, 0), flow(0, 25*gb, 1), flow(0, 25*gb, 2)}},
			[]unit.Time{250, 25, 100, 50}},
		// 4 MiB a round trip of 40 ms is 838.8608 Mbit/s a stream.
		{"N7 window, 1 stream", script{[]unit.Rate{10 * gbit}, nil, []timed{
			flow(0, tb, 0).with(1, 1*4194304/0.04, 0)}}, []unit.Time{9536.7431640625}},
		{"N7 window, 8 streams", script{[]unit.Rate{10 * gbit}, nil, []timed{
			flow(0, tb, 0).with(8, 8*4194304/0.04, 0)}}, []unit.Time{1192.0928955078125}},
		{"N7 window, 12 streams", script{[]unit.Rate{10 * gbit}, nil, []timed{
			flow(0, tb, 0).with(12, 12*4194304/0.04, 0)}}, []unit.Time{800}},
		// 3000 Gbit in 300 s, 5000 at 4.
		{"N11 a fall of capacity", script{[]unit.Rate{10 * gbit}, []*profile.Steps{recorded(t, 0, 0, 1, 300, 0.4)}, []timed{
			flow(0, tb, 0)}}, []unit.Time{1550}},
		// 800 s of sending and 300 s of outage.
		{"N12 an outage, resumed", script{[]unit.Rate{10 * gbit}, []*profile.Steps{recorded(t, 0, 0, 1, 200, 0, 500, 1)}, []timed{
			flow(0, tb, 0)}}, []unit.Time{1100}},
		// 680 Gbit in each 100 s: 11 of them, then 520 at 10.
		{"N13 a periodic capacity", script{[]unit.Rate{10 * gbit}, []*profile.Steps{recorded(t, 100, 0, 1, 60, 0.2)}, []timed{
			flow(0, tb, 0)}}, []unit.Time{1152}},
		{"closed for [2 s, 6 s)", script{[]unit.Rate{1e6}, []*profile.Steps{recorded(t, 0, 0, 1, 2, 0, 6, 1)}, []timed{
			flow(0, 4e6, 0)}}, []unit.Time{8}},
		{"starts while closed", script{[]unit.Rate{1e6}, []*profile.Steps{recorded(t, 0, 0, 1, 2, 0, 6, 1)}, []timed{
			flow(3, 4e6, 0)}}, []unit.Time{10}},
		{"joiners and leavers", script{[]unit.Rate{1e6}, nil, []timed{
			flow(0, 10e6, 0), flow(5, 10e6, 0)}}, []unit.Time{15, 20}},
		{"bits are not bytes", script{[]unit.Rate{1 * gbit}, nil, []timed{
			flow(0, 10*gb, 0)}}, []unit.Time{80}},
		{"two at once", script{[]unit.Rate{1 * gbit}, nil, []timed{
			flow(0, 10*gb, 0), flow(0, 10*gb, 0)}}, []unit.Time{160, 160}},
		{"not whole seconds", script{[]unit.Rate{1 * gbit}, nil, []timed{
			flow(0, 0.9*gb, 0)}}, []unit.Time{7.2}},
		// The second gets 0.25, its bottleneck, the first 0.75: 2.5/0.25 = 10 s, by
		// when 7.5 are sent; 2.5 go at 1.
		{"two on l1, one over l2", script{[]unit.Rate{1e6, 0.25e6}, nil, []timed{
			flow(0, 10e6, 0), flow(0, 2.5e6, 0, 1)}}, []unit.Time{12.5, 10}},
		{"nothing to send", script{[]unit.Rate{1 * gbit}, nil, []timed{
			flow(1, 0, 0).with(1, inf, 0.25)}}, []unit.Time{1.25}},
		{"nothing to send on a closed link", script{[]unit.Rate{0}, nil, []timed{
			flow(1, 0, 0).with(1, inf, 0.25)}}, []unit.Time{1.25}},
		{"nothing in the way", script{nil, nil, []timed{
			flow(3, tb)}}, []unit.Time{3}},
		{"nothing in the way but a delay", script{[]unit.Rate{inf}, nil, []timed{
			flow(3, tb, 0).with(1, inf, 0.5)}}, []unit.Time{3.5}},
		{"a cap alone", script{nil, nil, []timed{
			flow(0, tb).with(1, 1*gbit, 0)}}, []unit.Time{8000}},
		// While the second waits its delay it takes nothing from the first.
		{"latency holds no capacity", script{[]unit.Rate{1e6}, nil, []timed{
			flow(0, 10e6, 0), flow(0, 10e6, 0).with(1, inf, 5)}}, []unit.Time{15, 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := c.s.run(t)
			for i := range got {
				if !near(float64(got[i]), float64(c.want[i])) {
					t.Errorf("flow %d: done at %v, want %v", i, float64(got[i]), float64(c.want[i]))
				}
			}
		})
	}
}

// TestRates has rates of flows that persist.
func TestRates(t *testing.T) {
	inf := unit.Unlimited()
	for _, c := range []struct {
		name     string
		capacity []unit.Rate
		flows    []timed
		want     []unit.Rate
	}{
		{"N3 parking lot", []unit.Rate{10, 4, 6}, []timed{
			flow(0, tb, 0, 1, 2), flow(0, tb, 0), flow(0, tb, 1), flow(0, tb, 2)}, []unit.Rate{2, 8, 2, 4}},
		{"N3b all equal", []unit.Rate{10, 10, 10}, []timed{
			flow(0, tb, 0, 1, 2), flow(0, tb, 0), flow(0, tb, 1), flow(0, tb, 2)}, []unit.Rate{5, 5, 5, 5}},
		{"N5 weights 1/RTT", []unit.Rate{10}, []timed{
			flow(0, tb, 0).with(1/0.010, inf, 0), flow(0, tb, 0).with(1/0.040, inf, 0)}, []unit.Rate{8, 2}},
		{"N6 a cap", []unit.Rate{10}, []timed{
			flow(0, tb, 0).with(1, 1, 0), flow(0, tb, 0), flow(0, tb, 0)}, []unit.Rate{1, 4.5, 4.5}},
		{"an unlimited link", []unit.Rate{10, inf}, []timed{
			flow(0, tb, 1, 0), flow(0, tb, 0)}, []unit.Rate{5, 5}},
		{"a closed link", []unit.Rate{10, 0}, []timed{
			flow(0, tb, 0, 1), flow(0, tb, 0)}, []unit.Rate{0, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l des.List
			n := network.New(c.capacity, &l, kinds)
			for i, f := range c.flows {
				share := n.ShareOfOneMore(f.Route, f.Weight, f.Cap)
				if id := n.Start(f.Flow); n.Rate(id) != share {
					t.Errorf("flow %d gets %v, was promised %v", i, float64(n.Rate(id)), float64(share))
				}
			}
			for i, want := range c.want {
				if got := n.Rate(network.FlowID(i)); !near(float64(got), float64(want)) {
					t.Errorf("flow %d: rate %v, want %v", i, float64(got), float64(want))
				}
			}
		})
	}
}

// Two flows share a line of 1 MB/s from 5 s on; the first is done at 15 s.
func Example() {
	const latency, flowEnd, arrival = 0, 1, 2
	var list des.List
	net := network.New([]unit.Rate{1e6}, &list, network.Kinds{Latency: latency, FlowEnd: flowEnd})
	for i, at := range []unit.Time{0, 5} {
		list.Schedule(des.Event{At: at, Priority: des.Arrival, Kind: arrival, Index: int32(i)})
	}
	for e, ok := list.Next(); ok; e, ok = list.Next() {
		if e.Kind == arrival {
			net.Start(network.Flow{Route: []topo.LinkID{0}, Bytes: 10e6, Weight: 1, Cap: unit.Unlimited(), Owner: e.Index})
			continue
		}
		if id, done := net.Handle(e); done {
			fmt.Printf("%v: flow %d is done, the line has carried %v\n", list.Now(), net.Owner(id), net.Carried(0))
			net.Release(id)
		}
	}
	// Output:
	// 15s: flow 0 is done, the line has carried 15MB
	// 20s: flow 1 is done, the line has carried 20MB
}
