package replay

import (
	"fmt"
	"math"
	"slices"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A status is how a task ended.
type status uint8

const (
	done status = iota
	refused
	censored
	numStatus
)

var statusNames = [numStatus]string{"done", "refused", "censored"}

func (s status) String() string { return statusNames[s] }

// tolerance is how far two ways of adding up the same amounts may differ,
// relative to their size: some 10⁶ roundings of 2⁻⁵³ each leave about 10⁻¹⁰.
const tolerance = 1e-9

// books are the sums over tasks that the links' and pools' own counts must
// equal at the end of a run.
type books struct {
	fee, compute, keep, time unit.Money
	worth                    unit.Money   // of what was carried, by the prices of the links
	slotSeconds              float64      // of all stays on slots
	queueSeconds             unit.Seconds // of all waits for slots, in each pool
}

// settle closes a task's account: it checks that its segments add up, and books
// its money.
func (r *run) settle(l *life, s status) error {
	if s != refused {
		l.time = l.value.For(r.now().Sub(l.task.Submit))
	}
	var sum unit.Seconds
	for _, spent := range l.spent {
		if spent < 0 {
			return fmt.Errorf("task %s: a segment of %v s", l.task.Name, float64(spent))
		}
		sum += spent
	}
	if life := r.now().Sub(l.task.Submit); !near(float64(sum), float64(life), float64(r.now())) {
		return fmt.Errorf("task %s: its segments add up to %v s of %v s", l.task.Name, float64(sum), float64(life))
	}
	if err := r.checkStays(l); err != nil {
		return err
	}
	r.book(l)
	r.books.time += l.time
	r.count.add(r, l, s)
	r.recordTask(l, s)
	return nil
}

// checkStays holds a task's time on slots against what it did there: compute,
// saves, work that was lost, loading of state, staging. What is done is all its
// work.
func (r *run) checkStays(l *life) error {
	did := l.spent[inCompute] + l.spent[inSave] + l.spent[inLost] + l.spent[inRestart] - l.past.fetched + l.past.staged
	if !near(float64(did), float64(l.past.onSlots), float64(r.now())) {
		return fmt.Errorf("task %s: it was on slots for %v s and did %v s of something there", l.task.Name, float64(l.past.onSlots), float64(did))
	}
	return nil
}

// book adds what a life has used of links, pools and storages.
func (r *run) book(l *life) {
	r.books.fee += l.fee
	r.books.compute += l.compute - l.aligned
	r.books.keep += l.keep
	r.books.slotSeconds += float64(l.past.onSlots) * float64(l.task.Slots)
	r.books.queueSeconds += l.past.queued
}

// near reports whether two sums of amounts up to size are the same but for
// rounding.
func near(a, b, size float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b), math.Abs(size))
}

// close ends the run: what has not ended is censored, and the books are
// compared.
func (r *run) close() error {
	r.finalSample()
	r.censorMoves()
	r.closeStanding()
	if err := r.censorLives(); err != nil {
		return err
	}
	if err := r.censorRest(); err != nil {
		return err
	}
	return r.audit()
}

// censorMoves stops the transfers in progress; what they sent is charged.
func (r *run) censorMoves() {
	for i := range r.moves {
		m := &r.moves[i]
		if !m.used {
			continue
		}
		l := &r.lives[m.life]
		sent := r.net.Cancel(m.flow)
		m.bytes = sent
		r.charge(l, m, sent)
		if took := r.now().Sub(m.requested); m.purpose == forResult {
			l.result = took
		}
		r.recordMove(l, m, false)
		l.fee += r.unbook(m)
		*m = move{}
	}
}

