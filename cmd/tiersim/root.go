package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"tiersim/sim/fault"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFault       = 3
	exitInterrupted = 130
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tiersim",
		Short: "replay workload traces over rooms, cities and hubs",
		Long: `tiersim replays workload traces over rooms, cities and hubs, event by event, to
find when it pays to move a task, to move its data, or to wait.

  tiersim run                      replays the embedded scenario
  tiersim run my.yaml              replays yours
  tiersim check my.yaml            every fault in it, without a run`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              subcommandOnly,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{DisableDescriptions: false},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err) })
	root.AddCommand(newRun(), newCheck(), newTrace(), newTopology(), newSchema(), newVersion())
	return root
}

// A usageError is a command line that cannot be meant.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }

func usage(cmd *cobra.Command, err error) error {
	return &usageError{err, fmt.Sprintf("'%s --help' tells how to use it", cmd.CommandPath())}
}

// between wants from least to most arguments; names say what they are.
func between(least, most int, names string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(cmd, fmt.Errorf("%s wants %s, got %d arguments", cmd.CommandPath(), names, len(args)))
		case most >= 0 && len(args) > most:
			return usage(cmd, fmt.Errorf("%s wants %s, got also %q", cmd.CommandPath(), names, args[most]))
		}
		return nil
	}
}

// subcommandOnly refuses what is no subcommand, and says which is near.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	err := fmt.Errorf("%s has no subcommand %q; it has %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))
	if near, ok := fault.Suggest(args[0], names); ok {
		err = fmt.Errorf("%s has no subcommand %q; write %s", cmd.CommandPath(), args[0], near)
	}
	return usage(cmd, err)
}

// parent makes a command that only holds others.
func parent(name, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Args: subcommandOnly,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usage(cmd, fmt.Errorf("%s wants a subcommand", cmd.CommandPath()))
		},
	}
	cmd.AddCommand(children...)
	return cmd
}

// report tells an error on stderr, a fault a line, and returns the exit code.
func report(stderr io.Writer, err error) int {
	var end *ended
	if errors.As(err, &end) {
		defer fmt.Fprintln(stderr, end.line)
		err = end.err
	}
	if err == nil {
		return exitDone
	}
	if list, ok := fault.Of(err); ok {
		for _, f := range list {
			fmt.Fprintf(stderr, "tiersim: %v\n", f)
		}
		return exitFault
	}
	for line := range strings.SplitSeq(strings.TrimSpace(err.Error()), "\n") {
		fmt.Fprintf(stderr, "tiersim: %s\n", line)
	}
	var wrong *usageError
	switch {
	case errors.As(err, &wrong):
		fmt.Fprintln(stderr, wrong.hint)
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, fs.ErrNotExist):
		return exitFault
	}
	return exitFailed
}
