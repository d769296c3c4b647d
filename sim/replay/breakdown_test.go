package replay_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/replay"
	"tiersim/sim/rng"
)

// C3, C4, C8, C10 as replays: thousands of tasks side by side, a slot each, each
// with its own luck. What the closed forms say of one task is the mean over them.
// A restart loads a state, so there is none where none was saved yet: the rows with
// restart times are derived here for that.
func TestInterruptedWork(t *testing.T) {
	const h, m = 3600.0, 24.0 // hours
	day := m * math.Expm1(125.0/60/m)
	// 27.045990123 min: the exact optimum for a save of 2 min and 3.352 h between failures.
	const spot, interval = 3.352, 27.045990123 / 60
	whole := spot * math.Expm1((interval+2.0/60)/spot)
	rest := spot * math.Expm1((10-22*interval)/spot)
	for _, c := range []struct {
		name          string
		interruptions string
		storage       string
		columns       string
		cells         string
		recovery      string
		want          float64 // hours, queues left out
	}{
		{
			// 5 segments of 2 h and a save of 5 min, also at the end; a restart of 10 min, which
			// may fail, before each but the first: M(e^{x/M} − 1)(1 + 4e^{R/M}).
			"C3 five segments", "{kind: on-demand, node_mtbf: 24h}", "storage: {write: 1GB/s, read: 0.5GB/s}, ",
			"state_bytes,checkpoint_s", "300e9,7200", "recovery: {final_save: true}\n", day * (1 + 4*math.Exp(1.0/6/m)),
		},
		{
			// M(e^{W/M} − 1).
			"C4 no checkpoint", "{kind: on-demand, node_mtbf: 24h}", "", "state_bytes,checkpoint_s", "300e9,", "", m * math.Expm1(10/m),
		},
		{
			// 22 whole intervals with their saves, and the rest, of 10 h.
			"C10 spot, best interval", "{kind: spot, up: {kind: exponential, mean: 3.352h}, down: {kind: constant, value: 1ms}}",
			"storage: {write: 1GB/s, read: 0.4GB/s}, ", "state_bytes,checkpoint_s", "120e9,auto", "",
			whole*(1+21*math.Exp(5.0/60/spot)) + rest*math.Exp(5.0/60/spot),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 7000 // C4 spreads the most: a half-width of 1.7 %
			rows := many(t, n, c.interruptions, c.storage, c.columns, c.cells, c.recovery, 10*h)
			_, _, e := sample(rows, func(r taskRow) float64 { return (r.Finish - r.Queue) / h })
			e.agrees(t, "hours", c.want)
			_, _, e = sample(rows, func(r taskRow) float64 { return r.Compute })
			if math.Abs(e.mean-10*h) > 1e-6 {
				t.Errorf("computed %v s of work, want 36000", e.mean)
			}
		})
	}
	t.Run("C8 Weibull, from nothing", func(t *testing.T) {
		// ∫₀² S / S(2) of S(t) = exp(−(t/4)^0.7): 2.612194781 h with a new clock each time.
		rows := many(t, 8000, "{kind: spot, up: {kind: weibull, shape: 0.7, scale: 4h}, down: {kind: constant, value: 1ms}}",
			"", "resumable", "false", "", 2*h)
		_, _, e := sample(rows, func(r taskRow) float64 { return (r.Finish - r.Queue) / h })
		e.agrees(t, "hours", 2.612194781)
	})
}

// many replays n equal tasks that come together to n slots.
func many(t *testing.T, n int, interruptions, storage, columns, cells, recovery string, work float64) map[string]taskRow {
	t.Helper()
	topology := fmt.Sprintf("name: q\ncurrency: CNY\nhubs: [{name: h, cities: [{name: c, rooms: [{name: r, %spools: [{name: p, slots: %d, interruptions: %s}]}]}]}]\n",
		storage, n, interruptions)
	var trace strings.Builder
	trace.WriteString("task,submit_s,work_s," + columns + "\n")
	for i := range n {
		fmt.Fprintf(&trace, "t%d,0,%v,%s\n", i, work, cells)
	}
	return play(t, "stay", map[string]string{"t.yaml": topology, "s.yaml": scenarioOf + recovery, "t.csv": trace.String()})
}

