package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/rng"
	"tiersim/sim/task"
)

// rule returns a rule that sets one column.
func rule(c Column, v Value, when ...Condition) Rule {
	return Rule{When: when, Set: []Assignment{{Column: c, Value: v, At: Where{File: "s.yaml", Line: 7}}}, At: Where{File: "s.yaml", Line: 6}}
}

// when parses a condition.
func when(t testing.TB, column string, values ...string) Condition {
	t.Helper()
	c, err := ParseCondition(column, values)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// constant parses a constant.
func constant(t testing.TB, c Column, s string) Value {
	t.Helper()
	cell, err := ParseConstant(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return Value{Cell: cell}
}

// The first rule that fits gives the value; a cell that has one keeps it;
// conditions see defaults and what rules before them gave.
func TestFirstRuleThatFits(t *testing.T) {
	csv := "task,submit_s,class,slots,work_s,input_bytes\n" +
		"a,0,,,,\nb,0,render,,,\nc,0,science,4,7,\nd,0,,,,2e9\ne,0,,,,1e9;1e9\n"
	s := source("a.csv", csv)
	s.As = "x"
	_, got := prepared(t, Options{Sources: []Source{s}, Fill: []Rule{
		rule(ColWorkS, constant(t, ColWorkS, "1min"), when(t, "input_bytes", ">= 2GB")),
		rule(ColWorkS, constant(t, ColWorkS, "10s"), when(t, "class", "batch")),
		rule(ColPriority, constant(t, ColPriority, "5"), when(t, "work_s", "10s")),
		rule(ColWorkS, constant(t, ColWorkS, "20s"), when(t, "as", "y")),
		rule(ColWorkS, constant(t, ColWorkS, "30s"), when(t, "as", "x", "y"), when(t, "class", "render", "science"), when(t, "slots", "1")),
	}})
	want := []string{"x/a 10 5", "x/b 30 0", "x/c 7 0", "x/d 60 0", "x/e 60 0"}
	var have []string
	for _, g := range got {
		have = append(have, fmt.Sprintf("%s %v %d", g.Name, float64(g.Work), g.Priority))
	}
	diff(t, "name, work, priority", have, want)
}

// Work from bytes at a rate per slot, on a gang sized for half an hour: 90 GB at
// 10 MB/s are 9000 s of one slot, five gangs of half an hour; 3 TB would need 167
// and get 128; nothing needs one slot.
func TestRatio(t *testing.T) {
	csv := "task,submit_s,input_bytes,sync_bytes,output_bytes\n" +
		"a,0,60e9,20e9,10e9\nb,0,3e12,,\nc,0,,,\n"
	bytes := []Column{ColInputBytes, ColSyncBytes, ColOutputBytes}
	size, err := ParseRatio(ColSlots, bytes, "18GB")
	if err != nil {
		t.Fatal(err)
	}
	rate, err := ParseRatio(ColWorkS, bytes, "10MB/s")
	if err != nil {
		t.Fatal(err)
	}
	gang := Value{Kind: RatioValue, From: bytes, Rate: size, HasMin: true, Min: 1, HasMax: true, Max: 128}
	work := Value{Kind: RatioValue, From: bytes, Rate: rate, Per: []Column{ColSlots}, Plus: 20}
	for _, c := range []struct {
		round Rounding
		want  []string
	}{
		{Unrounded, []string{"a 5 1820", "b 128 2363.75", "c 1 20"}},
		{RoundPowerOfTwo, []string{"a 8 1145", "b 128 2363.75", "c 1 20"}},
	} {
		gang.Round = c.round
		o := Options{Sources: []Source{source("a.csv", csv)}, Fill: []Rule{{Set: []Assignment{{Column: ColSlots, Value: gang}, {Column: ColWorkS, Value: work}}}}}
		if o.Random() {
			t.Error("a ratio is not random")
		}
		tr, got := prepared(t, o)
		var have []string
		for _, g := range got {
			have = append(have, fmt.Sprintf("%s %d %v", g.Name, g.Slots, float64(g.Work)))
		}
		diff(t, "name, slots, work", have, c.want)
		if len(tr.NotInUse) != 0 {
			t.Errorf("fill uses sync_bytes, said to be not in use: %v", tr.NotInUse)
		}
	}
}

// What is drawn by data set is the same for all of its tasks, in every order of
// rows and beside any other source; what is drawn by task differs.
func TestDrawnByColumn(t *testing.T) {
	rooms := Value{Kind: ChoiceValue, By: []Column{ColDataset}, Second: 0.3, Of: []Choice{
		{Share: 0.6, Cell: textCell("r1")}, {Share: 0.4, Cell: textCell("r2")}}}
	home := Value{Kind: ChoiceValue, Of: []Choice{
		{Share: 0.5, Copy: true, Column: ColDataHome}, {Share: 0.25, Cell: textCell("r1")}, {Share: 0.25, Cell: textCell("r2")}}}
	size := Value{Kind: LogNormalValue, Median: 50e9, Sigma: 1.5, By: []Column{ColDataset}}
	var rows []string
	const n = 4000
	for i := range n {
		rows = append(rows, fmt.Sprintf("t%d,0,1,d%d\n", i, i%1000))
	}
	o := Options{Topology: twoRooms(t), Streams: rng.New(4, 0), Fill: []Rule{
		{Set: []Assignment{{Column: ColDataHome, Value: rooms}, {Column: ColHome, Value: home}, {Column: ColInputBytes, Value: size}}}}}
	if !o.Random() {
		t.Error("a choice is random")
	}
	read := func(rows []string) (*Trace, map[string]task.Task) {
		o.Sources = []Source{source("a.csv", "task,submit_s,work_s,dataset\n"+strings.Join(rows, ""))}
		tr, got := prepared(t, o)
		byName := map[string]task.Task{}
		for _, g := range got {
			byName[string(g.Name)] = g
		}
		return tr, byName
	}
	tr, got := read(rows)
	atHome, second, first, atData := 0, 0, 0, 0
	var logs []float64
	for _, d := range tr.Catalog.Datasets[1:] {
		if len(d.Homes) == 2 {
			second++
		}
		if d.Homes[0] == 0 {
			first++
		}
		logs = append(logs, math.Log(float64(d.Bytes)/50e9))
	}
	for _, g := range got {
		if g.Home == 0 {
			atHome++
		}
		if slices.Contains(tr.Catalog.Datasets[g.Inputs[0].Dataset].Homes, g.Home) {
			atData++
		}
		if g.Inputs[0].Bytes != tr.Catalog.Datasets[g.Inputs[0].Dataset].Bytes {
			t.Fatalf("task %s reads %v of a set of %v", g.Name, g.Inputs[0].Bytes, tr.Catalog.Datasets[g.Inputs[0].Dataset].Bytes)
		}
	}
	// Standard deviations of the counts: √(np(1-p)), 4 of them allowed.
	near := func(what string, got int, n, p float64) {
		if sd := math.Sqrt(n * p * (1 - p)); math.Abs(float64(got)-n*p) > 4*sd {
			t.Errorf("%s: got %d, want %v ± %v", what, got, n*p, 4*sd)
		}
	}
	near("sets with two homes", second, 1000, 0.3)
	near("sets first at r1", first, 1000, 0.6)
	// Half of the tasks are at the first home of their data, of the others half at
	// one of two rooms; with two homes all are: 1/2 + 1/2 (0.3 + 0.7/2).
	near("tasks at their data", atData, n, 0.5+0.5*(0.3+0.7/2))
	mean, sd := 0.0, 0.0
	for _, l := range logs {
		mean += l / 1000
	}
	for _, l := range logs {
		sd += (l - mean) * (l - mean) / 999
	}
	if sd = math.Sqrt(sd); math.Abs(mean) > 4*1.5/math.Sqrt(1000) || math.Abs(sd-1.5) > 4*1.5/math.Sqrt(2000) {
		t.Errorf("log sizes have mean %v, deviation %v, want 0 and 1.5", mean, sd)
	}
	slices.Reverse(rows)
	_, again := read(rows[:100])
	for name, g := range again {
		if g.Home != got[name].Home || g.Inputs[0].Bytes != got[name].Inputs[0].Bytes {
			t.Errorf("%s differs when other rows stand around it", name)
		}
	}
}

// Data sets of each group by Zipf: rank r has share 1/r over the harmonic number
// of 20, 3.5977.
func TestZipf(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,submit_s,work_s,group\n")
	const n = 6000
	for i := range n {
		fmt.Fprintf(&b, "t%d,0,1,g%d\n", i, i%2)
	}
	v := Value{Kind: ZipfValue, N: 20, S: 1, Name: "{group}-ds-{n}"}
	tr, got := prepared(t, Options{Sources: []Source{source("a.csv", b.String())}, Fill: []Rule{rule(ColDataset, v)}})
	count := map[string]int{}
	for _, g := range got {
		count[tr.Catalog.Datasets[g.Inputs[0].Dataset].Name]++
	}
	if len(count) != 40 {
		t.Errorf("%d data sets, want 20 of each of 2 groups", len(count))
	}
	for _, c := range []struct {
		name  string
		share float64
	}{{"g0-ds-1", 1 / 3.5977}, {"g1-ds-2", 0.5 / 3.5977}, {"g1-ds-20", 0.05 / 3.5977}} {
		if sd := math.Sqrt(n / 2 * c.share); math.Abs(float64(count[c.name])-n/2*c.share) > 4*sd {
			t.Errorf("%s: got %d, want %v ± %v", c.name, count[c.name], n/2*c.share, 4*sd)
		}
	}
}

// Means of the distributions, over 20000 evenly spread probabilities: the mean of
// the quantile function is the mean of the distribution.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		name string
		v    Value
		want float64
	}{
		{"exponential", Value{Kind: ExponentialValue, Mean: 3}, 3},
		{"weibull by mean", Value{Kind: WeibullValue, Shape: 0.7, Mean: 3}, 3},
		{"weibull by scale", Value{Kind: WeibullValue, Shape: 2, Scale: 2}, 2 * math.Sqrt(math.Pi) / 2},
		{"gamma by mean", Value{Kind: GammaValue, Shape: 2, Mean: 3}, 3},
		{"gamma by scale", Value{Kind: GammaValue, Shape: 2, Scale: 1.5}, 3},
		{"lognormal by mean", Value{Kind: LogNormalValue, Sigma: 0.5, Mean: 3}, 3},
		{"lognormal by median", Value{Kind: LogNormalValue, Sigma: 0.5, Median: 3}, 3 * math.Exp(0.125)},
		{"lognormal without sigma", Value{Kind: LogNormalValue, Median: 3}, 3},
		{"uniform", Value{Kind: UniformValue, Low: 2, High: 4}, 3},
	} {
		if err := c.v.Check(ColWorkS); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		const n = 20000
		sum := 0.0
		for i := range n {
			sum += c.v.quantile((float64(i) + 0.5) / n)
		}
		if got := sum / n; math.Abs(got/c.want-1) > 2e-3 { // the tail beyond 1-1/2n is cut
			t.Errorf("%s: mean %v, want %v", c.name, got, c.want)
		}
	}
}

