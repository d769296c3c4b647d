package network

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"tiersim/sim/unit"
)

// digits is the number of binary digits in which the reservable rate of a link is
// counted. Chosen: three less than a float64 has, so that rates which are equal but
// for their rounding are the same parts.
const digits = 50

// partsOf returns the parts that a rate is, rounded down; 0 of an unlimited link.
func (d *dates) partsOf(rate unit.Rate) int64 {
	if d.reservable == unit.Unlimited() {
		return 0
	}
	return int64(math.Ldexp(float64(rate), d.scale))
}

// rateOf is the reverse.
func (d *dates) rateOf(parts int64) unit.Rate {
	return unit.Rate(math.Ldexp(float64(parts), -d.scale))
}

// find returns the index of the step that holds at an instant; -1 before the first.
func (d *dates) find(at unit.Time) int {
	return sort.Search(len(d.steps), func(i int) bool { return d.steps[i].at > at }) - 1
}

// at returns the parts that are reserved at an instant.
func (d *dates) at(at unit.Time) int64 {
	if i := d.find(at); i >= 0 {
		return d.steps[i].parts
	}
	return 0
}

// blocked reports whether there is no room for a rate at some instant of a window,
// and until when there is none from the first of these on.
func (d *dates) blocked(rate unit.Rate, from, to unit.Time) (until unit.Time, busy bool) {
	if rate > d.reservable {
		return unit.Forever(), true
	}
	room := d.all - d.partsOf(rate)
	for i := max(0, d.find(from)); i < len(d.steps) && d.steps[i].at < to; i++ {
		if d.steps[i].parts <= room {
			continue
		}
		for i++; i < len(d.steps); i++ {
			if d.steps[i].parts <= room {
				return d.steps[i].at, true
			}
		}
		return unit.Forever(), true
	}
	return 0, false
}

// add adds parts in a window.
func (d *dates) add(parts int64, from, to unit.Time) {
	if parts == 0 || from >= to {
		return
	}
	i := d.cut(from)
	j := d.cut(to)
	for k := i; k < j; k++ {
		s := &d.steps[k]
		if s.parts += parts; s.parts < 0 || s.parts > d.all {
			panic(fmt.Sprintf("network: %v of %v bytes/s are reserved from %v s on", float64(d.rateOf(s.parts)), float64(d.reservable), float64(s.at)))
		}
	}
	d.join(j) // the later first, so that i stays
	d.join(i)
}

// cut makes a step begin at an instant and returns its index; the number of steps
// where that is never.
func (d *dates) cut(at unit.Time) int {
	if at == unit.Forever() {
		return len(d.steps)
	}
	i := d.find(at)
	if i >= 0 && d.steps[i].at == at {
		return i
	}
	d.steps = slices.Insert(d.steps, i+1, step{at, d.at(at)})
	return i + 1
}

// join drops a step that is as what is before it.
func (d *dates) join(i int) {
	if i == len(d.steps) {
		return
	}
	before := int64(0)
	if i > 0 {
		before = d.steps[i-1].parts
	}
	if d.steps[i].parts == before {
		d.steps = slices.Delete(d.steps, i, i+1)
	}
}
