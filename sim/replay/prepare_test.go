package replay_test

import (
	"math"
	"strings"
	"testing"
)

// Two hubs at 5 Gbit/s; the task's home is full for 10 h by another, so that moving pays.
const supportsTopology = `
name: t
currency: CNY
tiers:
  hub: {capacity: 5Gbit/s, latency: 0s, reservable: 60%}
hubs:
  - {name: east, cities: [{name: ec, rooms: [{name: e, pools: [{name: gpu, kind: gpu, slots: 1, price: 10 CNY/h}]}]}]}
  - {name: west, cities: [{name: wc, rooms: [{name: w, pools: [{name: gpu, kind: gpu, slots: 9, price: 10 CNY/h}]}]}]}
links: [{between: [east, west]}]
`

const supportsTrace = "task,submit_s,class,home,kind,slots,work_s,input_bytes,environment,checkpoint_s,resumable,state_bytes\n" +
	"long,0,batch,e,gpu,1,36000,0,,,,\n" +
	"x,1,batch,e,gpu,1,3600,6.25e9,pytorch,600,RESUMABLE,0\n"

// REQUIREMENTS 13 to 19 in a replay. The data takes 10 s, people an hour for the channel,
// the environment two, once: the larger of the two ways to wait for is what the task
// waits for. Ablations leave the gate out of account and pay in fact.
func TestSupports(t *testing.T) {
	for _, c := range []struct {
		name, scenario, resumable string
		finish                    float64
		reason                    string
		align                     float64 // money
	}{
		{"no channel", "alignment: {time: 2h, cost: 5 CNY}\n", "true", 36000 + 3600, "gate-channel", 0},
		{"no environment", "lead_time: 1h\n", "true", 36000 + 3600, "gate-environment", 0},
		{"no resume", "lead_time: 1h\nalignment: {time: 2h, cost: 5 CNY}\n", "false", 36000 + 3600, "gate-resume", 0},
		{"all by people", "lead_time: 1h\nalignment: {time: 30min, cost: 5 CNY}\n", "true", 1 + 3600 + 1800 + 3600, "", 5},
		{
			"channels are reserved", "reservations: [{name: r, rate: 1Gbit/s, classes: [batch]}]\nalignment: {time: 2h, cost: 5 CNY}\n",
			"true", 1 + 7200 + 3600, "", 5,
		},
		{"without alignment", "lead_time: 1h\nalignment: {time: 3h, cost: 5 CNY}\nparameters: {without: [alignment]}\n", "true", 1 + 3600 + 10800 + 3600, "", 5},
		{"without reservation", "lead_time: 1h\nalignment: {time: 1h, cost: 5 CNY}\nparameters: {without: [reservation]}\n", "true", 1 + 3600 + 3600 + 3600, "", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := strings.ReplaceAll(supportsTrace, "RESUMABLE", c.resumable)
			run := playRun(t, t, "three-way", map[string]string{"t.yaml": supportsTopology, "s.yaml": scenarioOf + c.scenario, "t.csv": trace})
			x := run.tasks["x"]
			if math.Abs(x.Finish-c.finish) > 1e-6 || x.Reason != c.reason {
				t.Errorf("x ends at %.9g for %q, want %.9g for %q", x.Finish, x.Reason, c.finish, c.reason)
			}
			if want := 10 + c.align; math.Abs(x.CostCompute-want) > 1e-9 {
				t.Errorf("x computes for %v CNY, want %v", x.CostCompute, want)
			}
		})
	}
}
