package trace

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A swimReader reads the workloads of Hadoop jobs that come with SWIM, the
// statistical workload injector for MapReduce.
//
// Source: Chen, Ganapathi, Griffith and Katz, The Case for Evaluating MapReduce
// Performance Using Workload Suites, MASCOTS 2011; github.com/SWIMProjectUCB/SWIM.
//
// # Columns
//
// A line has fields parted by tabs, without a header; times are seconds, volumes
// bytes. They become:
//
//	1 job                task
//	2 submit             submit_s
//	3 gap                -: seconds since the job before; column 2 says the same
//	4 map input bytes    input_bytes
//	5 shuffle bytes      shuffle_bytes
//	6 output bytes       output_bytes
//	7 input path         dataset; the form of 2009 has none
//
// The class is batch. There are no run times and no gangs: a scenario fills them
// from the bytes and a rate that it states.
//
// # Quirks
//
//   - The form of 2010 ends its lines in two empty fields.
//   - A sample is hours of many days put one after the other: no rhythm of a day
//     may be read from it.
//   - One path may be read with different bytes each time; a data set is as large
//     as the most that is read of it.
type swimReader struct {
	lines  csvReader // for its lines and faults
	fields []string
}

const (
	swimShort = 6 // fields of the form of 2009
	swimLong  = 9 // and of 2010, two of them empty
)

// isSWIM reports whether a text's first line is one of SWIM: six fields or more,
// parted by tabs, the second to the sixth whole numbers.
func isSWIM(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	fields := strings.Split(strings.TrimRight(string(line), "\r\n"), "\t")
	if len(fields) < swimShort || len(fields) > swimLong {
		return false
	}
	for _, f := range fields[1:swimShort] {
		if v, ok := parseNumber(f); !ok || v < 0 {
			return false
		}
	}
	return true
}

func newSWIM(file string, br *bufio.Reader) (RowReader, error) {
	return &swimReader{lines: csvReader{file: file, br: br}}, nil
}

func (s *swimReader) Read(row *Row) error {
	line, err := s.lines.next()
	if err != nil {
		return err
	}
	row.Line = s.lines.line
	row.Cells = [NumColumns]Cell{ColClass: textCell("batch")}
	if !utf8.ValidString(line) {
		return s.lines.fault("", "is not UTF-8; save the file as UTF-8")
	}
	s.fields = s.fields[:0]
	for f := range strings.SplitSeq(line, "\t") {
		s.fields = append(s.fields, trim(f))
	}
	if err := s.shape(); err != nil {
		return err
	}
	for i := 1; i < swimShort; i++ {
		v, ok := parseNumber(s.fields[i])
		if !ok || v < 0 {
			return s.fault(i, fmt.Sprintf("got %q, want a number of at least 0; write 0 if there is none", clip(s.fields[i])))
		}
		if c, ok := swimColumn(i); ok {
			row.Cells[c] = numberCell(v)
		}
	}
	row.Cells[ColTask] = textCell(s.fields[0])
	if len(s.fields) > swimShort {
		row.Cells[ColDataset] = textCell(s.fields[swimShort])
	}
	return nil
}

// shape checks how many fields a line has, and those that are texts.
func (s *swimReader) shape() error {
	n := len(s.fields)
	if n < swimShort || n > swimLong {
		return s.lines.fault("", fmt.Sprintf("got %d fields parted by tabs, want %d, or %d to %d with an input path; write job, submit, gap, map input, shuffle and output bytes",
			n, swimShort, swimShort+1, swimLong))
	}
	if s.fields[0] == "" {
		return s.fault(0, "is empty; give each job a name of its own")
	}
	if n > swimShort && strings.Contains(s.fields[swimShort], ";") {
		return s.fault(swimShort, fmt.Sprintf("got %q, and ; parts data sets; write another sign", clip(s.fields[swimShort])))
	}
	for i := swimShort + 1; i < n; i++ {
		if s.fields[i] != "" {
			return s.fault(i, fmt.Sprintf("got %q, want nothing behind the input path; remove it", clip(s.fields[i])))
		}
	}
	return nil
}

// swimColumn is the column that a field, from 0, goes to.
func swimColumn(i int) (Column, bool) {
	switch i {
	case 1:
		return ColSubmitS, true
	case 3:
		return ColInputBytes, true
	case 4:
		return ColShuffleBytes, true
	case 5:
		return ColOutputBytes, true
	}
	return 0, false
}

// fault is a fault of a field, from 0, of the line at hand.
func (s *swimReader) fault(field int, message string) error {
	names := [...]string{"job", "submit", "gap", "map input bytes", "shuffle bytes", "output bytes", "input path", "empty", "empty"}
	return s.lines.fault(fmt.Sprintf("column %d, %s", field+1, names[field]), message)
}

// Columns returns what the format can say; the form of 2009 has no dataset.
func (s *swimReader) Columns() []Column {
	return []Column{ColTask, ColSubmitS, ColClass, ColDataset, ColInputBytes, ColOutputBytes, ColShuffleBytes}
}

func (s *swimReader) Unknown() []string { return nil }
func (s *swimReader) Close() error      { return nil }
