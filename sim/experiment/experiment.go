// Package experiment runs a scenario: every design point, policy and
// replication, and compares them.
//
// # Model
//
// A run is one replication of one design point under one policy. Its files
// appear whole or not at all, so an experiment is a set of runs of which some
// are there: what is missing is done, what is there is kept. A replication's
// trace is prepared once and read by all policies, whose random streams carry
// the same names: the policies meet the same world, and their differences are
// taken in pairs, replication by replication.
//
// The number of replications of a design point grows until total cost and the
// 95th percentile of turnaround are known to the scenario's precision under
// every policy: the half-width of the 95 % interval is at most γ/(1+γ) of the
// mean (Law, Simulation Modeling and Analysis, section 9.4.1). It is looked at
// only when all policies have as many, so that the stopping point does not
// depend on which run ended first. Where nothing is random there is one.
//
// The summary is made of the metrics that every run keeps in its files, never
// from memory: who finds all runs there writes it, and it is the same bytes
// whoever does.
//
// # Determinism
//
// One run is one goroutine; the runs share only what is immutable. Results do
// not depend on the number of workers or on the order in which runs end. The
// wall clock is read for the progress and for the rate that is told at the end.
package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tiersim/sim/fault"
	"tiersim/sim/record"
	"tiersim/sim/replay"
	"tiersim/sim/scenario"
)

// Options say what is run, and how.
type Options struct {
	Scenario *scenario.Scenario
	// Out is the folder that the scenario's own folder stands in.
	Out string
	// Policies are those that are run; the scenario's where there are none.
	Policies []string
	// Replications is how many there are of each design point; 0 leaves it to
	// the scenario.
	Replications int
	// Workers is how many runs are replayed at once, at least 1.
	Workers int
	// Shard is the part of the design points that this process does.
	Shard Shard
	// Force removes what is there and starts again.
	Force bool
	// SkipBadRows leaves broken rows of a trace out, counted.
	SkipBadRows bool
	// Settings are the values that were set in place of the files', as
	// KEY=VALUE; they are told in the manifest.
	Settings []string
	Build    Build
	// Figures says what is drawn of the summary, once all runs are there; nil
	// draws nothing. It must give the same names and bytes for the same summary.
	Figures func(*Summary) []Drawing
	// Progress, where not nil, is told how far the experiment is.
	Progress *Progress

	replay func(context.Context, replay.Setup) (*replay.Outcome, error) // tests only
}

// A Drawing is a figure of a summary. Write makes base.svg and base.png.
type Drawing struct {
	Name  string
	Write func(base string) error
}

// A Shard is one of several parts of an experiment, counted from 1. The zero
// value is all of it.
type Shard struct{ Index, Of int }

// takes reports whether design point i, from 0, belongs to the shard: they go
// round, so that neighbours, which cost alike, are spread.
func (s Shard) takes(i int) bool { return s.Of < 2 || i%s.Of == s.Index-1 }

// A Build says which tiersim made a result.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// A Result says what an experiment came to.
type Result struct {
	Folder string
	// Started says that the inputs were sound and the folder free.
	Started bool
	// Runs is how many runs the process was to do; Kept of them were there,
	// Done are new.
	Runs, Kept, Done int
	// Tasks and Events of the new runs, and the time that their replay took,
	// added up over runs: without opening inputs, without encoding tables.
	Tasks, Events int64
	Replayed      time.Duration
	// Summary is nil where runs are missing.
	Summary *Summary
	// Written says that the files of the summary are there, for all points.
	Written bool
	// Tables that the runs have.
	Tables []string
	// Notes tell of the traces: rows that were sorted or left out, columns that
	// nothing reads.
	Notes []string
}

// Run does what is missing of an experiment. Where ctx ends, it stops soon and
// returns the context's error with the result so far: what is complete stays.
func Run(ctx context.Context, o Options) (*Result, error) {
	e, err := newExperiment(o)
	if err != nil {
		return &Result{}, err
	}
	if err := e.folder.open(e.manifest(e.policies), o.Force); err != nil {
		return &e.result, err
	}
	e.result.Started = true
	err = e.work(ctx)
	e.result.Notes = e.notes()
	if err != nil {
		e.folder.dropEmpty()
		return &e.result, err
	}
	return &e.result, e.conclude()
}

// An experiment is the state of one Run.
type experiment struct {
	Options
	folder   folder
	policies []string
	tables   []record.Table // nil means all
	points   []*point
	result   Result

	notesMu sync.Mutex
	noted   []noted
}

