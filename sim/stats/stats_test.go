package stats_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/stats"
	"tiersim/sim/unit"
)

// near fails where got is not want to a relative error of tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

// printed is the relative error of a value that is given to ten digits.
const printed = 1e-9

// Differences 2,1,0,2,1,3,1,2: mean 12/8 = 1.5, s² = (24−8·1.5²)/7 = 6/7,
// t = 1.5/√(6/7/8) = √21; Var a + Var b = 20/7 + 2 = 34/7, over 6/7 is 17/3.
func TestPairedAndWelch(t *testing.T) {
	a := []float64{12, 15, 11, 14, 13, 16, 12, 15}
	b := []float64{10, 14, 11, 12, 12, 13, 11, 13}
	p := stats.Paired(a, b, 0.95)
	near(t, "mean", p.Mean, 1.5, 0)
	near(t, "sd", p.SD, math.Sqrt(6.0/7), 1e-14)
	near(t, "t", p.T, math.Sqrt(21), 1e-14)
	near(t, "p", p.P, .002535996, 2e-7) // given to seven digits
	near(t, "half-width", p.HalfWidth, .7740049729, printed)
	near(t, "reduction", p.Reduction, 17.0/3, 1e-14)
	if p.N != 8 || p.DF != 7 {
		t.Errorf("got n %d, df %v", p.N, p.DF)
	}

	w := stats.Welch(a, b, 0.95)
	near(t, "Welch mean", w.Mean, 1.5, 0)
	near(t, "Welch t", w.T, 1.925066844, printed)
	near(t, "Welch df", w.DF, 12.88535032, printed)
	near(t, "Welch half-width", w.HalfWidth, 1.684869509, printed)
}

// The t quantiles at 97.5 % of 1 and 2 degrees of freedom have closed forms:
// tan(0.475π), and (2p−1)·√(2/(4p(1−p))).
func TestMeanAgainstClosedForms(t *testing.T) {
	two := stats.Mean([]float64{3, 5}, 0.95) // s = √2, s/√n = 1
	near(t, "two", two.HalfWidth, math.Tan(0.475*math.Pi), printed)
	near(t, "two mean", two.Mean, 4, 0)
	three := stats.Mean([]float64{1, 2, 3}, 0.95) // s = 1
	q := 0.95 * math.Sqrt(2/(4*0.975*0.025))
	near(t, "three", three.HalfWidth, q/math.Sqrt(3), printed)
	near(t, "relative", three.Relative(), three.HalfWidth/2, 1e-15)

	if one := stats.Mean([]float64{7}, 0.95); one.Known() || !math.IsInf(one.HalfWidth, 1) || one.Mean != 7 {
		t.Errorf("one number: %+v", one)
	}
	if same := stats.Mean([]float64{7, 7, 7}, 0.95); same.HalfWidth != 0 || same.Relative() != 0 {
		t.Errorf("equal numbers: %+v", same)
	}
}

func TestDifferencesWithoutSpread(t *testing.T) {
	zero := stats.Paired([]float64{1, 2}, []float64{1, 2}, 0.95)
	if zero.P != 1 || zero.T != 0 || zero.HalfWidth != 0 {
		t.Errorf("no difference: %+v", zero)
	}
	always := stats.Paired([]float64{3, 4}, []float64{1, 2}, 0.95)
	if always.P != 0 || !math.IsInf(always.T, 1) || !math.IsInf(always.Reduction, 1) {
		t.Errorf("always 2 more: %+v", always)
	}
	constant := stats.Paired([]float64{3, 3}, []float64{1, 1}, 0.95)
	if constant.Reduction != 0 {
		t.Errorf("nothing varies: %+v", constant)
	}
	one := stats.Paired([]float64{3}, []float64{1}, 0.95)
	if one.Known() || one.P != 1 || one.Mean != 2 {
		t.Errorf("one pair: %+v", one)
	}
	if w := stats.Welch([]float64{3, 3}, []float64{3, 3}, 0.95); w.P != 1 || w.HalfWidth != 0 {
		t.Errorf("Welch of equal constants: %+v", w)
	}
}

