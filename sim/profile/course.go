package profile

import (
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// A Law says how a value behaves in time: what is written in a scenario. It is
// immutable and may be shared between replications.
type Law interface {
	// Begin returns the course that the value takes in a replication. What is
	// random is drawn, as time gets there, from the stream of that name alone
	// (name, or name/… where a law needs several), so that the course does not
	// depend on who asks or how often.
	Begin(s rng.Streams, name string) Course
	// Random reports whether courses differ between replications.
	Random() bool
}

// A Course is a value that is followed through time, from 0 on.
type Course interface {
	// Value returns the value since the latest change.
	Value() float64
	// Next goes on to the next change and returns its instant, which is later
	// than that of the one before, and the value from then on, which is another
	// one. ok is false where nothing changes any more. It allocates nothing.
	Next() (at unit.Time, value float64, ok bool)
	// Clone returns an independent copy that will take the same course.
	Clone() Course
}
