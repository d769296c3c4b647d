package network_test

import (
	"testing"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/unit"
)

// shaped returns a line of 10 bytes/s whose bucket of 54 tokens gains 1 a second.
func shaped() (*network.Network, *des.List) {
	l := new(des.List)
	n := network.New([]unit.Rate{20}, l, kinds)
	n.Shape(0, network.Shaper{Burst: 10, Refill: 1, Size: 54})
	return n, l
}

// until handles the network's events up to an instant.
func until(t *testing.T, n *network.Network, l *des.List, at unit.Time) {
	t.Helper()
	l.Schedule(des.Event{At: at, Priority: des.Start, Kind: kindArrival})
	for e, _ := l.Next(); e.Kind != kindArrival; e, _ = l.Next() {
		n.Handle(e)
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// N16: 10 Gbit/s while a budget of 5400 Gbit lasts, of which 1 Gbit/s comes back:
// 5400/(10 − 1) = 600 s, in which 6000 of 8000 Gbit are sent; 2000 more at 1.
func TestTokenBucket(t *testing.T) {
	l := new(des.List)
	n := network.New([]unit.Rate{10 * gbit}, l, kinds)
	n.Shape(0, network.Shaper{Burst: 10 * gbit, Refill: 1 * gbit, Size: 675 * gb})
	n.Start(flow(0, tb, 0).Flow)
	e, _ := l.Next()
	if e.Kind != kindShaper || e.Priority != des.CapacityChange || !near(float64(e.At), 600) {
		t.Fatalf("first event %+v, want the bucket's at 600 s", e)
	}
	if _, done := n.Handle(e); done || n.Capacity(0) != gbit || n.Tokens(0) != 0 {
		t.Errorf("a flow is done: %v; capacity %v, %v tokens", done, float64(n.Capacity(0)), float64(n.Tokens(0)))
	}
	e, _ = l.Next()
	if _, done := n.Handle(e); !done || !near(float64(l.Now()), 2600) {
		t.Errorf("done at %v s: %v, want 2600", float64(l.Now()), done)
	}
}

// TestBucketFills follows a bucket by hand.
func TestBucketFills(t *testing.T) {
	n, l := shaped()
	a := n.Start(flow(0, 1000, 0).Flow)
	until(t, n, l, 3)
	if n.Rate(a) != 10 || n.Tokens(0) != 27 { // 54 − 3·9
		t.Errorf("rate %v, %v tokens after 3 s, want 10 and 27", float64(n.Rate(a)), float64(n.Tokens(0)))
	}
	until(t, n, l, 8) // empty after 6 s
	if n.Rate(a) != 1 || n.Tokens(0) != 0 {
		t.Errorf("rate %v, %v tokens after 8 s, want 1 and 0", float64(n.Rate(a)), float64(n.Tokens(0)))
	}
	n.SetCap(a, 0.5) // it gains 0.5 a second; 2 s later it holds a second's, 1
	until(t, n, l, 9.9)
	if n.Capacity(0) != 1 {
		t.Errorf("bursts with %v tokens", float64(n.Tokens(0)))
	}
	until(t, n, l, 10)
	if n.Capacity(0) != 10 || n.Tokens(0) != 1 {
		t.Errorf("capacity %v, %v tokens after 10 s, want 10 and 1", float64(n.Capacity(0)), float64(n.Tokens(0)))
	}
	n.Cancel(a)
	until(t, n, l, 30)
	if n.Tokens(0) != 21 {
		t.Errorf("%v tokens after 30 s, want 21", float64(n.Tokens(0)))
	}
	until(t, n, l, 1000)
	if n.Tokens(0) != 54 || l.Len() != 0 {
		t.Errorf("%v tokens after 1000 s, want all 54; %d events", float64(n.Tokens(0)), l.Len())
	}
}

// The capacity of a link and its bucket limit it both; an outage is an outage.
func TestShaperAndCapacity(t *testing.T) {
	n, l := shaped()
	n.SetOnOutage(network.OnOutage{Kind: network.Restart})
	a := n.Start(flow(0, 1000, 0).Flow)
	n.SetCapacity(0, 4)
	until(t, n, l, 10) // 54 − 10·3
	if n.Rate(a) != 4 || n.Tokens(0) != 24 {
		t.Errorf("rate %v, %v tokens, want 4 and 24", float64(n.Rate(a)), float64(n.Tokens(0)))
	}
	n.SetCapacity(0, 0)
	until(t, n, l, 20)
	if n.Rate(a) != 0 || n.Tokens(0) != 34 || n.Again(a) != 40 {
		t.Errorf("rate %v, %v tokens, %v again, want 0, 34 and 40", float64(n.Rate(a)), float64(n.Tokens(0)), float64(n.Again(a)))
	}
	n.SetCapacity(0, 0.5)
	until(t, n, l, 21)
	n.SetCapacity(0, unit.Unlimited())
	until(t, n, l, 22) // 34.5 − 9
	if n.Rate(a) != 10 || n.Tokens(0) != 25.5 {
		t.Errorf("rate %v, %v tokens, want 10 and 25.5", float64(n.Rate(a)), float64(n.Tokens(0)))
	}
	n.Shape(0, network.Shaper{Burst: 3, Refill: 2, Size: 5}) // another, full
	until(t, n, l, 30)                                       // empty 5 s later
	if n.Rate(a) != 2 || n.Tokens(0) != 0 {
		t.Errorf("rate %v, %v tokens, want 2 and 0", float64(n.Rate(a)), float64(n.Tokens(0)))
	}
}

// A bucket whose link is full at its refill neither fills nor drains, whatever the
// rounding of the sum of the rates: ⅒, ⅕ and 7/10 of 3 are more than 3.
func TestFullLinkKeepsBucket(t *testing.T) {
	for first := range 40 {
		l := new(des.List)
		n := network.New([]unit.Rate{10}, l, kinds)
		n.Shape(0, network.Shaper{Burst: 10, Refill: 3, Size: 7})
		for i := range 3 {
			n.Start(flow(0, tb, 0).with(float64(first+i)+0.1, unit.Unlimited(), 0).Flow)
		}
		until(t, n, l, 2) // empty after 1 s
		if n.Capacity(0) != 3 || l.Len() != 3 {
			t.Errorf("weights from %v.1: capacity %v, %d events for 3 flows", first, float64(n.Capacity(0)), l.Len())
		}
	}
}

// TestBucketsTurnSeldom has the worst there is: flows that come and go as fast as
// they can on tiny buckets. Each empty bucket holds bursts back for a second's
// refill, at least a millisecond where it cannot hold that.
func TestBucketsTurnSeldom(t *testing.T) {
	for _, c := range []struct {
		size unit.Bytes
		most float64 // turns a second: two for each pause
	}{{1e9, 2}, {1e-6, 2000}} {
		l := new(des.List)
		n := network.New([]unit.Rate{1e9}, l, kinds)
		n.Shape(0, network.Shaper{Burst: 1e9, Refill: 1e8, Size: c.size})
		n.Start(flow(0, 1e4, 0).Flow)
		turns, flows := 0, 0
		for l.Now() < 20 && flows < 60_000 {
			e, ok := l.Next()
			if !ok {
				t.Fatal("no event")
			}
			if _, done := n.Handle(e); done {
				flows++
				f := flow(0, 1e4, 0).with(1, unit.Unlimited(), 1e-5)
				n.Start(f.Flow)
			} else if e.Kind == kindShaper {
				turns++
			}
		}
		if float64(turns) > c.most*float64(l.Now())+2 {
			t.Errorf("a bucket of %v turned %d times in %v s, at most %v a second", float64(c.size), turns, float64(l.Now()), c.most)
		}
	}
}
