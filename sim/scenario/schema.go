package scenario

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Schema returns the JSON Schema (2020-12) of scenario files, made from the
// tables that read them.
func Schema() []byte { return schemaOf(scenarioObject().form().shape, "scenario") }

// TopologySchema returns that of topology files.
func TopologySchema() []byte { return schemaOf(topologyObject().form().shape, "topology") }

// RulesSchema returns that of files of exclusion rules.
func RulesSchema() []byte { return schemaOf(rulesObject().form().shape, "rules") }

// An ordered is a JSON object whose keys stay in order.
type ordered []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal is json.Marshal without the escapes for web pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// A schemaWriter gathers the definitions of objects.
type schemaWriter struct {
	defs ordered
	done map[string]bool
}

// FileSchema returns the JSON Schema of a YAML file of any kind.
func FileSchema() []byte {
	w := &schemaWriter{done: map[string]bool{}}
	kinds := []ordered{w.object(scenarioObject().form().shape), w.object(topologyObject().form().shape), w.object(rulesObject().form().shape)}
	return w.write("scenario, topology or rules", ordered{{"anyOf", kinds}})
}

func schemaOf(s *shape, title string) []byte {
	w := &schemaWriter{done: map[string]bool{}}
	return w.write(title, w.object(s))
}

// write writes a schema with the definitions that it needs.
func (w *schemaWriter) write(title string, root ordered) []byte {
	all := ordered{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "tiersim " + title},
	}
	all = append(append(all, root...), member{"$defs", w.defs})
	text, err := marshal(all)
	if err != nil {
		panic(err) // a table holds a fragment that is no JSON: the tests find it
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		panic(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// object writes the schema of an object's keys.
func (w *schemaWriter) object(s *shape) ordered {
	var keys ordered
	var needed []string
	for _, f := range s.fields {
		keys = append(keys, member{f.key, w.field(s.name, f)})
		if f.need != "" {
			needed = append(needed, f.key)
		}
	}
	for _, k := range laterKeys(s.name) {
		if !s.has(k) {
			keys = append(keys, member{k, ordered{{"description", "not modeled by this version"}}})
		}
	}
	out := ordered{{"type", "object"}, {"properties", keys}, {"additionalProperties", false}}
	if needed != nil {
		out = append(out, member{"required", needed})
	}
	return out
}

func (s *shape) has(key string) bool {
	for _, f := range s.fields {
		if f.key == key {
			return true
		}
	}
	return false
}

func (w *schemaWriter) field(object string, f fieldInfo) ordered {
	doc := f.doc
	if f.def != "" && f.def != "{}" {
		doc += " (" + f.def + ")"
	}
	if l, ok := findLater(object, f.key); ok && l.effect == told {
		doc += "; not modeled by this version: has no effect"
	}
	return append(ordered{{"description", doc}}, w.shape(f.shape)...)
}

// shape writes what may stand in a place.
func (w *schemaWriter) shape(s *shape) ordered {
	if s.json != "" {
		return fragment(s.json)
	}
	switch s.kind {
	case listShape:
		return ordered{{"type", "array"}, {"items", w.shape(s.elem)}}
	case namesShape:
		return ordered{{"type", "object"}, {"additionalProperties", w.shape(s.elem)}}
	case eitherShape:
		var any []ordered
		for _, x := range s.any {
			any = append(any, w.shape(x))
		}
		return ordered{{"anyOf", any}}
	case objectShape:
		ref := ordered{{"$ref", "#/$defs/" + w.define(s)}}
		if s.short == "" {
			return ref
		}
		for _, f := range s.fields {
			if f.key == s.short {
				return ordered{{"anyOf", []ordered{w.shape(f.shape), ref}}}
			}
		}
		panic("object " + s.name + " has no key " + s.short)
	}
	return nil
}

// define adds the definition of an object, once, and returns its name.
func (w *schemaWriter) define(s *shape) string {
	name := strings.ReplaceAll(s.name, " ", "-")
	if !w.done[name] {
		w.done[name] = true
		def := w.object(s)
		w.defs = append(w.defs, member{name, def})
	}
	return name
}

// fragment is a scalar's schema; `true` and nothing allow anything.
func fragment(text string) ordered {
	if text == "" || text == "true" {
		return nil
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		panic("not JSON: " + text)
	}
	var out ordered
	for _, key := range []string{"const", "enum", "type", "minimum", "exclusiveMinimum", "maximum", "pattern", "prefixItems", "minItems", "maxItems", "anyOf", "examples"} {
		if v, ok := parts[key]; ok {
			out = append(out, member{key, v})
			delete(parts, key)
		}
	}
	if len(parts) > 0 {
		panic("a keyword of the schema that is not known: " + text)
	}
	return out
}
