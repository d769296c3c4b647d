package policy

import (
	"fmt"
	"math"

	"tiersim/sim/formula"
	"tiersim/sim/task"
	"tiersim/sim/topo"
)

// A Rule excludes tasks from leaving their domain.
type Rule struct {
	Name string // reason code: excluded:<name>
	Why  string // in words, for people

	when *formula.Condition[Facts]
}

// Rules are the exclusion rules of a scenario. They are not changed once a run
// has begun.
type Rules struct {
	Name    string // of the file
	Version string
	List    []Rule
}

// NewRule returns a rule that excludes the tasks for which the expression holds
// (package formula, over the names of Facts).
func NewRule(name, when, why string) (Rule, error) {
	c, err := formula.NewCondition[Facts](when)
	return Rule{Name: name, Why: why, when: c}, err
}

// Facts are what a rule, a score or a program of the user's may know of a task, by
// the names of the trace's columns: what it states, and the run time that is
// believed. A limit that it does not state is infinite.
type Facts struct {
	Class       string  `expr:"class" json:"class"`
	Group       string  `expr:"group" json:"group"`
	Kind        string  `expr:"kind" json:"kind"` // "" for any
	Home        string  `expr:"home" json:"home"`
	Environment string  `expr:"environment" json:"environment"`
	Slots       float64 `expr:"slots" json:"slots"`
	Work        float64 `expr:"work_s" json:"work_s"` // believed, at speed 1
	Priority    float64 `expr:"priority" json:"priority"`
	Input       float64 `expr:"input_bytes" json:"input_bytes"`
	Output      float64 `expr:"output_bytes" json:"output_bytes"`
	Image       float64 `expr:"image_bytes" json:"image_bytes"`
	State       float64 `expr:"state_bytes" json:"state_bytes"`
	Scans       float64 `expr:"scans" json:"scans"`
	Parts       float64 `expr:"parts" json:"parts"`
	Compression float64 `expr:"compression" json:"compression"`
	SyncBytes   float64 `expr:"sync_bytes" json:"sync_bytes"`
	Syncs       float64 `expr:"syncs" json:"syncs"`
	SyncsPerS   float64 `expr:"syncs_per_s" json:"syncs_per_s"`
	ValuePerH   float64 `expr:"value_per_h" json:"value_per_h"`

	TransferBudget float64 `expr:"transfer_budget_s" json:"-"`
	QueueBudget    float64 `expr:"queue_budget_s" json:"-"`
	ComputeBudget  float64 `expr:"compute_budget_s" json:"-"`
	Deadline       float64 `expr:"deadline_s" json:"-"`

	Portable    bool `expr:"portable" json:"portable"`
	Stateless   bool `expr:"stateless" json:"stateless"`
	Resumable   bool `expr:"resumable" json:"resumable"`
	Checkpoints bool `expr:"checkpoints" json:"checkpoints"`
	// Restricted says that jurisdictions hold its data or its results.
	Restricted bool `expr:"restricted" json:"restricted"`
}

// know fills in the facts of a task.
func (d *Desk) know(v View, t *task.Task, value float64) *Facts {
	topology := d.terms.Topology
	f := &d.facts
	*f = Facts{
		Class: t.Class.String(), Group: d.symbol(t.Group), Home: topology.Rooms[t.Home].Name, Environment: d.symbol(t.Environment),
		Slots: float64(t.Slots), Work: float64(v.Believed(t)), Priority: float64(t.Priority),
		Input: float64(t.InputBytes()), Output: float64(t.Output), Image: float64(t.ImageBytes), State: float64(t.State),
		Scans: t.Scans, Parts: float64(t.Parts), Compression: t.Compression,
		SyncBytes: float64(t.SyncBytes), Syncs: t.Syncs, ValuePerH: value,
		TransferBudget: limit(t, task.TransferBudget, float64(t.TransferBudget)), QueueBudget: limit(t, task.QueueBudget, float64(t.QueueBudget)),
		ComputeBudget: limit(t, task.ComputeBudget, float64(t.ComputeBudget)), Deadline: limit(t, task.Deadline, float64(t.Deadline)),
		Portable: t.Portable, Stateless: t.Stateless, Resumable: t.Resumable, Checkpoints: t.Checkpointing != task.NoCheckpoint,
		Restricted: t.Allowed != task.Anywhere || t.ResultAllowed != task.Anywhere,
	}
	if t.Kind != topo.AnyKind {
		f.Kind = topology.Kinds[t.Kind]
	}
	if f.Syncs > 0 && f.Work > 0 {
		f.SyncsPerS = f.Syncs / f.Work
	}
	return f
}

// limit is a limit that a task states, or none.
func limit(t *task.Task, f task.Field, v float64) float64 {
	if !t.Present(f) {
		return math.Inf(1)
	}
	return v
}

func (d *Desk) symbol(s task.Symbol) string {
	if int(s) >= len(d.terms.Symbols) {
		return ""
	}
	return d.terms.Symbols[s]
}

// excluded returns the rule that excludes a task, counted from 1; 0 where none
// does. A rule that cannot be evaluated ends the run.
func (d *Desk) excluded(v View, t *task.Task) (rule int, err error) {
	rules := d.terms.Rules
	if rules == nil || len(rules.List) == 0 {
		return 0, nil
	}
	facts := d.know(v, t, float64(d.Value(t)))
	for i := range rules.List {
		holds, err := rules.List[i].when.Holds(&d.machine, facts)
		if err != nil {
			return 0, fmt.Errorf("rule %s: task %s: %w", rules.List[i].Name, t.Name, err)
		}
		if holds {
			return i + 1, nil
		}
	}
	return 0, nil
}
