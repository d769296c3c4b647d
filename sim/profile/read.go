package profile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/unit"
)

// maxFaults is how many faults of a file are told one by one. Chosen: a screen.
const maxFaults = 20

// ReadCSV reads recorded points from a table with a header and the columns
// time_s and value; other columns are passed over. Values are factors, or rates
// in the unit that rate names, such as Gbit/s. The file's name is for faults,
// which come as a fault.List.
func ReadCSV(r io.Reader, file, rate string) ([]Point, error) {
	t := &table{file: file, rate: rate, csv: csv.NewReader(r)}
	t.csv.ReuseRecord = true
	t.csv.TrimLeadingSpace = true
	if rate != "" {
		if _, err := unit.ParseRate("1" + rate); err != nil {
			return nil, fault.List{{File: file, Field: "unit", Message: fmt.Sprintf("got %q, want the unit of a rate such as Gbit/s", rate)}}
		}
	}
	if !t.header() {
		return nil, t.faults
	}
	for t.row() {
	}
	if t.more > 0 {
		t.faults = append(t.faults, fault.Fault{File: file, Message: fmt.Sprintf("and %d more faults like these", t.more)})
	}
	if t.rows == 0 && len(t.faults) == 0 {
		t.faults = append(t.faults, fault.Fault{File: file, Message: "no rows, want at least one below the header"})
	}
	if err := t.faults.Err(); err != nil {
		return nil, err
	}
	return t.points, nil
}

// A table is a file of points that is being read.
type table struct {
	file, rate  string
	csv         *csv.Reader
	time, value int // columns
	points      []Point
	last        unit.Time // of the row before
	rows        int
	faults      fault.List
	more        int // faults not told one by one
}

// fault tells what is wrong in a cell of the row that was just read.
func (t *table) fault(column int, field, message string) {
	if len(t.faults) == maxFaults {
		t.more++
		return
	}
	f := fault.Fault{File: t.file, Field: field, Message: message}
	f.Line, f.Column = t.csv.FieldPos(column)
	t.faults = append(t.faults, f)
}

// header finds the columns and reports whether both are there.
func (t *table) header() bool {
	names, err := t.csv.Read()
	if err != nil {
		t.broken(err)
		return false
	}
	for i := range names {
		names[i] = strings.TrimSpace(strings.TrimPrefix(names[i], "\ufeff"))
	}
	t.time, t.value = slices.Index(names, "time_s"), slices.Index(names, "value")
	if t.time < 0 || t.value < 0 {
		t.fault(0, "", fmt.Sprintf("got the columns %q, want time_s,value in the first line", strings.Join(names, ",")))
		return false
	}
	return true
}

// broken tells what the reader below did not take.
func (t *table) broken(err error) {
	f := fault.Fault{File: t.file, Message: err.Error()}
	var p *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		f.Message = "the file is empty, want a header line time_s,value"
	case errors.As(err, &p):
		f.Line, f.Column, f.Message = p.Line, p.Column, p.Err.Error()
	}
	t.faults = append(t.faults, f)
}

// row reads a row and reports whether to go on.
func (t *table) row() bool {
	cells, err := t.csv.Read()
	if errors.Is(err, io.EOF) {
		return false
	}
	if errors.Is(err, csv.ErrFieldCount) {
		t.fault(0, "", fmt.Sprintf("got %d cells, want %d as in the header", len(cells), t.csv.FieldsPerRecord))
		return true
	}
	if err != nil {
		t.broken(err)
		return false
	}
	at, err := strconv.ParseFloat(strings.TrimSpace(cells[t.time]), 64)
	if err != nil || !(at >= 0) || math.IsInf(at, 0) {
		t.fault(t.time, "time_s", fmt.Sprintf("got %q, want seconds from 0 on", cells[t.time]))
		return true
	}
	if t.rows > 0 && unit.Time(at) <= t.last {
		t.fault(t.time, "time_s", fmt.Sprintf("got %q, want an instant after the row before, %v", cells[t.time], float64(t.last)))
	}
	t.rows, t.last = t.rows+1, unit.Time(at)
	if v, ok := t.parse(cells[t.value]); ok {
		t.points = append(t.points, Point{unit.Time(at), v})
	}
	return true
}

func (t *table) parse(cell string) (Value, bool) {
	text := strings.TrimSpace(cell)
	number, err := strconv.ParseFloat(text, 64)
	v := Value{Number: number}
	if err == nil {
		err = v.check()
	}
	if err != nil {
		t.fault(t.value, "value", fmt.Sprintf("got %q, want a finite number, not negative", cell))
		return Value{}, false
	}
	if t.rate == "" {
		return v, true
	}
	r, err := unit.ParseRate(text + t.rate)
	if err != nil {
		t.fault(t.value, "value", err.Error())
		return Value{}, false
	}
	return Value{float64(r), true}, true
}
