package main

import (
	"fmt"
	"io"

	"tiersim/sim/experiment"
)

// printPoints is the table of what a sweep is run for: the total under each
// policy, a row a design point, with its difference to the baseline.
func printPoints(w io.Writer, s *experiment.Summary) error {
	most := 0.0
	for i := range s.Points {
		most = max(most, mostOf(&s.Points[i], "all", "cost_total"))
	}
	m := scaleOf(most, s.Points[0].Currency)
	fmt.Fprintf(w, "%s, all design points\n\n", s.Scenario)
	head := []string{"design point", ""}
	for i := range s.Points[0].Policies {
		head = append(head, s.Points[0].Policies[i].Policy)
	}
	g := grid{title: "Total cost, " + m.unit + ", and its difference to " + s.Baseline, left: 2, heads: [][]string{head}}
	for i := range s.Points {
		p := &s.Points[i]
		what := p.Name
		if what == p.ID {
			what = ""
		}
		for k, v := range p.Varied {
			if p.Name == "" {
				if k > 0 {
					what += ", "
				}
				what += v.Key + " = " + v.Value
			}
		}
		row := []string{p.ID, what}
		for j := range p.Policies {
			total, _ := p.Policies[j].Get("all", "cost_total")
			cell := m.print(total.Value.Mean, most)
			if d := m.difference(total, most)[1]; d != "" {
				cell += " (" + d + ")"
			}
			row = append(row, cell+beside(&p.Policies[j]))
		}
		g.add(row...)
	}
	if err := g.print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}
