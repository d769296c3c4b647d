package replay_test

import (
	"context"
	"math"
	"testing"

	"tiersim/sim/policy"
	"tiersim/sim/replay"
	"tiersim/sim/rng"
)

// base is D1: 8 slots at 12 CNY in the east, 8 at 8 in the west, 5 Gbit/s at
// 0.48 CNY/GB between them.
const base = `name: base
currency: CNY
hubs:
  - {name: east, cities: [{name: east-city, rooms: [{name: e, jurisdiction: cn, pools: [{name: gpu, kind: gpu, slots: 8, price: 12 CNY/h}]}]}]}
  - {name: west, cities: [{name: west-city, rooms: [{name: w, jurisdiction: xx, pools: [{name: gpu, kind: gpu, slots: 8, price: 8 CNY/h}]}]}]}
links:
  - {between: [east, west], capacity: 5Gbit/s, price: 0.48 CNY/GB}
`

const scenarioOf = "name: s\ntopology: t.yaml\ntrace: {file: t.csv}\npolicies: [first-free, stay, at-data, move-task, move-data, three-way]\n"

// near fails unless got is want but for rounding.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

// ORACLES D1 as a replay: others hold the slots for 6 and for 0.5 h. The
// decision prices wait at 1328 and moving 400 GB at 852 + 0.4977…·400; what
// really happens costs less, since the data comes while the slots are taken:
// 192 of fee, 64 slot-hours at 8, 40 an hour for 8.5 h.
func TestBaseCaseReplayed(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,input_bytes,value_per_h,portable\n" +
		"be,0,e,gpu,8,21600,,0,false\n" +
		"bw,0,w,gpu,8,1800,,0,false\n" +
		"job,0,e,gpu,8,28800,400e9,40,true\n"
	files := map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": trace}
	rows, decisions := playAll(t, "three-way", files)
	near(t, "estimate of wait", decisions["job"]["wait"].Total, 1328)
	near(t, "estimate of move-data", decisions["job"]["move-data"].Total, 852+400*(0.48+40*8.0/18000))
	job := rows["job"]
	if job.Option != "move-data" || job.Room != "w" || job.Available != "wait;move-data" {
		t.Errorf("chose %s in %s of %s", job.Option, job.Room, job.Available)
	}
	near(t, "margin", decisions["job"]["move-data"].Margin, 1328-decisions["job"]["move-data"].Total)
	near(t, "fee", job.CostTransfer, 192)
	near(t, "compute", job.CostCompute, 512)
	near(t, "time", job.CostTime, 340)
	near(t, "total", job.CostTotal, 1044)
	near(t, "cash", job.CostCash, 704)
	near(t, "network share", job.NetworkShare, 192.0/1044)
	near(t, "transfer", job.Transfer, 640)
	near(t, "queue", job.Queue, 1160)
	near(t, "compute", job.Compute, 28800)
	near(t, "finish", job.Finish, 1800+28800)
	for _, p := range []string{"stay", "at-data"} {
		near(t, p+" total", play(t, p, files)["job"].CostTotal, 1328)
	}
}

// With staging inside, slots are asked for first and held while data comes: the
// queue takes 1800 s, then 640 s of transfer are paid as compute too.
func TestStagingInside(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,input_bytes,value_per_h,portable\n" +
		"be,0,e,gpu,8,21600,,0,false\n" +
		"bw,0,w,gpu,8,1800,,0,false\n" +
		"job,0,e,gpu,8,28800,400e9,40,true\n"
	files := map[string]string{"t.yaml": base, "s.yaml": scenarioOf + "staging: inside\n", "t.csv": trace}
	job := play(t, "three-way", files)["job"]
	near(t, "queue", job.Queue, 1800)
	near(t, "start", job.Start, 1800)
	near(t, "transfer", job.Transfer, 640)
	near(t, "compute cost", job.CostCompute, 64*(28800+640)/3600.0)
	near(t, "finish", job.Finish, 1800+640+28800)
}

