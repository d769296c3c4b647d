package task_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/rng"
	"tiersim/sim/task"
	"tiersim/sim/unit"
)

const ms, us = unit.Seconds(1e-3), unit.Seconds(1e-6)

// 2·7/8·10/12.5 + 14·10⁻⁵ s; 2·3/4·14/1.25 + 6·0.015 s.
func TestRingAllReduce(t *testing.T) {
	printed(t, "8 accelerators", float64(task.RingAllReduce(8, 10*unit.GB, 12.5e9, 10*us)), "1.400140000")
	printed(t, "4 hubs", float64(fourHubs.Period(1.25e9)-fourHubs.Compute), "16.890000000")
	if got := task.RingAllReduce(1, 10*unit.GB, 0, ms); got != 0 {
		t.Errorf("one alone: %v", got)
	}
	if got := task.RingAllReduce(3, 0, 0, ms); got != 4*ms {
		t.Errorf("nothing to add up: %v, want four messages", got)
	}
}

// fourHubs is a step of 2 s and an all-reduce of 14 GB over four hubs.
var fourHubs = task.Sync{Compute: 2, Volume: 14 * unit.GB, Places: 4, Alpha: 15 * ms}

const tenGbit = unit.Rate(1.25e9)

func TestEfficiency(t *testing.T) {
	comm := task.RingAllReduce(4, 14*unit.GB, tenGbit, 15*ms)
	printed(t, "no overlap", task.Efficiency(2, comm, 0), "0.105876125")
	printed(t, "full overlap", task.Efficiency(2, comm, 1), "0.118413262")
	printed(t, "100 local steps", task.LocalEfficiency(2, comm, 100), "0.922126424")
	printed(t, "500 local steps", task.LocalEfficiency(2, comm, 500), "0.983390534")

	hidden := fourHubs
	hidden.Overlap = 1
	printed(t, "sync, no overlap", fourHubs.Efficiency(tenGbit), "0.105876125")
	printed(t, "sync, full overlap", hidden.Efficiency(tenGbit), "0.118413262")
	printed(t, "sync, each 100th step", fourHubs.Every(100).Efficiency(tenGbit), "0.922126424")
	printed(t, "sync, each 500th step", fourHubs.Every(500).Efficiency(tenGbit), "0.983390534")
}

// 16.89/2 · 0.95/0.05 = 160.455 steps, so 161.
func TestSmallestLocalSteps(t *testing.T) {
	if got := task.SmallestLocalSteps(2, 16.89, 0.95); got != 161 {
		t.Errorf("got %v, want 161", got)
	}
	printed(t, "efficiency", task.LocalEfficiency(2, 16.89, 161), "0.950160819")
	for _, c := range []struct {
		compute, comm unit.Seconds
		want, steps   float64
	}{
		{2, 0, 1, 1}, {2, 1, 0, 1}, {2, 1, 0.5, 1}, {2, 1, 1, math.Inf(1)}, {0, 1, 0.5, math.Inf(1)},
		{1, 1, 0.9, 9}, {1, 7, 0.7, 17}, // 0.9/0.1 is 9.000000000000002; 49/3 = 16.3
	} {
		if got := task.SmallestLocalSteps(c.compute, c.comm, c.want); got != c.steps {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// The number found is enough, and one step less is not.
func TestSmallestLocalStepsIsTheSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		compute, comm := unit.Seconds(rapid.Float64Range(0.1, 10).Draw(t, "compute")), unit.Seconds(rapid.Float64Range(0, 100).Draw(t, "comm"))
		want := float64(rapid.IntRange(1, 999).Draw(t, "want")) / 1000
		h := task.SmallestLocalSteps(compute, comm, want)
		if got := task.LocalEfficiency(compute, comm, h); got < want {
			t.Errorf("%v steps: %v < %v", h, got, want)
		}
		if got := task.LocalEfficiency(compute, comm, h-1); h > 1 && got >= want {
			t.Errorf("%v steps are enough: %v", h-1, got)
		}
	})
}

// Eight accelerators at each of two sites: 2·(7/8·14/450 + 7·3·10⁻⁶) within,
// 2·1/2·14/1.25 + 2·0.015 across; a flat ring of 16 has 2·15/16·14/1.25 + 30·0.015.
func TestHierarchicalAllReduce(t *testing.T) {
	inside, across := task.Ring{N: 8, Rate: 450e9, Alpha: 3 * us}, task.Ring{N: 2, Rate: tenGbit, Alpha: 15 * ms}
	printed(t, "hierarchical", float64(task.HierarchicalAllReduce(14*unit.GB, inside, across)), "11.284486444")
	printed(t, "flat", float64(task.RingAllReduce(16, 14*unit.GB, tenGbit, 15*ms)), "21.450000000")
}

// 32 layers × 4 all-reduces of 2¹² tokens × 4096 × 2 bytes between two.
func TestTensorParallel(t *testing.T) {
	const volume = unit.Bytes(4096 * 4096 * 2)
	hubs := task.TensorParallel(32, 2, volume, tenGbit, 10*ms)
	inside := task.TensorParallel(32, 2, volume, 450e9, 3*us)
	printed(t, "across hubs", float64(hubs), "5.995973837")
	printed(t, "inside", float64(inside), "0.010312372")
	printed(t, "ratio", float64(hubs/inside), "581.43")
	printed(t, "latency alone", float64(task.TensorParallel(32, 2, 0, tenGbit, 10*ms)), "2.560000000")
}

