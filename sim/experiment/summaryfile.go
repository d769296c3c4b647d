package experiment

import (
	"tiersim/sim/record"
	"tiersim/sim/stats"
)

// Record returns the summary as its files have it: a row a metric.
func (s *Summary) Record() *record.Summary {
	out := &record.Summary{Scenario: s.Scenario, Baseline: s.Baseline, Confidence: confidence}
	for i := range s.Points {
		p := &s.Points[i]
		out.Currency = p.Currency
		for j := range p.Policies {
			q := &p.Policies[j]
			for k := range q.Rows {
				out.Rows = append(out.Rows, q.Rows[k].record(p.ID, q.Policy))
			}
		}
	}
	return out
}

func (r *Row) record(point, policy string) record.SummaryRow {
	row := record.SummaryRow{
		Point: point, Policy: policy, Scope: r.Scope, Metric: r.Metric, Unit: r.Unit,
		Mean: r.Value.Mean, HalfWidth: halfWidth(r.Value), N: r.Value.N, Warnings: r.Warnings,
	}
	if r.Difference.N > 0 {
		row.Difference = record.Some(r.Difference.Mean)
		row.DifferenceHalfWidth = halfWidth(r.Difference)
	}
	return row
}

// halfWidth is absent where one replication says nothing of spread.
func halfWidth(i stats.Interval) record.Opt[float64] {
	if !i.Known() {
		return record.Opt[float64]{}
	}
	return record.Some(i.HalfWidth)
}
