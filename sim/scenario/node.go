package scenario

import (
	"fmt"
	"strconv"
	"strings"

	"tiersim/sim/fault"
)

// A nodeKind is what a node of a file is.
type nodeKind uint8

const (
	nothing nodeKind = iota // null, or no text behind a key
	scalar
	list
	mapping
)

var nodeNames = [...]string{"nothing", "a value", "a list", "a mapping"}

// A place is where something is written.
type place struct {
	file         *location
	line, column int
}

// A node is a part of a file. Nodes are never changed once built: an override
// makes new ones from the root down to what it sets, and shares the rest.
type node struct {
	kind    nodeKind
	text    string // of a scalar
	at      place
	path    string // hubs[0].name; for what an override gives, where that stands
	entries []entry
	items   []*node
}

// An entry is a key of a mapping and its value, in the order of the file.
type entry struct {
	key   string
	at    place
	value *node
}

// get returns the value of a key, nil where it is not there or is nothing.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := range n.entries {
		if n.entries[i].key == key && n.entries[i].value.kind != nothing {
			return n.entries[i].value
		}
	}
	return nil
}

// hasKey reports whether a key is there, with a value or with nothing.
func (n *node) hasKey(key string) bool {
	for i := range n.entries {
		if n.entries[i].key == key {
			return true
		}
	}
	return false
}

// textOf returns the text of a key's scalar, "" where there is none.
func (n *node) textOf(key string) string {
	if v := n.get(key); v != nil && v.kind == scalar {
		return v.text
	}
	return ""
}

// fault returns a fault of this node.
func (n *node) fault(message string) fault.Fault {
	return n.at.fault(n.path, message)
}

func (p place) fault(path, message string) fault.Fault {
	return fault.Fault{File: p.file.shown, Line: p.line, Column: p.column, Field: path, Message: message}
}

// got says what a node is, for a message.
func (n *node) got() string {
	if n.kind == scalar {
		return fmt.Sprintf("got %q", clip(n.text))
	}
	return "got " + nodeNames[n.kind]
}

// clip shortens a text that is too long for a message.
func clip(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:57], "") + "..."
}

func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func joinIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// with returns n with another value at an entry, which is added where it is new.
func (n *node) with(key string, value *node) *node {
	c := *n
	c.kind = mapping
	c.entries = append([]entry(nil), n.entries...)
	for i := range c.entries {
		if c.entries[i].key == key {
			c.entries[i].value = value
			return &c
		}
	}
	c.entries = append(c.entries, entry{key, value.at, value})
	return &c
}

// withItem returns n with another item at i.
func (n *node) withItem(i int, value *node) *node {
	c := *n
	c.items = append([]*node(nil), n.items...)
	c.items[i] = value
	return &c
}

// moved returns a copy of n whose path, and those below it, begin with path.
func (n *node) moved(path string) *node {
	c := *n
	c.path = path
	c.entries = append([]entry(nil), n.entries...)
	for i := range c.entries {
		c.entries[i].value = c.entries[i].value.moved(joinKey(path, c.entries[i].key))
	}
	c.items = append([]*node(nil), n.items...)
	for i := range c.items {
		c.items[i] = c.items[i].moved(joinIndex(path, i))
	}
	return &c
}

// flow writes the node on one line, as an override's value is told.
func (n *node) flow() string {
	switch n.kind {
	case scalar:
		return n.text
	case list:
		parts := make([]string, len(n.items))
		for i, x := range n.items {
			parts[i] = x.flow()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapping:
		parts := make([]string, len(n.entries))
		for i, e := range n.entries {
			parts[i] = e.key + ": " + e.value.flow()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "null"
}
