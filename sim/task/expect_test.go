package task_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/rng"
	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// printed wants got to be the number whose decimals are given: to half a unit of
// the last one, or to 10⁻⁹ of it, which a few printed numbers miss by truncation.
func printed(t *testing.T, what string, got float64, want string) {
	t.Helper()
	v, err := strconv.ParseFloat(want, 64)
	if err != nil {
		t.Fatal(err)
	}
	_, decimals, _ := strings.Cut(want, ".")
	half := 0.5001 * math.Pow(10, -float64(len(decimals)))
	if d := math.Abs(got - v); !(d <= max(half, 1e-9*math.Abs(v))) {
		t.Errorf("%s: got %.12g, want %s", what, got, want)
	}
}

const minute = unit.Seconds(60)

func minutes(s unit.Seconds) float64 { return float64(s / minute) }

// The intervals of Daly's figures (M of 24 h, 6 h, 15 min at a save of 5 min),
// where he prints 117, 57 and 9.1 min, and that of the exact optimum.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		mtbf               unit.Seconds
		young, daly, exact string
	}{
		{24 * unit.Hour, "120.0000000", "116.6898148", "116.6900733"},
		{6 * unit.Hour, "60.00000000", "56.71296296", "56.71400200"},
		{15 * minute, "12.24744871", "9.140919986", "9.166502821"},
	} {
		printed(t, "Young", minutes(task.YoungInterval(5*minute, c.mtbf)), c.young)
		printed(t, "Daly", minutes(task.OptimalInterval(5*minute, c.mtbf)), c.daly)
		printed(t, "exact", minutes(task.ExactInterval(5*minute, c.mtbf)), c.exact)
	}
	for name, interval := range map[string]func(_, _ unit.Seconds) unit.Seconds{
		"Young": task.YoungInterval, "Daly": task.OptimalInterval, "exact": task.ExactInterval,
	} {
		if got := interval(0, unit.Hour); got != 0 {
			t.Errorf("%s: %v for a save that takes no time", name, got)
		}
		if got := interval(300, never); got != never {
			t.Errorf("%s: %v without interruptions", name, got)
		}
		if got := interval(0, never); got != 0 {
			t.Errorf("%s: %v for neither", name, got)
		}
	}
	if got := task.OptimalInterval(3*unit.Hour, unit.Hour); got != unit.Hour {
		t.Errorf("Daly: %v at a save above 2M, want M", got)
	}
}

// No interval beats the exact one, and Daly's loses less than 2·10⁻⁵ of the run
// time to it while M is at least twice the save.
func TestExactIntervalIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		save := unit.Seconds(1)
		mtbf := unit.Seconds(math.Pow(10, rapid.Float64Range(math.Log10(2), 12).Draw(t, "log mtbf")))
		run := func(interval unit.Seconds) float64 {
			return float64(task.ExpectedRunTime(1e15, interval, save, 0, mtbf, true))
		}
		exact := task.ExactInterval(save, mtbf)
		best := run(exact)
		for _, f := range []unit.Seconds{0.5, 0.9, 0.999, 1.001, 1.1, 2} {
			if other := run(f * exact); other < best*(1-1e-14) {
				t.Errorf("mtbf %v: %v of the exact interval takes %v, itself %v", float64(mtbf), float64(f), other, best)
			}
		}
		if daly := run(task.OptimalInterval(save, mtbf)); daly > best*(1+2e-5) {
			t.Errorf("mtbf %v: Daly's takes %v, the exact one %v", float64(mtbf), daly, best)
		}
	})
}

// Far from the branch point W₀(z) → z, so τ → M·(1 − e^(−1−δ/M)); next to it
// τ = √(2δM)·(1 − ⅓·√(2δ/M) + ...).
func TestExactIntervalAtItsEnds(t *testing.T) {
	if got := float64(task.ExactInterval(20, 1)); math.Abs(got-(1-math.Exp(-21))) > 1e-15 {
		t.Errorf("save of 20 M: %v M", got)
	}
	if got := float64(task.ExactInterval(1e4, 1)); got != 1 {
		t.Errorf("save of 10⁴ M: %v M", got)
	}
	if got, want := float64(task.ExactInterval(1, 1e12)), math.Sqrt(2e12)*(1-math.Sqrt(2e-12)/3); math.Abs(got-want) > 1e-9*want {
		t.Errorf("save of 10⁻¹² M: %v, want %v", got, want)
	}
}

// Daly's example: 500 h of work, M = 24 h, restart 10 min, save 5 min.
func TestExpectedRunTimeOfDaly(t *testing.T) {
	run := func(interval unit.Seconds) float64 {
		return task.ExpectedRunTime(500*unit.Hour, interval, 5*minute, 10*minute, 24*unit.Hour, true).Hours()
	}
	printed(t, "60 min", run(60*minute), "557.9389736")
	printed(t, "117 min", run(117*minute), "547.8819386")
	printed(t, "120 min", run(120*minute), "547.8991638")
	printed(t, "240 min", run(240*minute), "560.2858605")
	best := run(task.ExactInterval(5*minute, 24*unit.Hour))
	printed(t, "optimum", best, "547.8817825")
	printed(t, "efficiency", 500/best, "0.9126056")
}

