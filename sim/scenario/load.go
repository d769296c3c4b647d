package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tiersim/sim/fault"
	"tiersim/sim/topo"
	"tiersim/sim/trace"
)

// Options say how a scenario is loaded.
type Options struct {
	// Set are overrides of the command line, KEY=VALUE.
	Set []string
	// Dir is the folder that names are relative to; "" is the current one.
	Dir string
}

// Replications say how many independent runs there are of what is random.
type Replications struct {
	From, To  int
	Precision float64  // relative half-width that ends them; 0 where there is none
	Over      []string // what is drawn anew in each: weather, fill
}

// A Scenario is a checked scenario with its design points.
type Scenario struct {
	Name         string
	File         string // as shown in faults
	Policies     []string
	Baseline     string
	Replications Replications
	Seed         uint64
	// Tables are those of the results that are written; nil is all of them.
	Tables []string
	Points []Point
	// Inputs are all files that it is made of.
	Inputs []Input
	// Notes tell what is written in the files and has no effect.
	Notes []string

	plans    []plan
	root     *node
	settings []override // those of the topology
	load     *loader
}

// Load reads a scenario, and everything that it names, and checks all its design
// points. The error is a fault.List with everything that is wrong.
func Load(name string, o Options) (*Scenario, error) {
	l := newLoader(o.Dir)
	if name == "" {
		name = Default
	}
	at, err := find(name, l.cwd, scenarioLibrary())
	if err != nil {
		return nil, fault.List{{File: name, Message: err.Error()}}
	}
	at.given = filepath.Base(at.path) // the others are named relative to it
	root, faults := l.tree(at)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if kind := kindOf(root); kind != "scenario" {
		return nil, fault.List{root.fault(fmt.Sprintf("is a %s file, want a scenario; name it in one as %s: %s", kind, kind, name))}
	}
	return l.scenario(at, root, o.Set)
}

// LoadTopology reads a topology by its name or path.
func LoadTopology(name string) (*topo.Topology, error) {
	l := newLoader("")
	at, err := find(name, l.cwd, topologyLibrary())
	if err != nil {
		return nil, fault.List{{File: name, Message: err.Error()}}
	}
	root, faults := l.tree(at)
	if root == nil {
		return nil, faults.Err()
	}
	if kindOf(root) != "topology" {
		return nil, fault.List{root.fault("is a " + kindOf(root) + " file, want a topology")}
	}
	d := &decoder{load: l}
	b := d.topology(root)
	if len(d.faults) > 0 {
		return nil, l.sorted(d.faults).Err()
	}
	return b.topology, nil
}

// kindOf tells topologies, scenarios and exclusion rules apart by their keys.
func kindOf(root *node) string {
	if r := root.get("rules"); r != nil && r.kind == list {
		return "rules"
	}
	has := func(keys ...string) int {
		n := 0
		for _, k := range keys {
			if root.get(k) != nil {
				n++
			}
		}
		return n
	}
	if has("hubs", "tiers", "links", "profiles", "currency") > has("trace", "policies", "topology", "fill", "vary", "points", "parameters") {
		return "topology"
	}
	return "scenario"
}

// faultyPoints is how many design points of a faulty scenario are looked at for
// faults of their own. Chosen: those of a hundred are more than can be read.
const faultyPoints = 100

// scenario builds a scenario from its tree.
func (l *loader) scenario(at *location, root *node, set []string) (*Scenario, error) {
	s := &Scenario{File: at.shown, root: root, load: l}
	d := &decoder{load: l}
	s.override(d, set)
	base := s.decode(d, s.root)
	s.plans = base.plans(d)
	if len(d.faults) > 0 {
		// A design point may mend nothing that is wrong in the scenario itself, but
		// the faults of its topology and its fill rules are told with it.
		if b := s.topology(d, base, nil); b != nil {
			base.options(d, s.load, b)
			b.weather(d, &World{Topology: b.topology}, base)
		}
		for i := range min(len(s.plans), faultyPoints) {
			p := &decoder{load: l}
			s.world(p, &s.plans[i])
			d.faults = append(d.faults, p.faults...)
		}
		return nil, l.sorted(d.faults).Err()
	}
	for i := range s.plans {
		p := &decoder{load: l}
		s.world(p, &s.plans[i])
		d.faults, d.notes = append(d.faults, p.faults...), append(d.notes, p.notes...)
		s.Points = append(s.Points, s.plans[i].Point)
	}
	s.Notes = l.tell(d.notes)
	if len(d.faults) > 0 {
		return nil, l.sorted(d.faults).Err()
	}
	s.Name, s.Policies, s.Baseline, s.Seed = base.name.string, base.policies, base.baselineOf(), base.seed
	r := base.replications
	s.Replications = Replications{From: r.from, To: r.to, Precision: r.precision, Over: r.over}
	if base.tables != nil {
		s.Tables = *base.tables
	}
	s.Inputs = l.inputs.list
	return s, nil
}

// override applies the settings of the command line: those of the scenario now,
// those of the topology when it is read.
func (s *Scenario) override(d *decoder, set []string) {
	for _, setting := range set {
		o, err := parseSetting(setting, s.load.cwd)
		if err == nil {
			if _, ok := o.ofTopology(); ok {
				s.settings = append(s.settings, o)
				continue
			}
			var changed *node
			if changed, err = o.apply(s.root, scenarioObject().form().shape, o.path); err == nil {
				s.root = changed
			}
		}
		d.add(err)
	}
}

