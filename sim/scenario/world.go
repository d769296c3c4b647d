package scenario

import (
	"fmt"
	"strings"

	"tiersim/sim/network"
	"tiersim/sim/policy"
	"tiersim/sim/pool"
	"tiersim/sim/profile"
	"tiersim/sim/topo"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// A World is what one design point consists of: everything that a replication
// needs but its policy and its random streams.
type World struct {
	Topology *topo.Topology
	// Capacity is the capacity of each link in time, in bytes per second; nil
	// for a link (or altogether) where the topology's holds for ever.
	Capacity []profile.Law
	// Jitter, Shapers and Reservable (the share of the capacity) are of each link;
	// nil where no link has any.
	Jitter     []profile.Jitter
	Shapers    []network.Shaper
	Reservable []float64
	// Held are the slots of each pool that are kept for services in time; nil for a
	// pool (or altogether) where the topology's number holds for ever.
	Held []profile.Law
	// Interruptions are the contracts of each pool; nil where no pool has any.
	Interruptions [][]pool.Contract
	Recovery      Recovery
	Training      Training
	Reservations  []Reservation
	// Trace says what is replayed; the caller adds the streams.
	Trace      trace.Options
	Parameters Parameters
	Decisions
	// Rules exclude tasks; nil excludes none, which is an ablation.
	Rules     *policy.Rules
	Estimates Estimates
	// StageInside holds slots while data comes in.
	StageInside bool
	Network     Network
	Horizon     Horizon
	// FillRandom says that what the trace's gaps are filled with is drawn, Weather
	// that capacities, interruptions or jitter are.
	FillRandom, Weather bool
}

// Recovery says what follows an interruption.
type Recovery struct {
	// Limit is how many attempts a task has; 0 is no limit.
	Limit int
	// Cooldown is how long it keeps away from the pool where it was interrupted.
	Cooldown unit.Seconds
	// FinalSave has a task save its state at its end, too.
	FinalSave bool
}

// Training says how tasks of class training-parallel synchronize.
type Training struct {
	Overlap    float64 // share of the compute time that a synchronization hides behind
	LocalSteps int     // between two synchronizations
	Penalty    float64 // factor of the work where there are several
}

// An EstimateKind says what is believed where a task has no estimate.
type EstimateKind uint8

const (
	// ExactEstimates believe the run time.
	ExactEstimates EstimateKind = iota
	// UserEstimates believe the run time too: there is nothing else to go by.
	UserEstimates
	// FactorEstimates believe the run time times a log-normal error.
	FactorEstimates
)

// Estimates say what policies and queues believe.
type Estimates struct {
	Kind  EstimateKind
	Sigma float64 // of FactorEstimates
}

// Network says how transfers behave.
type Network struct {
	StartupRTTs float64
	// Window is what a stream has on its way at once; 0 is no limit.
	Window unit.Bytes
	// ParallelStreams is how many streams a transfer has, each with its window and
	// its losses.
	ParallelStreams int
	OnOutage        network.OnOutage
	// Loss is the share of packets of MSS bytes that are lost; 0 limits nothing.
	Loss float64
	MSS  unit.Bytes
	// RTTBias is the power of 1 / round trip in a transfer's share of a full link.
	RTTBias float64
}

// EstimateError returns the spread of the errors that are drawn where a task has
// no estimate, and whether any are.
func (w *World) EstimateError() (sigma float64, drawn bool) {
	return w.Estimates.Sigma, w.Estimates.Kind == FactorEstimates && w.Estimates.Sigma > 0
}

// HorizonAt returns when a run ends, whose last task arrives at last; ok is
// false where it ends with its tasks.
func (w *World) HorizonAt(last unit.Time) (at unit.Time, ok bool) {
	switch w.Horizon.Kind {
	case HorizonAtInstant:
		return unit.Time(w.Horizon.Length), true
	case HorizonAfterArrivals:
		return last.Add(w.Horizon.Length), true
	}
	return 0, false
}

// A HorizonKind says what a horizon counts from.
type HorizonKind uint8

const (
	// NoHorizon ends a run when all tasks are done.
	NoHorizon HorizonKind = iota
	// HorizonAtInstant ends it at an instant.
	HorizonAtInstant
	// HorizonAfterArrivals ends it some time after the last arrival.
	HorizonAfterArrivals
)

// A Horizon says when a run ends.
type Horizon struct {
	Kind   HorizonKind
	Length unit.Seconds
}

// String writes the horizon as a scenario does.
func (h Horizon) String() string {
	switch h.Kind {
	case HorizonAtInstant:
		return h.Length.String()
	case HorizonAfterArrivals:
		return "arrivals+" + h.Length.String()
	}
	return "none"
}

func horizonForm() form[Horizon] {
	json := `{"type":"string","pattern":"^(none|(arrivals\\+)?` + number + ` ?(ns|us|µs|ms|s|m|min|h|d|w))$","examples":["none","40h","arrivals+2d"]}`
	return parsed(json, true, func(s string) (Horizon, error) {
		if s == "none" {
			return Horizon{}, nil
		}
		kind, rest := HorizonAtInstant, s
		if after, ok := strings.CutPrefix(s, "arrivals+"); ok {
			kind, rest = HorizonAfterArrivals, after
		}
		v, err := unit.ParseSeconds(rest)
		if err != nil {
			err = fmt.Errorf("got %q, want none, a time such as 40h, or arrivals+2d", clip(s))
			if _, bare := plainNumber(rest); bare == nil {
				err = fmt.Errorf("%w; write its unit, as in %sh", err, s)
			}
		}
		return Horizon{kind, v}, err
	})
}