// Where the interval divides the work, the whole plan with a final save takes
// what the formula with a real number of segments says.
func TestPlanIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := float64(rapid.IntRange(1, 50).Draw(t, "segments"))
		draw := func(name string) unit.Seconds { return unit.Seconds(rapid.Float64Range(1, 1e4).Draw(t, name)) }
		interval, save, restart, mtbf := draw("interval"), draw("save"), draw("restart"), 100*draw("mtbf")
		mayFail := rapid.Bool().Draw(t, "restart may fail")
		work := unit.Seconds(n) * interval
		p := task.Plan{Left: work, Interval: interval, Save: save, Final: true, Saves: true}
		want := task.ExpectedRunTime(work, interval, save, restart, mtbf, mayFail)
		if got := p.ExpectedRunTime(restart, mtbf, mayFail); math.Abs(float64(got-want)) > 1e-12*float64(want) {
			t.Errorf("got %v, want %v", float64(got), float64(want))
		}
	})
}

// Without interruptions everything takes its length; without work, none. What has
// a limit takes it.
func TestExpectationsAtTheirEnds(t *testing.T) {
	p := task.Plan{Restart: 60, Left: 36000, Interval: 7200, Save: 300, Saves: true}
	continuous, none := p, p
	continuous.Interval, continuous.Save = 0, 0
	none.Saves = false
	for _, q := range []task.Plan{p, continuous, none, {Restart: 60, Saves: true}} {
		for _, mayFail := range []bool{false, true} {
			if got, want := q.ExpectedRunTime(600, never, mayFail), q.Length(); got != want {
				t.Errorf("%+v: got %v, want %v", q, got, want)
			}
		}
	}
	for _, c := range []struct {
		what      string
		got, want unit.Seconds
	}{
		{"no interruptions", task.ExpectedRunTime(36000, 7200, 300, 600, never, true), 37500},
		{"no work", task.ExpectedRunTime(0, 7200, 300, 600, unit.Hour, true), 0},
		{"one segment", task.ExpectedRunTime(3600, 7200, 300, 600, never, true), 3900},
		{"continuous", task.ExpectedRunTime(36000, 0, 0, 600, 6000, false), 39600},
		{"interval 0 is the save", task.ExpectedRunTime(36000, 0, 300, 600, never, false), 72000},
		{"beyond all numbers", task.ExpectedRunTime(1e6, never, 0, 600, 1, true), never},
		{"lost, rare interruptions", task.ExpectedLost(100, never), 50},
		{"lost, long segment", task.ExpectedLost(1e6, 10), 10},
		{"no chance", task.RestartFromScratch(100, rng.Constant(50)), never},
		{"no danger", task.RestartFromScratch(100, rng.Constant(150)), 100},
	} {
		if c.got != c.want && math.Abs(float64(c.got-c.want)) > 1e-12*float64(c.want) {
			t.Errorf("%s: got %v, want %v", c.what, float64(c.got), float64(c.want))
		}
	}
	// Both branches of ExpectedLost meet.
	if a, b := task.ExpectedLost(0.0099999999, 1)/0.0099999999, task.ExpectedLost(0.01, 1)/0.01; math.Abs(float64(a-b)) > 1e-10 {
		t.Errorf("lost: %v below the seam, %v above", float64(a), float64(b))
	}
}

// An exponential law has the closed form M·(e^(w/M) − 1), to the digits.
func TestRestartFromScratchOfTheExponential(t *testing.T) {
	for _, w := range []unit.Seconds{1e-3, 1, 50, 600} {
		got, want := task.RestartFromScratch(w, rng.Exponential(1)), task.ExpectedRunTime(w, never, 0, 0, 1, true)
		if math.Abs(float64(got-want)) > 1e-12*float64(want) {
			t.Errorf("work %v: got %v, want %v", float64(w), float64(got), float64(want))
		}
	}
}

// Clusters: RSC-1 of Meta at 8 accelerators per node, and the training of Llama 3
// on 2048 nodes for 54 days.
func TestFailureRates(t *testing.T) {
	for accelerators, want := range map[float64]string{1024: "28.846153846", 16384: "1.802884615", 131072: "0.225360577"} {
		printed(t, "RSC-1", task.PerNodeDay(6.5e-3).MTBF(accelerators/8).Hours(), want)
	}
	for events, want := range map[float64]string{419: "3.093078759", 466: "2.781115880"} {
		printed(t, "Llama 3", task.ObservedRate(events, 2048, 54*unit.Day).MTBF(2048).Hours(), want)
	}
	printed(t, "per node-day", 1000*float64(task.ObservedRate(419, 2048, 54*unit.Day)), "3.788700810")
}

func TestETTR(t *testing.T) {
	m := task.PerNodeDay(6.5e-3).MTBF(2048)
	printed(t, "15 min", task.ETTR(m, 5*minute, 15*minute, 20), "0.865217391")
	printed(t, "1 h", task.ETTR(m, 10*minute, unit.Hour, 60), "0.619890710")
}

// An 8 h task without checkpoints, M = 48 h, restart 15 min; an hour of it is worth
// 104 (8 slots at 8, and 40 for its turnaround).
func TestInterruptionCost(t *testing.T) {
	const work, m = 8 * unit.Hour, 48 * unit.Hour
	run := task.Plan{Left: work}.ExpectedRunTime(15*minute, m, true)
	printed(t, "probability", task.InterruptionProbability(work, m), "0.153518275")
	printed(t, "lost", task.ExpectedLost(work, m).Hours(), "3.888940295")
	printed(t, "run time", run.Hours(), "8.750758199")
	printed(t, "cost", float64(unit.PerHour(104).For(run-work)), "78.078853")
}

// The interval that Daly's formula gives to a save of 5 min at one interruption a
// day, and the time that 10 h of work then take.
func ExampleOptimalInterval() {
	interval := task.OptimalInterval(300, unit.Day)
	run := task.Plan{Left: 10 * unit.Hour, Interval: interval, Save: 300, Saves: true}
	fmt.Println(interval, run.ExpectedRunTime(600, unit.Day, true))
	// Output: 1.94h 10.9h
}
