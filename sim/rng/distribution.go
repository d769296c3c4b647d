package rng

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Distribution is a law of numbers that are not negative. Its zero value is
// not useful; the constructors say which parameters hold.
type Distribution interface {
	// Mean returns the expectation.
	Mean() float64
	// CDF returns the probability of at most x.
	CDF(x float64) float64
	// Quantile returns the number below which a share u of the law lies; u is in
	// (0, 1).
	Quantile(u float64) float64
}

// Draw returns the next number of a law, by inversion: one number of the stream
// each, so that two laws on one stream rise and fall together.
func (s *Stream) Draw(d Distribution) float64 { return d.Quantile(s.Float64()) }

// Constant is the law of one number.
type Constant float64

// Mean returns the number.
func (c Constant) Mean() float64 { return float64(c) }

// Quantile returns the number.
func (c Constant) Quantile(float64) float64 { return float64(c) }

// CDF is 1 from the number on.
func (c Constant) CDF(x float64) float64 {
	if x < float64(c) {
		return 0
	}
	return 1
}

// Exponential returns the law of that mean, which is above 0.
func Exponential(mean float64) Distribution { return distuv.Exponential{Rate: 1 / mean} }

// Weibull returns the law with survival exp(-(x/scale)^shape); both are above 0.
func Weibull(shape, scale float64) Distribution { return distuv.Weibull{K: shape, Lambda: scale} }

// LogNormal returns the law whose logarithm is normal: median > 0, sigma > 0.
func LogNormal(median, sigma float64) Distribution {
	return distuv.LogNormal{Mu: math.Log(median), Sigma: sigma}
}

// Gamma returns the law of mean shape·scale; both are above 0.
func Gamma(shape, scale float64) Distribution { return distuv.Gamma{Alpha: shape, Beta: 1 / scale} }
