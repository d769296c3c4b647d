package trace

import (
	"fmt"
	"io"
	"strings"
)

// A Report tells what became of a file's rows: In = Out + all of Dropped.
type Report struct {
	File    string // that was read
	Format  string // of it, one of FormatNames
	Wrote   string // the file that was written
	In, Out int64  // rows
	Dropped []Reason
	Columns []Column // written
	Notes   []string
}

// WriteText prints the report, a sentence a line.
func (r *Report) WriteText(w io.Writer) error {
	names := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		names[i] = c.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %d rows; %s: %d tasks\n", r.File, r.Format, r.In, r.Wrote, r.Out)
	fmt.Fprintf(&b, "columns: %s\n", strings.Join(names, " "))
	for _, d := range r.Dropped {
		fmt.Fprintln(&b, d)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(&b, n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// passedOver tells of columns that the schema does not have.
func passedOver(unknown []string) string {
	return "not in the schema, passed over: " + strings.Join(unknown, ", ")
}
