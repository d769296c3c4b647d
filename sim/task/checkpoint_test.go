package task_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tiersim/sim/task"
	"tiersim/sim/unit"
)

var never = unit.Seconds(math.Inf(1))

// A piece that is no longer than the interval and has no work after it gets no
// save, unless Final asks for it. Rounding makes no piece of its own.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		left, interval, save unit.Seconds
		final, saves         bool
		want                 float64
	}{
		{36000, 7200, 300, false, true, 4},
		{36000, 7200, 300, true, true, 5},
		{36000 * (1 + 1e-8), 7200, 300, false, true, 4}, // 5.00000005 pieces
		{36000 * (1 - 1e-5), 7200, 300, false, true, 4}, // 4.99995 pieces
		{36000 * (1 - 1e-5), 7200, 300, true, true, 5},
		{36001, 7200, 300, false, true, 5},
		{7200, 7200, 300, false, true, 0},
		{100, 7200, 300, true, true, 1},
		{0.3, 0.1, 1, false, true, 2}, // 0.3/0.1 is 2.9999999999999996
		{0.7, 0.1, 1, true, true, 7},  // 0.7/0.1 is 6.999999999999999
		{36000, never, 300, false, true, 0},
		{36000, never, 300, true, true, 1},
		{36000, 7200, 300, true, false, 0}, // nothing is kept
		{36000, 0, 300, false, true, 119},  // an interval as long as a save: 120 pieces
		{36000, 0, 0, true, true, 0},       // continuous
		{36000, 7200, 0, false, true, 4},   // saves that take no time
		{0, 7200, 300, true, true, 0},      // nothing to save
	} {
		p := task.Plan{Restart: 60, Left: c.left, Interval: c.interval, Save: c.save, Final: c.final, Saves: c.saves}
		if got := p.Count(); got != c.want {
			t.Errorf("%+v: %v saves, want %v", p, got, c.want)
		}
		if got, want := p.Length(), 60+c.left+unit.Seconds(c.want)*c.save; got != want {
			t.Errorf("%+v: length %v, want %v", p, float64(got), float64(want))
		}
	}
}

// 10 s of loading, then pieces of 100, 100 and 50 s with saves of 20 s between
// them: load to 10, work to 110, save to 130, work to 230, save to 250, work to
// 300, with Final a save to 320.
func TestAt(t *testing.T) {
	three := task.Plan{Restart: 10, Left: 250, Interval: 100, Save: 20, Saves: true}
	final, none, continuous := three, three, three
	final.Final = true
	none.Saves = false
	continuous.Interval, continuous.Save = 0, 0
	for _, c := range []struct {
		plan    task.Plan
		elapsed unit.Seconds
		want    task.Split
	}{
		{three, 0, task.Split{}},
		{three, 4, task.Split{Restart: 4}},
		{three, 10, task.Split{Restart: 10}},
		{three, 60, task.Split{Restart: 10, Lost: 50}},
		{three, 115, task.Split{Restart: 10, Lost: 100, Save: 5}},
		{three, 130, task.Split{Restart: 10, Kept: 100, Save: 20}},
		{three, 140, task.Split{Restart: 10, Kept: 100, Save: 20, Lost: 10}},
		{three, 240, task.Split{Restart: 10, Kept: 100, Save: 30, Lost: 100}},
		{three, 250, task.Split{Restart: 10, Kept: 200, Save: 40}},
		{three, 300, task.Split{Restart: 10, Kept: 200, Save: 40, Lost: 50}},
		{final, 310, task.Split{Restart: 10, Kept: 200, Save: 50, Lost: 50}},
		{final, 320, task.Split{Restart: 10, Kept: 250, Save: 60}},
		{none, 260, task.Split{Restart: 10, Lost: 250}},
		{continuous, 77, task.Split{Restart: 10, Kept: 67}},
		{task.Plan{Left: 50}, 50, task.Split{Lost: 50}},
	} {
		if d := cmp.Diff(c.want, c.plan.At(c.elapsed)); d != "" {
			t.Errorf("%+v at %v (-want +got):\n%s", c.plan, float64(c.elapsed), d)
		}
	}
}

