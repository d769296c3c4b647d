package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tiersim/sim/experiment"
	"tiersim/sim/policy"
	"tiersim/sim/stats"
	"tiersim/sim/unit"
)

// pageWidth is the width that text is broken to.
const pageWidth = 108

// marks are the letters that stand for warnings beside numbers.
var marks = []struct{ warning, mark, meaning string }{
	{experiment.Overloaded, "o", "overloaded: a pool was asked for more than it has, or a link was full for more than half of the time; waits grow with the length of the trace"},
	{experiment.Cut, "h", "cut: tasks were not done at the horizon; they stand as censored, their cost up to then"},
	{experiment.Stalled, "s", "stalled: nothing came further for 90 days: slots or lines did not come back, or work began over and over; the tasks stand as censored"},
	{experiment.Refused, "r", "refused: tasks had no place under this policy or were given up; totals are not of the same work"},
	{experiment.Unruled, "x", "without exclusion rules, which is an ablation: no task is kept from a move that its class does not stand"},
	{experiment.FewRuns, "f", "few: fewer than 10 replications; intervals are not to be trusted"},
	{experiment.Imprecise, "p", "precision not reached with the most replications that the scenario allows"},
}

// printComparison tells what the policies came to, for people to read.
func printComparison(w io.Writer, s *experiment.Summary) error {
	used := map[string]bool{}
	for i := range s.Points {
		p := &s.Points[i]
		printPointHead(w, s, p)
		for _, section := range []func(io.Writer, *experiment.Summary, *experiment.SummaryPoint) error{
			printCosts, printTimes, printOptions, printHeld, printClasses, printLoads, printInterruptions, printReservations, printHeadroom,
		} {
			var text strings.Builder
			if err := section(&text, s, p); err != nil {
				return err
			}
			if text.Len() > 0 {
				fmt.Fprintln(w, text.String())
			}
		}
		for _, line := range p.Findings() {
			fmt.Fprint(w, wrap("  * ", line, pageWidth))
		}
		for j := range p.Policies {
			for _, x := range p.Policies[j].Warnings {
				used[x] = true
			}
		}
	}
	if len(s.Points) > 1 {
		if err := printPoints(w, s); err != nil {
			return err
		}
	}
	for _, m := range marks {
		if used[m.warning] {
			fmt.Fprint(w, wrap("  ["+m.mark+"] ", m.meaning, pageWidth))
		}
	}
	return nil
}

func printPointHead(w io.Writer, s *experiment.Summary, p *experiment.SummaryPoint) {
	head := fmt.Sprintf("%s, design point %s", s.Scenario, p.ID)
	if p.Name != "" && p.Name != p.ID {
		head += " (" + p.Name + ")"
	}
	fmt.Fprintln(w, head)
	for _, v := range p.Varied {
		fmt.Fprintf(w, "  %s = %s\n", v.Key, v.Value)
	}
	if len(p.Policies) > 0 {
		q := &p.Policies[0]
		runs := fmt.Sprintf("%d replications: means, with 95 %% intervals", q.Replications)
		switch {
		case !p.Random:
			runs = "nothing is random: one replication, no intervals"
		case q.Replications == 1:
			runs = "one replication: no intervals"
		}
		fmt.Fprintf(w, "  %s tasks, %d policies; %s\n\n", grouped(q.Mean("all", "tasks")), len(p.Policies), runs)
	}
}

// beside returns the marks of a policy's warnings.
func beside(p *experiment.SummaryPolicy) string {
	s := ""
	for _, m := range marks {
		if slices.Contains(p.Warnings, m.warning) {
			s += m.mark
		}
	}
	if s == "" {
		return ""
	}
	return "[" + s + "]"
}

// money is the scale that a table's amounts are printed in.
type money struct {
	by   float64
	unit string
}

// scaleOf finds the scale for amounts up to most.
func scaleOf(most float64, currency string) money {
	switch {
	case most >= 1e8:
		return money{1e6, "million " + currency}
	case most >= 1e5:
		return money{1e3, "thousand " + currency}
	}
	return money{1, currency}
}

// print has as many decimals as leave the table four significant digits.
func (m money) print(v, most float64) string {
	digits := 3 - int(math.Floor(math.Log10(max(most/m.by, 1e-6))))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 6), v/m.by)
}

func mostOf(p *experiment.SummaryPoint, scope, metric string) float64 {
	most := 0.0
	for i := range p.Policies {
		most = max(most, math.Abs(p.Policies[i].Mean(scope, metric)))
	}
	return most
}

