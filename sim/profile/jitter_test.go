package profile_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// delays returns the delays at instants 4·Tau apart, which are independent.
func delays(j profile.Jitter, n int) []float64 {
	c := j.Begin(rng.New(1, 0), "link/a-b")
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(c.At(unit.Time(float64(i) * 4 * float64(j.Tau))))
	}
	return out
}

// N23: 20 ms + Γ(2, 1.5 ms): mean 20 + 2·1.5, standard deviation √2·1.5, and
// quantiles of the law as of what is drawn.
func TestShiftedGamma(t *testing.T) {
	const base = 20e-3
	gamma := rng.Gamma(2, 1.5e-3)
	j := profile.Jitter{Law: gamma, Tau: 500}
	near(t, "mean", base+float64(j.Mean()), 23e-3, 1e-12)
	late := delays(j, 100_000)
	for i := range late {
		late[i] += base
	}
	meanIs(t, "mean", late, 23e-3)
	sdIs(t, "SD", late, 23e-3, 2.121320344e-3)
	for _, c := range []struct{ share, ms float64 }{{0.5, 22.517520485}, {0.95, 27.115796778}, {0.99, 29.957528102}} {
		near(t, fmt.Sprint("P", 100*c.share), base+gamma.Quantile(c.share), c.ms/1000, 1e-9)
		shareIs(t, "delay", late, c.ms/1000, c.share)
	}
}

// The logarithm of a log-normal delay of median 1 and sigma 1 is z itself: standard
// normal at every instant, correlated by exp(−u/Tau) within 0.02 (what the cut
// leaves out) at instants u apart, and not at all from 4·Tau on. A correlation of
// 40 000 pairs has a standard error below 0.005.
func TestJitterIsCorrelated(t *testing.T) {
	const n, tau = 40_000, 500.0
	j := profile.Jitter{Law: rng.LogNormal(1, 1), Tau: tau}
	z := func(c *profile.JitterCourse, t float64) float64 { return math.Log(float64(c.At(unit.Time(t)))) }
	for _, lag := range []float64{0.1, 0.25, 0.5, 1, 2, 3, 4, 10} {
		c := j.Begin(rng.New(1, 0), fmt.Sprint("lag ", lag))
		sum := 0.0
		for i := range n {
			t := float64(i) * 40 * tau
			sum += z(c, t) * z(c, t+lag*tau)
		}
		want := math.Exp(-math.Floor(4*lag) / 4)
		if lag >= 4 {
			want = 0
		}
		if got := sum / n; math.Abs(got-want) > 0.02+3.291*0.007 {
			t.Errorf("%v tau apart: correlation %v, want %v", lag, got, want)
		}
	}
}

// The delay at an instant does not depend on what was asked before, is the same
// from a clone and from the same names, and is never negative. Other names, other
// delays.
func TestJitterIsAFunctionOfTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := profile.Jitter{Law: rng.Gamma(2, 1.5e-3), Tau: unit.Seconds(rapid.Float64Range(0.1, 1000).Draw(t, "tau"))}
		instants := rapid.SliceOfN(rapid.Float64Range(0, 1e7), 1, 20).Draw(t, "instants")
		a, b := j.Begin(rng.New(1, 0), "a"), j.Begin(rng.New(1, 0), "a")
		other := j.Begin(rng.New(1, 0), "b")
		var first []unit.Seconds
		for _, at := range instants {
			first = append(first, a.At(unit.Time(at)))
		}
		clone := a.Clone()
		for i := len(instants) - 1; i >= 0; i-- {
			at := unit.Time(instants[i])
			if x, y := clone.At(at), b.At(at); x != first[i] || y != first[i] || !(x >= 0) || other.At(at) == x {
				t.Fatalf("at %v s: %v, then %v and %v", instants[i], first[i], x, y)
			}
		}
	})
}

func TestNoJitter(t *testing.T) {
	var j profile.Jitter
	if c := j.Begin(rng.New(1, 0), "a"); c.At(5) != 0 || j.Mean() != 0 {
		t.Errorf("got %v, mean %v", c.At(5), j.Mean())
	}
}

func TestJitterAllocatesNothing(t *testing.T) {
	c := profile.Jitter{Law: rng.Gamma(2, 1.5e-3), Tau: 1}.Begin(rng.New(1, 0), "link/a-b")
	at := unit.Time(0)
	if n := testing.AllocsPerRun(1000, func() { at++; c.At(at) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// T7: the slowest of n exponential delays of mean β: the first comes after β/n, the
// next after another β/(n−1), and so on: β·(1/n + … + 1/2 + 1).
func TestSlowest(t *testing.T) {
	const beta = 2e-3
	known := map[int]float64{4: 4.166666667e-3, 8: 5.435714286e-3, 16: 6.761457985e-3}
	sum := 0.0
	var laws []rng.Distribution
	for n := 1; n <= 64; n++ {
		laws = append(laws, rng.Exponential(beta))
		sum += beta / float64(n)
		if k, ok := known[n]; ok {
			near(t, fmt.Sprint("T7, n=", n), sum, k, 1e-9)
		}
		near(t, fmt.Sprint("n=", n), float64(profile.MeanOfSlowest(laws)), sum, 1e-9)
	}
}

// Of one delay it is the mean. Of two exponentials of rates a and b, 1/a + 1/b −
// 1/(a+b). Of an exponential and a constant c, c + E[(X−c)⁺] = c + β·e^(−c/β).
func TestSlowestOfDifferentLaws(t *testing.T) {
	for _, l := range []rng.Distribution{
		rng.Constant(3), rng.Exponential(1), rng.Gamma(2, 1e-6), rng.Gamma(1e4, 1), rng.Gamma(0.1, 1), rng.LogNormal(1, 0.01), rng.LogNormal(1, 1), rng.LogNormal(1, 2), rng.Weibull(0.5, 1),
	} {
		near(t, fmt.Sprintf("%#v", l), float64(profile.MeanOfSlowest([]rng.Distribution{nil, l})), l.Mean(), 1e-6)
	}
	for _, c := range []struct {
		name string
		laws []rng.Distribution
		want float64
	}{
		{"none", nil, 0},
		{"no jitter", []rng.Distribution{nil, nil}, 0},
		{"two exponentials", []rng.Distribution{rng.Exponential(1), rng.Exponential(0.1)}, 1 + 0.1 - 1/11.},
		{"with a constant", []rng.Distribution{rng.Exponential(2), nil, rng.Constant(3)}, 3 + 2*math.Exp(-1.5)},
		{"a constant above", []rng.Distribution{rng.Gamma(2, 1e-3), rng.Constant(3)}, 3},
		{"constants", []rng.Distribution{rng.Constant(3), rng.Constant(5), rng.Constant(3)}, 5},
	} {
		if got := float64(profile.MeanOfSlowest(c.laws)); math.Abs(got-c.want) > 1e-8*c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func BenchmarkSlowest(b *testing.B) {
	var laws []rng.Distribution
	for i := range 16 {
		laws = append(laws, rng.Gamma(2, 1e-3*float64(i%3+1)))
	}
	for b.Loop() {
		profile.MeanOfSlowest(laws)
	}
}
