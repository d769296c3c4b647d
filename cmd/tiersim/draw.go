package main

import (
	"fmt"

	"tiersim/sim/experiment"
	"tiersim/sim/figure"
)

// figures are what is drawn of a summary: the costs of every design point.
func figures(s *experiment.Summary) []experiment.Drawing {
	var out []experiment.Drawing
	for i := range s.Points {
		p := &s.Points[i]
		out = append(out, experiment.Drawing{Name: "cost-by-policy-" + p.ID, Write: costFigure(s, p).Write})
	}
	return out
}

// costFigure is the cost by term and policy, as series.
func costFigure(s *experiment.Summary, p *experiment.SummaryPoint) *figure.Costs {
	c := &figure.Costs{Title: s.Scenario + ": cost by term and policy", Currency: p.Currency, Baseline: s.Baseline}
	place := "design point " + p.ID
	for _, v := range p.Varied {
		place += ", " + v.Key + " = " + v.Value
	}
	runs := "nothing is random, one replication"
	if len(p.Policies) > 0 && p.Random {
		runs = fmt.Sprintf("%d replications", p.Policies[0].Replications)
	}
	c.Note = fmt.Sprintf("%s; %s; in brackets the difference to %s", place, runs, s.Baseline)
	for i := range p.Policies {
		q := &p.Policies[i]
		total, _ := q.Get("all", "cost_total")
		b := figure.CostBar{
			Policy: q.Policy, Transfer: q.Mean("all", "cost_transfer"), Compute: q.Mean("all", "cost_compute"),
			Storage: q.Mean("all", "cost_storage"), Time: q.Mean("all", "cost_time"),
			Low: total.Value.Mean, High: total.Value.Mean,
			Difference: total.Difference.Mean, HasDifference: total.Difference.N > 0,
		}
		if total.Value.Known() {
			b.Low, b.High = b.Low-total.Value.HalfWidth, b.High+total.Value.HalfWidth
		}
		c.Bars = append(c.Bars, b)
	}
	return c
}
