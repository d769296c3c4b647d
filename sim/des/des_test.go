package des_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/des"
	"tiersim/sim/unit"
)

func Example() {
	var l des.List
	l.Schedule(des.Event{At: 5, Priority: des.Arrival, Index: 1})
	ends := l.Schedule(des.Event{At: 9, Priority: des.AttemptEnd, Index: 2})
	l.Schedule(des.Event{At: 5, Priority: des.Start, Index: 3})
	l.Schedule(des.Event{At: 7, Priority: des.Interruption, Index: 4})
	l.Move(ends, 5) // what ends at 5 s comes before what arrives and starts then
	for e, ok := l.Next(); ok; e, ok = l.Next() {
		fmt.Println(l.Now(), e.Index)
	}
	// Output:
	// 5s 2
	// 5s 1
	// 5s 3
	// 7s 4
}

// A plain list is a slice that is sorted when it is asked; order of scheduling
// is the order of the slice.
type plain struct {
	events  []des.Event
	handles []des.Handle
}

func (p *plain) add(e des.Event, h des.Handle) {
	p.events, p.handles = append(p.events, e), append(p.handles, h)
}

func (p *plain) take(i int) des.Event {
	e := p.events[i]
	p.events, p.handles = slices.Delete(p.events, i, i+1), slices.Delete(p.handles, i, i+1)
	return e
}

func (p *plain) first() int {
	best := 0
	for i, e := range p.events {
		b := p.events[best]
		if e.At < b.At || e.At == b.At && e.Priority < b.Priority {
			best = i
		}
	}
	return best
}

// TestOrder plays random mixes against the plain list: equal instants are
// common, so that priority and order of scheduling decide.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l des.List
		var p plain
		var dead []des.Handle
		at := func() unit.Time { return l.Now() + unit.Time(rapid.IntRange(0, 5).Draw(t, "after")) }
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			if l.Len() != len(p.events) {
				t.Fatalf("%d pending, want %d", l.Len(), len(p.events))
			}
			kind := rapid.IntRange(0, 9).Draw(t, "step")
			switch {
			case len(p.events) == 0 || kind < 4:
				e := des.Event{At: at(), Priority: rapid.Uint8Range(0, 3).Draw(t, "priority"), Kind: uint8(i), Index: int32(i)}
				p.add(e, l.Schedule(e))
			case kind < 6:
				i := rapid.IntRange(0, len(p.events)-1).Draw(t, "moved")
				h := p.handles[i]
				e := p.take(i)
				e.At = at()
				l.Move(h, e.At)
				p.add(e, h)
				if l.At(h) != e.At {
					t.Fatalf("moved to %v, is at %v", e.At, l.At(h))
				}
			case kind < 7:
				i := rapid.IntRange(0, len(p.events)-1).Draw(t, "canceled")
				dead = append(dead, p.handles[i])
				l.Cancel(p.handles[i])
				p.take(i)
			default:
				i := p.first()
				dead = append(dead, p.handles[i])
				want := p.take(i)
				peek, _ := l.Peek()
				got, ok := l.Next()
				if !ok || got != want || peek != want || l.Now() != want.At {
					t.Fatalf("got %+v (peeked %+v) at %v, want %+v", got, peek, l.Now(), want)
				}
			}
			for _, h := range dead {
				if l.Pending(h) {
					t.Fatalf("handle %v of an event that is over is pending", h)
				}
			}
			for _, h := range p.handles {
				if !l.Pending(h) {
					t.Fatalf("handle %v of a pending event is not", h)
				}
			}
		}
	})
}

// TestCopy runs a list and its copy on: both do the same, and neither touches
// the other.
func TestCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l, c des.List
		var handles []des.Handle
		for i := range rapid.IntRange(0, 50).Draw(t, "events") {
			handles = append(handles, l.Schedule(des.Event{At: unit.Time(rapid.IntRange(0, 9).Draw(t, "at")), Index: int32(i)}))
		}
		for range len(handles) / 2 {
			l.Next()
		}
		c.Schedule(des.Event{At: 3, Index: 99}) // is overwritten
		c.CopyFrom(&l)
		run := func(l *des.List) (out []des.Event) {
			for _, h := range handles {
				if l.Pending(h) {
					l.Move(h, 20)
					break
				}
			}
			for e, ok := l.Next(); ok; e, ok = l.Next() {
				out = append(out, e)
			}
			return out
		}
		if a, b := run(&l), run(&c); !slices.Equal(a, b) {
			t.Fatalf("list %v, copy %v", a, b)
		}
	})
}

func TestBrokenPromises(t *testing.T) {
	later := func() (*des.List, des.Handle) {
		l := new(des.List)
		l.Schedule(des.Event{At: 10})
		l.Next()
		return l, l.Schedule(des.Event{At: 12})
	}
	for name, f := range map[string]func(*des.List, des.Handle){
		"past":           func(l *des.List, _ des.Handle) { l.Schedule(des.Event{At: 9}) },
		"not a number":   func(l *des.List, _ des.Handle) { l.Schedule(des.Event{At: unit.Time(math.NaN())}) },
		"moved to past":  func(l *des.List, h des.Handle) { l.Move(h, 9) },
		"moved to NaN":   func(l *des.List, h des.Handle) { l.Move(h, unit.Time(math.NaN())) },
		"canceled twice": func(l *des.List, h des.Handle) { l.Cancel(h); l.Cancel(h) },
		"fired":          func(l *des.List, h des.Handle) { l.Next(); l.Move(h, 13) },
		"given out anew": func(l *des.List, h des.Handle) { l.Cancel(h); l.Schedule(des.Event{At: 12}); l.Cancel(h) },
		"zero handle":    func(l *des.List, _ des.Handle) { l.Cancel(des.Handle{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			l, h := later()
			f(l, h)
		})
	}
}

// TestSteadyState says that nothing is allocated once the list has been as long
// as it gets.
func TestSteadyState(t *testing.T) {
	var l, c des.List
	for i := range 1000 {
		l.Schedule(des.Event{At: unit.Time(i)})
	}
	c.CopyFrom(&l)
	if n := testing.AllocsPerRun(1000, func() {
		e, _ := l.Next()
		h := l.Schedule(des.Event{At: e.At + 500})
		l.Move(h, e.At+700)
		l.Cancel(h)
		l.Schedule(des.Event{At: e.At + 1000})
		c.CopyFrom(&l)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
