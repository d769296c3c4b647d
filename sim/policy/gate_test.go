package policy_test

import (
	"fmt"
	"testing"

	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A supported is a still world of which a task's supports are given.
type supported struct {
	*still
	channel, aligned bool
	extra            map[topo.PoolID]unit.Seconds // that interruptions add
}

func (s *supported) HasChannel(*task.Task, policy.Leg, unit.Bytes) bool { return s.channel }
func (s *supported) Aligned(*task.Task, topo.RoomID) bool               { return s.aligned }
func (s *supported) Interruption(p []policy.Part, _ *task.Task) unit.Seconds {
	return s.extra[p[0].Pool]
}

// decideBy decides under terms that a function changes.
func decideBy(t *testing.T, v policy.View, topology *topo.Topology, name string, j *task.Task, change func(*policy.Terms)) policy.Decision {
	t.Helper()
	p, err := policy.New(name)
	if err != nil {
		t.Fatal(err)
	}
	terms := policy.Terms{
		Topology: topology, Domain: policy.CityDomain, ValueOfTime: 0.5, Reservable: true, Symbols: []string{"", "pytorch"},
		Thresholds: policy.Thresholds{Share: 0.2, ShareCash: 0.2, Interruption: 1, Latency: 1},
	}
	if change != nil {
		change(&terms)
	}
	return policy.NewDesk(terms, p, true).Decide(v, j)
}

// crossing is the base case with 400 GB at home: moving the data pays, and needs all
// three supports.
func crossing(t *testing.T) (*supported, *task.Task) {
	v := &supported{still: world(t, 6*hour, hour/2, 1000*hour), channel: true, aligned: true}
	v.holders[0] = []policy.Holder{{Room: local, Complete: true}}
	j := job(8, 400)
	j.Environment, j.Checkpointing, j.Resumable = 1, task.FixedInterval, true
	return v, j
}

// REQUIREMENTS 14 to 19: of the eight combinations of the three supports, all three
// alone is dispatched; else the task stays, and the decision names the first that is
// missing. Where the scenario leaves a gate out, nobody asks for it (17).
func TestGates(t *testing.T) {
	for bits := range 8 {
		t.Run(fmt.Sprintf("%03b", bits), func(t *testing.T) {
			v, j := crossing(t)
			v.channel, j.Resumable, v.aligned = bits&1 != 0, bits&2 != 0, bits&4 != 0
			d := decideBy(t, v, v.t, "three-way", j, nil)
			want, why := policy.MoveData, policy.NoReason
			switch {
			case bits&1 == 0:
				want, why = policy.Wait, policy.GateChannel
			case bits&2 == 0:
				want, why = policy.Wait, policy.GateResume
			case bits&4 == 0:
				want, why = policy.Wait, policy.GateEnvironment
			}
			if d.Chosen.Option != want || d.Reason != why {
				t.Errorf("chose %v for %q, want %v for %q", d.Chosen.Option, d.Reason, want, why)
			}
			if closed := d.Best[policy.MoveData].Gates; int(closed) != 7&^bits {
				t.Errorf("closed gates %v, want those of %03b", closed, 7&^bits)
			}
			all := policy.Channel | policy.Resume | policy.Environment
			if d := decideBy(t, v, v.t, "three-way", j, func(x *policy.Terms) { x.Without = all }); d.Chosen.Option != policy.MoveData {
				t.Errorf("without gates it chose %v", d.Chosen.Option)
			}
		})
	}
}

// What a plan lacks and people can make is part of its price: an hour of people for the
// channel before the data, two for the environment while it comes. 400 GB take 640 s.
func TestPreparations(t *testing.T) {
	v, j := crossing(t)
	v.channel, v.aligned = false, false
	d := decideBy(t, v, v.t, "three-way", j, func(x *policy.Terms) {
		x.Lead = policy.Lead{Offered: true, Mean: hour}
		x.Alignment = policy.Alignment{Offered: true, Time: hour / 2, Cost: 30}
	})
	c := d.Best[policy.MoveData]
	same(t, "transfer", float64(c.Transfer), 3600+640)
	same(t, "compute", float64(c.ComputeCost), 64*8+30)
	d = decideBy(t, v, v.t, "three-way", j, func(x *policy.Terms) {
		x.Lead = policy.Lead{Offered: true, Mean: hour}
		x.Alignment = policy.Alignment{Offered: true, Time: 2 * hour, Cost: 30}
	})
	same(t, "transfer", float64(d.Best[policy.MoveData].Transfer), 2*3600)
}

// REQUIREMENTS 20 to 31, 56 to 61: the screens stop a task in their order, the first
// that does gives the reason, and none outside its domain is priced.
func TestScreensInOrder(t *testing.T) {
	rule, err := policy.NewRule("online", `class == "online"`, "")
	if err != nil {
		t.Fatal(err)
	}
	rules := func(x *policy.Terms) { x.Rules = &policy.Rules{Name: "r", Version: "1", List: []policy.Rule{rule}} }
	for _, c := range []struct {
		name   string
		change func(*supported, *task.Task)
		why    policy.Reason
		rule   int
	}{
		{"none", func(*supported, *task.Task) {}, policy.NoReason, 0},
		{"compliance", func(v *supported, j *task.Task) { j.Allowed = 1 << v.t.Rooms[local].Jurisdiction }, policy.Compliance, 0},
		{"excluded", func(_ *supported, j *task.Task) { j.Class = task.Online }, policy.Excluded, 1},
		{"portable", func(_ *supported, j *task.Task) { j.Portable = false }, policy.Portable, 0},
		// 400 GB take 640 s.
		{"latency", func(_ *supported, j *task.Task) { j.Has, j.TransferBudget = j.Has|task.TransferBudget, 639 }, policy.Latency, 0},
		{"latency enough", func(_ *supported, j *task.Task) { j.Has, j.TransferBudget = j.Has|task.TransferBudget, 641 }, policy.NoReason, 0},
		// Waiting costs 1328, elsewhere the run alone 64·8 + 8·40 = 832 at 104 an hour:
		// 496 are gained at most, as much as 4.769 h of interruptions cost.
		{"interruption", func(v *supported, _ *task.Task) { v.extra = map[topo.PoolID]unit.Seconds{1: 4.77 * hour, 2: 50 * hour} }, policy.Interruption, 0},
		{"interruption below", func(v *supported, _ *task.Task) { v.extra = map[topo.PoolID]unit.Seconds{1: 4.76 * hour, 2: 50 * hour} }, policy.NoReason, 0},
		{"all", func(v *supported, j *task.Task) {
			j.Allowed, j.Class, j.Portable = 1<<v.t.Rooms[local].Jurisdiction, task.Online, false
		}, policy.Compliance, 0},
		{"rule before portable", func(_ *supported, j *task.Task) { j.Class, j.Portable = task.Online, false }, policy.Excluded, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, j := crossing(t)
			c.change(v, j)
			d := decideBy(t, v, v.t, "three-way", j, rules)
			if d.Reason != c.why || d.Rule != c.rule {
				t.Errorf("got %q, rule %d, want %q, rule %d", d.Reason, d.Rule, c.why, c.rule)
			}
			held := c.why != policy.NoReason
			if outside := d.Available[policy.MoveTask] || d.Available[policy.MoveData]; outside == held {
				t.Errorf("offered %v outside its domain, want %v", d.Available, !held)
			}
		})
	}
}

