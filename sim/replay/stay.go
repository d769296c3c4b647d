package replay

import (
	"fmt"
	"math"

	"tiersim/sim/des"
	"tiersim/sim/policy"
	"tiersim/sim/pool"
	"tiersim/sim/rng"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A stay is the present attempt of a task on slots.
type stay struct {
	begin   unit.Time // since when it holds them
	from    unit.Time // since when the plan runs: it holds slots before where it stages inside
	running bool      // the plan runs
	plan    task.Plan
	end     des.Handle // of its last second
	cut     des.Handle // of the instant at which its slots are taken
	by      int32      // the hazard that does
	sync    int32      // the move of its synchronizations; 0: none
	syncs   syncPlan
	useful  unit.Seconds // work of it, where it synchronized
	tick    des.Handle   // of the next look at their rate
	split   task.Split   // what it came to, once it is over
}

// A past is what a task's attempts have left.
type past struct {
	attempts   int32
	cuts       int32        // interruptions
	kept       unit.Seconds // work that a checkpoint holds, at speed 1
	at         topo.RoomID  // where that is, if kept > 0
	onSlots    unit.Seconds // of all stays
	fetched    unit.Seconds // of restart: without slots
	staged     unit.Seconds // of stage-in: on slots
	queued     unit.Seconds // in all queues: the parts of a gang stand in one each
	lucky      bool
	luck       rng.Stream // of what takes its slots away
	avoid      topo.PoolID
	avoidUntil unit.Time
}

// bringing is the segment that stage-in belongs to: after an interruption, it is
// part of the restart.
func (l *life) bringing() segment {
	if l.past.attempts > 0 && !l.onSlots || l.past.attempts > 1 {
		return inRestart
	}
	return inTransfer
}

// lapBringing gives the time since the last lap to that segment.
func (r *run) lapBringing(l *life) {
	was, s := l.mark, l.bringing()
	r.lap(l, s)
	switch took := l.mark.Sub(was); {
	case l.onSlots && s == inTransfer:
		l.past.staged += took
	case !l.onSlots && s == inRestart:
		l.past.fetched += took
	}
}

// saves reports whether a task keeps checkpoints: it has an interval, and its
// resume is verified. What cannot be resumed is not saved.
func saves(t *task.Task) bool {
	return t.Checkpointing != task.NoCheckpoint && t.Resumable
}

// load and save are how long a state takes from and to the storage of a room that
// nobody else uses: the restart in place and the save of a checkpoint are short
// beside what they interrupt, and are not made to compete.
func (r *run) load(t *task.Task, room topo.RoomID) unit.Seconds {
	if s := &r.topo.Rooms[room].Storage; s.Limited {
		return t.State.Over(r.topo.Links[s.Read].Capacity)
	}
	return 0
}

func (r *run) save(t *task.Task, room topo.RoomID) unit.Seconds {
	if s := &r.topo.Rooms[room].Storage; s.Limited {
		return t.State.Over(r.topo.Links[s.Write].Capacity)
	}
	return 0
}

// workOn is how long an amount of a task's work takes on its parts. Steps on older
// weights, where a gang synchronizes only now and then, learn less.
func (r *run) workOn(l *life, work unit.Seconds) unit.Seconds {
	return r.workOf(&l.task, l.parts, work)
}

func (r *run) workOf(t *task.Task, parts []policy.Part, work unit.Seconds) unit.Seconds {
	took := unit.Seconds(float64(work) / r.speedOf(parts))
	if r.world.Training.LocalSteps > 1 && r.synchronizes(t, parts) {
		took *= unit.Seconds(r.world.Training.Penalty)
	}
	return took
}

// planOf lays out an attempt of a task on its parts, that has done part of its work
// already.
func (r *run) planOf(t *task.Task, parts []policy.Part, work, kept unit.Seconds) task.Plan {
	spec := r.pools[parts[0].Pool].spec
	plan := task.Plan{Left: r.workOf(t, parts, max(0, work-kept)), Interval: unit.Seconds(math.Inf(1))}
	if !saves(t) {
		return plan
	}
	plan.Saves = true
	plan.Save = r.save(t, spec.Room)
	plan.Interval = t.Checkpoint
	plan.Final = r.world.Recovery.FinalSave
	if t.Checkpointing == task.YoungDaly {
		plan.Interval = task.OptimalInterval(plan.Save, r.spacing(parts))
	}
	if kept > 0 {
		plan.Restart = r.load(t, spec.Room)
	}
	return plan
}

// stayOf returns how long a task is believed to stay on slots, if all its work were
// so much.
func (r *run) stayOf(l *life, parts []policy.Part, work unit.Seconds) unit.Seconds {
	if l.past.kept == 0 && !saves(&l.task) && len(parts) == 1 {
		return unit.Seconds(float64(work) / r.pools[parts[0].Pool].spec.Speed)
	}
	plan := r.planOf(&l.task, parts, work, l.past.kept)
	if plan.Left > 0 && r.synchronizes(&l.task, parts) {
		return r.believedSync(&l.task, parts, &plan, r.workOf(&l.task, parts, work))
	}
	return plan.Length()
}

// spacing is the mean time between two interruptions of a gang.
func (r *run) spacing(parts []policy.Part) unit.Seconds {
	rate := 0.0
	for _, part := range parts {
		rate += 1 / float64(r.hazards.spacing(part.Pool, pool.Nodes(part.Slots, r.pools[part.Pool].spec.PerNode)))
	}
	return unit.Seconds(1 / rate)
}

// beginStay notes the begin of an attempt and draws when it is interrupted.
func (r *run) beginStay(i int32) {
	l := &r.lives[i]
	l.stay = stay{begin: r.now()}
	l.past.attempts++
	r.drawCut(i)
}

// computeFrom lets a task that holds slots and has its data compute.
func (r *run) computeFrom(i int32) {
	l := &r.lives[i]
	s := &l.stay
	s.plan = r.planOf(&l.task, l.parts, l.task.Work, l.past.kept)
	s.from, s.running = r.now(), true
	if s.plan.Left > 0 && r.synchronizes(&l.task, l.parts) {
		r.beginSync(i)
		return
	}
	s.end = r.events.Schedule(des.Event{At: r.now().Add(s.plan.Length()), Priority: des.AttemptEnd, Kind: attemptEnd, Index: i})
}

// splitWhole adds up an attempt that came to its end.
func (r *run) splitWhole(l *life) {
	s := &l.stay
	s.running = false
	l.past.kept = l.task.Work
	if s.syncs.syncs > 0 {
		s.useful = s.plan.Left
	}
	if s.plan.Restart == 0 && !s.plan.Saves {
		s.split = task.Split{Kept: r.now().Sub(l.mark)}
		r.lap(l, inCompute)
		return
	}
	s.split = s.plan.Done()
	s.split.Kept = r.now().Sub(s.from) - s.split.Restart - s.split.Save
	r.part(l)
}

// part gives the time since the last lap to the segments of the attempt's split.
func (r *run) part(l *life) {
	s := &l.stay.split
	l.spent[inRestart] += s.Restart
	l.spent[inCompute] += s.Kept
	l.spent[inSave] += s.Save
	l.spent[inLost] += s.Lost
	l.mark = r.now()
}

// cancel takes an event off the list where it is still to fire.
func (r *run) cancel(h *des.Handle) {
	if *h != (des.Handle{}) {
		r.events.Cancel(*h)
		*h = des.Handle{}
	}
}

// interrupt takes a task's slots away. notice is how long it knew of it before.
func (r *run) interrupt(i int32, why cause, notice unit.Seconds) {
	l := &r.lives[i]
	if !l.onSlots {
		panic(fmt.Sprintf("replay: at %v s: task %s is interrupted and holds no slots", float64(r.now()), l.task.Name))
	}
	l.past.cuts++
	if !l.task.Carried {
		r.count.cuts[why]++
	}
	if !l.stay.running { // its data comes in: that goes on
		r.lapBringing(l)
		l.stay.split = task.Split{}
	} else {
		r.cutPlan(l, notice)
	}
	r.leaveSlots(i)
	r.recordAttempt(l, endOf(why))
	r.tallyStay(l)
	switch {
	case l.task.Carried:
		r.ask(i)
	case r.world.Recovery.Limit > 0 && int(l.past.attempts) >= r.world.Recovery.Limit:
		l.reason = policy.GivenUp
		if !l.staging { // else it ends once what is on its way is there
			r.giveUp(i)
		}
	case l.staging:
		r.ask(i)
	default:
		if c := r.world.Recovery.Cooldown; c > 0 {
			l.past.avoid, l.past.avoidUntil = l.plan.Pool, r.now().Add(c)
		}
		r.at(r.now(), des.Decision, decision, i)
	}
}

// cutPlan finds what is left of an attempt that is cut short now.
func (r *run) cutPlan(l *life, notice unit.Seconds) {
	s := &l.stay
	s.running = false
	elapsed := r.now().Sub(s.from)
	var kept unit.Seconds
	switch {
	case s.sync != 0:
		s.useful = r.stopSync(l)
		s.split, kept = s.splitSync(elapsed, notice > 0 && notice >= s.plan.Save)
	case notice > 0:
		s.split = s.plan.Noticed(elapsed, notice)
		kept = s.split.Kept
	default:
		s.split = s.plan.At(elapsed)
		kept = s.split.Kept
	}
	if kept > 0 {
		r.moved = r.now()
		l.past.kept += unit.Seconds(float64(l.task.Work) * float64(kept/r.workOn(l, l.task.Work)))
		l.past.at = l.plan.Room
	}
	r.part(l)
}

// decideAgain lets the policy answer for a task that was interrupted. Where it
// stays in its room all that it had brought is still there; elsewhere all has to
// come again, and its state with it.
func (r *run) decideAgain(i int32) {
	l := &r.lives[i]
	r.fetchLap(l)
	view := viewOf{r, l}
	d := r.desk.Decide(&view, &l.task)
	if r.err = d.Err; r.err != nil {
		return
	}
	r.recordDecision(l, &d)
	if !d.OK {
		if l.past.avoidUntil > r.now() { // it has no other place: it waits until it may go back
			r.at(l.past.avoidUntil, des.Decision, decision, i)
			return
		}
		l.reason = d.Reason
		r.giveUp(i)
		return
	}
	for o, had := range d.Available {
		l.available[o] = l.available[o] || had
	}
	from, pool := l.plan.Room, l.plan.Pool
	if d.Chosen.Room != from {
		r.store.leave(r, l)
		l.landed = false
	}
	was := len(l.parts)
	r.settleAt(l, &d.Chosen, r.desk.Parts(&d.Chosen))
	if d.Chosen.Pool != pool || was > 1 || len(l.parts) > 1 {
		l.place = 0 // it keeps its place only in the queue where it stood alone
	}
	if d.Chosen.Room == from {
		r.ask(i)
		return
	}
	r.goThere(i)
}

// fetchLap gives the time since the last lap to the restart, of which it is the
// part without slots.
func (r *run) fetchLap(l *life) {
	was := l.mark
	r.lap(l, inRestart)
	l.past.fetched += l.mark.Sub(was)
}

// giveUp ends a task that was interrupted for the last time.
func (r *run) giveUp(i int32) {
	r.store.leave(r, &r.lives[i])
	r.refuse(i)
}
