package rng_test

import (
	"fmt"
	"math"
	"testing"

	"tiersim/sim/rng"
)

// A name always gives the same numbers; another name, seed or replication gives
// others. The first number is fixed so that a change of the generator is seen.
func TestStreamsAreNamed(t *testing.T) {
	first := func(seed uint64, replication int, name string) uint64 {
		s := rng.New(seed, replication).Stream(name)
		return s.Uint64()
	}
	a := first(1, 0, "outage/room-3")
	if b := first(1, 0, "outage/room-3"); a != b {
		t.Errorf("the same name gave %x and %x", a, b)
	}
	for _, other := range []uint64{first(2, 0, "outage/room-3"), first(1, 1, "outage/room-3"), first(1, 0, "outage/room-4")} {
		if other == a {
			t.Errorf("another stream began with the same number")
		}
	}
}

// A copied stream goes on like the first.
func TestCopy(t *testing.T) {
	s := rng.New(1, 0).Stream("x")
	s.Uint64()
	c := s
	for range 10 {
		if a, b := s.Uint64(), c.Uint64(); a != b {
			t.Fatalf("%x, %x", a, b)
		}
	}
}

// Names are told apart by where one ends and the next begins.
func TestNamesDoNotRunTogether(t *testing.T) {
	s := rng.New(1, 0)
	if s.U01("ab", "c") == s.U01("a", "bc") || s.U01("ab") == s.U01("ab", "") {
		t.Error("different names, the same number")
	}
}

// 10⁵ uniforms of consecutive names: mean 1/2 and variance 1/12 within 4.5
// standard errors (√(1/12/n) and √(1/180/n)), and 100 cells by chi-square with 99
// degrees of freedom, whose 10⁻⁵ quantile is 170.
func TestU01IsUniform(t *testing.T) {
	const n = 100_000
	s := rng.New(7, 3)
	var sum, squares float64
	cells := make([]float64, 100)
	for i := range n {
		u := s.U01("fill", fmt.Sprint("task-", i))
		sum += u
		squares += (u - 0.5) * (u - 0.5)
		cells[int(u*100)]++
	}
	if d := sum/n - 0.5; math.Abs(d) > 4.5*math.Sqrt(1.0/12/n) {
		t.Errorf("mean is off by %g", d)
	}
	if d := squares/n - 1.0/12; math.Abs(d) > 4.5*math.Sqrt(1.0/180/n) {
		t.Errorf("variance is off by %g", d)
	}
	chi := 0.0
	for _, c := range cells {
		chi += (c - n/100) * (c - n/100) / (n / 100)
	}
	if chi > 170 {
		t.Errorf("chi-square %g", chi)
	}
}

// The exponential stream has mean 1 and variance 1 (n = 10⁵, 4.5 standard errors).
func TestExp(t *testing.T) {
	const n = 100_000
	s := rng.New(1, 1).Stream("exp")
	var sum float64
	for range n {
		sum += s.Exp()
	}
	if d := sum/n - 1; math.Abs(d) > 4.5/math.Sqrt(n) {
		t.Errorf("mean is off by %g", d)
	}
}
