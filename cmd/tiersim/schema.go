package main

import (
	"github.com/spf13/cobra"

	"tiersim/sim/record"
	"tiersim/sim/scenario"
)

func newSchema() *cobra.Command {
	leaf := func(name, short string, write func(*cobra.Command) error) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, Args: between(0, 0, "no arguments"),
			RunE: func(cmd *cobra.Command, _ []string) error { return write(cmd) },
		}
	}
	var form *choice
	tables := leaf("tables", "the definition of every column of the results", func(cmd *cobra.Command) error {
		if form.value == "text" {
			return record.WriteTables(cmd.OutOrStdout())
		}
		return record.WriteTablesJSON(cmd.OutOrStdout())
	})
	form = choose(tables, "output", "form of the definitions", "json", "text")
	cmd := parent("schema", "print a JSON Schema of the YAML files, or what tables hold",
		leaf("topology", "JSON Schema of topology files", func(cmd *cobra.Command) error {
			_, err := cmd.OutOrStdout().Write(scenario.TopologySchema())
			return err
		}),
		leaf("scenario", "JSON Schema of scenario files", func(cmd *cobra.Command) error {
			_, err := cmd.OutOrStdout().Write(scenario.Schema())
			return err
		}),
		leaf("rules", "JSON Schema of files of exclusion rules", func(cmd *cobra.Command) error {
			_, err := cmd.OutOrStdout().Write(scenario.RulesSchema())
			return err
		}),
		tables)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := cmd.OutOrStdout().Write(scenario.FileSchema())
		return err
	}
	return cmd
}
