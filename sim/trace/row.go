package trace

import (
	"math"
	"strconv"
)

// A CellKind says what a Cell holds.
type CellKind uint8

// Kinds of cells. CSV and foreign text give TextCell even for numbers, which
// are parsed once, when the task is built.
const (
	Absent CellKind = iota
	NumberCell
	TextCell
)

// A Cell is one value of a row. The zero value is an absent one.
type Cell struct {
	Text string
	Num  float64
	Kind CellKind
}

// textCell returns the cell of a text; an empty one is absent.
func textCell(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{Text: s, Kind: TextCell}
}

// numberCell returns the cell of a number.
func numberCell(v float64) Cell { return Cell{Num: v, Kind: NumberCell} }

// A Row is one row of a trace, in our schema.
type Row struct {
	Line  int64 // 1-based line of the file; the row, from 1, in Parquet
	Cells [NumColumns]Cell
}

// A RowReader reads the rows of one file.
//
// Read fills the row: it sets Line and every cell, absent ones included. Texts
// are valid until the next Read. It returns io.EOF at the end, a fault.Fault for
// a broken row, after which reading may go on, and any other error when nothing
// more can be read.
type RowReader interface {
	Read(*Row) error
	// Columns returns the columns that the file has, in its order.
	Columns() []Column
	// Unknown returns the names of the columns that the schema does not have.
	Unknown() []string
	Close() error
}

// String returns the cell as a trace writes it; "" where it is absent.
func (c Cell) String() string {
	switch c.Kind {
	case NumberCell:
		return formatNumber(c.Num)
	case TextCell:
		return c.Text
	}
	return ""
}

// formatNumber writes a number so that it reads back the same: whole ones up to
// 2⁵³ by their digits, others in the shortest form.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
