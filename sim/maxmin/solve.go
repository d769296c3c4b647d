package maxmin

import (
	"fmt"
	"math"
)

// join adds a flow to the set.
func (a *Allocator) join(s int32) {
	f := &a.flows[s]
	if f.mark == a.epoch {
		return
	}
	f.mark = a.epoch
	a.set = append(a.set, touched{s, f.bottleneck, f.rate})
}

// touchAdded starts the set with a flow that came and those it may take from.
func (a *Allocator) touchAdded(s int32) {
	a.join(s)
	a.touchRoute(s)
}

// touchRoute adds the flows whose bottleneck is on the route of a flow.
func (a *Allocator) touchRoute(s int32) {
	for _, h := range a.route(s) {
		if l := &a.links[h.link]; l.bound > 0 && l.seen != a.epoch {
			a.touchBound(h.link)
		}
	}
}

// touchBound adds the flows whose bottleneck a link is.
func (a *Allocator) touchBound(id int32) {
	l := &a.links[id]
	l.seen = a.epoch
	for _, m := range l.members {
		if a.flows[m.slot].bottleneck == id+1 {
			a.join(m.slot)
		}
	}
}

// solve finds the rates of the set, which widens until all outside it have a
// bottleneck that is as it was.
func (a *Allocator) solve() {
	for n := 0; n < len(a.set); {
		n = len(a.set)
		a.fill()
		a.widen()
	}
}

// widen adds those that the rates found leave without a bottleneck. On a link
// whose level moved, the flows bound by it come first: often they yield enough,
// and the others need not be asked.
func (a *Allocator) widen() {
	n := len(a.set)
	for _, w := range a.full {
		l := &a.links[w.link]
		if l.bound > 0 && l.level == w.level {
			continue // as it was: no flow on it is above that
		}
		if l.bound > 0 && l.seen != a.epoch {
			before := len(a.set)
			a.touchBound(w.link)
			if len(a.set) > before {
				continue
			}
		}
		if l.bound > 0 && l.level <= w.level {
			continue // no flow outside was above even the old level
		}
		for _, m := range l.members {
			f := &a.flows[m.slot]
			if f.mark != a.epoch && f.rate > f.weight*w.level {
				a.join(m.slot)
			}
		}
	}
	for _, t := range a.set[:n] {
		if a.flows[t.slot].rate != t.rate {
			a.touchRoute(t.slot)
		}
	}
}

// fill solves the set by progressive filling, all other flows held.
func (a *Allocator) fill() {
	for opened := a.open(); a.frozen < opened; {
		top := &a.heap[0]
		if top.asof != a.frozen {
			level := top.level
			if !a.ask(top) {
				a.pop()
			} else if top.level > level {
				a.sift(0)
			}
			continue
		}
		if top.level >= top.least {
			a.freezeCapped(*top)
			continue
		}
		a.freeze(*top)
		a.full = append(a.full, *top)
		a.pop()
	}
}

// open opens the flows of the set and collects the links that may constrain
// them, in a heap by the level at which they would fill up. It returns how many
// flows are open.
func (a *Allocator) open() (opened int32) {
	a.round++
	a.frozen = 0
	a.heap, a.full = a.heap[:0], a.full[:0]
	for _, t := range a.set {
		f := &a.flows[t.slot]
		open := false
		for _, h := range a.route(t.slot) {
			l := &a.links[h.link]
			if l.potential <= whole {
				continue
			}
			open = true
			if l.mark != a.round {
				l.mark = a.round
				a.heap = append(a.heap, filling{link: h.link})
			}
		}
		f.open = open
		if open {
			opened++
		} else {
			f.rate, f.bottleneck = f.ceiling, 0
		}
	}
	for i := range a.heap {
		a.ask(&a.heap[i])
	}
	for i := (len(a.heap) - 2) / 4; i >= 0; i-- {
		a.sift(i)
	}
	return opened
}

// ask finds the level at which a link would fill up if its open flows rose
// together, and reports whether it has any. The level is not below the one that
// was known; where rounding says so, the load that follows is checked.
func (a *Allocator) ask(w *filling) bool {
	l := &a.links[w.link]
	used, weight, least := 0.0, 0.0, math.Inf(1)
	for _, m := range l.members {
		f := &a.flows[m.slot]
		if f.open {
			weight += f.weight
			if f.top < least {
				least = f.top
			}
		} else {
			used += f.rate
		}
	}
	w.asof, w.least = a.frozen, least
	w.level = max(w.level, (l.capacity-used)/weight)
	if load := used + w.level*weight; weight > 0 && load <= l.capacity*(1+tolerance) {
		return true
	} else if weight > 0 || used > l.capacity*(1+tolerance) {
		panic(fmt.Sprintf("maxmin: link %d carries %v of %v", w.link, max(used, load), l.capacity))
	}
	return false
}

// freezeCapped freezes the open flows on a link whose ceiling is not above its
// level.
func (a *Allocator) freezeCapped(w filling) {
	for _, m := range a.links[w.link].members {
		f := &a.flows[m.slot]
		if f.open && w.level >= f.top {
			f.open, f.rate, f.bottleneck = false, f.ceiling, 0
			a.frozen++
		}
	}
}

// freeze freezes the open flows on a link that is full at its level.
func (a *Allocator) freeze(w filling) {
	for _, m := range a.links[w.link].members {
		f := &a.flows[m.slot]
		if f.open {
			f.open, f.rate, f.bottleneck = false, f.weight*w.level, w.link+1
			a.frozen++
		}
	}
}

// commit makes what was solved the state that the next change starts from.
func (a *Allocator) commit() {
	for _, t := range a.set {
		f := &a.flows[t.slot]
		if f.rate != t.rate {
			a.changed = append(a.changed, t.slot-1)
		}
		if f.bottleneck == t.bottleneck {
			continue
		}
		if t.bottleneck > 0 {
			a.links[t.bottleneck-1].bound--
		}
		if f.bottleneck > 0 {
			a.links[f.bottleneck-1].bound++
		}
	}
	for _, w := range a.full {
		a.links[w.link].level = w.level
		a.mustBeFair(w.link)
	}
}

// mustBeFair panics where a link that has just become a bottleneck is not full,
// or carries a flow above its level.
func (a *Allocator) mustBeFair(id int32) {
	l := &a.links[id]
	load := 0.0
	for _, m := range l.members {
		f := &a.flows[m.slot]
		load += f.rate
		if f.rate > f.weight*l.level {
			panic(fmt.Sprintf("maxmin: flow %d has rate %v, above the level %v of link %d", m.slot-1, f.rate, l.level, id))
		}
	}
	if math.Abs(load-l.capacity) > tolerance*l.capacity {
		panic(fmt.Sprintf("maxmin: link %d is a bottleneck and carries %v of %v", id, load, l.capacity))
	}
}

// pop takes the first link out of the heap.
func (a *Allocator) pop() {
	last := len(a.heap) - 1
	a.heap[0] = a.heap[last]
	a.heap = a.heap[:last]
	a.sift(0)
}

// sift moves the link at place i behind those that fill up before it.
func (a *Allocator) sift(i int) {
	h := a.heap
	if i >= len(h) {
		return
	}
	w := h[i]
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		first := c
		for k := c + 1; k < min(c+4, len(h)); k++ {
			if h[k].level < h[first].level {
				first = k
			}
		}
		if h[first].level >= w.level {
			break
		}
		h[i] = h[first]
		i = first
	}
	h[i] = w
}