// The same plan, with a notice. A save of 20 s that ends with the cut begins 20 s
// before it; where a regular save is under way then, nothing changes.
func TestNoticed(t *testing.T) {
	p := task.Plan{Restart: 10, Left: 250, Interval: 100, Save: 20, Saves: true}
	none, final, continuous := p, p, p
	none.Saves = false
	final.Final = true
	continuous.Interval, continuous.Save = 0, 0
	for _, c := range []struct {
		what            string
		plan            task.Plan
		elapsed, notice unit.Seconds
		want            task.Split
	}{
		{"fits", p, 90, 20, task.Split{Restart: 10, Kept: 60, Save: 20}},
		{"longer notice, same save", p, 90, 60, task.Split{Restart: 10, Kept: 60, Save: 20}},
		{"does not fit", p, 90, 19, task.Split{Restart: 10, Lost: 80}},
		{"begins as the regular one would", p, 130, 20, task.Split{Restart: 10, Kept: 100, Save: 20}},
		{"regular one under way at 125", p, 145, 20, task.Split{Restart: 10, Kept: 100, Save: 20, Lost: 15}},
		{"regular one just finished at 130", p, 150, 20, task.Split{Restart: 10, Kept: 100, Save: 40}},
		{"in the second piece", p, 180, 30, task.Split{Restart: 10, Kept: 130, Save: 40}},
		{"while loading", p, 25, 25, task.Split{Restart: 10, Lost: 15}},
		{"as the last piece ends", p, 300, 20, task.Split{Restart: 10, Kept: 230, Save: 60}},
		{"before the final save", final, 315, 20, task.Split{Restart: 10, Kept: 245, Save: 60}},
		{"final save under way to its end", final, 320, 20, task.Split{Restart: 10, Kept: 250, Save: 60}},
		{"no notice", p, 90, 0, task.Split{Restart: 10, Lost: 80}},
		{"nothing kept", none, 90, 60, task.Split{Restart: 10, Lost: 80}},
		{"continuous", continuous, 77, 5, task.Split{Restart: 10, Kept: 67}},
	} {
		if d := cmp.Diff(c.want, c.plan.Noticed(c.elapsed, c.notice)); d != "" {
			t.Errorf("%s: %+v at %v (-want +got):\n%s", c.what, c.plan, float64(c.elapsed), d)
		}
	}
}

// drawPlan draws plans of up to 100 pieces, whole numbers of them and the odd
// cases included.
func drawPlan(t *rapid.T) task.Plan {
	p := task.Plan{
		Restart: unit.Seconds(rapid.SampledFrom([]float64{0, 0.7, 60, 3333.3}).Draw(t, "restart")),
		Left:    unit.Seconds(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1, 1e6)).Draw(t, "left")),
		Save:    unit.Seconds(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-3, 1e4)).Draw(t, "save")),
		Final:   rapid.Bool().Draw(t, "final"),
		Saves:   rapid.IntRange(0, 9).Draw(t, "saves") > 0,
	}
	pieces := rapid.OneOf(rapid.Float64Range(0.1, 100), rapid.Map(rapid.IntRange(0, 100), func(n int) float64 { return float64(n) }))
	p.Interval = p.Left / unit.Seconds(pieces.Draw(t, "pieces")) // 0 pieces: +Inf
	if p.Left == 0 || p.Left < 100*p.Save && rapid.IntRange(0, 9).Draw(t, "interval") == 0 {
		p.Interval = 0
	}
	return p
}

func drawElapsed(t *rapid.T, p task.Plan) unit.Seconds {
	share := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1}))
	return p.Length() * unit.Seconds(share.Draw(t, "elapsed"))
}

// phases is the plain form of a plan: what follows what.
func phases(p task.Plan, each func(kind byte, length unit.Seconds)) {
	each('r', p.Restart)
	step := p.Interval
	if !p.Saves {
		step = never
	} else if step == 0 {
		step = p.Save
	}
	for left := p.Left; left > 0; {
		piece := min(step, left)
		if left-piece < 1e-6*step {
			piece = left
		}
		left -= piece
		each('w', piece)
		if p.Saves && (left > 0 || p.Final) {
			each('s', p.Save)
		}
	}
}

// plainAt walks through the phases until elapsed is used up.
func plainAt(p task.Plan, elapsed unit.Seconds) (s task.Split) {
	phases(p, func(kind byte, length unit.Seconds) {
		spent := min(length, elapsed)
		elapsed -= spent
		switch kind {
		case 'r':
			s.Restart = spent
		case 'w':
			s.Lost += spent
		case 's':
			s.Save += spent
			if spent == length && (length > 0 || elapsed > 0) {
				s.Kept, s.Lost = s.Kept+s.Lost, 0
			}
		}
	})
	return s
}

// A cut leaves what walking through the attempt phase by phase leaves, but for
// the grain within which a save counts as finished.
func TestAtIsAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		if p.Interval == 0 && p.Save == 0 {
			t.Skip("continuous")
		}
		elapsed := drawElapsed(t, p)
		got := p.At(elapsed)
		near := cmp.Comparer(func(x, y unit.Seconds) bool {
			return math.Abs(float64(x-y)) <= 1e-9*float64(elapsed)+1e-5
		})
		for _, late := range []unit.Seconds{0, 2e-6} {
			if cmp.Equal(plainAt(p, elapsed+late), got, near) {
				return
			}
		}
		t.Errorf("%+v at %v: %s", p, float64(elapsed), cmp.Diff(plainAt(p, elapsed), got))
	})
}

