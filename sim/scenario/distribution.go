package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// A distributionValue is a law of lengths of time as it is written.
type distributionValue struct {
	kind                       string
	mean, scale, median, value *unit.Seconds
	shape, sigma               *float64
	tau                        *unit.Seconds // of jitter

	law rng.Distribution // whatever the kind
}

// distributionKeys are the parameters of each kind: those of which one must be
// there, and those that must.
var distributionKeys = map[string]struct{ one, all []string }{
	"exponential": {one: []string{"mean"}},
	"weibull":     {one: []string{"scale", "mean"}, all: []string{"shape"}},
	"lognormal":   {one: []string{"median", "mean"}, all: []string{"sigma"}},
	"gamma":       {one: []string{"scale", "mean"}, all: []string{"shape"}},
	"constant":    {one: []string{"value", "mean"}},
}

func distributionObject() object[distributionValue] {
	return object[distributionValue]{name: "distribution", check: checkDistribution, fields: distributionFields()}
}

func distributionFields() []field[distributionValue] {
	some := optional(lengthAboveZero())
	return []field[distributionValue]{
		key("kind", word("exponential", "weibull", "lognormal", "gamma", "constant"), func(x *distributionValue) *string { return &x.kind }, "the law").needed("exponential"),
		key("mean", some, func(x *distributionValue) **unit.Seconds { return &x.mean }, "its expectation, in place of scale, median or value"),
		key("scale", some, func(x *distributionValue) **unit.Seconds { return &x.scale }, "of weibull and gamma"),
		key("median", some, func(x *distributionValue) **unit.Seconds { return &x.median }, "of lognormal"),
		key("value", some, func(x *distributionValue) **unit.Seconds { return &x.value }, "of constant"),
		key("shape", optional(aboveZero()), func(x *distributionValue) **float64 { return &x.shape }, "of weibull and gamma"),
		key("sigma", optional(aboveZero()), func(x *distributionValue) **float64 { return &x.sigma }, "of lognormal: standard deviation of the logarithm"),
	}
}

// jitterObject is a law of how much later than its latency a message is.
func jitterObject() object[distributionValue] {
	o := distributionObject()
	o.name = "jitter"
	o.fields = append(o.fields, key("tau", optional(lengthAboveZero()), func(x *distributionValue) **unit.Seconds { return &x.tau },
		"time over which it is correlated; left out, 500s"))
	return o
}

// jitterTau is how long delays of the Internet were found to be stationary
// (arXiv:1003.0190).
const jitterTau = 500 * unit.Second

func (x *distributionValue) jitter() profile.Jitter {
	if x == nil {
		return profile.Jitter{}
	}
	return profile.Jitter{Law: x.law, Tau: value(x.tau, jitterTau)}
}

// lengthAboveZero is a length of time that is not 0.
func lengthAboveZero() form[unit.Seconds] {
	return parsed(secondsJSON, true, func(s string) (unit.Seconds, error) {
		v, err := withUnit(unit.ParseSeconds, "s")(s)
		if err == nil && v == 0 {
			err = fmt.Errorf("got %q, want a time above 0 such as 20ms", s)
		}
		return v, err
	})
}

// lengthFrom is a length of time from a least one on: what changes more often than
// that would take a run for ever.
func lengthFrom(least unit.Seconds) form[unit.Seconds] {
	return parsed(secondsJSON, true, func(s string) (unit.Seconds, error) {
		v, err := withUnit(unit.ParseSeconds, "s")(s)
		if err == nil && v < least {
			err = fmt.Errorf("got %q, want a time of at least %v", s, least)
		}
		return v, err
	})
}

// shortest is the least time between two changes of a profile on average. Chosen: shorter
// than any measurement of a capacity.
const shortest unit.Seconds = 1e-3

func checkDistribution(d *decoder, n *node, x *distributionValue) {
	keys := distributionKeys[x.kind]
	meant := append(slices.Concat(keys.one, keys.all), "kind", "tau")
	for _, e := range n.entries {
		if !slices.Contains(meant, e.key) {
			d.faults = append(d.faults, e.at.fault(joinKey(n.path, e.key), fmt.Sprintf("has no effect on a distribution of kind %s; remove it", x.kind)))
			return
		}
	}
	for _, k := range keys.all {
		if n.get(k) == nil {
			d.fault(n, "no %s, and kind %s must have one; write %s: 0.7", k, x.kind, k)
			return
		}
	}
	has := 0
	for _, k := range keys.one {
		if n.get(k) != nil {
			has++
		}
	}
	switch {
	case has == 0:
		d.fault(n, "no %s, and kind %s must have one; write %s: 2h", strings.Join(keys.one, " or "), x.kind, keys.one[0])
		return
	case has == 2:
		d.fault(n, "got %s and mean; keep one", keys.one[0])
		return
	}
	x.law = x.make()
	if m := x.law.Mean(); !(m > 0) || math.IsInf(m, 0) {
		d.fault(n, "got a distribution whose mean is %v s, want a finite one above 0", m)
	}
}

// make makes the law; a mean stands for the parameter of scale that gives it.
func (x *distributionValue) make() rng.Distribution {
	mean, shape, sigma := float64(value(x.mean, 0)), value(x.shape, 1), value(x.sigma, 0)
	switch x.kind {
	case "weibull":
		return rng.Weibull(shape, float64(value(x.scale, unit.Seconds(mean/math.Gamma(1+1/shape)))))
	case "lognormal":
		return rng.LogNormal(float64(value(x.median, unit.Seconds(mean*math.Exp(-sigma*sigma/2)))), sigma)
	case "gamma":
		return rng.Gamma(shape, float64(value(x.scale, unit.Seconds(mean/shape))))
	case "constant":
		return rng.Constant(value(x.value, unit.Seconds(mean)))
	}
	return rng.Exponential(mean)
}
