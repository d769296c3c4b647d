package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/record"
)

// Check tells topologies, scenarios and traces apart by what they hold, and finds
// what is wrong in each, tasks that no pool can ever take included.
func TestCheck(t *testing.T) {
	topology := "name: t\nhubs: [{name: h, cities: [{name: c, rooms: [{name: r, pools: [{name: p, slots: 8}]}]}]}]\n"
	scenario := "name: s\ntopology: t.yaml\ntrace: batch.csv\n"
	rows := "task,submit_s,work_s,slots\na,0,10,8\n"
	for name, c := range map[string]struct {
		files map[string]string
		check []string
		want  []string // parts of the faults
	}{
		"good":             {nil, []string{"t.yaml", "s.yaml", "batch.csv"}, nil},
		"topology":         {map[string]string{"t.yaml": topology + "link: 1\n"}, []string{"t.yaml"}, []string{"t.yaml:3:1: link: no such key in a topology; write links"}},
		"scenario's parts": {map[string]string{"t.yaml": topology + "link: 1\n", "s.yaml": scenario + "sed: 1\n"}, []string{"s.yaml"}, []string{"s.yaml:4:1: sed:", "t.yaml:3:1: link:"}},
		"row":              {map[string]string{"batch.csv": rows + "b,NaN,10,1\n"}, []string{"s.yaml"}, []string{"batch.csv:3"}},
		"row alone":        {map[string]string{"batch.csv": rows + "b,NaN,10,1\n"}, []string{"batch.csv"}, []string{"batch.csv:3"}},
		"never fits":       {map[string]string{"batch.csv": rows + "b,1,10,9\n"}, []string{"s.yaml"}, []string{"the largest pool"}},
		"fits in no point": {map[string]string{"s.yaml": scenario + "points: {small: {topology.p.slots: 4}}\n"}, []string{"s.yaml"}, []string{"the largest pool"}},
		"folder":           {map[string]string{"s.yaml": strings.Replace(scenario, "batch.csv", "d.csv", 1), "d.csv/x": ""}, []string{"s.yaml"}, []string{`trace: got "d.csv", and d.csv cannot be read: is a folder, want a file`}},
		"folder alone":     {map[string]string{"d/x": ""}, []string{"d"}, []string{"is a folder"}},
		"absent":           {nil, []string{"x.yaml", "bach.csv"}, []string{"no file", "write batch.csv"}},
	} {
		all := map[string]string{"t.yaml": topology, "s.yaml": scenario, "batch.csv": rows}
		for k, v := range c.files {
			all[k] = v
		}
		dir := write(t, all)
		var names []string
		for _, n := range c.check {
			names = append(names, filepath.Join(dir, n))
		}
		got := ""
		if err := Check(names...); err != nil {
			got = strings.ReplaceAll(err.Error(), dir+string(os.PathSeparator), "")
		}
		if lines := strings.Split(got, "\n"); got != "" && len(lines) != len(c.want) || (got == "") != (c.want == nil) {
			t.Errorf("%s: got\n%s\nwant %v", name, got, c.want)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %s", name, got, want)
			}
		}
	}
}

// The tables that a scenario may name are those that there are.
func TestTables(t *testing.T) {
	if !slices.Equal(tableNames(), record.TableNames()) {
		t.Errorf("tables %v, package record has %v", tableNames(), record.TableNames())
	}
	for text, want := range map[string][]string{"all": record.TableNames(), "none": {}, "[links]": {"links"}} {
		if s := mustLoad(t, nil, "tables="+text); !slices.Equal(s.Tables, want) || s.Tables == nil {
			t.Errorf("tables: %s gives %v", text, s.Tables)
		}
	}
	s := mustLoad(t, map[string]string{"s.yaml": replaced(t, baseScenario, "tables: [tasks, links]\n", "")})
	if s.Tables != nil {
		t.Errorf("without tables: %v, want nil for all", s.Tables)
	}
}

// What is left out means what FORMATS says.
func TestLeftOut(t *testing.T) {
	s := mustLoad(t, map[string]string{
		"t.yaml": "name: t\nhubs: [{name: h, cities: [{name: c, rooms: [{name: r, pools: [{name: p, slots: 8}]}]}]}]\n",
		"s.yaml": "name: s\ntopology: t.yaml\ntrace: batch.csv\n",
	})
	got := printAll(t, s)
	for _, want := range []string{
		"[first-free stay at-data move-task move-data three-way] at-data {From:10 To:10 Precision:0 Over:[weather fill]} 1 []",
		"{Name:p Room:0 Kind:1 Slots:8 PerNode:1 Speed:1 Price:0 Cost:0 HasCost:false Queue:0 Estimates:0 Held:0 Never:0}",
		"{Name:r>c Tier:room From:r To:c Capacity:unlimited Latency:0s Price:0}",
		"{Domain:1 ValueOfTime:0.5 Thresholds:{Share:0.2 ShareCash:0.2 Interruption:1 Latency:1 Ratio:0} Buffer:0.9 Without: Blind:false NoChannels:false} {Kind:0 Sigma:0} false {StartupRTTs:0 Window:0B ParallelStreams:1 OnOutage:{Kind:0 Chunk:0B} Loss:0 MSS:1.46kB RTTBias:0} none false",
		"From:0s Length:0s HasLength:false Carry:false Load:1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
