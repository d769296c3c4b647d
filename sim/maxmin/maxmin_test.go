package maxmin_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tiersim/sim/maxmin"
	"tiersim/sim/rng"
)

var inf = math.Inf(1)

func flow(weight, cap float64, route ...int32) maxmin.Flow {
	return maxmin.Flow{Route: route, Weight: weight, Cap: cap}
}

// cases have rates that follow from the definition by hand.
var cases = []struct {
	name     string
	capacity []float64
	flows    []maxmin.Flow
	want     []float64
}{
	// Link 1 is tighter (4/2 < 10/2), so it fixes b and c at 2 and leaves
	// 10 - 2 of link 0 to a.
	{"two bottlenecks", []float64{10, 4}, []maxmin.Flow{flow(1, inf, 0), flow(1, inf, 0, 1), flow(1, inf, 1)}, []float64{8, 2, 2}},
	// Bertsekas and Gallager's parking lot: link 1 fills first, at 4/2, then
	// link 2 at 6-2 and link 0 at 10-2.
	{"parking lot", []float64{10, 4, 6}, []maxmin.Flow{flow(1, inf, 0, 1, 2), flow(1, inf, 0), flow(1, inf, 1), flow(1, inf, 2)}, []float64{2, 8, 2, 4}},
	{"all equal", []float64{10, 10, 10}, []maxmin.Flow{flow(1, inf, 0, 1, 2), flow(1, inf, 0), flow(1, inf, 1), flow(1, inf, 2)}, []float64{5, 5, 5, 5}},
	{"weights", []float64{10}, []maxmin.Flow{flow(4, inf, 0), flow(1, inf, 0)}, []float64{8, 2}},
	// The capped one takes 1, the others share 9.
	{"cap", []float64{10}, []maxmin.Flow{flow(1, 1, 0), flow(1, inf, 0), flow(1, inf, 0)}, []float64{1, 4.5, 4.5}},
	// Level 10/10 = 1 gives the heavy one 9, above its cap of 3; the light one
	// takes what is left.
	{"a heavy flow at its cap", []float64{10}, []maxmin.Flow{flow(9, 3, 0), flow(1, inf, 0)}, []float64{3, 7}},
	{"caps that leave room", []float64{10}, []maxmin.Flow{flow(1, 2, 0), flow(1, 3, 0)}, []float64{2, 3}},
	{"caps that fill the link", []float64{10}, []maxmin.Flow{flow(1, 5, 0), flow(1, 5, 0)}, []float64{5, 5}},
	{"closed", []float64{10, 0}, []maxmin.Flow{flow(1, inf, 0, 1), flow(1, inf, 0), flow(1, 3, 1)}, []float64{0, 10, 0}},
	{"a cap of 0", []float64{10}, []maxmin.Flow{flow(1, 0, 0), flow(1, inf, 0)}, []float64{0, 10}},
	{"unlimited", []float64{inf, 10}, []maxmin.Flow{flow(1, inf, 0), flow(1, 3, 0), flow(1, inf, 0, 1)}, []float64{inf, 3, 10}},
	{"no links", nil, []maxmin.Flow{flow(1, inf), flow(1, 3)}, []float64{inf, 3}},
	{"no flows", []float64{1}, nil, []float64{}},
}

func TestSolve(t *testing.T) {
	for _, c := range cases {
		if got := maxmin.Solve(c.capacity, c.flows); !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAllocator adds the flows of each case in both orders; then the rates are
// those of the case, and after each flow has left, those of the others.
func TestAllocator(t *testing.T) {
	for _, c := range cases {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", c.name, backwards), func(t *testing.T) {
				w := newWorld(c.capacity)
				ids := make([]int32, len(c.flows))
				for i := range ids {
					ids[i] = int32(i)
				}
				if backwards {
					slices.Reverse(ids)
				}
				for _, id := range ids {
					w.add(id, c.flows[id])
				}
				for i, want := range c.want {
					if got := w.a.Rate(int32(i)); !same(got, want) {
						t.Errorf("flow %d: rate %v, want %v", i, got, want)
					}
				}
				for _, id := range ids {
					w.remove(id)
					w.check(t)
				}
			})
		}
	}
}

// Two flows on a link of 10, one of which also crosses a link of 2: it leaves 8
// to the other. A third that crossed only the second link would halve that.
func ExampleAllocator() {
	a := maxmin.New([]float64{10, 2})
	none := math.Inf(1)
	a.Add(0, []int32{0}, 1, none)
	fmt.Println(a.Changed(), a.Rate(0))
	a.Add(1, []int32{0, 1}, 1, none)
	fmt.Println(a.Changed(), a.Rate(0), a.Rate(1))
	fmt.Println(a.ShareOfOneMore([]int32{1}, 1, none))
	a.SetCapacity(1, 1)
	fmt.Println(a.Changed(), a.Rate(0), a.Rate(1))
	// Output:
	// [0] 10
	// [1 0] 8 2
	// 1
	// [1 0] 9 1
}

func ExampleSolve() {
	none := math.Inf(1)
	fmt.Println(maxmin.Solve([]float64{10, 4}, []maxmin.Flow{
		{Route: []int32{0}, Weight: 1, Cap: none},
		{Route: []int32{0, 1}, Weight: 1, Cap: none},
		{Route: []int32{1}, Weight: 1, Cap: none},
	}))
	// Output: [8 2 2]
}

// draw returns a route over a tree of 8 hubs of 12 rooms: up, between, down.
func draw(s *rng.Stream) []int32 {
	from, to := int32(s.Uint64()%96), int32(s.Uint64()%96)
	if from/12 == to/12 {
		return []int32{2 * from, 2*to + 1}
	}
	return []int32{2 * from, 192 + from/12*8 + to/12, 2*to + 1}
}

