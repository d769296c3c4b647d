package profile_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// begin returns the course of a law in a replication.
func begin(l profile.Law, replication int) profile.Course {
	return l.Begin(rng.New(1, replication), "link/a-b")
}

// must returns a law that has to be one.
func must(l profile.Law, err error) profile.Law {
	if err != nil {
		panic(err)
	}
	return l
}

func constant(v float64) profile.Law { return profile.Constant{Value: factor(v)} }

// follow returns the first changes of a course, instant 0 first.
func follow(c profile.Course, changes int) []step {
	all := []step{{0, c.Value()}}
	for range changes {
		at, v, ok := c.Next()
		if !ok {
			break
		}
		all = append(all, step{at, v})
	}
	return all
}

// valueAt returns the value of followed changes at an instant.
func valueAt(all []step, t unit.Time) float64 {
	i, found := slices.BinarySearchFunc(all, t, func(s step, t unit.Time) int {
		switch {
		case s.at < t:
			return -1
		case s.at > t:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	return all[i].value
}

// timeToMove returns how long an amount takes through a course of rates, alone.
func timeToMove(c profile.Course, amount float64) float64 {
	now, left := 0.0, amount
	for {
		rate := c.Value()
		at, _, ok := c.Next()
		if end := now + left/rate; !ok || end <= float64(at) {
			return end
		}
		left -= rate * (float64(at) - now)
		now = float64(at)
	}
}

// moved returns the amount that a course of rates moves by an instant.
func moved(c profile.Course, until float64) float64 {
	now, sum := 0.0, 0.0
	for {
		rate := c.Value()
		at, _, ok := c.Next()
		if !ok || float64(at) >= until {
			return sum + rate*(until-now)
		}
		sum += rate * (float64(at) - now)
		now = float64(at)
	}
}

// meanIs says that a mean is what it should be: within the 99.9 % interval of the
// sample, whose half-width must be at most 2 %.
func meanIs(t *testing.T, what string, sample []float64, want float64) {
	t.Helper()
	mean, squares, n := 0.0, 0.0, float64(len(sample))
	for _, x := range sample {
		mean += x / n
	}
	for _, x := range sample {
		squares += (x - mean) * (x - mean)
	}
	half := 3.291 * math.Sqrt(squares/(n-1)/n)
	if half > 0.02*want {
		t.Errorf("%s: the interval of ±%g is too wide to say anything of %g", what, half, want)
	}
	if math.Abs(mean-want) > half+1e-12*want {
		t.Errorf("%s: %g ± %g, want %g", what, mean, half, want)
	}
}

// sdIs says that of a standard deviation around a known mean. The half-width of a
// standard deviation is half that of the variance, relatively.
func sdIs(t *testing.T, what string, sample []float64, mean, want float64) {
	t.Helper()
	variance, fourth, n := 0.0, 0.0, float64(len(sample))
	for _, x := range sample {
		s := (x - mean) * (x - mean)
		variance += s / n
		fourth += s * s / n
	}
	half := 3.291 * math.Sqrt((fourth-variance*variance)/n) / (2 * want)
	if half > 0.02*want {
		t.Errorf("%s: the interval of ±%g is too wide to say anything of %g", what, half, want)
	}
	if sd := math.Sqrt(variance); math.Abs(sd-want) > half {
		t.Errorf("%s: %g ± %g, want %g", what, sd, half, want)
	}
}

// shareIs says that of the share of a sample that is at most x.
func shareIs(t *testing.T, what string, sample []float64, x, want float64) {
	t.Helper()
	is := make([]float64, len(sample))
	for i, y := range sample {
		if y <= x {
			is[i] = 1
		}
	}
	meanIs(t, fmt.Sprintf("%s: share up to %v", what, x), is, want)
}

// close says that two numbers are the same but for rounding.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// lawOf draws a law that is made of up to depth others.
func lawOf(t *rapid.T, depth int) profile.Law {
	kinds := []string{"constant", "hold", "loop", "markov", "stationary", "ou", "outages", "windows"}
	if depth > 0 {
		kinds = append(kinds, "product", "less", "scaled", "bounded", "daily")
	}
	value := func() float64 { return float64(rapid.IntRange(0, 3).Draw(t, "value")) / 2 }
	length := func() unit.Seconds { return unit.Seconds(rapid.IntRange(1, 30).Draw(t, "length")) * 0.1 }
	some := func() (ps []profile.Point) {
		at := unit.Time(0)
		for range rapid.IntRange(1, 5).Draw(t, "points") {
			ps = append(ps, profile.Point{At: at, Value: factor(value())})
			at = at.Add(length())
		}
		return ps
	}
	states := func() (all []profile.State) {
		for range rapid.IntRange(2, 4).Draw(t, "states") {
			all = append(all, profile.State{Value: value(), Dwell: length()})
		}
		return all
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "hold":
		p, err := profile.Hold(some())
		return must(p, err)
	case "loop":
		p, err := profile.Loop(some(), 20)
		return must(p, err)
	case "markov":
		return must(profile.NewMarkov(states(), 1))
	case "stationary":
		return must(profile.NewMarkovStationary(states()))
	case "ou":
		return must(profile.NewOU(1, 2, length(), length())) // wide, so that no bound is too far off
	case "outages":
		return must(profile.NewOutages(profile.Outages{Up: rng.Weibull(0.7, float64(length())), Down: rng.Constant(1), Share: 0.25, To: value() / 2}))
	case "windows":
		return must(profile.NewOutages(profile.Outages{Windows: [][2]unit.Time{{0, 1}, {3, 4}, {4, 5}}}))
	case "product":
		return profile.Product(lawOf(t, depth-1), lawOf(t, depth-1), lawOf(t, depth-1))
	case "less":
		return profile.Less(lawOf(t, depth-1), lawOf(t, depth-1))
	case "scaled":
		return profile.Scaled(lawOf(t, depth-1), value())
	case "bounded":
		return must(profile.NewBounded(lawOf(t, depth-1), 0.25, 0.25+value()))
	case "daily":
		return must(profile.NewDaily(lawOf(t, depth-1), profile.Daily{Amplitude: 0.3, Peak: 21 * unit.Hour, Weekend: 0.5, Step: 1000 * length()}))
	}
	return constant(value())
}

// TestContract checks on random laws what Course promises: instants strictly
// increase, values differ and are not negative, an end is an end; the same course
// again from the law and from a clone that is taken on the way, in whatever order
// they are followed; and another course in another replication only if Random.
func TestContract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := lawOf(t, 2)
		const changes = 40
		c := begin(l, 0)
		all := follow(c, changes)
		for i, s := range all {
			if !(s.value >= 0) || math.IsInf(s.value, 0) {
				t.Fatalf("change %d: the value %v", i, s.value)
			}
			if i > 0 && !(s.at > all[i-1].at && s.at < unit.Forever() && s.value != all[i-1].value) {
				t.Fatalf("change %d: %v after %v", i, s, all[i-1])
			}
		}
		if c.Value() != all[len(all)-1].value {
			t.Fatalf("the value is %v, after %v", c.Value(), all[len(all)-1])
		}
		if len(all) <= changes {
			if _, _, ok := c.Next(); ok || c.Value() != all[len(all)-1].value {
				t.Fatal("goes on after its end")
			}
		}
		again := begin(l, 0)
		half := follow(again, rapid.IntRange(0, changes).Draw(t, "clone after"))
		clone := again.Clone()
		rest := follow(again, changes+1-len(half))
		begin(l, 1)
		if d := cmp.Diff(rest[1:], follow(clone, changes+1-len(half))[1:], cmp.AllowUnexported(step{})); d != "" {
			t.Fatalf("a clone takes another course: %s", d)
		}
		if !slices.Equal(all, append(half, rest[1:]...)) {
			t.Fatalf("begun again: %v then %v, first %v", half, rest, all)
		}
		if !l.Random() && !slices.Equal(all, follow(begin(l, 1), changes)) {
			t.Fatal("not random and another course")
		}
	})
}

