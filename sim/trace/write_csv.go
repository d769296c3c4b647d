package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tiersim/sim/fault"
)

// A csvWriter writes rows as csvReader reads them.
type csvWriter struct {
	file    string // that rows come from, for faults
	w       *bufio.Writer
	packer  io.Closer // nil where nothing is packed
	columns []Column
	err     error // of the header
}

func newCSVWriter(w io.Writer, packer io.Closer, file string, used []Column) *csvWriter {
	c := &csvWriter{file: file, w: bufio.NewWriter(w), packer: packer, columns: used}
	for i, col := range used {
		c.field(i, col.String())
	}
	c.err = c.w.WriteByte('\n')
	return c
}

func (c *csvWriter) write(row *Row) error {
	for i, col := range c.columns {
		s := row.Cells[col].String()
		if strings.ContainsAny(s, "\r\n") {
			return fault.Fault{File: c.file, Field: fmt.Sprintf("row %d, column %s", row.Line, col),
				Message: fmt.Sprintf("got %q, which CSV cannot hold on one line; remove the line break, or write .parquet", clip(s))}
		}
		c.field(i, s)
	}
	return c.w.WriteByte('\n') // an error stays with the writer
}

// field writes a field, in quotes where it must be.
func (c *csvWriter) field(i int, s string) {
	if i > 0 {
		c.w.WriteByte(',')
	}
	if s == "" || !strings.ContainsAny(s, `,"`) && trim(s) == s {
		c.w.WriteString(s)
		return
	}
	c.w.WriteByte('"')
	c.w.WriteString(strings.ReplaceAll(s, `"`, `""`))
	c.w.WriteByte('"')
}

func (c *csvWriter) finish() error {
	if c.err != nil {
		return c.err
	}
	if err := c.w.Flush(); err != nil {
		return err
	}
	if c.packer == nil {
		return nil
	}
	return c.packer.Close()
}
