package replay_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// spread is two rooms of one city, with 8 slots in nodes of 4 each, and a third in another
// city; a gang of 16 needs two rooms. The rooms' links have 1.25 GB/s; a message takes 5 ms.
func spread(link string) string {
	room := func(name string) string {
		return "{name: " + name + ", link: {capacity: 1.25GB/s, latency: 2.5ms" + link + "}, pools: [{name: p, slots: 8, per_node: 4, price: 3600 CNY/h}]}"
	}
	return "name: spread\ncurrency: CNY\nhubs:\n  - name: h\n    cities:\n" +
		"      - {name: c, link: {capacity: 1.25GB/s, latency: 2.5ms}, rooms: [" + room("r") + ", " + room("s") + "]}\n" +
		"      - {name: d, link: {capacity: 1.25GB/s, latency: 2.5ms}, rooms: [" + room("u") + "]}\n"
}

func gang(class, span string, slots, syncs int) string {
	return "task,submit_s,class,home,slots,work_s,sync_bytes,syncs,span\n" +
		fmt.Sprintf("t,0,%s,r,%d,200,10e9,%d,%s\n", class, slots, syncs, span)
}

// A gang over two rooms adds up its gradients in a ring: 2·(1/2)·10 GB over 1.25 GB/s, and two
// rounds of 5 ms: 8.01 s for a step of 2 s. Without overlap 100 steps are 1001 s, of
// which 200 are work; with all of it hidden behind the compute the ring's 8.01 s remain.
func TestSpreadGang(t *testing.T) {
	for _, c := range []struct {
		name, training, topology, more string
		finish                         float64
	}{
		{"no overlap", "overlap: 0%", spread(""), "", 100 * (2 + 8.01)},
		{"all overlaps", "overlap: 100%", spread(""), "", 100 * 8.01},
		{"half", "overlap: 50%", spread(""), "", 100 * (2 + 7.01)},
		{
			// A sync each 4 steps of 2 s, and 1.1 times the work: steps of 2.2 s.
			"local steps", "overlap: 0%, local_steps: 4, penalty: 1.1", spread(""), "", 25 * (4*2.2 + 8.01),
		},
		{
			// The mean rate of 10 GB in 10.01 s is 0.999 GB/s; half of a link, 0.625 GB/s, is left beside
			// another transfer, of 1000 GB, whose first byte flows after 5 ms.
			"beside a transfer", "overlap: 0%", spread(""), "x,0,transfer,,,,,,,r,s,1e12\n", 1000/0.625 - 0.005*(10/10.01-0.625)/0.625,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := strings.Replace(gang("training-parallel", "city", 16, 100), "span\n", "span,data_home,result_home,input_bytes\n", 1)
			trace = strings.Replace(trace, "city\n", "city,,,\n", 1) + c.more
			run := playRun(t, t, "stay", map[string]string{
				"t.yaml": c.topology, "s.yaml": scenarioOf + "training: {" + c.training + "}\n", "t.csv": trace,
			})
			got := run.tasks["t"]
			near(t, "finish", got.Finish, c.finish)
			if a := run.attempts[0]; a.Pools != 2 {
				t.Errorf("%d pools, want 2", a.Pools)
			} else {
				near(t, "compute", got.Compute, c.finish)
				near(t, "work", a.Work, c.finish)
				near(t, "efficiency", a.Efficiency, 200*boost(c.name)/c.finish)
			}
			near(t, "cost", got.CostCompute, 16*c.finish)
		})
	}
}

// boost is how much more work the steps of a case are.
func boost(name string) float64 {
	if name == "local steps" {
		return 1.1
	}
	return 1
}

// How wide a gang may spread: not beyond its span, by whole nodes, and not at all where it is tight.
func TestSpan(t *testing.T) {
	for _, c := range []struct {
		class, span   string
		slots         int
		fails         bool
		pools         int
		busy          string // a task that is there already
		startsAt      float64
		leastDuration float64
	}{
		{class: "training-parallel", span: "city", slots: 8, pools: 1, startsAt: 0, leastDuration: 200},
		{class: "training-parallel", span: "room", slots: 16, fails: true},
		{class: "training-parallel", span: "city", slots: 20, fails: true}, // five nodes; its city has four
		{class: "training-parallel", span: "hub", slots: 20, pools: 3, leastDuration: 200},
		{class: "training-tight", span: "hub", slots: 16, fails: true},
		{class: "training-tight", span: "hub", slots: 8, pools: 1, busy: "b,0,batch,r,1,50,,,", startsAt: 50, leastDuration: 200},
	} {
		t.Run(fmt.Sprintf("%s over %s of %d", c.class, c.span, c.slots), func(t *testing.T) {
			trace := gang(c.class, c.span, c.slots, 0)
			if c.busy != "" {
				head, rest, _ := strings.Cut(trace, "\n")
				trace = head + "\n" + c.busy + "\n" + rest
			}
			files := map[string]string{"t.yaml": spread(""), "s.yaml": scenarioOf, "t.csv": trace}
			var run played
			message := fatality(func(f failer) { run = playRun(t, f, "stay", files) })
			if c.fails {
				if !strings.Contains(message, "column slots") {
					t.Errorf("got %q, want a fault of column slots", message)
				}
				return
			}
			if message != "" {
				t.Fatal(message)
			}
			got := run.tasks["t"]
			if a := run.attempts[len(run.attempts)-1]; a.Pools != c.pools {
				t.Errorf("%d pools, want %d", a.Pools, c.pools)
			}
			near(t, "start", got.Start, c.startsAt)
			near(t, "compute", got.Compute, c.leastDuration)
		})
	}
}

