package experiment

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"tiersim/sim/record"
	"tiersim/sim/replay"
	"tiersim/sim/rng"
	"tiersim/sim/trace"
)

// prepare opens the trace of a batch, with its gaps filled for its replication.
func (e *experiment) prepare(b *batch) (*trace.Trace, error) {
	o := b.point.world.Trace
	o.Streams = rng.New(e.Scenario.Seed, b.point.fills(b.replication))
	o.SkipBadRows = o.SkipBadRows || e.SkipBadRows
	t, err := trace.Prepare(o)
	if err != nil {
		return nil, err
	}
	e.note(b, t)
	if e.Progress != nil {
		e.Progress.prepare(t.Tasks, len(b.policies))
	}
	return t, nil
}

// ran is what a run came to.
type ran struct {
	tasks, events int64
	took          time.Duration
}

// replayOne replays one run and puts its files in their place.
func (e *experiment) replayOne(ctx context.Context, b *batch, policy string) (ran, error) {
	if err := e.folder.begin(e.manifest(e.policies), e.points); err != nil {
		return ran{}, err
	}
	names := replay.Names(b.point.world, b.trace)
	rec, err := record.Create(record.Options{
		Root: e.folder.path, Partition: partition(b.point, policy, b.replication),
		Tables: e.tables, Names: &names, Currency: b.point.world.Topology.Currency,
	})
	if err != nil {
		return ran{}, err
	}
	active := &activeRun{end: b.trace.Last}
	if e.Progress != nil {
		e.Progress.begin(active)
	}
	began := time.Now()
	out, err := e.protected(ctx, replay.Setup{
		World: b.point.world, Trace: b.trace, Policy: policy,
		Streams: rng.New(e.Scenario.Seed, b.replication), Weather: rng.New(e.Scenario.Seed, b.point.weathers(b.replication)), Record: rec, Progress: &active.Progress,
	})
	took := time.Since(began) - rec.EncodeTime()
	if err == nil {
		err = ctx.Err() // what was interrupted at its very end is not kept either
	}
	if err != nil {
		rec.Abort()
		return ran{}, err
	}
	if e.Progress != nil {
		e.Progress.end(active, out.Tasks, out.Events)
	}
	err = rec.Finish(record.Result{Tasks: out.Tasks, Events: out.Events, Digest: out.Digest, Metrics: out.Metrics})
	return ran{out.Tasks, out.Events, took}, err
}

// protected replays, and makes a broken promise inside a model, which panics, the
// error of this run: it is named, and the others end in order.
func (e *experiment) protected(ctx context.Context, s replay.Setup) (out *replay.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return e.replay(ctx, s)
}

func partition(p *point, policy string, replication int) record.Partition {
	return record.Partition{Point: p.ID, Policy: policy, Replication: replication}
}

func (e *experiment) complete(p *point, policy string, replication int) bool {
	return !e.folder.stale && record.Complete(e.folder.path, partition(p, policy, replication))
}

// results reads what the runs of a point under a policy came to.
func (e *experiment) results(p *point, policy string) ([]*record.Result, error) {
	list := make([]*record.Result, p.planned)
	for i := range list {
		var err error
		if list[i], err = record.ReadResult(e.folder.path, partition(p, policy, i+1)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// addRuns tells in the manifest what every run came to.
func (e *experiment) addRuns(m *record.Manifest, points []*point, policies []string) error {
	for _, p := range points {
		for _, policy := range policies {
			runs, err := e.results(p, policy)
			if err != nil {
				return err
			}
			for i, r := range runs {
				m.AddRun(partition(p, policy, i+1), r)
			}
		}
	}
	return nil
}

// A noted is a note on a trace with the batch that it came from.
type noted struct {
	point, replication, place int
	text                      string
}

// note keeps what a trace has to tell.
func (e *experiment) note(b *batch, t *trace.Trace) {
	e.notesMu.Lock()
	defer e.notesMu.Unlock()
	texts := slices.Clone(t.Notes)
	if len(t.NotInUse) > 0 {
		names := make([]string, len(t.NotInUse))
		for i, c := range t.NotInUse {
			names[i] = c.String()
		}
		texts = append(texts, "columns with values that no model of this version uses: "+strings.Join(names, ", "))
	}
	for i, text := range texts {
		e.noted = append(e.noted, noted{b.point.index, b.replication, i, text})
	}
}

// notes returns each thing that the traces had to tell once, in the order of
// points and replications.
func (e *experiment) notes() []string {
	slices.SortFunc(e.noted, func(a, b noted) int {
		for _, d := range [...]int{a.point - b.point, a.replication - b.replication} {
			if d != 0 {
				return d
			}
		}
		return a.place - b.place
	})
	var list []string
	for _, n := range e.noted {
		if !slices.Contains(list, n.text) {
			list = append(list, n.text)
		}
	}
	return list
}
