package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/record"
)

// results makes one result a replication, each with one metric.
func results(scope, name string, values ...float64) []*record.Result {
	var list []*record.Result
	for _, v := range values {
		list = append(list, &record.Result{Metrics: []record.Metric{{Scope: scope, Name: name, Value: v}}})
	}
	return list
}

// Differences to the baseline are -1, -2 and -3: mean -2, standard deviation 1,
// half-width t(0.975; 2)·1/√3 = 4.302653/1.732051 = 2.484138. The values
// themselves, 9, 18 and 27, have mean 18 and half-width 4.302653·9/√3 =
// 22.357239.
func TestDifferencesArePaired(t *testing.T) {
	base := tabulate(results("all", "cost_total", 10, 20, 30))
	s := summarizePolicy("three-way", results("all", "cost_total", 9, 18, 27), base, "CNY")
	r, ok := s.Get("all", "cost_total")
	if !ok || r.Unit != "CNY" || r.Value.N != 3 || r.Difference.N != 3 {
		t.Fatalf("got %+v", r)
	}
	for _, c := range []struct{ got, want float64 }{
		{r.Value.Mean, 18}, {r.Value.HalfWidth, 22.357239}, {r.Difference.Mean, -2}, {r.Difference.HalfWidth, 2.484138},
	} {
		if math.Abs(c.got-c.want) > 1e-6*math.Abs(c.want) { // the derivation has seven digits
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// A metric that some replications lack is a mean over those that have it, and a
// difference only where both have it.
func TestAbsentMetricsAreNotZero(t *testing.T) {
	base := tabulate(results("batch", "wait_p95_s", 1, 2, 3))
	delete(base[2], metricKey{"batch", "wait_p95_s"})
	runs := results("batch", "wait_p95_s", 10, 20, 60)
	runs[0].Metrics = nil
	s := summarizePolicy("x", runs, base, "CNY")
	r, _ := s.Get("batch", "wait_p95_s")
	if r.Value.N != 2 || r.Value.Mean != 40 {
		t.Errorf("value %+v, want the mean of 20 and 60", r.Value)
	}
	if r.Difference.N != 1 || r.Difference.Mean != 18 {
		t.Errorf("difference %+v, want 20 - 2", r.Difference)
	}
}

// An overloaded pool is told beside every number that depends on it, and one at
// its capacity is not overloaded.
func TestWarningsStandBesideNumbers(t *testing.T) {
	metrics := func(load, full, censored float64) []*record.Result {
		return []*record.Result{{Metrics: []record.Metric{
			{Scope: "all", Name: "wait_mean_s", Value: 5}, {Scope: "all", Name: "censored", Value: censored},
			{Scope: "pool:a/b/c", Name: "load", Value: load}, {Scope: "link:a>b", Name: "full_share", Value: full},
		}}}
	}
	for _, c := range []struct {
		load, full, censored float64
		want                 string
	}{
		{1, 0.5, 0, ""}, {1.01, 0, 0, Overloaded}, {0, 0.51, 0, Overloaded}, {0, 0, 3, Cut}, {2, 1, 1, Cut + " " + Overloaded},
	} {
		s := summarizePolicy("stay", metrics(c.load, c.full, c.censored), nil, "CNY")
		s.warn(&point{})
		r, _ := s.Get("all", "wait_mean_s")
		if got := strings.Join(r.Warnings, " "); got != c.want {
			t.Errorf("%+v: warnings %q", c, got)
		}
	}
}

// Rows of a scope stand together, in the order in which they first occur, also
// where a later replication knows a metric that the first does not.
func TestKeysKeepScopesTogether(t *testing.T) {
	got := keys([]*record.Result{
		{Metrics: []record.Metric{{Scope: "all", Name: "a"}, {Scope: "batch", Name: "a"}}},
		{Metrics: []record.Metric{{Scope: "all", Name: "a"}, {Scope: "all", Name: "b"}, {Scope: "link:x", Name: "c"}, {Scope: "batch", Name: "a"}}},
	})
	want := []metricKey{{"all", "a"}, {"all", "b"}, {"batch", "a"}, {"link:x", "c"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What practically never wins is said, with the reason: 64 GB moved for 30.72 is
// 0.48 a GB, 1000 GB computed on for 8.28 is 0.00828, 58 times less.
func TestFindings(t *testing.T) {
	p := &SummaryPoint{Currency: "CNY"}
	for _, policy := range []string{"move-data", "three-way"} {
		s := summarizePolicy(policy, []*record.Result{{Metrics: []record.Metric{
			{Scope: "all", Name: "tasks", Value: 1000},
			{Scope: "batch", Name: "available_move-data_tasks", Value: 1000}, {Scope: "batch", Name: "chosen_move-data_tasks", Value: 3},
			{Scope: "batch", Name: "available_wait_tasks", Value: 10}, {Scope: "batch", Name: "chosen_wait_tasks", Value: 9},
			{Scope: "batch", Name: "cost_transfer", Value: 30.72}, {Scope: "batch", Name: "bytes_moved", Value: 64e9},
			{Scope: "batch", Name: "cost_compute", Value: 8.28}, {Scope: "batch", Name: "input_bytes", Value: 1e12},
		}}}, nil, "CNY")
		p.Policies = append(p.Policies, s)
	}
	want := "batch: move-data practically never wins under three-way (3 of 1000 tasks that had it). " +
		"Sending a GB costs 0.480 CNY, computing on it 0.00828: 58.0 times less."
	if got := p.Findings(); len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
}

// Shards take every point once, spread over them.
func TestShardsCoverAllPoints(t *testing.T) {
	for of := 1; of <= 5; of++ {
		taken := make([]int, 12)
		for index := 1; index <= of; index++ {
			for i := range taken {
				if (Shard{index, of}).takes(i) {
					taken[i]++
				}
			}
		}
		if slices.ContainsFunc(taken, func(n int) bool { return n != 1 }) {
			t.Errorf("%d shards take the points %v times", of, taken)
		}
	}
}