// A point is a design point and how far it is.
type point struct {
	scenario.Point
	index int
	mine  bool // belongs to the shard
	world *scenario.World
	// from, to: how many replications there are at least and at most. They can
	// differ (random) where the gaps of the trace are filled anew for each, or
	// errors of estimates are drawn.
	from, to int
	refilled bool
	// weathered: the weather differs between replications.
	weathered bool
	random    bool
	planned   int  // replications of the present round
	waiting   int  // runs of the round that are not there yet
	reached   bool // the precision asked for
}

func newExperiment(o Options) (*experiment, error) {
	if o.replay == nil {
		o.replay = replay.Run
	}
	s := o.Scenario
	e := &experiment{Options: o, policies: slices.Clone(o.Policies)}
	if len(e.policies) == 0 {
		e.policies = slices.Clone(s.Policies)
	}
	e.folder.path, e.folder.figures = filepath.Join(o.Out, s.Name), o.Figures
	e.result.Folder = e.folder.path
	if err := e.chooseTables(); err != nil {
		return nil, err
	}
	if o.Shard.Of > len(s.Points) {
		return nil, fmt.Errorf("%d shards, but scenario %s has %d design points, and a shard takes whole ones", o.Shard.Of, s.Name, len(s.Points))
	}
	var faults fault.List
	for i, p := range s.Points {
		w, err := s.World(i)
		if err != nil {
			more, ok := fault.Of(err)
			if !ok {
				return nil, fmt.Errorf("design point %s: %w", p.ID, err)
			}
			faults = append(faults, more...)
			continue
		}
		pt := &point{Point: p, index: i, mine: o.Shard.takes(i), world: w}
		e.replicate(pt)
		e.points = append(e.points, pt)
	}
	return e, faults.Err()
}

// chooseTables says which tables the runs have; all where the scenario does not
// say.
func (e *experiment) chooseTables() error {
	names := e.Scenario.Tables
	if names == nil {
		names = record.TableNames()
	}
	e.tables = []record.Table{}
	for _, name := range names {
		t, ok := record.ParseTable(name)
		if !ok {
			return fmt.Errorf("no table %q; there are %v", name, record.TableNames())
		}
		e.tables = append(e.tables, t)
	}
	e.result.Tables = names
	return nil
}

// replicate says how many replications a point has.
func (e *experiment) replicate(p *point) {
	r := e.Scenario.Replications
	p.refilled = p.world.FillRandom && slices.Contains(r.Over, "fill")
	p.weathered = p.world.Weather && slices.Contains(r.Over, "weather")
	_, drawn := p.world.EstimateError()
	p.random = p.refilled || p.weathered || drawn
	p.from, p.to = max(r.From, 1), max(r.To, r.From, 1)
	if r.Precision <= 0 {
		p.to = p.from
	}
	if e.Replications > 0 {
		p.from, p.to = e.Replications, e.Replications
	}
	if !p.random {
		p.from, p.to = 1, 1
	}
}

// fills returns the replication whose streams fill the gaps of a trace: where
// fills are not to vary, all replications have the first one's.
func (p *point) fills(replication int) int {
	if p.refilled {
		return replication
	}
	return 1
}

// weathers returns the replication whose streams draw the weather.
func (p *point) weathers(replication int) int {
	if p.weathered {
		return replication
	}
	return 1
}

// conclude writes the summary where all runs are there, of all points; else it
// summarizes the points whose runs are.
func (e *experiment) conclude() error {
	whole := true
	var points []*point
	for _, p := range e.points {
		if missing, err := e.advance(p); err != nil {
			return err
		} else if len(missing) > 0 {
			whole = false
			continue
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil
	}
	policies := e.covered(points)
	s := &Summary{Scenario: e.Scenario.Name, Baseline: e.Scenario.Baseline}
	for _, p := range points {
		sp, err := e.summarize(p, policies)
		if err != nil {
			return err
		}
		s.Points = append(s.Points, sp)
	}
	e.result.Summary = s
	if !whole {
		return nil
	}
	e.result.Written = true
	if e.folder.finished(s) {
		return nil
	}
	m := e.manifest(policies)
	if err := e.addRuns(m, points, policies); err != nil {
		return err
	}
	return e.folder.finish(m, e.points, s)
}

// covered returns the policies that the summary covers: those that were to be
// run, and of the scenario's others those whose runs stand too.
func (e *experiment) covered(points []*point) []string {
	list := slices.DeleteFunc(slices.Clone(e.Scenario.Policies), func(policy string) bool {
		return !slices.Contains(e.policies, policy) && slices.ContainsFunc(points, func(p *point) bool {
			for r := 1; r <= p.planned; r++ {
				if !e.complete(p, policy, r) {
					return true
				}
			}
			return false
		})
	})
	for _, policy := range e.policies {
		if !slices.Contains(list, policy) {
			list = append(list, policy)
		}
	}
	return list
}