// The slowest of n exponential messages, by the harmonic number and by play.
func TestExpectedSlowest(t *testing.T) {
	stream := rng.New(1, 0).Stream("T7")
	for n, want := range map[int]string{4: "4.166666667", 8: "5.435714286", 16: "6.761457985"} {
		expected := float64(task.ExpectedSlowest(n, 2*ms) / ms)
		printed(t, fmt.Sprint(n), expected, want)
		var s sample
		for range 40_000 {
			slowest := 0.0
			for range n {
				slowest = max(slowest, 2*stream.Exp())
			}
			s.add(slowest)
		}
		s.holds(t, fmt.Sprint(n, ", played"), expected)
	}
	if got := task.ExpectedSlowest(0, 1); got != 0 {
		t.Errorf("none: %v", got)
	}
}

// 21 GB in 2·(1/0.8 − 1) − 6·0.015 = 0.41 s.
func TestRateForEfficiency(t *testing.T) {
	rate, ok := fourHubs.RateForEfficiency(0.8)
	if !ok {
		t.Fatal("no rate")
	}
	printed(t, "Gbit/s", float64(rate)*8/1e9, "409.756097561")
	printed(t, "efficiency", fourHubs.Efficiency(rate), "0.800000000000")
	// Six messages of 15 ms leave at most 2/2.09 = 0.957.
	if rate, ok := fourHubs.RateForEfficiency(0.96); ok {
		t.Errorf("0.96 at %v", rate)
	}
	if rate, ok := (task.Sync{Compute: 2, Volume: 1, Places: 1}).RateForEfficiency(1); !ok || rate != 0 {
		t.Errorf("one place: %v, %v", rate, ok)
	}
}

func drawSync(t *rapid.T) task.Sync {
	return task.Sync{
		Compute: unit.Seconds(rapid.Float64Range(0.01, 100).Draw(t, "compute")),
		Volume:  unit.Bytes(rapid.Float64Range(0, 1e11).Draw(t, "volume")),
		Places:  rapid.IntRange(1, 8).Draw(t, "places"),
		Alpha:   unit.Seconds(rapid.Float64Range(0, 0.1).Draw(t, "alpha")),
		Overlap: rapid.Float64Range(0, 1).Draw(t, "overlap"),
	}
}

// The mean rate is what the period carries; it never is above the rate, and grows
// with it up to what a link without limit would see.
func TestMeanRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSync(t)
		a := unit.Rate(rapid.Float64Range(1, 1e11).Draw(t, "a"))
		b := a * unit.Rate(rapid.Float64Range(1, 100).Draw(t, "factor"))
		round := func(r unit.Rate) unit.Rate { return r * (1 + 1e-12) }
		if s.MeanRate(a) > round(a) || s.MeanRate(a) > round(s.MeanRate(b)) || s.MeanRate(b) > round(s.MeanRate(unit.Unlimited())) {
			t.Errorf("%+v: %v at %v, %v at %v, %v without limit", s, s.MeanRate(a), a, s.MeanRate(b), b, s.MeanRate(unit.Unlimited()))
		}
		if s.Efficiency(a) > s.Efficiency(b) || s.Period(a) < s.Period(b) || s.Period(a) < s.Compute {
			t.Errorf("%+v: a higher rate makes it slower", s)
		}
	})
}

// The rate found gives just the efficiency wanted; where there is none, no rate
// does better.
func TestRateForEfficiencyIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSync(t)
		want := rapid.Float64Range(0.01, 1).Draw(t, "want")
		rate, ok := s.RateForEfficiency(want)
		if !ok {
			if got := s.Efficiency(unit.Unlimited()); got > want*(1+1e-12) {
				t.Errorf("%+v reaches %v > %v", s, got, want)
			}
			return
		}
		if got := s.Efficiency(rate); s.PerLink() > 0 && math.Abs(got-want) > 1e-9 {
			t.Errorf("%+v at %v: %v, want %v", s, rate, got, want)
		}
	})
}

// A link that carries nothing stops the gang; one place alone needs no link.
func TestSyncAtItsEnds(t *testing.T) {
	alone := task.Sync{Compute: 2, Volume: 1e9, Places: 1, Alpha: ms}
	if fourHubs.Period(0) != never || fourHubs.MeanRate(0) != 0 || fourHubs.Efficiency(0) != 0 {
		t.Errorf("rate 0: %v, %v, %v", fourHubs.Period(0), fourHubs.MeanRate(0), fourHubs.Efficiency(0))
	}
	if alone.Period(0) != 2 || alone.MeanRate(tenGbit) != 0 || alone.Efficiency(0) != 1 || alone.PerLink() != 0 {
		t.Errorf("alone: %v, %v, %v", alone.Period(0), alone.MeanRate(tenGbit), alone.Efficiency(0))
	}
	// Without limit: 21 GB each 2 + 6·0.015 s.
	printed(t, "per link", fourHubs.PerLink().GB(), "21.000000000")
	printed(t, "unlimited", float64(fourHubs.MeanRate(unit.Unlimited()))/1e9, "10.047846890")
	local := fourHubs.Every(100)
	printed(t, "step", float64(local.Step(tenGbit)), "2.168900000") // (200 + 16.89)/100
	printed(t, "step of each", float64(fourHubs.Step(tenGbit)), "18.890000000")
}

// Four hubs that sync each step, and each 500th.
func ExampleSync() {
	each := task.Sync{Compute: 2, Volume: 14 * unit.GB, Places: 4, Alpha: 0.015}
	rare := each.Every(500)
	fmt.Println(each.Period(1.25e9), each.MeanRate(1.25e9))
	fmt.Println(rare.Period(1.25e9), rare.MeanRate(1.25e9))
	// Output:
	// 18.9s 8.89Gbit/s
	// 16.9min 165Mbit/s
}
