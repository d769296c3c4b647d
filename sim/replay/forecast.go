package replay

import (
	"math"
	"slices"

	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
)

// remembered is how many past forecasts of one kind and place are kept. Chosen: the
// quantile of 0.95 then rests on ten of them, and what was true a thousand tasks ago
// is forgotten.
const remembered = 200

// forecasts are what decisions estimated beside what happened: by pair of hubs, by
// pool, by class.
type forecasts struct {
	hubs int
	of   [policy.NumForecasts][]errors
	sums [policy.NumForecasts]forecastTally
}

// errors are the last ratios of what happened to what was forecast.
type errors struct {
	next   int
	recent []float64 // in the order of time, a ring
	sorted []float64
}

// A forecastTally sums over all forecasts of a kind.
type forecastTally struct {
	n                int64
	absolute, signed float64 // of relative errors
	held, covered    int64   // those that came with a quantile; those not above it
}

func newForecasts(t *topo.Topology) forecasts {
	f := forecasts{hubs: len(t.Hubs)}
	f.of[policy.OfTransfer] = make([]errors, f.hubs*f.hubs)
	f.of[policy.OfQueue] = make([]errors, len(t.Pools))
	f.of[policy.OfCompute] = make([]errors, task.NumClasses)
	return f
}

func (r *run) errorsOf(f policy.Forecast, of policy.ForecastOf) *errors {
	i := 0
	switch f {
	case policy.OfTransfer:
		i = int(r.topo.Rooms[of.From].Hub)*r.forecasts.hubs + int(r.topo.Rooms[of.To].Hub)
	case policy.OfQueue:
		i = int(of.Pool)
	case policy.OfCompute:
		i = int(of.Class)
	}
	return &r.forecasts.of[f][i]
}

// quantile returns the conformal q quantile: the ⌈(n+1)q⌉-th smallest ratio, which a
// new one of the same law exceeds with probability at most 1−q (Vovk et al.,
// Algorithmic Learning in a Random World, 2005). Where n is too small for that it is
// the largest; without any it is 1.
func (e *errors) quantile(q float64) float64 {
	n := len(e.sorted)
	if n == 0 {
		return 1
	}
	return e.sorted[max(0, min(n, int(math.Ceil(float64(n+1)*q)))-1)]
}

func (e *errors) add(ratio float64) {
	if len(e.recent) < remembered {
		e.recent = append(e.recent, ratio)
	} else {
		old, _ := slices.BinarySearch(e.sorted, e.recent[e.next])
		e.sorted = slices.Delete(e.sorted, old, old+1)
		e.recent[e.next] = ratio
	}
	e.next = (e.next + 1) % remembered
	at, _ := slices.BinarySearch(e.sorted, ratio)
	e.sorted = slices.Insert(e.sorted, at, ratio)
}

// learn takes note of how a forecast came out.
func (r *run) learn(f policy.Forecast, of policy.ForecastOf, ratio float64) {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return
	}
	e, s := r.errorsOf(f, of), &r.forecasts.sums[f]
	if len(e.sorted) > 0 {
		s.held++
		if ratio <= e.quantile(r.world.Parameters.Buffer) {
			s.covered++
		}
	}
	s.n++
	s.absolute += math.Abs(ratio - 1)
	s.signed += ratio - 1
	e.add(ratio)
}

// learnQueue compares the wait for slots of a life that starts with its estimate.
func (r *run) learnQueue(l *life) {
	if !r.learns || !l.decided || l.task.Carried {
		return
	}
	r.learn(policy.OfQueue, policy.ForecastOf{Pool: l.plan.Pool}, policy.QueueRatio(r.now().Sub(l.asked), l.plan.Queue))
}

// learnRest compares what a life that is done took with its estimates: of those that
// were decided once, since an interruption makes another plan.
func (r *run) learnRest(l *life) {
	if !r.learns || !l.decided || l.past.attempts != 1 {
		return
	}
	if l.plan.Compute > 0 {
		stayed := l.past.onSlots - l.past.staged
		r.learn(policy.OfCompute, policy.ForecastOf{Class: l.task.Class}, float64(stayed/l.plan.Compute))
	}
	if l.plan.Brings > 0 && l.plan.Transfer > 0 {
		r.learn(policy.OfTransfer, policy.ForecastOf{From: l.plan.From, To: l.plan.Room}, float64(l.spent[inTransfer]/l.plan.Transfer))
	}
}

// forecastMetrics tells how far forecasts were off, as parts of what was forecast,
// and how often what happened stayed below the buffered forecast.
func (r *run) forecastMetrics(m *sheet) {
	for f, name := range [...]string{"transfer", "queue", "compute"} {
		s := &r.forecasts.sums[f]
		if s.n == 0 {
			continue
		}
		m.put("all", "forecast_"+name+"_mape", s.absolute/float64(s.n))
		m.put("all", "forecast_"+name+"_bias", s.signed/float64(s.n))
		if s.held > 0 {
			m.put("all", "forecast_"+name+"_coverage", float64(s.covered)/float64(s.held))
		}
	}
}
