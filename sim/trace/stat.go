package trace

import "context"

// StatOptions say how a trace is looked at.
type StatOptions struct {
	Format      string // of what is read, one of FormatNames; "": by content
	SkipBadRows bool   // count broken rows, which are faults otherwise
}

// Stats tell what a trace holds by itself, before any fill rule. Absent classes,
// slots and volumes count as their defaults; absent run times do not count. Its
// JSON form has the same names, with units.
type Stats struct {
	File    string   `json:"file"`
	Format  string   `json:"format"`
	Rows    int64    `json:"rows"` // Tasks + all of Dropped
	Tasks   int64    `json:"tasks"`
	Dropped []Reason `json:"dropped,omitempty"`

	FirstS   float64  `json:"first_s"` // submissions, as submit_s counts
	LastS    float64  `json:"last_s"`
	SpanS    float64  `json:"span_s"`
	Arrivals Arrivals `json:"arrivals"`

	Classes    []Part `json:"classes"` // the largest first
	Kinds      []Part `json:"kinds"`
	Groups     []Part `json:"groups"` // the ten largest
	GroupCount int    `json:"group_count"`

	Slots     Distribution `json:"slots"`
	WorkS     Distribution `json:"work_s"`
	SlotHours float64      `json:"slot_hours"` // of the tasks with run times

	InputBytes   Distribution `json:"input_bytes"`
	ShuffleBytes Distribution `json:"shuffle_bytes"`
	OutputBytes  Distribution `json:"output_bytes"`
	Datasets     Datasets     `json:"datasets"`

	Present  []ColumnUse `json:"present"`
	Missing  []string    `json:"missing"` // columns without a value
	Unsorted bool        `json:"unsorted,omitempty"`
	Notes    []string    `json:"notes,omitempty"`
}

// Arrivals count tasks by time since the trace's start: submit_s 0, or the first
// task where submit_s counts from 1970.
type Arrivals struct {
	PerDay    []int64   `json:"per_day,omitempty"` // left out where there are more than maxDays
	HourOfDay [24]int64 `json:"hour_of_day"`       // from the start's hour on
	// MeanPerHour is over the span; the busiest hour begins a whole number of
	// hours after the start.
	MeanPerHour float64 `json:"mean_per_hour"`
	BusiestHour int64   `json:"busiest_hour"`
	MaxPerHour  int64   `json:"max_per_hour"`
}

// A Part is a share of the tasks.
type Part struct {
	Name      string  `json:"name"`
	Tasks     int64   `json:"tasks"`
	SlotHours float64 `json:"slot_hours"`
}

// A Distribution tells how a number is spread over the N tasks that have one.
type Distribution struct {
	N    int64   `json:"n"`
	Sum  float64 `json:"sum"`
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Datasets tell what named data sets are read, and how often again.
type Datasets struct {
	Count     int     `json:"count"`
	Reads     int64   `json:"reads"`
	Again     int64   `json:"again"`      // reads that are not the first of their set
	Reused    int     `json:"reused"`     // sets that are read more than once
	Varying   int     `json:"varying"`    // of those, the ones that are read with different bytes
	Bytes     float64 `json:"bytes"`      // of all sets, each as large as the most that is read of it
	ReadBytes float64 `json:"read_bytes"` // by all reads
	MostRead  *Set    `json:"most_read,omitempty"`
	Largest   *Set    `json:"largest,omitempty"`
}

// A Set is one data set.
type Set struct {
	Name  string  `json:"name"`
	Reads int64   `json:"reads"`
	Bytes float64 `json:"bytes"` // the most that is read of it
}

// A ColumnUse is how many tasks have a value in a column.
type ColumnUse struct {
	Column string `json:"column"`
	Tasks  int64  `json:"tasks"`
}

// Stat tells what a trace holds.
func Stat(ctx context.Context, name string, o StatOptions) (*Stats, error) {
	r, err := openReading(ctx, name, o.Format, o.SkipBadRows)
	if err != nil {
		return nil, err
	}
	defer r.rows.Close()
	t := newTally()
	if err := r.each(t.add); err != nil {
		return nil, err
	}
	s := t.stats()
	s.File, s.Format, s.Rows, s.Dropped = name, formatOf(r.rows), r.in, r.dropped
	s.Notes, _ = told(r.rows)
	if u := r.rows.Unknown(); len(u) > 0 {
		s.Notes = append(s.Notes, passedOver(u))
	}
	return s, nil
}
