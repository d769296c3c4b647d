package experiment

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tiersim/sim/record"
	"tiersim/sim/replay"
	"tiersim/sim/scenario"
	"tiersim/sim/trace"
)

// options are those of testdata/random.yaml: two design points, two policies,
// four replications and more. The replay is a stand-in, so that a test decides
// what a run comes to; the command's scripts run the real one.
func options(t *testing.T, f func(context.Context, replay.Setup) (*replay.Outcome, error)) Options {
	t.Helper()
	s, err := scenario.Load("testdata/random.yaml", scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Scenario: s, Out: t.TempDir(), Workers: 2, Build: Build{Version: "test"}, replay: f}
}

// total is an outcome whose cost is v.
func total(v float64) *replay.Outcome {
	return &replay.Outcome{Tasks: 2, Events: 7, Digest: 1, Metrics: []record.Metric{
		{Scope: "all", Name: "tasks", Value: 2}, {Scope: "all", Name: "cost_total", Value: v},
	}}
}

// same costs the same in every replication.
func same(context.Context, replay.Setup) (*replay.Outcome, error) { return total(5), nil }

// 2 points × 2 policies × 4 replications; a second time there is nothing to do.
func TestRunsAreDoneOnce(t *testing.T) {
	o := options(t, same)
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Runs != 16 || r.Done != 16 || r.Kept != 0 || r.Tasks != 32 || r.Events != 112 || !r.Written {
		t.Errorf("first: %+v", r)
	}
	r, err = Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Runs != 16 || r.Done != 0 || r.Kept != 16 || r.Tasks != 0 || !r.Written || r.Summary == nil {
		t.Errorf("second: %+v", r)
	}
}

// Asked for fewer replications than are there, all that are there count: the
// tables hold them, and the summary says the same.
func TestReplicationsThatStandCount(t *testing.T) {
	o := options(t, same)
	o.Replications = 6
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	o.Replications = 2
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Done != 0 || r.Kept != 24 || r.Summary.Points[0].Policies[0].Replications != 6 {
		t.Errorf("%+v", r)
	}
}

// The policies of a replication read one prepared trace, and no two
// replications share one.
func TestPoliciesShareTheTrace(t *testing.T) {
	var mu sync.Mutex
	users := map[*trace.Trace]int{}
	o := options(t, func(_ context.Context, s replay.Setup) (*replay.Outcome, error) {
		mu.Lock()
		defer mu.Unlock()
		users[s.Trace]++
		return total(5), nil
	})
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if len(users) != 8 {
		t.Errorf("%d traces for 2 points of 4 replications", len(users))
	}
	for _, n := range users {
		if n != 2 {
			t.Errorf("a trace was read by %d runs, want both policies", n)
		}
	}
}

// Replications go on until 10 % are reached. Costs of 100 ± 30 by turns have,
// with n even, a standard deviation of 30·√(n/(n−1)); t·s/√n is at most
// 0.1/1.1 of 100 from n = 46 on, so the 20 that are allowed are done and the
// result says that they were not enough. Costs of 100 ± 5 are enough with 4:
// 3.182·5.77/2 = 9.19 > 9.09, so not quite; the next round is 6, where
// 2.571·5.48/2.449 = 5.75 is.
func TestReplicationsStopAtPrecision(t *testing.T) {
	for _, c := range []struct {
		spread float64
		n      int
		warns  string
	}{{30, 20, Imprecise}, {5, 6, FewRuns}} {
		var count atomic.Int64
		o := options(t, nil)
		o.Workers = 1 // the stand-in counts runs: policies take turns
		o.replay = func(context.Context, replay.Setup) (*replay.Outcome, error) {
			turn := float64((count.Add(1) - 1) / 2 % 2)
			return total(100 + c.spread*(2*turn-1)), nil
		}
		r, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		p := &r.Summary.Points[0].Policies[0]
		row, _ := p.Get("all", "cost_total")
		if row.Value.N != c.n || strings.Join(row.Warnings, " ") != c.warns {
			t.Errorf("spread %v: %d replications, warnings %v, half-width %v", c.spread, row.Value.N, row.Warnings, row.Value.HalfWidth)
		}
	}
}

