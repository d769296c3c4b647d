package trace

import (
	"fmt"
	"slices"
	"strings"

	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// inputs reads the data sets of the row: three lists of one entry per data set.
// Their homes stay with the task until enter moves those of named sets to the
// catalog.
func (b *builder) inputs(t *task.Task) {
	b.sets = b.list(ColDataset, b.sets[:0])
	b.stated = b.has(ColDataHome)
	n := max(len(b.sets), b.entries(ColInputBytes), b.entries(ColDataHome))
	if n == 0 {
		if t.Class == task.Transfer {
			b.needsSource()
		}
		return
	}
	for _, c := range []Column{ColDataset, ColInputBytes, ColDataHome} {
		if got := b.entries(c); got != 0 && got != n {
			b.fault(c, fmt.Sprintf("has %d, another of dataset, input_bytes and data_home has %d; write one entry per data set, parted by ;",
				got, n))
			return
		}
	}
	for len(b.sets) < n {
		b.sets = append(b.sets, "")
	}
	t.Inputs = b.grow(t.Inputs, n)
	b.amounts(t.Inputs)
	b.dataHomes(t)
	if t.Class == task.Transfer && !b.stated {
		b.needsSource()
	}
	b.twice()
	if n == 1 && b.sets[0] == "" && !b.stated && t.Inputs[0].Bytes == 0 {
		t.Inputs = t.Inputs[:0] // nothing at home
	}
}

func (b *builder) needsSource() {
	b.fault(ColDataHome, "is empty; write the room that the transfer comes from")
}

// entries counts the entries of a list; an absent one has none.
func (b *builder) entries(c Column) int {
	if !b.has(c) {
		return 0
	}
	if b.row.Cells[c].Kind == NumberCell {
		return 1
	}
	return strings.Count(b.row.Cells[c].Text, ";") + 1
}

// grow returns n empty inputs, keeping their memory.
func (b *builder) grow(list []task.Input, n int) []task.Input {
	list = list[:cap(list)]
	for len(list) < n {
		list = append(list, task.Input{})
	}
	list = list[:n]
	for i := range list {
		list[i] = task.Input{Homes: list[i].Homes[:0]}
	}
	return list
}

// amounts reads input_bytes.
func (b *builder) amounts(inputs []task.Input) {
	cell := b.row.Cells[ColInputBytes]
	if cell.Kind == Absent {
		return
	}
	rest := cell.Text
	for i := range inputs {
		part := cell
		if cell.Kind == TextCell {
			part.Text, rest, _ = strings.Cut(rest, ";")
			part.Num, part.Kind = 0, TextCell
			if v, ok := parseNumber(part.Text); ok {
				part.Num, part.Kind = v, NumberCell
			}
		}
		if part.Kind != NumberCell || !allowed(ColInputBytes, part.Num) {
			part.Text = trim(part.Text)
			b.fault(ColInputBytes, badNumber(ColInputBytes, part))
			return
		}
		inputs[i].Bytes = unit.Bytes(part.Num)
	}
}

// dataHomes reads data_home; without it, data is at the task's home.
func (b *builder) dataHomes(t *task.Task) {
	if !b.stated {
		for i := range t.Inputs {
			t.Inputs[i].Homes = append(t.Inputs[i].Homes, t.Home)
		}
		return
	}
	i := 0
	for entry := range strings.SplitSeq(b.text(ColDataHome), ";") {
		for name := range strings.SplitSeq(entry, "+") {
			room, ok := b.findRoom(ColDataHome, trim(name))
			if ok && !slices.Contains(t.Inputs[i].Homes, room) {
				t.Inputs[i].Homes = append(t.Inputs[i].Homes, room)
			}
		}
		i++
	}
}

// twice finds a data set that stands twice in one row.
func (b *builder) twice() {
	if len(b.sets) == 1 {
		return
	}
	for i, s := range b.sets {
		if s != "" && slices.Contains(b.sets[:i], s) {
			b.fault(ColDataset, fmt.Sprintf("data set %q stands twice; write it once", clip(s)))
			return
		}
	}
}

// enter gives the data sets of a task that is kept their places in the catalog.
// For a task with copies it is called once.
func (b *builder) enter() {
	t := &b.task
	for i := range t.Inputs {
		in := &t.Inputs[i]
		if b.sets[i] == "" {
			continue
		}
		in.Dataset = b.catalog.reads(b.sets[i], in.Bytes, in.Homes, b.stated)
		in.Homes = in.Homes[:0]
	}
	t.OutputDataset = b.catalog.makes(b.output, t.Output)
}
