package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"tiersim/sim/fault"
)

// maxLine is the longest line of a text trace. Chosen: a task of a hundred
// thousand predecessors still fits.
const maxLine = 4 << 20

// A csvReader reads our own columns from text: a header line, then one line per
// task; fields parted by commas, quoted by " where they hold one ("" is a quote).
// A quoted field ends on its line. Spaces around a field are passed over, and so
// are empty lines.
type csvReader struct {
	file    string
	br      *bufio.Reader
	line    int64
	long    []byte // a line longer than br's buffer
	columns []Column
	known   []bool // by field: whether columns has it
	places  []Column
	unknown []string
	fields  []string
}

// isCSV reports whether a text begins with a header of ours.
func isCSV(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	fields, err := splitCSV(nil, string(bytes.TrimSpace(line)))
	if err != nil {
		return false
	}
	for _, f := range fields {
		if f == columns[ColTask].Name || f == columns[ColSubmitS].Name {
			return true
		}
	}
	return false
}

func newCSV(file string, br *bufio.Reader) (RowReader, error) {
	c := &csvReader{file: file, br: br}
	header, err := c.next()
	if err == io.EOF {
		return nil, fault.Fault{File: file, Message: "is empty, want a header line; write task,submit_s and the other columns into its first line"}
	}
	if err == nil {
		err = c.header(header)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// header finds the columns of the first line.
func (c *csvReader) header(line string) error {
	fields, err := splitCSV(nil, line)
	if err != nil {
		return c.fault("", err.Error())
	}
	if len(fields) == 1 && strings.ContainsAny(line, ";\t") {
		return c.fault("", fmt.Sprintf("got the header %q, want columns parted by commas; write commas", clip(line)))
	}
	c.known = make([]bool, len(fields))
	c.places = make([]Column, len(fields))
	var seen [NumColumns]bool
	for i, name := range fields {
		col, ok := FindColumn(name)
		if !ok {
			c.unknown = append(c.unknown, strings.Clone(name))
			continue
		}
		if seen[col] {
			return c.fault("column "+name, "stands twice in the header; remove one")
		}
		seen[col] = true
		c.known[i], c.places[i] = true, col
		c.columns = append(c.columns, col)
	}
	return missingColumns(c.file, 1, c.columns, c.unknown)
}

// missingColumns is the fault of a file without the columns that are always
// needed.
func missingColumns(file string, line int, have []Column, unknown []string) error {
	var faults fault.List
	for _, need := range []Column{ColTask, ColSubmitS} {
		found := false
		for _, c := range have {
			found = found || c == need
		}
		if found {
			continue
		}
		m := fmt.Sprintf("no column %s, which is always needed", need)
		if near, ok := fault.Suggest(need.String(), unknown); ok {
			m += fmt.Sprintf("; rename %q to %s", near, need)
		} else {
			m += fmt.Sprintf("; add it (%s), or convert the file with tiersim trace convert", columns[need].Doc)
		}
		faults = append(faults, fault.Fault{File: file, Line: line, Message: m})
	}
	return faults.Err()
}

func (c *csvReader) Read(row *Row) error {
	line, err := c.next()
	if err != nil {
		return err
	}
	row.Line = c.line
	row.Cells = [NumColumns]Cell{}
	c.fields, err = splitCSV(c.fields[:0], line)
	if err != nil {
		return c.fault("", err.Error())
	}
	if len(c.fields) != len(c.known) {
		return c.fault("", fmt.Sprintf("got %d fields, the header has %d; write one field per column, in quotes where it holds a comma",
			len(c.fields), len(c.known)))
	}
	if !utf8.ValidString(line) {
		return c.fault("", "is not UTF-8; save the file as UTF-8")
	}
	for i, f := range c.fields {
		if c.known[i] && f != "" {
			row.Cells[c.places[i]] = Cell{Text: f, Kind: TextCell}
		}
	}
	return nil
}

// next returns the next line that is not empty, without its end. It is io.EOF
// after the last.
func (c *csvReader) next() (string, error) {
	for {
		b, err := c.rawLine()
		if err != nil {
			return "", err
		}
		if b = bytes.TrimRight(b, "\r\n"); len(bytes.TrimSpace(b)) > 0 {
			return string(b), nil
		}
	}
}

// rawLine returns the next line, valid until the next call. One that is too long
// is passed over and is a fault.
func (c *csvReader) rawLine() ([]byte, error) {
	b, err := c.br.ReadSlice('\n')
	c.line++
	if err == nil {
		return b, nil
	}
	c.long = append(c.long[:0], b...)
	for errors.Is(err, bufio.ErrBufferFull) {
		b, err = c.br.ReadSlice('\n')
		if len(c.long) <= maxLine {
			c.long = append(c.long, b...)
		}
	}
	if err != nil && err != io.EOF {
		return nil, &brokenOff{unreadable(c.file, int(c.line), err)}
	}
	if len(c.long) > maxLine {
		return nil, c.fault("", fmt.Sprintf("is longer than %d bytes; is this a trace?", maxLine))
	}
	if len(c.long) == 0 {
		return nil, io.EOF
	}
	return c.long, nil
}

func (c *csvReader) fault(field, message string) fault.Fault {
	return fault.Fault{File: c.file, Line: int(c.line), Field: field, Message: message}
}

func (c *csvReader) Columns() []Column { return c.columns }
func (c *csvReader) Unknown() []string { return c.unknown }
func (c *csvReader) Close() error      { return nil }

// A brokenOff error ends the reading of a file; it is a fault of the file, but
// not of one row after which reading may go on.
type brokenOff struct{ fault fault.Fault }

func (b *brokenOff) Error() string { return b.fault.Error() }
func (b *brokenOff) Unwrap() error { return b.fault }

// splitCSV appends the fields of a line to dst.
func splitCSV(dst []string, line string) ([]string, error) {
	if strings.IndexByte(line, '"') < 0 {
		for {
			i := strings.IndexByte(line, ',')
			if i < 0 {
				return append(dst, trim(line)), nil
			}
			dst = append(dst, trim(line[:i]))
			line = line[i+1:]
		}
	}
	return splitQuoted(dst, line)
}

// trim cuts spaces and tabs off both ends.
func trim(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// splitQuoted splits a line that has quotes.
func splitQuoted(dst []string, line string) ([]string, error) {
	for {
		line = strings.TrimLeft(line, " \t")
		field, rest := line, ""
		if strings.HasPrefix(line, `"`) {
			var err error
			if field, rest, err = quoted(line[1:]); err != nil {
				return dst, err
			}
			rest = strings.TrimLeft(rest, " \t")
			if rest != "" && rest[0] != ',' {
				return dst, fmt.Errorf("got %q after a closing quote, want a comma; write a quote inside a field twice", clip(rest))
			}
		} else {
			i := strings.IndexByte(line, ',')
			if i >= 0 {
				field, rest = line[:i], line[i:]
			}
			if strings.IndexByte(field, '"') >= 0 {
				return dst, fmt.Errorf("got a quote inside the field %q; put the field in quotes and the quote twice", clip(field))
			}
			field = trim(field)
		}
		dst = append(dst, field)
		if rest == "" {
			return dst, nil
		}
		line = rest[1:]
	}
}

// quoted reads a field whose opening quote is read, and returns what follows its
// closing one.
func quoted(s string) (field, rest string, err error) {
	doubled := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '"':
		case i+1 < len(s) && s[i+1] == '"':
			doubled = true
			i++
		case doubled:
			return strings.ReplaceAll(s[:i], `""`, `"`), s[i+1:], nil
		default:
			return s[:i], s[i+1:], nil
		}
	}
	return "", "", fmt.Errorf("a quote is opened and not closed on this line; close it")
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
