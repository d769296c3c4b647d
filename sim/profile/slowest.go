package profile

import (
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// MeanOfSlowest returns the expectation of the largest of independent delays,
// which is how long a synchronous step waits: the integral over x of the
// probability that any is above x,
//
//	E[max] = ∫ 1 − ∏ Fᵢ(x) dx
//
// A nil is no delay. For n exponential delays of mean β it is β(1 + 1/2 + … + 1/n)
// (Rényi, 1953), which the test finds within 10⁻⁹.
func MeanOfSlowest(laws []rng.Distribution) unit.Seconds {
	g := alike(laws)
	largest := 0.0 // of the means: E[max] is at least as much
	for _, x := range g {
		largest = max(largest, x.law.Mean())
	}
	if math.IsInf(largest, 1) {
		return unit.Seconds(largest)
	}
	ends, sum := g.ends(), 0.0
	for i := 1; i < len(ends); i++ {
		a, b := ends[i-1], ends[i]
		sum += g.integral(a, b, g.estimate(a, b), 1e-10*largest)
	}
	return unit.Seconds(sum)
}

// A group is a law and how many of the delays have it.
type group struct {
	law  rng.Distribution
	size float64
}

type groups []group

// alike counts the laws that are the same.
func alike(laws []rng.Distribution) (g groups) {
	for _, l := range laws {
		if l == nil {
			continue
		}
		i := slices.IndexFunc(g, func(x group) bool {
			return reflect.ValueOf(l).Comparable() && reflect.ValueOf(x.law).Comparable() && x.law == l
		})
		if i < 0 {
			i, g = len(g), append(g, group{law: l})
		}
		g[i].size++
	}
	return g
}

// above returns the probability that any delay is above x.
func (g groups) above(x float64) float64 {
	none := 1.0
	for _, each := range g {
		none *= math.Pow(each.law.CDF(x), each.size)
	}
	return 1 - none
}

// ends returns instants between which no law hides all that it does: quantiles of
// each, from the least to the largest that a stream gives.
func (g groups) ends() []float64 {
	ends := []float64{0}
	for _, x := range g {
		for _, u := range []float64{0x1p-53, 0.01, 0.5, 0.99, 1 - 1e-4, 1 - 1e-7, 1 - 1e-11, 1 - 0x1p-53} {
			ends = append(ends, x.law.Quantile(u))
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// estimate integrates above by ten points of Gauss.
func (g groups) estimate(a, b float64) float64 { return quad.Fixed(g.above, a, b, 10, nil, 0) }

// integral halves a span until the halves add up to the whole, but for the
// tolerance and what rounding leaves of 1 − ∏ Fᵢ.
func (g groups) integral(a, b, whole, tolerance float64) float64 {
	m := (a + b) / 2
	left, right := g.estimate(a, m), g.estimate(m, b)
	if math.Abs(left+right-whole) <= tolerance+1e-14*(b-a) || !(a < m && m < b) {
		return left + right
	}
	return g.integral(a, m, left, tolerance/2) + g.integral(m, b, right, tolerance/2)
}
