package task

import (
	"math"

	"tiersim/sim/unit"
)

// YoungInterval returns √(2δM), the first-order optimal compute time between
// checkpoints, when a checkpoint takes δ = save and interruptions are a Poisson
// process of mean spacing M = mtbf (Young, Communications of the ACM 17(9),
// 1974, doi:10.1145/361147.361115). It is too long where δ is not far below M.
// A save that takes no time gives 0, no interruptions give +Inf.
func YoungInterval(save, mtbf unit.Seconds) unit.Seconds {
	if save == 0 {
		return 0
	}
	return unit.Seconds(math.Sqrt(2 * float64(save) * float64(mtbf)))
}

// OptimalInterval returns the compute time between checkpoints that minimizes
// the expected time to finish, to higher order:
//
//	τ = √(2δM)·(1 + ⅓·√(δ/2M) + ⅑·δ/2M) − δ   for δ < 2M, else τ = M
//
// with δ = save and M = mtbf as in YoungInterval (Daly, Future Generation
// Computer Systems 22(3), 2006, doi:10.1016/j.future.2004.11.016). The time a
// restart takes does not matter to it. The test finds the run time it leads to
// within 2·10⁻⁵ of that of ExactInterval for every M ≥ 2δ. A save that takes no
// time gives 0, no interruptions give +Inf.
func OptimalInterval(save, mtbf unit.Seconds) unit.Seconds {
	if save == 0 || math.IsInf(float64(mtbf), 1) {
		return YoungInterval(save, mtbf)
	}
	if save >= 2*mtbf {
		return mtbf
	}
	x := float64(save) / (2 * float64(mtbf))
	return unit.Seconds(float64(YoungInterval(save, mtbf))*(1+math.Sqrt(x)/3+x/9)) - save
}

// ExactInterval returns the compute time between checkpoints that minimizes
// ExpectedRunTime exactly:
//
//	τ = M·(1 + W₀(−e^(−1−δ/M)))
//
// with δ = save, M = mtbf and W₀ the principal branch of Lambert's function. A
// save that takes no time gives 0, no interruptions give +Inf.
func ExactInterval(save, mtbf unit.Seconds) unit.Seconds {
	if save == 0 || math.IsInf(float64(mtbf), 1) {
		return YoungInterval(save, mtbf)
	}
	return times(lambertAboveBranch(float64(save)/float64(mtbf)), mtbf)
}

// lambertAboveBranch returns y = 1 + W₀(−e^(−1−d)) for d > 0: the distance from
// the branch point, where W₀ itself would have lost its digits if d is small. It
// solves (1−y)·eʸ = e^(−d) by Halley's iteration, which triples the digits each
// time, from the series of W₀ around the branch point (Corless et al., Advances
// in Computational Mathematics 5, 1996, doi:10.1007/BF02124750, equation 4.22).
func lambertAboveBranch(d float64) float64 {
	p := math.Sqrt(-2 * math.Expm1(-d))
	y := p - p*p/3 + float64(11.0/72*p*p*p)
	for range 6 {
		e := math.Exp(y)
		f := math.Expm1(y) - float64(y*e) - math.Expm1(-d)
		df, ddf := -y*e, -(1+y)*e
		y -= 2 * f * df / (float64(2*df*df) - float64(f*ddf))
	}
	return y
}
