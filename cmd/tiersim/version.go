package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"tiersim/sim/experiment"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: between(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := build()
			line := "tiersim " + b.Version
			if b.Commit != "" {
				line += ", commit " + b.Commit
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, %s\n", line, b.Go)
			return err
		},
	}
}

// build tells which tiersim this is, as far as the toolchain has written it in.
func build() experiment.Build {
	b := experiment.Build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value + b.Commit
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "+changes"
		}
	}
	return b
}
