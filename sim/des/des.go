// Package des holds the clock of a replay and the events that are still to fire.
//
// # Model
//
// An event is a small value: an instant, a priority among the events of that
// instant, and a kind and an index that mean something to the user alone. It is
// never a closure, so that a List can be copied in the middle of a replay and
// both copies run on.
//
// Events fire in the order of (instant, priority, order of scheduling); a moved
// event counts as scheduled anew. Instants are compared exactly. The clock is
// the instant of the event that fired last and never goes back.
//
// # How
//
// A 4-ary heap of values, with the place of every pending event kept by handle,
// so that moving and canceling cost one path of the heap. Handles of events that
// fired or were canceled are given out again with another turn; an old one is
// recognized. Nothing is allocated once the heap has reached its largest size.
//
// Source of the structure: LaMarca and Ladner, The Influence of Caches on the
// Performance of Heaps, ACM JEA 1, 1996, doi:10.1145/235141.235145.
package des

import (
	"fmt"
	"math"
	"math/bits"

	"tiersim/sim/unit"
)

// The priorities of events of one instant, first to fire first. What ends at an
// instant frees what it held before what starts at that instant asks for it.
const (
	FlowEnd uint8 = iota
	AttemptEnd
	Interruption
	CapacityChange
	Reservation
	Release
	Arrival
	Decision
	Start
)

// An Event is what fires at an instant. Kind and Index belong to the user.
type Event struct {
	At             unit.Time
	Priority, Kind uint8
	Index          int32
}

// A Handle names one pending event. The zero Handle names none.
type Handle struct{ slot, turn uint32 }

// A List is the future event list and its clock, which starts at 0. Its zero
// value is ready. It is not safe for concurrent use.
type List struct {
	now   unit.Time
	seq   uint64 // events scheduled or moved so far
	heap  []node
	slots []slot
	free  []uint32 // slots that name no pending event
}

// A node is the part of a pending event that orders it. The bits of instants
// that are not negative are in the order of the instants.
type node struct {
	at    uint64 // bits of the instant
	order uint64 // priority, then sequence
	slot  uint32
}

// A slot holds the rest of it. turn is odd while the slot names a pending event.
type slot struct {
	pos   uint32 // in heap
	turn  uint32
	index int32
	kind  uint8
}

// seqBits leaves 7·10¹⁶ schedulings beneath the priority.
const seqBits = 56

func bitsOf(t unit.Time) uint64 { return math.Float64bits(float64(t) + 0) } // -0 becomes 0

func (a *node) instant() unit.Time { return unit.Time(math.Float64frombits(a.at)) }

func (a *node) before(b *node) bool { return a.less(b) == 1 }

// less returns 1 if a fires before b, else 0: the borrow of a subtraction of 128
// bits, since a processor that guesses is wrong half the time.
func (a *node) less(b *node) uint64 {
	_, borrow := bits.Sub64(a.order, b.order, 0)
	_, borrow = bits.Sub64(a.at, b.at, borrow)
	return borrow
}

// Now returns the clock.
func (l *List) Now() unit.Time { return l.now }

// Len returns the number of pending events.
func (l *List) Len() int { return len(l.heap) }

// Schedule adds an event. It panics where the event's instant is before now or
// not a number.
func (l *List) Schedule(e Event) Handle {
	l.mustBeAhead(e.At, e.Kind, e.Index)
	var s uint32
	if n := len(l.free); n > 0 {
		s = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		s = uint32(len(l.slots))
		l.slots = append(l.slots, slot{})
	}
	t := &l.slots[s]
	t.turn++
	t.index, t.kind = e.Index, e.Kind
	l.heap = append(l.heap, node{})
	l.up(len(l.heap)-1, node{bitsOf(e.At), l.next(e.Priority), s})
	return Handle{s, t.turn}
}

// Move gives a pending event another instant. Among the events of that instant
// and its priority it fires last, as if it were scheduled now.
func (l *List) Move(h Handle, at unit.Time) {
	s := l.pending(h)
	l.mustBeAhead(at, s.kind, s.index)
	i := int(s.pos)
	old := &l.heap[i]
	n := node{bitsOf(at), l.next(uint8(old.order >> seqBits)), h.slot}
	if n.before(old) {
		l.up(i, n)
	} else {
		l.down(i, n)
	}
}

