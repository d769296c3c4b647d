package pool

import (
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// exactly returns arrivals that run as long as estimated, from rows of instant,
// slots, run time and priority.
func exactly(rows ...[4]float64) []arrival {
	as := make([]arrival, len(rows))
	for i, r := range rows {
		as[i] = arrival{unit.Time(r[0]), unit.Seconds(r[2]),
			Job{Slots: int32(r[1]), Priority: int32(r[3]), Estimate: unit.Seconds(r[2])}}
	}
	return as
}

func TestStarts(t *testing.T) {
	// Four slots: J1 has 2 until 100. J2 needs all 4, so it starts at 100 and runs
	// until 150. J3 (2 slots, 60 s) fits beside J1 and is over at 62 <= 100. J4
	// (2 slots, 200 s) would end after 100 and J2 leaves no extra slot.
	q10 := exactly([4]float64{0, 2, 100}, [4]float64{1, 4, 50}, [4]float64{2, 2, 60}, [4]float64{3, 2, 200})
	third := exactly([4]float64{0, 1, 2}, [4]float64{0, 1, 10}, [4]float64{0, 3, 10}, [4]float64{0, 2, 8}, [4]float64{0, 1, 10})
	for _, c := range []struct {
		name     string
		kind     topo.QueueKind
		slots    int32
		arrivals []arrival
		want     []unit.Time
	}{
		{"fcfs", topo.FCFS, 4, q10, []unit.Time{0, 100, 150, 150}},
		{"easy", topo.EASY, 4, q10, []unit.Time{0, 100, 2, 150}},
		{"conservative", topo.Conservative, 4, q10, []unit.Time{0, 100, 2, 150}},
		// J2 leaves one extra slot at 100: J3 may have it for ever, J4 no more.
		{"easy, extra slots", topo.EASY, 4,
			exactly([4]float64{0, 2, 100}, [4]float64{1, 3, 50}, [4]float64{2, 1, 500}, [4]float64{3, 1, 500}),
			[]unit.Time{0, 100, 2, 150}},
		// To end at the shadow time is soon enough.
		{"easy, on time", topo.EASY, 2,
			exactly([4]float64{0, 1, 100}, [4]float64{1, 2, 10}, [4]float64{2, 1, 98}), []unit.Time{0, 100, 2}},
		{"easy, too late", topo.EASY, 2,
			exactly([4]float64{0, 1, 100}, [4]float64{1, 2, 10}, [4]float64{2, 1, 98.5}), []unit.Time{0, 100, 110}},
		// Three slots; the third in line could have two from 2 to 10. EASY gives one
		// of them away at 0, for it protects the second alone; it then has to wait
		// until 20. A conservative queue keeps them for it.
		{"easy, second in line delayed", topo.EASY, 3, third, []unit.Time{0, 0, 10, 20, 0}},
		{"conservative, second in line kept", topo.Conservative, 3, third, []unit.Time{0, 0, 10, 2, 20}},
		// Larger priority first, then order of submission; the head blocks.
		{"priority", topo.Priority, 2,
			exactly([4]float64{0, 2, 10, 0}, [4]float64{1, 1, 10, 1}, [4]float64{2, 2, 10, 2}, [4]float64{3, 1, 10, 2}),
			[]unit.Time{0, 20, 10, 20}},
		// What ends at an instant frees its slots for what is submitted then.
		{"same instant", topo.FCFS, 1, exactly([4]float64{0, 1, 5}, [4]float64{5, 1, 5}), []unit.Time{0, 5}},
		{"no time at all", topo.EASY, 1, exactly([4]float64{0, 1, 0}, [4]float64{0, 1, 0}), []unit.Time{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := run(New(topo.Pool{Slots: c.slots, Queue: c.kind}), c.arrivals, nil)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCTC(t *testing.T) {
	f, err := os.Open("testdata/ctc-sp2-easy.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var as []arrival
	var want []unit.Time
	for _, row := range rows[1:] {
		var v [5]int
		for i, cell := range row {
			if v[i], err = strconv.Atoi(cell); err != nil {
				t.Fatal(err)
			}
		}
		run := unit.Seconds(v[3])
		as = append(as, arrival{unit.Time(v[1]), run, Job{Slots: int32(v[4]), Estimate: run}})
		want = append(want, unit.Time(v[1]+v[2]))
	}
	p := New(topo.Pool{Slots: 338, Queue: topo.EASY})
	if d := cmp.Diff(want, run(p, as, nil)); d != "" {
		t.Error(d)
	}
}

func TestHeld(t *testing.T) {
	p := New(topo.Pool{Slots: 4, Held: 1, Queue: topo.FCFS})
	if p.Capacity() != 3 || p.Free() != 3 || p.Fits(4) || !p.Fits(3) {
		t.Errorf("capacity %d, free %d", p.Capacity(), p.Free())
	}
	p.Place(0, Job{Task: 1, Slots: 3, Estimate: 10})
	p.SetHeld(1, 3) // 3 run, 3 held of 4: the running keep theirs
	if p.Free() != 0 || p.Busy() != 3 || p.Capacity() != 1 {
		t.Errorf("free %d, busy %d, capacity %d", p.Free(), p.Busy(), p.Capacity())
	}
	p.Submit(1, Job{Task: 2, Slots: 1, Estimate: 10})
	if got := p.EstimateStart(1, 1, 0, 5); got != 20 { // behind task 2: 10 to 20
		t.Errorf("would start at %v", got)
	}
	if got := p.EstimateStart(1, 2, 0, 5); got != unit.Forever() {
		t.Errorf("would start at %v", got)
	}
	if s := p.Pass(1, nil); len(s) != 0 {
		t.Errorf("started %v", s)
	}
	p.Release(10, 1)
	if s := p.Pass(10, nil); len(s) != 1 {
		t.Errorf("started %v", s)
	}
}

// A job that outlives its estimate is expected to end now: nothing that lasts is
// backfilled in front of the head.
func TestOutlivesEstimate(t *testing.T) {
	p := New(topo.Pool{Slots: 2, Queue: topo.EASY})
	p.Submit(0, Job{Task: 1, Slots: 1, Estimate: 10})
	p.Submit(0, Job{Task: 2, Slots: 2, Estimate: 10})
	p.Pass(0, nil)
	p.Submit(15, Job{Task: 3, Slots: 1, Estimate: 1})
	if s := p.Pass(15, nil); len(s) != 0 {
		t.Errorf("started %v", s)
	}
	if got := p.EstimateStart(15, 2, 0, 1); got != 26 { // task 2 from 15 to 25, task 3 to 26
		t.Errorf("would start at %v", got)
	}
	p.Release(40, 1)
	if s := p.Pass(40, nil); len(s) != 1 || s[0] != 2 {
		t.Errorf("started %v", s)
	}
}

// Sums over the instants at which something changes: 2 slots from 0 to 100, 4
// from 100 to 150, 2 from 2 to 62, 2 from 150 to 350; waits 99, 0 and 147.
func TestIntegrals(t *testing.T) {
	p := New(topo.Pool{Slots: 4, Queue: topo.EASY})
	run(p, exactly([4]float64{0, 2, 100}, [4]float64{1, 4, 50}, [4]float64{2, 2, 60}, [4]float64{3, 2, 200}), nil)
	if got := p.SlotSeconds(1000); got != 200+200+120+400 {
		t.Errorf("slot-seconds %v", float64(got))
	}
	if got := p.QueueIntegral(1000); got != 99+147 {
		t.Errorf("queue integral %v", float64(got))
	}
}

func TestBrokenPromises(t *testing.T) {
	for _, c := range []struct {
		want string
		do   func(p *Pool)
	}{
		{"task 7 is not on slots", func(p *Pool) { p.Release(1, 7) }},
		{"task 2 is not on slots", func(p *Pool) { p.Release(1, 2) }},
		{"task 1 is not in the queue", func(p *Pool) { p.Withdraw(1, 1) }},
		{"task 1 is here already", func(p *Pool) { p.Submit(1, Job{Task: 1, Slots: 1}) }},
		{"asks for 3 slots of 2", func(p *Pool) { p.Submit(1, Job{Task: 3, Slots: 3}) }},
		{"asks for 0 slots", func(p *Pool) { p.Submit(1, Job{Task: 3}) }},
		{"for NaN s", func(p *Pool) { p.Submit(1, Job{Task: 3, Slots: 1, Estimate: unit.Seconds(nan())}) }},
		{"called for 0 s", func(p *Pool) { p.Pass(1, nil); p.Pass(0, nil) }},
		{"called for NaN s", func(p *Pool) { p.Pass(unit.Time(nan()), nil) }},
		{"starts on 2 slots; 1 of 2 are busy", func(p *Pool) { p.Place(1, Job{Task: 3, Slots: 2}) }},
		{"-1 slots held", func(p *Pool) { p.SetHeld(1, -1) }},
		{"queue kind 9", func(p *Pool) { New(topo.Pool{Queue: 9}) }},
	} {
		t.Run(c.want, func(t *testing.T) {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			p := New(topo.Pool{Slots: 2, Queue: topo.EASY})
			p.Submit(0, Job{Task: 1, Slots: 1, Estimate: 10})
			p.Submit(0, Job{Task: 2, Slots: 2, Estimate: 10})
			p.Pass(0, nil)
			c.do(p)
		})
	}
}

func nan() float64 { return float64(unit.Forever()) - float64(unit.Forever()) }
