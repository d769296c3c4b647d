package profile

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// Sigmas between which values are numbers that differ from step to step. Measured
// ones are 0.005 to 0.4.
const (
	minSigma = 1e-9
	maxSigma = 10
)

// positive reports whether v is above 0 and finite.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

// NewOU returns the log-normal Ornstein-Uhlenbeck process C around a mean, which
// it keeps:
//
//	ln C = ln mean − σ²/2 + X
//
// X is normal with mean 0 and standard deviation sigma at every instant, the
// first included, and its correlation over a time u is exp(−u/tau). The value is
// constant from one multiple of step to the next: there X is the autoregression
// X' = φX + σ√(1−φ²)Z, with φ = exp(−step/tau) and Z standard normal.
//
// Source: Gillespie, Physical Review E 54(2), 1996 (the update is exact for every
// step). Tests check the moments of X, of C and of what C moves in an hour.
func NewOU(mean, sigma float64, tau, step unit.Seconds) (Law, error) {
	switch {
	case !positive(mean):
		return nil, fmt.Errorf("got a mean of %v, want one above 0", mean)
	case !(sigma > 0):
		return nil, fmt.Errorf("got a sigma of %v, want one above 0", sigma)
	case sigma < minSigma || sigma > maxSigma:
		return nil, fmt.Errorf("got a sigma of %v, want one from %v to %v", sigma, minSigma, maxSigma)
	case !positive(float64(tau)):
		return nil, fmt.Errorf("got a tau of %v s, want one above 0", float64(tau))
	case !positive(float64(step)):
		return nil, fmt.Errorf("got a step of %v s, want one above 0", float64(step))
	}
	steps := float64(step) / float64(tau)
	return &ou{
		median:     mean * math.Exp(-sigma*sigma/2),
		sigma:      sigma,
		phi:        math.Exp(-steps),
		innovation: sigma * math.Sqrt(-math.Expm1(-2*steps)),
		step:       step,
	}, nil
}

type ou struct {
	median, sigma, phi, innovation float64
	step                           unit.Seconds
}

// Begin draws the first value from the stationary law.
func (o *ou) Begin(s rng.Streams, name string) Course {
	c := &ouCourse{ou: o, stream: s.Stream(name + "/ou")}
	c.x = o.sigma * c.normal()
	c.value = c.of()
	return c
}

// Random is true.
func (o *ou) Random() bool { return true }

func (o *ou) streams() []string { return []string{"/ou"} }

// levels are ten standard deviations from the median: X is beyond them with a
// probability of 10⁻²³.
func (o *ou) levels() (low, high float64) {
	return o.median * math.Exp(-10*o.sigma), o.median * math.Exp(10*o.sigma)
}

type ouCourse struct {
	*ou
	stream rng.Stream
	steps  float64 // done
	x      float64
	value  float64
}

func (c *ouCourse) normal() float64 { return distuv.UnitNormal.Quantile(c.stream.Float64()) }

func (c *ouCourse) of() float64 { return c.median * math.Exp(c.x) }

// Value returns the value since the latest change.
func (c *ouCourse) Value() float64 { return c.value }

// Next goes on by a step, or by more where the value is the same number.
func (c *ouCourse) Next() (unit.Time, float64, bool) {
	for {
		c.steps++
		c.x = float64(c.phi*c.x) + float64(c.innovation*c.normal())
		if v := c.of(); v != c.value {
			c.value = v
			return unit.Time(c.steps * float64(c.step)), v, true
		}
	}
}

// Clone returns an independent copy.
func (c *ouCourse) Clone() Course { x := *c; return &x }