// TestNextAllocatesNothing holds for a law of every kind at once.
func TestNextAllocatesNothing(t *testing.T) {
	markov := must(profile.NewMarkovStationary([]profile.State{{Value: 1, Dwell: 600}, {Value: 0.2, Dwell: 200}}))
	ou := must(profile.NewOU(1, 0.25, 1800, 60))
	loop, err := profile.Loop(points(0, 1, 60, 0.2), 100)
	outages := must(profile.NewOutages(profile.Outages{
		Up: rng.Weibull(0.7, 7200), Down: rng.LogNormal(600, 1), Share: 0.25, To: 0.5, Windows: [][2]unit.Time{{100, 200}},
	}))
	daily := must(profile.NewDaily(must(loop, err), profile.Daily{Amplitude: 0.3, Weekend: 1, Step: 300}))
	c := begin(profile.Less(must(profile.NewBounded(profile.Product(markov, ou, daily, outages), 0.01, 2)), profile.Scaled(ou, 0.1)), 0)
	if n := testing.AllocsPerRun(10_000, func() { c.Next() }); n != 0 {
		t.Errorf("%v allocations per change", n)
	}
}

// TestCombinations compares combinations with the same arithmetic at any instant
// on the courses of their parts, begun alone: a part that is there or not, random
// or not, leaves the others as they are.
func TestCombinations(t *testing.T) {
	ou := must(profile.NewOU(1, 0.5, 100, 10))
	outages := must(profile.NewOutages(profile.Outages{Up: rng.Exponential(50), Down: rng.Exponential(20), Share: 0.5, To: 0.5}))
	loop, err := profile.Loop(points(0, 1, 60, 0.2), 100)
	if err != nil {
		t.Fatal(err)
	}
	parts := [3][]step{follow(begin(ou, 0), 2000), follow(begin(outages, 0), 2000), follow(begin(loop, 0), 2000)}
	for _, c := range []struct {
		name string
		law  profile.Law
		want func(ou, outages, loop float64) float64
	}{
		{"product", profile.Product(ou, outages, loop), func(a, b, c float64) float64 { return a * b * c }},
		{"less", profile.Less(ou, loop), func(a, _, c float64) float64 { return max(0, a-c) }},
		{"less of a constant", profile.Product(outages, profile.Less(constant(1), loop)), func(_, b, c float64) float64 { return b * max(0, 1-c) }},
		{"scaled", profile.Scaled(profile.Scaled(ou, 3), 1), func(a, _, _ float64) float64 { return a * 3 }},
		{"unlimited", profile.Scaled(outages, math.Inf(1)), func(_, b, _ float64) float64 {
			if b == 0 {
				return 0
			}
			return math.Inf(1)
		}},
		{"nothing left of what is unlimited", profile.Less(profile.Scaled(outages, math.Inf(1)), constant(math.Inf(1))), func(_, _, _ float64) float64 { return 0 }},
		{"bounded", must(profile.NewBounded(ou, 0.5, 1.5)), func(a, _, _ float64) float64 { return min(max(a, 0.5), 1.5) }},
		{"a factor that is there", profile.Product(constant(2), ou), func(a, _, _ float64) float64 { return 2 * a }},
		{"windows", must(profile.NewOutages(profile.Outages{Up: rng.Exponential(50), Down: rng.Exponential(20), Share: 0.5, To: 0.5, Windows: [][2]unit.Time{{20_000, 30_000}}})), func(_, b, _ float64) float64 { return b }},
		{"regimes drawn beside", profile.Product(must(profile.NewMarkovStationary([]profile.State{{Value: 3, Dwell: 60}, {Value: 3, Dwell: 20}})), outages, ou), func(a, b, _ float64) float64 { return 3 * b * a }},
		{"a use drawn beside", profile.Less(ou, profile.Product(constant(0), ou)), func(a, _, _ float64) float64 { return a }},
		{"no factors", profile.Product(), func(_, _, _ float64) float64 { return 1 }},
	} {
		all := follow(begin(c.law, 0), 2000)
		s := rng.New(2, 0).Stream("instants")
		for range 2000 {
			at := unit.Time(s.Float64() * 10_000)
			if got, want := valueAt(all, at), c.want(valueAt(parts[0], at), valueAt(parts[1], at), valueAt(parts[2], at)); got != want {
				t.Errorf("%s, at %v s: got %v, want %v", c.name, float64(at), got, want)
				break
			}
		}
	}
}

