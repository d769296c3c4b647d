package scenario

import (
	"strings"
	"testing"
	"testing/fstest"
)

// inMemory returns a file among others that are not on disk.
func inMemory(name string, files map[string]string) *location {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return &location{embedded: m, path: name, shown: name, given: name}
}

// seeds are the base files, the broken ones, and what YAML has that we do not use.
func seeds(f *testing.F, file string) {
	base := map[string]string{"t.yaml": baseTopology, "s.yaml": baseScenario}
	f.Add(base[file])
	for _, c := range brokenInputs() {
		if c.file == file {
			f.Add(strings.Replace(base[file], c.from, c.to, 1))
		}
	}
	for _, text := range []string{
		"", "a", "- - - a", "? a\n: b", "? [a]\n: b", "{a: b, a: c}", "a: &x [1]\nb: *x\nc: *y", "a: &x {b: *x}", "<<: {a: b}", "<<: [*a, 1]",
		"a: &x {b: 1}\nc: {<<: *x, d: 2}", "!!map {a: b}", "%YAML 1.2\n---\na: b\n...\n", "a: |\n  b\n c", "a: >-\n  b", "\"a\\u00\": b", "a: 'b", "a:\tb",
		"a: [1, {b: c}, ]", "a: {b", "---\n---\n", "--- a\n--- b", "null: 1", "~: 1", ".inf: .nan", "0x1: 0o7", "a: 1_000", "&a a: b", "*a : b", "a: b: c",
		"name: t\nhubs: [{name: a, cities: [{name: b, rooms: [{name: c}]}]}]\nlinks: [{between: [a, {b: c}]}]",
	} {
		f.Add(text)
	}
}

// No input makes a topology's reader panic, and each ends as a topology or with
// faults that name a place.
func FuzzTopology(f *testing.F) {
	seeds(f, "t.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		l := newLoader("")
		d := &decoder{load: l}
		root, faults := l.tree(inMemory("t.yaml", map[string]string{"t.yaml": text}))
		d.faults = faults
		var b *built
		if root != nil {
			b = d.topology(root)
		}
		if b != nil {
			if len(b.links) != len(b.topology.Links) {
				t.Fatalf("%d links with values, %d in the topology", len(b.links), len(b.topology.Links))
			}
			b.weather(d, &World{Topology: b.topology}, &scenarioFile{})
		} else if len(d.faults) == 0 {
			t.Fatal("no topology and no fault")
		}
		for _, x := range d.faults {
			if x.File == "" || x.Message == "" {
				t.Fatalf("fault %+v", x)
			}
		}
	})
}

// No input makes a scenario's reader panic.
func FuzzScenario(f *testing.F) {
	seeds(f, "s.yaml")
	f.Add("name: s\ntopology: t.yaml\ntrace: batch.csv\nvary: {topology.east-west.capacity: [x2, 1Gbit/s], fill: [[]]}\npoints: {a: {trace.load: x3}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		l := newLoader("")
		at := inMemory("s.yaml", map[string]string{"s.yaml": text, "t.yaml": baseTopology, "batch.csv": traceText, "train.csv": traceText})
		root, faults := l.tree(at)
		if root == nil {
			if len(faults) == 0 {
				t.Fatal("no tree and no fault")
			}
			return
		}
		s, err := l.scenario(at, root, nil)
		if (s == nil) != (err != nil) {
			t.Fatalf("%v, %v", s, err)
		}
		if s == nil {
			return
		}
		for i := range s.Points {
			if _, err := s.World(i); err != nil {
				t.Fatalf("a point that was checked: %v", err)
			}
		}
	})
}

// No setting of the command line makes a panic.
func FuzzSetting(f *testing.F) {
	for _, set := range []string{
		"topology.wuhu-1.a100.slots=3", "topology.east>west.capacity=x2", "trace.batch.load=x1.4", "fill.0.set.work_s.rate=x2", "fill={}", "policies=[stay]",
		"estimates={kind: factor, sigma: 1}", "topology.hubs[0]=1", "topology.links.0.between=[a]", "vary={seed: [1]}", "points={a: {b: c}}", "a..b=c", "[=]", "[0]=1", "trace[=1",
		"topology.links={}", "topology.hubs={}", "topology=[t]", "trace={}", "topology.tiers=x2", "topology.profiles.day.points[1][1]=x2", "topology.wuhu-1.link=5",
	} {
		f.Add(set)
	}
	files := map[string]string{"s.yaml": baseScenario, "t.yaml": baseTopology, "batch.csv": traceText, "train.csv": traceText}
	f.Fuzz(func(t *testing.T, set string) {
		l := newLoader("")
		at := inMemory("s.yaml", files)
		root, _ := l.tree(at)
		s, err := l.scenario(at, root, []string{set})
		if (s == nil) != (err != nil) {
			t.Fatalf("%v, %v", s, err)
		}
	})
}
