package replay_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/policy"
)

// A wild is a random world: a topology, a scenario and a trace that fit.
type wild struct {
	topology, scenario, trace string
	policy                    string
	rooms                     []string
	jurisdiction              map[string]string
	slots                     map[string]int // of a room's pool
}

// draw makes a random world: up to three hubs of up to two cities of up to two
// rooms; some links change their capacity, down to 0 and back; some rooms have a
// storage; tasks of all kinds of data, outputs, images, sequence and law. With
// weather, all that can be random or break is on somewhere: see stormy_test.
func draw(t *rapid.T, weather bool) wild {
	s := storm{t, weather}
	w := wild{jurisdiction: map[string]string{}, slots: map[string]int{}}
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	whole := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	link := func() string {
		s := fmt.Sprintf("{capacity: %s, latency: %s, price: %s CNY/GB", pick("capacity", "1MB/s", "2MB/s", "8MB/s", "100MB/s"),
			pick("latency", "0s", "1ms", "2s"), pick("price", "0", "0.5", "2"))
		if whole("changes", 0, 3) == 0 {
			s += ", fluctuation: {kind: recorded, points: [[0s, 1], [40s, 0], [70s, 0.5]], then: loop, period: 200s}"
		}
		return s + storm{t, weather}.link() + "}"
	}
	var b strings.Builder
	b.WriteString("name: wild\ncurrency: CNY\nhubs:\n")
	hubs := whole("hubs", 1, 3)
	for h := range hubs {
		fmt.Fprintf(&b, "  - name: h%d\n    cities:\n", h)
		for c := range whole("cities", 1, 2) {
			fmt.Fprintf(&b, "      - name: h%dc%d\n        link: %s\n        rooms:\n", h, c, link())
			for r := range whole("rooms", 1, 2) {
				name := fmt.Sprintf("h%dc%dr%d", h, c, r)
				w.rooms = append(w.rooms, name)
				w.jurisdiction[name] = pick("law", "cn", "xx")
				w.slots[name] = whole("slots", 5, 8)
				fmt.Fprintf(&b, "          - name: %s\n            jurisdiction: %s\n            link: %s\n", name, w.jurisdiction[name], link())
				if whole("stores", 0, 1) == 0 {
					fmt.Fprintf(&b, "            storage: {read: 50MB/s, write: 20MB/s, price: 100 CNY/GB/month, capacity: %s}\n", pick("space", "400MB", "1PB"))
				}
				pools := fmt.Sprintf("{name: p, kind: gpu, slots: %d, price: %d CNY/h, speed: %s, queue: {kind: %s, estimates: %s}%s}",
					w.slots[name], whole("price", 0, 9), pick("speed", "1", "0.5", "2"),
					pick("queue", "fcfs", "easy", "priority", "conservative"), pick("estimates", "user", "exact"), s.pool())
				if weather && whole("second pool", 0, 1) == 0 {
					w.slots[name] += 5
					pools += ", {name: q, kind: gpu, slots: 5, price: 3 CNY/h, queue: " + pick("queue", "fcfs", "easy") + s.pool() + "}"
				}
				fmt.Fprintf(&b, "            pools: [%s]\n", pools)
			}
		}
	}
	if hubs > 1 {
		b.WriteString("links:\n")
		for h := range hubs {
			if h+1 < hubs {
				fmt.Fprintf(&b, "  - {between: [h%d, h%d], %s\n", h, h+1, link()[1:])
			}
		}
	}
	w.topology = b.String()
	w.policy = pick("policy", policy.Names()...)
	w.scenario = fmt.Sprintf("name: wild\ntopology: t.yaml\ntrace: {file: t.csv}\npolicies: [%s]\nparameters: {domain: %s}\nstaging: %s\nestimates: {kind: factor, sigma: 0.5}\nhorizon: %s\n",
		w.policy, pick("domain", "room", "city", "hub"), pick("staging", "before", "inside"), pick("horizon", s.longest(), "300s", "arrivals+100s"))
	w.scenario += s.scenario(w.rooms, strings.Contains(w.topology, "reservable"))
	b.Reset()
	b.WriteString("task,submit_s,class,home,kind,slots,work_s,estimate_s,priority,dataset,input_bytes,data_home,output_bytes,result_home,image,image_bytes,jurisdictions,portable,after,value_per_h" + s.columns() + "\n")
	room := func(name string) string { return pick(name, w.rooms...) }
	now := 0
	for i := range whole("tasks", 1, 25) {
		now += whole("gap", 0, 40)
		home := room("home")
		if whole("transfer", 0, 5) == 0 {
			fmt.Fprintf(&b, "t%d,%d,transfer,%s,,,,,,,%d,%s,,%s,,,,,,%s\n", i, now, home, whole("bytes", 0, 2)*50e6, room("from"), room("to"), s.blank())
			continue
		}
		law, dataHome := "", room("data")
		if whole("restricted", 0, 3) == 0 {
			law = w.jurisdiction[dataHome]
		}
		set, bytes := "", whole("input", 0, 3)*50e6
		if whole("named", 0, 1) == 0 {
			set = pick("set", "x", "y") + dataHome // a set of one home
			bytes = 50e6 * (1 + len(set)%3)
		}
		image, size := "", 0
		if whole("imaged", 0, 2) == 0 {
			image, size = pick("image", "i", ""), 30e6
		}
		after := ""
		if i > 0 && whole("follows", 0, 3) == 0 {
			after = fmt.Sprintf("t%d", whole("earlier", 0, i-1))
		}
		fmt.Fprintf(&b, "t%d,%d,%s,%s,gpu,%d,%d,%s,%d,%s,%d,%s,%d,,%s,%d,%s,%s,%s,%s%s\n", i, now, s.class(), home,
			whole("gang", 1, 4), whole("work", 0, 200), pick("estimate", "", "10", "500"), whole("priority", 0, 2),
			set, bytes, dataHome, whole("output", 0, 1)*20e6, image, size, law, pick("portable", "true", "false"), after, pick("value", "", "0", "3"), s.cells())
	}
	w.trace = b.String()
	return w
}

