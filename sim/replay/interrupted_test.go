package replay_test

import (
	"fmt"
	"strings"
	"testing"
)

// falling is a room r of 4 slots at 1 CNY a second and slot, that has so many at instants.
// A state of 10 GB takes 10 s to save and 20 s to load. Room s has no slots; what comes from
// there has 1 GB/s.
func falling(interruptions string) string {
	return `name: falling
currency: CNY
hubs:
  - name: h
    cities:
      - name: c
        rooms:
          - {name: r, storage: {write: 1GB/s, read: 0.5GB/s}, pools: [{name: p, slots: 4, price: 3600 CNY/h, interruptions: ` + interruptions + `}]}
          - {name: s, link: {capacity: 1GB/s}}
`
}

// points is an availability that falls to 0 from the first of each two instants to the
// second.
func points(falls ...float64) string {
	b := "{kind: recorded, unit: slots, points: [[0s, 4]"
	for i, at := range falls {
		b += fmt.Sprintf(", [%vs, %v]", at, 4*(i%2))
	}
	return b + "]}"
}

const heads = "task,submit_s,home,slots,work_s,state_bytes,checkpoint_s,resumable,data_home,input_bytes,result_home,output_bytes\n"

// worker saves each 100 s, for 10 s: 1000 s of work and 9 saves are 1090 s.
const worker = heads + "t,0,r,4,1000,10e9,100,true,,,,\n"

// TRAPS: an interruption in each phase of a life: what is kept, lost, saved and loaded,
// to the second.
func TestInterruptedPhases(t *testing.T) {
	for _, c := range []struct {
		name, interruptions, trace, scenario string
		want                                 taskRow
		attempts                             int
	}{
		{"none", points(), worker, "", taskRow{Compute: 1000, Save: 90, Finish: 1090}, 1},
		{
			// 355 s are three times 100 and 10, and 25 lost. From 400 on: 20 s of loading, 700 s, 6 saves.
			"computing", points(355, 400), worker, "", taskRow{Compute: 1000, Save: 90, Lost: 25, Restart: 20, Queue: 45, Finish: 1180}, 2,
		},
		{
			// 325 s are twice 100 and 10, 100 that are lost since their save is cut after 5 s.
			"saving", points(325, 400), worker, "", taskRow{Compute: 1000, Save: 25 + 70, Lost: 100, Restart: 20, Queue: 75, Finish: 1290}, 2,
		},
		{
			// As computing, and once more 10 s into the loading.
			"restoring", points(355, 400, 410, 500), worker, "", taskRow{Compute: 1000, Save: 90, Lost: 25, Restart: 30, Queue: 45 + 90, Finish: 1280}, 3,
		},
		{
			// It comes while there are no slots, and is not interrupted.
			"queued", points(50, 400), strings.Replace(worker, "t,0", "t,60", 1), "", taskRow{Compute: 1000, Save: 90, Queue: 340, Finish: 1490}, 1,
		},
		{
			// 100 GB come in 100 s; the slots go and come meanwhile.
			"in transfer, before slots", points(20, 60), heads + "t,0,r,4,1000,10e9,100,true,s,100e9,,\n", "",
			taskRow{Transfer: 100, Compute: 1000, Save: 90, Finish: 1190}, 1,
		},
		{
			// 100 GB from s at 1 GB/s, written at 1 GB/s too: 100 s, of which slots are held from 0 to 50
			// and from 70 on; after the interruption what comes is part of the restart.
			"in transfer, on slots", points(50, 70), heads + "t,0,r,4,1000,0,,,s,100e9,,\n", "staging: inside\n",
			taskRow{Transfer: 50, Queue: 20, Restart: 30, Compute: 1000, Finish: 1100}, 2,
		},
		{
			// 50 GB of results leave at 1 GB/s from 1000 s on; nobody minds the slots.
			"returning", points(1010, 1020), heads + "t,0,r,4,1000,0,,,,,s,50e9\n", "", taskRow{Compute: 1000, Transfer: 50, Finish: 1050}, 1,
		},
		{"no checkpoint", points(355, 400), heads + "t,0,r,4,1000,10e9,,true,,,,\n", "", taskRow{Compute: 1000, Lost: 355, Queue: 45, Finish: 1400}, 2},
		{
			"resume is not verified: no saves, from nothing", points(355, 400), heads + "t,0,r,4,1000,10e9,100,false,,,,\n", "",
			taskRow{Compute: 1000, Lost: 355, Queue: 45, Finish: 1400}, 2,
		},
		{"saved at the end, too", points(), worker, "recovery: {final_save: true}\n", taskRow{Compute: 1000, Save: 100, Finish: 1100}, 1},
		{
			// At 500 s: four times 100 and 10, and 60 that are lost. Then 600 s, 5 saves, until 1220:
			// the next at 1000 s is 430 s after 550 + 20: three times 110 and 100 in a piece that is lost. 300 left.
			"maintenance", "{kind: maintenance, every: 500s, length: 50s}", worker, "",
			taskRow{Compute: 1000, Save: 40 + 30 + 20, Lost: 60 + 100, Restart: 40, Queue: 100, Finish: 1050 + 20 + 300 + 20}, 3,
		},
		{
			// Told 30 s ahead it saves in the last 10 s: at 500 s it has 450 s of work in 5 saves. Then
			// 550 left; at 1000 s, 430 s after 570, 420 are 390 s of work in 3 saves, and one more save.
			"maintenance with notice", "{kind: maintenance, every: 500s, length: 50s, notice: 30s}", worker, "",
			taskRow{Compute: 1000, Save: 50 + 40 + 10, Restart: 40, Queue: 100, Finish: 1050 + 20 + 160 + 10}, 3,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := playRun(t, t, "stay", map[string]string{"t.yaml": falling(c.interruptions), "s.yaml": scenarioOf + c.scenario, "t.csv": c.trace})
			got := run.tasks["t"]
			near(t, "transfer", got.Transfer, c.want.Transfer)
			near(t, "queue", got.Queue, c.want.Queue)
			near(t, "compute", got.Compute, c.want.Compute)
			near(t, "save", got.Save, c.want.Save)
			near(t, "lost", got.Lost, c.want.Lost)
			near(t, "restart", got.Restart, c.want.Restart)
			near(t, "finish", got.Finish, c.want.Finish)
			if got.Status != "done" || len(run.attempts) != c.attempts {
				t.Errorf("%s after %d attempts, want %d", got.Status, len(run.attempts), c.attempts)
			}
		})
	}
}

