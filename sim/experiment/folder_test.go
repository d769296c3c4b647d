package experiment

import (
	"context"
	"testing"

	"tiersim/sim/record"
)

// Two shards that start again from other inputs do not remove each other's runs:
// the second looked at the folder before the first had begun, and begins after
// the first is through.
func TestForcedShardsKeepEachOther(t *testing.T) {
	o := options(t, same)
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	o.Scenario.Seed++
	o.Force = true
	o.Shard = Shard{2, 2}
	second, err := newExperiment(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.folder.open(second.manifest(second.policies), true); err != nil {
		t.Fatal(err)
	}
	o.Shard = Shard{1, 2}
	if r, err := Run(context.Background(), o); err != nil || r.Done != 8 || r.Written {
		t.Fatalf("first shard: %v, %+v", err, r)
	}
	if err := second.work(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := second.conclude(); err != nil {
		t.Fatal(err)
	}
	stand, err := record.Runs(second.folder.path)
	if err != nil || len(stand) != 16 || !second.result.Written {
		t.Errorf("%d of 16 runs stand, summary written: %v (%v)", len(stand), second.result.Written, err)
	}
}