// Q6: reservations that find no room are not made. A recursion that is the loss
// system's definition is checked against Erlang's B over millions of requests; a
// replay admits the same ones as it does.
func TestBlockedReservations(t *testing.T) {
	const circuits = 10
	for _, c := range []struct{ load, blocked float64 }{{7, 0.0787408829696}, {10, 0.214582343107}} {
		t.Run(fmt.Sprint(c.load), func(t *testing.T) {
			const hold = 80.0 // 10 GB at 1 Gbit/s
			name := fmt.Sprintf("Q6 %v", c.load)
			const n = 3000
			in := newCustomers(name, hold/c.load, 1, exponential, 0)
			rows := []string{}
			var want []bool
			busy := losses{}
			for i := range n {
				at, size := in.next()
				want = append(want, busy.admit(at, size*hold, circuits))
				rows = append(rows, fmt.Sprintf("t%d,%v,transfer,a,b,%v,125e6", i, at, size*10e9))
			}
			run := playRun(t, t, "stay", map[string]string{
				"t.yaml": line(", capacity: 30Gbit/s, reservable: 33.33333334%"),
				"s.yaml": scenarioOf + "reservations: [{name: each, rate: 1Gbit/s, classes: [transfer]}]\n",
				"t.csv":  moves(",max_rate_bytes_s", rows...),
			})
			for _, m := range run.transfers {
				var i int
				fmt.Sscanf(m.Task, "t%d", &i)
				if m.Reserved != want[i] {
					t.Fatalf("transfer %d is reserved: %v, want %v", i, m.Reserved, want[i])
				}
			}
			skipStochastic(t)
			shares := make([]float64, replications)
			for k := range replications {
				const n = 100_000
				in := newCustomers(name, hold/c.load, hold, exponential, k)
				busy := losses{}
				for i := range n + n/20 {
					if at, size := in.next(); !busy.admit(at, size, circuits) && i >= n/20 {
						shares[k] += 1.0 / n
					}
				}
			}
			estimateOf(shares).agrees(t, "blocked", c.blocked)
		})
	}
}

// losses is a loss system: when each busy circuit is free again.
type losses []float64

func (b *losses) admit(at, hold float64, circuits int) bool {
	*b = slices.DeleteFunc(*b, func(end float64) bool { return end <= at })
	if len(*b) >= circuits {
		return false
	}
	*b = append(*b, at+hold)
	return true
}

// Q7: two classes of priority that do not preempt: waits of 1 and 10/3, and by
// conservation the mean of FCFS. A recursion serves, of those there when the server
// is free, the first of the highest priority.
func TestPriorities(t *testing.T) {
	replay := func(n int, k int) (at, size []float64, class []int) {
		in := newCustomers("Q7", 1/0.7, 1, exponential, k)
		coin := rng.New(20261201, k).Stream("Q7/class")
		for range n {
			a, s := in.next()
			at, size = append(at, a), append(size, s)
			c := 0
			if coin.Float64() < 3.0/7 {
				c = 1
			}
			class = append(class, c)
		}
		return at, size, class
	}
	at, size, class := replay(3000, 0)
	want := prioritized(at, size, class)
	var trace strings.Builder
	trace.WriteString("task,submit_s,work_s,priority\n")
	for i := range at {
		fmt.Fprintf(&trace, "t%d,%v,%v,%d\n", i, at[i], size[i], class[i])
	}
	rows := play(t, "stay", map[string]string{"t.yaml": onePool(1, "priority"), "s.yaml": scenarioOf, "t.csv": trace.String()})
	for i := range at {
		if r := rows[fmt.Sprintf("t%d", i)]; math.Abs(r.Queue-want[i]) > 1e-9*r.Finish {
			t.Fatalf("customer %d waits %v, want %v", i, r.Queue, want[i])
		}
	}
	skipStochastic(t)
	var high, low, all [replications]float64
	for k := range replications {
		const warm = 10_000
		at, size, class := replay(400_000+warm, k)
		var sum [2]float64
		var count [2]float64
		for i, w := range prioritized(at, size, class)[warm:] {
			sum[class[warm+i]] += w
			count[class[warm+i]]++
		}
		high[k], low[k], all[k] = sum[1]/count[1], sum[0]/count[0], (sum[0]+sum[1])/(count[0]+count[1])
	}
	estimateOf(high[:]).agrees(t, "first class", 1)
	estimateOf(low[:]).agrees(t, "second class", 10.0/3)
	estimateOf(all[:]).agrees(t, "all", 0.7/0.3)
}

// prioritized returns the waits of customers in the order in which they come.
func prioritized(at, size []float64, class []int) []float64 {
	waits := make([]float64, len(at))
	var line [2][]int
	free, next := 0.0, 0
	for next < len(at) || len(line[0])+len(line[1]) > 0 {
		if len(line[0])+len(line[1]) == 0 {
			free = max(free, at[next])
		}
		for next < len(at) && at[next] <= free {
			line[class[next]] = append(line[class[next]], next)
			next++
		}
		c := 1
		if len(line[1]) == 0 {
			c = 0
		}
		i := line[c][0]
		line[c] = line[c][1:]
		waits[i] = free - at[i]
		free += size[i]
	}
	return waits
}

