package network_test

import (
	"math"
	"slices"

	"tiersim/sim/maxmin"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A drain is flows under the plain solver: at every change all rates are solved
// and all flows drain. It shares no code with Network, des or Allocator.
type drain struct {
	now      float64
	capacity []float64
	flows    []maxmin.Flow
	left     []float64
	owner    []int
	finish   []unit.Time
}

// A change is what happens to a drain at an instant from outside.
type change struct {
	at float64
	do func(*drain)
}

// runPlain plays the script and returns when each flow was done.
func (s script) runPlain() []unit.Time {
	d := &drain{finish: make([]unit.Time, len(s.flows))}
	for _, r := range s.capacity {
		d.capacity = append(d.capacity, float64(r))
	}
	changes := s.changes()
	for len(changes) > 0 || len(d.flows) > 0 {
		rates := maxmin.Solve(d.capacity, d.flows)
		at, ends := d.firstEnd(rates)
		if len(changes) > 0 && changes[0].at < at {
			d.advance(changes[0].at, rates)
			changes[0].do(d)
			changes = changes[1:]
		} else if len(d.flows) > 0 {
			d.advance(at, rates)
			d.finish[d.owner[ends]] = unit.Time(at)
			d.flows = slices.Delete(d.flows, ends, ends+1)
			d.left = slices.Delete(d.left, ends, ends+1)
			d.owner = slices.Delete(d.owner, ends, ends+1)
		}
	}
	return d.finish
}

func (d *drain) firstEnd(rates []float64) (at float64, flow int) {
	at = math.Inf(1)
	for i, r := range rates {
		if end := d.now + d.left[i]/r; end < at {
			at, flow = end, i
		}
	}
	return at, flow
}

func (d *drain) advance(at float64, rates []float64) {
	for i, r := range rates {
		if at > d.now {
			d.left[i] -= r * (at - d.now)
		}
	}
	d.now = at
}

// changes lists starts and capacity changes in order, the latter for as long as
// the last of them in the script's profiles: those that loop are not played.
func (s script) changes() []change {
	var cs []change
	for i, f := range s.flows {
		if f.Bytes == 0 {
			cs = append(cs, change{float64(f.at.Add(f.Delay)), func(d *drain) { d.finish[i] = unit.Time(d.now) }})
			continue
		}
		g := maxmin.Flow{Weight: f.Weight, Cap: float64(f.Cap), Route: links(f.Route)}
		cs = append(cs, change{float64(f.at.Add(f.Delay)), func(d *drain) {
			d.flows, d.left, d.owner = append(d.flows, g), append(d.left, float64(f.Bytes)), append(d.owner, i)
		}})
	}
	for link, p := range s.profiles {
		at, value, ok := unit.Time(0), p.At(0), true
		for ok {
			v := value * float64(s.capacity[link])
			cs = append(cs, change{float64(at), func(d *drain) { d.capacity[link] = v }})
			at, value, ok = p.Next(at)
		}
	}
	slices.SortStableFunc(cs, func(a, b change) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return cs
}

func links(route []topo.LinkID) []int32 {
	out := make([]int32, len(route))
	for i, l := range route {
		out[i] = int32(l)
	}
	return out
}