// 71 replications reach 4.733922764, within 100·0.05/1.05 = 4.7619; the normal
// approximation would have it at (1.959964·20/4.7619)² = 67.8, so 68.
func TestReplications(t *testing.T) {
	n, ok := stats.Replications(100, 20, 0.05, 0.95, 200)
	if n != 71 || !ok {
		t.Fatalf("got %d %v, want 71", n, ok)
	}
	x := make([]float64, 71) // mean 100 and s = 20 exactly: 35 pairs ±d and a 0
	d := 20 * math.Sqrt(70.0/70)
	for i := range 35 {
		x[2*i], x[2*i+1] = 100+d, 100-d
	}
	x[70] = 100
	near(t, "half-width", stats.Mean(x, 0.95).HalfWidth, 4.733922764, printed)

	for _, c := range []struct {
		mean, sd, relative float64
		limit, want        int
		ok                 bool
	}{
		{100, 20, 0.05, 70, 0, false}, // the limit is too low
		{0, 20, 0.05, 200, 0, false},  // no share of nothing
		{-100, 20, 0.05, 200, 71, true},
		{100, 0, 0.05, 200, 2, true},
		{100, 1e-9, 0.05, 200, 2, true},
	} {
		if n, ok := stats.Replications(c.mean, c.sd, c.relative, 0.95, c.limit); n != c.want || ok != c.ok {
			t.Errorf("%+v: got %d %v", c, n, ok)
		}
	}
}

func TestAdjusted(t *testing.T) {
	p := []float64{.001, .012, .03, .04, .2}
	for i, want := range []float64{.005, .048, .09, .09, .2} {
		near(t, "Holm", stats.Holm(p)[i], want, 1e-14)
	}
	for i, want := range []float64{.005, .03, .05, .05, .2} {
		near(t, "BH", stats.BenjaminiHochberg(p)[i], want, 1e-14)
	}
	// Order of the input does not matter to a value, and none exceeds 1.
	back := []float64{.2, .04, .03, .012, .001}
	for i, want := range []float64{.2, .09, .09, .048, .005} {
		near(t, "Holm of the reverse", stats.Holm(back)[i], want, 1e-14)
	}
	if got := stats.Holm([]float64{.7, .9}); got[0] != 1 || got[1] != 1 {
		t.Errorf("got %v", got)
	}
}

func TestQuantile(t *testing.T) {
	x := []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}
	near(t, "0.9", stats.Quantile(x, 0.9), 9.1, 1e-15)
	near(t, "0", stats.Quantile(x, 0), 1, 0)
	near(t, "1", stats.Quantile(x, 1), 10, 0)
	near(t, "median", stats.Quantile(x, 0.5), 5.5, 0)
	near(t, "of one", stats.Quantile([]float64{3}, 0.37), 3, 0)
	if x[0] != 10 {
		t.Error("the input was reordered")
	}
	var none stats.Quantiles
	if _, ok := none.At(0.5); ok {
		t.Error("a quantile of nothing")
	}
}

// Selection against sorting, on numbers with many ties.
func TestQuantilesAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(0, 9), func(i int) float64 { return float64(i) })),
			1, 300).Draw(t, "x")
		x = slices.DeleteFunc(x, math.IsNaN)
		var q stats.Quantiles
		for _, v := range x {
			q.Add(v)
		}
		if len(x) == 0 {
			return
		}
		sorted := slices.Sorted(slices.Values(x))
		for _, p := range rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 5).Draw(t, "p") {
			h := float64(len(x)-1) * p
			k := int(h)
			want := sorted[k]
			if part := h - float64(k); part > 0 {
				want += part * (sorted[k+1] - sorted[k])
			}
			if got, _ := q.At(p); got != want {
				t.Fatalf("%v-quantile: got %v, want %v", p, got, want)
			}
		}
	})
}