// A fatal catches what a run says where it cannot go on.
type fatal struct{ message string }

func (f *fatal) Helper()           {}
func (f *fatal) Fatal(args ...any) { f.message = fmt.Sprint(args...); panic(f) }

// fatality returns what f fails with, "" where it does not.
func fatality(f func(failer)) (message string) {
	x := &fatal{}
	defer func() {
		if r := recover(); r != nil {
			if r != any(x) {
				panic(r)
			}
			message = x.message
		}
	}()
	f(x)
	return ""
}

// A link of its ring that breaks interrupts a gang, and it goes on once there is a way again. Without a
// checkpoint its work is lost; a broken line elsewhere does not matter.
func TestGangLosesItsLink(t *testing.T) {
	topology := strings.Replace(spread(""), "latency: 2.5ms}, pools", "latency: 2.5ms, outages: {windows: [[100s, 150s]]}}, pools", 1)
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": topology, "s.yaml": scenarioOf + "training: {overlap: 0%}\n", "t.csv": gang("training-parallel", "city", 16, 100),
	})
	got := run.tasks["t"]
	if len(run.attempts) < 2 || run.attempts[0].Reason != "link" {
		t.Fatalf("attempts %+v", run.attempts)
	}
	near(t, "first attempt", run.attempts[0].End, 100)
	near(t, "lost", got.Lost, 100)
	near(t, "compute", got.Finish-run.attempts[len(run.attempts)-1].Start, 100*(2+8.01)+150-run.attempts[len(run.attempts)-1].Start)
	elsewhere := strings.Replace(spread(""), "{name: u, link: {capacity: 1.25GB/s, latency: 2.5ms", "{name: u, link: {capacity: 1.25GB/s, latency: 2.5ms, outages: {windows: [[100s, 150s]]}", 1)
	run = playRun(t, t, "stay", map[string]string{
		"t.yaml": elsewhere, "s.yaml": scenarioOf + "training: {overlap: 0%}\n", "t.csv": gang("training-parallel", "city", 16, 100),
	})
	near(t, "undisturbed", run.tasks["t"].Finish, 1001)
}

// Jitter makes steps wait for the slowest message. Each of two hops crosses two links with
// exponential jitter of 1 ms, so a message's is Gamma(2, 1 ms), and a step has two rounds
// that wait for the slower of two. What it is lasts for longer than a step: in a time dt
// dt/P steps are done, so that a step takes 1/E[1/P] on average, P = 12 ms + 2·max.
func TestJitterSlowsSteps(t *testing.T) {
	const steps = 100_000
	trace := strings.Replace(gang("training-parallel", "city", 16, steps), "10e9", "1", 1)
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": spread(", jitter: {kind: gamma, shape: 1, scale: 1ms, tau: 1s}"), "s.yaml": scenarioOf + "training: {overlap: 0%}\n", "t.csv": trace,
	})
	got := run.tasks["t"].Finish / steps
	// E[1/P] with the density 2·F·f of the slower, F = 1 − e^{−x}(1 + x) and f = x·e^{−x} in ms.
	rate, squares := 0.0, 0.0
	const dx = 1e-3
	for x := dx / 2; x < 60; x += dx {
		density := 2 * (1 - math.Exp(-x)*(1+x)) * x * math.Exp(-x) * dx
		rate += density / (12 + 2*x)
		squares += density / (12 + 2*x) / (12 + 2*x)
	}
	want := 1e-3 / rate
	// 1700 s hold about 850 independent values of 1/P.
	near := normal * math.Sqrt(squares-rate*rate) / rate / math.Sqrt(850) * want
	if math.Abs(got-want) > near || near > 0.02*want {
		t.Errorf("%.6g s a step, want %.6g ± %.2g", got, want, near)
	}
}
