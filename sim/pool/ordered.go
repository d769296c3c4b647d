package pool

import (
	"math/bits"

	"tiersim/sim/unit"
)

// blockSize is how many items a block holds. Chosen: moving half a block (640 B)
// costs about as much as the search for it.
const blockSize = 32

// An item is a job in the queue or on slots.
type item struct {
	key      float64 // what its list is sorted by: minus priority, or expected end
	order    uint64  // of submission; unique
	estimate unit.Seconds
	planned  unit.Time // start in a conservative plan; linked in other queues
	slots    int32
	task     int32
}

// linked, as planned, marks a job that starts with its parts in other pools.
const linked = unit.Time(-1)

func (a *item) before(key float64, order uint64) bool {
	return a.key < key || a.key == key && a.order < order
}

// A block is a run of neighbors: store[at·blockSize:][:n], with what lets a scan
// pass over it. Items are told apart by size: of size k are those with 2ᵏ to
// 2ᵏ⁺¹−1 slots, of the last size those with more too.
type block struct {
	at, n int32
	slots int64  // of all its items
	sizes uint32 // bit k: there may be items of size k
	// No item of size k has an estimate below shortest[k]. It is a bound, which
	// removals do not raise.
	shortest [numSizes]unit.Seconds
}

const numSizes = 12

func sizeOf(slots int32) int { return min(bits.Len32(uint32(slots))-1, numSizes-1) }

// An ordered list keeps items sorted by (key, order) in blocks, so that insertion
// and removal anywhere move at most a block. All its state is in plain slices.
type ordered struct {
	n      int
	blocks []block
	store  []item
	spare  []int32 // block storages that are not in use
}

// items returns the items of the block at place b.
func (l *ordered) items(b int) []item {
	k := &l.blocks[b]
	from := int(k.at) * blockSize
	return l.store[from : from+int(k.n) : from+blockSize]
}

// first returns the first item of a list that is not empty.
func (l *ordered) first() *item { return &l.store[int(l.blocks[0].at)*blockSize] }

// last returns the last item of a list that is not empty.
func (l *ordered) last() *item {
	in := l.items(len(l.blocks) - 1)
	return &in[len(in)-1]
}

// each calls do for every item, in order.
func (l *ordered) each(do func(*item)) {
	for b := range l.blocks {
		in := l.items(b)
		for i := range in {
			do(&in[i])
		}
	}
}

// seek returns the place of the first item that is not before (key, order): a
// block and a place in it. Past the end it is (len(blocks), 0).
func (l *ordered) seek(key float64, order uint64) (int, int) {
	b := l.blockOf(key, order)
	if b == len(l.blocks) {
		return b, 0
	}
	in := l.items(b)
	i := search(in, key, order)
	if i == len(in) {
		return b + 1, 0
	}
	return b, i
}

// blockOf returns the last block that starts before (key, order), or the first.
func (l *ordered) blockOf(key float64, order uint64) int {
	if len(l.blocks) == 0 {
		return 0
	}
	lo, hi := 0, len(l.blocks)-1 // the answer is in [lo, hi]
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if l.store[int(l.blocks[mid].at)*blockSize].before(key, order) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// search returns the place of the first item that is not before (key, order).
func search(in []item, key float64, order uint64) int {
	lo, hi := 0, len(in)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); in[mid].before(key, order) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// insert adds an item at its place.
func (l *ordered) insert(it item) {
	l.n++
	if len(l.blocks) == 0 {
		l.addBlock(0)
	}
	b := l.blockOf(it.key, it.order)
	i := search(l.items(b), it.key, it.order)
	if l.blocks[b].n == blockSize {
		b, i = l.split(b, i)
	}
	k := &l.blocks[b]
	k.n++
	in := l.items(b)
	copy(in[i+1:], in[i:])
	in[i] = it
	k.admit(&it)
}

// admit takes an item into the block's summary.
func (k *block) admit(it *item) {
	k.slots += int64(it.slots)
	size := sizeOf(it.slots)
	if k.sizes>>size&1 == 0 || it.estimate < k.shortest[size] {
		k.sizes |= 1 << size
		k.shortest[size] = it.estimate
	}
}

// split makes room in the full block b and returns where its place i is now. A
// list that grows at its end leaves full blocks behind.
func (l *ordered) split(b, i int) (int, int) {
	l.addBlock(b + 1)
	if i == blockSize {
		return b + 1, 0
	}
	const half = blockSize / 2
	l.blocks[b+1].n = half
	copy(l.items(b+1), l.items(b)[half:])
	l.blocks[b].n = half
	l.summarize(b)
	l.summarize(b + 1)
	if i > half {
		return b + 1, i - half
	}
	return b, i
}

// addBlock inserts an empty block at place b.
func (l *ordered) addBlock(b int) {
	var at int32
	if n := len(l.spare); n > 0 {
		at = l.spare[n-1]
		l.spare = l.spare[:n-1]
	} else {
		at = int32(len(l.store) / blockSize)
		l.store = append(l.store, make([]item, blockSize)...)
	}
	l.blocks = append(l.blocks, block{})
	copy(l.blocks[b+1:], l.blocks[b:])
	l.blocks[b] = block{at: at}
}

// summarize makes the summary of block b exact.
func (l *ordered) summarize(b int) {
	k := &l.blocks[b]
	k.slots, k.sizes = 0, 0
	in := l.items(b)
	for i := range in {
		k.admit(&in[i])
	}
}

// removeAt takes out the item at place i of block b. The item after it is then
// at that place, or first in the block after b; where block b is gone, the block
// after it has its place.
func (l *ordered) removeAt(b, i int) item {
	l.n--
	in := l.items(b)
	it := in[i]
	copy(in[i:], in[i+1:])
	k := &l.blocks[b]
	k.n--
	k.slots -= int64(it.slots)
	if k.n == 0 {
		l.dropBlock(b)
	}
	return it
}

func (l *ordered) dropBlock(b int) {
	l.spare = append(l.spare, l.blocks[b].at)
	l.blocks = append(l.blocks[:b], l.blocks[b+1:]...)
}

// remove takes out the item of that key and order.
func (l *ordered) remove(key float64, order uint64) item {
	b, i := l.seek(key, order)
	it := l.removeAt(b, i)
	l.join(b)
	return it
}

// join puts block b and the one after it together where they fill no more than
// half a block, so that removals do not leave a list of crumbs.
func (l *ordered) join(b int) {
	if b+1 >= len(l.blocks) || l.blocks[b].n+l.blocks[b+1].n > blockSize/2 {
		return
	}
	from := l.items(b + 1)
	at := len(l.items(b))
	l.blocks[b].n += int32(len(from))
	copy(l.items(b)[at:], from)
	l.dropBlock(b + 1)
	l.summarize(b)
}

// dropAfter removes the items whose key is above the given one.
func (l *ordered) dropAfter(key float64) {
	for l.n > 0 && l.last().key > key {
		b := len(l.blocks) - 1
		l.removeAt(b, int(l.blocks[b].n)-1)
	}
}

// copyFrom makes l an independent copy of o, in the storage that l has.
func (l *ordered) copyFrom(o *ordered) {
	l.n = o.n
	l.blocks = append(l.blocks[:0], o.blocks...)
	l.spare = l.spare[:0]
	l.store = l.store[:0]
	for b := range l.blocks { // only what is in use, in order
		l.store = append(l.store, o.store[int(o.blocks[b].at)*blockSize:][:blockSize]...)
		l.blocks[b].at = int32(b)
	}
}
