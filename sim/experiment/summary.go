package experiment

import (
	"slices"
	"strings"

	"tiersim/sim/record"
	"tiersim/sim/stats"
)

// confidence of every interval in a summary.
const confidence = 0.95

// A Summary compares the policies at every design point.
type Summary struct {
	Scenario string
	Baseline string
	Points   []SummaryPoint
}

// A SummaryPoint is one design point.
type SummaryPoint struct {
	ID, Name string
	Varied   []record.Setting
	Currency string
	// Random says that replications differ; where they do not there is one.
	Random   bool
	Policies []SummaryPolicy
}

// A SummaryPolicy is what one policy came to at one design point.
type SummaryPolicy struct {
	Policy       string
	Replications int
	Warnings     []string
	Rows         []Row

	index map[metricKey]int // to its row
}

// A Row is one metric: its mean over replications, and how it differs from the
// baseline's.
type Row struct {
	Scope, Metric, Unit string
	// Value is the mean; where there is one replication its half-width is not
	// known.
	Value stats.Interval
	// Difference is the mean of this policy minus the baseline in the same
	// replication; its N is 0 where there is none.
	Difference stats.Interval
	Warnings   []string
}

// Warnings that stand beside numbers.
const (
	// Overloaded: more was asked of a pool than it has, or a link was full for
	// more than half of the time; waits depend on how long the trace is.
	Overloaded = "overloaded"
	// Cut: tasks were not done at the horizon.
	Cut = "cut-by-horizon"
	// Refused: tasks had no place under the policy, and cost nothing.
	Refused = "refused"
	// Stalled: a replication ended since no task came further for 90 days.
	Stalled = "stalled"
	// Unruled: no exclusion rules held any task.
	Unruled = "without rules"
	// FewRuns: fewer replications than an interval can be trusted with.
	FewRuns = "few-replications"
	// Imprecise: the most replications that the scenario allows did not reach
	// the precision that it asks for.
	Imprecise = "precision-not-reached"
)

const (
	// fullShare is the share of time at which a full link counts as overloaded.
	// Chosen: half, as what is full most of the time is a bottleneck.
	fullShare = 0.5
	// fewRuns is the number of replications below which an interval is flagged:
	// the default of 20 is from Law, below 10 the t interval of a skewed cost
	// covers noticeably less than it says.
	fewRuns = 10
)

// Get finds a metric of a scope.
func (p *SummaryPolicy) Get(scope, metric string) (Row, bool) {
	i, ok := p.index[metricKey{scope, metric}]
	if !ok {
		return Row{}, false
	}
	return p.Rows[i], true
}

// Mean returns the mean of a metric, 0 where there is none.
func (p *SummaryPolicy) Mean(scope, metric string) float64 {
	r, _ := p.Get(scope, metric)
	return r.Value.Mean
}

// Scopes returns the scopes with a prefix, without it, in the order of the rows.
func (p *SummaryPolicy) Scopes(prefix string) []string {
	var list []string
	for i := range p.Rows {
		name, ok := strings.CutPrefix(p.Rows[i].Scope, prefix)
		if ok && (len(list) == 0 || list[len(list)-1] != name) {
			list = append(list, name)
		}
	}
	return list
}

// Classes returns the classes of tasks that occur.
func (p *SummaryPolicy) Classes() []string {
	return slices.DeleteFunc(p.Scopes(""), func(s string) bool { return s == "all" || strings.Contains(s, ":") })
}

// summarize compares the policies of one point, from what their runs have kept.
func (e *experiment) summarize(p *point, policies []string) (SummaryPoint, error) {
	out := SummaryPoint{ID: p.ID, Name: p.Name, Varied: settings(p), Currency: p.world.Topology.Currency, Random: p.random}
	var base []map[metricKey]float64
	if slices.Contains(policies, e.Scenario.Baseline) {
		runs, err := e.results(p, e.Scenario.Baseline)
		if err != nil {
			return out, err
		}
		base = tabulate(runs)
	}
	for _, name := range policies {
		runs, err := e.results(p, name)
		if err != nil {
			return out, err
		}
		with := base
		if name == e.Scenario.Baseline {
			with = nil
		}
		s := summarizePolicy(name, runs, with, out.Currency)
		s.warn(p)
		out.Policies = append(out.Policies, s)
	}
	return out, nil
}

