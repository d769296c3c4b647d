package scenario

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// A validator checks a value against the part of JSON Schema that ours uses.
type validator struct{ defs map[string]any }

func (v *validator) check(s, x any, path string) error {
	m, ok := s.(map[string]any)
	if !ok {
		return nil
	}
	if ref, ok := m["$ref"].(string); ok {
		return v.check(v.defs[strings.TrimPrefix(ref, "#/$defs/")], x, path)
	}
	if any, ok := m["anyOf"].([]any); ok {
		var all []string
		for _, s := range any {
			err := v.check(s, x, path)
			if err == nil {
				return nil
			}
			all = append(all, err.Error())
		}
		return fmt.Errorf("none of (%s)", strings.Join(all, " | "))
	}
	if enum, ok := m["enum"].([]any); ok && !slices.Contains(enum, x) {
		return fmt.Errorf("%s: %v is not in %v", path, x, enum)
	}
	if c, ok := m["const"]; ok && c != x {
		return fmt.Errorf("%s: %v is not %v", path, x, c)
	}
	if err := v.types(m, x, path); err != nil {
		return err
	}
	if p, ok := m["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(fmt.Sprint(x)) {
		return fmt.Errorf("%s: %v does not match %s", path, x, p)
	}
	if least, ok := m["minimum"].(float64); ok && x.(float64) < least {
		return fmt.Errorf("%s: %v is below %v", path, x, least)
	}
	return v.parts(m, x, path)
}

func (v *validator) types(m map[string]any, x any, path string) error {
	var types []any
	switch t := m["type"].(type) {
	case string:
		types = []any{t}
	case []any:
		types = t
	default:
		return nil
	}
	is := "null"
	switch x := x.(type) {
	case string:
		is = "string"
	case bool:
		is = "boolean"
	case float64:
		is = "number"
		if x == float64(int64(x)) && slices.Contains(types, any("integer")) {
			is = "integer"
		}
	case []any:
		is = "array"
	case map[string]any:
		is = "object"
	}
	if !slices.Contains(types, any(is)) {
		return fmt.Errorf("%s: %v is a %s, want %v", path, x, is, types)
	}
	return nil
}

func (v *validator) parts(m map[string]any, x any, path string) error {
	switch x := x.(type) {
	case []any:
		for i, y := range x {
			if err := v.check(m["items"], y, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		known, _ := m["properties"].(map[string]any)
		needed, _ := m["required"].([]any)
		for _, k := range needed {
			if _, ok := x[k.(string)]; !ok {
				return fmt.Errorf("%s: no %v", path, k)
			}
		}
		for k, y := range x {
			s, ok := known[k]
			if !ok {
				s = m["additionalProperties"]
			}
			if s == false {
				return fmt.Errorf("%s: unknown key %s", path, k)
			}
			if err := v.check(s, y, path+"."+k); err != nil {
				return err
			}
		}
	}
	return nil
}

func validate(t *testing.T, schema []byte, text string) error {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	content, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var x any
	if err := json.Unmarshal(content, &x); err != nil {
		t.Fatal(err)
	}
	defs, _ := s["$defs"].(map[string]any)
	return (&validator{defs}).check(s, x, "")
}

// The schemas take the base files, the examples of FORMATS and what is embedded.
func TestSchemaTakes(t *testing.T) {
	read := func(l library, name string) string {
		content, err := new(inputs).read(&location{embedded: l.files, path: name + ".yaml"}, maxFile)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	formats := func(name string) string {
		content, err := new(inputs).read(&location{path: "testdata/formats/" + name}, maxFile)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	topologies := map[string]string{"base": baseTopology, "formats": strings.Replace(formats("two-hubs.yaml"), "{kind: ou, sigma: 0.25, tau: 30m, step: 60s, daily: {amplitude: 30%, peak: \"21:00\"}}", "{kind: constant, value: 1}", 1)}
	for _, name := range topologyLibrary().names() {
		topologies[name] = read(topologyLibrary(), name)
	}
	scenarios := map[string]string{"base": baseScenario, "formats": formats("two-hubs-mix.yaml")}
	for _, name := range scenarioLibrary().names() {
		scenarios[name] = read(scenarioLibrary(), name)
	}
	for name, text := range topologies {
		text = strings.Replace(text, "interruptions: on-demand, ", "", 1)
		if err := validate(t, TopologySchema(), text); err != nil {
			t.Errorf("topology %s: %v", name, err)
		}
	}
	for name, text := range scenarios {
		if err := validate(t, Schema(), text); err != nil {
			t.Errorf("scenario %s: %v", name, err)
		}
	}
}

// What the decoder refuses for its form alone, the schema refuses too.
func TestSchemaRefuses(t *testing.T) {
	for _, c := range []struct{ file, from, to string }{
		{"t", "capacity: 20Gbit/s", "capacity: 20"}, {"t", "capacity: 20Gbit/s", "capacty: 20Gbit/s"},
		{"t", "price: 0.48 CNY/GB", "price: 0.48 CNY/h"}, {"t", "slots: 256, ", ""}, {"t", "slots: 256", "slots: 0"},
		{"t", "queue: priority", "queue: prio"}, {"t", "name: t\n", ""}, {"t", "billing: per-gb", "billing: p95"},
		{"s", "domain: hub", "domain: planet"}, {"s", "window: 4MiB", "window: 4"}, {"s", "topology: t.yaml\n", ""},
		{"s", "policies: [stay", "policies: [clairvoyent"}, {"s", "horizon: arrivals+2d", "horizon: 40"},
	} {
		schema, text := TopologySchema(), baseTopology
		if c.file == "s" {
			schema, text = Schema(), baseScenario
		}
		if err := validate(t, schema, replaced(t, text, c.from, c.to)); err == nil {
			t.Errorf("%q in place of %q passes", c.to, c.from)
		}
	}
}

// Every key of a table has a sentence, and every definition of a schema is used
// and described.
func TestSchemaDescribesEverything(t *testing.T) {
	var walk func(s *shape, path string)
	walk = func(s *shape, path string) {
		if s == nil {
			return
		}
		for _, f := range s.fields {
			if f.doc == "" {
				t.Errorf("%s.%s is not described", path, f.key)
			}
			walk(f.shape, path+"."+f.key)
		}
		walk(s.elem, path)
		for _, x := range s.any {
			walk(x, path)
		}
	}
	walk(topologyObject().form().shape, "topology")
	walk(scenarioObject().form().shape, "scenario")
}
