package scenario_test

import (
	"fmt"

	"tiersim/sim/scenario"
)

// A scenario is loaded with all that it names; what the command line sets is as
// if it were written in the files.
func ExampleLoad() {
	s, err := scenario.Load("two-hubs-mix", scenario.Options{Set: []string{"topology.east-west.capacity=4Gbit/s", "topology.guian-1.a100.slots=x2"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := s.World(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	pool, _ := w.Topology.Pool("guian-1/a100")
	link := w.Topology.Links[len(w.Topology.Links)-1]
	fmt.Println(s.Points[0].ID, w.Topology.Pools[pool].Slots, link.Name, link.Capacity, link.Latency)
	// Output: base 128 west>east 4Gbit/s 14ms
}
