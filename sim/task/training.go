package task

import (
	"math"

	"tiersim/sim/unit"
)

// AllReducesPerLayer is what tensor parallelism costs in each layer of a
// transformer and each step: two in the forward pass, two in the backward one
// (Shoeybi et al., Megatron-LM, 2019, arXiv:1909.08053, section 3).
const AllReducesPerLayer = 4

// RingAllReduce returns the time in which a ring of n, each link of which
// carries rate, adds up volume so that all hold the sum:
//
//	2·(n−1)/n·V/B + 2·(n−1)·α
//
// in 2(n−1) rounds of a delay α = alpha each (Patarasuk and Yuan, Journal of
// Parallel and Distributed Computing 69(2), 2009,
// doi:10.1016/j.jpdc.2008.09.002). One alone takes no time.
func RingAllReduce(n int, volume unit.Bytes, rate unit.Rate, alpha unit.Seconds) unit.Seconds {
	var t unit.Seconds
	if link := perLink(n, volume); link > 0 {
		t = link.Over(rate)
	}
	return t + times(rounds(n), alpha)
}

// rounds returns how often the members of a ring of n pass something on.
func rounds(n int) float64 { return float64(2 * max(n-1, 0)) }

// perLink returns what each link of a ring of n carries: one n-th of volume in
// each round.
func perLink(n int, volume unit.Bytes) unit.Bytes {
	if n < 2 {
		return 0
	}
	return unit.Bytes(rounds(n) / float64(n) * float64(volume))
}

// A Ring is n members in a circle, the rate of its links and their delay.
type Ring struct {
	N     int
	Rate  unit.Rate
	Alpha unit.Seconds
}

// HierarchicalAllReduce returns the time of an all-reduce that first scatters
// the volume within each site, then reduces every shard across the sites, then
// gathers within. The rings across share one link per site, across.Rate:
//
//	2·[(g−1)/g·V/Bᵢ + (g−1)·αᵢ] + 2·(s−1)/s·V/B + 2·(s−1)·α
func HierarchicalAllReduce(volume unit.Bytes, inside, across Ring) unit.Seconds {
	return RingAllReduce(inside.N, volume, inside.Rate, inside.Alpha) +
		RingAllReduce(across.N, volume, across.Rate, across.Alpha)
}

// TensorParallel returns the communication of one training step whose layers are
// split over a ring of n, when each all-reduce has volume: batch × sequence ×
// hidden size × bytes of a number. Nothing of it overlaps with compute.
func TensorParallel(layers, n int, volume unit.Bytes, rate unit.Rate, alpha unit.Seconds) unit.Seconds {
	return times(float64(layers*AllReducesPerLayer), RingAllReduce(n, volume, rate, alpha))
}

// ExpectedSlowest returns the expected largest of n exponential delays of that
// mean: mean·(1 + 1/2 + ... + 1/n).
func ExpectedSlowest(n int, mean unit.Seconds) unit.Seconds {
	var h float64
	for i := n; i >= 1; i-- {
		h += 1 / float64(i)
	}
	return times(h, mean)
}

// StepTime returns how long a step takes that computes and communicates, if a
// share overlap of the compute can hide communication: 1 all, 0 none. The
// backward pass, which sends gradients as they appear, is about half.
func StepTime(compute, comm unit.Seconds, overlap float64) unit.Seconds {
	return compute + max(0, comm-times(overlap, compute))
}

// Efficiency returns the share of a step's time that it computes.
func Efficiency(compute, comm unit.Seconds, overlap float64) float64 {
	step := StepTime(compute, comm, overlap)
	if step == 0 {
		return 1
	}
	return float64(compute / step)
}

// LocalEfficiency returns the efficiency of training that communicates only
// after every h steps, and then does nothing else: h·t/(h·t + T). That local
// steps may need more of them to learn the same is not in it.
func LocalEfficiency(compute, comm unit.Seconds, h float64) float64 {
	return Efficiency(times(h, compute), comm, 0)
}

// SmallestLocalSteps returns the least whole number of steps between
// communications, at least 1, with a LocalEfficiency of want or more; +Inf where
// none has.
func SmallestLocalSteps(compute, comm unit.Seconds, want float64) float64 {
	if comm == 0 || want <= 0 {
		return 1
	}
	if want >= 1 || compute == 0 {
		return math.Inf(1)
	}
	h := max(1, math.Ceil(float64(comm/compute)*want/(1-want)))
	// The quotient is rounded: the neighbor below may do, or this one just not.
	if h > 1 && LocalEfficiency(compute, comm, h-1) >= want {
		return h - 1
	}
	if LocalEfficiency(compute, comm, h) < want {
		return h + 1
	}
	return h
}

// A Sync is what a gang does that is spread over places: it computes, then the
// places add up Volume in a ring across the links between them, and so on.
type Sync struct {
	Compute unit.Seconds // from the end of one sync to the begin of the next
	Volume  unit.Bytes   // that every place holds and wants the sum of
	Places  int
	Alpha   unit.Seconds // delay of one message between places
	Overlap float64      // share of Compute, in [0, 1], that can hide the sync
	// LocalSteps is how many training steps Compute holds; 0 is like 1.
	LocalSteps float64
}

// Every returns the sync of a gang that skips all but each h-th: it computes h
// times as long between them. Only the last step of these can still overlap.
func (s Sync) Every(h float64) Sync {
	s.Compute = times(h, s.Compute)
	s.Overlap /= h
	s.LocalSteps = h * max(s.LocalSteps, 1)
	return s
}

// PerLink returns the bytes that each link of the ring carries in a sync.
func (s Sync) PerLink() unit.Bytes { return perLink(s.Places, s.Volume) }

// Period returns the time from one sync to the next if the links of the ring
// carry rate; +Inf where they carry nothing.
func (s Sync) Period(rate unit.Rate) unit.Seconds {
	return StepTime(s.Compute, RingAllReduce(s.Places, s.Volume, rate, s.Alpha), s.Overlap)
}

// Step returns the mean time of a training step.
func (s Sync) Step(rate unit.Rate) unit.Seconds {
	return s.Period(rate) / unit.Seconds(max(s.LocalSteps, 1))
}

// MeanRate returns the mean rate that the syncs take of a link on which they can
// burst at rate: at most rate, and as that grows, the most they can ever use.
func (s Sync) MeanRate(rate unit.Rate) unit.Rate {
	if s.PerLink() == 0 {
		return 0
	}
	return unit.Rate(float64(s.PerLink()) / float64(s.Period(rate)))
}

// Efficiency returns the share of the time that the gang computes.
func (s Sync) Efficiency(rate unit.Rate) float64 {
	return Efficiency(s.Compute, RingAllReduce(s.Places, s.Volume, rate, s.Alpha), s.Overlap)
}

// RateForEfficiency returns the least rate at which Efficiency is want; false
// where the delays of the messages alone cost more than that.
func (s Sync) RateForEfficiency(want float64) (unit.Rate, bool) {
	if s.PerLink() == 0 {
		return 0, s.Efficiency(0) >= want
	}
	if want <= 0 {
		return 0, true
	}
	// want = C/(C + T − ωC) for the communication time T.
	comm := times(1/want-1+s.Overlap, s.Compute) - times(rounds(s.Places), s.Alpha)
	if want > 1 || comm <= 0 {
		return 0, false
	}
	return unit.Rate(float64(s.PerLink()) / float64(comm)), true
}