// Shapes that make a simple selection quadratic still end quickly.
func TestQuantilesOfHardShapes(t *testing.T) {
	const n = 200_000
	for name, f := range map[string]func(int) float64{
		"equal": func(int) float64 { return 1 }, "ascending": func(i int) float64 { return float64(i) },
		"descending": func(i int) float64 { return -float64(i) }, "organ pipe": func(i int) float64 { return float64(min(i, n-i)) },
	} {
		var q stats.Quantiles
		all := make([]float64, n)
		for i := range all {
			all[i] = f(i)
			q.Add(all[i])
		}
		slices.Sort(all)
		if got, _ := q.At(0.95); got != stats.Quantile(all, 0.95) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Merging parts is adding all: exact in count, sum and extremes of integers,
// within rounding in mean and variance.
func TestSummaryMerges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var whole stats.Summary
	parts := make([]stats.Summary, 4)
	var x []float64
	for i := range 1000 {
		v := float64(r.IntN(1000)) + 1e9 // a large offset, where naive sums of squares fail
		x = append(x, v)
		whole.Add(v)
		parts[i*i%3].Add(v) // the last part stays empty
	}
	var merged stats.Summary
	for _, p := range parts {
		merged.Merge(p)
	}
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += (v - 1e9) / 1000
	}
	for _, v := range x {
		variance += (v - 1e9 - mean) * (v - 1e9 - mean) / 999
	}
	for _, s := range []stats.Summary{whole, merged} {
		m, _ := s.Mean()
		v, _ := s.Variance()
		near(t, "mean", m, mean+1e9, 1e-15)
		near(t, "variance", v, variance, 1e-9) // 1e9² · 2⁻⁵³ / variance, over the sum
		if s.N() != 1000 || s.Sum() != whole.Sum() {
			t.Errorf("n %d, sum %v", s.N(), s.Sum())
		}
		lo, hi, _ := s.Extremes()
		if lo != slices.Min(x) || hi != slices.Max(x) {
			t.Errorf("extremes %v %v", lo, hi)
		}
	}
	var empty stats.Summary
	if _, ok := empty.Mean(); ok {
		t.Error("a mean of nothing")
	}
	if _, ok := empty.Variance(); ok {
		t.Error("a variance of nothing")
	}
}

// 2 for 3 s, 5 for 1 s, 0 for 4 s: 11 over 8 s.
func TestTimeMean(t *testing.T) {
	var m stats.TimeMean
	m.Start(10, 2)
	if _, ok := m.Mean(10); ok {
		t.Error("a mean over no time")
	}
	m.Set(13, 5)
	m.Set(13, 5) // twice at one instant changes nothing
	m.Set(14, 0)
	got, ok := m.Mean(18)
	if !ok || got != 11.0/8 || m.Max() != 5 || m.Integral(18) != 11 {
		t.Errorf("got %v %v, max %v, integral %v", got, ok, m.Max(), m.Integral(18))
	}
}

// The interval covers the true mean as often as it says: 95 % of 4000 sets of
// ten normal numbers. The count is binomial with SD 13.8; 5 SD is a chance of
// one in a million.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	covered, x := 0, make([]float64, 10)
	for range 4000 {
		for i := range x {
			x[i] = 5 + 2*r.NormFloat64()
		}
		if m := stats.Mean(x, 0.95); math.Abs(m.Mean-5) <= m.HalfWidth {
			covered++
		}
	}
	if covered < 3800-69 || covered > 3800+69 {
		t.Errorf("covered %d of 4000 (seed 3, 4)", covered)
	}
}

func TestBrokenPromisesPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"lengths":    func() { stats.Paired([]float64{1}, nil, 0.95) },
		"empty":      func() { stats.Mean(nil, 0.95) },
		"confidence": func() { stats.Mean([]float64{1, 2}, 95) },
		"p":          func() { stats.Quantile([]float64{1}, 90) },
		"NaN":        func() { new(stats.Quantiles).Add(math.NaN()) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func ExamplePaired() {
	// Hours of turnaround under two policies, replication by replication.
	a := []float64{12, 15, 11, 14, 13, 16, 12, 15}
	b := []float64{10, 14, 11, 12, 12, 13, 11, 13}
	d := stats.Paired(a, b, 0.95)
	fmt.Printf("%.2f ± %.2f h (n = %d), %.1f times less variance by pairing\n", d.Mean, d.HalfWidth, d.N, d.Reduction)
	// Output: 1.50 ± 0.77 h (n = 8), 5.7 times less variance by pairing
}

func ExampleTimeMean() {
	var busy stats.TimeMean
	busy.Set(unit.Time(10), 4) // 4 slots in use from 10 s on
	mean, _ := busy.Mean(unit.Time(40))
	fmt.Println(mean)
	// Output: 3
}

func BenchmarkQuantile(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var q stats.Quantiles
	for range 1_000_000 {
		q.Add(r.ExpFloat64())
	}
	for b.Loop() {
		c := stats.Quantiles{}
		c.Merge(&q)
		c.At(0.5)
		c.At(0.95)
	}
}
