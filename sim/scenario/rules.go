package scenario

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"tiersim/scenarios"
	"tiersim/sim/policy"
)

// NoRules is the name of a run without exclusion rules: an ablation.
const NoRules = "none"

// rulesLibrary are the rules that come along. fs.Sub fails on names that are no paths
// only.
func rulesLibrary() library {
	files, _ := fs.Sub(scenarios.Files, "rules")
	return library{files, "rules", "rules"}
}

// A rulesFile is a file of exclusion rules as it is written.
type rulesFile struct {
	name    text
	version text
	rules   []exclusionValue
}

type exclusionValue struct {
	node *node
	name text
	when text
	why  text
}

func rulesObject() object[rulesFile] {
	return object[rulesFile]{name: "rules", fields: []field[rulesFile]{
		key("name", name("a name such as default"), func(r *rulesFile) *text { return &r.name }, "what the rules are called").needed("ours"),
		key("version", anyText("a version such as 1"), func(r *rulesFile) *text { return &r.version }, "their version").needed("1"),
		key("rules", listOf(exclusionObject().form(), `- {name: online, when: 'class == "online"'}`), func(r *rulesFile) *[]exclusionValue { return &r.rules },
			"tasks for which one holds stay in their domain"),
	}}
}

func exclusionObject() object[exclusionValue] {
	return object[exclusionValue]{name: "exclusion", check: func(_ *decoder, n *node, r *exclusionValue) { r.node = n }, fields: []field[exclusionValue]{
		key("name", name("a name such as online"), func(r *exclusionValue) *text { return &r.name }, "the reason that results give: excluded:NAME").needed("online"),
		key("when", anyText(`a condition such as class == "online"`), func(r *exclusionValue) *text { return &r.when }, "the condition, over a task's fields").needed(`'class == "online"'`),
		key("why", anyText("words"), func(r *exclusionValue) *text { return &r.why }, "why, for people"),
	}}
}

// rulesOf reads the exclusion rules of a scenario; the embedded ones where it says
// nothing, nil where it wants none.
func (f *scenarioFile) rulesOf(d *decoder, l *loader) *policy.Rules {
	called, from := "default", f.rules.node
	if from != nil {
		if called = f.rules.string; called == NoRules {
			return nil
		}
	}
	at := l.cwd
	if from != nil {
		at = from.at.file
	}
	file, err := find(called, at, rulesLibrary())
	if err != nil {
		d.fault(from, "%v", err)
		return nil
	}
	root, faults := l.tree(file)
	if root == nil {
		d.faults = append(d.faults, faults...)
		return nil
	}
	if kind := kindOf(root); kind != "rules" && from != nil {
		d.fault(from, "%s is a %s, want exclusion rules", file.shown, kind)
		return nil
	}
	return d.rules(root)
}

// rules reads a file of exclusion rules.
func (d *decoder) rules(root *node) *policy.Rules {
	before := len(d.faults)
	var r rulesFile
	rulesObject().read(d, root, &r)
	if len(d.faults) > before {
		return nil
	}
	out := &policy.Rules{Name: r.name.string, Version: r.version.string}
	for i := range r.rules {
		x := &r.rules[i]
		if slices.ContainsFunc(out.List, func(o policy.Rule) bool { return o.Name == x.name.string }) {
			d.fault(x.name.node, "got %q, which stands before; write another", x.name.string)
			continue
		}
		rule, err := policy.NewRule(x.name.string, x.when.string, x.why.string)
		if err != nil {
			d.fault(x.when.node, "%v", err)
			continue
		}
		out.List = append(out.List, rule)
	}
	return out
}

// RulesUsed says by which rules a world's tasks are excluded, for people.
func (w *World) RulesUsed() string {
	if w.Rules == nil {
		return NoRules
	}
	names := make([]string, len(w.Rules.List))
	for i, r := range w.Rules.List {
		names[i] = r.Name
	}
	return fmt.Sprintf("%s, version %s (%s)", w.Rules.Name, w.Rules.Version, strings.Join(names, ", "))
}
