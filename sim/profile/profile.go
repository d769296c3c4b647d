// Package profile holds step functions of time: a capacity, an availability or a
// price that stays the same between changes.
//
// # Model
//
// A Profile says what its value is and when it changes next; values are looked
// up only as time gets there. Kinds: Constant, and Steps, which are recorded
// points that hold their last value or loop with a period. Within keeps points
// between a floor and a ceiling.
//
// # Units
//
// A value is a factor of what the profile is put on (a link's capacity), or
// bytes per second where Absolute says so. Where the points of one profile mix
// both, the factors are turned into rates first (Resolve).
package profile

import (
	"fmt"
	"math"

	"tiersim/sim/unit"
)

// A Profile is a step function of time from 0 on. Its answers depend on the
// arguments alone, not on the order of asking.
type Profile interface {
	// Next returns the next change strictly after an instant and the value from
	// then on; ok is false where nothing changes any more. The value differs
	// from the one before.
	Next(after unit.Time) (at unit.Time, value float64, ok bool)
	// At returns the value at an instant; at a change, the value after it.
	At(t unit.Time) float64
	// Absolute reports whether values are bytes per second, not factors.
	Absolute() bool
}

// Rate returns the capacity that a value of p makes of a link of capacity base.
func Rate(p Profile, value float64, base unit.Rate) unit.Rate {
	return Value{value, p.Absolute()}.Of(base)
}

// A Value is a factor, or a rate in bytes per second where Absolute.
type Value struct {
	Number   float64
	Absolute bool
}

// Of returns the capacity that the value makes of a link of capacity base. Any
// factor of an unlimited capacity leaves it unlimited, except 0, which closes it.
func (v Value) Of(base unit.Rate) unit.Rate {
	switch {
	case v.Absolute:
		return unit.Rate(v.Number)
	case v.Number == 0:
		return 0
	}
	return unit.Rate(v.Number * float64(base))
}

// check says what is wrong with a value.
func (v Value) check() error {
	if v.Number < 0 || math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
		return fmt.Errorf("got %v, want a finite value, not negative", v.Number)
	}
	return nil
}

// Constant is a profile that never changes.
type Constant struct{ Value Value }

// Next reports that nothing changes.
func (c Constant) Next(unit.Time) (unit.Time, float64, bool) { return 0, 0, false }

// At returns the value.
func (c Constant) At(unit.Time) float64 { return c.Value.Number }

// Absolute reports whether the value is bytes per second.
func (c Constant) Absolute() bool { return c.Value.Absolute }
