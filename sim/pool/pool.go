// Package pool is slots behind one queue.
//
// # Model
//
// A job asks for a gang of slots. It starts when all of them are free and the
// queue lets it, keeps them until it is released, and has an estimate of how
// long that will be. Once per instant, after all releases and submissions of
// that instant, a pass starts what may start:
//
//   - fcfs: in order of submission; the first that does not fit stops the pass.
//   - priority: the same, larger priority first, then in order of submission.
//   - easy: as fcfs; then, behind a head that does not fit, later jobs in order
//     if they fit now and cannot delay it by the estimates. The shadow time is
//     when the head can start by the expected ends of the running, the extra
//     slots are those free then that it does not need. A job is backfilled if it
//     ends, by its estimate, at or before the shadow time, or uses only extra
//     slots, which are then used up.
//   - a gang that is spread over pools waits in the queue of each until it is at
//     the head of all and fits in all; until then the slots that it has there
//     stay free but for what backfilling can use meanwhile.
//   - conservative: every job has a reservation, the earliest that delays no
//     reservation made before it. When slots become free unexpectedly, jobs move
//     up one by one in queue order; none moves back. Where reservations cannot
//     hold (a job outlives its estimate, more slots are held) all are made anew.
//
// Priorities count in a priority queue only. A job that outlives its estimate
// keeps its slots and is expected to end next, that is now. Slots that are held
// are kept for services outside the trace: they count as taken. Where more are
// held than are idle, running jobs keep theirs and none are free.
//
// Sources: Lifka, The ANL/IBM SP Scheduling System, JSSPP 1995,
// doi:10.1007/3-540-60153-8_35 (EASY); Mu'alem and Feitelson, Utilization,
// Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM
// SP2 with Backfilling, IEEE TPDS 12(6), 2001, doi:10.1109/71.932708 (both
// kinds of backfilling, moving up in queue order).
//
// # Checked
//
// Against the waits of 77,199 jobs of the CTC SP2 log as the simulator pyss
// gives them (the first 1,589 in the tests), Erlang C, Pollaczek-Khinchine and
// Cobham's priority queue, and a plain scheduler that keeps nothing between
// passes. Every start checks that no more slots run than there are.
//
// # Not modeled
//
// Nodes: slots are alike and a gang takes any of them, so tasks that share a node
// fail apart.
//
// # How
//
// Queue and running set are sorted lists in blocks that know their least job, so
// that a pass passes over most of a deep queue; what a pass found is kept, so
// that the next, if jobs only came, looks at those alone. Nothing is allocated
// once lists have reached their largest size.
package pool

