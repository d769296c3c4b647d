package replay

import (
	"tiersim/sim/des"
	"tiersim/sim/trace"
)

// dependencies knows which rows have ended and who waits for which. It is empty
// where no task of the trace comes after another.
type dependencies struct {
	any     bool
	done    bitset
	refused bitset
	waiting map[int64][]waiter // by row; looked up, never ranged over
}

// A waiter is a life that waits for another row. Its own row tells whether the
// life's index still means the same task.
type waiter struct {
	life int32
	row  int64
}

func newDependencies(t *trace.Trace) dependencies {
	if !t.HasAfter {
		return dependencies{}
	}
	n := int(t.Tasks)
	return dependencies{any: true, done: newBitset(n), refused: newBitset(n), waiting: map[int64][]waiter{}}
}

// block counts the tasks that a new one has to wait for.
func (r *run) block(i int32) {
	l := &r.lives[i]
	for _, row := range l.task.After {
		switch {
		case r.after.refused.has(row):
			l.doomed = true
		case !r.after.done.has(row):
			l.blocked++
			r.after.waiting[row] = append(r.after.waiting[row], waiter{i, l.task.Row})
		}
	}
	if l.doomed {
		l.blocked = 0
	}
}

// unblock tells those that wait for a row that it has ended, in the order in
// which they arrived.
func (r *run) unblock(row int64, refused bool) {
	if !r.after.any {
		return
	}
	if refused {
		r.after.refused.set(row)
	} else {
		r.after.done.set(row)
	}
	waiting := r.after.waiting[row]
	delete(r.after.waiting, row)
	for _, w := range waiting {
		i := w.life
		l := &r.lives[i]
		if !l.used || l.task.Row != w.row || l.doomed {
			continue // it was refused already, or its refusal is on its way
		}
		l.blocked--
		l.doomed = refused
		if l.blocked == 0 || l.doomed {
			r.at(r.now(), des.Decision, decision, i)
		}
	}
}

// A bitset holds a bit a row.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int64) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) set(i int64) { b[i/64] |= 1 << (i % 64) }
