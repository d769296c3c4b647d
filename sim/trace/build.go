package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A builder makes tasks of rows, and faults of what rows say wrong.
type builder struct {
	*places
	catalog *catalogBuilder
	report  *report
	skipBad bool // faults are counted by row and not told

	// of the source at hand
	file   string
	source int
	rows   bool // places are rows, not lines
	filler *filler
	// workless are the rows without work_s where no topology is given.
	workless int64

	// of the row at hand
	row    *Row
	bad    bool
	task   task.Task
	sets   []string // names of task.Inputs
	stated bool     // data_home is given
	output string
	after  []string
}

// build makes the row's task. It reports false where the row is broken.
func (b *builder) build(row *Row) bool {
	b.row, b.bad = row, false
	t := &b.task
	*t = task.Task{
		Name: t.Name, Licenses: t.Licenses[:0], Inputs: t.Inputs[:0],
		Slots: 1, Scans: 1, Compression: 1, Parts: 1, Weight: 1,
	}
	b.class(t)
	b.whatRuns(t)
	b.where(t)
	b.inputs(t)
	b.outputs(t)
	b.tolerances(t)
	b.rare(t)
	b.after = b.list(ColAfter, b.after[:0])
	if slices.Contains(b.after, "") {
		b.fault(ColAfter, fmt.Sprintf("got %q, which has an empty entry; remove a ;", clip(b.text(ColAfter))))
	}
	if t.Class == task.Transfer {
		t.Work, t.Slots = 0, 0
	} else if !b.bad {
		if m := b.misfit(t); m != "" {
			b.fault(ColSlots, m)
		}
	}
	return !b.bad
}

// fault notes what is wrong with a column of the row.
func (b *builder) fault(c Column, message string) {
	b.bad = true
	if b.skipBad {
		return
	}
	if a := b.filler.given[c]; a != nil {
		message += fmt.Sprintf(" (fill gave it, at %s)", a.At)
	}
	b.report.add(b.source, b.row.Line, b.place(b.row.Line, c, message))
}

// place returns a fault at a column of a line or row.
func (b *builder) place(line int64, c Column, message string) fault.Fault {
	f := fault.Fault{File: b.file, Field: "column " + c.String(), Message: message}
	if b.rows {
		f.Field = fmt.Sprintf("row %d, column %s", line, c)
	} else {
		f.Line = int(line)
	}
	return f
}

// text returns a cell as text.
func (b *builder) text(c Column) string { return b.row.Cells[c].String() }

// has reports whether a cell has a value.
func (b *builder) has(c Column) bool { return b.row.Cells[c].Kind != Absent }

// bounds are the numbers that a column may hold.
type bounds struct {
	least     float64
	open      bool // least itself is not allowed
	unlimited bool // below, too
}

var numberBounds = [NumColumns]bounds{
	ColSlots:         {least: 1},
	ColPriority:      {unlimited: true},
	ColCheckpointS:   {least: 1}, // s: one that saves all the time would never come to work
	ColCompression:   {open: true},
	ColParts:         {least: 1},
	ColWeight:        {open: true},
	ColMaxRateBytesS: {open: true},
}

// number returns a cell's number, and whether there is one.
func (b *builder) number(c Column) (float64, bool) {
	cell := &b.row.Cells[c]
	if cell.Kind == Absent {
		return 0, false
	}
	v, ok := cell.Num, true
	if cell.Kind == TextCell {
		v, ok = parseNumber(cell.Text)
	}
	if !ok || !allowed(c, v) {
		b.fault(c, badNumber(c, *cell))
		return 0, false
	}
	return v, true
}

// allowed reports whether a column may hold a number.
func allowed(c Column, v float64) bool {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return false
	}
	if whole(c) && (v != math.Trunc(v) || math.Abs(v) > math.MaxInt32) {
		return false
	}
	r := &numberBounds[c]
	return r.unlimited || v > r.least || v == r.least && !r.open
}

// badNumber says what a number of the column may be.
func badNumber(c Column, cell Cell) string {
	want := "a number"
	if whole(c) {
		want = "a whole number"
	}
	if u := columns[c].Unit; u != "" && u != "slots" {
		want += " of " + u
	}
	switch r := &numberBounds[c]; {
	case r.open:
		want += fmt.Sprintf(" above %g", r.least)
	case !r.unlimited:
		want += fmt.Sprintf(" of at least %g", r.least)
	}
	got := cell.String()
	if cell.Kind == TextCell {
		got = fmt.Sprintf("%q", clip(got))
		if v, err := ParseAmount(c, cell.Text); err == nil && allowed(c, v) {
			return fmt.Sprintf("got %s, want %s; write %s", got, want, formatNumber(v))
		}
	}
	switch c {
	case ColSubmitS:
		return fmt.Sprintf("got %s, want %s; write when it was submitted", got, want)
	case ColWorkS:
		return fmt.Sprintf("got %s, want %s; write how long it runs", got, want)
	}
	return fmt.Sprintf("got %s, want %s; mend it, or leave the cell empty for the default (%s)", got, want, columns[c].Default)
}

