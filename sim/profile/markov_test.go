package profile_test

import (
	"math"
	"slices"
	"testing"

	"tiersim/sim/profile"
	"tiersim/sim/unit"
)

// N17: a link of 10 Gbit/s for 600 s on average, then 2 Gbit/s for 200 s; 1 TB is
// S = 8000 Gbit. Seen over the data that is moved instead of over time, the link
// leaves state i at rate qᵢ/cᵢ, and a Gbit costs 1/cᵢ s; with κ the sum of the two
// rates,
//
//	T₁ = S/c₁ − (q₁/c₁)(1/c₁ − 1/c₂)/κ·(S − (1 − e^(−κS))/κ)
//
// and T₂ with the states exchanged. A stationary start has 600/(600+200) of the first.
func TestTimeThroughTwoStates(t *testing.T) {
	states := []profile.State{{Value: 10, Dwell: 600}, {Value: 2, Dwell: 200}}
	const s = 8000.0
	mean := func(i int) float64 {
		c1, c2 := states[i].Value, states[1-i].Value
		q1, q2 := 1/float64(states[i].Dwell), 1/float64(states[1-i].Dwell)
		k := q1/c1 + q2/c2
		return s/c1 - q1/c1*(1/c1-1/c2)/k*(s-(1-math.Exp(-k*s))/k)
	}
	near(t, "from good", mean(0), 990.6250, 1e-9)
	near(t, "from bad", mean(1), 1140.6250, 1e-9)
	near(t, "stationary", 0.75*mean(0)+0.25*mean(1), 1028.1250, 1e-9)
	for _, c := range []struct {
		what string
		law  profile.Law
		want float64
	}{
		{"from good", must(profile.NewMarkov(states, 0)), mean(0)},
		{"from bad", must(profile.NewMarkov(states, 1)), mean(1)},
		{"stationary", must(profile.NewMarkovStationary(states)), 0.75*mean(0) + 0.25*mean(1)},
	} {
		times := make([]float64, 40_000)
		for i := range times {
			times[i] = timeToMove(begin(c.law, i), s)
		}
		meanIs(t, c.what, times, c.want)
	}
}

// The first state of a stationary process: the visits that the shares give, times
// the dwells.
func TestStationaryStart(t *testing.T) {
	for _, c := range []struct {
		name   string
		states []profile.State
		want   []float64
	}{
		// One after the other: as many visits of each.
		{"a ring", []profile.State{
			{Value: 0, Dwell: 1, To: []float64{0, 1, 0}}, {Value: 1, Dwell: 2, To: []float64{0, 0, 1}}, {Value: 2, Dwell: 5, To: []float64{1, 0, 0}},
		}, []float64{1. / 8, 2. / 8, 5. / 8}},
		// Every second visit is to the first: 2·1, 1·4 and 1·2 of time.
		{"a star", []profile.State{
			{Value: 0, Dwell: 1}, {Value: 1, Dwell: 4, To: []float64{1, 0, 0}}, {Value: 2, Dwell: 2, To: []float64{1, 0, 0}},
		}, []float64{2. / 8, 4. / 8, 2. / 8}},
		// The first is left for good.
		{"a way in", []profile.State{
			{Value: 0, Dwell: 9}, {Value: 1, Dwell: 3, To: []float64{0, 0, 1}}, {Value: 2, Dwell: 1, To: []float64{0, 1, 0}},
		}, []float64{0, 0.75, 0.25}},
		{"an end", []profile.State{{Value: 0, Dwell: 9}, {Value: 1, Dwell: unit.Seconds(math.Inf(1))}}, []float64{0, 1}},
	} {
		law := must(profile.NewMarkovStationary(c.states))
		first := make([]float64, 250_000)
		for i := range first {
			first[i] = begin(law, i).Value()
		}
		for state, want := range c.want {
			is := make([]float64, len(first))
			for i, v := range first {
				if v == float64(state) {
					is[i] = 1
				}
			}
			meanIs(t, c.name, is, want)
		}
	}
}

// Next states come by their shares, and dwells are exponential: mean and standard
// deviation are the same.
func TestShares(t *testing.T) {
	law := must(profile.NewMarkov([]profile.State{
		{Value: 0, Dwell: 100, To: []float64{0, 0.7, 0.3}}, {Value: 1, Dwell: 1}, {Value: 2, Dwell: 1, To: []float64{1, 0, 0}},
	}, 0))
	c := begin(law, 0)
	var dwells, second []float64
	last := unit.Time(0)
	for len(dwells) < 100_000 {
		was := c.Value()
		at, v, _ := c.Next()
		if was == 0 {
			dwells = append(dwells, float64(at.Sub(last)))
			second = append(second, v-1)
		}
		last = at
	}
	meanIs(t, "dwell", dwells, 100)
	sdIs(t, "dwell", dwells, 100, 100)
	shareIs(t, "next", second, 0, 0.7)
}

// A move between states of one value is no change: what is seen is the sum of two
// dwells of 30 s and 70 s. An absorbing state is the last.
func TestSameValuesAreOne(t *testing.T) {
	law := must(profile.NewMarkov([]profile.State{
		{Value: 1, Dwell: 30, To: []float64{0, 1, 0}}, {Value: 1, Dwell: 70, To: []float64{0, 0, 1}}, {Value: 0, Dwell: unit.Seconds(math.Inf(1))},
	}, 0))
	times := make([]float64, 60_000)
	for i := range times {
		all := follow(begin(law, i), 5)
		if len(all) != 2 || all[1].value != 0 {
			t.Fatalf("got %v", all)
		}
		times[i] = float64(all[1].at)
	}
	meanIs(t, "time to the end", times, 100)
	sdIs(t, "time to the end", times, 100, math.Sqrt(30*30+70*70))
	alone := must(profile.NewMarkov([]profile.State{{Value: 3, Dwell: 1}}, 0))
	if got := follow(begin(alone, 0), 5); !slices.Equal(got, []step{{0, 3}}) {
		t.Errorf("a single state: %v", got)
	}
}