// TRAPS: three interruptions leave exactly the right work, and a task costs the sum over
// all its attempts, what was thrown away included. Data is brought once, since it stays.
func TestThreeInterruptions(t *testing.T) {
	topology := strings.Replace(falling(points(300, 310, 500, 520, 700, 730)), "{capacity: 1GB/s}", "{capacity: 1GB/s, price: 2 CNY/GB}", 1)
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": heads + "t,0,r,3,1000,10e9,100,true,s,40e9,s,5e9\n",
	})
	task := run.tasks["t"]
	var work, held, lost, save, restart float64
	for k, a := range run.attempts {
		work, lost, save, restart = work+a.Saved, lost+a.Lost, save+a.Save, restart+a.Restart
		held += a.End - a.Start
		if reason := []string{"capacity", "capacity", "capacity", "done"}[k]; a.Reason != reason || a.Attempt != k+1 {
			t.Errorf("attempt %d ends by %s, want %d, %s", a.Attempt, a.Reason, k+1, reason)
		}
	}
	if len(run.attempts) != 4 {
		t.Fatalf("%d attempts", len(run.attempts))
	}
	near(t, "work", work, 1000)
	near(t, "compute", task.Compute, 1000)
	near(t, "lost", task.Lost, lost)
	near(t, "save", task.Save, save)
	near(t, "restart", task.Restart, restart)
	near(t, "restart", restart, 60)
	near(t, "cost of slots", task.CostCompute, 3*held)
	near(t, "held", held, 1000+lost+save+restart)
	near(t, "fee", task.CostTransfer, 2*(40+5))
	near(t, "queue", task.Queue, 10+20+30)
	if len(run.transfers) != 2 {
		t.Errorf("%d transfers, want input and result", len(run.transfers))
	}
}