// Q8: a server that breaks down while it serves, at a rate of 0.1, for 2 on average;
// what was served is kept. Completion times have mean 1·(1 + 0.1·2) and second moment
// 2·1.2² + 0.1·E[D²] = 2.88 + 0.8 (Avi-Itzhak and Naor, 1963); Wq = λ·3.68/(2(1−0.6)) = 2.3.
// It waits that long for its first slot.
func TestBreakdowns(t *testing.T) {
	skipStochastic(t)
	topology := "name: q\ncurrency: CNY\nhubs: [{name: h, cities: [{name: c, rooms: [{name: r, pools: [{name: p, slots: 1, " +
		"interruptions: {kind: on-demand, node_mtbf: 10s, repair: {kind: exponential, mean: 2s}}}]}]}]}]\n"
	var waits, turnarounds [replications]float64
	for k := range replications {
		in := newCustomers("Q8", 2, 1, exponential, k)
		var trace strings.Builder
		trace.WriteString("task,submit_s,work_s,state_bytes,checkpoint_s\n")
		for i := range 60_000 {
			at, size := in.next()
			fmt.Fprintf(&trace, "t%d,%v,%v,0,auto\n", i, at, size)
		}
		m := measures(t, map[string]string{"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": trace.String()}, rng.New(1, k))
		waits[k], turnarounds[k] = m["wait_mean_s"], m["turnaround_mean_s"]
		if m["lost_slot_hours"] != 0 {
			t.Errorf("lost %v h", m["lost_slot_hours"])
		}
	}
	estimateOf(waits[:]).agrees(t, "Wq", 2.3)
	estimateOf(turnarounds[:]).agrees(t, "W", 3.5)
}

// measures are the metrics of all tasks of a replay without tables.
func measures(t *testing.T, files map[string]string, streams rng.Streams) map[string]float64 {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, files)
	tr := prepare(t, w, streams, dir)
	defer tr.Close()
	out, err := replay.Run(t.Context(), replay.Setup{World: w, Trace: tr, Policy: "stay", Streams: streams})
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]float64{}
	for _, x := range out.Metrics {
		if x.Scope == "all" {
			m[x.Name] = x.Value
		}
	}
	return m
}

// Q9: what is brought on slots makes the service longer: an M/M/8 of 1.9 an hour with
// 4 h of service, of which 1 h is stage-in, and one of 3 h where the data is there
// before. Each replay's waits are those of the recursion. At a load of 0.95 the mean
// needs 65 million customers for a half-width of 2 %, so that only 3 h are held to it.
func TestStagingOnSlots(t *testing.T) {
	const h, n = 3600.0, 3000
	topology := "name: q\ncurrency: CNY\nhubs: [{name: h, cities: [{name: c, rooms: [{name: data, link: {capacity: 1Tbit/s}}," +
		" {name: r, link: {capacity: 1Tbit/s}, pools: [{name: p, slots: 8, queue: {kind: fcfs, estimates: exact}}]}]}]}]\n"
	in := newCustomers("Q9", h/1.9, 4*h, exponential, 0)
	var trace strings.Builder
	trace.WriteString("task,submit_s,home,work_s,data_home,input_bytes,max_rate_bytes_s\n")
	inside, before := servers{free: make([]float64, 8)}, servers{free: make([]float64, 8)}
	want := map[string]float64{}
	type asks struct {
		at, size float64
		name     string
	}
	var staged []asks
	for i := range n {
		at, size := in.next()
		name := fmt.Sprintf("t%d", i)
		fmt.Fprintf(&trace, "%s,%v,r,%v,data,%v,1e6\n", name, at, size*3/4, size/4*1e6)
		want[name] = inside.wait(at, size)
		staged = append(staged, asks{at + size/4, size * 3 / 4, name})
	}
	files := map[string]string{"t.yaml": topology, "s.yaml": scenarioOf + "staging: inside\n", "t.csv": trace.String()}
	check := func(rows map[string]taskRow) {
		t.Helper()
		for name, w := range want {
			if r := rows[name]; math.Abs(r.Queue-w) > 1e-9*r.Finish {
				t.Fatalf("%s waits %v s, want %v", name, r.Queue, w)
			}
		}
	}
	check(play(t, "stay", files))
	slices.SortFunc(staged, func(a, b asks) int { return int(math.Copysign(1, a.at-b.at)) })
	for _, a := range staged {
		want[a.name] = before.wait(a.at, a.size)
	}
	files["s.yaml"] = scenarioOf + "staging: before\n"
	check(play(t, "stay", files))
	skipStochastic(t)
	waits := make([]float64, replications)
	for k := range replications {
		const n = 400_000
		in := newCustomers("Q9 staged", 1/1.9, 3, exponential, k)
		s := servers{free: make([]float64, 8)}
		for i := range n + n/20 {
			if w := s.wait(in.next()); i >= n/20 {
				waits[k] += w / n
			}
		}
	}
	estimateOf(waits).agrees(t, "hours", 0.379389766)
}
