package record

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/parquet/file"
)

// A Metric is one number of a run: of all tasks, of a class, a link or a pool.
type Metric struct {
	Scope string  `json:"scope"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// A Result is what a run comes to. It stands in the footer of the run's part of
// tasks, so that a summary is made from footers alone; a rerun gives the same
// bytes, so it holds no times of the machine.
type Result struct {
	Tasks   int64
	Events  int64
	Digest  uint64
	Metrics []Metric
}

// resultKey is where the footer holds the Result.
const resultKey = "tiersim.run"

// result is a Result in JSON: the digest as text, since many readers of JSON
// keep 53 bits of a number.
type result struct {
	Tasks   int64    `json:"tasks"`
	Events  int64    `json:"events"`
	Digest  string   `json:"digest"`
	Metrics []Metric `json:"metrics"`
}

func (r *Result) encode() (string, error) {
	for _, m := range r.Metrics {
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			return "", fmt.Errorf("metric %s of %s is %v: not a number to keep", m.Name, m.Scope, m.Value)
		}
	}
	b, err := json.Marshal(result{r.Tasks, r.Events, fmt.Sprintf("%016x", r.Digest), r.Metrics})
	return string(b), err
}

func decodeResult(s string) (*Result, error) {
	var j result
	if err := json.Unmarshal([]byte(s), &j); err != nil {
		return nil, err
	}
	digest, err := strconv.ParseUint(j.Digest, 16, 64)
	if err != nil {
		return nil, err
	}
	return &Result{Tasks: j.Tasks, Events: j.Events, Digest: digest, Metrics: j.Metrics}, nil
}

// ReadResult reads what the run came to, from the footer of its part of tasks.
func ReadResult(root string, p Partition) (*Result, error) {
	path := p.path(root, Tasks)
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	s := r.MetaData().KeyValueMetadata().FindValue(resultKey)
	if s == nil {
		return nil, fmt.Errorf("%s: no %s in its footer; it was not written by tiersim", path, resultKey)
	}
	out, err := decodeResult(*s)
	if err != nil {
		return nil, fmt.Errorf("%s: %s in its footer: %w", path, resultKey, err)
	}
	return out, nil
}
