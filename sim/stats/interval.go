// Package stats is the arithmetic of simulation output: means with intervals,
// paired differences, adjusted p-values, quantiles, running summaries.
//
// # Model
//
// The unit of analysis is the replication, never the task: a slice holds one
// number a replication, and replications are independent. Intervals are
// Student's t, two-sided, at the confidence that the caller names. Design points
// on common random numbers are compared by Paired; Welch beside it is what would
// be known if they were not paired.
//
// Source: Law, Simulation Modeling and Analysis, chapters 9 and 10; Welford,
// Technometrics 4(3), 1962; Holm, Scandinavian Journal of Statistics 6, 1979;
// Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995;
// Hyndman and Fan, The American Statistician 50(4), 1996 (quantiles, type 7).
//
// # Not modeled
//
// Dependence within one long run (warm-up, batch means) and intervals of
// quantiles.
//
// # Units
//
// A result has the unit of its input; a p-value, a degree of freedom and a
// variance ratio have none.
package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is a mean, and how far to either side of it the true mean may be.
type Interval struct {
	Mean float64
	// HalfWidth is +Inf where N is below 2: one number says nothing of spread.
	HalfWidth float64
	N         int
}

// Known reports whether the half-width is a number.
func (i Interval) Known() bool { return i.N >= 2 }

// Relative returns the half-width as a share of the mean; +Inf where the mean is
// 0 and the half-width is not.
func (i Interval) Relative() float64 {
	if i.HalfWidth == 0 {
		return 0
	}
	return i.HalfWidth / math.Abs(i.Mean)
}

// Mean returns the mean of x with its interval. It panics where x is empty.
func Mean(x []float64, confidence float64) Interval {
	var s Summary
	for _, v := range x {
		s.Add(v)
	}
	return s.Interval(confidence)
}

// A Difference is the mean of a over the mean of b, with its t test.
type Difference struct {
	Interval         // of the difference; N is that of the smaller sample
	SD       float64 // of the differences, where they are paired
	T        float64 // the statistic: mean over its standard error
	DF       float64 // degrees of freedom
	P        float64 // two-sided, of no difference
	// Reduction is how many times more the variance would be without pairing:
	// (Var a + Var b) / Var(a−b). Common random numbers that work are well above
	// 1; below 1.2 they are broken. 0 where it is not known.
	Reduction float64
}

// Paired returns the mean of a[i]−b[i], where the i-th numbers of both come from
// one replication. The half-width is t·s/√n with n−1 degrees of freedom. It
// panics where the lengths differ or are 0.
func Paired(a, b []float64, confidence float64) Difference {
	if len(a) != len(b) {
		panic(fmt.Sprintf("stats: %d and %d numbers cannot be paired", len(a), len(b)))
	}
	diff := make([]float64, len(a))
	for i := range a {
		diff[i] = a[i] - b[i]
	}
	d := Difference{Interval: Mean(diff, confidence), DF: float64(len(a) - 1)}
	if !d.Known() {
		d.P = 1
		return d
	}
	variance := stat.Variance(diff, nil)
	d.SD = math.Sqrt(variance)
	if apart := stat.Variance(a, nil) + stat.Variance(b, nil); apart > 0 {
		d.Reduction = apart / variance
	}
	d.test(d.SD / math.Sqrt(float64(len(a))))
	return d
}

// Welch returns the difference of the means of two independent samples, whose
// variances may differ; degrees of freedom are Welch and Satterthwaite's. It
// panics where a sample is empty.
func Welch(a, b []float64, confidence float64) Difference {
	d := Difference{Interval: Interval{
		Mean: stat.Mean(a, nil) - stat.Mean(b, nil), HalfWidth: math.Inf(1), N: min(len(a), len(b)),
	}}
	if !d.Known() {
		d.P = 1
		return d
	}
	va, vb := stat.Variance(a, nil)/float64(len(a)), stat.Variance(b, nil)/float64(len(b))
	d.DF = float64(d.N - 1)
	if va+vb > 0 {
		d.DF = (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	}
	d.HalfWidth = critical(confidence, d.DF) * math.Sqrt(va+vb)
	d.test(math.Sqrt(va + vb))
	return d
}

// test fills in T and P from the standard error of the mean.
func (d *Difference) test(standardError float64) {
	switch {
	case standardError > 0:
		d.T = d.Mean / standardError
		d.P = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: d.DF}.Survival(math.Abs(d.T))
	case d.Mean == 0:
		d.P = 1
	default:
		d.T = math.Inf(1)
		if d.Mean < 0 {
			d.T = math.Inf(-1)
		}
	}
}

// critical is the t that a two-sided interval reaches out to.
func critical(confidence, df float64) float64 {
	if !(confidence > 0 && confidence < 1) {
		panic(fmt.Sprintf("stats: confidence %v is not between 0 and 1", confidence))
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(0.5 + confidence/2)
}

// Replications returns the least number of replications whose interval would be
// within the relative precision of the true mean, going by the mean and standard
// deviation so far:
//
//	t(n−1)·s/√n ≤ γ'·|x̄|,  γ' = γ/(1+γ)
//
// where γ = relative. γ' and not γ, because the half-width is measured against
// the estimated mean, not the true one (Law, section 9.4.1). ok is false where
// the mean is 0 (no number would do) or more than limit would be needed.
func Replications(mean, sd, relative, confidence float64, limit int) (n int, ok bool) {
	want := relative / (1 + relative) * math.Abs(mean)
	if sd == 0 {
		return 2, limit >= 2
	}
	if want == 0 {
		return 0, false
	}
	z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	from := math.Floor(math.Pow(z*sd/want, 2)) // t is above z: fewer never do
	if from > float64(limit) {
		return 0, false
	}
	for n = max(2, int(from)); n <= limit; n++ {
		if critical(confidence, float64(n-1))*sd/math.Sqrt(float64(n)) <= want {
			return n, true
		}
	}
	return 0, false
}
