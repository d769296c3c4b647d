package policy_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A still is a world that stands still: queues and rates are given.
type still struct {
	t       *topo.Topology
	waits   []unit.Seconds // by pool
	rate    unit.Rate
	holders map[int][]policy.Holder // by input
}

func (s *still) Now() unit.Time            { return 100 }
func (s *still) Slots(p topo.PoolID) int32 { return s.t.Pools[p].Slots }
func (s *still) Free(p topo.PoolID) int32  { return s.t.Pools[p].Slots }
func (s *still) OnSlots(p []policy.Part, t *task.Task) unit.Seconds {
	return unit.Seconds(float64(t.Work) / s.t.Pools[p[0].Pool].Speed)
}
func (s *still) Believed(t *task.Task) unit.Seconds                          { return t.Work }
func (s *still) Interruption([]policy.Part, *task.Task) unit.Seconds         { return 0 }
func (s *still) Aligned(*task.Task, topo.RoomID) bool                        { return true }
func (s *still) HasChannel(*task.Task, policy.Leg, unit.Bytes) bool          { return true }
func (s *still) Stretch(policy.Forecast, policy.ForecastOf, float64) float64 { return 1 }
func (s *still) Checkpoint(*task.Task) (topo.RoomID, unit.Bytes, bool)       { return 0, 0, false }
func (s *still) StateSpace(*task.Task) unit.Bytes                            { return 0 }
func (s *still) StartEstimate(p []policy.Part, _ *task.Task) unit.Time {
	return s.Now().Add(s.waits[p[0].Pool])
}
func (s *still) StartsNow(p []policy.Part, _ *task.Task) bool       { return s.waits[p[0].Pool] == 0 }
func (s *still) Holders(_ *task.Task, i int) []policy.Holder        { return s.holders[i] }
func (s *still) HasImage(*task.Task, topo.RoomID) (unit.Time, bool) { return 0, false }
func (s *still) Delay(l policy.Leg) (unit.Seconds, unit.PerGB, bool) {
	return s.t.Between(l.From, l.To)
}
func (s *still) Rate(l policy.Leg) unit.Rate {
	if l.From == l.To {
		return unit.Unlimited() // no storage is given
	}
	return s.rate
}
func (s *still) Capacity(l policy.Leg) unit.Rate          { return s.Rate(l) }
func (s *still) StoragePrice(topo.RoomID) unit.PerGBMonth { return 0 }
func (s *still) HasRoom(topo.RoomID, unit.Bytes) bool     { return true }

// world is the base case D1: a local hub at 12 CNY a slot-hour with a wait of
// 6 h, a remote one at 8 with 0.5 h, and for D4 the hub of the data at 9 with
// 3 h; 5 Gbit/s at 0.48 CNY/GB between any two.
func world(t *testing.T, waits ...unit.Seconds) *still {
	t.Helper()
	hub := func(name string, price unit.PerHour) topo.HubSpec {
		free := topo.LinkSpec{Capacity: unit.Unlimited()}
		pool := topo.PoolSpec{Name: "gpu", Kind: "gpu", Pool: topo.Pool{Slots: 8, Speed: 1, Price: price}}
		return topo.HubSpec{Name: name, Cities: []topo.CitySpec{{Name: name + "-city", Link: free,
			Rooms: []topo.RoomSpec{{Name: name, Jurisdiction: name, Link: free, Pools: []topo.PoolSpec{pool}}}}}}
	}
	spec := topo.Spec{Currency: "CNY", Hubs: []topo.HubSpec{hub("local", 12), hub("remote", 8), hub("data", 9)}}
	for _, a := range []string{"local", "remote", "data"} {
		for _, b := range []string{"local", "remote", "data"} {
			if a != b {
				spec.Links = append(spec.Links, topo.HubLinkSpec{From: a, To: b, LinkSpec: topo.LinkSpec{Capacity: 5e9 / 8, Price: 0.48}})
			}
		}
	}
	topology, err := topo.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &still{t: topology, waits: waits, rate: 5e9 / 8, holders: map[int][]policy.Holder{}}
}

const (
	local topo.RoomID = iota
	remote
	data
)

// job runs hours on 8 slots and reads gb of data; an hour of it costs 40 CNY.
func job(hours, gb float64) *task.Task {
	return &task.Task{
		Has: task.ValuePerHour, Value: 40, Slots: 8, Work: unit.Seconds(hours * 3600), Portable: true,
		Inputs: []task.Input{{Bytes: unit.Bytes(gb * 1e9)}}, Allowed: task.Anywhere, ResultAllowed: task.Anywhere,
		Weight: 1, Home: local, ResultHome: local,
	}
}

func decide(t *testing.T, v *still, name string, j *task.Task) policy.Decision {
	t.Helper()
	p, err := policy.New(name)
	if err != nil {
		t.Fatal(err)
	}
	desk := policy.NewDesk(policy.Terms{Topology: v.t, Domain: policy.CityDomain, ValueOfTime: 0.5}, p, true)
	return desk.Decide(v, j)
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: got %.12g, want %.12g", what, got, want)
	}
}

