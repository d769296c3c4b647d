package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

func newTrace() *cobra.Command {
	return parent("trace", "convert, look at and sample workload traces", newTraceConvert(), newTraceStat(), newTraceSample())
}

// reading are the flags of whatever reads a trace.
type reading struct {
	format      *choice
	skipBadRows bool
}

func (r *reading) add(cmd *cobra.Command) {
	r.format = choose(cmd, "from", "format of the trace that is read", append([]string{"auto"}, trace.FormatNames()...)...)
	cmd.Flags().BoolVar(&r.skipBadRows, "skip-bad-rows", false, "leave broken rows out, and count them")
}

// name is the format as package trace wants it.
func (r *reading) name() string {
	if r.format.value == "auto" {
		return ""
	}
	return r.format.value
}

func newTraceConvert() *cobra.Command {
	var r reading
	cmd := &cobra.Command{
		Use: "convert IN OUT", Short: "write a trace in tiersim's schema",
		Long: "Reads a trace of any format that is known (told by its content) and writes it in tiersim's\n" +
			"schema; the ending of OUT says how: .csv, .csv.gz, .csv.zst or .parquet.",
		Example: "  tiersim trace convert CTC-SP2-1996.swf.gz ctc.parquet",
		Args:    between(2, 2, "a trace and a file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := trace.Convert(cmd.Context(), args[0], args[1], trace.ConvertOptions{Format: r.name(), SkipBadRows: r.skipBadRows})
			if err != nil {
				return err
			}
			return report.WriteText(cmd.ErrOrStderr())
		},
	}
	r.add(cmd)
	return cmd
}

func newTraceStat() *cobra.Command {
	var r reading
	var output *choice
	cmd := &cobra.Command{
		Use: "stat TRACE", Short: "what a trace holds",
		Args: between(1, 1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := trace.Stat(cmd.Context(), args[0], trace.StatOptions{Format: r.name(), SkipBadRows: r.skipBadRows})
			if err != nil {
				return err
			}
			if output.value == "json" {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				return e.Encode(s)
			}
			return s.WriteText(cmd.OutOrStdout())
		},
	}
	r.add(cmd)
	output = choose(cmd, "output", "form of the answer", "text", "json")
	return cmd
}

func newTraceSample() *cobra.Command {
	var r reading
	var o trace.SampleOptions
	var start, length string
	cmd := &cobra.Command{
		Use: "sample IN OUT", Short: "write a part of a trace",
		Long: "Writes the tasks that are submitted in a window, or a share of them drawn by name, or both.\n" +
			"Rows do not change; what a task comes after is kept with it.",
		Example: "  tiersim trace sample jobs.parquet day2.parquet --start 24h --length 24h\n" +
			"  tiersim trace sample jobs.parquet tenth.csv.gz --share 0.1",
		Args: between(2, 2, "a trace and a file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.From, err = unit.ParseSeconds(start); err != nil {
				return usage(cmd, fmt.Errorf("--start: %w", err))
			}
			if o.HasLength = length != ""; o.HasLength {
				if o.Length, err = unit.ParseSeconds(length); err != nil {
					return usage(cmd, fmt.Errorf("--length: %w", err))
				}
			}
			if !(o.Share > 0 && o.Share <= 1) {
				return usage(cmd, fmt.Errorf("--share: got %v, want a share above 0 and up to 1, such as 0.1", o.Share))
			}
			o.Format, o.SkipBadRows = r.name(), r.skipBadRows
			report, err := trace.Sample(cmd.Context(), args[0], args[1], o)
			if err != nil {
				return err
			}
			return report.WriteText(cmd.ErrOrStderr())
		},
	}
	r.add(cmd)
	cmd.Flags().StringVar(&start, "start", "0s", "where the window begins, from the trace's start")
	cmd.Flags().StringVar(&length, "length", "", "how long it is; to the end where not given")
	cmd.Flags().Float64Var(&o.Share, "share", 1, "share of the window's tasks that is drawn")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the draw")
	return cmd
}
