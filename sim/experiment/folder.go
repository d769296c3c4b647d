package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tiersim/sim/fault"
	"tiersim/sim/record"
)

// figuresDir is where the figures stand in a folder of results.
const figuresDir = "figures"

// wayOut is what to do about results that are in the way.
const wayOut = "use --out for another folder, or --force to start again here"

// A folder is the results of one scenario.
type folder struct {
	path  string
	found *record.Manifest // that stood there, nil where none did
	// stale says that what is there is to go, once a first new run is about to
	// begin.
	stale bool
	// figures says what is drawn of a summary; nil draws nothing.
	figures func(*Summary) []Drawing
	once    sync.Once // of begin
	err     error     // of begin
}

// manifest says what is about to be run.
func (e *experiment) manifest(policies []string) *record.Manifest {
	s := e.Scenario
	m := &record.Manifest{
		Scenario: s.Name, Version: e.Build.Version, Commit: e.Build.Commit, Go: e.Build.Go,
		Seed: s.Seed, Overrides: e.Settings, Kind: "terminating", Policies: policies, Baseline: e.Scenario.Baseline,
		Horizon: e.points[0].world.Horizon.String(),
	}
	for _, t := range e.tables {
		m.Tables = append(m.Tables, t.String())
	}
	if e.SkipBadRows {
		m.Flags = append(m.Flags, "--skip-bad-rows")
	}
	for _, i := range s.Inputs {
		m.Inputs = append(m.Inputs, record.Input{Path: i.Path, SHA256: i.SHA256})
	}
	for _, p := range e.points {
		m.Points = append(m.Points, p.ID)
	}
	return m
}

// open looks at what is there: nothing, or results of the same inputs, or else
// a fault. With force it will be removed.
func (f *folder) open(want *record.Manifest, force bool) error {
	if f.stale = force; force {
		return nil
	}
	found, ok, err := record.ReadManifest(f.path)
	runs, errRuns := record.Runs(f.path)
	switch {
	case errRuns != nil:
		return errRuns
	case len(runs) == 0:
		return record.CleanIncomplete(f.path) // whatever it was, nothing came of it
	case err != nil:
		return fault.Fault{File: filepath.Join(f.path, record.ManifestFile), Message: fmt.Sprintf("not a manifest of tiersim (%v); %s", err, wayOut)}
	case !ok:
		return fault.Fault{File: f.path, Message: fmt.Sprintf("holds %d runs but no %s that says what they were made from; %s", len(runs), record.ManifestFile, wayOut)}
	}
	if differs := want.Compare(found); len(differs) > 0 {
		return fault.Fault{
			File: filepath.Join(f.path, record.ManifestFile), Field: strings.Join(differs, "; "),
			Message: "the results here were made from other inputs; " + wayOut,
		}
	}
	f.found = found
	return record.CleanIncomplete(f.path)
}

// begin makes the folder ready for the first new run: only then is there
// something to keep. Another process may do the same at this moment: it writes
// the same bytes.
func (f *folder) begin(want *record.Manifest, points []*point) error {
	f.once.Do(func() {
		if f.stale {
			if f.err = f.startAgain(want, points); f.err != nil {
				return
			}
			f.stale = false
		}
		switch {
		case f.found == nil:
			f.err = errors.Join(want.Write(f.path), record.WritePoints(f.path, pointRows(points)))
		case !want.SameCode(f.found):
			f.err = fault.Fault{
				File: filepath.Join(f.path, record.ManifestFile), Field: "version",
				Message: fmt.Sprintf("the runs here were made by tiersim %s %s and some are missing, but this is %s %s; %s",
					f.found.Version, f.found.Commit, want.Version, want.Commit, wayOut),
			}
		}
	})
	return f.err
}

// startAgain removes what is there: this process's points where other shards are
// at theirs with the same inputs, else all of it. It looks only now, since
// another shard may have started again while this one prepared its traces.
func (f *folder) startAgain(want *record.Manifest, points []*point) error {
	found, ok, err := record.ReadManifest(f.path)
	others := slices.ContainsFunc(points, func(p *point) bool { return !p.mine })
	if others && err == nil && ok && len(want.Compare(found)) == 0 && want.SameCode(found) {
		f.found = found
		return f.clearPoints(points)
	}
	return f.clear()
}

// finish writes the figures, in the manifest what they cover, and the summary.
// summary.json goes first and comes last: where it stands, all is in order.
func (f *folder) finish(want *record.Manifest, points []*point, s *Summary) error {
	if f.found != nil {
		want.Version, want.Commit, want.Go = f.found.Version, f.found.Commit, f.found.Go
	}
	if err := os.RemoveAll(filepath.Join(f.path, record.SummaryJSON)); err != nil {
		return err
	}
	for _, d := range f.drawings(s) {
		if err := d.Write(filepath.Join(f.path, figuresDir, d.Name)); err != nil {
			return err
		}
	}
	if err := errors.Join(want.Write(f.path), record.WritePoints(f.path, pointRows(points))); err != nil {
		return err
	}
	return s.Record().Write(f.path)
}

// finished reports whether finish has been here with the same summary, and
// nothing of it was removed since.
func (f *folder) finished(s *Summary) bool {
	var want bytes.Buffer
	if err := s.Record().WriteJSON(&want); err != nil {
		return false
	}
	have, err := os.ReadFile(filepath.Join(f.path, record.SummaryJSON))
	if err != nil || !bytes.Equal(have, want.Bytes()) {
		return false
	}
	names := []string{record.SummaryCSV, record.PointsFile}
	for _, d := range f.drawings(s) {
		name := filepath.Join(figuresDir, d.Name)
		names = append(names, name+".svg", name+".png")
	}
	for _, n := range names {
		if _, err := os.Stat(filepath.Join(f.path, n)); err != nil {
			return false
		}
	}
	return true
}

// drawings are the figures of the summary; none where nobody draws.
func (f *folder) drawings(s *Summary) []Drawing {
	if f.figures == nil {
		return nil
	}
	return f.figures(s)
}

// pointRows says what varies, a row a design point.
func pointRows(points []*point) []record.PointRow {
	rows := make([]record.PointRow, len(points))
	for i, p := range points {
		rows[i] = record.PointRow{ID: p.ID, Name: p.Name, Varied: settings(p)}
	}
	return rows
}

// settings are what a point varies.
func settings(p *point) []record.Setting {
	var list []record.Setting
	for _, kv := range p.Varied {
		list = append(list, record.Setting{Key: kv.Key, Value: kv.Value})
	}
	return list
}

// clear removes everything that an experiment writes, and nothing else.
func (f *folder) clear() error {
	return errors.Join(os.RemoveAll(filepath.Join(f.path, figuresDir)), record.Clear(f.path))
}

// clearPoints removes the runs of some points, and what is made of all.
func (f *folder) clearPoints(points []*point) error {
	var errs []error
	for _, name := range []string{record.SummaryCSV, record.SummaryJSON, figuresDir} {
		errs = append(errs, os.RemoveAll(filepath.Join(f.path, name)))
	}
	for _, p := range points {
		if !p.mine {
			continue
		}
		for _, t := range record.TableNames() { // tasks first: what is left does not look whole
			errs = append(errs, os.RemoveAll(filepath.Join(f.path, t, "point="+url.PathEscape(p.ID))))
		}
	}
	return errors.Join(append(errs, record.CleanIncomplete(f.path))...)
}

// dropEmpty removes the folder where nothing is in it.
func (f *folder) dropEmpty() { _ = os.Remove(f.path) } // fails where it holds anything