// numberOr returns a cell's number, or what stands for absence.
func (b *builder) numberOr(c Column, absent float64) float64 {
	if v, ok := b.number(c); ok {
		return v
	}
	return absent
}

// flag reads a cell that is true or false.
func (b *builder) flag(c Column, absent bool) bool {
	if !b.has(c) {
		return absent
	}
	switch s := b.text(c); {
	case strings.EqualFold(s, "true"):
		return true
	case strings.EqualFold(s, "false"):
		return false
	default:
		fix := "true or false"
		switch strings.ToLower(s) {
		case "1", "yes", "y", "t":
			fix = "true"
		case "0", "no", "n", "f":
			fix = "false"
		}
		b.fault(c, fmt.Sprintf("got %q, want true or false; write %s", clip(s), fix))
		return absent
	}
}

// word reads a cell that is one of a few words and returns which.
func (b *builder) word(c Column, words ...string) int {
	if !b.has(c) {
		return 0
	}
	s := b.text(c)
	for i, w := range words {
		if s == w {
			return i
		}
	}
	b.fault(c, unknown("value", clip(s), words))
	return 0
}

// list appends the entries of a ";" list to dst.
func (b *builder) list(c Column, dst []string) []string {
	if !b.has(c) {
		return dst
	}
	for part := range strings.SplitSeq(b.text(c), ";") {
		dst = append(dst, trim(part))
	}
	return dst
}

func (b *builder) class(t *task.Task) {
	t.Class = task.Batch
	if !b.has(ColClass) {
		return
	}
	s := b.text(ColClass)
	class, ok := task.ParseClass(s)
	if !ok {
		b.fault(ColClass, unknown("class", clip(s), task.ClassNames()))
		return
	}
	t.Class = class
}

// whatRuns reads the gang and its work.
func (b *builder) whatRuns(t *task.Task) {
	if s := b.text(ColKind); s != "" {
		kind, ok := b.kind(s)
		if !ok {
			b.fault(ColKind, unknown("kind of slot", clip(s), named(b.t.Kinds)))
		}
		t.Kind = kind
	}
	t.Priority = int32(b.numberOr(ColPriority, 0))
	if t.Class == task.Transfer {
		return // needs no slots, whatever the cells say
	}
	t.Slots = int32(b.numberOr(ColSlots, 1))
	work, ok := b.number(ColWorkS)
	switch {
	case ok || b.has(ColWorkS):
	case b.t == nil:
		b.workless++ // a scenario may fill it
	default:
		b.fault(ColWorkS, "is empty, want a number of s of at least 0; write how long it runs, or give it by fill")
	}
	t.Work = unit.Seconds(work)
	if v, ok := b.number(ColEstimateS); ok {
		t.Estimate = unit.Seconds(v)
		t.Has |= task.Estimate
	}
}

// roomOf reads a cell that names a room.
func (b *builder) roomOf(c Column) (topo.RoomID, bool) {
	if !b.has(c) {
		return 0, false
	}
	return b.findRoom(c, b.text(c))
}

func (b *builder) findRoom(c Column, name string) (topo.RoomID, bool) {
	id, ok := b.room(name)
	if !ok {
		b.fault(c, unknown("room", clip(name), b.roomNames()))
	}
	return id, ok
}

