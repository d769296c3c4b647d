package scenario

import (
	"fmt"
	"slices"
	"strings"

	"tiersim/sim/fault"
)

// A shapeKind is what may stand in a place of a file.
type shapeKind uint8

const (
	scalarShape shapeKind = iota
	listShape
	objectShape // a mapping with known keys
	namesShape  // a mapping with keys of the user's own
	eitherShape // one of several
)

// A shape says what may stand in a place of a file: for the JSON Schema, and for
// the paths of overrides.
type shape struct {
	kind   shapeKind
	name   string // of an object: names[0] of its table, the key in $defs
	json   string // JSON Schema, where the rest does not say it
	scales bool   // a number or quantity, which a factor may scale
	fields []fieldInfo
	// short is the key that a lone value stands for in place of an object.
	short string
	// keeps says that a lone value leaves the object's other keys as they are.
	keeps bool
	elem  *shape   // of lists and names
	any   []*shape // of either
	// inherits are the keys from the root to where absent entries are taken from.
	inherits []string
}

// A fieldInfo is what a table says of a key, whatever its type.
type fieldInfo struct {
	key, doc string
	def      string // what stands there if nothing does, as written
	need     string // an example, where the key must be there
	shape    *shape
}

// A form is how a value of type V is written and read.
type form[V any] struct {
	*shape
	read func(d *decoder, n *node, into *V)
}

// A field is a key of an object that gives a T one of its values.
type field[T any] struct {
	fieldInfo
	read func(d *decoder, n *node, into *T)
}

// key is the field that stands at a key and goes where at says.
func key[T, V any](name string, f form[V], at func(*T) *V, doc string) field[T] {
	return field[T]{
		fieldInfo{key: name, doc: doc, shape: f.shape},
		func(d *decoder, n *node, into *T) { f.read(d, n, at(into)) },
	}
}

// or gives the value that stands where the key does not, as it would be written.
func (f field[T]) or(text string) field[T] { f.def = text; return f }

// needed says that the key must be there; example is one.
func (f field[T]) needed(example string) field[T] { f.need = example; return f }

// An object is the table of a mapping's keys.
type object[T any] struct {
	name     string // what it is, in messages and as a definition of the schema
	fields   []field[T]
	short    string
	keeps    bool
	inherits []string
	// check looks at the whole once its fields are read.
	check func(d *decoder, n *node, t *T)
}

// form returns how the object is written.
func (o object[T]) form() form[T] {
	s := &shape{kind: objectShape, name: o.name, short: o.short, keeps: o.keeps, inherits: o.inherits, fields: o.infos()}
	return form[T]{s, func(d *decoder, n *node, into *T) { o.read(d, n, into) }}
}

func (o object[T]) read(d *decoder, n *node, into *T) {
	if n.kind == scalar && o.short != "" {
		n = lengthen(n, o.short)
	}
	if n.kind != mapping {
		d.fault(n, "%s, want %s", n.got(), o.want())
		return
	}
	before := len(d.faults)
	if kind := n.get("kind"); kind != nil && d.refused(o.name, "kind", kind) {
		return // its other keys are of that kind
	}
	d.unknownKeys(n, o.name, o.infos())
	for i := range o.fields {
		f := &o.fields[i]
		v := n.get(f.key)
		switch {
		case v != nil && f.key != "kind" && d.refused(o.name, f.key, v):
		case v != nil:
			f.read(d, v, into)
		case n.hasKey(f.key): // with nothing: told above
		case f.need != "":
			d.fault(n, "no %s, and it must have one; write %s: %s", f.key, f.key, f.need)
		case f.def != "":
			f.read(d, defaultNode(f.def, n.at, joinKey(n.path, f.key)), into)
		}
	}
	if o.check != nil && len(d.faults) == before {
		o.check(d, n, into)
	}
}

// defaultNode is the node of a default, as a table writes it: a value, {}, or a
// list of values.
func defaultNode(text string, at place, path string) *node {
	n := &node{kind: scalar, text: text, at: at, path: path}
	if text == "{}" {
		n.kind = mapping
	} else if inner, ok := strings.CutPrefix(text, "["); ok {
		n.kind = list
		for _, item := range strings.Split(strings.TrimSuffix(inner, "]"), ", ") {
			n.items = append(n.items, &node{kind: scalar, text: item, at: at, path: path})
		}
	}
	return n
}

// want says what may stand in place of the object.
func (o object[T]) want() string {
	var keys []string
	for i := range o.fields {
		keys = append(keys, o.fields[i].key)
	}
	if len(keys) > 6 {
		keys = append(keys[:6], "…")
	}
	return fmt.Sprintf("a mapping such as {%s: …} with keys of %s", keys[0], strings.Join(keys, ", "))
}