// Cancel removes a pending event; it will not fire.
func (l *List) Cancel(h Handle) { l.remove(int(l.pending(h).pos)) }

// Pending reports whether the handle's event is still to fire.
func (l *List) Pending(h Handle) bool {
	return h.turn != 0 && int(h.slot) < len(l.slots) && l.slots[h.slot].turn == h.turn
}

// At returns the instant at which a pending event will fire.
func (l *List) At(h Handle) unit.Time { return l.heap[l.pending(h).pos].instant() }

// Peek returns the event that fires next, and whether there is one.
func (l *List) Peek() (Event, bool) {
	if len(l.heap) == 0 {
		return Event{}, false
	}
	return l.event(0), true
}

// Next advances the clock to the event that fires next, removes it and returns
// it, and whether there was one. Its handle is dead from then on.
func (l *List) Next() (Event, bool) {
	if len(l.heap) == 0 {
		return Event{}, false
	}
	e := l.event(0)
	l.now = e.At
	l.remove(0)
	return e, true
}

// CopyFrom makes l an independent copy of o, in the storage that l has.
func (l *List) CopyFrom(o *List) {
	l.now, l.seq = o.now, o.seq
	l.heap = append(l.heap[:0], o.heap...)
	l.slots = append(l.slots[:0], o.slots...)
	l.free = append(l.free[:0], o.free...)
}

func (l *List) event(i int) Event {
	n := &l.heap[i]
	s := &l.slots[n.slot]
	return Event{At: n.instant(), Priority: uint8(n.order >> seqBits), Kind: s.kind, Index: s.index}
}

// next returns the order of an event that is scheduled now.
func (l *List) next(priority uint8) uint64 {
	l.seq++
	return uint64(priority)<<seqBits | l.seq
}

// pending returns the slot that the handle names, and panics if its event fired
// or was canceled.
func (l *List) pending(h Handle) *slot {
	if !l.Pending(h) {
		panic(fmt.Sprintf("des: at %v s: handle %d, turn %d, names no pending event", float64(l.now), h.slot, h.turn))
	}
	return &l.slots[h.slot]
}

func (l *List) mustBeAhead(at unit.Time, kind uint8, index int32) {
	if !(at >= l.now) {
		panic(fmt.Sprintf("des: at %v s: event of kind %d, index %d, scheduled for %v s", float64(l.now), kind, index, float64(at)))
	}
}

// remove takes the event at place i out of the heap and frees its slot.
func (l *List) remove(i int) {
	gone := l.heap[i]
	l.slots[gone.slot].turn++
	l.free = append(l.free, gone.slot)
	last := len(l.heap) - 1
	n := l.heap[last]
	l.heap = l.heap[:last]
	switch {
	case i == last:
	case n.before(&gone):
		l.up(i, n)
	default:
		l.down(i, n)
	}
}

// up puts n at place i or at the place of an ancestor that comes after it.
func (l *List) up(i int, n node) {
	h := l.heap
	for i > 0 {
		p := (i - 1) / 4
		if !n.before(&h[p]) {
			break
		}
		h[i] = h[p]
		l.slots[h[i].slot].pos = uint32(i)
		i = p
	}
	h[i] = n
	l.slots[n.slot].pos = uint32(i)
}

// down puts n at place i or at the place of a descendant that comes before it.
func (l *List) down(i int, n node) {
	h := l.heap
	for {
		c := 4*i + 1
		if c >= len(h) {
			break
		}
		first := c
		if c+4 <= len(h) {
			first = c + least((*[4]node)(h[c:]))
		} else {
			for k := c + 1; k < len(h); k++ {
				if h[k].before(&h[first]) {
					first = k
				}
			}
		}
		if !h[first].before(&n) {
			break
		}
		h[i] = h[first]
		l.slots[h[i].slot].pos = uint32(i)
		i = first
	}
	h[i] = n
	l.slots[n.slot].pos = uint32(i)
}

// least returns the place of the first of four.
func least(h *[4]node) int {
	a := h[1].less(&h[0])
	b := 2 + h[3].less(&h[2])
	return int(a + h[b&3].less(&h[a&3])*(b-a))
}
