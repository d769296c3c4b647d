package replay

import (
	"fmt"
	"math"

	"tiersim/sim/des"
	"tiersim/sim/policy"
	"tiersim/sim/pool"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A segment is one of the kinds of time that a task's life is made of.
type segment uint8

const (
	inTransfer segment = iota
	inQueue
	inCompute
	inSave
	inLost
	inRestart
	inBlocked
	numSegments
)

// A life is a task between its arrival and its end.
type life struct {
	task task.Task
	course
}

// A course is how far a life has come.
type course struct {
	used     bool
	believed unit.Seconds // run time at speed 1 that policies and queues believe

	blocked int32 // tasks it still comes after
	pending int32 // moves and copies that its stage-in waits for
	doomed  bool  // a task it comes after was refused

	decided   bool
	plan      policy.Candidate
	parts     []policy.Part // its slots, the main part first
	option    policy.Option
	reason    policy.Reason
	rule      int32 // that excludes it, from 1
	locked    bool  // its slots are not taken away by contracts that sell them to others
	available [policy.NumOptions]bool
	value     unit.PerHour

	mark    unit.Time // since when the present segment runs
	spent   [numSegments]unit.Seconds
	asked   unit.Time
	start   unit.Time // first slot
	onSlots bool
	started bool
	queued  bool
	staging bool // the present moves are stage-in
	landed  bool // stage-in is over
	place   uint64
	stay    stay
	past    past

	image, input, result unit.Seconds
	fee, compute, keep   unit.Money
	aligned              unit.Money // of compute: for its environment
	time                 unit.Money // value of its turnaround, once it has ended
	moved                unit.Bytes
	brought              unit.Bytes // into the room's storage
	taken                unit.Bytes // of it, for this task alone
	since                unit.Time  // since when it is kept there
	pins                 []int32    // copies that it uses
}

// lap adds the time since the last lap to a segment.
func (r *run) lap(l *life, s segment) {
	l.spent[s] += r.now().Sub(l.mark)
	l.mark = r.now()
}

// lapQueue gives the time since the last lap to the queues that a life stands in.
func (r *run) lapQueue(l *life) {
	was := l.mark
	r.lap(l, inQueue)
	l.past.queued += l.mark.Sub(was) * unit.Seconds(len(l.parts))
}

// newLife returns the index of a fresh life. Pointers into r.lives do not
// survive it.
func (r *run) newLife() int32 {
	if n := len(r.freeLives); n > 0 {
		i := r.freeLives[n-1]
		r.freeLives = r.freeLives[:n-1]
		return i
	}
	r.lives = append(r.lives, life{})
	return int32(len(r.lives) - 1)
}

// readNext reads the row that arrives next into a life that waits for it, and
// schedules its arrival.
func (r *run) readNext() error {
	i := r.newLife()
	ok, err := r.reader.Next(&r.lives[i].task)
	if !ok || err != nil {
		r.hasNext = false
		r.freeLives = append(r.freeLives, i)
		return err
	}
	r.next, r.hasNext = i, true
	r.at(r.lives[i].task.Submit, des.Arrival, arrival, i)
	return nil
}

func (r *run) arrive(i int32) {
	r.moved = r.now()
	l := &r.lives[i]
	l.course = course{used: true, pins: l.pins[:0], parts: l.parts[:0], mark: r.now(), believed: r.believe(&l.task)}
	r.active++
	if r.err = r.readNext(); r.err != nil {
		return
	}
	l = &r.lives[i]
	if l.task.Carried {
		r.count.carried++
		r.placeCarried(i)
		return
	}
	r.count.arrived++
	r.last = r.now()
	if !r.hasNext {
		r.atLastArrival()
	}
	r.block(i)
	if r.lives[i].blocked == 0 {
		r.at(r.now(), des.Decision, decision, i)
	}
}

// believe returns the run time at speed 1 that policies and queues go by.
func (r *run) believe(t *task.Task) unit.Seconds {
	if r.setup.Policy == policy.Clairvoyant {
		return t.Work
	}
	if t.Present(task.Estimate) {
		return t.Estimate
	}
	if sigma, ok := r.world.EstimateError(); ok {
		u := r.setup.Streams.U01("estimate", string(t.Name))
		z := math.Sqrt2 * math.Erfinv(2*u-1)
		return unit.Seconds(float64(t.Work) * math.Exp(sigma*z))
	}
	return t.Work
}

// placeCarried puts a task that was running when the replayed part began on
// slots: at home, else in the nearest room with a free pool, in topology order;
// where none is free it queues at its home's pool, or the nearest.
func (r *run) placeCarried(i int32) {
	l := &r.lives[i]
	best, found, bestFree := topo.PoolID(0), false, false
	for p := range r.pools {
		ps := &r.pools[p]
		if l.task.Kind != topo.AnyKind && l.task.Kind != ps.spec.Kind || !ps.Fits(l.task.Slots) {
			continue
		}
		free := ps.Free() >= l.task.Slots
		far := r.topo.Distance(l.task.Home, ps.spec.Room)
		if !found || free && !bestFree || free == bestFree && far < r.topo.Distance(l.task.Home, r.pools[best].spec.Room) {
			best, found, bestFree = topo.PoolID(p), true, free
		}
	}
	if !found {
		r.err = fmt.Errorf("carried task %s fits no pool", l.task.Name)
		return
	}
	r.settleAt(l, &policy.Candidate{Pool: best, Room: r.pools[best].spec.Room, Option: policy.None}, []policy.Part{{Pool: best, Slots: l.task.Slots}})
	if !bestFree {
		r.ask(i)
		return
	}
	r.pools[best].Place(r.now(), r.job(i, l.parts[0]))
	l.asked = r.now()
	r.startOn(i)
}

// decide lets the policy answer for a task whose turn has come.
func (r *run) decide(i int32) {
	l := &r.lives[i]
	if l.past.attempts > 0 {
		r.decideAgain(i)
		return
	}
	r.lap(l, inBlocked)
	if l.doomed {
		l.reason = policy.AfterRefused
		r.refuse(i)
		return
	}
	if l.task.Class == task.Transfer {
		r.moveOnly(i)
		return
	}
	view := viewOf{r, l}
	d := r.desk.Decide(&view, &l.task)
	if r.err = d.Err; r.err != nil {
		return
	}
	l.rule, l.locked = int32(d.Rule), d.Reason == policy.Interruption
	l.reason, l.value, l.available = d.Reason, d.Value, d.Available
	r.recordDecision(l, &d)
	if !d.OK {
		l.option = policy.None
		r.refuse(i)
		return
	}
	r.settleAt(l, &d.Chosen, r.desk.Parts(&d.Chosen))
	r.goThere(i)
}

// goThere has a task come to the room that its plan names, as soon as it has a
// channel.
func (r *run) goThere(i int32) {
	if lead := r.leadOf(&r.lives[i]); lead > 0 {
		r.claim(i)
		r.at(r.now().Add(lead), des.Decision, channelReady, i)
		return
	}
	r.comeThere(i)
}

// comeThere has it ask for slots and bring its data, in the order of the staging.
func (r *run) comeThere(i int32) {
	if r.stage == stageInside {
		r.store.giveBack(&r.lives[i])
		r.claim(i)
		r.ask(i)
		return
	}
	r.stageIn(i)
}

// staged goes on when image and data are there.
func (r *run) staged(i int32) {
	l := &r.lives[i]
	l.staging, l.landed, l.since = false, true, r.now()
	if r.stage == stageInside && !l.onSlots { // its slots were taken away while it came
		if l.reason == policy.GivenUp {
			r.lapBringing(l)
			r.giveUp(i)
		}
		return // else it queues for others
	}
	r.lapBringing(l)
	if l.past.kept > 0 {
		l.past.at = l.plan.Room
	}
	if r.stage == stageInside {
		r.computeFrom(i)
		return
	}
	r.ask(i)
}

// job is what a pool needs to know of a task's part in it.
func (r *run) job(i int32, part policy.Part) pool.Job {
	l := &r.lives[i]
	return pool.Job{
		Task: i, Slots: part.Slots, Priority: l.task.Priority, Estimate: r.queueBelief(l, part.Pool, l.parts),
		Place: l.place, Linked: len(l.parts) > 1,
	}
}

// queueBelief is the stay on the slots that a pool's queue goes by.
func (r *run) queueBelief(l *life, p topo.PoolID, parts []policy.Part) unit.Seconds {
	if r.pools[p].spec.Estimates == topo.ExactEstimates {
		return r.stayOf(l, parts, l.task.Work)
	}
	return r.stayOf(l, parts, l.believed)
}

// ask puts a task into its pool's queue.
func (r *run) ask(i int32) {
	l := &r.lives[i]
	l.asked, l.queued = r.now(), true
	r.countAsked(l)
	for _, part := range l.parts {
		place := r.pools[part.Pool].Submit(r.now(), r.job(i, part))
		if len(l.parts) == 1 {
			l.place = place // a gang's places would not be in one order in all its pools
		}
		r.callPass(part.Pool)
	}
}

// callPass has the pool look at its queue at the end of this instant.
func (r *run) callPass(p topo.PoolID) {
	if !r.pools[p].passPending {
		r.pools[p].passPending = true
		r.at(r.now(), des.Start, pass, int32(p))
	}
}

func (r *run) pass(p topo.PoolID) {
	r.pools[p].passPending = false
	r.started = r.pools[p].Pass(r.now(), r.started[:0])
	if busy, slots := r.pools[p].Busy(), r.pools[p].spec.Slots; busy > slots {
		r.err = fmt.Errorf("pool %s runs %d of its %d slots", r.topo.PoolName(p), busy, slots)
	}
	for _, i := range r.started {
		r.startOn(i)
	}
	r.startGang(p)
}

// startOn begins a task's stay on its slots.
func (r *run) startOn(i int32) {
	l := &r.lives[i]
	r.lapQueue(l)
	l.queued, l.onSlots = false, true
	if !l.started {
		l.started, l.start = true, r.now()
		r.learnQueue(l)
	}
	r.beginStay(i)
	switch {
	case r.stage == stageBefore || l.task.Carried || l.landed:
		r.computeFrom(i)
	case !l.staging:
		r.stageIn(i)
	}
}

// computed ends a task's stay on its slots and returns its results.
func (r *run) computed(i int32) {
	r.moved = r.now()
	l := &r.lives[i]
	l.stay.end = des.Handle{}
	r.splitWhole(l)
	r.leaveSlots(i)
	if l.task.Carried {
		r.active--
		r.book(l)
		r.free(i)
		return
	}
	r.recordAttempt(l, endDone)
	r.tallyStay(l)
	r.store.leave(r, l)
	if l.task.Output > 0 && r.startResult(i) {
		return
	}
	r.finish(i)
}

// leaveSlots frees a task's slots and charges them.
func (r *run) leaveSlots(i int32) {
	l := &r.lives[i]
	for _, part := range l.parts {
		r.pools[part.Pool].Release(r.now(), i)
		r.callPass(part.Pool)
	}
	l.onSlots = false
	r.cancel(&l.stay.end)
	r.cancel(&l.stay.cut)
	r.cancel(&l.stay.tick)
	stayed := r.now().Sub(l.stay.begin)
	l.past.onSlots += stayed
	l.compute += r.hourly(l).For(stayed)
}

// finish ends a task that has done all it had to.
func (r *run) finish(i int32) {
	l := &r.lives[i]
	r.learnRest(l)
	r.end(l, done)
	r.unblock(l.task.Row, false)
	r.free(i)
}

// refuse ends a task that has no place.
func (r *run) refuse(i int32) {
	l := &r.lives[i]
	r.end(l, refused)
	r.unblock(l.task.Row, true)
	r.free(i)
}

func (r *run) end(l *life, s status) {
	r.moved = r.now()
	r.active--
	if err := r.settle(l, s); err != nil {
		r.err = err
	}
}

func (r *run) free(i int32) {
	r.lives[i].used = false
	r.freeLives = append(r.freeLives, i)
}
