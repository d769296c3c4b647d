package experiment

import (
	"fmt"
	"math"
	"strconv"
)

// rare is the share of the tasks that had an option below which it practically
// never wins. Chosen: one in a hundred.
const rare = 0.01

// enough is how many tasks must have had an option before it can be said never
// to win. Chosen: 100, so that a share of one in a hundred is at least one task.
const enough = 100

// free are the policies that choose among all options by their price.
const free = "three-way"

// Findings says what a reader would otherwise overlook: which option practically
// never wins under the policy that weighs all three, and what stands against it.
func (p *SummaryPoint) Findings() []string {
	var q *SummaryPolicy
	for i := range p.Policies {
		if p.Policies[i].Policy == free {
			q = &p.Policies[i]
		}
	}
	if q == nil {
		return nil
	}
	var list []string
	for _, class := range q.Classes() {
		for _, option := range []string{"wait", "move-task", "move-data"} {
			had := q.Mean(class, "available_"+option+"_tasks")
			chosen := q.Mean(class, "chosen_"+option+"_tasks")
			if had < enough || chosen >= rare*had {
				continue
			}
			list = append(list, fmt.Sprintf("%s: %s practically never wins under %s (%s of %s tasks that had it).%s",
				class, option, free, few(chosen), few(had), p.against(class, option)))
		}
	}
	return list
}

// against says what a GB of the class costs to send and to compute, where
// some policy sent any.
func (p *SummaryPoint) against(class, option string) string {
	if option != "move-data" {
		return ""
	}
	send, compute := 0.0, 0.0
	for i := range p.Policies {
		q := &p.Policies[i]
		if q.Policy == option && q.Mean(class, "bytes_moved") > 0 {
			send = 1e9 * q.Mean(class, "cost_transfer") / q.Mean(class, "bytes_moved")
		}
		if read := q.Mean(class, "input_bytes"); q.Policy == free && read > 0 {
			compute = 1e9 * q.Mean(class, "cost_compute") / read
		}
	}
	if send == 0 || compute == 0 {
		return ""
	}
	text := fmt.Sprintf(" Sending a GB costs %s %s, computing on it %s", three(send), p.Currency, three(compute))
	switch {
	case send >= 2*compute:
		text += fmt.Sprintf(": %s times less.", three(send/compute))
	case compute >= 2*send:
		text += fmt.Sprintf(": %s times more.", three(compute/send))
	default:
		text += ", about as much."
	}
	return text
}

// few prints a mean count: whole where it is.
func few(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return three(v)
}

// three prints three significant digits, without an exponent.
func three(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', max(2-int(math.Floor(math.Log10(math.Abs(v)))), 0), 64)
}