// The number of saves and the length are those of a walk.
func TestLengthIsAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		if p.Interval == 0 && p.Save == 0 {
			t.Skip("continuous")
		}
		var saves float64
		var length unit.Seconds
		phases(p, func(kind byte, l unit.Seconds) {
			length += l
			if kind == 's' {
				saves++
			}
		})
		if got := p.Count(); got != saves {
			t.Errorf("%+v: %v saves, want %v", p, got, saves)
		}
		if got := p.Length(); math.Abs(float64(got-length)) > 1e-9*float64(length) {
			t.Errorf("%+v: length %v, want %v", p, float64(got), float64(length))
		}
	})
}

// The parts of a split add up to the time elapsed (four roundings of it), none is
// negative, and no more is kept than there was.
func TestSplitsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		elapsed := drawElapsed(t, p)
		notice := unit.Seconds(rapid.Float64Range(0, 2e4).Draw(t, "notice"))
		check := func(what string, s task.Split, elapsed unit.Seconds) {
			if d := math.Abs(float64(s.Sum() - elapsed)); d > 8e-16*float64(elapsed+p.Save) {
				t.Errorf("%s: %+v at %v: %+v is off by %g", what, p, float64(elapsed), s, d)
			}
			if s.Restart < 0 || s.Kept < 0 || s.Save < 0 || s.Lost < 0 || s.Kept > p.Left {
				t.Errorf("%s: %+v at %v: %+v", what, p, float64(elapsed), s)
			}
		}
		check("at", p.At(elapsed), elapsed)
		check("noticed", p.Noticed(elapsed, notice), elapsed)
		check("done", p.Done(), p.Length())
	})
}

// What is kept never falls as time goes on, and a notice never makes it less. With
// a notice in which a save fits, no more than a save's time of work is lost once
// the attempt is loaded.
func TestKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		a, b := drawElapsed(t, p), drawElapsed(t, p)
		a, b = min(a, b), max(a, b)
		notice := unit.Seconds(rapid.Float64Range(1e-3, 2e4).Draw(t, "notice"))
		if p.At(a).Kept > p.At(b).Kept {
			t.Errorf("%+v: kept falls from %+v to %+v", p, p.At(a), p.At(b))
		}
		told := p.Noticed(a, notice)
		if tol := 1e-9*a + 2e-6; told.Kept > p.Noticed(b, notice).Kept+tol {
			t.Errorf("%+v, notice %v: kept falls from %+v to %+v", p, float64(notice), told, p.Noticed(b, notice))
		} else if told.Kept < p.At(a).Kept-tol {
			t.Errorf("%+v, notice %v: keeps less, %+v", p, float64(notice), told)
		} else if p.Saves && notice >= p.Save && told.Lost > p.Save+tol {
			t.Errorf("%+v, notice %v: %+v", p, float64(notice), told)
		}
	})
}

// Three cuts and a last attempt compute each second of the work once, beside
// what was lost: the kept parts of all attempts add up to the work.
func TestCutsLeaveTheRestOfTheWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		work := p.Left
		var kept unit.Seconds
		for range 3 {
			s := p.At(drawElapsed(t, p))
			kept += s.Kept
			p.Left -= s.Kept
		}
		kept += p.Done().Kept
		if d := math.Abs(float64(kept - work)); d > 1e-14*float64(work) {
			t.Errorf("work %v, kept %v", float64(work), float64(kept))
		}
	})
}

// A cut outside the attempt is a broken promise.
func TestAtOutside(t *testing.T) {
	for _, elapsed := range []unit.Seconds{-1, 101, never, unit.Seconds(math.NaN())} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic at %v", float64(elapsed))
				}
			}()
			task.Plan{Left: 100}.At(elapsed)
		}()
	}
}

// A task of 10 h that saves for 5 min after every 2 h is cut 5 h after its begin,
// and once more with a notice of 10 min.
func ExamplePlan_At() {
	p := task.Plan{Left: 10 * unit.Hour, Interval: 2 * unit.Hour, Save: 300, Saves: true}
	cut, told := p.At(5*unit.Hour), p.Noticed(5*unit.Hour, 600)
	fmt.Println("cut: kept", cut.Kept, "saves", cut.Save, "lost", cut.Lost)
	fmt.Println("told: kept", told.Kept, "saves", told.Save, "lost", told.Lost)
	// Output:
	// cut: kept 4h saves 10min lost 50min
	// told: kept 4.75h saves 15min lost 0s
}
