package task

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// The expectations in this file hold for interruptions that are a Poisson
// process of mean spacing M = mtbf, and for segments of work that are repeated
// until one of length x passes undisturbed, which takes M·(e^(x/M) − 1).

// passing returns the expected time until a segment of length x has passed, if
// a restart takes no time.
func passing(x, mtbf unit.Seconds) unit.Seconds {
	switch {
	case x == 0 || math.IsInf(float64(mtbf), 1):
		return x
	case mtbf <= 0:
		return unit.Seconds(math.Inf(1))
	}
	return unit.Seconds(float64(mtbf) * math.Expm1(float64(x/mtbf)))
}

// restarting returns the factor by which restarts lengthen what passing returns:
// e^(R/M) if an interruption during a restart begins it anew, else 1 + R/M.
func restarting(restart, mtbf unit.Seconds, mayFail bool) float64 {
	if restart == 0 {
		return 1
	}
	if mayFail {
		return math.Exp(float64(restart / mtbf))
	}
	return 1 + float64(restart/mtbf)
}

// ExpectedRunTime returns the expected time to finish work when a checkpoint
// that takes save follows each interval of it, and a restart takes restart:
//
//	E = M·e^(R/M)·(e^((τ+δ)/M) − 1)·T/τ         if a restart may fail as well
//	E = M·(1 + R/M)·(e^((τ+δ)/M) − 1)·T/τ       if it may not
//
// (Daly 2006, as in OptimalInterval). The number of segments T/τ is real and the
// save after the last one counts: Plan.ExpectedRunTime has whole segments and
// the choice. An interval above work is cut to it; +Inf means no checkpoint at
// all: one segment and no save. Interval 0 is as in Plan. The first start is
// free. A time beyond what a float64 holds is +Inf.
func ExpectedRunTime(work, interval, save, restart, mtbf unit.Seconds, restartMayFail bool) unit.Seconds {
	factor := restarting(restart, mtbf, restartMayFail)
	switch {
	case work == 0:
		return 0
	case math.IsInf(float64(interval), 1):
		return times(factor, passing(work, mtbf))
	case interval <= 0 && save <= 0:
		return times(factor, work)
	case interval <= 0:
		interval = save
	}
	interval = min(interval, work)
	return times(float64(work/interval)*factor, passing(interval+save, mtbf))
}

// ExpectedRunTime returns the expected time from the plan's begin to the end of
// its work, over all the attempts that interruptions make of it: those after the
// first load for restart. The plan's own loading may fail where a restart may.
func (p Plan) ExpectedRunTime(restart, mtbf unit.Seconds, restartMayFail bool) unit.Seconds {
	load := p.Restart
	if restartMayFail && p.Restart > 0 {
		// With probability 1−e^(−R₀/M) the first loading is cut, after which
		// loads of restart follow until one passes.
		cut := InterruptionProbability(p.Restart, mtbf)
		load = times(math.Exp(-float64(p.Restart/mtbf)), passing(p.Restart, mtbf)) + times(cut, passing(restart, mtbf))
	}
	if p.Left == 0 {
		return load
	}
	factor := restarting(restart, mtbf, restartMayFail)
	if p.continuous() {
		return load + times(factor, p.Left)
	}
	n, piece := p.regular(), p.interval()
	last := p.Left - times(n, piece)
	if p.final() {
		last += p.Save
	}
	return load + times(factor, times(n, passing(piece+p.Save, mtbf))+passing(last, mtbf))
}

// InterruptionProbability returns the probability that x does not pass
// undisturbed, 1 − e^(−x/M).
func InterruptionProbability(x, mtbf unit.Seconds) float64 {
	if x == 0 {
		return 0
	}
	return -math.Expm1(-float64(x / mtbf))
}

// ExpectedLost returns the expected time since the begin of a segment of length
// x at an interruption in it: M − x/(e^(x/M) − 1), which is x/2 for rare ones.
func ExpectedLost(x, mtbf unit.Seconds) unit.Seconds {
	u := float64(x / mtbf)
	if u < 0.01 {
		// 1 − u/(eᵘ−1) by its series, where the difference loses digits; the
		// next term is below 7·10⁻¹⁵ of the sum.
		return times(0.5-u/12+u*u*u/720, x)
	}
	return mtbf - x/unit.Seconds(math.Expm1(u))
}

// ExpectedFailures returns the expected number of interruptions in segments of
// length x until all have passed: n·(e^(x/M) − 1).
func ExpectedFailures(segments float64, x, mtbf unit.Seconds) float64 {
	if segments == 0 || x == 0 {
		return 0
	}
	return segments * math.Expm1(float64(x/mtbf))
}

// RestartFromScratch returns the expected time to finish work without
// checkpoints, when the time to the next interruption follows law, in seconds,
// anew from each start, and a restart takes no time:
//
//	E = ∫₀ʷ S(t) dt / S(w),   S(t) = 1 − law.CDF(t)
//
// The integral is the mean stay of an attempt, 1/S(w) the mean number of them.
// It is +Inf where no attempt can finish.
func RestartFromScratch(work unit.Seconds, law rng.Distribution) unit.Seconds {
	w := float64(work)
	finish := survival(law, w)
	if finish == 0 {
		return unit.Seconds(math.Inf(1))
	}
	// t = w·u⁴ takes the edge off laws whose density is infinite at 0 (Weibull
	// and gamma of shape below 1). In each panel a rule of Gauss and Legendre.
	stay := func(u float64) float64 { return 4 * w * u * u * u * survival(law, w*u*u*u*u) }
	const panels = 16
	var sum float64
	for i := range panels {
		sum += quad.Fixed(stay, float64(i)/panels, float64(i+1)/panels, 32, quad.Legendre{}, 0)
	}
	return unit.Seconds(sum / finish)
}

// survival returns 1 − CDF, without the loss of digits where the law knows it.
func survival(law rng.Distribution, x float64) float64 {
	if s, ok := law.(interface{ Survival(float64) float64 }); ok {
		return s.Survival(x)
	}
	return 1 - law.CDF(x)
}

// ETTR returns the expected share of the time of a long run that is work,
//
//	(1 − (u₀ + Δ/2)/M) / (1 + w/Δ)
//
// with u₀ = restart, Δ = interval, w = save (Kokolis et al., Revisiting
// Reliability in Large-Scale Machine Learning Research Clusters, HPCA 2025,
// arXiv:2410.21680). It is linear in 1/M: for M far above u₀ + Δ/2 only, and
// negative below. ExpectedRunTime is exact.
func ETTR(mtbf, restart, interval, save unit.Seconds) float64 {
	return (1 - float64((restart+interval/2)/mtbf)) / (1 + float64(save/interval))
}

// PerNodeDay is a rate of interruptions: how many per node and day.
type PerNodeDay float64

// MTBF returns the mean time between interruptions of any of that many nodes,
// +Inf where there are none.
func (r PerNodeDay) MTBF(nodes float64) unit.Seconds {
	return unit.Day / unit.Seconds(float64(r)*nodes)
}

// ObservedRate returns the rate at which that many nodes were interrupted.
func ObservedRate(events, nodes float64, over unit.Seconds) PerNodeDay {
	return PerNodeDay(events / nodes / float64(over/unit.Day))
}
