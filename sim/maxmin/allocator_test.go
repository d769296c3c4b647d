package maxmin_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/maxmin"
)

// A world is an Allocator beside a list of the flows that it should hold.
type world struct {
	a        *maxmin.Allocator
	capacity []float64
	flows    map[int32]maxmin.Flow
	rates    map[int32]float64 // as reported by Changed
}

func newWorld(capacity []float64) *world {
	return &world{maxmin.New(capacity), slices.Clone(capacity), map[int32]maxmin.Flow{}, map[int32]float64{}}
}

func (w *world) ids() []int32 {
	var ids []int32
	for id := range w.flows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (w *world) list() []maxmin.Flow {
	var fs []maxmin.Flow
	for _, id := range w.ids() {
		fs = append(fs, w.flows[id])
	}
	return fs
}

// heard notes what the last change reported.
func (w *world) heard() {
	for _, id := range w.a.Changed() {
		w.rates[id] = w.a.Rate(id)
	}
}

func (w *world) add(id int32, f maxmin.Flow) {
	w.flows[id] = f
	w.rates[id] = 0
	w.a.Add(id, f.Route, f.Weight, f.Cap)
	w.heard()
}

func (w *world) remove(id int32) {
	delete(w.flows, id)
	delete(w.rates, id)
	w.a.Remove(id)
	w.heard()
}

// near is the relative difference that summing in another order may make.
const near = 1e-9

func same(a, b float64) bool {
	return a == b || math.Abs(a-b) <= near*math.Max(math.Abs(a), math.Abs(b))
}

// check compares with Solve, with what was reported and with the definition.
func (w *world) check(t interface{ Fatalf(string, ...any) }) {
	want := maxmin.Solve(w.capacity, w.list())
	for i, id := range w.ids() {
		got := w.a.Rate(id)
		if !same(got, want[i]) {
			t.Fatalf("flow %d: rate %v, plain solver %v", id, got, want[i])
		}
		if w.rates[id] != got {
			t.Fatalf("flow %d: rate %v, last reported %v", id, got, w.rates[id])
		}
	}
	if err := fair(w.capacity, w.flows, w.a.Rate); err != nil {
		t.Fatalf("%v", err)
	}
	if err := w.a.Check(); err != nil {
		t.Fatalf("%v", err)
	}
	for l, c := range w.capacity {
		if load := w.a.Load(int32(l)); w.a.Full(int32(l)) && !same(load, c) {
			t.Fatalf("link %d is full and carries %v of %v", l, load, c)
		}
	}
}

// fair checks the definition of fairness.
func fair(capacity []float64, flows map[int32]maxmin.Flow, rate func(int32) float64) error {
	load := make([]float64, len(capacity))
	most := make([]float64, len(capacity))
	for id, f := range flows {
		for _, l := range f.Route {
			load[l] += rate(id)
			most[l] = max(most[l], rate(id)/f.Weight)
		}
	}
	for l, c := range capacity {
		if load[l] > c*(1+1e-12) {
			return fmt.Errorf("link %d carries %v of %v", l, load[l], c)
		}
	}
flows:
	for id, f := range flows {
		if rate(id) == f.Cap {
			continue
		}
		if rate(id) > f.Cap {
			return fmt.Errorf("flow %d: rate %v above its cap %v", id, rate(id), f.Cap)
		}
		for _, l := range f.Route {
			if load[l] >= capacity[l]*(1-1e-12) && rate(id)/f.Weight >= most[l]*(1-1e-12) {
				continue flows
			}
		}
		return fmt.Errorf("flow %d of rate %v has no bottleneck", id, rate(id))
	}
	return nil
}

// capacities are often equal, sometimes 0, seldom unlimited.
func drawCapacity(t *rapid.T, what string) float64 {
	switch rapid.IntRange(0, 9).Draw(t, what+" kind") {
	case 0:
		return 0
	case 1:
		return math.Inf(1)
	case 2, 3, 4, 5:
		return float64(rapid.IntRange(1, 3).Draw(t, what))
	}
	return rapid.Float64Range(0.01, 100).Draw(t, what)
}

// Real capacities are in bytes per second, from a modem's to a backbone's.
func drawRealCapacity(t *rapid.T, what string) float64 {
	return math.Pow(10, rapid.Float64Range(4, 13).Draw(t, what+" exponent"))
}

// Real weights are numbers of streams over round-trip times, 1/s.
func drawRealWeight(t *rapid.T) float64 {
	return math.Pow(10, rapid.Float64Range(-1, 4).Draw(t, "weight exponent"))
}

func drawRealCap(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "capped") {
		return drawRealCapacity(t, "cap")
	}
	return math.Inf(1)
}

func drawWeight(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "equal weight") {
		return 1
	}
	return rapid.Float64Range(0.1, 10).Draw(t, "weight")
}

