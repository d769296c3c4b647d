package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tiersim/sim/experiment"
)

// tell prints the comparison, and on stderr what happened and where the results
// are.
func (f *runFlags) tell(stdout, stderr io.Writer, r *experiment.Result) error {
	if !f.quiet {
		for _, n := range slices.Concat(f.notes, r.Notes) {
			fmt.Fprintf(stderr, "tiersim: note: %s\n", n)
		}
	}
	if r.Summary != nil {
		if err := f.printSummary(stdout, r.Summary); err != nil {
			return err
		}
	}
	if f.quiet {
		return nil
	}
	switch {
	case r.Done == 0 && r.Written:
		fmt.Fprintf(stderr, "nothing to do: all %d runs of these inputs are complete (--force starts again)\n", r.Runs)
	case r.Kept > 0:
		fmt.Fprintf(stderr, "%d new runs; %d were complete already\n", r.Done, r.Kept)
	}
	if !r.Written {
		fmt.Fprintf(stderr, "runs of other shards or policies are still missing in %s; the process that finds all of them there writes the summary\n", r.Folder)
		return nil
	}
	where := fmt.Sprintf("results: %s (summary.csv, summary.json, points.csv, manifest.json", r.Folder)
	if len(r.Tables) > 0 {
		where += "; tables " + strings.Join(r.Tables, ", ")
	}
	fmt.Fprintf(stderr, "%s)\nfigures: %s\n", where, filepath.Join(r.Folder, "figures", "cost-by-policy-*.svg and .png"))
	return nil
}

func (f *runFlags) printSummary(w io.Writer, s *experiment.Summary) error {
	switch f.output.value {
	case "json":
		return s.Record().WriteJSON(w)
	case "csv":
		return s.Record().WriteCSV(w)
	}
	return printComparison(w, s)
}

// rateLine is the line that a run ends with.
func rateLine(r *experiment.Result) string {
	seconds := r.Replayed.Seconds()
	rate := 0.0
	if seconds > 0 {
		rate = float64(r.Tasks) / seconds
	}
	return fmt.Sprintf("replayed %d tasks, %d events in %s s (%.0f tasks/s)", r.Tasks, r.Events, threeDigits(r.Replayed), rate)
}

// threeDigits prints seconds with at least three significant digits, without an
// exponent or separators.
func threeDigits(d time.Duration) string {
	digits := 3
	for limit := 0.1; d > 0 && d.Seconds() < limit; limit /= 10 {
		digits++
	}
	return strconv.FormatFloat(d.Seconds(), 'f', digits, 64)
}

// selected returns the tables that the flag --tables asks for.
func (f *runFlags) selected() []string {
	switch {
	case slices.Contains(f.tables.values, "all"):
		return slices.DeleteFunc(slices.Clone(f.tables.of), func(s string) bool { return s == "all" || s == "none" })
	case slices.Contains(f.tables.values, "none"):
		return []string{}
	}
	return slices.DeleteFunc(slices.Clone(f.tables.of), func(s string) bool { return !slices.Contains(f.tables.values, s) })
}