// On any world a run ends without a broken promise (the audits of package
// replay), gives the same bytes twice, and its tables agree with each other.
func TestRandomWorlds(t *testing.T) { checkWorlds(t, false) }

// TestStormyWorlds says so with fluctuation, outages, jitter, shapers, reservations,
// interruptions, checkpoints and gangs that are spread.
func TestStormyWorlds(t *testing.T) { checkWorlds(t, true) }

func checkWorlds(t *testing.T, weather bool) {
	rapid.Check(t, func(rt *rapid.T) {
		w := draw(rt, weather)
		files := map[string]string{"t.yaml": w.topology, "s.yaml": w.scenario, "t.csv": w.trace}
		one := playRun(t, rt, w.policy, files)
		if two := playRun(t, rt, w.policy, files); one.digest != two.digest {
			rt.Fatalf("the same run gave digests %x and %x", one.digest, two.digest)
		}
		fees := map[string]float64{}
		law := map[string]string{}
		for i, line := range strings.Split(strings.TrimSpace(w.trace), "\n") {
			if f := strings.Split(line, ","); i > 0 {
				law[f[0]] = f[16]
			}
		}
		for _, m := range one.transfers {
			fees[m.Task] += m.Cost
			if l := law[m.Task]; l != "" && (m.Purpose == "input" || m.Purpose == "state") && w.jurisdiction[m.To] != l {
				rt.Fatalf("data of %s, bound to %s, entered %s", m.Task, l, m.To)
			}
		}
		var ends []edge
		for _, r := range one.tasks {
			sum := r.Transfer + r.Queue + r.Compute + r.Save + r.Lost + r.Restart + r.Blocked
			if r.Status == "done" && math.Abs(sum-(r.Finish-r.Submit)) > 1e-9*r.Finish {
				rt.Fatalf("%s: segments of %v s in a life of %v", r.Task, sum, r.Finish-r.Submit)
			}
			if math.Abs(r.CostTotal-(r.CostTransfer+r.CostCompute+r.CostStorage+r.CostTime)) > 1e-9*r.CostTotal {
				rt.Fatalf("%s: %+v does not add up", r.Task, r)
			}
			if !weather && math.Abs(fees[r.Task]-r.CostTransfer) > 1e-9*r.CostTransfer { // rent is beside the bytes
				rt.Fatalf("%s paid %v, its transfers cost %v", r.Task, r.CostTransfer, fees[r.Task])
			}
			if (r.Reason == "portable" || r.Reason == "compliance") && r.Status != "refused" && r.Option == "move-task" {
				rt.Fatalf("%s was held by %s and left its domain", r.Task, r.Reason)
			}
		}
		for _, a := range one.attempts {
			if a.Pools > 1 {
				continue // its parts are in several rooms
			}
			n := one.tasks[a.Task].Slots
			ends = append(ends, edge{a.Room, a.Start, n}, edge{a.Room, a.End, -n})
		}
		checkSlots(rt, w, ends)
	})
}

// An edge is slots that are taken (or given back) at an instant.
type edge struct {
	room string
	at   float64
	by   int
}

// checkSlots sweeps over the attempts: at no instant a room runs more slots than
// it has. What ends at an instant frees its slots first.
func checkSlots(t *rapid.T, w wild, ends []edge) {
	slices.SortStableFunc(ends, func(a, b edge) int {
		if a.at != b.at {
			return int(math.Copysign(1, a.at-b.at))
		}
		return a.by - b.by
	})
	busy := map[string]int{}
	for _, e := range ends {
		busy[e.room] += e.by
		if busy[e.room] > w.slots[e.room] {
			t.Fatalf("at %v s %s runs %d of %d slots", e.at, e.room, busy[e.room], w.slots[e.room])
		}
	}
}