// A value that makes a row wrong says so, with its place.
func TestFillAtFault(t *testing.T) {
	_, err := Prepare(Options{Dir: t.TempDir(), Sources: []Source{source("a.csv", "task,submit_s\na,0\n")}, Fill: []Rule{
		rule(ColSlots, constant(t, ColSlots, "0")), rule(ColWorkS, constant(t, ColWorkS, "1s"))}})
	want := "a.csv:2: column slots: got 0, want a whole number of at least 1; mend it, or leave the cell empty for the default (1) (fill gave it, at s.yaml:7)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	_, err = Prepare(Options{Dir: t.TempDir(), Fill: []Rule{rule(ColHome, Value{Kind: ChoiceValue, Of: []Choice{{Share: 0.5, Cell: textCell("r1")}}})}})
	want = "s.yaml:7: fill[0].set.home: the shares of a choice add up to 50%, want 100%"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestCheckValue(t *testing.T) {
	for _, c := range []struct {
		target Column
		v      Value
		want   string
	}{
		{ColTask, Value{}, "names of tasks cannot be filled"},
		{ColHome, Value{Kind: LogNormalValue, Median: 1}, "kind lognormal gives a number, home is a text"},
		{ColWorkS, Value{Kind: LogNormalValue, Sigma: 1}, "kind lognormal needs median above 0, got 0"},
		{ColWorkS, Value{Kind: RatioValue}, "kind ratio needs a column, or columns that are added up"},
		{ColWorkS, Value{Kind: RatioValue, From: []Column{ColGroup}}, "kind ratio needs columns of numbers, group is a text"},
		{ColWorkS, Value{Kind: RatioValue, From: []Column{ColWorkS}}, "work_s cannot be made from itself"},
		{ColDataset, Value{Kind: ZipfValue, N: 3, Name: "x"}, `the name "x" has no {n}, where the rank stands`},
		{ColDataset, Value{Kind: ZipfValue, N: 3, Name: "{grup}-{n}"}, `no column "grup"; write group`},
		{ColDataset, Value{Kind: ZipfValue, Name: "{n}"}, "kind zipf needs n from 1 to 1000000, got 0"},
		{ColWorkS, Value{HasMin: true, Min: 2, HasMax: true, Max: 1}, "min 2 is above max 1"},
		{ColHome, Value{Kind: ChoiceValue, Second: 0.1, Of: []Choice{{Share: 1, Cell: textCell("r")}}}, "second joins homes of one data set, home has none"},
	} {
		if err := c.v.Check(c.target); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestParseForScenarios(t *testing.T) {
	for _, c := range []struct {
		column Column
		text   string
		want   string
	}{
		{ColWorkS, "3h", "10800"}, {ColInputBytes, "2GB", "2000000000"}, {ColInputBytes, "1GB;2GB", "1e+09;2e+09"},
		{ColSlots, "8", "8"}, {ColValuePerH, "8 CNY/h", "8"}, {ColMaxRateBytesS, "1Gbit/s", "125000000"},
		{ColHome, "r1", "r1"}, {ColCheckpointS, "auto", "auto"}, {ColPriority, "-1", "-1"},
		{ColWorkS, "3", `error: got "3", want a time such as 20ms or 3h`},
		{ColSlots, "8 slots", `error: got "8 slots", want a number`},
	} {
		cell, err := ParseConstant(c.column, c.text)
		got := cell.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.column, c.text, got, c.want)
		}
	}
	if _, err := ParseCondition("clas", []string{"x"}); err == nil || err.Error() != `no column "clas"; write class` {
		t.Errorf("got %v", err)
	}
	if _, err := ParseCondition("group", []string{"> 3"}); err == nil || err.Error() != "group is a text and has no order" {
		t.Errorf("got %v", err)
	}
}
