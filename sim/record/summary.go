package record

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A PointRow is a row of points.csv: what a design point varies.
type PointRow struct {
	ID     string
	Name   string // of a named point
	Varied []Setting
}

// A Setting is a field of the scenario and the value that a point gives it.
type Setting struct{ Key, Value string }

// WritePoints writes points.csv under root: a row a point, a column a field that
// any of them varies, in the order in which they first occur. A cell is empty
// where the point leaves the field as it is.
func WritePoints(root string, points []PointRow) error {
	header := []string{"point", "name"}
	for _, p := range points {
		for _, s := range p.Varied {
			if !slices.Contains(header[2:], s.Key) {
				header = append(header, s.Key)
			}
		}
	}
	return WriteWhole(filepath.Join(root, PointsFile), func(w io.Writer) error {
		rows := [][]string{header}
		for _, p := range points {
			row := make([]string, len(header))
			row[0], row[1] = p.ID, p.Name
			for _, s := range p.Varied {
				row[2+slices.Index(header[2:], s.Key)] = s.Value
			}
			rows = append(rows, row)
		}
		return csv.NewWriter(w).WriteAll(rows)
	})
}

// A SummaryRow is one metric of a design point under a policy, over its
// replications.
type SummaryRow struct {
	Point     string       `json:"point"`
	Policy    string       `json:"policy"`
	Scope     string       `json:"scope"`
	Metric    string       `json:"metric"`
	Unit      string       `json:"unit"`
	Mean      float64      `json:"mean"`
	HalfWidth Opt[float64] `json:"half_width"` // absent where there is one replication
	N         int          `json:"n"`
	// Difference is the mean of the paired differences to the baseline; absent
	// for the baseline itself.
	Difference          Opt[float64] `json:"difference"`
	DifferenceHalfWidth Opt[float64] `json:"difference_half_width"`
	Warnings            []string     `json:"warnings"`
}

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.OK {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// UnmarshalJSON reads the value, or null.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	if o.OK = string(b) != "null"; !o.OK {
		var none T
		o.Value = none
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

// A Summary is what summary.json holds, and the rows of summary.csv.
type Summary struct {
	Scenario   string       `json:"scenario"`
	Baseline   string       `json:"baseline"`
	Confidence float64      `json:"confidence"` // of the half-widths: 0.95
	Currency   string       `json:"currency"`
	Rows       []SummaryRow `json:"rows"`
}

// Write writes summary.csv and summary.json under root.
func (s *Summary) Write(root string) error {
	err := WriteWhole(filepath.Join(root, SummaryCSV), s.WriteCSV)
	if err != nil {
		return err
	}
	return WriteWhole(filepath.Join(root, SummaryJSON), s.WriteJSON)
}

// WriteCSV writes the rows with a header; what is absent is an empty cell and
// warnings are a ; list.
func (s *Summary) WriteCSV(w io.Writer) error {
	rows := [][]string{{"point", "policy", "scope", "metric", "unit", "mean", "half_width", "n",
		"baseline", "difference", "difference_half_width", "warnings"}}
	for _, r := range s.Rows {
		rows = append(rows, []string{r.Point, r.Policy, r.Scope, r.Metric, r.Unit, number(r.Mean), cell(r.HalfWidth),
			strconv.Itoa(r.N), s.Baseline, cell(r.Difference), cell(r.DifferenceHalfWidth), strings.Join(r.Warnings, ";")})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteJSON writes the summary as one object.
func (s *Summary) WriteJSON(w io.Writer) error {
	c := *s
	c.Rows = slices.Clone(s.Rows)
	if c.Rows == nil {
		c.Rows = []SummaryRow{}
	}
	for i := range c.Rows {
		if c.Rows[i].Warnings == nil {
			c.Rows[i].Warnings = []string{}
		}
	}
	return writeJSON(w, &c)
}

// number is the shortest text that reads back as v.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func cell(o Opt[float64]) string {
	if !o.OK {
		return ""
	}
	return number(o.Value)
}