// TestTwoOfAKind says that laws of one kind in one combination are drawn apart:
// the quotients below are values of log-normal processes, none of them the same,
// and how the product is written does not matter.
func TestTwoOfAKind(t *testing.T) {
	ou := must(profile.NewOU(1, 0.5, 100, 10))
	first := func(l profile.Law) float64 { return begin(l, 0).Value() }
	pair := profile.Product(ou, ou)
	one, two, three := first(ou), first(pair), first(profile.Product(ou, ou, ou))
	held := first(profile.Less(constant(10), ou))
	all := []float64{one, two / one, three / two, 10 - held, first(profile.Less(constant(10), pair))}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] < all[i-1]*(1+1e-9) {
			t.Errorf("the same number twice in %v", all)
		}
	}
	near(t, "nested", first(profile.Product(pair, ou)), three, 1e-15)
	near(t, "what is subtracted is not what it is subtracted from", first(profile.Less(profile.Product(constant(20), ou), ou)), 20*one-(10-held), 1e-12)
}

// What never comes near its bounds ends instead of looking on forever.
func TestWhatChangesNoMoreEnds(t *testing.T) {
	ou := must(profile.NewOU(1, 0.02, 3600, 3600))
	for name, l := range map[string]profile.Law{
		"below a floor": must(profile.NewBounded(ou, 10, 20)),
		"one value":     must(profile.NewBounded(ou, 10, 10)),
		"all is used":   profile.Less(constant(0.1), ou),
		"closed":        profile.Product(constant(0), ou),
		"no share":      profile.Scaled(ou, 0),
		"same values":   must(profile.NewMarkov([]profile.State{{Value: 1, Dwell: 1}, {Value: 1, Dwell: 1}}, 0)),
		"no outages":    must(profile.NewOutages(profile.Outages{Up: rng.Constant(1), Down: rng.Constant(1), Share: 1, To: 1})),
		"no cycle":      must(profile.NewDaily(constant(1), profile.Daily{Amplitude: 1, Weekend: 1, Step: unit.Day})),
	} {
		if at, v, ok := begin(l, 0).Next(); ok {
			t.Errorf("%s: %v at %v s", name, v, float64(at))
		}
	}
	// A known change is told, however late.
	late, err := profile.Hold(points(0, 1, 1e10, 2))
	if got := follow(begin(profile.Product(constant(2), must(late, err)), 0), 5); !slices.Equal(got, []step{{0, 2}, {1e10, 4}}) {
		t.Errorf("a late change: %v", got)
	}
}