// REQUIREMENTS 64 to 71, ORACLES D2, D3, D9: the indicators against their closed forms.
func TestIndicators(t *testing.T) {
	v, _ := crossing(t)
	p, _ := policy.New("three-way")
	terms := policy.Terms{Topology: v.t, Domain: policy.CityDomain, Thresholds: policy.Thresholds{Share: 0.2, ShareCash: 0.2, Interruption: 1, Latency: 1}}
	desk := policy.NewDesk(terms, p, true)
	for _, hours := range []float64{8, 80, 8e6} {
		j := job(hours, 400)
		d := desk.Decide(v, j)
		x := desk.Indicators(v, j, &d.Best[policy.MoveData], &d.Best[policy.Wait])
		// R*(T) = [(96 − 64) + 40·5.5/T] / (0.48 + 40·8/(3600·5)).
		kappa := 0.48 + 40*8.0/(3600*5)
		same(t, "ratio", x.By[policy.DataCompute].Value, 400/hours)
		same(t, "line", x.By[policy.DataCompute].Threshold, (32+40*5.5/hours)/kappa)
		fee := 0.48 * 400
		same(t, "share", x.By[policy.NetworkShare].Value, fee/(64*hours/1+40*(0.5+hours)+kappa*400))
	}
	// R∞ = 32/0.49777… = 64.2857 GB/h.
	same(t, "ratio for ever", 32/(0.48+40*8.0/(3600*5)), 64.2857142857)
	for _, c := range []struct {
		budget unit.Seconds
		holds  bool
	}{{639, false}, {641, true}} {
		j := job(8, 400)
		d := desk.Decide(v, j)
		j.Has, j.TransferBudget = j.Has|task.TransferBudget, c.budget
		x := desk.Indicators(v, j, &d.Best[policy.MoveData], &d.Best[policy.Wait])
		r := x.By[policy.LatencyBudget]
		same(t, "used", r.Value, 640/float64(c.budget))
		if r.Holds != c.holds || !c.holds && r.Action != policy.ShortTransfer {
			t.Errorf("budget %v: %+v", c.budget, r)
		}
	}
}
