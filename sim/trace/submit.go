package trace

import (
	"fmt"
	"io"

	"tiersim/sim/fault"
	"tiersim/sim/unit"
)

func unitTime(s float64) unit.Time         { return unit.Time(s) }
func unitSeconds(t unit.Time) unit.Seconds { return unit.Seconds(t) }

// submitted returns when a row's task is submitted, in seconds from the window's
// beginning. ok is false where the row says nothing that can be used.
func (p *preparation) submitted(w *window, row *Row, name string) (at float64, ok bool, err error) {
	b := &p.builder
	if !b.has(ColSubmitS) {
		p.filler.fill(row, w.As, name)
	}
	if !b.has(ColSubmitS) {
		b.fault(ColSubmitS, "is empty, want a number of s of at least 0; write when the task was submitted")
		return 0, false, nil
	}
	v, ok := b.number(ColSubmitS)
	if !ok {
		return 0, false, nil
	}
	if v >= millisFrom {
		b.fault(ColSubmitS, fmt.Sprintf("got %s, want seconds; these look like milliseconds since 1970: divide the column by 1000", formatNumber(v)))
		return 0, false, nil
	}
	if w.clock == unknownClock {
		if err := p.findOrigin(w, row.Line, v); err != nil {
			return 0, false, err
		}
	}
	if m := w.mixed(v, b.rows); m != "" {
		b.fault(ColSubmitS, m)
		return 0, false, nil
	}
	if v < w.last {
		w.unsorted++
	} else {
		w.last = v
	}
	return v - w.origin - float64(w.From), true, nil
}

// mixed says that a row counts from another instant than those before it.
func (w *window) mixed(v float64, rows bool) string {
	if v >= epochFrom == (w.clock == epochClock) {
		return ""
	}
	here, there := "the trace's start", "1970"
	if v >= epochFrom {
		here, there = there, here
	}
	unit := "line"
	if rows {
		unit = "row"
	}
	return fmt.Sprintf("got %s, seconds since %s, where %s %d counts from %s; count all rows from one instant",
		formatNumber(v), here, unit, w.firstLine, there)
}

// findOrigin decides what submit_s counts from, by the first row that has one.
// Where it counts from 1970 the file is read once more, for its first task may
// stand anywhere.
func (p *preparation) findOrigin(w *window, line int64, first float64) error {
	w.clock, w.firstLine = relativeClock, line
	if first < epochFrom {
		return nil
	}
	w.clock, w.origin = epochClock, first
	rows, err := openSource(w.Source)
	if err != nil {
		return err
	}
	defer rows.Close()
	var row Row
	for {
		err := rows.Read(&row)
		if err == io.EOF {
			return nil
		}
		if _, isFault := err.(fault.Fault); isFault {
			continue // the first reading tells it
		}
		if err != nil {
			return nil // and this one too
		}
		if v, ok := sumCell(row.Cells[ColSubmitS]); ok && v >= epochFrom && v < w.origin {
			w.origin = v
		}
	}
}