// apart is two rooms with slots, r and s, of which r has none from an instant on. Their line has 1 GB/s
// at 1 CNY/GB.
func apart(falls ...float64) string {
	return strings.Replace(falling(points(falls...)), "{name: s, link: {capacity: 1GB/s}}",
		"{name: s, link: {capacity: 1GB/s, price: 1 CNY/GB}, pools: [{name: p, slots: 4, price: 3600 CNY/h}]}", 1)
}

// A task that is resumed elsewhere brings its state there, as a transfer that competes
// with others: 10 GB beside another transfer at 0.5 GB/s. There is no storage in s: the state
// is loaded at once.
func TestResumedElsewhere(t *testing.T) {
	trace := worker + "x,365,,,,,,,r,30e9,s,\n"
	trace = strings.ReplaceAll(trace, "task,", "class,task,")
	trace = strings.Replace(trace, "\nt,", "\nbatch,t,", 1)
	trace = strings.Replace(trace, "\nx,", "\ntransfer,x,", 1)
	run := playRun(t, t, "first-free", map[string]string{"t.yaml": apart(355), "s.yaml": scenarioOf, "t.csv": trace})
	// By 365 s the state has 5 of its 10 GB there at 0.5 GB/s, the rate at which r reads; then both have
	// 0.25 of it: 20 s more. Both rooms end at 100 s of work each without a save in s.
	got := run.tasks["t"]
	near(t, "finish", got.Finish, 385+700)
	near(t, "restart", got.Restart, 30)
	near(t, "save", got.Save, 30)
	near(t, "lost", got.Lost, 25)
	near(t, "compute", got.Compute, 1000)
	near(t, "fee", got.CostTransfer, 10)
	near(t, "other transfer", run.tasks["x"].Finish, 385+25.0/0.5)
	state := 0
	for _, m := range run.transfers {
		if m.Purpose == "state" {
			state++
			near(t, "state", m.Bytes, 10e9)
			near(t, "fee", m.Cost, 10)
		}
	}
	if state != 1 || got.Room != "s" {
		t.Errorf("%d states moved, to %s", state, got.Room)
	}
}

// TRAPS: no silent limit: a task that is interrupted forty times is done after forty-one
// attempts, where the scenario sets none.
func TestNoSilentLimit(t *testing.T) {
	var falls []float64
	for k := range 40 {
		falls = append(falls, 200*float64(k+1), 200*float64(k+1)+1)
	}
	run := playRun(t, t, "stay", map[string]string{"t.yaml": falling(points(falls...)), "s.yaml": scenarioOf, "t.csv": heads + "t,0,r,4,4100,10e9,100,true,,,,\n"})
	// The first saves its 100 s at 110 s; each other loads for 20 s, works 100 and saves for 10.
	if got := run.tasks["t"]; got.Status != "done" || len(run.attempts) != 41 || got.Compute != 4100 {
		t.Errorf("%s after %d attempts and %v s of work, want done after 41 and 4100", got.Status, len(run.attempts), got.Compute)
	}
}

// A limit of attempts, and a while in which a place that failed is not chosen again.
func TestRecovery(t *testing.T) {
	limited := playRun(t, t, "stay", map[string]string{
		"t.yaml": falling(points(300, 310, 500, 520, 700, 730)), "s.yaml": scenarioOf + "recovery: {limit: 2}\n", "t.csv": worker,
	})
	got := limited.tasks["t"]
	if got.Status != "refused" || got.Reason != "given-up" || len(limited.attempts) != 2 {
		t.Errorf("%s by %s after %d attempts, want refused by given-up after 2", got.Status, got.Reason, len(limited.attempts))
	}
	near(t, "cost of what was done", got.CostCompute, 4*(300+190))

	files := map[string]string{"t.yaml": apart(355, 356), "s.yaml": scenarioOf, "t.csv": worker}
	if at := playRun(t, t, "stay", files); at.attempts[1].Room != "r" || at.attempts[1].Start != 356 {
		t.Errorf("without a cool-down it goes on in %s at %v s, want r at 356", at.attempts[1].Room, at.attempts[1].Start)
	}
	files["s.yaml"] += "recovery: {cooldown: 100s}\n"
	if at := playRun(t, t, "first-free", files); at.attempts[1].Room != "s" {
		t.Errorf("with a cool-down it goes on in %s, want s", at.attempts[1].Room)
	}
	// Where there is no other place, it waits until it may go back.
	files["t.yaml"] = falling(points(355, 356))
	if at := playRun(t, t, "stay", files); at.attempts[1].Start != 455 {
		t.Errorf("with a cool-down and no other place it goes on at %v s, want 455", at.attempts[1].Start)
	}
}

