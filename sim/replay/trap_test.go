package replay_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/policy"
)

// mixed is a trace that waits, moves tasks, data and images, and makes sets.
const mixed = "task,submit_s,home,kind,slots,work_s,dataset,input_bytes,data_home,image,image_bytes,output_bytes,value_per_h,portable,after\n" +
	"be,0,e,gpu,8,21600,,,,,,,0,false,\n" +
	"bw,0,w,gpu,8,1800,,,,,,,0,false,\n" +
	"a,10,e,gpu,4,7200,d1,40e9,e,i,1e9,1e9,40,,\n" +
	"b,20,w,gpu,2,3600,d1,40e9,e,i,1e9,,5,,\n" +
	"c,30,e,gpu,8,600,d2,2e9,w,,,5e9,1,,a\n" +
	"d,30,e,gpu,1,60,d2,1e9,w,,,,,,\n" +
	"e,9000,w,gpu,6,600,d1,40e9,e,,,,100,,b;c\n"

// TRAPS: idle places change nothing, byte for byte: neither a hub that no link
// reaches, nor one on a spur, nor a pool of another kind beside the others. Task
// rows are compared whole, bit for bit.
func TestIdlePlaces(t *testing.T) {
	rooms := strings.Replace(base, "links:\n", `  - {name: idle, cities: [{name: idle-city, rooms: [{name: i, pools: [{name: cpu, kind: cpu, slots: 999, price: 0.01 CNY/h}]}]}]}
  - {name: spur, cities: [{name: spur-city, rooms: [{name: s}]}]}
links:
  - {between: [west, spur], capacity: 1Mbit/s, latency: 3s, price: 9 CNY/GB}
`, 1)
	pools := strings.Replace(base, "pools: [", "pools: [{name: cpu, kind: cpu, slots: 64, price: 0.01 CNY/h}, ", 1)
	for _, p := range policy.Names() {
		files := map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": mixed}
		want := play(t, p, files)
		for name, topology := range map[string]string{"rooms": rooms, "pools": pools} {
			files["t.yaml"] = topology
			got := play(t, p, files)
			for task, row := range want {
				if !reflect.DeepEqual(got[task], row) {
					t.Errorf("%s, idle %s, %s: got\n%+v\nwant\n%+v", p, name, task, got[task], row)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s, idle %s: %d rows, want %d", p, name, len(got), len(want))
			}
		}
	}
}

// TRAPS: a field that is accepted has an effect: each number of the scenario, the
// topology and the trace that a replay uses changes some row when it changes.
func TestEveryFieldHasAnEffect(t *testing.T) {
	const scenario = scenarioOf + "parameters: {value_of_time: 50%}\nnetwork: {startup_rtts: 1, window: 20MB, streams: 2}\nhorizon: 20h\n"
	const topology = `name: base
currency: CNY
hubs:
  - {name: east, cities: [{name: east-city, rooms: [{name: e, storage: {read: 0.6GB/s, write: 0.4GB/s, capacity: 1TB}, pools: [{name: gpu, kind: gpu, slots: 8, speed: 1.0, held: 1, price: 12 CNY/h}]}]}]}
  - {name: west, cities: [{name: west-city, rooms: [{name: w, storage: {price: 0.115 CNY/GB/month}, pools: [{name: gpu, kind: gpu, slots: 9, speed: 1.5, price: 8 CNY/h, queue: fcfs}]}]}]}
links:
  - {from: east, to: west, capacity: 5Gbit/s, latency: 20ms, price: 0.48 CNY/GB, background: 11%}
  - {from: west, to: east, capacity: 6Gbit/s, latency: 30ms, price: 0.49 CNY/GB}
`
	const header = "task,submit_s,home,kind,slots,work_s,estimate_s,priority,dataset,input_bytes,data_home,scans,image,image_bytes,output_bytes,result_home,value_per_h,weight,max_rate_bytes_s,class\n"
	const rows = "a,10,e,gpu,3,7200,7300,1,d1,40e9,w,2,i,1e9,3e9,w,,4,250e6,\n" +
		"b,20,w,gpu,2,3600,,0,d1,41e9,w,1,i,1e9,,,6,,,\n" +
		"c,30,e,gpu,5,600,,0,d2,2e9,e,1,,,5e9,,1,,,\n" +
		"x,12,w,,,,,,d3,9e9,w,,,,,e,,1,,transfer\n" +
		"y,12,w,,,,,,d4,9e9,w,,,,,e,,2,1e9,transfer\n"
	run := func(s, tp, tr string) map[string]map[string]taskRow {
		all := map[string]map[string]taskRow{}
		for _, p := range []string{"first-free", "stay", "at-data", "move-data", "three-way"} {
			all[p] = play(t, p, map[string]string{"s.yaml": s, "t.yaml": tp, "t.csv": header + tr})
		}
		return all
	}
	want := run(scenario, topology, rows)
	for _, c := range [][2]string{
		{"value_of_time: 50%", "value_of_time: 90%"}, {"startup_rtts: 1", "startup_rtts: 2"}, {"window: 20MB", "window: 1MB"},
		{"window: 20MB, streams: 2", "window: 20MB, streams: 1"}, {"horizon: 20h", "horizon: 0.1h"},
		{"read: 0.6GB/s", "read: 0.2GB/s"}, {"write: 0.4GB/s", "write: 0.1GB/s"}, {"capacity: 1TB", "capacity: 7GB"},
		{"slots: 8,", "slots: 9,"}, {"speed: 1.0", "speed: 1.1"}, {"held: 1", "held: 0"}, {"price: 12 CNY/h", "price: 13 CNY/h"},
		{"slots: 9,", "slots: 5,"}, {"speed: 1.5", "speed: 1.6"}, {"price: 8 CNY/h", "price: 7 CNY/h"}, {"0.115 CNY/GB/month", "1.5 CNY/GB/month"},
		{"capacity: 5Gbit/s", "capacity: 4Gbit/s"}, {"latency: 20ms", "latency: 21ms"}, {"0.48 CNY/GB", "0.4 CNY/GB"}, {"background: 11%", "background: 50%"},
		{"capacity: 6Gbit/s", "capacity: 1Gbit/s"}, {"latency: 30ms", "latency: 31ms"}, {"0.49 CNY/GB", "0.4 CNY/GB"},
		{"a,10,", "a,11,"}, {"gpu,3,7200", "gpu,2,7200"}, {"7200", "7100"}, {"40e9,w,2", "42e9,w,2"}, {"i,1e9,3e9", "i,1e9,4e9"}, {"b,20,w,gpu,2,3600,,0,d1,41e9,w,1,i,1e9", "b,20,w,gpu,2,3600,,0,d1,41e9,w,1,i,9e9"},
		{",,6,,,", ",,7,,,"}, {",,2,1e9,", ",,3,1e9,"}, {",,2,1e9,", ",,2,1e8,"}, {"e,gpu,3", "w,gpu,3"}, {"9e9,w,,,,,e,,1", "9e9,w,,,,,w,,1"},
	} {
		s, tp, tr := scenario, topology, rows
		for _, text := range []*string{&s, &tp, &tr} {
			*text = strings.Replace(*text, c[0], c[1], 1)
		}
		if s == scenario && tp == topology && tr == rows {
			t.Fatalf("%q is not there", c[0])
		}
		if reflect.DeepEqual(run(s, tp, tr), want) {
			t.Errorf("%q in place of %q changes nothing", c[1], c[0])
		}
	}
}

// TRAPS: no task is lost without a word: every task of the trace has one row, and
// arrived = done + refused + censored, with and without a horizon. Those that come
// after a refused or a censored task are counted too.
func TestArrivedIsAccounted(t *testing.T) {
	for _, horizon := range []string{"none", "0s", "15s", "2000s", "arrivals+1h", "100d"} {
		for _, p := range policy.Names() {
			run := playRun(t, t, p, map[string]string{"t.yaml": base, "s.yaml": scenarioOf + "horizon: " + horizon + "\n", "t.csv": mixed})
			byStatus := map[string]int{}
			for _, row := range run.tasks {
				byStatus[row.Status]++
			}
			if sum := byStatus["done"] + byStatus["refused"] + byStatus["censored"]; sum != 7 || len(run.tasks) != 7 {
				t.Errorf("%s, horizon %s: %v of 7 tasks", p, horizon, byStatus)
			}
			if (horizon == "none" || horizon == "100d") && byStatus["censored"] != 0 {
				t.Errorf("%s, horizon %s: %v", p, horizon, byStatus)
			}
		}
	}
}

// TRAPS: an empty trace gives an empty result.
func TestEmptyTrace(t *testing.T) {
	for _, p := range policy.Names() {
		run := playRun(t, t, p, map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": "task,submit_s,home,work_s\n"})
		if len(run.tasks)+len(run.transfers)+len(run.attempts) != 0 {
			t.Errorf("%s: %d tasks, %d transfers, %d attempts", p, len(run.tasks), len(run.transfers), len(run.attempts))
		}
	}
}

// TRAPS: the order of a trace's rows changes nothing but the order of equals: the
// same tasks shuffled, all submitted at different times, give the same rows.
func TestShuffledTrace(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(mixed), "\n")
	rows := []string{}
	for i, l := range lines[1:] { // no two at one instant
		f := strings.Split(l, ",")
		f[1] += "." + string(rune('1'+i))
		rows = append(rows, strings.Join(f, ","))
	}
	files := map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": lines[0] + "\n" + strings.Join(rows, "\n") + "\n"}
	want := play(t, "three-way", files)
	slices.Reverse(rows)
	files["t.csv"] = lines[0] + "\n" + strings.Join(rows, "\n") + "\n"
	if got := play(t, "three-way", files); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
