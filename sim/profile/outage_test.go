package profile_test

import (
	"math"
	"slices"
	"testing"

	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// N18: 3600 s of time up are needed; up is exponential of 7200 s and down of 600 s.
// The number of outages is Poisson of mean 3600/7200 = ½, so the time is 3600 s plus
// a Poisson(½) sum of exponentials: mean 3600 + ½·600, variance ½·2·600², no outage
// with e^(−½), and P(T ≤ 3600 + x) is the sum over k of Poisson(k)·Gamma(k, 600)(x).
func TestTimeThroughOutages(t *testing.T) {
	cdf := func(at float64) float64 {
		p := math.Exp(-0.5) // of k outages
		sum := p
		for k := 1; k < 40; k++ {
			p *= 0.5 / float64(k)
			sum += p * rng.Gamma(float64(k), 600).CDF(at-3600)
		}
		return sum
	}
	near(t, "P90", cdf(4649.384259), 0.9, 1e-9)
	near(t, "P95", cdf(5169.825258), 0.95, 1e-9)
	near(t, "no outage", cdf(3600), 0.606530660, 1e-9)
	law := must(profile.NewOutages(profile.Outages{Up: rng.Exponential(7200), Down: rng.Exponential(600)}))
	times := make([]float64, 100_000)
	for i := range times {
		times[i] = timeToMove(begin(law, i), 3600)
	}
	meanIs(t, "time", times, 3900)
	sdIs(t, "time", times, 3900, 600)
	shareIs(t, "time", times, 3600, 0.606530660)
	shareIs(t, "time", times, 4649.384259, 0.90)
	shareIs(t, "time", times, 5169.825258, 0.95)
}

// In the long run a link is up for U/(U+D) of the time, whatever the laws, and a
// quarter of its outages leave half of its capacity. Each of 1000 cycles is one of
// the sample.
func TestAvailability(t *testing.T) {
	weibull, logNormal := rng.Weibull(0.7, 1800), rng.LogNormal(300, 1)
	law := must(profile.NewOutages(profile.Outages{Up: weibull, Down: logNormal, Share: 0.25, To: 0.5}))
	c := begin(law, 0)
	if c.Value() != 1 {
		t.Fatalf("begins at %v", c.Value())
	}
	var up, down, weak []float64
	last := unit.Time(0)
	for len(down) < 100_000 {
		was := c.Value()
		at, v, ok := c.Next()
		if !ok || (was == 1) == (v == 1) || v != 0 && v != 0.5 && v != 1 {
			t.Fatalf("%v after %v", v, was)
		}
		if length := float64(at.Sub(last)); was == 1 {
			up, weak = append(up, length), append(weak, v)
		} else {
			down = append(down, length)
		}
		last = at
	}
	meanIs(t, "up", up, weibull.Mean())
	meanIs(t, "down", down, logNormal.Mean())
	meanIs(t, "half-closed", weak, 0.25*0.5)
	// The interval of a ratio of sums: that of Σ(up − a/(1−a)·down), here by its parts.
	a := weibull.Mean() / (weibull.Mean() + logNormal.Mean())
	excess := make([]float64, len(down))
	for i := range excess {
		excess[i] = (up[i]*(1-a) - down[i]*a) + weibull.Mean()
	}
	meanIs(t, "availability", excess, weibull.Mean())
}

func TestWindows(t *testing.T) {
	windows := func(w ...[2]unit.Time) profile.Law {
		return must(profile.NewOutages(profile.Outages{Windows: w}))
	}
	for _, c := range []struct {
		name string
		law  profile.Law
		want []step
	}{
		{"none", windows(), []step{{0, 1}}},
		{"one", windows([2]unit.Time{3, 4}), []step{{0, 1}, {3, 0}, {4, 1}}},
		{"from the begin", windows([2]unit.Time{0, 4}), []step{{0, 0}, {4, 1}}},
		{"one after the other", windows([2]unit.Time{1, 2}, [2]unit.Time{2, 3}, [2]unit.Time{5, 6}), []step{{0, 1}, {1, 0}, {3, 1}, {5, 0}, {6, 1}}},
	} {
		if c.law.Random() {
			t.Errorf("%s: random", c.name)
		}
		if got := follow(begin(c.law, 0), 10); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	// Up for 10 s, down for 10 s, and down in [5 s, 12 s) and [35 s, 36 s) anyway.
	both := must(profile.NewOutages(profile.Outages{Up: rng.Constant(10), Down: rng.Constant(10), Windows: [][2]unit.Time{{5, 12}, {35, 36}}}))
	if got, want := follow(begin(both, 0), 4), []step{{0, 1}, {5, 0}, {20, 1}, {30, 0}, {40, 1}}; !slices.Equal(got, want) {
		t.Errorf("both: got %v, want %v", got, want)
	}
}
