package maxmin

import (
	"fmt"
	"math"
)

// Check verifies that the rates are fair by their definition and that what the
// Allocator believes of them holds, from nothing but the flows themselves.
func (a *Allocator) Check() error {
	for i := range a.links {
		if err := a.checkLink(int32(i)); err != nil {
			return err
		}
	}
	for s := range a.flows {
		f := &a.flows[s]
		if f.weight == 0 {
			continue
		}
		if f.rate > f.ceiling || f.bottleneck == 0 && f.rate != f.ceiling {
			return fmt.Errorf("maxmin: flow %d has rate %v, ceiling %v, bottleneck %d", s-1, f.rate, f.ceiling, f.bottleneck)
		}
		if f.bottleneck > 0 && f.rate != f.weight*a.links[f.bottleneck-1].level {
			return fmt.Errorf("maxmin: flow %d has rate %v, not the level %v of its bottleneck", s-1, f.rate, a.links[f.bottleneck-1].level)
		}
	}
	return nil
}

// checkLink verifies that a link does not carry too much, and that it is a
// bottleneck if flows say so: full, and no flow on it is above its level.
func (a *Allocator) checkLink(id int32) error {
	l := &a.links[id]
	load, bound, potential := 0.0, int32(0), int64(0)
	for _, m := range l.members {
		f := &a.flows[m.slot]
		load += f.rate
		potential += l.units(f.ceiling)
		if f.bottleneck == id+1 {
			bound++
		}
	}
	if load > l.capacity*(1+tolerance) {
		return fmt.Errorf("maxmin: link %d carries %v of %v", id, load, l.capacity)
	}
	if bound != l.bound || potential != l.potential {
		return fmt.Errorf("maxmin: link %d binds %d flows, not %d, and could carry %d parts, not %d", id, bound, l.bound, potential, l.potential)
	}
	if bound == 0 {
		return nil
	}
	if math.Abs(load-l.capacity) > tolerance*l.capacity {
		return fmt.Errorf("maxmin: link %d is a bottleneck and carries %v of %v", id, load, l.capacity)
	}
	for _, m := range l.members {
		if f := &a.flows[m.slot]; f.rate > f.weight*l.level {
			return fmt.Errorf("maxmin: flow %d has rate %v, above the level %v of link %d", m.slot-1, f.rate, l.level, id)
		}
	}
	return nil
}