// censorLives ends the tasks that are still there, in the trace's order.
func (r *run) censorLives() error {
	var left []int32
	for i := range r.lives {
		if r.lives[i].used {
			left = append(left, int32(i))
		}
	}
	slices.SortFunc(left, func(a, b int32) int { return int(r.lives[a].task.Row - r.lives[b].task.Row) })
	for _, i := range left {
		l := &r.lives[i]
		r.lapLast(l)
		if l.onSlots {
			r.leaveSlots(i)
			r.recordAttempt(l, endCensored)
			r.tallyStay(l)
		}
		if l.decided && len(l.pins)+int(l.taken) > 0 {
			r.store.leave(r, l)
		}
		r.active--
		if l.task.Carried {
			r.book(l)
			continue
		}
		if err := r.settle(l, censored); err != nil {
			return err
		}
	}
	return nil
}

// lapLast gives the time since the last lap to the segment that a life is in at
// the end. Work that no checkpoint holds yet is not lost: it would go on.
func (r *run) lapLast(l *life) {
	switch {
	case l.stay.running:
		l.stay.running = false
		s := &l.stay.split
		if elapsed := r.now().Sub(l.stay.from); l.stay.sync != 0 {
			l.stay.useful = r.stopSync(l)
			*s, _ = l.stay.splitSync(elapsed, false)
		} else {
			*s = l.stay.plan.At(elapsed)
		}
		s.Kept, s.Lost = s.Kept+s.Lost, 0
		r.part(l)
	case l.queued:
		r.lapQueue(l)
	case l.staging || l.onSlots:
		r.lapBringing(l)
	case l.decided && l.past.attempts > 0 && l.past.kept < l.task.Work:
		r.fetchLap(l)
	case l.decided || l.task.Class == task.Transfer && l.blocked == 0:
		r.lap(l, inTransfer)
	default:
		r.lap(l, inBlocked)
	}
}

// censorRest counts the rows that arrive after the end.
func (r *run) censorRest() error {
	for r.hasNext {
		l := &r.lives[r.next]
		if !l.task.Carried {
			l.course = course{mark: l.task.Submit}
			r.count.arrived++
			r.count.add(r, l, censored)
			r.recordTask(l, censored)
		}
		var err error
		if r.hasNext, err = r.reader.Next(&l.task); err != nil {
			return err
		}
	}
	return nil
}

// audit compares the tasks' sums with the counts that links and pools kept.
func (r *run) audit() error {
	if r.count.arrived != r.count.ended() {
		return fmt.Errorf("arrived %d tasks, but done + refused + censored = %d", r.count.arrived, r.count.ended())
	}
	var fee unit.Money
	for l := range r.topo.Links {
		fee += r.topo.Links[l].Price.Times(r.net.Carried(topo.LinkID(l)))
	}
	if !near(float64(fee), float64(r.books.worth), 0) {
		return fmt.Errorf("the transfers were worth %v, the links carried %v's worth", r.books.worth, fee)
	}
	if r.booked.calendar == nil && !near(float64(fee), float64(r.books.fee), 0) {
		return fmt.Errorf("the tasks paid %v for transfers, the links carried %v's worth", r.books.fee, fee)
	}
	var compute unit.Money
	var slotSeconds, queue float64
	for p := range r.pools {
		busy := float64(r.pools[p].SlotSeconds(r.now()))
		slotSeconds += busy
		compute += unit.Money(float64(r.pools[p].spec.Price) * busy / float64(unit.Hour))
		queue += float64(r.pools[p].QueueIntegral(r.now()))
	}
	if !near(slotSeconds, r.books.slotSeconds, 0) {
		return fmt.Errorf("the tasks were on slots for %v slot-seconds, the pools were busy for %v", r.books.slotSeconds, slotSeconds)
	}
	if !near(float64(compute), float64(r.books.compute), 0) {
		return fmt.Errorf("the tasks paid %v for slots, the pools earned %v", r.books.compute, compute)
	}
	if !near(queue, float64(r.books.queueSeconds), 0) {
		return fmt.Errorf("the tasks queued for %v s, the queues' lengths add up to %v s (Little's law)", float64(r.books.queueSeconds), queue)
	}
	for i := range r.store.rooms {
		if s := &r.store.rooms[i]; s.used > s.capacity {
			return fmt.Errorf("the storage of %s holds %v of %v", r.topo.Rooms[i].Name, s.used, s.capacity)
		}
	}
	return nil
}
