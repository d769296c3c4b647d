package pool

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/unit"
)

// The list in blocks against a sorted slice, and the index against a map, through
// thousands of insertions and removals.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l, m ordered
		var want []item
		compare := func(a, b item) int {
			switch {
			case a.before(b.key, b.order):
				return -1
			case b.before(a.key, a.order):
				return 1
			}
			return 0
		}
		// Growth and decay take turns, so that blocks split, empty and join.
		for turn, turns := 0, rapid.IntRange(1, 6).Draw(t, "turns"); turn < turns; turn++ {
			tail := rapid.Bool().Draw(t, "at the tail")
			for range rapid.IntRange(0, 400).Draw(t, "insertions") {
				it := item{order: uint64(len(want)+1) + uint64(turn)<<32, slots: 1, estimate: 1}
				if !tail {
					it.key = float64(rapid.IntRange(0, 50).Draw(t, "key"))
				}
				it.slots, it.estimate = 1+int32(it.order%3000), unit.Seconds(it.order%17)
				l.insert(it)
				i, _ := slices.BinarySearchFunc(want, it, compare)
				want = slices.Insert(want, i, it)
			}
			for n := rapid.IntRange(0, len(want)).Draw(t, "removals"); n > 0; n-- {
				i := rapid.IntRange(0, len(want)-1).Draw(t, "which")
				if got := l.remove(want[i].key, want[i].order); got != want[i] {
					t.Fatalf("removed %+v, want %+v", got, want[i])
				}
				want = slices.Delete(want, i, i+1)
			}
			m.copyFrom(&l)
			for _, l := range []*ordered{&l, &m} {
				var got []item
				l.each(func(it *item) { got = append(got, *it) })
				if !slices.Equal(got, want) || l.n != len(want) {
					t.Fatalf("holds %d items %+v, want %+v", l.n, got, want)
				}
				if len(l.blocks) > 2+4*len(want)/blockSize {
					t.Fatalf("%d blocks for %d items", len(l.blocks), len(want))
				}
			}
		}
	})
}

func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x index
		want := map[int32]place{}
		for i := range rapid.IntRange(1, 400).Draw(t, "changes") {
			task := rapid.Int32Range(0, 60).Draw(t, "task") * rapid.SampledFrom([]int32{1, 16, 1 << 20}).Draw(t, "stride")
			if _, ok := want[task]; ok && rapid.Bool().Draw(t, "drop") {
				x.drop(task)
				delete(want, task)
			} else {
				p := place{key: float64(i)}
				x.put(task, p)
				want[task] = p
			}
			for task := int32(0); task < 61; task++ {
				got, ok := x.get(task)
				if p, is := want[task]; ok != is || got != p {
					t.Fatalf("task %d: %+v %v, want %+v %v", task, got, ok, p, is)
				}
			}
			if x.n != len(want) {
				t.Fatalf("%d tasks, want %d", x.n, len(want))
			}
		}
	})
}
