package scenario

import (
	"fmt"
	"path/filepath"
	"strings"

	"tiersim/sim/fault"
)

// Peek reads what a topology or a scenario has of places and weather, for looking
// at it without a replay: the world of a scenario's design point, by its name or
// number, the first where none is named; and of a topology alone a world without a
// trace. Seed is the scenario's; 1 of a topology. The error is a fault.List with
// everything that is wrong.
func Peek(name, point string, set []string) (w *World, seed uint64, err error) {
	l := newLoader("")
	at, err := find(name, l.cwd, topologyLibrary())
	if err == nil {
		root, faults := l.tree(at)
		if root == nil {
			return nil, 0, faults.Err()
		}
		if kindOf(root) == "topology" {
			if len(set) > 0 || point != "" {
				return nil, 0, fault.List{root.fault("is a topology, without design points and values to set; name a scenario that has it")}
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
	k, err := s.find(point)
	if err != nil {
		return nil, 0, err
	}
	w, err = s.World(k)
	return w, s.Seed, err
}

// find returns the design point of a name or number.
func (s *Scenario) find(point string) (int, error) {
	if point == "" {
		return 0, nil
	}
	var names []string
	for i, p := range s.Points {
		if p.ID == point || p.Name == point {
			return i, nil
		}
		names = append(names, p.ID)
		if p.Name != "" && p.Name != p.ID {
			names = append(names, p.Name)
		}
	}
	message := fmt.Sprintf("no design point %q; there are %s", point, strings.Join(names, ", "))
	if near, ok := fault.Suggest(point, names); ok {
		message = fmt.Sprintf("no design point %q; write %s", point, near)
	}
	return 0, fault.List{{File: s.File, Message: message}}
}
