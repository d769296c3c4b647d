package trace

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// A gathering is the rows of one file, checked by themselves and kept on disk, so
// that they can be written in the order of submission, by somebody who knows which
// columns have values at all. What it keeps in memory of a row is 16 bytes.
//
// Checked is what a column can hold. Whether names are unique, rooms exist and
// lists fit together is the business of Prepare, which also knows the fill rules.
type gathering struct {
	*spool
	name    string // of the file
	format  string
	in      int64 // rows of the file
	present [NumColumns]int64
	texts   [NumColumns]bool // a column of numbers has a cell that is none
	dropped reasons
	notes   []string
	buf     []byte
}

// A reading is one file that is being read row by row.
type reading struct {
	preparation // for what it does with faults
	window      window
	rows        RowReader
	in          int64
	dropped     reasons
}

// openReading opens a trace file of that format, "" by content.
func openReading(ctx context.Context, name, format string, skipBad bool) (*reading, error) {
	s := &Source{File: name, Format: format, Open: func() (io.ReadCloser, error) { return os.Open(name) }}
	rows, err := openSource(s)
	if err != nil {
		return nil, err
	}
	filler, _ := newFiller(nil, rng.Streams{})
	r := &reading{rows: rows, window: window{Source: s}}
	r.preparation = preparation{Options: Options{SkipBadRows: skipBad}, ctx: ctx}
	_, inRows := innermost(rows).(*parquetReader)
	r.builder = builder{report: &r.report, skipBad: skipBad, file: name, rows: inRows, filler: filler}
	return r, nil
}

// each calls do with every row that is whole, its numbers read. It ends with the
// faults of all others.
func (r *reading) each(do func(*Row) error) error {
	var row Row
	for ; ; r.in++ {
		if r.in&0xfff == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		err := r.rows.Read(&row)
		if err == io.EOF {
			break
		}
		if err == nil {
			if !r.whole(&row) {
				r.window.bad++
				continue
			}
			if err := do(&row); err != nil {
				return err
			}
			continue
		}
		if stop, err := r.broken(&r.window, row.Line, err); err != nil {
			return err
		} else if stop {
			break
		}
	}
	if len(r.report.list) > 0 {
		return r.report.err(r.window.File)
	}
	r.leftOut()
	return nil
}

// leftOut sums up which rows are not used, and why.
func (r *reading) leftOut() {
	_, dropped := told(r.rows)
	for _, d := range dropped {
		r.dropped.add(d.Reason, d.Rows)
		r.in += d.Rows
	}
	if r.window.bad > 0 {
		r.dropped.add("broken", int64(r.window.bad))
	}
}

// whole checks the row by itself and reads its numbers; it reports false where
// the row is broken.
func (r *reading) whole(row *Row) bool {
	b := &r.builder
	b.row, b.bad = row, false
	for c := range NumColumns {
		cell := &row.Cells[c]
		if cell.Kind == Absent {
			continue
		}
		switch {
		case columns[c].Type == Bool:
			*cell = textCell(fmt.Sprint(b.flag(c, false)))
		case c == ColCheckpointS && cell.Kind == TextCell && cell.Text == "auto":
		case c == ColInputBytes && cell.Kind == TextCell:
			r.volumes(cell)
		case columns[c].Type == Number || c == ColInputBytes:
			if v, ok := b.number(c); ok {
				*cell = numberCell(v)
			}
		case cell.Kind == NumberCell: // a name that Parquet has as a number
			*cell = textCell(cell.String())
		}
	}
	if row.Cells[ColTask].Kind == Absent {
		b.fault(ColTask, "is empty; give each task a name of its own")
	}
	if row.Cells[ColSubmitS].Kind == Absent {
		b.fault(ColSubmitS, "is empty, want a number of s of at least 0; write when the task was submitted")
	}
	return !b.bad
}

// volumes checks a list of volumes, and makes a number of a list of one.
func (r *reading) volumes(cell *Cell) {
	list := r.builder.list(ColInputBytes, nil)
	for _, s := range list {
		v, ok := parseNumber(s)
		if !ok || !allowed(ColInputBytes, v) {
			r.builder.fault(ColInputBytes, badNumber(ColInputBytes, textCell(s)))
			return
		}
		if len(list) == 1 {
			*cell = numberCell(v)
		}
	}
}

