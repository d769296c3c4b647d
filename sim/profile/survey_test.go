package profile

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// A course of 10 for 60 s, 0 for 20, 2 for 20, again and again: from 50 to 150 s it
// is 10, 0, 2, 10 for 10, 20, 20 and 50 s. The mean is 640/100; half of the time it is
// at most 10 (40 s at most 2), a twentieth at most 0.
func TestSurvey(t *testing.T) {
	s, err := Loop([]Point{{0, Value{Number: 10}}, {60, Value{Number: 0}}, {80, Value{Number: 2}}}, 100)
	if err != nil {
		t.Fatal(err)
	}
	got := Between(s.Begin(rng.New(1, 0), "x"), 50, 150)
	want := []Stretch{{50, 60, 10}, {60, 80, 0}, {80, 100, 2}, {100, 150, 10}}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatal(d)
	}
	survey := Survey{Mean: 6.4, P5: 0, P50: 10, P95: 10, Least: 0, Most: 10, Closed: 0.2, Closings: 1, Changes: 3}
	if d := cmp.Diff(survey, SurveyOf(got)); d != "" {
		t.Error(d)
	}
	// Four columns of 25 s: 10 s of 10 and 15 of 0; 5 of 0 and 20 of 2; all 10; all 10.
	for k, want := range []float64{4, 1.6, 10, 10} {
		if c := Columns(got, 4)[k]; math.Abs(c.Mean-want) > 1e-12 {
			t.Errorf("column %d: mean %v, want %v", k, c.Mean, want)
		}
	}
	if got := Between(Constant{Value{Number: 3}}.Begin(rng.New(1, 0), "x"), 0, unit.Time(unit.Day)); len(got) != 1 || got[0].Value != 3 {
		t.Errorf("a constant: %v", got)
	}
}