// Two tasks at w read the same 10 GB of e (16 s at 5 Gbit/s): the second waits
// for the set that is on its way and pays nothing; a third, later, finds a copy.
func TestSecondReaderOfASetPaysNothing(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,dataset,input_bytes,data_home,portable\n" +
		"one,0,w,gpu,1,10,set,10e9,e,false\n" +
		"two,4,w,gpu,1,10,set,10e9,e,false\n" +
		"three,100,w,gpu,1,10,set,10e9,e,false\n" +
		"part,200,e,gpu,1,10,set,1e9,e,false\n"
	rows := play(t, "stay", map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": trace})
	for name, want := range map[string]struct{ transfer, fee, moved, finish float64 }{
		"one": {16, 4.8, 10e9, 26}, "two": {12, 0, 0, 26}, "three": {0, 0, 0, 110}, "part": {0, 0, 0, 210},
	} {
		near(t, name+" transfer", rows[name].Transfer, want.transfer)
		near(t, name+" fee", rows[name].CostTransfer, want.fee)
		near(t, name+" moved", rows[name].BytesMoved, want.moved)
		near(t, name+" finish", rows[name].Finish, want.finish)
	}
}

// A task reads its own bytes; only the whole set makes a copy. After the small
// reader (1 GB, 1.6 s) the large one still has to bring its 10 GB.
func TestPartOfASetMakesNoCopy(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,dataset,input_bytes,data_home,portable\n" +
		"small,0,w,gpu,1,10,set,1e9,e,false\n" +
		"large,100,w,gpu,1,10,set,10e9,e,false\n"
	rows := play(t, "stay", map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": trace})
	near(t, "small", rows["small"].BytesMoved, 1e9)
	near(t, "large", rows["large"].BytesMoved, 10e9)
}

// Image and data come together, 20 and 10 GB at 5 Gbit/s shared: both run at
// 2.5 until the data is there at 32 s; the image's last 10 GB take 16 s more.
// The result of 5 GB goes back in 8 s. A second task finds the named image.
func TestImageDataAndResult(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,input_bytes,data_home,image,image_bytes,output_bytes,result_home\n" +
		"a,0,e,gpu,8,100,10e9,e,img,20e9,5e9,e\n" +
		"b,1000,e,gpu,8,100,10e9,e,img,20e9,5e9,e\n"
	rows := play(t, "move-data", map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": trace})
	a, b := rows["a"], rows["b"]
	near(t, "a image", a.Image, 48)
	near(t, "a input", a.Input, 32)
	near(t, "a transfer", a.Transfer, 48+8)
	near(t, "a finish", a.Finish, 48+100+8)
	near(t, "a fee", a.CostTransfer, 35*0.48)
	near(t, "b image", b.Image, 0)
	near(t, "b transfer", b.Transfer, 16+8)
}

// A task that comes after others is blocked until the last of them is done,
// also where one is a later row; what comes after a refused one is refused.
func TestAfter(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,after,portable,jurisdictions\n" +
		"last,0,e,gpu,1,5,first;second,false,\n" +
		"first,10,e,gpu,1,20,,false,\n" +
		"second,20,e,gpu,1,50,,false,\n" +
		"big,0,w,gpu,1,5,,false,cn\n" +
		"then,0,e,gpu,1,5,big,false,\n"
	rows := play(t, "stay", map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": trace})
	near(t, "blocked", rows["last"].Blocked, 70)
	near(t, "finish", rows["last"].Finish, 75)
}

// A storage of 25 GB takes two sets of 10 GB that tasks bring. For the third the
// least recently used copy has to go, but not while a task uses it; a task for
// which no space can be made is not offered the room.
func TestStorageIsFull(t *testing.T) {
	topology := `name: small
currency: CNY
hubs:
  - {name: east, cities: [{name: east-city, rooms: [{name: e}]}]}
  - {name: west, cities: [{name: west-city, rooms: [{name: w, storage: {capacity: 25GB}, pools: [{name: gpu, slots: 8, price: 1 CNY/h}]}]}]}
links: [{between: [east, west], capacity: 8Gbit/s}]
`
	trace := "task,submit_s,home,slots,work_s,dataset,input_bytes,data_home\n" +
		"one,0,w,1,10,x,10e9,e\n" +
		"two,100,w,1,10,y,10e9,e\n" +
		"one-again,200,w,1,10,x,10e9,e\n" +
		"three,300,w,1,10,z,10e9,e\n" + // y goes
		"two-again,400,w,1,10,y,10e9,e\n" + // x goes
		"three-again,500,w,1,1000,z,10e9,e\n" +
		"two-long,500,w,1,1000,y,10e9,e\n" +
		"none,600,w,1,10,x,10e9,e\n" // both copies are in use
	for _, staging := range []string{"before", "inside"} {
		rows := play(t, "stay", map[string]string{"t.yaml": topology, "s.yaml": scenarioOf + "staging: " + staging + "\n", "t.csv": trace})
		for name, moved := range map[string]float64{"one": 10e9, "two": 10e9, "one-again": 0, "three": 10e9, "two-again": 10e9, "three-again": 0, "two-long": 0, "none": 0} {
			near(t, staging+" "+name, rows[name].BytesMoved, moved)
		}
		if r := rows["none"]; r.Status != "refused" || r.Reason != "no-route" {
			t.Errorf("none: %s, %s", r.Status, r.Reason)
		}
	}
}

// What is recorded changes nothing: without tables the same events happen.
func TestTablesDoNotMatter(t *testing.T) {
	files := map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": "task,submit_s,home,kind,slots,work_s,input_bytes\n" +
		"a,0,e,gpu,8,21600,1e9\nb,0,w,gpu,8,1800,2e9\nc,1,e,gpu,4,28800,400e9\nd,2,w,gpu,4,100,4e9\n"}
	for _, p := range policy.Names() {
		with := playRun(t, t, p, files)
		dir := t.TempDir()
		w := open(t, dir, files)
		tr := prepare(t, w, rng.New(1, 0), dir)
		without, err := replay.Run(context.Background(), replay.Setup{World: w, Trace: tr, Policy: p, Streams: rng.New(1, 0)})
		if err != nil || without.Digest != with.digest {
			t.Errorf("%s: digest %x without tables, %x with them; %v", p, without.Digest, with.digest, err)
		}
		tr.Close()
	}
}

// A horizon ends the run: what is not done is censored, counted and charged for
// what it used: 8 slots at 12 for an hour.
func TestHorizon(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,portable\n" +
		"runs,0,e,gpu,8,7200,false\n" +
		"waits,0,e,gpu,8,7200,false\n" +
		"comes,5000,e,gpu,8,7200,false\n"
	rows := play(t, "stay", map[string]string{"t.yaml": base, "s.yaml": scenarioOf + "horizon: 1h\n", "t.csv": trace})
	for name, want := range map[string]struct{ compute, queue, cost float64 }{"runs": {3600, 0, 96}, "waits": {0, 3600, 0}, "comes": {0, 0, 0}} {
		r := rows[name]
		if r.Status != "censored" {
			t.Errorf("%s is %s", name, r.Status)
		}
		near(t, name+" compute", r.Compute, want.compute)
		near(t, name+" queue", r.Queue, want.queue)
		near(t, name+" cost", r.CostCompute, want.cost)
	}
}

// A link that stays at 0 holds its transfers for ever: with no horizon they end
// as censored when nothing more can happen, and the run ends.
func TestNothingMoreHappens(t *testing.T) {
	rows := play(t, "stay", map[string]string{
		"t.yaml": line(", capacity: 1MB/s, fluctuation: {kind: recorded, points: [[0s, 1], [2s, 0]]}"),
		"s.yaml": scenarioOf,
		"t.csv":  moves("", "t,0,transfer,a,b,4e6"),
	})
	if r := rows["t"]; r.Status != "censored" {
		t.Errorf("%+v", r)
	}
	near(t, "sent before", rows["t"].BytesMoved, 2e6)
}

// Data inside a room moves at storage speed and costs nothing: 10 GB at 1 GB/s
// to read, the result of 4 GB at 0.5 GB/s to write. Two readers share the rate.
func TestStorageRates(t *testing.T) {
	topology := `name: store
currency: CNY
hubs: [{name: h, cities: [{name: c, rooms: [{name: r, storage: {read: 1GB/s, write: 500MB/s},
  pools: [{name: gpu, slots: 8, price: 1 CNY/h}]}]}]}]
`
	trace := "task,submit_s,slots,work_s,input_bytes,output_bytes\n" +
		"alone,0,1,100,10e9,4e9\n" +
		"x,1000,1,100,10e9,0\n" +
		"y,1000,1,100,10e9,0\n"
	rows := play(t, "stay", map[string]string{"t.yaml": topology, "s.yaml": scenarioOf, "t.csv": trace})
	near(t, "alone input", rows["alone"].Input, 10)
	near(t, "alone result", rows["alone"].Result, 8)
	near(t, "alone finish", rows["alone"].Finish, 118)
	near(t, "alone fee", rows["alone"].CostTransfer, 0)
	near(t, "x input", rows["x"].Input, 20)
	near(t, "y finish", rows["y"].Finish, 1120)
}

// No byte enters a room outside the allowed jurisdictions, whatever it saves.
func TestCompliance(t *testing.T) {
	trace := "task,submit_s,home,kind,slots,work_s,input_bytes,jurisdictions,value_per_h\n" +
		"busy,0,e,gpu,8,100000,,,0\n" +
		"free,1,e,gpu,1,100,1e9,,1000\n" +
		"held,1,e,gpu,1,100,1e9,cn,1000\n"
	for _, p := range []string{"first-free", "stay", "at-data", "move-task", "move-data", "three-way"} {
		rows := play(t, p, map[string]string{"t.yaml": base, "s.yaml": scenarioOf, "t.csv": trace})
		if r := rows["held"]; r.Room != "e" || r.Reason != "compliance" {
			t.Errorf("%s: held ran in %s, reason %q", p, r.Room, r.Reason)
		}
	}
}
