package replay_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tiersim/sim/record"
	"tiersim/sim/replay"
	"tiersim/sim/rng"
	"tiersim/sim/scenario"
	"tiersim/sim/trace"
)

// A task is what the tests read of a row of tasks.
type taskRow struct {
	Task, Room, Option, Available, Reason, Status                         string
	Submit, Start, Finish                                                 float64
	Transfer, Image, Input, Result, Queue, Compute                        float64
	Save, Lost, Restart, Blocked                                          float64
	BytesMoved, NetworkShare                                              float64
	CostTransfer, CostCompute, CostStorage, CostTime, CostTotal, CostCash float64
	Slots                                                                 int
}

type decisionRow struct {
	Total, Margin float64
	Chosen        bool
}

type transferRow struct {
	Task, Purpose, From, To string
	Bytes, Cost, Again      float64
	Reserved                bool
}

type attemptRow struct {
	Task, Room, Pool, Reason                     string
	Attempt, Pools                               int
	Start, End, Work, Saved, Lost, Save, Restart float64
	Efficiency                                   float64
}

// A played is a run and its tables.
type played struct {
	digest    uint64
	outcome   *replay.Outcome
	tasks     map[string]taskRow
	decisions map[string]map[string]decisionRow
	transfers []transferRow
	attempts  []attemptRow
}

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
}

// open writes the files s.yaml, t.yaml and t.csv and loads the scenario.
func open(t failer, dir string, files map[string]string) *scenario.World {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := scenario.Load(filepath.Join(dir, "s.yaml"), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.World(0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// prepare prepares the world's trace for a replication.
func prepare(t failer, w *scenario.World, streams rng.Streams, dir string) *trace.Trace {
	t.Helper()
	o := w.Trace
	o.Streams, o.Dir = streams, dir
	tr, err := trace.Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// playRun replays files under a policy and reads the tables back.
func playRun(tb testing.TB, t failer, policy string, files map[string]string) played {
	t.Helper()
	dir, err := os.MkdirTemp(tb.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w := open(t, dir, files)
	streams := rng.New(1, 0)
	tr := prepare(t, w, streams, dir)
	defer tr.Close()
	names := replay.Names(w, tr)
	at := record.Partition{Point: "base", Policy: policy, Replication: 1}
	rec, err := record.Create(record.Options{Root: dir, Partition: at, Names: &names, Currency: w.Topology.Currency})
	if err != nil {
		t.Fatal(err)
	}
	out, err := replay.Run(context.Background(), replay.Setup{World: w, Trace: tr, Policy: policy, Streams: streams, Record: rec})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(record.Result{Metrics: out.Metrics}); err != nil {
		t.Fatal(err)
	}
	p := played{digest: out.Digest, outcome: out, tasks: map[string]taskRow{}, decisions: map[string]map[string]decisionRow{}}
	p.read(t, dir, at)
	return p
}

func play(t *testing.T, policy string, files map[string]string) map[string]taskRow {
	t.Helper()
	return playRun(t, t, policy, files).tasks
}

func playAll(t *testing.T, policy string, files map[string]string) (map[string]taskRow, map[string]map[string]decisionRow) {
	t.Helper()
	p := playRun(t, t, policy, files)
	return p.tasks, p.decisions
}

// read reads the tables that the tests look at.
func (p *played) read(t failer, root string, at record.Partition) {
	t.Helper()
	scan := func(table record.Table, columns []string, each func(b *record.Batch, i int)) {
		err := record.ScanRun(root, at, table, columns, func(b *record.Batch) error {
			for i := range b.Rows {
				each(b, i)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	scan(record.Tasks, []string{
		"task", "room", "option", "available", "reason", "status", "submit_s", "start_s", "finish_s",
		"transfer_s", "image_s", "input_s", "result_s", "queue_s", "compute_s", "save_s", "lost_s", "restart_s", "blocked_s",
		"bytes_moved", "network_share", "cost_transfer", "cost_compute", "cost_storage", "cost_time", "cost_total", "cost_cash", "slots",
	}, func(b *record.Batch, i int) {
		s := func(c int) string { return b.Columns[c].Texts[i] }
		f := func(c int) float64 { return b.Columns[c].Reals[i] }
		p.tasks[s(0)] = taskRow{
			Task: s(0), Room: s(1), Option: s(2), Available: s(3), Reason: s(4), Status: s(5), Submit: f(6), Start: f(7), Finish: f(8),
			Transfer: f(9), Image: f(10), Input: f(11), Result: f(12), Queue: f(13), Compute: f(14),
			Save: f(15), Lost: f(16), Restart: f(17), Blocked: f(18), BytesMoved: f(19), NetworkShare: f(20),
			CostTransfer: f(21), CostCompute: f(22), CostStorage: f(23), CostTime: f(24), CostTotal: f(25), CostCash: f(26),
			Slots: int(b.Columns[27].Ints[i]),
		}
	})
	scan(record.Decisions, []string{"task", "option", "estimate_total", "margin", "chosen"}, func(b *record.Batch, i int) {
		task := b.Columns[0].Texts[i]
		if p.decisions[task] == nil {
			p.decisions[task] = map[string]decisionRow{}
		}
		p.decisions[task][b.Columns[1].Texts[i]] = decisionRow{b.Columns[2].Reals[i], b.Columns[3].Reals[i], b.Columns[4].Flags[i]}
	})
	scan(record.Transfers, []string{"task", "purpose", "from", "to", "bytes", "cost", "again_bytes", "reserved"}, func(b *record.Batch, i int) {
		s := func(c int) string { return b.Columns[c].Texts[i] }
		p.transfers = append(p.transfers, transferRow{s(0), s(1), s(2), s(3), b.Columns[4].Reals[i], b.Columns[5].Reals[i], b.Columns[6].Reals[i], b.Columns[7].Flags[i]})
	})
	scan(record.Attempts, []string{
		"task", "room", "pool", "end_reason", "attempt", "pools", "start_s", "end_s", "work_s", "saved_s", "lost_s", "save_s", "restart_s", "efficiency",
	}, func(b *record.Batch, i int) {
		s := func(c int) string { return b.Columns[c].Texts[i] }
		f := func(c int) float64 { return b.Columns[c].Reals[i] }
		p.attempts = append(p.attempts, attemptRow{
			Task: s(0), Room: s(1), Pool: s(2), Reason: s(3), Attempt: int(b.Columns[4].Ints[i]), Pools: int(b.Columns[5].Ints[i]),
			Start: f(6), End: f(7), Work: f(8), Saved: f(9), Lost: f(10), Save: f(11), Restart: f(12), Efficiency: f(13),
		})
	})
}
