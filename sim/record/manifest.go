package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// The files beside the tables.
const (
	ManifestFile = "manifest.json"
	PointsFile   = "points.csv"
	SummaryCSV   = "summary.csv"
	SummaryJSON  = "summary.json"
)

// An Input is a file that the results were made from.
type Input struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// A Manifest says what results were made from. It holds nothing of the machine
// and no time of day, so that the same run leaves the same bytes. Runs stand in it
// once all are there.
type Manifest struct {
	Scenario string `json:"scenario"`
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`

	Inputs    []Input  `json:"inputs"`
	Seed      uint64   `json:"seed"`
	Overrides []string `json:"overrides"` // KEY=VALUE, as given by --set
	Flags     []string `json:"flags"`     // what else on the command line changes numbers

	Kind     string   `json:"kind"` // terminating, or steady-state with a warm-up
	Warmup   string   `json:"warm_up"`
	Horizon  string   `json:"horizon"`
	Points   []string `json:"points"`
	Policies []string `json:"policies"`
	Baseline string   `json:"baseline"`
	Tables   []string `json:"tables"`

	Runs []RunDigest `json:"runs"`
}

// A RunDigest tells a run from another: its events, and a digest of them all.
type RunDigest struct {
	Point       string `json:"point"`
	Policy      string `json:"policy"`
	Replication int    `json:"replication"`
	Events      int64  `json:"events"`
	Digest      string `json:"digest"`
}

// AddRun adds a run's digest.
func (m *Manifest) AddRun(p Partition, r *Result) {
	m.Runs = append(m.Runs, RunDigest{p.Point, p.Policy, p.Replication, r.Events, fmt.Sprintf("%016x", r.Digest)})
}

// Write writes the manifest under root, whole.
func (m *Manifest) Write(root string) error {
	c := *m
	for _, list := range []*[]string{&c.Overrides, &c.Flags, &c.Points, &c.Policies, &c.Tables} {
		if *list == nil {
			*list = []string{}
		}
	}
	if c.Runs == nil {
		c.Runs = []RunDigest{}
	}
	if c.Inputs == nil {
		c.Inputs = []Input{}
	}
	return WriteWhole(filepath.Join(root, ManifestFile), func(w io.Writer) error { return writeJSON(w, &c) })
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// ReadManifest reads the manifest under root; ok is false where there is none.
func ReadManifest(root string) (m *Manifest, ok bool, err error) {
	path := filepath.Join(root, ManifestFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	m = new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	return m, true, nil
}

// Compare says what of the inputs differs between results that stand (old) and
// those that are to be made (m), a short text each, such as
//
//	trace.csv has changed
//
// None means that m's runs belong beside the old ones. Inputs are the contents of
// files, the seed, overrides, flags, horizon and tables. Which points, policies
// and replications were asked for is not compared, since a second run may add
// some; nor where the files lie, so that results can be gone on with elsewhere;
// nor the version (SameCode).
func (m *Manifest) Compare(old *Manifest) []string {
	var out []string
	differs := func(what string, before, now any) {
		if b, n := fmt.Sprint(before), fmt.Sprint(now); b != n {
			out = append(out, fmt.Sprintf("%s was %s, is %s", what, b, n))
		}
	}
	out = append(out, compareInputs(m.Inputs, old.Inputs)...)
	differs("seed", old.Seed, m.Seed)
	differs("--set", old.Overrides, m.Overrides)
	differs("flags", old.Flags, m.Flags)
	differs("warm-up", quoted(old.Warmup), quoted(m.Warmup))
	differs("horizon", quoted(old.Horizon), quoted(m.Horizon))
	differs("tables", old.Tables, m.Tables)
	return out
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// compareInputs compares files by content, those of one name with each other.
func compareInputs(now, old []Input) []string {
	key := func(i Input) string { return filepath.Base(i.Path) }
	var out []string
	rest := slices.Clone(old)
	var unmatched []Input
	for _, n := range now {
		if i := slices.IndexFunc(rest, func(o Input) bool { return o.SHA256 == n.SHA256 && key(o) == key(n) }); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			unmatched = append(unmatched, n)
		}
	}
	for _, n := range unmatched {
		if i := slices.IndexFunc(rest, func(o Input) bool { return key(o) == key(n) }); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			out = append(out, n.Path+" has changed")
		} else {
			out = append(out, n.Path+" is new")
		}
	}
	for _, o := range rest {
		out = append(out, o.Path+" is not used now")
	}
	return out
}

// SameCode reports whether both were made by one version of the program. Runs of
// two versions side by side deserve a word to the user.
func (m *Manifest) SameCode(old *Manifest) bool {
	return m.Version == old.Version && m.Commit == old.Commit
}