func hubs() []float64 {
	c := make([]float64, 192+64)
	for i := range c {
		c[i] = 10
		if i >= 192 {
			c[i] = 1
		}
	}
	return c
}

// TestLongLife says that rounding does not build up: after very many changes
// the state is as good as after one.
func TestLongLife(t *testing.T) {
	changes := 300_000
	if testing.Short() {
		changes = 20_000
	}
	s := rng.New(1, 0).Stream("long")
	w := newWorld(hubs())
	for i := range changes {
		id := int32(s.Uint64() % 300)
		switch _, in := w.flows[id]; {
		case s.Uint64()%20 == 0:
			l := s.Uint64() % uint64(len(w.capacity))
			w.capacity[l] = float64(s.Uint64()%4) / 3
			w.a.SetCapacity(int32(l), w.capacity[l])
			w.heard()
		case in:
			w.remove(id)
		default:
			w.add(id, maxmin.Flow{Route: draw(&s), Weight: 0.5 + s.Float64(), Cap: inf})
		}
		if i%(changes/20) == 0 {
			w.check(t)
		}
	}
	w.check(t)
}

// TestCopy says that a copy has the same rates and goes its own way, bit for bit.
func TestCopy(t *testing.T) {
	s := rng.New(1, 0).Stream("copy")
	a, b, c := maxmin.New(hubs()), maxmin.New(nil), maxmin.New(hubs()[:7])
	for i := range int32(200) {
		a.Add(i, draw(&s), 1, inf)
	}
	b.CopyFrom(a)
	c.CopyFrom(a)
	for i := range int32(100) {
		a.Remove(2 * i)
		b.SetCapacity(192+i%64, 2)
		c.Remove(2 * i)
	}
	for i := range int32(100) {
		if x, y := a.Rate(2*i+1), c.Rate(2*i+1); x != y {
			t.Fatalf("flow %d: %v and in a copy %v", 2*i+1, x, y)
		}
	}
	for _, x := range []*maxmin.Allocator{a, b, c} {
		if err := x.Check(); err != nil {
			t.Error(err)
		}
	}
	if n := testing.AllocsPerRun(10, func() { b.CopyFrom(a) }); n != 0 {
		t.Errorf("a copy allocates %v times", n)
	}
}

func TestBrokenPromises(t *testing.T) {
	for name, f := range map[string]func(*maxmin.Allocator){
		"added twice":       func(a *maxmin.Allocator) { a.Add(0, nil, 1, inf) },
		"no such flow":      func(a *maxmin.Allocator) { a.Remove(1) },
		"a link twice":      func(a *maxmin.Allocator) { a.Add(1, []int32{0, 0}, 1, inf) },
		"no weight":         func(a *maxmin.Allocator) { a.Add(1, []int32{0}, 0, inf) },
		"infinite weight":   func(a *maxmin.Allocator) { a.Add(1, []int32{0}, inf, inf) },
		"NaN weight":        func(a *maxmin.Allocator) { a.Add(1, []int32{0}, math.NaN(), inf) },
		"negative cap":      func(a *maxmin.Allocator) { a.Add(1, []int32{0}, 1, -1) },
		"NaN cap":           func(a *maxmin.Allocator) { a.SetCap(0, math.NaN()) },
		"NaN capacity":      func(a *maxmin.Allocator) { a.SetCapacity(0, math.NaN()) },
		"negative capacity": func(a *maxmin.Allocator) { maxmin.New([]float64{-1}) },
	} {
		t.Run(name, func(t *testing.T) {
			a := maxmin.New([]float64{1})
			a.Add(0, []int32{0}, 1, inf)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(a)
		})
	}
}

// BenchmarkChange replaces one of some flows by another: two changes.
func BenchmarkChange(b *testing.B) {
	for _, flows := range []int{100, 1000} {
		s := rng.New(1, 0).Stream("bench")
		routes := make([][]int32, 1<<14)
		for i := range routes {
			routes[i] = draw(&s)
		}
		b.Run(fmt.Sprintf("affected/flows=%d", flows), func(b *testing.B) {
			a := maxmin.New(hubs())
			for i := range flows {
				a.Add(int32(i), routes[i], 1, inf)
			}
			i := 0
			for b.Loop() {
				a.Remove(int32(i % flows))
				a.Add(int32(i%flows), routes[i%len(routes)], 1, inf)
				i++
			}
		})
		b.Run(fmt.Sprintf("plain/flows=%d", flows), func(b *testing.B) {
			fs := make([]maxmin.Flow, flows)
			for i := range fs {
				fs[i] = maxmin.Flow{Route: routes[i], Weight: 1, Cap: inf}
			}
			i := 0
			for b.Loop() {
				maxmin.Solve(hubs(), fs)
				fs[i%flows].Route = routes[i%len(routes)]
				maxmin.Solve(hubs(), fs)
				i++
			}
		})
	}
}

// BenchmarkShareOfOneMore asks for another route each time.
func BenchmarkShareOfOneMore(b *testing.B) {
	s := rng.New(1, 0).Stream("bench")
	a := maxmin.New(hubs())
	for i := range int32(200) {
		a.Add(i, draw(&s), 1, inf)
	}
	routes := make([][]int32, 1<<10)
	for i := range routes {
		routes[i] = draw(&s)
	}
	i := 0
	for b.Loop() {
		a.ShareOfOneMore(routes[i%len(routes)], 1, inf)
		i++
	}
}