// N13: 10 Gbit/s for 60 s, then 2 Gbit/s for 40 s, again and again; 1 TB is 8000
// Gbit. A cycle moves 680 Gbit, eleven 7480, and the 520 left take 52 s at 10.
// N11: 300 s at 10 move 3000 Gbit, and 5000 left take 1250 s at 4.
func TestTimeToMove(t *testing.T) {
	loop, err := profile.Loop(points(0, 10, 60, 2), 100)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "N13", timeToMove(begin(loop, 0), 8000), 1152, 1e-12)
	fall, err := profile.Hold(points(0, 10, 300, 4))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "N11", timeToMove(begin(fall, 0), 8000), 1550, 1e-12)
}

func TestLawsRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := func(s ...profile.State) []profile.State { return s }
	fine := profile.State{Value: 1, Dwell: 1}
	day := profile.Daily{Amplitude: 0.3, Peak: 0, Weekend: 1, Step: 300}
	daily := func(change func(*profile.Daily)) (profile.Law, error) {
		d := day
		change(&d)
		return profile.NewDaily(constant(1), d)
	}
	outages := func(o profile.Outages) (profile.Law, error) { return profile.NewOutages(o) }
	exp := rng.Exponential(1)
	of := func(l profile.Law, err error) error { return err }
	for i, c := range []struct {
		err  error
		want string
	}{
		{of(profile.NewOU(0, 1, 1, 1)), "got a mean of 0, want one above 0"},
		{of(profile.NewOU(1, -1, 1, 1)), "got a sigma of -1, want one above 0"},
		{of(profile.NewOU(1, nan, 1, 1)), "got a sigma of NaN, want one above 0"},
		{of(profile.NewOU(1, 50, 1, 1)), "got a sigma of 50, want one from 1e-09 to 10"},
		{of(profile.NewOU(1, 1, 0, 1)), "got a tau of 0 s, want one above 0"},
		{of(profile.NewOU(1, 1, 1, unit.Seconds(inf))), "got a step of +Inf s, want one above 0"},
		{of(profile.NewMarkov(nil, 0)), "no states, want at least one"},
		{of(profile.NewMarkov(two(fine, fine), 2)), "got state 3 of 2 as the first"},
		{of(profile.NewMarkov(two(fine, profile.State{Value: -1, Dwell: 1}), 0)), "state 2: got -1, want a finite value"},
		{of(profile.NewMarkov(two(fine, profile.State{Value: 1}), 0)), "state 2: got a dwell of 0 s, want one above 0"},
		{of(profile.NewMarkov(two(fine, profile.State{Dwell: 1, To: []float64{1}}), 0)), "state 2: got 1 shares, want one for each of 2 states"},
		{of(profile.NewMarkov(two(fine, profile.State{Dwell: 1, To: []float64{0.5, 0.5}}), 0)), "state 2: got a share of 0.5 for itself, want 0"},
		{of(profile.NewMarkov(two(fine, profile.State{Dwell: 1, To: []float64{0.5, 0}}), 0)), "state 2: got shares that add up to 0.5, want 1"},
		{of(profile.NewMarkov(two(fine, profile.State{Dwell: 1, To: []float64{nan, 0}}), 0)), "state 2: got a share of NaN for state 1, want one from 0 on"},
		{of(profile.NewMarkovStationary(two(fine, profile.State{Dwell: unit.Seconds(inf)}, profile.State{Dwell: unit.Seconds(inf)}))), "states 2 and 3 never lead to each other"},
		{of(daily(func(d *profile.Daily) { d.Amplitude = 1.5 })), "got an amplitude of 1.5, want one from 0 to 1"},
		{of(daily(func(d *profile.Daily) { d.Weekend = 4 })), "got a weekend of 4, want a factor of the amplitude that leaves it from 0 to 1"},
		{of(daily(func(d *profile.Daily) { d.Peak = -1 })), "got a peak at -1 s, want a time of day from 0 to 86400 s"},
		{of(daily(func(d *profile.Daily) { d.Step = 0 })), "got a step of 0 s, want one above 0 and at most 86400 s"},
		{of(daily(func(d *profile.Daily) { d.StartOfDay = 86400 })), "got a start at 86400 s of the day, want one from 0 to below 86400 s"},
		{of(daily(func(d *profile.Daily) { d.StartDay = 7 })), "got a start on day 7, want one from 0, Monday, to 6, Sunday"},
		{of(outages(profile.Outages{Up: exp})), "no law of the time down, want both or none"},
		{of(outages(profile.Outages{Up: exp, Down: rng.Constant(0)})), "got a mean time down of 0 s, want one above 0"},
		{of(outages(profile.Outages{Up: exp, Down: exp, Share: 2})), "got a share of 2 of outages that only weaken a link, want one from 0 to 1"},
		{of(outages(profile.Outages{Up: exp, Down: exp, To: -1})), "got a factor of -1 that outages leave, want one from 0 to 1"},
		{of(outages(profile.Outages{Windows: [][2]unit.Time{{1, 3}, {2, 4}}})), "window 2: got 2 s to 4 s, want an end after its begin, and a begin not before 3 s"},
		{of(outages(profile.Outages{Windows: [][2]unit.Time{{1, 1}}})), "window 1: got 1 s to 1 s, want an end after its begin"},
		{of(profile.NewBounded(constant(1), 2, 1)), "got a floor of 2 and a ceiling of 1, want 0 <= floor <= ceiling"},
		{of(profile.NewBounded(constant(1), nan, 1)), "got a floor of NaN and a ceiling of 1, want 0 <= floor <= ceiling"},
	} {
		if c.err == nil || !strings.HasPrefix(c.err.Error(), c.want) {
			t.Errorf("%d: got %v, want %q", i, c.err, c.want)
		}
	}
}