const hour = unit.Hour

// ORACLES D1: waiting costs 64·12 + 40·(6+8) = 1328; moving V GB costs
// 64·8 + 40·(0.5+8) = 852 and (0.48 + 40·8/(3600·5))·V, equal at 956.25 GB.
func TestBaseCase(t *testing.T) {
	v := world(t, 6*hour, hour/2, 1000*hour)
	v.holders[0] = []policy.Holder{{Room: local, Complete: true}}
	for _, gb := range []float64{1, 400, 956.25, 1200} {
		d := decide(t, v, "three-way", job(8, gb))
		same(t, "wait", float64(d.Best[policy.Wait].Total), 1328)
		same(t, "move", float64(d.Best[policy.MoveData].Total), 852+gb*(0.48+40*8.0/(3600*5)))
		if want := map[bool]policy.Option{true: policy.MoveData, false: policy.Wait}[gb < 956]; d.Chosen.Option != want {
			t.Errorf("%v GB: chose %v, want %v", gb, d.Chosen.Option, want)
		}
	}
}

// ORACLES D1b: at break-even the network's part of the total, fee and value of
// transfer time, equals the gross saving 1 − 852/1328; D2: the 20 % line.
func TestNetworkShare(t *testing.T) {
	v := world(t, 6*hour, hour/2, 1000*hour)
	v.holders[0] = []policy.Holder{{Room: local, Complete: true}}
	at := func(gb float64) policy.Candidate { return decide(t, v, "three-way", job(8, gb)).Best[policy.MoveData] }
	c := at(956.25)
	cash := c.Total - c.Time
	same(t, "share of total", float64(c.Fee/c.Total), 0.345632530)
	same(t, "share of cash", float64(c.Fee/cash), 0.472708548)
	network := float64(c.Fee) + 40*c.Transfer.Hours()
	same(t, "fee and transfer time", network/float64(c.Total), 1-852.0/1328)
	c = at(447.897196262)
	same(t, "20 % of total", float64(c.Fee/c.Total), 0.2)
	c = at(800.0 / 3)
	same(t, "20 % of cash", float64(c.Fee/(c.Total-c.Time)), 0.2)
}

// ORACLES D3: with R = V/T, moving pays up to R*(8 h) = 956.25/8, and for very
// long jobs up to 32/0.4977… = 64.2857 GB/h, where the waits no longer matter.
func TestRatio(t *testing.T) {
	v := world(t, 6*hour, hour/2, 1000*hour)
	v.holders[0] = []policy.Holder{{Room: local, Complete: true}}
	for _, c := range []struct{ hours, ratio float64 }{{8, 119.53125}, {1e7, 64.285714285714}} {
		for _, side := range []float64{0.99999, 1.00001} {
			d := decide(t, v, "three-way", job(c.hours, c.hours*c.ratio*side))
			if want := side < 1; (d.Chosen.Option == policy.MoveData) != want {
				t.Errorf("%v h at %v of R*: chose %v", c.hours, side, d.Chosen.Option)
			}
		}
	}
}

// ORACLES D4: data at home and at the data site (9 CNY; its speed makes 8 h of
// work 10 h there; wait 3 h), which needs 20 GB of image and returns 5 GB:
// 720 + 40·13 + 25·0.4977… = 1252.444. The third place needs V GB, and in the
// row neither image nor result, so another job gives its line.
func TestThreeWays(t *testing.T) {
	v := world(t, 6*hour, hour/2, 3*hour)
	v.t.Pools[data].Speed = 0.8
	v.holders[0] = []policy.Holder{{Room: local, Complete: true}, {Room: data, Complete: true}}
	full := job(8, 400)
	full.Has |= task.HasImage
	full.ImageBytes, full.Output = 20e9, 5e9
	moved := decide(t, v, "three-way", full).Best[policy.MoveTask].Total
	same(t, "move-task", float64(moved), 1252.4444444444)
	dataMoved := func(gb float64) unit.Money {
		return decide(t, v, "three-way", job(8, gb)).Best[policy.MoveData].Total
	}
	for _, c := range []struct{ gb, total float64 }{{400, 1051.1111111111}, {600, 1150.6666666667}, {900, 1300}, {1200, 1449.3333333333}} {
		same(t, "move-data", float64(dataMoved(c.gb)), c.total)
	}
	same(t, "D meets M", float64(dataMoved(804.4642857143)), float64(moved))
	v.waits[local] = 3 * hour
	same(t, "wait, 3 h", float64(decide(t, v, "three-way", full).Best[policy.Wait].Total), 1208)
	same(t, "D meets W", float64(dataMoved(715.1785714286)), 1208)
}

// The margin is what the runner-up would have cost more.
func TestMargin(t *testing.T) {
	v := world(t, 6*hour, hour/2, 3*hour)
	v.holders[0] = []policy.Holder{{Room: local, Complete: true}}
	d := decide(t, v, "three-way", job(8, 400))
	// Third place 1051.11; the one at 9 CNY: 576 + 40·(3+8) + 400·0.4977… = 1215.11.
	same(t, "margin", float64(d.Margin), 1215.1111111111-1051.1111111111)
}

