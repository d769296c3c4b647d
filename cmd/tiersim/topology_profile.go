package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tiersim/sim/fault"
	"tiersim/sim/figure"
	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// peekFlags say which link of which world is looked at.
type peekFlags struct {
	link, point, out string
	set              []string
	seed             uint64
	replication, day int
}

func (f *peekFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.link, "profile", "", "draw the capacity of this `LINK` over a day, such as east>west")
	flags.IntVar(&f.day, "day", 1, "of --profile: which `DAY` of the run, from 1 on")
	flags.Uint64Var(&f.seed, "seed", 0, "of --profile: seed, in place of the scenario's")
	flags.IntVar(&f.replication, "replication", 1, "of --profile: which replication, from 1 on")
	flags.StringVar(&f.out, "out", "", "of --profile: a `FILE` for it, too: .csv, .svg or .png")
	flags.StringVar(&f.point, "point", "", "the scenario's design `POINT`, by name or number; left out, its first")
	flags.StringArrayVar(&f.set, "set", nil, "`KEY=VALUE` in place of a value of the scenario or topology; may be repeated")
}

// endings are those of the files that a profile can be saved to.
var endings = []string{".csv", ".svg", ".png"}

func (f *peekFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"day", "seed", "replication", "out"} {
		if f.link == "" && cmd.Flags().Changed(name) {
			return usage(cmd, fmt.Errorf("--%s has no effect without --profile; add --profile LINK", name))
		}
	}
	switch {
	case f.day < 1:
		return usage(cmd, fmt.Errorf("--day: got %d, want a day from 1 on", f.day))
	case f.replication < 1:
		return usage(cmd, fmt.Errorf("--replication: got %d, want one from 1 on", f.replication))
	case f.out != "" && !slices.Contains(endings, filepath.Ext(f.out)):
		return usage(cmd, fmt.Errorf("--out: got %q, want a name that ends in %s", f.out, strings.Join(endings, ", ")))
	}
	return nil
}

// A linkDay is what a link's capacity does over a day.
type linkDay struct {
	link      *topo.Link
	laws      string // what shapes it
	stretches []profile.Stretch
	begin     unit.Time
	source    string // of which replication and seed
}

func (f *peekFlags) show(cmd *cobra.Command, file string, w *scenario.World) error {
	d, err := f.dayOf(file, w)
	if err != nil {
		return err
	}
	if err := d.print(cmd.OutOrStdout()); err != nil || f.out == "" {
		return err
	}
	data, err := d.encode(filepath.Ext(f.out))
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.out, data, 0o666); err != nil {
		return fault.Fault{File: f.out, Message: fmt.Sprintf("cannot be written: %v; name another with --out", err)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "saved: %s", f.out)
	if filepath.Ext(f.out) == ".csv" {
		fmt.Fprint(cmd.ErrOrStderr(), "; a link that has it: fluctuation: {kind: recorded, file: "+filepath.Base(f.out)+", unit: bit/s}")
	}
	fmt.Fprintln(cmd.ErrOrStderr())
	return nil
}

// dayOf follows the link's course, drawn as a run draws it.
func (f *peekFlags) dayOf(file string, w *scenario.World) (*linkDay, error) {
	id, err := findLink(w.Topology, file, f.link)
	if err != nil {
		return nil, err
	}
	link := &w.Topology.Links[id]
	var law profile.Law = profile.Constant{Value: profile.Value{Number: float64(link.Capacity)}}
	if l := w.CapacityOf(id); l != nil {
		law = l
	}
	d := &linkDay{link: link, begin: unit.Time(unit.Day * unit.Seconds(f.day-1)), laws: besides(w, id)}
	if law.Random() {
		d.source = fmt.Sprintf(", replication %d of seed %d", f.replication, f.seed)
	}
	course := law.Begin(rng.New(f.seed, f.replication), "link/"+link.Name)
	d.stretches = profile.Between(course, d.begin, d.begin.Add(unit.Day))
	return d, nil
}

// besides says what a link has that its capacity does not show.
func besides(w *scenario.World, id topo.LinkID) string {
	var list []string
	if w.Jitter != nil && w.Jitter[id].Law != nil {
		j := w.Jitter[id]
		list = append(list, fmt.Sprintf("jitter %v on average, P95 %v, correlated over %v", j.Mean(), unit.Seconds(j.Law.Quantile(0.95)), j.Tau))
	}
	if w.Shapers != nil && w.Shapers[id].Burst > 0 {
		s := w.Shapers[id]
		list = append(list, fmt.Sprintf("a token bucket: %v until %v are used, then %v", s.Burst, s.Size, s.Refill))
	}
	if w.Reservable != nil && w.Reservable[id] > 0 {
		list = append(list, fmt.Sprintf("reservable up to %.3g %%", 100*w.Reservable[id]))
	}
	return strings.Join(list, "; ")
}

