package des_test

import (
	"testing"

	"tiersim/sim/des"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// The hold model: take the first event, schedule one an exponential time later,
// the number of pending events being constant (Jones, An Empirical Comparison of
// Priority-Queue and Event-Set Implementations, CACM 29(4), 1986).
const pending = 1000

// gaps returns times that are drawn before anything is measured.
func gaps() []unit.Time {
	s := rng.New(1, 0).Stream("hold")
	g := make([]unit.Time, 1<<16)
	for i := range g {
		g[i] = unit.Time(s.Exp())
	}
	return g
}

func BenchmarkHold(b *testing.B) {
	g := gaps()
	b.Run("list", func(b *testing.B) {
		var l des.List
		for i := range pending {
			l.Schedule(des.Event{At: g[i], Priority: uint8(i % 9), Index: int32(i)})
		}
		i := 0
		for b.Loop() {
			e, _ := l.Next()
			e.At += g[i&(1<<16-1)]
			l.Schedule(e)
			i++
		}
	})
	b.Run("bare", func(b *testing.B) {
		var h bare
		for i := range pending {
			h.push(entry{Event: des.Event{At: g[i], Priority: uint8(i % 9), Index: int32(i)}})
		}
		i := 0
		for b.Loop() {
			e := h.pop()
			e.At += g[i&(1<<16-1)]
			h.push(e)
			i++
		}
	})
}

// BenchmarkMove moves a pending event, as the network does when a rate changes.
func BenchmarkMove(b *testing.B) {
	g := gaps()
	var l des.List
	handles := make([]des.Handle, pending)
	for i := range handles {
		handles[i] = l.Schedule(des.Event{At: g[i]})
	}
	i := 0
	for b.Loop() {
		l.Move(handles[i%pending], g[i&(1<<16-1)])
		i++
	}
}

// bare is a 4-ary heap of the same events in the same order, that cannot move or
// cancel any.
type bare struct {
	h   []entry
	seq uint64
}

type entry struct {
	des.Event
	seq uint64
}

func (a *entry) before(b *entry) bool {
	if a.At != b.At {
		return a.At < b.At
	}
	if a.Priority != b.Priority {
		return a.Priority < b.Priority
	}
	return a.seq < b.seq
}

func (b *bare) push(e entry) {
	b.seq++
	e.seq = b.seq
	b.h = append(b.h, e)
	h, i := b.h, len(b.h)-1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&h[p]) {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = e
}

func (b *bare) pop() entry {
	first, last := b.h[0], len(b.h)-1
	e := b.h[last]
	b.h = b.h[:last]
	h, i := b.h, 0
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		best := c
		for k := c + 1; k < min(c+4, len(h)); k++ {
			if h[k].before(&h[best]) {
				best = k
			}
		}
		if !h[best].before(&e) {
			break
		}
		h[i] = h[best]
		i = best
	}
	if len(h) > 0 {
		h[i] = e
	}
	return first
}
