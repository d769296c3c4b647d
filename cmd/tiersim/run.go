package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tiersim/sim/experiment"
	"tiersim/sim/fault"
	"tiersim/sim/policy"
	"tiersim/sim/record"
	"tiersim/sim/scenario"
)

// runFlags are what `tiersim run` is told.
type runFlags struct {
	out          string
	policies     choices
	replications count
	seed         uint64
	workers      count
	settings     []string
	shard        shard
	force, quiet bool
	skipBadRows  bool
	tables       choices
	output       *choice
	progress     *choice

	notes []string // of the scenario
}

func newRun() *cobra.Command {
	f := &runFlags{workers: count(runtime.GOMAXPROCS(0))}
	cmd := &cobra.Command{
		Use:   "run [SCENARIO]",
		Short: "run every design point, policy and replication, and compare them",
		Long: `Runs every design point, policy and replication of a scenario (an embedded one
where none is named), prints the comparison, and leaves tables, summary and
figures in a folder. What is complete there is not run again.`,
		Example: `  tiersim run
  tiersim run my.yaml --policy at-data,three-way --set topology.tiers.hub.capacity=x0.5 --out half
  tiersim run sweep.yaml --shard 1/8`,
		Args: between(0, 1, "at most one scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := scenario.Default
			if len(args) == 1 {
				name = args[0]
			}
			return f.run(cmd, name)
		},
	}
	f.policies.of = policy.Names()
	f.tables.of = append([]string{"all", "none"}, record.TableNames()...)
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.out, "out", "results", "folder for the results")
	flags.Var(&f.policies, "policy", "policies to run, in place of the scenario's")
	flags.Var(&f.replications, "replications", "replications of each design point, in place of the scenario's")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of all random streams, in place of the scenario's")
	flags.Var(&f.workers, "workers", "runs at once")
	flags.StringArrayVar(&f.settings, "set", nil, "`KEY=VALUE` in place of a value of the scenario or topology; may be repeated")
	flags.Var(&f.shard, "shard", "do the I-th of N parts of the design points")
	flags.BoolVar(&f.force, "force", false, "remove the results that are there and start again")
	flags.BoolVar(&f.quiet, "quiet", false, "no notes and no progress: results, errors and the closing line")
	flags.BoolVar(&f.skipBadRows, "skip-bad-rows", false, "leave broken rows of traces out, and count them")
	flags.Var(&f.tables, "tables", "tables to write, or all, or none, in place of the scenario's")
	f.output = choose(cmd, "output", "form of the comparison", "text", "json", "csv")
	f.progress = choose(cmd, "progress", "when to show the progress", "auto", "always", "never")
	complete(cmd, "policy", f.policies.of)
	complete(cmd, "tables", f.tables.of)
	return cmd
}

// load reads the scenario, with what the command line says in its place.
func (f *runFlags) load(cmd *cobra.Command, name string) (*scenario.Scenario, error) {
	s, err := scenario.Load(name, scenario.Options{Set: f.settings})
	if err != nil {
		return nil, err
	}
	f.notes = s.Notes
	if cmd.Flags().Changed("seed") {
		s.Seed = f.seed
	}
	if cmd.Flags().Changed("tables") {
		s.Tables = f.selected()
	}
	return s, nil
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	for _, s := range f.settings {
		if key, _, ok := strings.Cut(s, "="); !ok || key == "" {
			return usage(cmd, fmt.Errorf("--set %s: want KEY=VALUE such as topology.tiers.hub.capacity=20Gbit/s", s))
		}
	}
	if f.out == "" {
		return usage(cmd, errors.New("--out is empty, want a folder for the results; write --out results"))
	}
	s, err := f.load(cmd, name)
	if err != nil {
		return err
	}
	if n := len(s.Points); f.shard.Of > n {
		return usage(cmd, fmt.Errorf("--shard %s: %d shards, but scenario %s has %d design points, and a shard takes whole ones; write I/%d", &f.shard, f.shard.Of, s.Name, n, n))
	}
	made, err := makeFolder(f.out)
	if err != nil {
		return err
	}
	if made {
		defer os.Remove(f.out) // fails, as it should, where anything is in it
	}
	o := experiment.Options{
		Scenario: s, Out: f.out, Policies: f.policies.values, Replications: int(f.replications), Workers: int(f.workers),
		Shard: experiment.Shard(f.shard), Force: f.force, SkipBadRows: f.skipBadRows, Settings: f.settings, Build: build(), Figures: figures,
	}
	stop := func() {}
	if f.progress.value == "always" || f.progress.value == "auto" && !f.quiet && terminal(stderr) {
		o.Progress = new(experiment.Progress)
		stop = showProgress(stderr, o.Progress)
	}
	result, err := experiment.Run(cmd.Context(), o)
	stop()
	if errors.Is(err, context.Canceled) {
		err = &interruption{done: result.Kept + result.Done, runs: result.Runs}
	}
	if err == nil {
		err = f.tell(stdout, stderr, result)
	}
	if !result.Started {
		return err
	}
	return &ended{err, rateLine(result)}
}

// makeFolder makes the folder for the results where it is not there, or tells
// why it cannot be used.
func makeFolder(name string) (made bool, err error) {
	_, err = os.Stat(name)
	made = errors.Is(err, fs.ErrNotExist)
	err = os.MkdirAll(name, 0o777)
	var p *fs.PathError
	if errors.As(err, &p) {
		return false, fault.Fault{File: name, Message: fmt.Sprintf("cannot be a folder for results: %s: %v; name another with --out", p.Path, p.Err)}
	}
	return made, err
}

// An interruption is an end by a signal.
type interruption struct{ done, runs int }

func (i *interruption) Error() string {
	return fmt.Sprintf("interrupted; %d of %d runs are complete, the same command goes on with the others", i.done, i.runs)
}

func (i *interruption) Unwrap() error { return context.Canceled }

// ended is how a run came to its end, well or not: a last line is told after
// the error, where there is one.
type ended struct {
	err  error // nil where all went well
	line string
}

func (e *ended) Error() string { return fmt.Sprint(e.err) }

func (e *ended) Unwrap() error { return e.err }