// printCosts is the table of cost by term.
func printCosts(w io.Writer, s *experiment.Summary, p *experiment.SummaryPoint) error {
	most := mostOf(p, "all", "cost_total")
	m := scaleOf(most, p.Currency)
	g := grid{title: "Cost, " + m.unit, left: 1, heads: [][]string{
		{"", "transfer", "", "", "", "", "", "difference to", "", "network, % of"},
		{"policy", "fee", "compute", "storage", "time", "total", "", s.Baseline, "", "total / cash"},
	}}
	for i := range p.Policies {
		q := &p.Policies[i]
		row := []string{q.Policy}
		for _, term := range []string{"cost_transfer", "cost_compute", "cost_storage", "cost_time"} {
			row = append(row, m.print(q.Mean("all", term), most))
		}
		total, _ := q.Get("all", "cost_total")
		row = append(row, m.print(total.Value.Mean, most), m.halfWidth(total.Value, most))
		row = append(row, m.difference(total, most)...)
		g.add(append(row, shares(q, "all"), beside(q))...)
	}
	return g.print(w)
}

func (m money) halfWidth(i stats.Interval, most float64) string {
	if !i.Known() {
		return ""
	}
	return "±" + m.print(i.HalfWidth, most)
}

// difference is the paired difference to the baseline and its share of it.
func (m money) difference(r experiment.Row, most float64) []string {
	d := r.Difference
	if d.N == 0 {
		return []string{"", ""}
	}
	cell := signed(m.print(d.Mean, most))
	if d.Known() {
		cell += " " + m.halfWidth(d, most)
	}
	share := ""
	if base := r.Value.Mean - d.Mean; base != 0 {
		share = signed(fmt.Sprintf("%.1f", 100*d.Mean/base)) + " %"
	}
	return []string{cell, share}
}

// signed puts a plus before what has no minus, and takes the minus off zero.
func signed(s string) string {
	if strings.HasPrefix(s, "-") {
		if strings.Trim(s, "-0.") == "" {
			return s[1:]
		}
		return s
	}
	if strings.Trim(s, "0.") == "" {
		return s
	}
	return "+" + s
}

