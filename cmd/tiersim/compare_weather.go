package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tiersim/sim/experiment"
	"tiersim/sim/unit"
)

// anyOf reports whether a metric of all tasks is above 0 under some policy.
func anyOf(p *experiment.SummaryPoint, metrics ...string) bool {
	for _, m := range metrics {
		if mostOf(p, "all", m) > 0 {
			return true
		}
	}
	return false
}

// tolls are what interruptions take, each with its metrics.
var tolls = [...]struct{ head, hours, money string }{
	{"lost", "lost_slot_hours", "lost_money"},
	{"saves", "save_slot_hours", "save_money"},
	{"restarts", "restart_slot_hours", "restart_money"},
}

// printInterruptions is the table of what took slots and lines away, and of what
// that and the precautions against it have cost; nothing where nothing did.
func printInterruptions(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	if !anyOf(p, "interruptions", "save_slot_hours", "bytes_sent_again", "sync_efficiency") {
		return nil
	}
	most := 0.0
	for _, t := range tolls {
		most = max(most, mostOf(p, "all", t.money))
	}
	m := scaleOf(most, p.Currency)
	g := grid{title: "Interruptions, and what they cost beside the work that is kept", left: 1, heads: [][]string{
		{"", "", "slot-hours", "", "", m.unit, "", "", "hours", "sent", "efficiency"},
		{"policy", "interruptions", "lost", "saves", "restarts", "lost", "saves", "restarts", "without slots", "twice", "of syncs"},
	}}
	for i := range p.Policies {
		q := &p.Policies[i]
		row := []string{q.Policy, meanCount(q.Mean("all", "interruptions"))}
		for _, t := range tolls {
			row = append(row, hours(q.Mean("all", t.hours)))
		}
		for _, t := range tolls {
			row = append(row, m.print(q.Mean("all", t.money), most))
		}
		efficiency := "-"
		if r, ok := q.Get("all", "sync_efficiency"); ok {
			efficiency = percent(r.Value.Mean)
		}
		g.add(append(row, hours(q.Mean("all", "restart_hours")), spaced(unit.Bytes(q.Mean("all", "bytes_sent_again")).String()), efficiency, beside(q))...)
	}
	if err := g.print(w); err != nil {
		return err
	}
	for i := range p.Policies {
		if why := causesOf(&p.Policies[i]); why != "" {
			fmt.Fprint(w, wrap("  ", p.Policies[i].Policy+" was interrupted by "+why, pageWidth))
		}
	}
	return nil
}

// hours prints a number of hours, small ones with a decimal.
func hours(v float64) string {
	if v > 0 && v < 99.95 {
		return fmt.Sprintf("%.1f", v)
	}
	return grouped(v)
}

// causesOf says how many interruptions had which cause.
func causesOf(q *experiment.SummaryPolicy) string {
	var list []string
	const prefix = "interruptions_"
	for i := range q.Rows {
		r := &q.Rows[i]
		if cause, ok := strings.CutPrefix(r.Metric, prefix); ok && r.Scope == "all" && r.Value.Mean > 0 {
			list = append(list, cause+" "+meanCount(r.Value.Mean))
		}
	}
	return strings.Join(list, ", ")
}

// printReservations is the table of what was reserved; nothing where nothing was
// asked for.
func printReservations(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	if !anyOf(p, "reservations_asked") {
		return nil
	}
	most := mostOf(p, "all", "reservations_rent_money")
	m := scaleOf(most, p.Currency)
	g := grid{title: "Reservations of links", left: 1, heads: [][]string{
		{"policy", "asked", "admitted", "share", "honoured", "rent, " + m.unit},
	}}
	for i := range p.Policies {
		q := &p.Policies[i]
		asked, admitted := q.Mean("all", "reservations_asked"), q.Mean("all", "reservations_admitted")
		row := []string{q.Policy, meanCount(asked), meanCount(admitted), "-", "-", m.print(q.Mean("all", "reservations_rent_money"), most)}
		if asked > 0 {
			row[3] = percent(admitted / asked)
		}
		if r, ok := q.Get("all", "reservations_honoured_share"); ok {
			row[4] = percent(r.Value.Mean)
		}
		g.add(append(row, beside(q))...)
	}
	return g.print(w)
}

// printHeadroom is the table of the pool that left its services the least; nothing
// where no slots are held for any.
func printHeadroom(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	g := grid{title: "Headroom of services: the pool with the least, beyond the slots that are held for them", left: 2, heads: [][]string{
		{"policy", "pool", "slots, P5", "hours below", "of all pools"},
	}}
	for i := range p.Policies {
		q := &p.Policies[i]
		worst, least, short := "", math.Inf(1), 0.0
		for _, s := range q.Scopes("pool:") {
			r, ok := q.Get("pool:"+s, "headroom_p5_slots")
			if !ok {
				continue
			}
			short += q.Mean("pool:"+s, "headroom_short_hours")
			if r.Value.Mean < least {
				worst, least = s, r.Value.Mean
			}
		}
		if worst != "" {
			g.add(q.Policy, worst, meanCount(least), hours(q.Mean("pool:"+worst, "headroom_short_hours")), hours(short), beside(q))
		}
	}
	if len(g.rows) == 0 {
		return nil
	}
	return g.print(w)
}
