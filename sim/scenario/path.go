package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiersim/sim/fault"
)

// A step leads from a node to one below it.
type step struct {
	key   string
	index int
	item  bool   // of a list
	short string // the key that a lone value stands for here
}

// A target is where a path leads.
type target struct {
	steps []step
	shape *shape
	node  *node  // what stands there, nil where nothing does
	def   string // what that means
	// inherits is where it is taken from then.
	inherits []string
}

// walk follows a path from a target on.
func (t target) walk(path string) (target, error) {
	if path == "" {
		return t, nil
	}
	switch t.shape.kind {
	case eitherShape:
		return t.either(path)
	case objectShape:
		return t.object(path)
	case listShape:
		return t.item(path)
	case namesShape:
		return t.name(path)
	}
	return t, t.ends(path)
}

func (t target) ends(path string) error {
	return fmt.Errorf("there is no %q below a value; end the path before it", head(path))
}

// either follows a path through the form that stands there, or that may.
func (t target) either(path string) (target, error) {
	for _, s := range t.shape.any {
		fits := s.kind != scalarShape
		if t.node != nil {
			switch t.node.kind {
			case mapping:
				fits = s.kind == objectShape || s.kind == namesShape
			case list:
				fits = s.kind == listShape
			default:
				fits = s.kind == objectShape && s.short != ""
			}
		}
		if fits {
			t.shape = s
			return t.walk(path)
		}
	}
	return t, t.ends(path)
}

// object follows a path to a key, or to what is named below.
func (t target) object(path string) (target, error) {
	var best *fieldInfo
	var rest string
	for i := range t.shape.fields {
		f := &t.shape.fields[i]
		if tail, ok := cut(path, f.key); ok && (best == nil || len(f.key) > len(best.key)) {
			best, rest = f, tail
		}
	}
	if best != nil {
		return t.below(best).walk(rest)
	}
	for _, k := range laterKeys(t.shape.name) {
		if path == k { // its fault or note is told when it is decoded
			return t.below(&fieldInfo{key: k, shape: &shape{}}), nil
		}
	}
	if as := t.node.textOf("as"); as != "" && t.shape.name == "trace" {
		if tail, ok := cut(path, as); ok {
			return t.walk(tail)
		}
	}
	names := t.named(nil, strings.Contains(path, "/"))
	if x, rest := longest(names, path); x != nil {
		return x.walk(rest)
	}
	return t, t.unknown(path, names)
}

// below returns the target at a key.
func (t target) below(f *fieldInfo) target {
	out := target{
		steps: append(slices.Clip(t.steps), step{key: f.key, short: t.shape.short}),
		shape: f.shape, node: t.node.get(f.key), def: f.def,
	}
	if t.node != nil && t.node.kind == scalar && t.shape.short == f.key {
		out.node = t.node
	}
	if len(t.shape.inherits) > 0 {
		out.inherits = append(slices.Clip(t.shape.inherits), f.key)
	}
	return out
}

// at returns the target at an item.
func (t target) at(i int) target {
	return target{
		steps: append(slices.Clip(t.steps), step{index: i, item: true}),
		shape: t.shape.elem, node: t.node.items[i],
	}
}

// A namedTarget is something that is addressed by its name.
type namedTarget struct {
	name string
	target
}

// named returns what has a name below an object: of a topology hubs, cities,
// rooms, pools and links. Where chains are asked for, each also by its name with
// any of those above it, such as hub/room/pool.
func (t target) named(above []string, chains bool) []namedTarget {
	var all []namedTarget
	for i := range t.shape.fields {
		f := &t.shape.fields[i]
		n := t.node.get(f.key)
		if f.shape.kind != listShape || f.shape.elem.kind != objectShape || n == nil || n.kind != list {
			continue
		}
		for j, item := range n.items {
			x := t.below(f).at(j)
			for _, name := range itemNames(item) {
				all = append(all, namedTarget{name, x})
				if !chains {
					continue
				}
				for bits := 1; bits < 1<<len(above); bits++ {
					all = append(all, namedTarget{chain(above, bits) + name, x})
				}
			}
			all = append(all, x.named(append(slices.Clip(above), item.textOf("name")), chains)...)
		}
	}
	return all
}

// chain joins those names whose bit is set.
func chain(names []string, bits int) string {
	var b strings.Builder
	for i, name := range names {
		if bits>>i&1 == 1 {
			b.WriteString(name + "/")
		}
	}
	return b.String()
}

// longest returns the target with the longest name that the path begins with. A
// name that several have finds none.
func longest(names []namedTarget, path string) (*namedTarget, string) {
	var best *namedTarget
	var rest string
	twice := false
	for i := range names {
		tail, ok := cut(path, names[i].name)
		if !ok || best != nil && len(names[i].name) < len(best.name) {
			continue
		}
		twice = best != nil && best.name == names[i].name
		best, rest = &names[i], tail
	}
	if twice {
		return nil, ""
	}
	return best, rest
}