func drawCap(t *rapid.T) float64 {
	switch rapid.IntRange(0, 4).Draw(t, "cap kind") {
	case 0:
		return rapid.Float64Range(0.001, 10).Draw(t, "cap")
	case 1:
		return float64(rapid.IntRange(1, 3).Draw(t, "cap"))
	}
	return math.Inf(1)
}

// A router draws routes over n links.
type router func(*rapid.T) []int32

// mesh gives any set of links, in any order.
func mesh(n int) router {
	return func(t *rapid.T) []int32 {
		return rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(n-1)), 0, min(n, 10), rapid.ID[int32]).Draw(t, "route")
	}
}

// tree gives the links from one place to another in a tree, where place i > 0
// hangs beneath parent[i] with link 2(i-1) up and 2(i-1)+1 down.
func tree(parent []int) router {
	return func(t *rapid.T) []int32 {
		from := rapid.IntRange(0, len(parent)-1).Draw(t, "from")
		to := rapid.IntRange(0, len(parent)-1).Draw(t, "to")
		var up, down []int32
		for from != to {
			if from > to { // parents have smaller numbers
				up = append(up, int32(2*(from-1)))
				from = parent[from]
			} else {
				down = append(down, int32(2*(to-1)+1))
				to = parent[to]
			}
		}
		slices.Reverse(down)
		return append(up, down...)
	}
}

func drawRouter(t *rapid.T) (links int, r router) {
	if rapid.Bool().Draw(t, "mesh") {
		links = rapid.IntRange(1, 30).Draw(t, "links")
		return links, mesh(links)
	}
	places := rapid.IntRange(2, 16).Draw(t, "places")
	parent := make([]int, places)
	for i := 1; i < places; i++ {
		parent[i] = rapid.IntRange(0, i-1).Draw(t, "parent")
	}
	return 2 * (places - 1), tree(parent)
}

// TestAllocatorEqualsSolve plays random changes on random trees and meshes: with
// small round numbers, of which many are equal, and with numbers of all sizes.
func TestAllocatorEqualsSolve(t *testing.T) {
	t.Run("ties", func(t *testing.T) { playChanges(t, drawCapacity, drawWeight, drawCap) })
	t.Run("sizes", func(t *testing.T) { playChanges(t, drawRealCapacity, drawRealWeight, drawRealCap) })
}

func playChanges(t *testing.T, drawCapacity func(*rapid.T, string) float64, drawWeight, drawCap func(*rapid.T) float64) {
	rapid.Check(t, func(t *rapid.T) {
		n, route := drawRouter(t)
		capacity := make([]float64, n)
		for i := range capacity {
			capacity[i] = drawCapacity(t, "capacity")
		}
		w := newWorld(capacity)
		drawFlow := func() maxmin.Flow {
			f := maxmin.Flow{Route: route(t), Weight: drawWeight(t), Cap: drawCap(t)}
			if k := len(w.capacity); k > n { // one of those that came later
				f.Route = append(f.Route, int32(rapid.IntRange(n, k-1).Draw(t, "later link")))
			}
			return f
		}
		for range rapid.IntRange(1, 80).Draw(t, "changes") {
			ids := w.ids()
			if rapid.Bool().Draw(t, "asks") { // leaves nothing behind
				f := drawFlow()
				w.a.ShareOfOneMore(f.Route, f.Weight, f.Cap)
			}
			kind := rapid.IntRange(0, 9).Draw(t, "change")
			switch {
			case len(ids) == 0 || kind < 5 && len(ids) < 60:
				id := int32(0)
				for slices.Contains(ids, id) {
					id++
				}
				f := drawFlow()
				share := w.a.ShareOfOneMore(f.Route, f.Weight, f.Cap)
				w.check(t) // nothing changed
				w.add(id, f)
				if got := w.a.Rate(id); got != share {
					t.Fatalf("flow %d got %v, was promised %v", id, got, share)
				}
			case kind < 7:
				w.remove(rapid.SampledFrom(ids).Draw(t, "removed"))
			case kind < 8 && len(w.capacity) < n+3 && rapid.Bool().Draw(t, "adds a link"):
				w.capacity = append(w.capacity, drawCapacity(t, "another capacity"))
				if id := w.a.AddLink(w.capacity[len(w.capacity)-1]); int(id) != len(w.capacity)-1 {
					t.Fatalf("link %d came after %d", id, len(w.capacity)-1)
				}
			case kind < 9:
				l := rapid.IntRange(0, len(w.capacity)-1).Draw(t, "link")
				w.capacity[l] = drawCapacity(t, "new capacity")
				w.a.SetCapacity(int32(l), w.capacity[l])
				w.heard()
			default:
				id := rapid.SampledFrom(ids).Draw(t, "flow")
				f := w.flows[id]
				f.Cap = drawCap(t)
				w.flows[id] = f
				w.a.SetCap(id, f.Cap)
				w.heard()
			}
			w.check(t)
		}
	})
}
