package pool

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// A ContractKind says by which law a pool's slots are taken away.
type ContractKind uint8

const (
	// OnDemand nodes fail as a Poisson process each.
	OnDemand ContractKind = iota
	// Spot nodes are taken back some time after an attempt began on them.
	Spot
	// Recorded capacity comes and goes as it once did.
	Recorded
	// Maintenance takes the whole pool now and then, with notice.
	Maintenance
)

// A Contract is one way in which slots of a pool are taken from those that hold
// them. A pool may have several.
//
// The clock of an OnDemand or Spot node begins with each attempt: a restart gets
// another instance. A gang is interrupted with the first of its nodes.
type Contract struct {
	Kind ContractKind
	// Up is how long a node lasts from the start of an attempt, Down how long it is
	// away then; nil: another takes its place at once.
	Up, Down rng.Distribution
	// Available is how many slots of the pool there are; of Recorded.
	Available profile.Law
	// Maintenance begins at Every, 2·Every, … and takes Length. It is told Notice
	// ahead: tasks that can save within it lose nothing.
	Every, Length, Notice unit.Seconds
}

// Nodes returns how many nodes a gang takes.
func Nodes(slots, perNode int32) int32 { return (slots + perNode - 1) / perNode }

// Lasts returns how long a gang of that many nodes lasts where u in (0, 1) is its
// luck: the quantile of the least of independent nodes, 1 - (1-F)ⁿ = u.
func (c *Contract) Lasts(u float64, nodes int32) unit.Seconds {
	one := -math.Expm1(math.Log1p(-u) / float64(nodes))
	if one <= 0 { // a gang so large that the share of one node is no number any more
		one = math.SmallestNonzeroFloat64
	}
	return unit.Seconds(c.Up.Quantile(one))
}

// Spacing returns the mean time to the first interruption of that many nodes:
// exact for exponential and Weibull laws, whose least of n is of their own kind
// (n^(-1/k) times the scale); for others as if they were exponential.
func (c *Contract) Spacing(nodes int32) unit.Seconds {
	n := float64(nodes)
	if w, ok := c.Up.(distuv.Weibull); ok {
		n = math.Pow(n, 1/w.K)
	}
	return unit.Seconds(c.Up.Mean() / n)
}
