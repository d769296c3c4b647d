// Package fault says what is wrong in an input, where, and the one edit that
// mends it.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// A Fault is one thing wrong in a named file. Line and Column count from 1; 0
// where they mean nothing (a Parquet file has rows, named in Field).
type Fault struct {
	File         string
	Line, Column int
	Field        string // links[2].capacity; row 17, column submit_s
	Message      string // got "10 Gb", want a rate such as 10Gbit/s; write 10Gbit/s
}

func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
		if f.Column > 0 {
			fmt.Fprintf(&b, ":%d", f.Column)
		}
	}
	if f.Field != "" {
		fmt.Fprintf(&b, ": %s", f.Field)
	}
	fmt.Fprintf(&b, ": %s", f.Message)
	return b.String()
}

// A List is every fault that was found, in the order of the input. An empty
// List is not an error: return Err().
type List []Fault

func (l List) Error() string {
	lines := make([]string, len(l))
	for i, f := range l {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns the list as an error, nil where it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Of returns the faults in err, and whether it holds any.
func Of(err error) (List, bool) {
	var l List
	if errors.As(err, &l) {
		return l, true
	}
	var f Fault
	if errors.As(err, &f) {
		return List{f}, true
	}
	return nil, false
}

// Suggest returns the name of those known that is nearest to got (at most a
// third of its letters differ), and whether there is one.
func Suggest(got string, known []string) (string, bool) {
	best, limit := "", len(got)/3+1
	for _, k := range known {
		if d := distance(got, k); d < limit || d == limit && best == "" {
			best, limit = k, d
		}
	}
	return best, best != ""
}

// distance is Levenshtein's edit distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
