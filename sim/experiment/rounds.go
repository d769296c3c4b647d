package experiment

import (
	"tiersim/sim/stats"
)

// precise are the metrics that must be known to the scenario's precision.
var precise = [...]string{"cost_total", "turnaround_p95_s"}

// growth is how many times more replications the next round of a point has.
// Chosen: 1.5, so that no more than a third of them can be too many, and a
// point of 200 that began with 20 is looked at seven times.
const growth = 1.5

// advance moves a point to its first round of which something is missing, and
// returns that, a batch a replication. It returns nothing
// where the point needs no more.
func (e *experiment) advance(p *point) ([]batch, error) {
	if p.planned == 0 {
		p.planned = p.from
		for e.standing(p, p.planned+1) {
			p.planned++
		}
	}
	for {
		missing, err := e.missing(p)
		if err != nil || len(missing) > 0 {
			return missing, err
		}
		if p.reached, err = e.reached(p); err != nil {
			return nil, err
		}
		if p.reached || p.planned >= p.to {
			return nil, nil
		}
		p.planned = min(p.to, max(p.planned+1, int(growth*float64(p.planned))))
	}
}

// standing reports whether a replication is there under every policy: one beyond
// those asked for, of an earlier command. The tables hold it, so the summary
// does, too.
func (e *experiment) standing(p *point, replication int) bool {
	for _, policy := range e.policies {
		if !e.complete(p, policy, replication) {
			return false
		}
	}
	return len(e.policies) > 0
}

// missing returns the runs of the present round that are not there.
func (e *experiment) missing(p *point) ([]batch, error) {
	var list []batch
	for r := 1; r <= p.planned; r++ {
		b := batch{point: p, replication: r}
		for _, policy := range e.policies {
			if !e.complete(p, policy, r) {
				b.policies = append(b.policies, policy)
			}
		}
		if len(b.policies) > 0 {
			list = append(list, b)
		}
	}
	return list, nil
}

// reached reports whether the replications so far are as precise as the
// scenario asks for, under every policy that is run.
func (e *experiment) reached(p *point) (bool, error) {
	want := e.Scenario.Replications.Precision
	if p.from == p.to || want <= 0 {
		return true, nil
	}
	if p.planned < 2 {
		return false, nil
	}
	for _, policy := range e.policies {
		runs, err := e.results(p, policy)
		if err != nil {
			return false, err
		}
		for _, name := range precise {
			var values []float64
			for _, t := range tabulate(runs) {
				if v, ok := t[metricKey{"all", name}]; ok {
					values = append(values, v)
				}
			}
			if len(values) >= 2 && stats.Mean(values, confidence).Relative() > want/(1+want) {
				return false, nil
			}
		}
	}
	return true, nil
}