func findLink(t *topo.Topology, file, name string) (topo.LinkID, error) {
	var names []string
	for i := range t.Links {
		if t.Links[i].Name == name {
			return topo.LinkID(i), nil
		}
		names = append(names, t.Links[i].Name)
	}
	message := fmt.Sprintf("no link %q; write it as from>to", name)
	if near, ok := fault.Suggest(name, names); ok {
		message = fmt.Sprintf("no link %q; write %s", name, near)
	} else if len(names) > 0 {
		message += ", such as " + names[len(names)-1]
	}
	return 0, fault.Fault{File: file, Message: message}
}

const (
	chartWidth, chartHeight = 72, 10
	hoursShown              = 24
)

// print draws it, a column for each third of an hour: full up to the least value in
// it, lighter up to its mean.
func (d *linkDay) print(w io.Writer) error {
	s := profile.SurveyOf(d.stretches)
	fmt.Fprintf(w, "%s, day %d%s\n", d.link.Name, int(float64(d.begin)/float64(unit.Day))+1, d.source)
	switch {
	case math.IsInf(s.Most, 1):
		fmt.Fprintln(w, "  no limit")
	case s.Changes == 0:
		fmt.Fprintf(w, "  %v all day\n", unit.Rate(s.Mean))
	default:
		fmt.Fprint(w, d.chart(s))
		fmt.Fprintf(w, "  mean %v, P5 %v, P50 %v, P95 %v, least %v; %s changes\n",
			unit.Rate(s.Mean), unit.Rate(s.P5), unit.Rate(s.P50), unit.Rate(s.P95), unit.Rate(s.Least), grouped(float64(s.Changes)))
		if s.Closings > 0 {
			times := "once"
			if s.Closings > 1 {
				times = fmt.Sprintf("%d times", s.Closings)
			}
			fmt.Fprintf(w, "  down %s, for %v in all (%.2f %% of the day)\n", times, unit.Seconds(s.Closed)*unit.Day, 100*s.Closed)
		}
	}
	if d.laws != "" {
		fmt.Fprintf(w, "  %s\n", d.laws)
	}
	return nil
}

// bars are eighths of a cell.
var bars = []rune(" ▁▂▃▄▅▆▇█")

func (d *linkDay) chart(s profile.Survey) string {
	columns := profile.Columns(d.stretches, chartWidth)
	top := roundUp(s.Most * 8 / 1e9) // Gbit/s
	unitText, by := "Gbit/s", 1e9/8
	if top < 1 {
		top, unitText, by = roundUp(s.Most*8/1e6), "Mbit/s", 1e6/8
	}
	var b strings.Builder
	for row := chartHeight - 1; row >= 0; row-- {
		label := ""
		switch row {
		case chartHeight - 1:
			label = strconv.FormatFloat(top, 'g', 4, 64)
		case chartHeight/2 - 1:
			label = strconv.FormatFloat(top/2, 'g', 4, 64)
		case 0:
			label = "0"
		}
		fmt.Fprintf(&b, "  %6s │", label)
		var line strings.Builder
		for _, c := range columns {
			line.WriteRune(cell(c, row, top*by))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	fmt.Fprintf(&b, "  %6s └%s\n", unitText, strings.Repeat("─", chartWidth))
	b.WriteString("          ")
	for h := 0; h < hoursShown; h += 4 {
		fmt.Fprintf(&b, "%-12s", fmt.Sprintf("%d:00", h))
	}
	b.WriteString("24:00\n")
	return b.String()
}

// cell is what stands in a row of a column: its mean as a bar, and shade where some of
// the time less was there.
func cell(c profile.Survey, row int, top float64) rune {
	eighths := int(math.Round(c.Mean/top*8*chartHeight)) - 8*row
	least := int(math.Round(c.Least/top*8*chartHeight)) - 8*row
	switch {
	case eighths <= 0:
		return ' '
	case eighths < 8:
		return bars[eighths]
	case least < 8 && c.Least < 0.5*c.Mean:
		return '░'
	}
	return bars[8]
}

// roundUp is the next of 1, 2, 3, 4, 5, 6, 8, 10 times a power of ten.
func roundUp(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 3, 4, 5, 6, 8} {
		if v <= m*power {
			return m * power
		}
	}
	return 10 * power
}

// encode makes a file of it: its steps, or a picture.
func (d *linkDay) encode(ending string) ([]byte, error) {
	if ending == ".csv" {
		var b bytes.Buffer
		b.WriteString("time_s,value\n")
		for _, s := range d.stretches {
			fmt.Fprintf(&b, "%v,%v\n", float64(s.From.Sub(d.begin)), 8*s.Value)
		}
		return b.Bytes(), nil
	}
	f := figure.Course{
		Title: "Capacity of " + d.link.Name, Note: strings.TrimPrefix(fmt.Sprintf("day %d%s", int(float64(d.begin)/float64(unit.Day))+1, d.source), ", "),
		Unit: "Gbit/s", End: hoursShown,
	}
	for _, s := range d.stretches {
		f.Steps = append(f.Steps, figure.Step{Hour: s.From.Sub(d.begin).Hours(), Value: 8 * s.Value / 1e9})
	}
	if ending == ".svg" {
		return f.SVG()
	}
	return f.PNG()
}