// A metricKey is a metric's scope and name.
type metricKey struct{ scope, name string }

// tabulate makes each replication's metrics a table.
func tabulate(runs []*record.Result) []map[metricKey]float64 {
	list := make([]map[metricKey]float64, len(runs))
	for i, r := range runs {
		list[i] = make(map[metricKey]float64, len(r.Metrics))
		for _, m := range r.Metrics {
			list[i][metricKey{m.Scope, m.Name}] = m.Value
		}
	}
	return list
}

// summarizePolicy takes means over runs, and differences to base, the tables of
// the baseline's replications, where that is not nil.
func summarizePolicy(name string, runs []*record.Result, base []map[metricKey]float64, currency string) SummaryPolicy {
	s := SummaryPolicy{Policy: name, Replications: len(runs), index: map[metricKey]int{}}
	own := tabulate(runs)
	for _, key := range keys(runs) {
		r := Row{Scope: key.scope, Metric: key.name, Unit: unitOf(key.name, currency)}
		var mine, both, theirs []float64
		for i := range own {
			v, ok := own[i][key]
			if !ok {
				continue
			}
			mine = append(mine, v)
			if base == nil {
				continue
			}
			if b, ok := base[i][key]; ok {
				both, theirs = append(both, v), append(theirs, b)
			}
		}
		r.Value = stats.Mean(mine, confidence)
		if len(both) > 0 {
			r.Difference = stats.Paired(both, theirs, confidence).Interval
		}
		s.index[key] = len(s.Rows)
		s.Rows = append(s.Rows, r)
	}
	return s
}

// keys returns the (scope, metric) pairs that occur, a scope's together, in the
// order in which they first occur.
func keys(runs []*record.Result) []metricKey {
	rank := map[string]int{}
	seen := map[metricKey]bool{}
	var list []metricKey
	for _, r := range runs {
		for _, m := range r.Metrics {
			if _, ok := rank[m.Scope]; !ok {
				rank[m.Scope] = len(rank)
			}
			if k := (metricKey{m.Scope, m.Name}); !seen[k] {
				seen[k] = true
				list = append(list, k)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b metricKey) int { return rank[a.scope] - rank[b.scope] })
	return list
}

// warn puts warnings beside the numbers that they touch.
func (s *SummaryPolicy) warn(p *point) {
	whole := s.replicationWarnings(p)
	stalled := s.Mean("all", "stalled") > 0
	if s.Mean("all", "without_rules") > 0 {
		whole = append(whole, Unruled)
	}
	if stalled {
		whole = append(whole, Stalled)
	}
	if s.Mean("all", "censored") > 0 && !stalled {
		whole = append(whole, Cut)
	}
	if s.Mean("all", "refused") > 0 {
		whole = append(whole, Refused)
	}
	overloaded := false
	for i := range s.Rows {
		if r := &s.Rows[i]; r.overloaded() {
			r.Warnings = append(r.Warnings, Overloaded)
			overloaded = true
		}
	}
	if overloaded {
		whole = append(whole, Overloaded)
	}
	s.Warnings = whole
	for i := range s.Rows {
		if r := &s.Rows[i]; !strings.Contains(r.Scope, ":") {
			r.Warnings = whole
		}
	}
}

func (s *SummaryPolicy) replicationWarnings(p *point) []string {
	switch {
	case !p.random:
		return nil
	case s.Replications < fewRuns:
		return []string{FewRuns}
	case !p.reached && p.to > p.from:
		return []string{Imprecise}
	}
	return nil
}

// overloaded reports whether the row says that a pool or link has too much.
func (r *Row) overloaded() bool {
	switch {
	case strings.HasPrefix(r.Scope, "pool:"):
		return r.Metric == "load" && r.Value.Mean > 1
	case strings.HasPrefix(r.Scope, "link:"):
		return r.Metric == "full_share" && r.Value.Mean > fullShare
	}
	return false
}

// unitOf returns the unit of a metric by its name; "" where it is a count or a
// share.
func unitOf(metric, currency string) string {
	switch {
	case strings.HasPrefix(metric, "cost_"), strings.HasSuffix(metric, "_money"):
		return currency
	case strings.HasSuffix(metric, "_s"):
		return "s"
	case strings.HasSuffix(metric, "_hours"):
		return "h"
	case strings.Contains(metric, "bytes"):
		return "bytes"
	}
	return ""
}
