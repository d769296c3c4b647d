package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tiersim/sim/scenario"
)

func newCheck() *cobra.Command {
	return &cobra.Command{
		Use:     "check FILE...",
		Short:   "tell every fault in topologies, scenarios and traces",
		Long:    "Reads the files and what they name, and tells every fault with its place and the edit that\nmends it. Nothing is run.",
		Example: "  tiersim check my.yaml\n  tiersim check topologies/*.yaml jobs.csv",
		Args:    between(1, -1, "one file or more"),
		RunE: func(cmd *cobra.Command, args []string) error {
			faults, notes := scenario.Inspect(args...)
			for _, n := range notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "tiersim: note: %s\n", n)
			}
			if err := faults.Err(); err != nil {
				return err
			}
			for _, name := range args {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: no faults\n", name)
			}
			return nil
		},
	}
}