// item follows a path to an item of a list, by its index or its name.
func (t target) item(path string) (target, error) {
	if t.node == nil || t.node.kind != list {
		return t, fmt.Errorf("there is no %q, since nothing is listed there", head(path))
	}
	if i, rest, ok := cutIndex(path); ok {
		if i >= len(t.node.items) {
			return t, fmt.Errorf("there is no item %d; the last is %d", i, len(t.node.items)-1)
		}
		return t.at(i).walk(rest)
	}
	var names []namedTarget
	for i, x := range t.node.items {
		for _, name := range itemNames(x) {
			names = append(names, namedTarget{name, t.at(i)})
		}
	}
	if x, rest := longest(names, path); x != nil {
		return x.walk(rest)
	}
	return t, t.unknown(path, names)
}

// itemNames are the names by which an item of a list is addressed.
func itemNames(n *node) []string {
	if a, b, ok := n.ends(); ok {
		return []string{a + "-" + b, b + "-" + a}
	}
	if from, to := n.textOf("from"), n.textOf("to"); from != "" && to != "" {
		return []string{from + ">" + to}
	}
	var names []string
	for _, key := range []string{"name", "as"} {
		if s := n.textOf(key); s != "" {
			names = append(names, s)
		}
	}
	return names
}

// ends returns what a link is between, where both directions are written as one.
func (n *node) ends() (a, b string, ok bool) {
	ends := n.get("between")
	if ends == nil || len(ends.items) != 2 {
		return "", "", false
	}
	return ends.items[0].text, ends.items[1].text, true
}

// splitDirection returns the topology with the link that a path names one
// direction of, as east>west, written as two links if it was written as one.
func splitDirection(root *node, path string) *node {
	links := root.get("links")
	if links == nil {
		return root
	}
	if tail, ok := cut(path, "links"); ok {
		path = tail
	}
	for i, l := range links.items {
		a, b, ok := l.ends()
		if !ok {
			continue
		}
		_, forth := cut(path, a+">"+b)
		_, back := cut(path, b+">"+a)
		if !forth && !back {
			continue
		}
		ends := l.get("between")
		one := l.without("between").with("from", ends.items[0]).with("to", ends.items[1])
		two := l.without("between").with("from", ends.items[1]).with("to", ends.items[0])
		split := *links
		split.items = slices.Concat(links.items[:i], []*node{one, two}, links.items[i+1:])
		return root.with("links", &split)
	}
	return root
}

// without returns n without a key.
func (n *node) without(key string) *node {
	c := *n
	c.entries = nil
	for _, e := range n.entries {
		if e.key != key {
			c.entries = append(c.entries, e)
		}
	}
	return &c
}

// name follows a path to a key of the user's own; one that is new ends the path.
func (t target) name(path string) (target, error) {
	var names []namedTarget
	if t.node != nil {
		for _, e := range t.node.entries {
			names = append(names, namedTarget{e.key, t.entry(e.key)})
		}
	}
	if x, rest := longest(names, path); x != nil {
		return x.walk(rest)
	}
	if strings.ContainsAny(path, ".[") {
		return t, t.unknown(path, names)
	}
	return t.entry(path), nil
}

// entry returns the target at a key of the user's own.
func (t target) entry(key string) target {
	return target{
		steps: append(slices.Clip(t.steps), step{key: key}),
		shape: t.shape.elem, node: t.node.get(key),
	}
}

// cut takes a name off the beginning of a path.
func cut(path, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, name)
	switch {
	case !ok || name == "" || rest == "":
		return rest, ok && name != ""
	case rest[0] == '.' && len(rest) > 1:
		return rest[1:], true
	}
	return rest, rest[0] == '['
}

// cutIndex takes an index, as 0 or [0], off the beginning of a path.
func cutIndex(path string) (i int, rest string, ok bool) {
	var digits string
	if inner, brackets := strings.CutPrefix(path, "["); brackets {
		digits, rest, ok = strings.Cut(inner, "]")
		if !ok {
			return 0, "", false
		}
		rest = strings.TrimPrefix(rest, ".")
	} else {
		digits = head(path)
		rest, _ = cut(path, digits)
	}
	i, err := strconv.Atoi(digits)
	return i, rest, err == nil && i >= 0
}

// head is the first part of a path.
func head(path string) string {
	if i := strings.IndexAny(path, ".["); i > 0 {
		return path[:i]
	}
	return path
}

// unknown says that a path leads nowhere, and where it may have meant to.
func (t target) unknown(path string, names []namedTarget) error {
	var known []string
	for i := range t.shape.fields {
		known = append(known, t.shape.fields[i].key)
	}
	for i := range names {
		known = append(known, names[i].name)
	}
	known = dedupe(known)
	in := ""
	if t.shape.name != "" {
		in = " in the " + t.shape.name
	}
	part := head(path)
	if slices.ContainsFunc(names, func(x namedTarget) bool { return x.name == part }) {
		return fmt.Errorf("there are several %q%s; write the names above it too, as in hub/room/pool", part, in)
	}
	if fix, ok := fault.Suggest(part, known); ok {
		return fmt.Errorf("there is no %q%s; write %s", clip(part), in, fix)
	}
	if len(known) > 16 {
		known = append(known[:16:16], "…")
	}
	return fmt.Errorf("there is no %q%s; there are %s", clip(part), in, strings.Join(known, ", "))
}

// dedupe drops what stands before, keeping the order.
func dedupe(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		twice := seen[s]
		seen[s] = true
		return twice
	})
}
