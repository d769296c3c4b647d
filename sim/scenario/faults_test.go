package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every broken input gives exactly the faults of the golden file: file, line,
// column, field, what stands there, what may, and the edit.
func TestFaults(t *testing.T) {
	var b strings.Builder
	for _, c := range brokenInputs() {
		base := map[string]string{"t.yaml": baseTopology, "s.yaml": baseScenario}[c.file]
		text := c.to
		if c.from != "" {
			text = replaced(t, base, c.from, c.to)
		}
		dir := write(t, map[string]string{c.file: text})
		_, err := Load("s.yaml", Options{Dir: dir})
		if err == nil {
			t.Errorf("%q in place of %q in %s: no fault", c.to, c.from, c.file)
			continue
		}
		fmt.Fprintf(&b, "%q\nin place of %q\n\t%s\n", head40(c.to), c.from,
			strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir+string(os.PathSeparator), ""), "\n", "\n\t"))
	}
	golden(t, "faults.txt", b.String())
}

func head40(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("TIERSIM_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), TIERSIM_GOLDEN=1 writes it anew:\n%s", file, diff)
	}
}

// All faults of both files are told at once, in the order of the files.
func TestAllFaultsAtOnce(t *testing.T) {
	topology := replaced(t, baseTopology, "latency: 15ms", "latency: 15")
	topology = replaced(t, topology, "slots: 512", "slots: many")
	topology = replaced(t, topology, "between: [east, west]", "between: [east, west], speed: 1")
	scenario := replaced(t, baseScenario, "domain: hub", "domain: planet")
	scenario = replaced(t, scenario, "window: 4MiB", "window: 4")
	scenario = replaced(t, scenario, "seed: 7", "sed: 7")
	_, err := load(t, map[string]string{"t.yaml": topology, "s.yaml": scenario})
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		line = line[strings.LastIndexByte(line[:strings.Index(line, ".yaml")], os.PathSeparator)+1:]
		got = append(got, strings.SplitN(line, " ", 3)[0]+" "+strings.SplitN(line, " ", 3)[1])
	}
	want := []string{
		"s.yaml:15:22: parameters.domain:", "s.yaml:18:36: network.window:", "s.yaml:21:1: sed:",
		"t.yaml:8:14: tiers.hub.latency:", "t.yaml:32:72: hubs[1].cities[0].rooms[0].pools[0].slots:", "t.yaml:36:29: links[1].speed:",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%v", diff, err)
	}
}
