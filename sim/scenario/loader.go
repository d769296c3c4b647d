package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/profile"
)

// A loader reads files, each once.
type loader struct {
	cwd    *location
	inputs inputs
	order  []string // shown names of files, as they were first read
	trees  []parsedFile
	series []readSeries
	hashed map[string]bool
}

type parsedFile struct {
	at     *location
	root   *node
	faults fault.List
}

type readSeries struct {
	file, unit string
	points     []profile.Point
	err        error
}

func newLoader(dir string) *loader {
	return &loader{cwd: workingFolder(dir), hashed: map[string]bool{}}
}

// tree returns the tree of a YAML file.
func (l *loader) tree(at *location) (*node, fault.List) {
	for i := range l.trees {
		if l.trees[i].at.shown == at.shown {
			return l.trees[i].root, l.trees[i].faults
		}
	}
	f := parsedFile{at: at}
	content, err := l.inputs.read(at, maxFile)
	if err != nil {
		f.faults = fault.List{{File: at.shown, Message: err.Error()}}
	} else {
		f.root, f.faults = parse(at, content)
	}
	l.order = append(l.order, at.shown)
	l.trees = append(l.trees, f)
	return f.root, f.faults
}

// maxSeries bounds a file of points. Chosen: a year of 5-second values has 130 MB.
const maxSeries = 256 << 20

// points reads the recorded points of a file that a profile names.
func (l *loader) points(d *decoder, file text, unit string) []profile.Point {
	at := file.node.at.file.beside(file.string)
	for i := range l.series {
		if s := &l.series[i]; s.file == at.shown && s.unit == unit {
			return d.series(file.node, s)
		}
	}
	s := readSeries{file: at.shown, unit: unit}
	content, err := l.inputs.read(at, maxSeries)
	if err == nil {
		l.order = append(l.order, at.shown)
		s.points, err = profile.ReadCSV(bytes.NewReader(content), at.shown, unit)
	}
	s.err = err
	l.series = append(l.series, s)
	return d.series(file.node, &s)
}

func (d *decoder) series(n *node, s *readSeries) []profile.Point {
	if s.err == nil {
		return s.points
	}
	if list, ok := fault.Of(s.err); ok {
		d.faults = append(d.faults, list...)
	} else {
		d.fault(n, "%v", s.err)
	}
	return nil
}

// nearby says which file beside one that is not there was meant.
func nearby(at *location) string {
	if at.embedded != nil {
		return ""
	}
	var names []string
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(at.path), "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && !info.IsDir() && filepath.Base(f) != filepath.Base(at.path) {
			names = append(names, filepath.Base(f))
		}
	}
	if fix, ok := fault.Suggest(filepath.Base(at.path), names); ok {
		return "; write " + filepath.ToSlash(filepath.Join(filepath.Dir(at.given), fix))
	}
	return ""
}

// sorted returns faults by file, in the order of reading, and place, each once.
func (l *loader) sorted(list fault.List) fault.List {
	rank := func(f fault.Fault) int {
		if i := slices.Index(l.order, f.File); i >= 0 {
			return i
		}
		return len(l.order)
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b fault.Fault) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	seen := map[fault.Fault]bool{}
	return slices.DeleteFunc(out, func(f fault.Fault) bool {
		twice := seen[f]
		seen[f] = true
		return twice
	})
}

// tell writes notes; those that say the same of a key in several places of a file
// are one.
func (l *loader) tell(notes fault.List) []string {
	var first fault.List
	var more []int
	for _, n := range l.sorted(notes) {
		i := slices.IndexFunc(first, func(f fault.Fault) bool {
			return f.File == n.File && f.Message == n.Message && lastKey(f.Field) == lastKey(n.Field)
		})
		if i >= 0 {
			more[i]++
			continue
		}
		first, more = append(first, n), append(more, 0)
	}
	var told []string
	for i, n := range first {
		text := n.Error()
		if more[i] > 0 {
			text += fmt.Sprintf(" (nor in %d more places)", more[i])
		}
		told = append(told, text)
	}
	return told
}

// lastKey is the key at the end of a path, without indices.
func lastKey(path string) string {
	key, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "[")
	return key
}
