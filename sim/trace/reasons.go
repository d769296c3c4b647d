package trace

import "fmt"

// A Reason says why rows of a file are left out, and how many there are.
type Reason struct {
	Reason string `json:"reason"`
	Rows   int64  `json:"rows"`
}

func (r Reason) String() string {
	if r.Rows == 1 {
		return "1 row left out: " + r.Reason
	}
	return fmt.Sprintf("%d rows left out: %s", r.Rows, r.Reason)
}

// reasons counts rows by reason, in the order in which the reasons came up.
type reasons []Reason

func (r *reasons) add(reason string, rows int64) {
	for i := range *r {
		if (*r)[i].Reason == reason {
			(*r)[i].Rows += rows
			return
		}
	}
	*r = append(*r, Reason{reason, rows})
}

func (r reasons) rows() int64 {
	n := int64(0)
	for i := range r {
		n += r[i].Rows
	}
	return n
}

// A teller is a RowReader that has more to say of its file once Read has
// returned io.EOF: what it took for granted, and which rows cannot be tasks. No
// such row is an error, and none is passed over in silence.
type teller interface {
	Notes() []string
	Dropped() []Reason
}

// told returns what a reader has to say of its file.
func told(rows RowReader) (notes []string, dropped []Reason) {
	if t, ok := innermost(rows).(teller); ok {
		return t.Notes(), t.Dropped()
	}
	return nil, nil
}

// readerNotes is all that a reader has to say, as sentences.
func readerNotes(rows RowReader) []string {
	notes, dropped := told(rows)
	notes = append([]string(nil), notes...)
	for _, d := range dropped {
		notes = append(notes, d.String())
	}
	return notes
}

// resorted tells that a reader brought lines into order.
func resorted(lines int) string {
	if lines == 1 {
		return "1 line was not in the order of submission and is sorted in"
	}
	return fmt.Sprintf("%d lines were not in the order of submission and are sorted in", lines)
}

// innermost returns the reader of the format, without what unpacks and closes.
func innermost(rows RowReader) RowReader {
	for {
		c, ok := rows.(*closing)
		if !ok {
			return rows
		}
		rows = c.RowReader
	}
}
