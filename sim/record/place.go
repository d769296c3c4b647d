package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Partition names a run: a design point under a policy, in one replication.
type Partition struct {
	Point       string
	Policy      string
	Replication int
}

func (p Partition) String() string {
	return fmt.Sprintf("point %s, policy %s, replication %d", p.Point, p.Policy, p.Replication)
}

// partFile is the name of a partition's one file.
const partFile = "part-0.parquet"

// dir is the folder of the run's part of a table, Hive style.
func (p Partition) dir(root string, t Table) string {
	return filepath.Join(root, t.String(), "point="+escape(p.Point), "policy="+escape(p.Policy), fmt.Sprintf("replication=%04d", p.Replication))
}

func (p Partition) path(root string, t Table) string { return filepath.Join(p.dir(root, t), partFile) }

// aside is the folder that the run is written in before it is whole. It stands
// while the run is being written, and its lock says whether someone still does.
func (p Partition) aside(root string) string {
	return filepath.Join(root, fmt.Sprintf("%s%s,%s,%04d", asidePrefix, escape(p.Point), escape(p.Policy), p.Replication))
}

const (
	asidePrefix = ".writing-"
	gonePrefix  = ".removed-" // a folder on its way out
)

// escape makes a value fit for a folder's name, as readers of Hive partitions
// undo it.
func escape(s string) string { return strings.ReplaceAll(url.PathEscape(s), "=", "%3D") }

func compare(a, b Partition) int {
	return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Policy, b.Policy), cmp.Compare(a.Replication, b.Replication))
}

// Complete reports whether the run stands whole.
func Complete(root string, p Partition) bool {
	f, err := os.Open(p.path(root, Tasks))
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	if _, err := f.Seek(-4, io.SeekEnd); err != nil {
		return false
	}
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "PAR1"
}

// Runs returns the runs that stand whole, by point, policy and replication.
func Runs(root string) ([]Partition, error) {
	all, err := partitions(root, Tasks)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(p Partition) bool { return !Complete(root, p) }), nil
}

// partitions returns the runs of which a table has a folder, sorted.
func partitions(root string, t Table) ([]Partition, error) {
	paths, err := filepath.Glob(filepath.Join(escapeGlob(root), t.String(), "point=*", "policy=*", "replication=*"))
	if err != nil {
		return nil, err
	}
	var out []Partition
	for _, path := range paths {
		if p, ok := parsePartition(path); ok {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, compare)
	return out, nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(s)
}

// parsePartition reads a run's name from the last three parts of a path.
func parsePartition(path string) (p Partition, ok bool) {
	var values [3]string
	for i, key := range []string{"replication=", "policy=", "point="} {
		text, found := strings.CutPrefix(filepath.Base(path), key)
		v, err := url.PathUnescape(text)
		if !found || err != nil {
			return p, false
		}
		values[i], path = v, filepath.Dir(path)
	}
	n, err := strconv.Atoi(values[0])
	return Partition{Point: values[2], Policy: values[1], Replication: n}, err == nil
}

// CleanIncomplete removes what runs that were cut short have left under root:
// the folders that they wrote in, and partitions without their part of tasks.
// What another process is writing at the moment stays.
func CleanIncomplete(root string) error {
	if err := removeLeftovers(root); err != nil {
		return err
	}
	for t := range NumTables {
		all, err := partitions(root, t)
		if err != nil {
			return err
		}
		for _, p := range all {
			if err := removeIncomplete(root, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeLeftovers removes the hidden folders and files that nobody works on.
func removeLeftovers(root string) error {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), asidePrefix):
			err = removeStale(path)
		case strings.HasPrefix(e.Name(), gonePrefix):
			err = os.RemoveAll(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeIncomplete removes all partitions of a run that is not whole, unless it
// is being written. The run's lock is held meanwhile, so that it cannot become
// whole between the look and the removal.
func removeIncomplete(root string, p Partition) error {
	if Complete(root, p) {
		return nil
	}
	_, missing := os.Stat(p.aside(root))
	held, err := acquireNow(p.aside(root))
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	if !held.locked && missing == nil {
		return held.file.Close() // someone may be writing it
	}
	defer held.release()
	if Complete(root, p) {
		return nil
	}
	return removeRun(root, p)
}

// removeRun removes what stands of a run, tasks first: what is left of it at any
// moment does not look whole.
func removeRun(root string, p Partition) error {
	for t := range NumTables {
		dir := p.dir(root, t)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		removeEmpty(dir, 3)
	}
	return nil
}

// removeEmpty removes the folders above path, up to so many, that are empty. One
// that is not is left, as one that another process has just filled.
func removeEmpty(path string, levels int) {
	for range levels {
		path = filepath.Dir(path)
		if os.Remove(path) != nil {
			return
		}
	}
}

// Remove removes a run that stands, so that it begins again.
func Remove(root string, p Partition) error { return removeRun(root, p) }

// Clear removes the results that stand under root, so that all begins again:
// the manifest and what was made of the runs first, then the runs. Files of
// others stay.
func Clear(root string) error {
	for _, name := range []string{ManifestFile, SummaryCSV, SummaryJSON, PointsFile} {
		if err := os.Remove(filepath.Join(root, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for t := range NumTables {
		all, err := partitions(root, t)
		if err != nil {
			return err
		}
		for _, p := range all {
			if err := removeRun(root, p); err != nil {
				return err
			}
		}
	}
	return CleanIncomplete(root)
}
