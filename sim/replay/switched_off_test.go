package replay_test

import (
	"context"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/policy"
	"tiersim/sim/record"
	"tiersim/sim/replay"
	"tiersim/sim/rng"
)

// stormy is base with all that can be random or break: what fluctuates, breaks and jitters on its
// line, and what takes and holds its slots.
var stormy = strings.NewReplacer(
	"capacity: 5Gbit/s", "capacity: 5Gbit/s, fluctuation: {kind: ou, sigma: 0.4, tau: 600s, daily: {amplitude: 30%, peak: \"21:00\"}},"+
		" outages: {up: {kind: exponential, mean: 2000s}, down: {kind: lognormal, mean: 200s, sigma: 1}},"+
		" background: {kind: markov, states: [{value: 10%, dwell: 300s}, {value: 60%, dwell: 100s}]}, jitter: {kind: gamma, shape: 2, scale: 1ms, tau: 500s}",
	"slots: 8, price: 12 CNY/h", "slots: 8, price: 12 CNY/h, held: {kind: ou, mean: 0.2, sigma: 0.5, tau: 1000s, ceiling: 0.25}",
	"slots: 8, price: 8 CNY/h", "slots: 8, price: 8 CNY/h, interruptions: {kind: recorded, unit: slots, points: [[0s, 8], [1000s, 6], [3000s, 8]], then: loop, period: 5000s}",
).Replace(base)

// conditions are values by name and instant.
type conditions map[string]map[float64]float64

// weatherOf is what a run's links and pools were like: capacity and slots that nobody could have,
// by interval.
func weatherOf(t *testing.T, p string, streams rng.Streams, topology, trace string) conditions {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, map[string]string{"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": trace})
	tr := prepare(t, w, rng.New(1, 0), dir)
	defer tr.Close()
	names := replay.Names(w, tr)
	at := record.Partition{Point: "base", Policy: p, Replication: 1}
	rec, err := record.Create(record.Options{Root: dir, Partition: at, Names: &names, Currency: w.Topology.Currency})
	if err != nil {
		t.Fatal(err)
	}
	out, err := replay.Run(context.Background(), replay.Setup{World: w, Trace: tr, Policy: p, Streams: rng.New(1, 0), Weather: streams, Record: rec})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(record.Result{Metrics: out.Metrics}); err != nil {
		t.Fatal(err)
	}
	m := conditions{}
	read := func(table record.Table, name, value string) {
		err := record.ScanRun(dir, at, table, []string{name, "time_s", value}, func(b *record.Batch) error {
			for i := range b.Rows {
				key := table.String() + " " + b.Columns[0].Texts[i]
				if m[key] == nil {
					m[key] = map[float64]float64{}
				}
				m[key][b.Columns[1].Reals[i]] = b.Columns[2].Reals[i]
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read(record.Links, "link", "capacity_bytes_s")
	read(record.Pools, "pool", "away_slots")
	return m
}

// The same seed gives the same weather under every policy, another seed another one.
func TestSameWeatherForAll(t *testing.T) {
	// The first two go on for ever, so that every interval of the line has a row.
	const trace = "task,submit_s,class,home,kind,slots,work_s,input_bytes,data_home,result_home,max_rate_bytes_s\n" +
		"x,0,transfer,,,,,1e9,e,w,1e5\ny,0,transfer,,,,,1e9,w,e,1e5\n" +
		"a,0,,e,gpu,6,3000,40e9,e,,\nb,10,,e,gpu,6,2000,90e9,w,,\nc,20,,w,gpu,4,3000,1e9,e,,\nd,4000,,e,gpu,2,1000,60e9,w,,\n"
	first := weatherOf(t, "stay", rng.New(7, 0), stormy, trace)
	varies := 0
	for _, values := range first {
		v := slices.Collect(maps.Values(values))
		if slices.Max(v) > slices.Min(v) {
			varies++
		}
	}
	if varies < 3 { // two directions of the line, and the slots in the west
		t.Fatalf("%d courses vary: %v", varies, slices.Collect(maps.Keys(first)))
	}
	differs := func(a, b conditions) (where string) {
		for name, x := range a {
			y := b[name]
			end := min(slices.Max(slices.Collect(maps.Keys(x))), slices.Max(slices.Collect(maps.Keys(y)))) // of the last interval's begin: it ends with the run
			common := 0
			for at, v := range x {
				if w, ok := y[at]; ok && at < end {
					common++
					if v != w {
						return name
					}
				}
			}
			if common < 20 {
				t.Fatalf("%s: %d intervals in common", name, common)
			}
		}
		return ""
	}
	for _, p := range policy.Names() {
		if where := differs(first, weatherOf(t, p, rng.New(7, 0), stormy, trace)); where != "" {
			t.Errorf("%s: %s has another weather than under stay", p, where)
		}
	}
	if differs(first, weatherOf(t, "stay", rng.New(8, 0), stormy, trace)) == "" {
		t.Error("another seed gives the same weather")
	}
	idle := strings.Replace(stormy, "links:", "  - {name: idle, cities: [{name: i, link: {capacity: 1MB/s, fluctuation: {kind: ou, sigma: 1, tau: 100s}}, rooms: [{name: i-1}]}]}\nlinks:", 1)
	if where := differs(first, weatherOf(t, "stay", rng.New(7, 0), idle, trace)); where != "" {
		t.Errorf("an idle place changes the weather of %s", where)
	}
}

// Models that are switched off leave a run as it was, byte for byte: all keys at the value that
// means nothing, against the same world without them.
func TestSwitchedOff(t *testing.T) {
	const header = ",state_bytes,checkpoint_s,resumable,sync_bytes,syncs,span"
	trace := ""
	for i, row := range strings.Split(strings.TrimSpace(mixed), "\n") {
		if i == 0 {
			trace += row + header + "\n"
		} else {
			trace += row + ",0,,true,0,0,pool\n"
		}
	}
	neutral := strings.NewReplacer(
		"capacity: 5Gbit/s", "capacity: 5Gbit/s, background: 0%",
		"slots: 8, price", "slots: 8, per_node: 4, interruptions: none, held: 0, price",
	).Replace(base)
	scenario := scenarioOf + "interruptions: none\nrecovery: {limit: none, cooldown: 0s, final_save: false}\ntraining: {overlap: 50%, local_steps: 1, penalty: 1}\n" +
		"network: {on_outage: restart, loss: 0, rtt_bias: 0}\n"
	for _, p := range policy.Names() {
		plain := playRun(t, t, p, map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": mixed})
		off := playRun(t, t, p, map[string]string{"t.yaml": neutral, "s.yaml": scenario, "t.csv": trace})
		if plain.digest != off.digest {
			t.Errorf("%s: another digest", p)
		}
		if !reflect.DeepEqual(plain.tasks, off.tasks) || !reflect.DeepEqual(plain.transfers, off.transfers) || !reflect.DeepEqual(plain.attempts, off.attempts) {
			t.Errorf("%s: other rows", p)
		}
		if !reflect.DeepEqual(plain.outcome.Metrics, off.outcome.Metrics) {
			t.Errorf("%s: other measures", p)
		}
	}
}
