package record

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"tiersim/sim/unit"
)

// testNames are tables of names as a replay of some rooms would have them.
func testNames() *Names {
	n := &Names{
		Classes: []string{"training-parallel", "batch", "transfer"}, Groups: []string{""},
		Kinds: []string{"", "a100"}, Links: []string{"east>west", "west>east"}, Tiers: []string{"room", "hub"},
		Options: []string{"wait", "move-task", "move-data", "none"}, Reasons: []string{"", "compliance", "no-pool"},
		Statuses: []string{"done", "refused", "censored"}, Purposes: []string{"input", "image", "result"},
		EndReasons: []string{"done", "outage"}, Gates: []string{"channel", "resume"},
	}
	for i := range 96 {
		n.Rooms = append(n.Rooms, fmt.Sprintf("room-%d", i))
		n.Pools = append(n.Pools, fmt.Sprintf("hub-%d/room-%d/a100", i%8, i))
	}
	for i := range 500 {
		n.Groups = append(n.Groups, fmt.Sprintf("group-%d", i))
	}
	n.Route = func(i Name) string { return n.Rooms[i/96] + ">east>west>" + n.Rooms[i%96] }
	return n
}

// testRows makes rows whose values are like those of a replay: instants grow,
// several terms are always 0, a few tasks are refused.
type testRows struct {
	rand *rand.Rand
	n    int
	now  float64
	name []byte
}

func newTestRows(seed uint64) *testRows { return &testRows{rand: rand.New(rand.NewPCG(seed, 1))} }

func (g *testRows) task(r *TaskRow) {
	x := g.rand
	g.n++
	g.now += x.ExpFloat64()
	g.name = fmt.Appendf(g.name[:0], "batch-job-%d", g.n)
	refused := x.IntN(50) == 0
	queue, run, move := unit.Seconds(x.ExpFloat64()*600), unit.Seconds(x.ExpFloat64()*3600), unit.Seconds(x.ExpFloat64()*100)
	fee, compute, worth := unit.Money(x.ExpFloat64()), unit.Money(x.ExpFloat64()*10), unit.Money(x.ExpFloat64()*5)
	*r = TaskRow{
		Task: g.name, Class: Name(x.IntN(2)), Group: Name(x.IntN(501)), Home: Name(x.IntN(96)),
		Room: Opt[Name]{Name(x.IntN(96)), !refused}, Option: Name(x.IntN(4)), Available: uint8(x.IntN(8)),
		Submit: unit.Time(g.now), Status: Name(0), Slots: int32(1 + x.IntN(128)), Work: run, InputBytes: unit.Bytes(x.IntN(1e12)),
		EstimateTotal: Some(compute * 2),
	}
	if x.IntN(3) > 0 {
		r.DataHome = []byte("room-1+room-7")
	}
	if refused {
		r.Status, r.Reason = 1, 2
		return
	}
	r.Pool, r.Start = Some(r.Room.Value), Some(r.Submit.Add(queue+move))
	r.Finish = Some(r.Start.Value.Add(run))
	r.Transfer, r.Queue, r.Compute, r.Input = move, queue, run, move
	r.BytesMoved = r.InputBytes
	r.CostTransfer, r.CostCompute, r.CostTime, r.CostTotal, r.CostCash = fee, compute, worth, fee+compute+worth, fee+compute
	r.NetworkShare, r.NetworkShareCash = Some(float64(fee/r.CostTotal)), Some(float64(fee/r.CostCash))
	r.DataComputeRatio = Some(r.InputBytes.GB() / run.Hours())
}

func (g *testRows) decision(r *DecisionRow, option int) {
	x := g.rand
	fee, compute, worth := unit.Money(x.ExpFloat64()), unit.Money(x.ExpFloat64()*10), unit.Money(x.ExpFloat64()*5)
	*r = DecisionRow{
		Task: g.name, Option: Name(option), Room: Name(x.IntN(96)), Route: Opt[Name]{Name(x.IntN(96 * 96)), option > 0},
		Transfer: unit.Seconds(x.ExpFloat64() * 100), Queue: unit.Seconds(x.ExpFloat64() * 600), Compute: unit.Seconds(x.ExpFloat64() * 3600),
		Fee: fee, ComputeCost: compute, Time: worth, Total: fee + compute + worth,
		Chosen: option == 1, Margin: Opt[unit.Money]{worth, option == 1}, Decided: unit.Time(g.now), Pool: Name(x.IntN(96)),
	}
}

func (g *testRows) transfer(r *TransferRow) {
	x := g.rand
	*r = TransferRow{
		Task: g.name, Purpose: Name(x.IntN(3)), From: Name(x.IntN(96)), To: Name(x.IntN(96)), Bytes: unit.Bytes(x.IntN(1e12)),
		Requested: unit.Time(g.now), Start: Some(unit.Time(g.now + 0.02)), Latency: 0.02, Cost: unit.Money(x.ExpFloat64()),
	}
	if x.IntN(10) > 0 {
		r.Finish, r.MeanRate = Some(unit.Time(g.now+x.ExpFloat64()*80)), Some(unit.Rate(x.ExpFloat64()*1e9))
	}
}

func (g *testRows) attempt(r *AttemptRow) {
	x := g.rand
	*r = AttemptRow{Task: g.name, Attempt: 1, Room: Name(x.IntN(96)), Pool: Name(x.IntN(96)), Start: unit.Time(g.now),
		End: unit.Time(g.now + x.ExpFloat64()*3600), Work: unit.Seconds(x.ExpFloat64() * 3600), EndReason: Name(x.IntN(2))}
}

var onePartition = Partition{Point: "p001", Policy: "three-way", Replication: 7}

func create(t testing.TB, root string, p Partition, tables []Table) *Run {
	t.Helper()
	r, err := Create(Options{Root: root, Partition: p, Tables: tables, Names: testNames(), Currency: "CNY"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fill writes n tasks with their other rows.
func fill(r *Run, n int, seed uint64) {
	g := newTestRows(seed)
	for i := range n {
		var task TaskRow
		g.task(&task)
		r.Task(&task)
		for o := range 3 {
			var d DecisionRow
			g.decision(&d, o)
			r.Decision(&d)
		}
		var tr TransferRow
		g.transfer(&tr)
		r.Transfer(&tr)
		var a AttemptRow
		g.attempt(&a)
		r.Attempt(&a)
		if i%100 == 0 {
			r.Link(&LinkRow{Time: unit.Time(i), Interval: 300, Link: Name(i / 100 % 2), Tier: 1, Capacity: Opt[unit.Rate]{1e9, i%200 == 0}, Carried: 5, Flows: 3})
			r.Pool(&PoolRow{Time: unit.Time(i), Interval: 300, Pool: Name(i % 96), Kind: 1, Slots: 8, Held: 1, Busy: 2100, Utilization: Some(1.0), Queued: 0.5})
		}
	}
}

func finish(t testing.TB, r *Run) {
	t.Helper()
	if err := r.Finish(Result{Tasks: 3, Events: 12, Digest: 1<<63 + 1, Metrics: []Metric{{"all", "tasks", 3}, {"batch", "cost_total", 0.1}}}); err != nil {
		t.Fatal(err)
	}
}

// files returns every file and folder under root, with the bytes of files.
func files(t testing.TB, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() {
			out[name] = "folder"
			return nil
		}
		b, err := os.ReadFile(path)
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