func (o object[T]) infos() []fieldInfo {
	infos := make([]fieldInfo, len(o.fields))
	for i := range o.fields {
		infos[i] = o.fields[i].fieldInfo
	}
	return infos
}

// lengthen writes a lone value as the mapping that it stands for.
func lengthen(n *node, short string) *node {
	v := *n
	v.path = n.path
	return &node{kind: mapping, at: n.at, path: n.path, entries: []entry{{short, n.at, &v}}}
}

// A decoder walks trees and collects what is wrong.
type decoder struct {
	faults fault.List
	notes  fault.List
	// currency is the one of the topology that is read; "" until a price names it.
	currency string
	load     *loader
}

func (d *decoder) fault(n *node, format string, a ...any) {
	d.faults = append(d.faults, n.fault(fmt.Sprintf(format, a...)))
}

func (d *decoder) note(n *node, format string, a ...any) {
	d.notes = append(d.notes, n.fault(fmt.Sprintf(format, a...)))
}

// unknownKeys tells the keys that no field has.
func (d *decoder) unknownKeys(n *node, object string, fields []fieldInfo) {
	for _, e := range n.entries {
		path := joinKey(n.path, e.key)
		if slices.ContainsFunc(fields, func(f fieldInfo) bool { return f.key == e.key }) {
			if e.value.kind == nothing {
				d.faults = append(d.faults, e.at.fault(path, "got nothing; write a value, or remove the key"))
			}
			continue
		}
		if l, ok := findLater(object, e.key); ok {
			d.tellLater(l, e.at.fault(path, ""), e.value)
			continue
		}
		known := knownKeys(object, fields)
		message := fmt.Sprintf("no such key in a %s; it has %s", object, strings.Join(known, ", "))
		if fix, ok := fault.Suggest(e.key, known); ok {
			message = fmt.Sprintf("no such key in a %s; write %s", object, fix)
		}
		d.faults = append(d.faults, e.at.fault(path, message))
	}
}

// knownKeys returns the keys that may stand in an object.
func knownKeys(object string, fields []fieldInfo) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.key)
	}
	return names
}

// listOf is a list of values.
func listOf[V any](f form[V], doc string) form[[]V] {
	return form[[]V]{
		&shape{kind: listShape, elem: f.shape},
		func(d *decoder, n *node, into *[]V) {
			if n.kind != list {
				d.fault(n, "%s, want a list: %s", n.got(), doc)
				return
			}
			*into = make([]V, len(n.items))
			for i, x := range n.items {
				f.read(d, x, &(*into)[i])
			}
		},
	}
}

// oneOrMore is a list of values, or a lone one in its place.
func oneOrMore[V any](f form[V], doc string) form[[]V] {
	many := listOf(f, doc)
	return form[[]V]{
		&shape{kind: eitherShape, any: []*shape{f.shape, many.shape}},
		func(d *decoder, n *node, into *[]V) {
			if n.kind == list {
				many.read(d, n, into)
				return
			}
			*into = make([]V, 1)
			f.read(d, n, &(*into)[0])
		},
	}
}

// A named is a value with the name that a mapping gives it.
type named[V any] struct {
	name  string
	at    place
	node  *node
	value V
}

// namesOf is a mapping from names of the user's own to values.
func namesOf[V any](f form[V], doc string) form[[]named[V]] {
	return form[[]named[V]]{
		&shape{kind: namesShape, elem: f.shape},
		func(d *decoder, n *node, into *[]named[V]) {
			if n.kind != mapping {
				d.fault(n, "%s, want a mapping: %s", n.got(), doc)
				return
			}
			*into = make([]named[V], len(n.entries))
			for i, e := range n.entries {
				x := &(*into)[i]
				x.name, x.at, x.node = e.key, e.at, e.value
				if e.value.kind == nothing {
					d.fault(e.value, "got nothing, want %s", doc)
					continue
				}
				f.read(d, e.value, &x.value)
			}
		},
	}
}

// optional is a value whose absence is nil.
func optional[V any](f form[V]) form[*V] {
	return form[*V]{f.shape, func(d *decoder, n *node, into **V) {
		*into = new(V)
		f.read(d, n, *into)
	}}
}

// raw is a part of the file that is read later; like says what may stand there.
func raw(like *shape) form[*node] {
	return form[*node]{like, func(_ *decoder, n *node, into **node) { *into = n }}
}