import (
	"fmt"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Job is what a pool knows of a task.
type Job struct {
	Task     int32 // the caller's; unique among those in the pool
	Slots    int32
	Priority int32        // larger first; of priority queues only
	Estimate unit.Seconds // of its stay on these slots
	// Place is the place in the order of submission that Submit gave the task
	// when it last stood here: it comes back to it, before those that came later.
	// 0 is the end.
	Place uint64
	// Linked jobs are parts of a gang that is spread over pools: they start at the
	// head of the queue, by StartLinked alone, when all parts can. Not in a
	// conservative queue, whose reservations could not wait for others'.
	Linked bool
}

// A Pool is the state of one pool. It is not safe for concurrent use.
type Pool struct {
	core
	index index
	ahead forecast

	now         unit.Time
	busySeconds float64 // slots · s, up to now
	jobSeconds  float64 // queued jobs · s, up to now
	heldSeconds float64 // slots · s, up to now
	short       float64 // s in which more was held than was idle, up to now
}

// New returns an empty pool at instant 0.
func New(spec topo.Pool) *Pool {
	if spec.Queue > topo.Priority {
		panic(fmt.Sprintf("pool: %s: queue kind %d is none of fcfs, easy, conservative, priority", spec.Name, spec.Queue))
	}
	if spec.Slots < 0 || spec.Held < 0 {
		panic(fmt.Sprintf("pool: %s: %d slots, %d held", spec.Name, spec.Slots, spec.Held))
	}
	return &Pool{core: core{kind: spec.Queue, slots: spec.Slots, held: spec.Held}}
}

// Submit puts a job into the queue; the next pass may start it. It returns the
// job's place in the order of submission.
func (p *Pool) Submit(now unit.Time, j Job) uint64 {
	p.advance(now)
	it := p.newItem(j)
	if j.Place > 0 {
		it.order = j.Place
		p.upset()
		p.queue.insert(it)
	} else {
		p.ahead.submitted(&p.core, now, it)
		p.push(it)
	}
	p.index.put(j.Task, place{key: it.key, order: it.order})
	return it.order
}

// newItem checks a job and gives it the next place in the order of submission.
func (p *Pool) newItem(j Job) item {
	if j.Slots <= 0 || j.Slots > p.slots || !(j.Estimate >= 0) || j.Place > p.order {
		panic(fmt.Sprintf("pool: at %v s: task %d asks for %d slots of %d for %v s",
			float64(p.now), j.Task, j.Slots, p.slots, float64(j.Estimate)))
	}
	if _, ok := p.index.get(j.Task); ok {
		panic(fmt.Sprintf("pool: at %v s: task %d is here already", float64(p.now), j.Task))
	}
	it := item{order: p.order + 1, estimate: j.Estimate, slots: j.Slots, task: j.Task}
	if j.Linked {
		if p.kind == topo.Conservative {
			panic(fmt.Sprintf("pool: at %v s: task %d is linked in a conservative queue", float64(p.now), j.Task))
		}
		it.planned = linked
	}
	if p.kind == topo.Priority {
		it.key = -float64(j.Priority)
	}
	return it
}

// Place starts a job at once, outside the queue: one that was running before the
// replay began. It panics where the slots are not free.
func (p *Pool) Place(now unit.Time, j Job) {
	p.advance(now)
	it := p.newItem(j)
	p.order = it.order
	p.started = p.started[:0]
	p.start(now, it)
	p.index.put(j.Task, place{float64(now.Add(j.Estimate)), it.order, true})
	p.upset()
}

// upset says that more than was expected has changed.
func (p *Pool) upset() {
	p.eased, p.plan.broken = true, true
	p.ahead.surprised()
}

// Pass starts what may start now and appends the tasks, in the order in which
// they start. It is called once per instant, after all releases and submissions
// of that instant; calling it again changes nothing.
func (p *Pool) Pass(now unit.Time, started []int32) []int32 {
	p.advance(now)
	p.pass(now)
	for i := range p.started {
		it := &p.started[i]
		p.index.put(it.task, place{it.key, it.order, true})
		if unit.Time(it.key) <= now || p.ahead.partial || p.kind == topo.Conservative {
			p.ahead.surprised()
		}
		started = append(started, it.task)
	}
	return started
}

// LinkedHead returns the linked job at the head of the queue, where it fits now.
func (p *Pool) LinkedHead() (task int32, ok bool) {
	if p.queue.n == 0 {
		return 0, false
	}
	it := p.queue.first()
	return it.task, it.planned == linked && it.slots <= p.free()
}

// StartLinked starts the job that LinkedHead returns. A pass should follow: others
// may start.
func (p *Pool) StartLinked(now unit.Time) {
	p.advance(now)
	if _, ok := p.LinkedHead(); !ok {
		panic(fmt.Sprintf("pool: at %v s: no linked job can start", float64(now)))
	}
	p.started = p.started[:0]
	it := p.queue.removeAt(0, 0)
	p.start(now, it)
	p.index.put(it.task, place{float64(now.Add(it.estimate)), it.order, true})
	p.upset()
}

// Release takes a task off its slots.
func (p *Pool) Release(now unit.Time, task int32) {
	p.advance(now)
	at := p.mustBe(task, true)
	p.vacate(now, at.key, at.order)
	p.index.drop(task)
	if at.key != float64(now) || p.ahead.built == now {
		p.ahead.surprised()
	}
}

// Withdraw takes a task out of the queue. A pass should follow: others may start.
func (p *Pool) Withdraw(now unit.Time, task int32) {
	p.advance(now)
	at := p.mustBe(task, false)
	p.queue.remove(at.key, at.order)
	p.index.drop(task)
	p.eased, p.plan.loosened = true, true
	p.ahead.surprised()
}

// SetHeld changes the number of slots that are held, which may be more than the
// pool has. A pass should follow.
func (p *Pool) SetHeld(now unit.Time, held int32) {
	p.advance(now)
	if held < 0 {
		panic(fmt.Sprintf("pool: at %v s: %d slots held", float64(now), held))
	}
	if held != p.held {
		p.held = held
		p.upset()
	}
}

// mustBe returns the place of a task that is on slots, or in the queue.
func (p *Pool) mustBe(task int32, running bool) place {
	at, ok := p.index.get(task)
	if !ok || at.running != running {
		where := map[bool]string{true: "on slots", false: "in the queue"}[running]
		panic(fmt.Sprintf("pool: at %v s: task %d is not %s", float64(p.now), task, where))
	}
	return at
}

// Capacity returns the slots that tasks can have: all that are not held.
func (p *Pool) Capacity() int32 { return max(0, p.slots-p.held) }

// Fits reports whether a gang of that size can ever run, as things stand.
func (p *Pool) Fits(slots int32) bool { return slots <= p.Capacity() }

// Free returns the slots that are free now.
func (p *Pool) Free() int32 { return p.free() }

// Busy returns the slots that tasks have now.
func (p *Pool) Busy() int32 { return p.busy }

// Queued returns the number of jobs that wait.
func (p *Pool) Queued() int { return p.queue.n }

// Running returns the number of jobs on slots.
func (p *Pool) Running() int { return p.running.n }

// SlotSeconds returns the integral of busy slots over time up to now.
func (p *Pool) SlotSeconds(now unit.Time) unit.Seconds {
	p.mustNotGoBack(now)
	return unit.Seconds(p.busySeconds + float64(float64(p.busy)*float64(now.Sub(p.now))))
}

// QueueIntegral returns the integral of the number of waiting jobs over time up
// to now: by Little's law the sum of their waits.
func (p *Pool) QueueIntegral(now unit.Time) unit.Seconds {
	p.mustNotGoBack(now)
	return unit.Seconds(p.jobSeconds + float64(float64(p.queue.n)*float64(now.Sub(p.now))))
}

// HeldSeconds returns the integral of held slots, as far as there are any, over
// time up to now.
func (p *Pool) HeldSeconds(now unit.Time) unit.Seconds {
	p.mustNotGoBack(now)
	return unit.Seconds(p.heldSeconds + float64(float64(min(p.held, p.slots))*float64(now.Sub(p.now))))
}

// Headroom returns the slots that are neither held nor busy; below 0 where tasks
// have slots that are held for others, or where more are held than there are.
func (p *Pool) Headroom() int32 { return p.slots - p.held - p.busy }

// ShortSeconds returns for how long Headroom was below 0 up to now.
func (p *Pool) ShortSeconds(now unit.Time) unit.Seconds {
	p.mustNotGoBack(now)
	if p.Headroom() < 0 {
		return unit.Seconds(p.short) + now.Sub(p.now)
	}
	return unit.Seconds(p.short)
}

// AppendRunning appends the tasks on slots, those that are expected to end first
// before the others.
func (p *Pool) AppendRunning(dst []int32) []int32 {
	for b := range p.running.blocks {
		for _, it := range p.running.items(b) {
			dst = append(dst, it.task)
		}
	}
	return dst
}

// advance brings the integrals up to now.
func (p *Pool) advance(now unit.Time) {
	p.busySeconds = float64(p.SlotSeconds(now))
	p.jobSeconds = float64(p.QueueIntegral(now))
	p.heldSeconds = float64(p.HeldSeconds(now))
	p.short = float64(p.ShortSeconds(now))
	p.now = now
}

func (p *Pool) mustNotGoBack(now unit.Time) {
	if !(now >= p.now) {
		panic(fmt.Sprintf("pool: at %v s: called for %v s", float64(p.now), float64(now)))
	}
}

// CopyFrom makes p an independent copy of o, in the storage that p has.
func (p *Pool) CopyFrom(o *Pool) {
	p.core.copyFrom(&o.core)
	p.index.copyFrom(&o.index)
	p.ahead.surprised()
	p.now, p.busySeconds, p.jobSeconds = o.now, o.busySeconds, o.jobSeconds
	p.heldSeconds, p.short = o.heldSeconds, o.short
}
