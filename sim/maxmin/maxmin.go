// Package maxmin finds weighted max-min fair rates of flows that share links.
//
// # Model
//
// Every flow crosses some directed links, has a weight and may have a cap. Rates
// are fair when every flow is at its cap, or crosses a full link on which no flow
// has a larger level (rate over weight): its bottleneck. They are unique, and
// progressive filling finds them: raise the level of all flows together, and
// leave each flow where a link of it fills up or its cap is reached.
//
// Source: Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2.
//
// There are two solvers. Solve is progressive filling on slices and nothing
// else. An Allocator keeps the rates of changing flows and gives the same rates
// for a fraction of the work; its tests compare the two.
//
// # Units
//
// Capacities, caps and rates are in any one unit, weights in any other. An
// infinite capacity never constrains; a capacity of 0 gives the flows rate 0.
package maxmin

import "math"

// A Flow is what Solve needs to know of one.
type Flow struct {
	Route  []int32 // links, each at most once
	Weight float64 // > 0
	Cap    float64 // +Inf: none
}

// Solve returns the fair rate of every flow. A flow without a finite link and
// without a cap gets +Inf.
//
// Link by link it finds the lowest level at which something happens. Sums are
// made anew for each level, so nothing drifts; it takes levels·flows·links.
func Solve(capacity []float64, flows []Flow) []float64 {
	rate := make([]float64, len(flows))
	done := make([]bool, len(flows))
	for left := len(flows); left > 0; {
		level, link := lowest(capacity, flows, rate, done)
		capped := false
		for i, f := range flows {
			if !done[i] && f.Weight*level >= f.Cap {
				rate[i], done[i], capped = f.Cap, true, true
				left--
			}
		}
		if capped {
			continue // which leaves more for the others
		}
		for i, f := range flows {
			if !done[i] && (link == len(capacity) || crosses(f, link)) {
				rate[i], done[i] = f.Weight*level, true
				left--
			}
		}
	}
	return rate
}

// lowest returns the link that fills up at the lowest level when the flows that
// are not done rise together, and that level; +Inf and no link where none does.
func lowest(capacity []float64, flows []Flow, rate []float64, done []bool) (level float64, link int) {
	used := make([]float64, len(capacity))
	weight := make([]float64, len(capacity))
	for i, f := range flows {
		for _, l := range f.Route {
			if done[i] {
				used[l] += rate[i]
			} else {
				weight[l] += f.Weight
			}
		}
	}
	level, link = math.Inf(1), len(capacity)
	for l, c := range capacity {
		if weight[l] == 0 || math.IsInf(c, 1) {
			continue
		}
		if v := max(0, c-used[l]) / weight[l]; v < level {
			level, link = v, l
		}
	}
	return level, link
}

func crosses(f Flow, link int) bool {
	for _, l := range f.Route {
		if int(l) == link {
			return true
		}
	}
	return false
}
