package pool

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A world drives a pool and the plain scheduler by the same random events and
// compares them after each. Instants are small whole numbers, so that many
// things happen at once.
type world struct {
	t      *rapid.T
	p      *Pool
	q      *plain
	now    unit.Time
	next   int32
	real   map[int32]unit.Seconds // how long a job really stays
	ends   ends
	exact  bool // all run exactly their estimates
	early  bool // none outlives its estimate
	static bool // slots are neither held nor jobs withdrawn or placed
	start  map[int32]unit.Time
}

const maxTime = 30

func newWorld(t *rapid.T, kind topo.QueueKind) *world {
	slots := rapid.Int32Range(1, 12).Draw(t, "slots")
	w := &world{
		t: t, p: New(topo.Pool{Slots: slots, Queue: kind}), q: &plain{kind: kind, slots: slots},
		real: map[int32]unit.Seconds{}, start: map[int32]unit.Time{},
		exact: rapid.Bool().Draw(t, "exact"), static: rapid.Bool().Draw(t, "static"),
		early: rapid.Bool().Draw(t, "early"),
	}
	return w
}

func (w *world) job() Job {
	w.next++
	shortest := 0
	if w.p.kind == topo.Conservative {
		shortest = 1 // see EstimateStart
	}
	estimate := unit.Seconds(rapid.IntRange(shortest, maxTime).Draw(w.t, "estimate"))
	w.real[w.next] = estimate
	if !w.exact {
		longest := maxTime
		if w.early {
			longest = int(estimate)
		}
		w.real[w.next] = unit.Seconds(rapid.IntRange(0, longest).Draw(w.t, "real"))
	}
	return Job{
		Task: w.next, Slots: rapid.Int32Range(1, w.p.slots).Draw(w.t, "gang"),
		Priority: rapid.Int32Range(-1, 1).Draw(w.t, "priority"), Estimate: estimate,
	}
}

func (w *world) began(task int32) {
	w.start[task] = w.now
	w.ends.push(end{w.now.Add(w.real[task]), task})
}

// happen makes one thing happen at this instant.
func (w *world) happen() {
	what := rapid.IntRange(0, 9).Draw(w.t, "what")
	switch {
	case what == 0 && !w.static && len(w.q.queue) > 0:
		task := w.q.queue[rapid.IntRange(0, len(w.q.queue)-1).Draw(w.t, "who")].Task
		w.p.Withdraw(w.now, task)
		w.q.withdraw(task)
	case what == 1 && !w.static:
		held := rapid.Int32Range(0, w.p.slots+1).Draw(w.t, "held")
		w.p.SetHeld(w.now, held)
		w.q.hold(held)
	case what == 2 && !w.static:
		if j := w.job(); j.Slots <= w.p.Free() {
			w.p.Place(w.now, j)
			w.q.place(w.now, j)
			w.began(j.Task)
		}
	default:
		j := w.job()
		w.p.Submit(w.now, j)
		w.q.submit(j)
	}
}

func (w *world) pass() {
	want, got := w.q.pass(w.now), w.p.Pass(w.now, nil)
	if !slices.Equal(want, got) {
		w.t.Fatalf("at %v: started %v, want %v", w.now, got, want)
	}
	for _, task := range got {
		w.began(task)
	}
	w.check()
}

// check compares what the pool says of itself.
func (w *world) check() {
	var busy int32
	for _, j := range w.q.running {
		busy += j.Slots
	}
	p := w.p
	if p.Busy() != busy || p.Queued() != len(w.q.queue) || p.Running() != len(w.q.running) || p.Free() != max(0, w.q.idle()) {
		w.t.Fatalf("at %v: busy %d, queued %d, running %d, free %d, want %+v", w.now, p.Busy(), p.Queued(), p.Running(), p.Free(), w.q)
	}
	if busy > p.slots {
		w.t.Fatalf("at %v: %d of %d slots run", w.now, busy, p.slots)
	}
	if err := p.verify(); err != nil {
		w.t.Fatal(err)
	}
}

// verify checks the structure: order, sums, bounds and index.
func (p *Pool) verify() error {
	for name, l := range map[string]*ordered{"queue": &p.queue, "running": &p.running} {
		n, last := 0, item{key: -1e300}
		for b := range l.blocks {
			k := &l.blocks[b]
			var slots int64
			for _, it := range l.items(b) {
				if !last.before(it.key, it.order) || k.sizes>>sizeOf(it.slots)&1 == 0 || it.estimate < k.shortest[sizeOf(it.slots)] {
					return fmt.Errorf("%s: item %+v after %+v in block %+v", name, it, last, *k)
				}
				if at, ok := p.index.get(it.task); !ok || at != (place{it.key, it.order, name == "running"}) {
					return fmt.Errorf("%s: item %+v is indexed at %+v", name, it, at)
				}
				n, last, slots = n+1, it, slots+int64(it.slots)
			}
			if k.n == 0 || slots != k.slots {
				return fmt.Errorf("%s: block %+v has %d slots", name, *k, slots)
			}
		}
		if n != l.n {
			return fmt.Errorf("%s: %d items, says %d", name, n, l.n)
		}
	}
	if p.index.n != p.queue.n+p.running.n {
		return fmt.Errorf("index of %d tasks, %d queued, %d running", p.index.n, p.queue.n, p.running.n)
	}
	return nil
}

// probe asks when jobs would start, and compares with what happens.
func (w *world) probe() {
	for range rapid.IntRange(0, 3).Draw(w.t, "probes") {
		j := Job{
			Slots:    rapid.Int32Range(1, w.p.slots).Draw(w.t, "probe gang"),
			Priority: rapid.Int32Range(-2, 2).Draw(w.t, "probe priority"),
			Estimate: unit.Seconds(rapid.IntRange(0, maxTime).Draw(w.t, "probe estimate")),
		}
		want := w.q.startOf(w.now, j)
		got := w.p.EstimateStart(w.now, j.Slots, j.Priority, j.Estimate)
		if j.Slots > w.p.Capacity() {
			want = unit.Forever()
		}
		if got != want {
			w.t.Fatalf("at %v: probe %+v would start at %v, want %v\n%+v", w.now, j, got, want, w.q)
		}
	}
}

// live lets events happen until nothing is left, with probes at any moment.
func (w *world) live() {
	for events := rapid.IntRange(1, 60).Draw(w.t, "events"); events > 0 || len(w.ends) > 0; {
		next := w.now + unit.Time(rapid.IntRange(0, 10).Draw(w.t, "gap"))
		if len(w.ends) > 0 && (events == 0 || w.ends[0].at < next) {
			next = w.ends[0].at
		}
		w.now = next
		for len(w.ends) > 0 && w.ends[0].at == w.now {
			task := w.ends.pop().task
			w.p.Release(w.now, task)
			w.q.release(w.now, task)
		}
		w.probe()
		for n := min(events, rapid.IntRange(0, 3).Draw(w.t, "happen")); n > 0; n-- {
			w.happen()
			events--
			w.probe()
		}
		if rapid.IntRange(0, 9).Draw(w.t, "copy") == 0 {
			p := &Pool{}
			p.CopyFrom(w.p)
			w.p = p
		}
		w.pass()
		w.probe()
	}
}

func TestSameAsPlain(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { newWorld(t, k.kind).live() })
		})
	}
}

var kinds = []struct {
	name string
	kind topo.QueueKind
}{{"fcfs", topo.FCFS}, {"priority", topo.Priority}, {"easy", topo.EASY}, {"conservative", topo.Conservative}}
