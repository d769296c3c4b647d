package pool_test

import (
	"fmt"

	"tiersim/sim/pool"
	"tiersim/sim/topo"
)

// Two of four slots are taken until 100 s. The first in line needs all four; a
// short job slips past it, for it is over by then.
func Example() {
	p := pool.New(topo.Pool{Slots: 4, Queue: topo.EASY})
	p.Submit(0, pool.Job{Task: 1, Slots: 2, Estimate: 100})
	p.Submit(0, pool.Job{Task: 2, Slots: 4, Estimate: 50})
	p.Submit(0, pool.Job{Task: 3, Slots: 2, Estimate: 60})
	fmt.Println("start at 0:", p.Pass(0, nil))
	fmt.Println("two more slots for 200 s:", float64(p.EstimateStart(0, 2, 0, 200)))
	fmt.Println("one for 30 s:", float64(p.EstimateStart(0, 1, 0, 30)))
	// Output:
	// start at 0: [1 3]
	// two more slots for 200 s: 150
	// one for 30 s: 60
}
