package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// maxPoints bounds the design points of a scenario. Chosen: more would not be run.
const maxPoints = 10_000

// A KV is a path and the value it has in a design point.
type KV struct{ Key, Value string }

// A Point is a design point: one combination of what varies.
type Point struct {
	ID     string // base, p001, …
	Name   string // of a named point
	Varied []KV
}

// A plan is a design point with its overrides.
type plan struct {
	Point
	overrides []override
}

// fixed are the keys that belong to the whole scenario, not to a design point.
func fixedKeys() []string {
	return []string{"name", "policies", "baseline", "replications", "seed", "tables", "vary", "points"}
}

// plans lists the design points of a scenario.
func (s *scenarioFile) plans(d *decoder) []plan {
	total := 1
	for _, v := range s.vary {
		if len(v.value) == 0 {
			if v.node.kind == list { // else it is told already
				d.fault(v.node, "got an empty list, want at least one value such as [x0.5, x1, x2]")
			}
			return nil
		}
		total *= len(v.value)
		if total > maxPoints {
			d.fault(v.node, "makes more than %d design points; leave out values", maxPoints)
			return nil
		}
	}
	var all []plan
	switch {
	case len(s.vary) > 0:
		for i := range total {
			all = append(all, s.combination(i, total))
		}
	default:
		all = append(all, plan{Point: Point{ID: "base"}})
	}
	for i := range s.points {
		p := &s.points[i]
		n := plan{Point: Point{Name: p.name}}
		for j := range p.value {
			v := &p.value[j]
			n.add(v.name, v.at, v.value)
		}
		all = append(all, n)
	}
	number := 0
	for i := range all {
		all[i].checkKeys(d)
		if all[i].ID == "" {
			number++
			all[i].ID = fmt.Sprintf("p%03d", number)
		}
	}
	return all
}

// combination returns the i-th of all combinations of what varies; the first key
// is the slowest.
func (s *scenarioFile) combination(i, total int) plan {
	var p plan
	for k := range s.vary {
		v := &s.vary[k]
		total /= len(v.value)
		p.add(v.name, v.at, v.value[i/total%len(v.value)])
	}
	return p
}

func (p *plan) add(path string, at place, v *node) {
	p.overrides = append(p.overrides, override{path: path, at: at, field: v.path, value: v})
	p.Varied = append(p.Varied, KV{path, v.flow()})
}

// checkKeys tells the paths that cannot differ between design points.
func (p *plan) checkKeys(d *decoder) {
	for i := range p.overrides {
		o := &p.overrides[i]
		if key := head(o.path); slices.Contains(fixedKeys(), key) {
			d.faults = append(d.faults, o.fault("%s belongs to the whole scenario and cannot differ between its design points; set it above, or with --set", key))
		}
	}
}

// parseSetting reads KEY=VALUE of the command line.
func parseSetting(setting string, cwd *location) (override, error) {
	at := place{file: &location{path: cwd.path, shown: "--set " + clip(setting), given: cwd.given}}
	key, written, ok := strings.Cut(setting, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return override{}, at.fault("", "want KEY=VALUE such as topology.tiers.hub.capacity=20Gbit/s")
	}
	o := override{path: key, at: at, field: key}
	o.value = &node{kind: scalar, text: strings.TrimSpace(written), at: at, path: key}
	if strings.ContainsAny(written, "[{\"'") {
		root, faults := parse(at.file, []byte("value: "+written))
		if len(faults) > 0 || len(root.entries) != 1 {
			return o, at.fault(key, fmt.Sprintf("got %q, want a value as in a file: a word, [a list] or {a: mapping}", clip(written)))
		}
		o.value = root.entries[0].value.moved(key).placed(at)
	}
	if o.value.kind == scalar && o.value.text == "" {
		return o, at.fault(key, "got no value, want KEY=VALUE such as topology.tiers.hub.capacity=20Gbit/s")
	}
	return o, nil
}

// placed returns a copy of n that says it is all written at one place.
func (n *node) placed(at place) *node {
	c := *n
	c.at = at
	c.entries = slices.Clone(n.entries)
	for i := range c.entries {
		c.entries[i].at, c.entries[i].value = at, c.entries[i].value.placed(at)
	}
	c.items = slices.Clone(n.items)
	for i := range c.items {
		c.items[i] = c.items[i].placed(at)
	}
	return &c
}
