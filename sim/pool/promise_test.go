package pool

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// drawArrivals draws jobs on up to that many slots, ordered by instant, that run
// at most as long as estimated; exactly so where exact is true.
func drawArrivals(t *rapid.T, slots int32, exact bool) []arrival {
	as := make([]arrival, rapid.IntRange(1, 60).Draw(t, "jobs"))
	now := unit.Time(0)
	for i := range as {
		now += unit.Time(rapid.IntRange(0, 8).Draw(t, "gap"))
		estimate := rapid.IntRange(1, 40).Draw(t, "estimate")
		run := estimate
		if !exact {
			run = rapid.IntRange(1, estimate).Draw(t, "run")
		}
		as[i] = arrival{now, unit.Seconds(run), Job{
			Slots: rapid.Int32Range(1, slots).Draw(t, "gang"), Priority: rapid.Int32Range(0, 2).Draw(t, "priority"),
			Estimate: unit.Seconds(estimate),
		}}
	}
	return as
}

// What the queue kinds promise, on random jobs.
func TestPromises(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				slots := rapid.Int32Range(1, 16).Draw(t, "slots")
				as := drawArrivals(t, slots, rapid.Bool().Draw(t, "exact"))
				p := New(topo.Pool{Slots: slots, Queue: k.kind})
				c := promises{t: t, p: p, as: as, latest: map[int32]unit.Time{}}
				starts := run(p, as, c.look)
				if k.kind == topo.FCFS && !slices.IsSorted(starts) {
					t.Fatalf("started out of order: %v", starts)
				}
				c.sums(starts)
			})
		})
	}
}

type promises struct {
	t      *rapid.T
	p      *Pool
	as     []arrival
	latest map[int32]unit.Time // what a waiting job was promised
}

func (c *promises) look(now unit.Time, started []int32) {
	p := c.p
	if p.Busy() > p.Capacity() {
		c.t.Fatalf("at %v: %d of %d slots run", now, p.Busy(), p.Capacity())
	}
	for _, i := range started {
		if latest, ok := c.latest[i]; ok && now > latest {
			c.t.Fatalf("at %v: job %d starts, promised for %v", now, i, latest)
		}
	}
	if p.queue.n == 0 {
		return
	}
	// No slot is idle that the head could use.
	head := p.queue.first()
	if p.kind != topo.Conservative && head.slots <= p.Free() {
		c.t.Fatalf("at %v: job %d waits for %d of %d free slots", now, head.task, head.slots, p.Free())
	}
	switch p.kind {
	case topo.EASY: // the head is promised its shadow time when it becomes head
		if _, ok := c.latest[head.task]; !ok {
			c.latest[head.task] = p.head.shadow
		}
	case topo.Conservative: // every job its reservation, when it comes
		p.queue.each(func(it *item) {
			if _, ok := c.latest[it.task]; !ok {
				c.latest[it.task] = it.planned
			}
		})
	}
}

// sums checks that slot-seconds are those of all stays and that the integral of
// the queue is the sum of all waits.
func (c *promises) sums(starts []unit.Time) {
	var stays, waits unit.Seconds
	for i, at := range starts {
		stays += c.as[i].run * unit.Seconds(c.as[i].job.Slots)
		waits += at.Sub(c.as[i].at)
	}
	if got := c.p.SlotSeconds(c.p.now); got != stays { // whole seconds: exact
		c.t.Fatalf("%v slot-seconds, want %v", float64(got), float64(stays))
	}
	if got := c.p.QueueIntegral(c.p.now); got != waits {
		c.t.Fatalf("waited %v, want %v", float64(got), float64(waits))
	}
}
