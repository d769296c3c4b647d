package scenario

import (
	"path/filepath"

	"tiersim/sim/fault"
)

// Peek reads what a topology or a scenario has of places and weather, for looking
// at it without a replay: the world of a scenario's first design point, and of a
// topology alone a world without a trace. Seed is the scenario's; 1 of a topology.
// The error is a fault.List with everything that is wrong.
func Peek(name string, set []string) (w *World, seed uint64, err error) {
	l := newLoader("")
	at, err := find(name, l.cwd, topologyLibrary())
	if err == nil {
		root, faults := l.tree(at)
		if root == nil {
			return nil, 0, faults.Err()
		}
		if kindOf(root) == "topology" {
			if len(set) > 0 {
				return nil, 0, fault.List{root.fault("is a topology, of which --set sets nothing; name a scenario that has it")}
			}
			d := &decoder{load: l}
			w := &World{}
			if b := d.topology(root); b != nil {
				w.Topology = b.topology
				b.weather(d, w, &scenarioFile{})
			}
			return w, 1, l.sorted(d.faults).Err()
		}
	} else if filepath.Ext(name) != "" {
		return nil, 0, fault.List{{File: name, Message: err.Error()}}
	}
	s, err := Load(name, Options{Set: set})
	if err != nil {
		return nil, 0, err
	}
	w, err = s.World(0)
	return w, s.Seed, err
}