// where reads the rooms and the jurisdictions. A transfer without a home is
// submitted from where its data is.
func (b *builder) where(t *task.Task) {
	home, known := b.roomOf(ColHome)
	if !b.has(ColHome) {
		home, known = b.only()
	}
	if !known && !b.has(ColHome) && t.Class == task.Transfer && b.has(ColDataHome) {
		first, _, _ := strings.Cut(b.text(ColDataHome), ";")
		first, _, _ = strings.Cut(first, "+")
		home, _ = b.room(trim(first)) // an unknown one is a fault of data_home
		if !b.has(ColResultHome) {
			b.fault(ColResultHome, "is empty, and so is home; write the room that the transfer goes to")
		}
	} else if !known && !b.has(ColHome) {
		b.fault(ColHome, "is empty, and there are several rooms; write the room that the task is submitted from, or give it by fill")
	}
	t.Home, t.ResultHome = home, home
	if room, ok := b.roomOf(ColResultHome); ok {
		t.ResultHome = room
	}
	t.Allowed = b.jurisdiction(ColJurisdictions)
	t.ResultAllowed = b.jurisdiction(ColResultJurisdictions)
	if !b.bad && !b.allows(t.ResultAllowed, t.ResultHome) {
		room := &b.t.Rooms[t.ResultHome]
		is := "states no jurisdiction"
		if room.Jurisdiction != 0 {
			is = "is in " + b.t.Jurisdictions[room.Jurisdiction]
		}
		b.fault(ColResultHome, fmt.Sprintf("results go to %s, which %s, and may be in %s only; change result_home or result_jurisdictions",
			room.Name, is, b.text(ColResultJurisdictions)))
	}
	t.Portable = b.flag(ColPortable, true)
	t.Stateless = b.flag(ColStateless, false)
}

func (b *builder) jurisdiction(c Column) task.Set {
	if !b.has(c) {
		return task.Anywhere
	}
	set, bad := b.jurisdictions(b.text(c))
	if bad != "" || set == 0 {
		b.fault(c, unknown("jurisdiction", clip(bad), named(b.t.Jurisdictions)))
	}
	return set
}

// outputs reads what leaves the task, and its image.
func (b *builder) outputs(t *task.Task) {
	t.Output = unit.Bytes(b.numberOr(ColOutputBytes, 0))
	b.output = b.text(ColOutputDataset)
	t.ImageBytes = unit.Bytes(b.numberOr(ColImageBytes, 0))
	if b.has(ColImage) {
		t.Image = b.catalog.symbol(b.text(ColImage))
	}
	if t.ImageBytes > 0 || t.Image != 0 {
		t.Has |= task.HasImage
	}
	if b.has(ColGroup) {
		t.Group = b.catalog.symbol(b.text(ColGroup))
	}
}

// optional reads a number that may be absent and marks that it is there.
func (b *builder) optional(t *task.Task, c Column, f task.Field) float64 {
	v, ok := b.number(c)
	if ok {
		t.Has |= f
	}
	return v
}

func (b *builder) tolerances(t *task.Task) {
	t.TransferBudget = unit.Seconds(b.optional(t, ColTransferBudgetS, task.TransferBudget))
	t.QueueBudget = unit.Seconds(b.optional(t, ColQueueBudgetS, task.QueueBudget))
	t.ComputeBudget = unit.Seconds(b.optional(t, ColComputeBudgetS, task.ComputeBudget))
	t.Deadline = unit.Seconds(b.optional(t, ColDeadlineS, task.Deadline))
	t.Value = unit.PerHour(b.optional(t, ColValuePerH, task.ValuePerHour))
	t.MaxRate = unit.Rate(b.optional(t, ColMaxRateBytesS, task.MaxRate))
	t.RecordedWait = unit.Seconds(b.optional(t, ColRecordedWaitS, task.RecordedWait))
	if room, ok := b.roomOf(ColRecordedRoom); ok {
		t.RecordedRoom = room
		t.Has |= task.RecordedRoom
	}
	t.Weight = b.numberOr(ColWeight, 1)
}

// rare reads what few traces have.
func (b *builder) rare(t *task.Task) {
	t.Scans = b.numberOr(ColScans, 1)
	t.Access = task.Access(b.word(ColAccess, "stage", "remote"))
	if b.has(ColEnvironment) {
		t.Environment = b.catalog.symbol(b.text(ColEnvironment))
	}
	t.State = unit.Bytes(b.numberOr(ColStateBytes, 0))
	if b.text(ColCheckpointS) == "auto" {
		t.Checkpointing = task.YoungDaly
	} else if v, ok := b.number(ColCheckpointS); ok {
		t.Checkpointing, t.Checkpoint = task.FixedInterval, unit.Seconds(v)
	}
	t.Resumable = b.flag(ColResumable, true)
	if b.has(ColLicenses) {
		for name := range strings.SplitSeq(b.text(ColLicenses), ";") {
			t.Licenses = append(t.Licenses, b.catalog.symbol(trim(name)))
		}
	}
	t.SyncBytes = unit.Bytes(b.numberOr(ColSyncBytes, 0))
	t.Syncs = b.numberOr(ColSyncs, 0)
	t.Span = task.Span(b.word(ColSpan, "pool", "room", "city", "hub"))
	t.Compression = b.numberOr(ColCompression, 1)
	t.Parts = int32(b.numberOr(ColParts, 1))
}
