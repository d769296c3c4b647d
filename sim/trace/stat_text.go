package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"tiersim/sim/unit"
)

// WriteText prints what a trace holds, for a person to read.
func (s *Stats) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s tasks", s.File, s.Format, thousands(s.Tasks))
	if s.Rows != s.Tasks {
		fmt.Fprintf(&b, " of %s rows", thousands(s.Rows))
	}
	b.WriteByte('\n')
	for _, d := range s.Dropped {
		fmt.Fprintln(&b, d)
	}
	for _, n := range s.Notes {
		fmt.Fprintln(&b, n)
	}
	if s.Unsorted {
		fmt.Fprintln(&b, "rows are not in the order of submit_s")
	}
	if s.Tasks > 0 {
		s.arrivalsText(&b)
		s.partsText(&b)
		s.numbersText(&b)
		s.datasetsText(&b)
	}
	s.columnsText(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Stats) arrivalsText(b *strings.Builder) {
	a := &s.Arrivals
	fmt.Fprintf(b, "\nsubmitted  %s to %s s, a span of %v\n", formatNumber(s.FirstS), formatNumber(s.LastS), unit.Seconds(s.SpanS))
	if a.MeanPerHour > 0 {
		fmt.Fprintf(b, "arrivals   %.3g an hour, at most %s (hour %d)\n", a.MeanPerHour, thousands(a.MaxPerHour), a.BusiestHour)
	}
	if n := len(a.PerDay); n > 1 {
		folded, each := fold(a.PerDay, 92)
		fmt.Fprintf(b, "by day     %s  %d days", bars(folded), n)
		if each > 1 {
			fmt.Fprintf(b, ", %d a bar", each)
		}
		fmt.Fprintf(b, ", at most %s a day\n", thousands(most(a.PerDay)))
	}
	if s.SpanS >= 86400 {
		fmt.Fprintf(b, "by hour    %s  hours of the day, from the start's\n", bars(a.HourOfDay[:]))
	}
}

func (s *Stats) partsText(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, of := range []struct {
		column Column
		parts  []Part
		count  int
	}{{ColClass, s.Classes, len(s.Classes)}, {ColKind, s.Kinds, len(s.Kinds)}, {ColGroup, s.Groups, s.GroupCount}} {
		if of.column != ColClass && slices.Contains(s.Missing, of.column.String()) {
			continue
		}
		fmt.Fprintf(t, "\n%s\ttasks\t\tslot-hours\t\n", of.column)
		for _, p := range of.parts {
			hours := "not known"
			if s.WorkS.N > 0 {
				hours = fmt.Sprintf("%.4g", p.SlotHours)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.Name, thousands(p.Tasks), percent(float64(p.Tasks), float64(s.Tasks)),
				hours, percent(p.SlotHours, s.SlotHours))
		}
		if more := of.count - len(of.parts); more > 0 {
			fmt.Fprintf(t, "and %d more\t\t\t\t\n", more)
		}
	}
	t.Flush() // to a buffer, which takes all
}

func (s *Stats) numbersText(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\n\ttasks\tsum\tmean\tmin\tp50\tp90\tp99\tmax\n")
	count := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	volume := func(v float64) string { return unit.Bytes(v).String() }
	length := func(v float64) string {
		if v == 0 {
			return "0s"
		}
		return unit.Seconds(v).String()
	}
	for _, of := range []struct {
		name  string
		d     *Distribution
		print func(float64) string
	}{{"slots", &s.Slots, count}, {"work_s", &s.WorkS, length}, {"input_bytes", &s.InputBytes, volume},
		{"shuffle_bytes", &s.ShuffleBytes, volume}, {"output_bytes", &s.OutputBytes, volume}} {
		if of.d.N == 0 {
			fmt.Fprintf(t, "%s\tnone\t\t\t\t\t\t\t\n", of.name)
			continue
		}
		fmt.Fprintf(t, "%s\t%s", of.name, thousands(of.d.N))
		for _, v := range []float64{of.d.Sum, of.d.Mean, of.d.Min, of.d.P50, of.d.P90, of.d.P99, of.d.Max} {
			fmt.Fprintf(t, "\t%s", of.print(v))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if s.WorkS.N > 0 {
		fmt.Fprintf(b, "slot-hours  %.4g\n", s.SlotHours)
	}
}

func (s *Stats) datasetsText(b *strings.Builder) {
	d := &s.Datasets
	if d.Count == 0 {
		return
	}
	fmt.Fprintf(b, "\ndata sets  %s, %v; %s reads of %v\n", thousands(int64(d.Count)), unit.Bytes(d.Bytes), thousands(d.Reads), unit.Bytes(d.ReadBytes))
	fmt.Fprintf(b, "re-use     %s sets are read more than once, %s of them with different bytes; %s of the reads find a set that was read before\n",
		thousands(int64(d.Reused)), thousands(int64(d.Varying)), percent(float64(d.Again), float64(d.Reads)))
	fmt.Fprintf(b, "most read  %s, %s times; largest %s, %v\n", d.MostRead.Name, thousands(d.MostRead.Reads), d.Largest.Name, unit.Bytes(d.Largest.Bytes))
}

func (s *Stats) columnsText(b *strings.Builder) {
	b.WriteString("\ncolumns   ")
	for _, c := range s.Present {
		fmt.Fprintf(b, " %s", c.Column)
		if c.Tasks < s.Tasks {
			fmt.Fprintf(b, " (%s)", percent(float64(c.Tasks), float64(s.Tasks)))
		}
	}
	fmt.Fprintf(b, "\nno values  %s\n", strings.Join(s.Missing, " "))
}

// bars draws counts as a line of bars, the largest full; a day in between that
// has none is a space.
func bars(counts []int64) string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	top := most(counts)
	var b strings.Builder
	for _, n := range counts {
		k := int64(0)
		if n > 0 {
			k = 1 + (n-1)*7/max(top-1, 1)
		}
		b.WriteRune(levels[k])
	}
	return b.String()
}

// fold adds up neighbors so that at most n counts stay, and returns how many
// make one.
func fold(counts []int64, n int) (folded []int64, each int) {
	each = (len(counts) + n - 1) / n
	for i, c := range counts {
		if i%each == 0 {
			folded = append(folded, 0)
		}
		folded[len(folded)-1] += c
	}
	return folded, each
}

func most(counts []int64) int64 {
	top := int64(0)
	for _, n := range counts {
		top = max(top, n)
	}
	return top
}

// thousands prints a count with a comma after every third digit.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func percent(part, whole float64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g %%", 100*part/whole)
}