// add adds an error's faults.
func (d *decoder) add(err error) {
	if list, ok := fault.Of(err); ok {
		d.faults = append(d.faults, list...)
	} else if err != nil {
		d.faults = append(d.faults, fault.Fault{Message: err.Error()})
	}
}

func (s *Scenario) decode(d *decoder, root *node) *scenarioFile {
	f := new(scenarioFile)
	scenarioObject().read(d, root, f)
	return f
}

// World returns the world of design point p.
func (s *Scenario) World(p int) (*World, error) {
	d := &decoder{load: s.load}
	w := s.world(d, &s.plans[p])
	if len(d.faults) > 0 {
		return nil, s.load.sorted(d.faults).Err()
	}
	return w, nil
}

// world decodes a design point. With faults it returns nil.
func (s *Scenario) world(d *decoder, p *plan) *World {
	root := s.root
	for i := range p.overrides {
		o := &p.overrides[i]
		if _, ok := o.ofTopology(); ok {
			continue
		}
		changed, err := o.apply(root, scenarioObject().form().shape, o.path)
		if err != nil {
			d.add(err)
			continue
		}
		root = changed
	}
	f := s.decode(d, root)
	b := s.topology(d, f, p)
	if b == nil {
		return nil
	}
	w := &World{
		Topology:    b.topology,
		Estimates:   Estimates{Kind: f.estimates.kind, Sigma: value(f.estimates.sigma, 0)},
		StageInside: f.inside, Horizon: f.horizon,
		Network:  f.network.network(),
		Recovery: Recovery{Limit: f.recovery.limit, Cooldown: f.recovery.cooldown, FinalSave: f.recovery.finalSave},
		Training: f.training,
	}
	f.decisions(d, s.load, w)
	w.Trace = f.options(d, s.load, b)
	w.FillRandom = w.Trace.Random()
	b.weather(d, w, f)
	if len(d.faults) > 0 {
		return nil
	}
	return w
}

// options say what is replayed.
func (f *scenarioFile) options(d *decoder, l *loader, b *built) trace.Options {
	return trace.Options{Topology: b.topology, Sources: f.sources(d, l), Fill: f.fillRules(d, b.topology)}
}

// topology reads the topology of a scenario, with the overrides of a plan.
func (s *Scenario) topology(d *decoder, f *scenarioFile, p *plan) *built {
	if f.topology.node == nil {
		return nil
	}
	at, err := find(f.topology.string, f.topology.node.at.file, topologyLibrary())
	if err != nil {
		d.fault(f.topology.node, "%v", err)
		return nil
	}
	root, faults := s.load.tree(at)
	if root == nil {
		d.faults = append(d.faults, faults...)
		return nil
	}
	if kindOf(root) != "topology" {
		d.fault(f.topology.node, "%s is a %s file, want a topology", at.shown, kindOf(root))
		return nil
	}
	overrides := s.settings
	if p != nil {
		overrides = slices.Concat(s.settings, p.overrides)
	}
	for i := range overrides {
		path, ok := overrides[i].ofTopology()
		if !ok {
			continue
		}
		changed, err := overrides[i].apply(root, topologyObject().form().shape, path)
		if err != nil {
			d.add(err)
			continue
		}
		root = changed
	}
	return d.topology(root)
}

// topology decodes a topology. With faults it returns nil.
func (d *decoder) topology(root *node) *built {
	before := len(d.faults)
	t := new(topologyFile)
	topologyObject().read(d, root, t)
	t.resolveProfiles(d)
	t.resolveInterruptions(d)
	if len(d.faults) > before {
		return nil
	}
	currency := d.currency
	if currency == "" {
		currency = "CNY"
	}
	b, err := t.build(currency)
	if err != nil {
		d.fault(root, "%v", err)
		return nil
	}
	for i := range b.links {
		b.links[i].checkEffect(d)
	}
	t.tellUnused(d)
	b.interruptions = t.interruptions
	return b
}

// sources returns the traces, each checked to be there.
func (s *scenarioFile) sources(d *decoder, l *loader) []trace.Source {
	var all []trace.Source
	for i := range s.traces {
		t := &s.traces[i]
		if t.file.node == nil {
			continue // told already
		}
		at := t.file.node.at.file.beside(t.file.string)
		if !l.hashed[at.shown] {
			if err := l.inputs.hash(at); err != nil {
				there := "there is "
				if _, err := os.Stat(at.path); err == nil && at.embedded == nil {
					there = ""
				}
				d.fault(t.file.node, "got %q, and %s%v%s", t.file.string, there, err, nearby(at))
				continue
			}
			l.hashed[at.shown] = true
			l.order = append(l.order, at.shown)
		}
		src := trace.Source{
			File: at.shown, Open: at.open, Format: t.format, As: t.as.string, From: t.from,
			Carry: t.carry, Load: t.load.value, LoadBy: t.load.by, Starts: t.starts,
		}
		if t.length != nil {
			src.Length, src.HasLength = *t.length, true
		}
		all = append(all, src)
	}
	return all
}
