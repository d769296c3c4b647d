package record

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// A Table is one of the tables of the results.
type Table uint8

// The tables, in the order in which they are described. A finished run renames
// them in the opposite order, so that Tasks comes last.
const (
	Tasks Table = iota
	Transfers
	Attempts
	Decisions
	Links
	Pools
	NumTables
)

var tableNames = [NumTables]string{"tasks", "transfers", "attempts", "decisions", "links", "pools"}

var tableMeanings = [NumTables]string{
	"a row per task of the trace, in the order in which they ended",
	"a row per transfer: bytes that were asked to go from one room to another",
	"a row per attempt: one stay of a task on slots",
	"a row per decision and option offered, each option at its best room",
	"a row per link and interval of fixed length",
	"a row per pool and interval of fixed length",
}

func (t Table) String() string { return tableNames[t] }

// TableNames returns the names of all tables, in order.
func TableNames() []string { return tableNames[:] }

// ParseTable finds a table by its name.
func ParseTable(s string) (Table, bool) {
	for i, n := range tableNames {
		if n == s {
			return Table(i), true
		}
	}
	return 0, false
}

// A Column is the one definition of a column.
type Column struct {
	Name string `json:"name"`
	// Type is the Parquet type: string, double, int32 or boolean.
	Type string `json:"type"`
	// Unit is s, bytes, bytes/s, GB/h, slots, "slot s" or "" where there is none;
	// "money" is an amount in the topology's currency, which the file names.
	Unit string `json:"unit,omitempty"`
	// Optional says that the value may be absent.
	Optional bool `json:"optional,omitempty"`
	// Meaning is one sentence.
	Meaning string `json:"meaning"`
}

// A Definition is what a table holds.
type Definition struct {
	Table   string   `json:"table"`
	Meaning string   `json:"meaning"`
	Columns []Column `json:"columns"`
}

// Tables returns the definition of every table.
func Tables() []Definition {
	out := make([]Definition, NumTables)
	for t := range NumTables {
		out[t] = Definition{Table: t.String(), Meaning: tableMeanings[t], Columns: Columns(t)}
	}
	return out
}

// Columns returns the definitions of a table's columns, in their order.
func Columns(t Table) []Column {
	switch t {
	case Tasks:
		return definitions(taskColumns())
	case Transfers:
		return definitions(transferColumns())
	case Attempts:
		return definitions(attemptColumns())
	case Decisions:
		return definitions(decisionColumns())
	case Links:
		return definitions(linkColumns())
	case Pools:
		return definitions(poolColumns())
	}
	panic(fmt.Sprintf("record: table %d", t))
}

func definitions[R any](columns []column[R]) []Column {
	out := make([]Column, len(columns))
	for i := range columns {
		out[i] = columns[i].Column
	}
	return out
}

// WriteTablesJSON writes the definitions as JSON.
func WriteTablesJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(Tables())
}

// WriteTables writes the definitions as text to read.
func WriteTables(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, d := range Tables() {
		if i > 0 {
			fmt.Fprintln(tw)
		}
		fmt.Fprintf(tw, "%s: %s\n", d.Table, d.Meaning)
		for _, c := range d.Columns {
			kind := c.Type
			if c.Optional {
				kind += "?"
			}
			fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", c.Name, kind, c.Unit, c.Meaning)
		}
	}
	fmt.Fprint(tw, "\n? may be absent. money is in the topology's currency, which the file's column metadata name.\n")
	return tw.Flush()
}
