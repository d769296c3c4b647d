package figure

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sample() *Costs {
	return &Costs{
		Title: "Eight hubs, real traces: cost by term and policy", Note: "scenario eight-hubs, design point base, 20 replications; in brackets the paired difference to at-data",
		Currency: "CNY", Baseline: "at-data",
		Bars: []CostBar{
			{Policy: "first-free", Transfer: 91e3, Compute: 190e3, Storage: 300, Time: 120e3, Low: 398e3, High: 405e3, Difference: 61e3, HasDifference: true},
			{Policy: "stay", Transfer: 88e3, Compute: 205e3, Storage: 300, Time: 140e3, Low: 420e3, High: 446e3, Difference: 93e3, HasDifference: true},
			{Policy: "at-data", Transfer: 21e3, Compute: 199e3, Storage: 0, Time: 120e3, Low: 330e3, High: 350e3},
			{Policy: "move-task", Transfer: 16e3, Compute: 170e3, Time: 130e3, Low: 310e3, High: 321e3, Difference: -24e3, HasDifference: true},
			{Policy: "move-data", Transfer: 116e3, Compute: 170e3, Storage: 9e3, Time: 110e3, Low: 399e3, High: 411e3, Difference: 65e3, HasDifference: true},
			{Policy: "three-way", Transfer: 14e3, Compute: 168e3, Storage: 2e3, Time: 108e3, Low: 288e3, High: 296e3, Difference: -48e3, HasDifference: true},
		},
	}
}

// The bytes are a function of the series.
func TestSameSeriesSameBytes(t *testing.T) {
	for name, f := range map[string]func(*Costs) ([]byte, error){"svg": (*Costs).SVG, "png": (*Costs).PNG} {
		a, err := f(sample())
		if err != nil {
			t.Fatal(err)
		}
		b, err := f(sample())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: two drawings of the same series differ", name)
		}
	}
}

// What a reader needs stands in the figure: policies, terms, unit, differences.
func TestCostsSayWhatTheyShow(t *testing.T) {
	data, err := sample().SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"first-free", "stay", "at-data", "move-task", "move-data", "three-way",
		"transfer fee", "compute", "storage", "time", "cost, thousand CNY",
		"(baseline)", "95 % interval", "340 ± 10",
		"(−14.1 %)", // -48 / (292 + 48) = -0.1412
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
}

func TestWriteLeavesTwoWholeFiles(t *testing.T) {
	dir := t.TempDir()
	if err := sample().Write(filepath.Join(dir, "figures", "cost-by-policy-base")); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(filepath.Join(dir, "figures"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "cost-by-policy-base.png cost-by-policy-base.svg" {
		t.Errorf("files are %s", got)
	}
}

// No cost at all, one policy, no interval: still a figure.
func TestEmptyCosts(t *testing.T) {
	for _, f := range []*Costs{{Currency: "CNY"}, {Currency: "CNY", Bars: []CostBar{{Policy: "stay"}}}} {
		if _, err := f.PNG(); err != nil {
			t.Error(err)
		}
	}
}

// A series that is not numbers is an error, never an endless axis.
func TestCostsRefuseNaN(t *testing.T) {
	f := sample()
	f.Bars[2].Compute = nan()
	if _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), "at-data") {
		t.Errorf("got %v, want an error that names at-data", err)
	}
}

func nan() float64 { z := 0.0; return z / z }
