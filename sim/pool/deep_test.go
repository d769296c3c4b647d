package pool

import (
	"math"
	"slices"
	"testing"

	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Deep queues, where blocks are passed over: every pass starts what the plain
// scheduler starts.
func TestDeepSameAsPlain(t *testing.T) {
	for _, k := range kinds {
		for _, spread := range []float64{1, 3} { // exact estimates and loose ones
			n, load := 800, 2.0
			if k.kind == topo.Conservative {
				n, load = 120, 10 // the plain one takes time with the cube of the queue
			}
			as := gangs(n, 256, load, spread)
			p, q := New(topo.Pool{Slots: 256, Queue: k.kind}), &plain{kind: k.kind, slots: 256}
			deepest, next := 0, 0
			run(p, as, func(now unit.Time, started []int32) {
				for _, j := range slices.Clone(q.running) {
					if start := j.end.Add(-j.Estimate); start.Add(as[j.Task].run) <= now || p.at(j.Task) == nowhere {
						q.release(now, j.Task)
					}
				}
				for ; next < n && as[next].at <= now; next++ {
					j := as[next].job
					j.Task = int32(next)
					q.submit(j)
				}
				if want := q.pass(now); !slices.Equal(started, want) {
					t.Fatalf("%s: at %v: started %v, want %v", k.name, now, started, want)
				}
				deepest = max(deepest, p.Queued())
			})
			if deepest < n/8 {
				t.Errorf("%s: the queue was no deeper than %d", k.name, deepest)
			}
		}
	}
}

const (
	nowhere = iota
	queued
	onSlots
)

func (p *Pool) at(task int32) int {
	switch at, ok := p.index.get(task); {
	case !ok:
		return nowhere
	case at.running:
		return onSlots
	}
	return queued
}

// A forecast that was kept answers as one that is made anew, also for waits
// beyond its reach.
func TestKeptForecast(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("some million passes in one goroutine: too long for a short run, nothing for the race detector")
	}
	for _, k := range kinds {
		for _, spread := range []float64{1, 3} {
			n, slots := 1500, int32(128)
			if k.kind == topo.Conservative {
				n = 200
			}
			as := gangs(n, slots, 3, spread)
			s := rng.New(3, 0).Stream("probes")
			p, fresh := New(topo.Pool{Slots: slots, Queue: k.kind}), &Pool{}
			beyond := 0
			run(p, as, func(now unit.Time, _ []int32) {
				if s.Float64() < 0.7 {
					return
				}
				for range 2 {
					gang, priority := int32(1)<<int(8*s.Float64()), int32(3*s.Float64())
					estimate := unit.Seconds(600 * math.Exp(3*s.Float64()))
					fresh.CopyFrom(p)
					want := fresh.EstimateStart(now, gang, priority, estimate)
					if got := p.EstimateStart(now, gang, priority, estimate); got != want {
						t.Fatalf("%s: at %v: %d slots at priority %d for %v: kept %v, anew %v",
							k.name, now, gang, priority, estimate, got, want)
					}
					if want < now {
						t.Fatalf("%s: at %v: start at %v", k.name, now, want)
					}
					if fresh.ahead.drained > 0 {
						beyond++
					}
				}
			})
			if beyond == 0 && k.kind != topo.Conservative {
				t.Errorf("%s: no wait was beyond the forecast's reach", k.name)
			}
		}
	}
}

// Once its lists are as large as they get, a pool allocates nothing.
func TestAllocates(t *testing.T) {
	for _, k := range kinds {
		p := New(topo.Pool{Slots: 64, Queue: k.kind})
		as := gangs(64, 64, 1, 1)
		now, started := unit.Time(0), make([]int32, 0, 64)
		cycle := func() {
			for i := range as {
				j := as[i].job
				j.Task, j.Slots = int32(i), min(j.Slots, 64)
				p.Submit(now, j)
				p.EstimateStart(now, 3, 0, 1000)
			}
			for left := len(as); left > 0; {
				started = p.Pass(now, started[:0])
				for _, i := range started {
					p.EstimateStart(now, 3, 0, 1000)
					p.Release(now, i)
					left--
				}
				now++
			}
		}
		cycle()
		if n := testing.AllocsPerRun(10, cycle); n > 0 {
			t.Errorf("%s: %v allocations", k.name, n)
		}
	}
}
