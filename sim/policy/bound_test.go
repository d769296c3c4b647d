package policy

import (
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A drawn is a world of rooms in a row whose queues, rates and holders are drawn.
type drawn struct {
	t       *topo.Topology
	waits   []unit.Seconds
	rates   []unit.Rate // of what leaves a room
	alone   unit.Rate
	holders []Holder
}

func (v *drawn) Now() unit.Time                                 { return 0 }
func (v *drawn) Slots(topo.PoolID) int32                        { return 8 }
func (v *drawn) Free(topo.PoolID) int32                         { return 8 }
func (v *drawn) StartEstimate(p []Part, _ *task.Task) unit.Time { return unit.Time(v.waits[p[0].Pool]) }
func (v *drawn) StartsNow(p []Part, _ *task.Task) bool          { return v.waits[p[0].Pool] == 0 }
func (v *drawn) OnSlots(p []Part, t *task.Task) unit.Seconds {
	return unit.Seconds(float64(t.Work) / v.t.Pools[p[0].Pool].Speed)
}
func (v *drawn) Believed(t *task.Task) unit.Seconds                    { return t.Work }
func (v *drawn) Interruption([]Part, *task.Task) unit.Seconds          { return 0 }
func (v *drawn) Aligned(*task.Task, topo.RoomID) bool                  { return true }
func (v *drawn) HasChannel(*task.Task, Leg, unit.Bytes) bool           { return true }
func (v *drawn) Stretch(Forecast, ForecastOf, float64) float64         { return 1 }
func (v *drawn) Checkpoint(*task.Task) (topo.RoomID, unit.Bytes, bool) { return 0, 0, false }
func (v *drawn) StateSpace(*task.Task) unit.Bytes                      { return 0 }
func (v *drawn) Holders(*task.Task, int) []Holder                      { return v.holders }
func (v *drawn) HasImage(*task.Task, topo.RoomID) (unit.Time, bool)    { return 0, false }
func (v *drawn) Delay(l Leg) (unit.Seconds, unit.PerGB, bool)          { return v.t.Between(l.From, l.To) }
func (v *drawn) StoragePrice(topo.RoomID) unit.PerGBMonth              { return 1 }
func (v *drawn) HasRoom(topo.RoomID, unit.Bytes) bool                  { return true }

func (v *drawn) Rate(l Leg) unit.Rate {
	if l.From == l.To {
		return unit.Unlimited()
	}
	return v.rates[l.From]
}

func (v *drawn) Capacity(l Leg) unit.Rate {
	if l.From == l.To {
		return unit.Unlimited()
	}
	return v.alone
}

// Leaving out the prices that a bound shows not to matter changes no decision:
// the choice, the best of each option and the margin are those of pricing all.
// Few distinct values are drawn, so that ties are common.
func TestBoundsChangeNoDecision(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		of := func(name string, values ...float64) float64 { return rapid.SampledFrom(values).Draw(rt, name) }
		n := rapid.IntRange(2, 7).Draw(rt, "rooms")
		spec := topo.Spec{}
		v := &drawn{alone: 100e6}
		for i := range n {
			name := string(rune('a' + i))
			link := topo.LinkSpec{Capacity: 1e9, Price: unit.PerGB(of("fee", 0, 0.1, 1))}
			pool := topo.PoolSpec{Name: name, Kind: "gpu", Pool: topo.Pool{Slots: 8, Speed: of("speed", 0.5, 1), Price: unit.PerHour(of("price", 0, 1, 2))}}
			spec.Hubs = append(spec.Hubs, topo.HubSpec{Name: name, Cities: []topo.CitySpec{{Name: name, Rooms: []topo.RoomSpec{{Name: name, Link: link, Pools: []topo.PoolSpec{pool}}}}}})
			for k := range i {
				other := string(rune('a' + k))
				spec.Links = append(spec.Links, topo.HubLinkSpec{From: name, To: other}, topo.HubLinkSpec{From: other, To: name})
			}
			v.waits = append(v.waits, unit.Seconds(of("wait", 0, 0, 600, 3600)))
			v.rates = append(v.rates, unit.Rate(of("rate", 100e6, 50e6, 1e6)))
		}
		var err error
		if v.t, err = topo.New(spec); err != nil {
			rt.Fatal(err)
		}
		for i := range n {
			if i == 0 || of("holds", 0, 0, 1) == 1 {
				v.holders = append(v.holders, Holder{Room: topo.RoomID(i), Complete: true})
			}
		}
		home := topo.RoomID(rapid.IntRange(0, n-1).Draw(rt, "home"))
		j := &task.Task{
			Has: task.ValuePerHour | task.HasImage, Value: unit.PerHour(of("value", 0, 1, 5)), Slots: 2, Portable: true,
			Work: unit.Seconds(of("work", 60, 3600)), Inputs: []task.Input{{Bytes: unit.Bytes(of("bytes", 0, 1e9, 100e9))}},
			ImageBytes: 1e9, Output: unit.Bytes(of("output", 0, 1e9)), Allowed: task.Anywhere, ResultAllowed: task.Anywhere,
			Weight: 1, Home: home, ResultHome: home,
		}
		for _, p := range []Policy{threeWay{}, bestOf{MoveData}, firstFree{}} {
			desk := NewDesk(Terms{Topology: v.t, Domain: RoomDomain}, p, true)
			got := desk.Decide(v, j)
			all := NewDesk(Terms{Topology: v.t, Domain: RoomDomain}, p, true)
			all.prices = false // lists the candidates only
			want := all.Decide(v, j)
			for i := range all.candidates {
				all.price(v, j, j.Value, &all.candidates[i])
			}
			chosen, ok := p.Choose(all, v, j, all.candidates)
			want.OK, want.Reason, want.Chosen = ok, NoReason, all.candidates[chosen]
			all.compare(v, j, &want, chosen)
			if got != want {
				rt.Fatalf("%T: got %+v\nwant %+v", p, got, want)
			}
		}
	})
}
