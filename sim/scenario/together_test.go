package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Faults of the scenario itself, of its fill rules and of its design points are
// told together: nobody mends a file in rounds.
func TestFaultsOfAllPartsTogether(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("jobs.csv", "task,submit_s,work_s\na,0,1\n")
	write("s.yaml", `name: e
topology: two-hubs
trace: {file: jobs.csv}
replications: many
fill: [{set: {home: wuhu-1, input_bytes: {kind: lognormal, median: 2 Gb, sigma: 1}}}]
vary:
  topology.guian-1.cpu.slotz: [128]
  topology.tiers.hub.capacity: [10G]
points:
  cheap: {topology.guian-1.cpu.price: 0.1 CNY}
`)
	_, err := Load(filepath.Join(dir, "s.yaml"), Options{})
	if err == nil {
		t.Fatal("no fault")
	}
	var fields []string
	for _, line := range strings.Split(err.Error(), "\n") {
		fields = append(fields, strings.Split(line, ": ")[1])
	}
	want := []string{
		"replications", "fill[0].set.input_bytes.median", "vary.topology.guian-1.cpu.slotz[0]",
		"vary.topology.tiers.hub.capacity[0]", "points.cheap.topology.guian-1.cpu.price",
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
}
