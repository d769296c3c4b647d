package scenario

import (
	"fmt"
	"slices"

	"tiersim/sim/fault"
)

// An effect is what happens to something that is not modeled.
type effect uint8

const (
	// told: the key is harmless and passed over, with a note.
	told effect = iota
	// refusedEffect: the results would be others, so it is a fault.
	refusedEffect
)

// A later is a part of FORMATS that this version does not model.
type later struct {
	object, key string
	// only are the values that are meant; all where there are none.
	only []string
	// but are the values that are not meant.
	but    []string
	effect effect
	// do is the edit that mends it.
	do string
}

// laters is the one list of what FORMATS has and this version does not model.
// Keys that have no field of their own pass the decoder here, and nowhere else.
var laters = []later{
	// Topology: links.
	{object: "link", key: "billing", only: []string{"rent", "p95"}, effect: refusedEffect, do: "write per-gb with a price in money per GB"},
	// Topology: places.
	{object: "pool", key: "cost", effect: told},
	// Scenario.
	{object: "scenario", key: "licenses", effect: refusedEffect},
	{object: "estimates", key: "kind", only: []string{"archive"}, effect: refusedEffect, do: "write user, factor or exact"},
}

// of reports whether the entry speaks of an object; a hub link is a link too.
func (l *later) of(object string) bool {
	return l.object == object || l.object == "link" && object == "hub link"
}

// findLater finds a key that is wholly for later, whatever its value.
func findLater(object, key string) (later, bool) {
	for _, l := range laters {
		if l.of(object) && l.key == key && len(l.only) == 0 && len(l.but) == 0 {
			return l, true
		}
	}
	return later{}, false
}

// laterKeys returns the keys of an object that are wholly for later.
func laterKeys(object string) []string {
	var keys []string
	for _, l := range laters {
		if l.of(object) && len(l.only) == 0 && len(l.but) == 0 {
			keys = append(keys, l.key)
		}
	}
	return keys
}

// meant reports whether a value is one that the entry speaks of.
func (l *later) meant(n *node) bool {
	if n.kind == list {
		return slices.ContainsFunc(n.items, l.meant)
	}
	if n.kind == mapping && l.key == "kind" || n.kind == nothing {
		return false
	}
	if len(l.only) > 0 {
		return n.kind == scalar && slices.Contains(l.only, n.text)
	}
	return n.kind != scalar || !slices.Contains(l.but, n.text)
}

// refused tells what the list has on a value, and reports whether the value is
// refused, so that it is not read.
func (d *decoder) refused(object, key string, n *node) bool {
	stop := false
	for _, l := range laters {
		if !l.of(object) || l.key != key || !l.meant(n) {
			continue
		}
		at := n
		if n.kind == list && len(l.only) > 0 {
			i := slices.IndexFunc(n.items, l.meant)
			at = n.items[i]
		}
		d.tellLater(l, at.fault(""), at)
		stop = stop || l.effect == refusedEffect
	}
	return stop
}

// tellLater adds the note or the fault.
func (d *decoder) tellLater(l later, f fault.Fault, n *node) {
	if l.effect == told {
		f.Message = "not modeled by this version: has no effect"
		d.notes = append(d.notes, f)
		return
	}
	do := l.do
	if do == "" {
		do = "leave it out"
	}
	f.Message = fmt.Sprintf("%s, which this version does not model; %s", n.got(), do)
	d.faults = append(d.faults, f)
}