// percent prints a share with one decimal, one of 1000 % and more with none.
func percent(v float64) string {
	if v >= 9.995 {
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

// shares prints what the network costs as shares of the total and of cash.
func shares(q *experiment.SummaryPolicy, scope string) string {
	return fmt.Sprintf("%.1f / %.1f", 100*q.Mean(scope, "network_share"), 100*q.Mean(scope, "network_share_cash"))
}

// length prints a metric that is a length of time, empty where there is none.
func length(p *experiment.SummaryPolicy, scope, metric string) string {
	r, ok := p.Get(scope, metric)
	if !ok {
		return "-"
	}
	switch v := r.Value.Mean; {
	case v == 0:
		return "0 s"
	case v < 1:
		return "<1 s"
	default:
		return spaced(unit.Seconds(v).String())
	}
}

// printTimes is the table of waits, and of how the tasks ended.
func printTimes(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	g := grid{title: "Times, and what became of the tasks", left: 1, heads: [][]string{
		{"", "wait", "", "turnaround", "", "slowdown", "arrived", "", "", ""},
		{"policy", "P50", "P95", "P50", "P95", "mean", "=", "done", "+ refused", "+ censored"},
	}}
	for i := range p.Policies {
		q := &p.Policies[i]
		row := []string{q.Policy}
		for _, m := range []string{"wait_p50_s", "wait_p95_s", "turnaround_p50_s", "turnaround_p95_s"} {
			row = append(row, length(q, "all", m))
		}
		row = append(row, fmt.Sprintf("%.1f", q.Mean("all", "bounded_slowdown_mean")))
		for _, m := range []string{"tasks", "done", "refused", "censored"} {
			row = append(row, meanCount(q.Mean("all", m)))
		}
		g.add(append(row, beside(q))...)
	}
	if err := g.print(w); err != nil {
		return err
	}
	for i := range p.Policies {
		if why := refusals(&p.Policies[i]); why != "" {
			fmt.Fprint(w, wrap("  ", p.Policies[i].Policy+" refused "+why, pageWidth))
		}
	}
	return nil
}

// refusals says how many tasks were refused for which reason.
func refusals(q *experiment.SummaryPolicy) string {
	var list []string
	for _, reason := range policy.ReasonNames() {
		if n := q.Mean("all", "refused_"+reason); n > 0 {
			list = append(list, meanCount(n)+" for "+reason)
		}
	}
	return strings.Join(list, ", ")
}

// meanCount prints a mean of counts: whole where it is, so that sums add up.
func meanCount(v float64) string {
	if math.Abs(v-math.Round(v)) < 1e-6 {
		return grouped(v)
	}
	return fmt.Sprintf("%s%s", grouped(math.Floor(v)), strings.TrimPrefix(fmt.Sprintf("%.1f", v-math.Floor(v)), "0"))
}

// options are the three, in the order in which shares are printed.
var options = [...]string{"wait", "move-task", "move-data"}

// printOptions is the table of what the options had a share in.
func printOptions(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	g := grid{title: "Options: shares of wait/move-task/move-data, %", left: 2, heads: [][]string{
		{"", "", "", "had the", "chosen by", "by those", "slot-", "bytes", ""},
		{"policy", "class", "tasks", "option", "all tasks", "that had it", "hours", "moved", "money"},
	}}
	eachClass(p, func(q *experiment.SummaryPolicy, name, class string) {
		row := []string{name, class, grouped(q.Mean(class, "tasks"))}
		var chosen, had [len(options)]float64
		for i, o := range options {
			chosen[i], had[i] = q.Mean(class, "chosen_"+o+"_tasks"), q.Mean(class, "available_"+o+"_tasks")
		}
		if had == [len(options)]float64{} {
			g.add(append(row, "-", "-", "-", "-", "-", "-")...)
			return
		}
		tasks := q.Mean(class, "tasks")
		row = append(row, triple(had, [3]float64{tasks, tasks, tasks}), triple(chosen, [3]float64{tasks, tasks, tasks}), triple(chosen, had))
		for _, what := range []string{"slot_hours", "bytes", "money"} {
			var v [len(options)]float64
			sum := q.Mean(class, "chosen_none_"+what)
			for i, o := range options {
				v[i] = q.Mean(class, "chosen_"+o+"_"+what)
				sum += v[i]
			}
			row = append(row, triple(v, [3]float64{sum, sum, sum}))
		}
		g.add(row...)
	})
	return g.print(w)
}

// eachClass calls f for every policy and class; name is empty but for the first
// class of a policy.
func eachClass(p *experiment.SummaryPoint, f func(q *experiment.SummaryPolicy, name, class string)) {
	for i := range p.Policies {
		q := &p.Policies[i]
		name := q.Policy
		for _, class := range q.Classes() {
			f(q, name, class)
			name = ""
		}
	}
}

// triple prints the shares of three parts in whole per cents; "-" where there is
// nothing to have a share of.
func triple(part, of [3]float64) string {
	var s [3]string
	for i := range part {
		share := 100 * part[i] / of[i]
		switch {
		case of[i] == 0:
			s[i] = "-"
		case share > 0 && share < 0.5:
			s[i] = "<1"
		default:
			s[i] = fmt.Sprintf("%.0f", share)
		}
	}
	if s[0] == "-" && s[1] == "-" && s[2] == "-" {
		return "-"
	}
	return strings.Join(s[:], "/")
}

// printClasses is the table of costs and times by class.
func printClasses(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	most := mostOf(p, "all", "cost_total")
	m := scaleOf(most, p.Currency)
	g := grid{title: "Classes, cost in " + m.unit, left: 2, heads: [][]string{
		{"", "", "wait", "", "turnaround", "", "slot-", "bytes", "", "network, % of"},
		{"policy", "class", "P50", "P95", "P50", "P95", "hours", "moved", "cost", "total / cash"},
	}}
	eachClass(p, func(q *experiment.SummaryPolicy, name, class string) {
		row := []string{name, class}
		for _, metric := range []string{"wait_p50_s", "wait_p95_s", "turnaround_p50_s", "turnaround_p95_s"} {
			row = append(row, length(q, class, metric))
		}
		g.add(append(row, grouped(q.Mean(class, "slot_hours")), spaced(unit.Bytes(q.Mean(class, "bytes_moved")).String()),
			m.print(q.Mean(class, "cost_total"), most), shares(q, class))...)
	})
	return g.print(w)
}

// spaced puts a space between a number and its unit.
func spaced(s string) string {
	i := strings.LastIndexAny(s, "0123456789") + 1
	return s[:i] + " " + s[i:]
}

// printLoads is the table of the busiest link and pool under each policy, and
// of how many have too much.
func printLoads(w io.Writer, _ *experiment.Summary, p *experiment.SummaryPoint) error {
	g := grid{title: "Loads: the busiest link and pool, and how many are overloaded", left: 2, heads: [][]string{
		{"policy", "link", "used", "full for", "over", "pool", "used", "asked for", "over"},
	}}
	for i := range p.Policies {
		q := &p.Policies[i]
		link, linksOver := busiest(q, "link:", "utilization")
		room, poolsOver := busiest(q, "pool:", "load")
		row := []string{q.Policy}
		if link == "" {
			row = append(row, "none carried anything", "", "", "")
		} else {
			row = append(row, link, percent(q.Mean("link:"+link, "utilization")), percent(q.Mean("link:"+link, "full_share")), grouped(float64(linksOver)))
		}
		if room != "" {
			_, short, _ := strings.Cut(room, "/") // rooms have names of their own: the hub can go
			row = append(row, short, percent(q.Mean("pool:"+room, "utilization")), percent(q.Mean("pool:"+room, "load")), grouped(float64(poolsOver)))
		}
		g.add(append(row, beside(q))...)
	}
	return g.print(w)
}

// busiest finds the scope with the largest value of a metric, and how many
// scopes are overloaded.
func busiest(q *experiment.SummaryPolicy, prefix, metric string) (name string, over int) {
	most := math.Inf(-1)
	for _, s := range q.Scopes(prefix) {
		if v := q.Mean(prefix+s, metric); v > most {
			name, most = s, v
		}
	}
	for i := range q.Rows {
		if strings.HasPrefix(q.Rows[i].Scope, prefix) && slices.Contains(q.Rows[i].Warnings, experiment.Overloaded) {
			over++
		}
	}
	return name, over
}
