package main

import (
	"fmt"
	"io"
	"strings"

	"tiersim/sim/experiment"
)

// printHeld tells which screens and gates kept tasks in their domain, where any did.
func printHeld(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	for i := range p.Policies {
		q := &p.Policies[i]
		ruled := false
		var why []string
		for k := range q.Rows {
			r := &q.Rows[k]
			name, ok := strings.CutPrefix(r.Metric, "held_")
			if !ok || r.Scope != "all" || r.Value.Mean == 0 {
				continue
			}
			ruled = ruled || strings.Contains(name, ":")
			why = append(why, name+" "+meanCount(r.Value.Mean))
		}
		if len(why) == 0 {
			continue
		}
		if ruled { // the rules say it, one by one
			kept := why[:0]
			for _, s := range why {
				if !strings.HasPrefix(s, "excluded ") {
					kept = append(kept, s)
				}
			}
			why = kept
		}
		fmt.Fprint(w, wrap("  ", fmt.Sprintf("%s kept tasks in their domain: %s", q.Policy, strings.Join(why, ", ")), pageWidth))
	}
	return nil
}