// gather reads a file.
func gather(ctx context.Context, name, format string, skipBad bool) (*gathering, error) {
	r, err := openReading(ctx, name, format, skipBad)
	if err != nil {
		return nil, err
	}
	defer r.rows.Close()
	sp, err := newSpool("")
	if err != nil {
		return nil, fmt.Errorf("making room for the trace: %w", err)
	}
	g := &gathering{spool: sp, name: name}
	if err = r.each(g.add); err == nil {
		if err = sp.w.Flush(); err != nil {
			err = fmt.Errorf("writing the spool: %w", err)
		}
	}
	if err != nil {
		sp.close()
		return nil, err
	}
	g.format, g.in, g.dropped = formatOf(r.rows), r.in, r.dropped
	g.notes, _ = told(r.rows)
	if u := r.rows.Unknown(); len(u) > 0 {
		g.notes = append(g.notes, passedOver(u))
	}
	return g, nil
}

// add keeps a row.
func (g *gathering) add(row *Row) error {
	if g.len() >= maxTasks {
		return fmt.Errorf("more than %d tasks", int64(maxTasks))
	}
	at := unit.Time(row.Cells[ColSubmitS].Num)
	if n := g.len(); n > 0 && g.submit.at(n-1) > at {
		g.ordered = false
	}
	g.submit.add(at)
	g.count(row)
	g.buf = encodeRow(g.buf[:0], row)
	if err := g.write(g.buf); err != nil {
		return fmt.Errorf("writing the spool: %w", err)
	}
	return nil
}

// count notes which columns the row has.
func (g *gathering) count(row *Row) {
	for c := range NumColumns {
		if cell := &row.Cells[c]; cell.Kind != Absent {
			g.present[c]++
			g.texts[c] = g.texts[c] || cell.Kind == TextCell
		}
	}
}

// row reads a row back. Its texts are its own.
func (g *gathering) row(i int, row *Row) (err error) {
	if g.buf, err = g.record(i, g.buf); err != nil {
		return fmt.Errorf("reading the spool: %w", err)
	}
	decodeRow(g.buf, row)
	return nil
}

// used returns the columns with values, and those always needed, in the order of
// the schema.
func (g *gathering) used() []Column {
	var used []Column
	for c := range NumColumns {
		if g.present[c] > 0 || c == ColTask || c == ColSubmitS {
			used = append(used, c)
		}
	}
	return used
}

// encodeRow appends a row: its line, and each cell that is not absent as column,
// kind and value.
func encodeRow(b []byte, row *Row) []byte {
	b = binary.AppendUvarint(b, uint64(row.Line))
	for c := range NumColumns {
		switch cell := &row.Cells[c]; cell.Kind {
		case NumberCell:
			b = append(b, byte(c), byte(NumberCell))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(cell.Num))
		case TextCell:
			b = append(b, byte(c), byte(TextCell))
			b = binary.AppendUvarint(b, uint64(len(cell.Text)))
			b = append(b, cell.Text...)
		}
	}
	return b
}

func decodeRow(b []byte, row *Row) {
	line, n := binary.Uvarint(b)
	b = b[n:]
	row.Line = int64(line)
	row.Cells = [NumColumns]Cell{}
	for len(b) > 0 {
		cell := &row.Cells[b[0]]
		cell.Kind = CellKind(b[1])
		b = b[2:]
		if cell.Kind == NumberCell {
			cell.Num = math.Float64frombits(binary.LittleEndian.Uint64(b))
			b = b[8:]
			continue
		}
		size, n := binary.Uvarint(b)
		cell.Text = string(b[n : n+int(size)])
		b = b[n+int(size):]
	}
}

// formatOf names the format of a reader.
func formatOf(rows RowReader) string {
	switch innermost(rows).(type) {
	case *parquetReader:
		return "parquet"
	case *swfReader:
		return "swf"
	case *swimReader:
		return "swim"
	case *phillyReader:
		return "philly"
	}
	return "csv"
}
