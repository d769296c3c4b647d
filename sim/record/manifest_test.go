package record

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testManifest() *Manifest {
	return &Manifest{
		Scenario: "two-hubs", Version: "1.0", Commit: "abc", Go: "go1.26",
		Inputs: []Input{{"two-hubs.yaml", "11"}, {"data/trace.csv", "22"}}, Seed: 1,
		Points: []string{"base"}, Policies: []string{"stay"}, Tables: TableNames(),
	}
}

func TestManifestComesBack(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new")
	if _, ok, err := ReadManifest(root); ok || err != nil {
		t.Errorf("none: %v %v", ok, err)
	}
	m := testManifest()
	must(t, m.Write(root))
	must(t, m.Write(root)) // again, over it
	got, ok, err := ReadManifest(root)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	want := testManifest()
	want.Overrides, want.Flags, want.Runs = []string{}, []string{}, []RunDigest{}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if left := files(t, root); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	must(t, os.WriteFile(filepath.Join(root, ManifestFile), []byte("{"), 0o666))
	if _, _, err := ReadManifest(root); err == nil || !strings.Contains(err.Error(), ManifestFile) {
		t.Errorf("got %v", err)
	}
}

func TestManifestCompare(t *testing.T) {
	for _, c := range []struct {
		change func(*Manifest)
		want   string
	}{
		{func(*Manifest) {}, ""},
		{func(m *Manifest) { m.Inputs[1].SHA256 = "33" }, "data/trace.csv has changed"},
		{func(m *Manifest) { m.Inputs[1].Path = "/elsewhere/trace.csv" }, ""},
		{func(m *Manifest) { m.Inputs = m.Inputs[:1] }, "data/trace.csv is not used now"},
		{func(m *Manifest) { m.Inputs = append(m.Inputs, Input{"rules.yaml", "44"}) }, "rules.yaml is new"},
		{func(m *Manifest) { m.Seed = 2 }, "seed was 1, is 2"},
		{func(m *Manifest) { m.Overrides = []string{"a=1"} }, "--set was [], is [a=1]"},
		{func(m *Manifest) { m.Flags = []string{"skip-bad-rows"} }, "flags was [], is [skip-bad-rows]"},
		{func(m *Manifest) { m.Horizon = "40h" }, "horizon was none, is 40h"},
		{func(m *Manifest) { m.Tables = []string{"tasks"} }, "tables was [tasks transfers attempts decisions links pools], is [tasks]"},
		{func(m *Manifest) { m.Policies = append(m.Policies, "at-data"); m.Version = "2" }, ""},
	} {
		m := testManifest()
		c.change(m)
		if got := strings.Join(m.Compare(testManifest()), "; "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	m := testManifest()
	if m.Version = "2"; m.SameCode(testManifest()) || !testManifest().SameCode(testManifest()) {
		t.Error("SameCode")
	}
}

func TestPoints(t *testing.T) {
	root := t.TempDir()
	must(t, WritePoints(root, []PointRow{
		{ID: "p001", Varied: []Setting{{"capacity", "x0.5"}, {"load", "1"}}},
		{ID: "p002", Name: "west, only", Varied: []Setting{{"load", "2"}, {"slots", "9"}}},
	}))
	b, err := os.ReadFile(filepath.Join(root, PointsFile))
	if d := cmp.Diff("point,name,capacity,load,slots\np001,,x0.5,1,\np002,\"west, only\",,2,9\n", string(b)); d != "" || err != nil {
		t.Error(d, err)
	}
	must(t, WritePoints(root, []PointRow{{ID: "base"}}))
	if b, _ = os.ReadFile(filepath.Join(root, PointsFile)); string(b) != "point,name\nbase,\n" {
		t.Errorf("got %q", b)
	}
}

func TestSummaryFiles(t *testing.T) {
	root := t.TempDir()
	s := &Summary{Scenario: "two-hubs", Baseline: "at-data", Confidence: 0.95, Currency: "CNY", Rows: []SummaryRow{
		{Point: "base", Policy: "at-data", Scope: "all", Metric: "cost_total", Unit: "CNY", Mean: 0.1, N: 1},
		{Point: "base", Policy: "stay", Scope: "all", Metric: "cost_total", Unit: "CNY", Mean: 1e21, HalfWidth: Some(2.5), N: 20,
			Difference: Some(-1.5), DifferenceHalfWidth: Some(0.0), Warnings: []string{"overloaded", "too few runs"}},
	}}
	must(t, s.Write(root))
	b, err := os.ReadFile(filepath.Join(root, SummaryCSV))
	want := "point,policy,scope,metric,unit,mean,half_width,n,baseline,difference,difference_half_width,warnings\n" +
		"base,at-data,all,cost_total,CNY,0.1,,1,at-data,,,\n" +
		"base,stay,all,cost_total,CNY,1e+21,2.5,20,at-data,-1.5,0,overloaded;too few runs\n"
	if d := cmp.Diff(want, string(b)); d != "" || err != nil {
		t.Error(d, err)
	}
	b, err = os.ReadFile(filepath.Join(root, SummaryJSON))
	must(t, err)
	if !bytes.Contains(b, []byte(`"half_width": null`)) || !bytes.Contains(b, []byte(`"warnings": []`)) {
		t.Errorf("got %s", b)
	}
	var back Summary
	must(t, json.Unmarshal(b, &back))
	s.Rows[0].Warnings = []string{}
	if d := cmp.Diff(s, &back); d != "" {
		t.Error(d)
	}
}

// A file that fails halfway leaves what stood there before.
func TestWriteWhole(t *testing.T) {
	root := t.TempDir()
	m := testManifest()
	must(t, m.Write(root))
	before := files(t, root)
	m.Inputs = nil
	s := Summary{Rows: []SummaryRow{{Mean: 1}}}
	s.Rows[0].HalfWidth = Some(inf())
	if err := s.Write(root); err == nil {
		t.Error("JSON has no infinity")
	}
	after := files(t, root)
	delete(after, SummaryCSV)
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}
}

func inf() float64 { x := 0.0; return 1 / x }
