package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"tiersim/sim/rng"
)

// A name is looked for beside the file that names it, then among the embedded
// ones; a path is relative to the file that names it, not to where we stand.
func TestLookup(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scenario := func(topology string) string {
		return "name: s\ntopology: " + topology + "\ntrace: ../traces/t.csv\n"
	}
	topology := func(name string) string {
		return "name: " + name + "\nhubs: [{name: h, cities: [{name: c, rooms: [{name: r}]}]}]\n"
	}
	put("traces/t.csv", traceText)
	put("in/own.yaml", scenario("near"))
	put("in/near.yaml", topology("near, beside"))
	put("in/two-hubs.yaml", topology("two-hubs, beside"))
	put("in/shadow.yaml", scenario("two-hubs"))
	put("in/up.yaml", scenario("../far/near.yaml"))
	put("far/near.yaml", topology("far"))
	put("in/same.yaml", scenario("same"))
	put("in/embedded.yaml", scenario("eight-hubs"))
	for name, want := range map[string]string{
		"in/own.yaml": "near, beside", "in/own": "near, beside", "in/shadow.yaml": "two-hubs, beside",
		"in/up.yaml": "far", "in/embedded": "eight-hubs",
	} {
		s, err := Load(name, Options{Dir: dir})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		w, err := s.World(0)
		if err != nil || w.Topology.Name != want {
			t.Errorf("%s: got %v, %v, want topology %s", name, w, err, want)
		}
	}
	// A scenario is not its own topology.
	if _, err := Load("in/same", Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), `no embedded topology "same"`) {
		t.Errorf("same: got %v", err)
	}
	if _, err := Load("in/absent", Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "absent.yaml, and no embedded scenario") {
		t.Errorf("absent: got %v", err)
	}
	if _, err := Load("two-hub-mix", Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "write two-hubs-mix") {
		t.Errorf("two-hub-mix: got %v", err)
	}
}

// All files that were read are listed, with the hash of their content.
func TestInputs(t *testing.T) {
	topology := replaced(t, baseTopology, "kind: constant, value: 0.8", "kind: recorded, file: link.csv, unit: Gbit/s")
	s := mustLoad(t, map[string]string{"t.yaml": topology, "link.csv": "time_s,value\n0,5\n60,2\n"})
	var names []string
	for _, in := range s.Inputs {
		names = append(names, in.Path)
		if in.Path == "link.csv" {
			sum := sha256.Sum256([]byte("time_s,value\n0,5\n60,2\n"))
			if in.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("link.csv: hash %s", in.SHA256)
			}
		}
	}
	if want := []string{"s.yaml", "t.yaml", "link.csv", "embedded/rules/default.yaml", "batch.csv", "train.csv"}; !slices.Equal(names, want) {
		t.Errorf("inputs %v, want %v", names, want)
	}
	// 5 Gbit/s of the file, of which others use 40 %.
	w, err := s.World(0)
	if err != nil {
		t.Fatal(err)
	}
	p := w.Capacity[len(w.Capacity)-1].Begin(rng.New(1, 1), "link")
	first := p.Value()
	if at, v, ok := p.Next(); first*8 != 3e9 || at != 60 || v*8 != 1.2e9 || !ok {
		t.Errorf("capacity %v, then %v at %v", first*8, v*8, at)
	}
}

// What is embedded has no faults.
func TestEmbedded(t *testing.T) {
	for _, name := range scenarioLibrary().names() {
		if _, err := Load(name, Options{}); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
	for _, name := range topologyLibrary().names() {
		if _, err := LoadTopology(name); err != nil {
			t.Errorf("%s:\n%v", name, err)
		}
	}
}
