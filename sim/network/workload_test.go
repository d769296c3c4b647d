package network_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// The kinds of events in these tests.
const (
	kindLatency uint8 = iota
	kindEnd
	kindArrival
	kindCapacity
	kindShaper
)

var kinds = network.Kinds{Latency: kindLatency, FlowEnd: kindEnd, Shaper: kindShaper}

// place builds hubs of cities of rooms, all hubs joined, no latency. Rooms are
// named r0, r1, ... in order.
func place(tb testing.TB, hubs, cities, rooms int, room, city, hub unit.Rate) *topo.Topology {
	s := topo.Spec{Name: "test"}
	n := 0
	for h := range hubs {
		hs := topo.HubSpec{Name: fmt.Sprintf("h%d", h)}
		for c := range cities {
			cs := topo.CitySpec{Name: fmt.Sprintf("h%dc%d", h, c), Link: topo.LinkSpec{Capacity: city}}
			for range rooms {
				cs.Rooms = append(cs.Rooms, topo.RoomSpec{Name: fmt.Sprintf("r%d", n), Link: topo.LinkSpec{Capacity: room}})
				n++
			}
			hs.Cities = append(hs.Cities, cs)
		}
		s.Hubs = append(s.Hubs, hs)
		for o := range hubs {
			if o != h {
				s.Links = append(s.Links, topo.HubLinkSpec{
					From: hs.Name, To: fmt.Sprintf("h%d", o), LinkSpec: topo.LinkSpec{Capacity: hub},
				})
			}
		}
	}
	t, err := topo.New(s)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// eight is 8 hubs of 3 cities of 4 rooms at 100, 100 and 10 Gbit/s.
func eight(tb testing.TB) *topo.Topology { return place(tb, 8, 3, 4, 12.5e9, 12.5e9, 1.25e9) }

// A transfer is asked for at an instant.
type transfer struct {
	at    unit.Time
	route []topo.LinkID
	bytes unit.Bytes
}

// draw draws transfers between distinct rooms: a Poisson process of that many a
// second, sizes log-normal of median 9.7 GB, sigma 1.5, at most 2 TB.
func draw(t *topo.Topology, n int, perSecond float64) []transfer {
	s := rng.New(1, 0).Stream("transfers")
	ts := make([]transfer, n)
	at := unit.Time(0)
	for i := range ts {
		at = at.Add(unit.Seconds(s.Exp() / perSecond))
		from := int(s.Uint64() % uint64(len(t.Rooms)))
		to := int(s.Uint64() % uint64(len(t.Rooms)-1))
		if to >= from {
			to++
		}
		normal := math.Sqrt(2*s.Exp()) * math.Cos(2*math.Pi*s.Float64())
		route, _ := t.AppendRoute(nil, topo.RoomID(from), topo.RoomID(to))
		ts[i] = transfer{at, route, unit.Bytes(math.Round(min(2e12, 9.7e9*math.Exp(1.5*normal))))}
	}
	return ts
}

func capacities(t *topo.Topology) []unit.Rate {
	c := make([]unit.Rate, len(t.Links))
	for i, l := range t.Links {
		c[i] = l.Capacity
	}
	return c
}

// play runs transfers to their end and returns when each was done.
func play(c []unit.Rate, ts []transfer) []unit.Time {
	var l des.List
	n := network.New(c, &l, kinds)
	finish := make([]unit.Time, len(ts))
	if len(ts) > 0 {
		l.Schedule(des.Event{At: ts[0].at, Priority: des.Arrival, Kind: kindArrival})
	}
	for {
		e, ok := l.Next()
		if !ok {
			return finish
		}
		if e.Kind == kindArrival {
			x := &ts[e.Index]
			n.Start(network.Flow{Route: x.route, Bytes: x.bytes, Weight: 1, Cap: unit.Unlimited(), Owner: e.Index})
			if i := e.Index + 1; int(i) < len(ts) {
				l.Schedule(des.Event{At: ts[i].at, Priority: des.Arrival, Kind: kindArrival, Index: i})
			}
			continue
		}
		if id, done := n.Handle(e); done {
			finish[n.Owner(id)] = l.Now()
			n.Release(id)
		}
	}
}

// playPlain does the same with the plain solver.
func playPlain(c []unit.Rate, ts []transfer) []unit.Time {
	s := script{capacity: c}
	for _, x := range ts {
		s.flows = append(s.flows, flow(x.at, x.bytes, x.route...))
	}
	return s.runPlain()
}

// compare says how far finish times are apart, relative to the time each
// transfer took.
func compare(t *testing.T, ts []transfer, got, want []unit.Time, tolerance float64) {
	t.Helper()
	worst := 0.0
	for i := range ts {
		off := math.Abs(float64(got[i]-want[i])) / float64(want[i]-ts[i].at)
		if !(off <= tolerance) {
			t.Fatalf("transfer %d of %v bytes at %v: done at %v, want %v", i, float64(ts[i].bytes), float64(ts[i].at), float64(got[i]), float64(want[i]))
		}
		worst = max(worst, off)
	}
	t.Logf("%d transfers, relative difference at most %.2g", len(ts), worst)
}

// TestEqualsPlain compares finish times of the workload that is measured with
// those of solving all flows at every change. The two sum in different orders,
// and events of one are a little earlier than of the other: 1e-9 of the time
// that the transfer took, as rounding of an instant of 10³ s is 10⁻¹³ s, and
// the shortest transfers take 10⁻² s.
func TestEqualsPlain(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	w := eight(t)
	for _, rate := range []float64{1.8, 2.2} {
		ts := draw(w, n, rate)
		n /= 3 // more load, more flows to solve
		compare(t, ts, play(capacities(w), ts), playPlain(capacities(w), ts), 1e-9)
	}
}

// TestSimGrid compares finish times with those of SimGrid, whose solver stops at
// a precision of 1e-9 of the capacities: 1e-6 of the time a transfer took.
func TestSimGrid(t *testing.T) {
	w := place(t, 3, 2, 2, 10e9/8, 8e9/8, 4e9/8)
	for _, name := range []string{"moderate", "overload"} {
		t.Run(name, func(t *testing.T) {
			var ts []transfer
			for _, row := range rows(t, name+".csv") {
				from, _ := w.Room(row[4])
				to, _ := w.Room(row[5])
				route, _ := w.AppendRoute(nil, from, to)
				ts = append(ts, transfer{unit.Time(number(t, row[1])), route, unit.Bytes(number(t, row[3]))})
			}
			var want []unit.Time
			for _, row := range rows(t, name+"-expected.csv") {
				want = append(want, unit.Time(number(t, row[1])))
			}
			compare(t, ts, play(capacities(w), ts), want, 1e-6)
		})
	}
}

// rows reads a table of testdata without its header.
func rows(t *testing.T, name string) [][]string {
	f, err := os.Open(filepath.Join("testdata", "simgrid", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

func number(t *testing.T, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// BenchmarkTransfers is the bare network and event list under the workload of
// the speed bar: 1.8 a second is about 80 % load on the hub links.
func BenchmarkTransfers(b *testing.B) {
	t := eight(b)
	bench := func(name string, n int, rate float64, play func([]unit.Rate, []transfer) []unit.Time) {
		b.Run(fmt.Sprintf("%s/rate=%v", name, rate), func(b *testing.B) {
			ts := draw(t, n, rate)
			for b.Loop() {
				play(capacities(t), ts)
			}
			b.ReportMetric(float64(len(ts))*float64(b.N)/b.Elapsed().Seconds(), "transfers/s")
		})
	}
	for _, rate := range []float64{1.0, 1.8, 2.2} {
		bench("affected", 100_000, rate, play)
	}
	bench("plain", 2000, 1.8, playPlain)
}
