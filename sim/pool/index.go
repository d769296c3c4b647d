package pool

// A place says where a task's item is: its list and its key and order there.
type place struct {
	key     float64
	order   uint64
	running bool
}

// An index finds the places of the tasks that are in a pool. It is a hash table
// with linear probing in one slice, so that it takes memory for the tasks of
// this pool and not for all tasks, and a copy is a copy of the slice.
type index struct {
	n     int
	cells []cell // a power of two
}

type cell struct {
	place
	task int32
	used bool
}

// slot returns where a search for the task begins: Fibonacci hashing (Knuth, The
// Art of Computer Programming 3, section 6.4).
func (x *index) slot(task int32) int {
	return int(uint64(uint32(task))*0x9e3779b97f4a7c15>>32) & (len(x.cells) - 1)
}

// find returns the task's cell, or the free one where it would be.
func (x *index) find(task int32) int {
	i := x.slot(task)
	for x.cells[i].used && x.cells[i].task != task {
		i = (i + 1) & (len(x.cells) - 1)
	}
	return i
}

// get returns the task's place and whether it has one.
func (x *index) get(task int32) (place, bool) {
	if x.n == 0 {
		return place{}, false
	}
	c := &x.cells[x.find(task)]
	return c.place, c.used
}

// put sets the task's place.
func (x *index) put(task int32, p place) {
	if 2*(x.n+1) > len(x.cells) {
		x.grow()
	}
	c := &x.cells[x.find(task)]
	if !c.used {
		x.n++
	}
	*c = cell{p, task, true}
}

func (x *index) grow() {
	old := x.cells
	x.cells = make([]cell, max(16, 2*len(old)))
	for i := range old {
		if old[i].used {
			x.cells[x.find(old[i].task)] = old[i]
		}
	}
}

// drop forgets a task that has a place. Cells after it move up where its cell
// stood between them and their slot, so that no search ends too early.
func (x *index) drop(task int32) {
	x.n--
	mask := len(x.cells) - 1
	hole := x.find(task)
	for i := (hole + 1) & mask; x.cells[i].used; i = (i + 1) & mask {
		if (i-x.slot(x.cells[i].task))&mask >= (i-hole)&mask {
			x.cells[hole] = x.cells[i]
			hole = i
		}
	}
	x.cells[hole] = cell{}
}

func (x *index) copyFrom(o *index) {
	x.n = o.n
	x.cells = append(x.cells[:0], o.cells...)
}
