package pool

import (
	"fmt"
	"math/bits"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A core is what the scheduling rule needs to know: who waits and who runs until
// when. It is the one place where the rule stands; a forecast runs a copy of it.
type core struct {
	kind        topo.QueueKind
	slots, held int32
	busy        int32
	order       uint64  // of the job that was submitted last
	queue       ordered // by (minus priority, order); priority counts as 0 except in a priority queue
	running     ordered // by (expected end, order)
	started     []item  // by the last pass

	// What the last pass knew, so that the next need not find it again.
	tested uint64 // jobs up to this order were tested by it
	eased  bool   // since then more happened than submissions
	head   reservation
	plan   plan // of a conservative queue
	loose  bool // of a forecast: linked jobs start like all others
}

// A reservation is what backfilling must leave to the head of the queue.
type reservation struct {
	known  bool
	shadow unit.Time // when the head can start by the expected ends of the running
	extra  int32     // slots free then that it does not need
}

// free returns the slots that a job may take now. Where more slots are held than
// are idle there are none; the running keep theirs.
func (c *core) free() int32 { return max(0, c.slots-c.held-c.busy) }

// push puts a job at its place in the queue.
func (c *core) push(it item) {
	c.order = it.order
	c.queue.insert(it)
}

// pass starts what may start now. c.started then holds it, in order.
func (c *core) pass(now unit.Time) {
	c.started = c.started[:0]
	switch c.kind {
	case topo.FCFS, topo.Priority:
		c.startHeads(now)
	case topo.EASY:
		c.passEASY(now)
	case topo.Conservative:
		c.passConservative(now)
	}
	c.tested, c.eased = c.order, false
}

// startHeads starts the head of the queue while it fits.
func (c *core) startHeads(now unit.Time) {
	for c.queue.n > 0 && c.queue.first().slots <= c.free() && !c.binds(c.queue.first()) {
		c.start(now, c.queue.removeAt(0, 0))
	}
}

// binds reports whether a job waits for its parts in other pools. A forecast does
// not know when those start and lets it go.
func (c *core) binds(it *item) bool { return it.planned == linked && !c.loose }

// start puts a job that is out of the queue on slots.
func (c *core) start(now unit.Time, it item) {
	if it.slots > c.free() {
		panic(fmt.Sprintf("pool: at %v s: task %d starts on %d slots; %d of %d are busy, %d held",
			float64(now), it.task, it.slots, c.busy, c.slots, c.held))
	}
	c.busy += it.slots
	it.key = float64(now.Add(it.estimate))
	c.running.insert(it)
	c.started = append(c.started, it)
}

// passEASY starts heads while they fit and then, behind a head that does not,
// whatever cannot delay it. After mere submissions the head still does not fit,
// and what was tested before has only become less fit, unless a job has
// outlived the estimate that the shadow time rests on.
func (c *core) passEASY(now unit.Time) {
	if c.head.known && !c.eased && c.head.shadow >= now {
		c.backfill(now, c.tested+1)
		return
	}
	c.startHeads(now)
	c.head = reservation{}
	if c.queue.n > 0 {
		first := c.queue.first()
		c.head = c.reserve(now, first.slots)
		c.backfill(now, first.order+1)
	}
}

// reserve returns when a job that does not fit now can start by the expected
// ends, and what is then left over; one that fits, and is linked, could start now.
// A job past its expected end is expected to end now. Where all ends do not free enough, the job waits forever.
func (c *core) reserve(now unit.Time, slots int32) reservation {
	need := int64(slots) - int64(c.slots-c.held-c.busy)
	l := &c.running
	b := 0
	for ; b < len(l.blocks) && l.blocks[b].slots < need; b++ {
		need -= l.blocks[b].slots
	}
	if b == len(l.blocks) && need > 0 {
		return reservation{known: true, shadow: unit.Forever()}
	}
	shadow := now
	for ; b < len(l.blocks); b++ {
		in := l.items(b)
		for i := range in {
			end := unit.Time(in[i].key)
			if need > 0 {
				shadow = max(now, end)
			} else if end > shadow {
				return reservation{true, shadow, int32(-need)}
			}
			need -= int64(in[i].slots)
		}
	}
	return reservation{true, shadow, int32(-need)}
}

// admits reports whether a job may be started past the head: it is over when the
// head can start, or takes slots that the head does not need.
func (r *reservation) admits(now unit.Time, slots int32, estimate unit.Seconds) bool {
	return now.Add(estimate) <= r.shadow || slots <= r.extra
}

// mayAdmit reports whether a job of the block may fit and be admitted.
func (r *reservation) mayAdmit(now unit.Time, free int32, k *block) bool {
	for sizes := k.sizes; sizes != 0; sizes &= sizes - 1 {
		size := bits.TrailingZeros32(sizes)
		least := int32(1) << size
		if least > free {
			return false
		}
		if r.admits(now, least, k.shortest[size]) {
			return true
		}
	}
	return false
}

// backfill starts jobs of the queue, from the given order on, that fit now and
// that the reservation of the head admits.
func (c *core) backfill(now unit.Time, order uint64) {
	l := &c.queue
	b, i := l.seek(0, order)
	for ; b < len(l.blocks); b, i = b+1, 0 {
		free := c.free()
		if free == 0 {
			return
		}
		if !c.head.mayAdmit(now, free, &l.blocks[b]) {
			continue
		}
		blocks := len(l.blocks)
		c.backfillBlock(now, b, i)
		if len(l.blocks) == blocks && b > 0 {
			l.join(b - 1)
		}
		b -= blocks - len(l.blocks) // what is after it has moved up
	}
}

// backfillBlock does so for one block, from place i on, and makes its summary
// exact.
func (c *core) backfillBlock(now unit.Time, b, i int) {
	in := c.queue.items(b)
	free, shadow, extra := c.free(), c.head.shadow, c.head.extra
	for i < len(in) {
		slots, inTime := in[i].slots, now.Add(in[i].estimate) <= shadow
		if slots > free || !inTime && slots > extra || c.binds(&in[i]) {
			i++
			continue
		}
		if !inTime {
			extra -= slots
		}
		c.start(now, c.queue.removeAt(b, i))
		free -= slots
		in = in[:len(in)-1]
	}
	c.head.extra = extra
	if len(in) > 0 {
		c.queue.summarize(b)
	}
}

// vacate takes a job off its slots.
func (c *core) vacate(now unit.Time, key float64, order uint64) item {
	it := c.running.remove(key, order)
	c.busy -= it.slots
	c.eased = true
	if key != float64(now) {
		c.plan.loosened = true
	}
	return it
}

// nextEnd returns the instant at which the running are next expected to free
// slots, and whether any run.
func (c *core) nextEnd(now unit.Time) (unit.Time, bool) {
	if c.running.n == 0 {
		return 0, false
	}
	return max(now, unit.Time(c.running.first().key)), true
}

// endAll takes all jobs off their slots that are expected to end by now.
func (c *core) endAll(now unit.Time) {
	for c.running.n > 0 {
		first := c.running.first()
		if unit.Time(first.key) > now {
			return
		}
		c.vacate(now, first.key, first.order)
	}
}

func (c *core) copyFrom(o *core) {
	queue, running, started, p := c.queue, c.running, c.started, c.plan
	*c = *o
	queue.copyFrom(&o.queue)
	running.copyFrom(&o.running)
	p.copyFrom(&o.plan)
	c.queue, c.running, c.plan = queue, running, p
	c.started = append(started[:0], o.started...)
}
