package trace

import (
	"slices"
	"strings"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Catalog holds what the tasks of a trace name.
type Catalog struct {
	// Symbols are the names of groups, images, environments and licenses, by
	// task.Symbol; Symbols[0] is "".
	Symbols []string
	// Datasets are the named data sets, by task.DatasetID; Datasets[0] is unused.
	Datasets []Dataset
}

// A Dataset is a named set of data. Its size is the largest input_bytes that any
// task of the replayed part reads of it, or, where none reads it, the largest
// output that becomes it. Its homes are those of all rows, in the order in which
// they first appear. A set that some task's output becomes has only the homes
// that rows state: it is not at its readers' homes before it is made.
type Dataset struct {
	Name  string
	Bytes unit.Bytes
	Homes []topo.RoomID
}

// catalogBuilder gathers a catalog while rows go by. Its maps are looked up and
// never ranged over.
type catalogBuilder struct {
	symbols map[string]task.Symbol
	names   []string
	ids     map[string]task.DatasetID
	sets    []setBuilder
}

// A setBuilder is what is known so far of a data set.
type setBuilder struct {
	name     string
	read     unit.Bytes
	isRead   bool
	made     unit.Bytes
	isMade   bool
	stated   []topo.RoomID // homes that data_home states
	supposed []topo.RoomID // homes of readers that state none
}

func newCatalog() *catalogBuilder {
	return &catalogBuilder{
		symbols: map[string]task.Symbol{"": 0}, names: []string{""},
		ids: map[string]task.DatasetID{"": 0}, sets: make([]setBuilder, 1),
	}
}

// symbol returns the symbol of a name, which it copies when it is new.
func (c *catalogBuilder) symbol(name string) task.Symbol {
	if name == "" {
		return 0
	}
	if id, ok := c.symbols[name]; ok {
		return id
	}
	name = strings.Clone(name)
	id := task.Symbol(len(c.names))
	c.symbols[name] = id
	c.names = append(c.names, name)
	return id
}

func (c *catalogBuilder) dataset(name string) task.DatasetID {
	if id, ok := c.ids[name]; ok {
		return id
	}
	name = strings.Clone(name)
	id := task.DatasetID(len(c.sets))
	c.ids[name] = id
	c.sets = append(c.sets, setBuilder{name: name})
	return id
}

// reads notes that a task reads a data set; stated says that the row gives homes.
func (c *catalogBuilder) reads(name string, bytes unit.Bytes, homes []topo.RoomID, stated bool) task.DatasetID {
	id := c.dataset(name)
	s := &c.sets[id]
	s.isRead, s.read = true, max(s.read, bytes)
	list := &s.supposed
	if stated {
		list = &s.stated
	}
	for _, h := range homes {
		if !slices.Contains(*list, h) {
			*list = append(*list, h)
		}
	}
	return id
}

// makes notes that a task's output becomes a data set.
func (c *catalogBuilder) makes(name string, bytes unit.Bytes) task.DatasetID {
	if name == "" {
		return 0
	}
	id := c.dataset(name)
	s := &c.sets[id]
	s.isMade, s.made = true, max(s.made, bytes)
	return id
}

// finish returns the catalog.
func (c *catalogBuilder) finish() *Catalog {
	cat := &Catalog{Symbols: c.names, Datasets: make([]Dataset, len(c.sets))}
	for i := range c.sets {
		s := &c.sets[i]
		d := Dataset{Name: s.name, Bytes: s.read, Homes: s.stated}
		if !s.isRead {
			d.Bytes = s.made
		}
		if !s.isMade {
			d.Homes = union(s.stated, s.supposed)
		}
		cat.Datasets[i] = d
	}
	return cat
}

func union(a, b []topo.RoomID) []topo.RoomID {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
