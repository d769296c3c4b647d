package task_test

import (
	"math"
	"testing"

	"tiersim/sim/rng"
	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// A sample is a set of independent numbers.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(x float64) { s.n++; s.sum += x; s.squares += x * x }

// holds wants the value inside the 99.9 % interval of the sample's mean (normal
// quantile 3.2905), and that to be within 2 % on either side.
func (s *sample) holds(t *testing.T, what string, value float64) {
	t.Helper()
	mean := s.sum / s.n
	half := 3.2905 * math.Sqrt((s.squares/s.n-mean*mean)/(s.n-1))
	if half > 0.02*value {
		t.Errorf("%s: the half-width %g says nothing about %g", what, half, value)
	}
	if math.Abs(mean-value) > half {
		t.Errorf("%s: got %.6g ± %.2g, want %.6g", what, mean, half, value)
	}
}

// A player runs a task to its end, attempt by attempt, each from what the cut
// before it left.
type player struct {
	stream  rng.Stream
	law     rng.Distribution // time to the next interruption, anew for each attempt
	restart unit.Seconds
	mayFail bool // whether a restart can be interrupted
	cut     func(task.Split)
}

// play returns the time from begin to end.
func (r *player) play(p task.Plan) unit.Seconds {
	var total unit.Seconds
	for {
		next := unit.Seconds(r.stream.Draw(r.law))
		if !r.mayFail {
			next += p.Restart
		}
		if next >= p.Length() {
			return total + p.Done().Sum()
		}
		s := p.At(next)
		if r.cut != nil {
			r.cut(s)
		}
		total += next
		p.Left -= s.Kept
		p.Restart = r.restart
	}
}

// hours plays n runs and returns their times in hours.
func (r *player) hours(n int, p task.Plan) *sample {
	var s sample
	for range n {
		s.add(r.play(p).Hours())
	}
	return &s
}

func seeded(name string, law rng.Distribution, restart unit.Seconds, mayFail bool) *player {
	return &player{stream: rng.New(1, 0).Stream(name), law: law, restart: restart, mayFail: mayFail}
}

const runs = 100_000

// Work of 10 h in 5 segments of 2 h, each with a save of 5 min; M = 24 h, restart
// 10 min.
func TestPlayedWithCheckpoints(t *testing.T) {
	p := task.Plan{Left: 10 * unit.Hour, Interval: 2 * unit.Hour, Save: 5 * minute, Final: true, Saves: true}
	for mayFail, want := range map[bool]string{true: "10.957983275", false: "10.957720270"} {
		expected := p.ExpectedRunTime(10*minute, 24*unit.Hour, mayFail).Hours()
		printed(t, "plan", expected, want)
		printed(t, "formula", task.ExpectedRunTime(p.Left, p.Interval, p.Save, 10*minute, 24*unit.Hour, mayFail).Hours(), want)
		seeded("C3", rng.Exponential(86400), 10*minute, mayFail).hours(runs, p).holds(t, "played", expected)
	}
}

// The same work without checkpoints: one segment, no save. 500 h of it take 1.1
// billion days.
func TestPlayedWithoutCheckpoints(t *testing.T) {
	expected := task.ExpectedRunTime(10*unit.Hour, never, 0, 10*minute, 24*unit.Hour, true)
	printed(t, "10 h", expected.Hours(), "12.491972403")
	long := task.ExpectedRunTime(500*unit.Hour, never, 0, 10*minute, 24*unit.Hour, true)
	printed(t, "500 h, 10⁹ days", float64(long/unit.Day)/1e9, "1.1241")
	p := task.Plan{Left: 10 * unit.Hour}
	if got := p.ExpectedRunTime(10*minute, 24*unit.Hour, true); got != expected {
		t.Errorf("plan: %v, formula: %v", got, expected)
	}
	seeded("C4", rng.Exponential(86400), 10*minute, true).hours(runs, p).holds(t, "played", expected.Hours())
}

// In segments of 125 min at M = 24 h: the time since the begin of the segment at
// an interruption, and the interruptions in 5 segments.
func TestPlayedLosses(t *testing.T) {
	lost, failures := task.ExpectedLost(125*minute, 24*unit.Hour), task.ExpectedFailures(5, 125*minute, 24*unit.Hour)
	printed(t, "lost", minutes(lost), "61.595889001")
	printed(t, "failures", failures, "0.453422908")
	p := task.Plan{Left: 10 * unit.Hour, Interval: 2 * unit.Hour, Save: 5 * minute, Final: true, Saves: true}
	var perCut, perRun sample
	count := 0.0
	r := seeded("C5", rng.Exponential(86400), 0, true)
	r.cut = func(s task.Split) {
		count++
		finished := math.Round(float64(s.Kept / p.Interval))
		perCut.add(minutes(s.Lost + s.Save - unit.Seconds(finished)*p.Save))
	}
	for range runs {
		count = 0
		r.play(p)
		perRun.add(count)
	}
	perCut.holds(t, "lost, played", minutes(lost))
	perRun.holds(t, "failures, played", failures)
}

// 2 h from scratch each time, under a Weibull law of shape 0.7 and scale 4 h and
// under the exponential law of the same mean, whose form is closed.
func TestPlayedFromScratch(t *testing.T) {
	weibull := rng.Weibull(0.7, 4*3600)
	printed(t, "mean", weibull.Mean()/3600, "5.063294024")
	printed(t, "survival", 1-weibull.CDF(2*3600), "0.540331625")
	exponential := rng.Exponential(weibull.Mean())
	closed := task.ExpectedRunTime(2*unit.Hour, never, 0, 0, unit.Seconds(weibull.Mean()), true)
	printed(t, "closed", closed.Hours(), "2.452577888")
	for _, c := range []struct {
		what string
		law  rng.Distribution
		want string
	}{{"Weibull", weibull, "2.612194781"}, {"exponential", exponential, "2.452577888"}} {
		expected := task.RestartFromScratch(2*unit.Hour, c.law).Hours()
		printed(t, c.what, expected, c.want)
		seeded("C8", c.law, 0, true).hours(runs, task.Plan{Left: 2 * unit.Hour}).holds(t, c.what+", played", expected)
	}
}

// Spot capacity, M = 3.352 h: 10 h of work at the best interval for saves of 2 min
// and restarts of 5 min. The formula has 22.185 segments, which nobody can play, so
// 22 whole ones are, in the same proportion; and the work itself, which has a
// last piece of 0.185 segments without a save, against the plan's own expectation.
// That piece takes M·(e^(5.0/201) − 1) = 5.1 min instead of 0.185·M·(e^(29/201) − 1)
// = 5.8 min, which puts the plan 1.0·10⁻³ below the formula.
func TestPlayedSpot(t *testing.T) {
	m := unit.Seconds(3.352 * 3600)
	interval := task.ExactInterval(2*minute, m)
	printed(t, "interval", minutes(interval), "27.045990123")
	expected := task.ExpectedRunTime(10*unit.Hour, interval, 2*minute, 5*minute, m, true)
	printed(t, "run time", expected.Hours(), "11.844540742")

	r := seeded("C10", rng.Exponential(float64(m)), 5*minute, true)
	whole := task.Plan{Left: 22 * interval, Interval: interval, Save: 2 * minute, Final: true, Saves: true}
	r.hours(runs/4, whole).holds(t, "22 segments, played", expected.Hours()*float64(whole.Left/(10*unit.Hour)))

	work := task.Plan{Left: 10 * unit.Hour, Interval: interval, Save: 2 * minute, Saves: true}
	own := work.ExpectedRunTime(5*minute, m, true)
	r.hours(runs/4, work).holds(t, "10 h, played", own.Hours())
	if d := float64(own/expected) - 1; d > -1.0e-3 || d < -1.1e-3 {
		t.Errorf("the plan is off the formula by %g", d)
	}
}

// A first loading of another length than the restarts, that may fail or may not.
func TestPlayedFirstLoading(t *testing.T) {
	p := task.Plan{Restart: 2 * unit.Hour, Left: 5 * unit.Hour, Interval: 2 * unit.Hour, Save: 20 * minute, Saves: true}
	for _, mayFail := range []bool{false, true} {
		expected := p.ExpectedRunTime(30*minute, 6*unit.Hour, mayFail).Hours()
		seeded("load", rng.Exponential(6*3600), 30*minute, mayFail).hours(runs, p).holds(t, "played", expected)
	}
}