func TestPolicies(t *testing.T) {
	const gb = 100
	type answer struct {
		OK     bool
		Room   topo.RoomID
		Option policy.Option
	}
	at := func(rooms ...topo.RoomID) []policy.Holder {
		var h []policy.Holder
		for _, r := range rooms {
			h = append(h, policy.Holder{Room: r, Complete: true})
		}
		return h
	}
	for _, c := range []struct {
		name   string
		policy string
		waits  []unit.Seconds
		held   []policy.Holder
		want   answer
	}{
		{"home is free", "first-free", []unit.Seconds{0, 0, 0}, at(data), answer{true, local, policy.MoveData}},
		{"first free in topology order", "first-free", []unit.Seconds{60, 0, 0}, at(data), answer{true, remote, policy.MoveData}},
		{"none free: shortest wait", "first-free", []unit.Seconds{60, 50, 40}, at(data), answer{true, data, policy.MoveTask}},
		{"stays although data is away", "stay", []unit.Seconds{1e6, 0, 0}, at(data), answer{true, local, policy.MoveData}},
		{"goes to its data", "at-data", []unit.Seconds{0, 0, 1e6}, at(data), answer{true, data, policy.MoveTask}},
		{"data at home", "at-data", []unit.Seconds{1e6, 0, 0}, at(local, data), answer{true, local, policy.Wait}},
		{"best to move the task", "move-task", []unit.Seconds{0, 0, 0}, at(local, data), answer{true, data, policy.MoveTask}},
		{"none to move to: at its data", "move-task", []unit.Seconds{0, 0, 0}, at(local), answer{true, local, policy.Wait}},
		{"best to move the data", "move-data", []unit.Seconds{0, 0, 0}, at(local), answer{true, remote, policy.MoveData}},
	} {
		t.Run(c.policy+"/"+c.name, func(t *testing.T) {
			v := world(t, c.waits...)
			v.holders[0] = c.held
			d := decide(t, v, c.policy, job(8, gb))
			got := answer{d.OK, d.Chosen.Room, d.Chosen.Option}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// With no data and equal prices, the traditional question and the three-way
// comparison agree wherever a pool is free (REQUIREMENTS 1).
func TestTraditionalQuestionIsEnoughWithoutData(t *testing.T) {
	for _, waits := range [][]unit.Seconds{{0, 0, 0}, {60, 0, 0}, {60, 50, 0}, {60, 50, 40}} {
		v := world(t, waits...)
		for p := range v.t.Pools {
			v.t.Pools[p].Price = 10
		}
		j := job(8, 0)
		j.Inputs = nil
		a, b := decide(t, v, "first-free", j), decide(t, v, "three-way", j)
		if a.Chosen.Pool != b.Chosen.Pool {
			t.Errorf("waits %v: first-free chose pool %d, three-way %d", waits, a.Chosen.Pool, b.Chosen.Pool)
		}
	}
}

// A task that a screen stops is never priced outside its domain, and shows the
// first reason only.
func TestScreens(t *testing.T) {
	held := func(v *still, names ...string) task.Set {
		var s task.Set
		for _, n := range names {
			j, ok := v.t.Jurisdiction(n)
			if !ok {
				t.Fatalf("no jurisdiction %s", n)
			}
			s |= 1 << j
		}
		return s
	}
	for _, c := range []struct {
		name     string
		portable bool
		allowed  []string
		data     topo.RoomID
		reason   policy.Reason
		room     topo.RoomID
	}{
		{"may go anywhere", true, nil, local, policy.NoReason, remote},
		{"is not portable", false, nil, local, policy.Portable, local},
		{"data may not leave", true, []string{"local"}, local, policy.Compliance, local},
		{"compliance is first", false, []string{"local"}, local, policy.Compliance, local},
		{"data may not come home", true, []string{"data"}, data, policy.Compliance, data},
		{"may go to one other place", true, []string{"local", "data"}, local, policy.NoReason, data},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := world(t, 10*hour, 0, hour) // remote is cheapest and free
			v.holders[0] = []policy.Holder{{Room: c.data, Complete: true}}
			j := job(8, 1)
			j.Portable = c.portable
			if c.allowed != nil {
				j.Allowed = held(v, c.allowed...)
			}
			for _, p := range policy.Names() {
				d := decide(t, v, p, j)
				if d.Reason != c.reason {
					t.Errorf("%s: reason %q, want %q", p, d.Reason, c.reason)
				}
				if c.reason != policy.NoReason && d.OK && d.Chosen.Room != c.room {
					t.Errorf("%s: ran in room %d, want %d", p, d.Chosen.Room, c.room)
				}
			}
			if d := decide(t, v, "three-way", j); !d.OK || d.Chosen.Room != c.room {
				t.Errorf("three-way: room %d, want %d", d.Chosen.Room, c.room)
			}
		})
	}
}