// Young and Daly's interval: a save of 10 s and a failure in 6300 h for the node: the exact optimum
// M(1 + W(−e^{−1−δ/M})) is about √(2·10·6300·3600) = 21297 s, less a third of the save.
func TestAutomaticInterval(t *testing.T) {
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": falling("{kind: on-demand, node_mtbf: 6300h}"), "s.yaml": scenarioOf, "t.csv": heads + "t,0,r,1,100000,10e9,auto,true,,,,\n",
	})
	// 100000 s are 4 whole intervals of 21290 and something: 4 saves.
	near(t, "save", run.tasks["t"].Save, 40)
	// A gang of 4 nodes fails four times as often: 10645 s, 9 saves.
	run = playRun(t, t, "stay", map[string]string{
		"t.yaml": falling("{kind: on-demand, node_mtbf: 6300h}"), "s.yaml": scenarioOf, "t.csv": heads + "t,0,r,4,100000,10e9,auto,true,,,,\n",
	})
	near(t, "save", run.tasks["t"].Save, 90)
}

// Bytes that are sent twice are told and paid: 2 CNY/GB on 250 GB more than 1 TB.
func TestSentTwice(t *testing.T) {
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": line(", capacity: 10Gbit/s, price: 2 CNY/GB, outages: {windows: [[200s, 500s]]}"),
		"s.yaml": scenarioOf + "network: {on_outage: restart}\n", "t.csv": moves("", "t,0,transfer,a,b,1e12"),
	})
	near(t, "twice", run.transfers[0].Again, 250e9)
	near(t, "fee", run.transfers[0].Cost, 2*1250)
	near(t, "fee", run.tasks["t"].CostTransfer, 2*1250)
	near(t, "moved", run.tasks["t"].BytesMoved, 1250e9)
}

// Slots that services need are not tasks': what is left to them is told, and for how long
// tasks had some of theirs.
func TestHeadroomWhereSlotsGo(t *testing.T) {
	// Services need 3 of 4 slots; from 1000 s to 2000 s there are 2. The task has the fourth for 600 s, so
	// services are short by one slot for those 1000 s, and for no other.
	topology := strings.Replace(onePool(4, "fcfs"), "queue: fcfs",
		"held: 3, interruptions: {kind: recorded, unit: slots, points: [[0s, 4], [1000s, 2], [2000s, 4]]}", 1)
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": "task,submit_s,slots,work_s\nt,0,1,600\nu,7200,1,10\n",
	})
	for _, x := range run.outcome.Metrics {
		switch x.Name {
		case "headroom_short_hours":
			near(t, "hours below", x.Value, 1000.0/3600)
		case "utilization":
			// Until the last task comes: 600 busy slot-seconds, of a slot that nobody holds for 6200 s of 7200.
			near(t, "utilization of "+x.Scope, x.Value, 600.0/6200)
		}
	}
}

func TestHeadroom(t *testing.T) {
	// Services need 1 of 4 slots, 3 from 1800 s to 5400 s. The task has 3 for 3600 s: from 1800 s to its
	// end services have one of the three.
	topology := strings.Replace(onePool(4, "fcfs"), "queue: fcfs", "held: {kind: recorded, points: [[0s, 1], [1800s, 3], [5400s, 1]]}", 1)
	run := playRun(t, t, "stay", map[string]string{
		"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": "task,submit_s,slots,work_s\nt,0,3,3600\nu,7200,1,10\n",
	})
	m := map[string]float64{}
	for _, x := range run.outcome.Metrics {
		if x.Scope == "pool:h/r/p" || x.Scope == "pool:r/p" {
			m[x.Name] = x.Value
		}
	}
	near(t, "hours below", m["headroom_short_hours"], 0.5)
	if p5 := m["headroom_p5_slots"]; p5 != -2 {
		t.Errorf("P5 of the headroom %v slots, want −2", p5)
	}
}
