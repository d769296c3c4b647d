package profile_test

import (
	"fmt"
	"math"
	"testing"

	"tiersim/sim/profile"
	"tiersim/sim/unit"
)

// N14: the time in which C(t) = 6 + 4·sin(2πt/day) Gbit/s moves 30 TB is the root of
//
//	6t + (4·day/2π)(1 − cos 2πt/day) = 240 000
//
// C is 10·(1 − 0.8·(1 + cos 2π(t − 18 h)/day)/2). A step takes the value at its
// begin, so by T a step of Δ has moved Δ/2·(C(T) − C(0)) too little, which takes
// Δ/2·(1 − C(0)/C(T)) s more. Steps with the value of their middle are off by Δ².
func TestStepsApproachASine(t *testing.T) {
	const day = 86400.0
	at := func(t float64) float64 { return 6 + 4*math.Sin(2*math.Pi*t/day) }
	low, high := 0.0, day
	for range 100 {
		m := (low + high) / 2
		if 6*m+4*day/(2*math.Pi)*(1-math.Cos(2*math.Pi*m/day)) < 240_000 {
			low = m
		} else {
			high = m
		}
	}
	const want = 27201.04423499
	near(t, "the root", low, want, 1e-12)
	for _, step := range []float64{60, 6} {
		daily := must(profile.NewDaily(constant(10), profile.Daily{Amplitude: 0.8, Peak: 18 * unit.Hour, Weekend: 1, Step: unit.Seconds(step)}))
		near(t, fmt.Sprint("too late by steps of ", step), timeToMove(begin(daily, 0), 240_000)-want, step/2*(1-at(0)/at(want)), 0.01)
		var ps []profile.Point
		for k := 0.0; k*step < day; k++ {
			ps = append(ps, profile.Point{At: unit.Time(k * step), Value: factor(at((k + 0.5) * step))})
		}
		middle, err := profile.Loop(ps, day)
		if off := timeToMove(begin(must(middle, err), 0), 240_000) - want; math.Abs(off) > 3e-6*step*step {
			t.Errorf("the middles of steps of %v s: off by %v s", step, off)
		}
	}
}

// Instant 0 is 18:00 on a Friday; the peak is at 21:00, with an amplitude of 30 %
// that the weekend halves. At the peak 1 − a is left, 12 h from it all.
func TestDailyCycle(t *testing.T) {
	law := must(profile.NewDaily(constant(100), profile.Daily{
		Amplitude: 0.3, Peak: 21 * unit.Hour, Weekend: 0.5, Step: unit.Hour, StartOfDay: 18 * unit.Hour, StartDay: 4,
	}))
	if law.Random() {
		t.Error("random")
	}
	all := follow(begin(law, 0), 400)
	for _, c := range []struct{ hours, want float64 }{
		{0, 100 - 30*(1+math.Sqrt2/2)/2}, // 45° from the peak
		{3, 70},                          // Friday at 21:00
		{15, 100},                        // Saturday at 9:00
		{21, 100 - 7.5},                  // Saturday at 15:00, 90° before
		{27, 85},                         // at 21:00
		{51, 85},                         // Sunday
		{75, 70},                         // Monday
		{171, 70},                        // Friday again
		{195, 85},
	} {
		near(t, fmt.Sprint(c.hours, " h"), valueAt(all, unit.Time(c.hours*3600)), c.want, 1e-12)
		near(t, fmt.Sprint("within ", c.hours, " h"), valueAt(all, unit.Time(c.hours*3600+3599)), c.want, 1e-12)
	}
}
