// Package profile holds step functions of time: a capacity, an availability or a
// price that stays the same between changes; and the jitter of a link.
//
// # Model
//
// A Law says how a value behaves; it begins a Course in each replication, which is
// followed from change to change. Laws of one quantity are Constant, Steps
// (recorded points that hold their last value or loop with a period), NewMarkov
// (regimes) and NewOU (smooth fluctuation). NewDaily, NewBounded, NewOutages,
// Product, Less and Scaled make others of these: the capacity of a link is
//
//	(base × fluctuation × daily cycle − what others use) × outages
//
// Jitter is not followed but asked: it is a function of the instant.
//
// A random law draws from streams of its kind below the name it begins with, such
// as link/a-b/ou and link/a-b/outages. So a part that is left out changes nothing
// in the others. Two of a kind in one Product get a number, and what is subtracted
// by Less is below held.
//
// # Not modeled
//
// Capacities that depend on traffic (a token bucket is the network's business),
// and any dependence between links: each draws alone, so that no fiber cut closes
// two of them.
//
// # Units
//
// A value is a factor of what the profile is put on (a link's capacity), or
// bytes per second. Of recorded points, Absolute says which; where the points of
// one profile mix both, the factors are turned into rates first (Resolve).
package profile

import (
	"fmt"
	"math"

	"tiersim/sim/unit"
)

// A Value is a factor, or a rate in bytes per second where Absolute.
type Value struct {
	Number   float64
	Absolute bool
}

// Of returns the capacity that the value makes of a link of capacity base. Any
// factor of an unlimited capacity leaves it unlimited, except 0, which closes it.
func (v Value) Of(base unit.Rate) unit.Rate {
	if v.Absolute {
		return unit.Rate(v.Number)
	}
	return unit.Rate(times(v.Number, float64(base)))
}

// times is a product in which 0 wins over +Inf.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// check says what is wrong with a value.
func (v Value) check() error {
	if v.Number < 0 || math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
		return fmt.Errorf("got %v, want a finite value, not negative", v.Number)
	}
	return nil
}

// Constant is a law of one value.
type Constant struct{ Value Value }
