package trace

import (
	"slices"

	"tiersim/sim/task"
)

// NotModeled returns the columns that are read and checked, and that no model
// uses yet, in the order of the schema. recorded_wait_s is used where tasks are
// carried in, and fill rules may read any of them.
func NotModeled() []Column {
	return []Column{
		ColScans, ColAccess, ColLicenses, ColCompression, ColParts, ColRecordedWaitS,
	}
}

// uses notes which columns that no model uses have values in a task.
func (p *preparation) uses(t *task.Task) {
	mark := func(c Column, has bool) {
		if has {
			p.inUse[c] = !p.reads[c]
		}
	}
	mark(ColScans, t.Scans != 1)
	mark(ColAccess, t.Access != task.Stage)
	mark(ColLicenses, len(t.Licenses) > 0)
	mark(ColCompression, t.Compression != 1)
	mark(ColParts, t.Parts != 1)
	mark(ColRecordedWaitS, t.Present(task.RecordedWait))
}

// carries reports whether some source carries tasks in.
func (o *Options) carries() bool {
	return slices.ContainsFunc(o.Sources, func(s Source) bool { return s.Carry })
}
