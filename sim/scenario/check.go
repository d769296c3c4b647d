package scenario

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/rng"
	"tiersim/sim/trace"
)

// Check tells everything that is wrong in topologies, scenarios and traces, as a
// fault.List; a scenario is checked with all that it names. Files are told apart
// by their keys.
func Check(names ...string) error {
	faults, _ := Inspect(names...)
	return faults.Err()
}

// Inspect returns what Check does, and the notes on what has no effect.
func Inspect(names ...string) (faults fault.List, notes []string) {
	for _, name := range names {
		c := &checker{}
		c.file(name)
		faults = append(faults, c.faults...)
		notes = append(notes, c.notes...)
	}
	return faults, notes
}

// A checker gathers what is wrong in one file and those that it names.
type checker struct {
	faults fault.List
	notes  []string
}

func (c *checker) file(name string) {
	if !isYAML(name) {
		c.alone(name)
		return
	}
	l := newLoader("")
	lib := scenarioLibrary()
	at, err := find(name, l.cwd, lib)
	if err != nil && filepath.Ext(name) == "" {
		at, err = find(name, l.cwd, topologyLibrary())
	}
	if err != nil && filepath.Ext(name) == "" {
		at, err = find(name, l.cwd, rulesLibrary())
	}
	if err != nil {
		c.faults = append(c.faults, fault.Fault{File: name, Message: err.Error()})
		return
	}
	root, faults := l.tree(at)
	switch {
	case root == nil:
		c.faults = append(c.faults, faults...)
	case kindOf(root) == "topology":
		d := &decoder{load: l}
		if b := d.topology(root); b != nil {
			b.weather(d, &World{Topology: b.topology}, &scenarioFile{})
		}
		c.faults = append(c.faults, l.sorted(d.faults)...)
		c.notes = append(c.notes, l.tell(d.notes)...)
	case kindOf(root) == "rules":
		d := &decoder{load: l}
		d.rules(root)
		c.faults = append(c.faults, l.sorted(d.faults)...)
	default:
		c.scenario(l, at, root)
	}
}

// isYAML reports whether a name is that of a topology or scenario: what ends in
// .yaml, and what names no file with another ending.
func isYAML(name string) bool {
	ext := filepath.Ext(name)
	if ext == ".yaml" || ext == ".yml" {
		return true
	}
	return ext == "" && !(&location{path: name}).exists()
}

// scenario checks a scenario and its traces, in every design point in which other
// places or other rows are replayed.
func (c *checker) scenario(l *loader, at *location, root *node) {
	s, err := l.scenario(at, root, nil)
	if err != nil {
		list, _ := fault.Of(err)
		c.faults = append(c.faults, list...)
		return
	}
	c.notes = append(c.notes, s.Notes...)
	var done []string
	var faults fault.List
	for i := range s.Points {
		key := s.plans[i].rowsKey()
		if slices.Contains(done, key) {
			continue
		}
		done = append(done, key)
		w, err := s.World(i)
		if err == nil {
			err = c.prepare(w.Trace, s.Seed)
		}
		list, ok := fault.Of(err)
		if !ok && err != nil {
			list = fault.List{{File: at.shown, Message: err.Error()}}
		}
		faults = append(faults, list...)
	}
	c.faults = append(c.faults, l.sorted(faults)...)
}

// rowsKey tells design points apart in which a trace could have other faults: by
// what they change of it, and of slots and places.
func (p *plan) rowsKey() string {
	var b strings.Builder
	for _, o := range p.overrides {
		path, ok := o.ofTopology()
		last := path[strings.LastIndexByte(path, '.')+1:]
		if ok && slices.Contains([]string{"capacity", "latency", "price", "speed", "read", "write", "background", "fluctuation", "cost", "estimates"}, last) {
			continue
		}
		if ok || slices.Contains([]string{"topology", "trace", "fill"}, head(o.path)) {
			b.WriteString(o.path + "=" + o.value.flow() + "\n")
		}
	}
	return b.String()
}

// alone checks a trace by itself: its rows may name any place.
func (c *checker) alone(name string) {
	at := newLoader("").cwd.beside(name)
	if f, err := at.open(); err != nil {
		c.faults = append(c.faults, fault.Fault{File: name, Message: absent(at, err) + nearby(at)})
		return
	} else {
		f.Close()
	}
	err := c.prepare(trace.Options{Sources: []trace.Source{{File: name, Open: func() (io.ReadCloser, error) { return at.open() }}}}, 1)
	if list, ok := fault.Of(err); ok {
		c.faults = append(c.faults, list...)
	} else if err != nil {
		c.faults = append(c.faults, fault.Fault{File: name, Message: err.Error()})
	}
}

// prepare reads a trace and tells what is wrong in it, tasks that no pool can
// ever take included.
func (c *checker) prepare(o trace.Options, seed uint64) error {
	o.Streams = rng.New(seed, 1)
	t, err := trace.Prepare(o)
	if err != nil {
		return err
	}
	defer t.Close()
	for _, n := range t.Notes {
		if !slices.Contains(c.notes, n) {
			c.notes = append(c.notes, n)
		}
	}
	return nil
}