// An interrupt leaves whole runs only, and the next run goes on.
func TestInterruptLeavesWholeRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var count atomic.Int64
	o := options(t, func(ctx context.Context, s replay.Setup) (*replay.Outcome, error) {
		if count.Add(1) == 5 {
			cancel()
		}
		return total(5), ctx.Err()
	})
	r, err := Run(ctx, o)
	if !errors.Is(err, context.Canceled) || r.Done >= 16 || r.Written {
		t.Fatalf("got %v, %+v", err, r)
	}
	stand, err := record.Runs(r.Folder)
	if err != nil || len(stand) != r.Done {
		t.Errorf("%d runs stand, %d were done (%v)", len(stand), r.Done, err)
	}
	if left, _ := filepath.Glob(filepath.Join(r.Folder, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	before := r.Done
	o.replay = same
	r, err = Run(context.Background(), o)
	if err != nil || r.Kept != before || r.Kept+r.Done != 16 || !r.Written {
		t.Errorf("going on: %v, %+v", err, r)
	}
}

// A run that fails is named, stops the others, and leaves nothing of itself.
func TestFailureNamesTheRun(t *testing.T) {
	broken := errors.New("arrived 2 tasks, but done + refused + censored = 1")
	o := options(t, func(_ context.Context, s replay.Setup) (*replay.Outcome, error) {
		if s.Policy == "at-data" {
			return nil, broken
		}
		return total(5), nil
	})
	o.Workers = 1
	r, err := Run(context.Background(), o)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "design point p001, policy at-data, replication 1") {
		t.Errorf("got %v", err)
	}
	stand, _ := record.Runs(r.Folder)
	if len(stand) != 1 || stand[0].Policy != "stay" {
		t.Errorf("stand: %v", stand)
	}
}

// A broken promise inside a model is the error of its run, with the values.
func TestPanicNamesTheRun(t *testing.T) {
	o := options(t, func(context.Context, replay.Setup) (*replay.Outcome, error) { panic("link 7 carries 12 of 10") })
	o.Workers = 1 // the first replication is the first to fail
	r, err := Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "replication 1: panic: link 7 carries 12 of 10") {
		t.Errorf("got %v", err)
	}
	if stand, _ := record.Runs(r.Folder); len(stand) > 0 {
		t.Errorf("stand: %v", stand)
	}
}

// A metric that is no number is an error, not a hole in the summary.
func TestNaNIsAnError(t *testing.T) {
	o := options(t, func(context.Context, replay.Setup) (*replay.Outcome, error) { return total(math.NaN()), nil })
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "cost_total") {
		t.Errorf("got %v", err)
	}
}

// Runs of another version of the program are not mixed into what stands, but
// what is whole can be read by it.
func TestVersionsAreNotMixed(t *testing.T) {
	o := options(t, same)
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	o.Build.Version = "newer"
	if r, err := Run(context.Background(), o); err != nil || r.Done != 0 || !r.Written {
		t.Errorf("whole: %v, %+v", err, r)
	}
	folder := filepath.Join(o.Out, "random")
	if err := os.RemoveAll(filepath.Join(folder, "tasks", "point=p002")); err != nil {
		t.Fatal(err)
	}
	_, err := Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "made by tiersim test") || !strings.Contains(err.Error(), "--force") {
		t.Errorf("got %v", err)
	}
	o.Force = true
	if r, err := Run(context.Background(), o); err != nil || r.Done != 16 {
		t.Errorf("force: %v, %+v", err, r)
	}
}

// A folder that holds files of others keeps them, and force removes only what an
// experiment writes.
func TestForceKeepsOtherFiles(t *testing.T) {
	o := options(t, same)
	folder := filepath.Join(o.Out, "random")
	notes := filepath.Join(folder, "notes.txt")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(notes, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		o.Force = true
		o.Scenario.Seed++
		if _, err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(notes); err != nil || string(data) != "mine" {
		t.Errorf("notes.txt: %q, %v", data, err)
	}
}
