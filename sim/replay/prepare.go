package replay

import (
	"math"
	"slices"

	"tiersim/sim/des"
	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// environments are which rooms have which environments: those that the topology
// gives them, and those that were made there.
type environments struct {
	offered [][]task.Symbol // by room
	made    []madeThere
}

// A madeThere is an environment that was, or is being, made in a room.
type madeThere struct {
	room        topo.RoomID
	environment task.Symbol
	ready       unit.Time
}

func newEnvironments(t *topo.Topology, symbols []string) environments {
	e := environments{offered: make([][]task.Symbol, len(t.Rooms))}
	for r := range t.Rooms {
		for _, name := range t.Rooms[r].Environments {
			if i := slices.Index(symbols, name); i > 0 {
				e.offered[r] = append(e.offered[r], task.Symbol(i))
			}
		}
	}
	return e
}

// find returns when a room has an environment; ok is false where nobody makes it.
func (e *environments) find(room topo.RoomID, s task.Symbol) (ready unit.Time, ok bool) {
	if slices.Contains(e.offered[room], s) {
		return 0, true
	}
	for i := range e.made {
		if m := &e.made[i]; m.room == room && m.environment == s {
			return m.ready, true
		}
	}
	return 0, false
}

// crosses reports whether a life's plan crosses the border of its domain.
func (l *life) crosses() bool { return l.option == policy.MoveTask || l.option == policy.MoveData }

// align has the environment of a life's task be there when it has come: it is made
// once for each room, at the cost of the first that needs it, while data comes in.
func (r *run) align(i int32) {
	l := &r.lives[i]
	room, s := l.plan.Room, l.task.Environment
	if s == 0 || room == l.task.Home || !l.crosses() {
		return
	}
	ready, ok := r.environments.find(room, s)
	if !ok {
		a := r.world.Alignment
		ready = r.now().Add(a.Time)
		r.environments.made = append(r.environments.made, madeThere{room, s, ready})
		l.compute += a.Cost
		l.aligned += a.Cost
		r.count.alignments++
	}
	if ready > r.now() {
		l.pending++
		r.at(ready, des.FlowEnd, environmentReady, i)
	}
}

// leadOf returns how long a life waits for people to arrange a channel: nothing where
// its plan crosses no border, where no link on its way wants one, where one is
// reserved, or where the scenario has nobody arrange any.
func (r *run) leadOf(l *life) unit.Seconds {
	if r.world.Lead == nil || !l.crosses() {
		return 0
	}
	view := viewOf{r, l}
	if r.desk.Channelled(&view, &l.task, l.plan.Room) {
		return 0
	}
	r.count.leads++
	s := r.setup.Weather.Stream("lead/" + string(l.task.Name))
	return unit.Seconds(s.Draw(r.world.Lead))
}

// prepared goes on with a life whose channel is arranged.
func (r *run) prepared(i int32) {
	r.lapBringing(&r.lives[i])
	r.comeThere(i)
}

func (v *viewOf) Believed(*task.Task) unit.Seconds { return v.l.believed }

func (v *viewOf) Aligned(t *task.Task, room topo.RoomID) bool {
	_, ok := v.r.environments.find(room, t.Environment)
	return ok
}

// Interruption expects what a Poisson process of the pools' mean spacing adds (package
// task). Where nobody asks whether resume is verified, it is believed.
func (v *viewOf) Interruption(parts []policy.Part, t *task.Task) unit.Seconds {
	r := v.r
	if r.hazards.first == nil {
		return 0
	}
	mtbf := r.spacing(parts)
	if math.IsInf(float64(mtbf), 1) {
		return 0
	}
	plan := r.planOf(t, parts, v.l.believed, v.l.past.kept)
	if !t.Resumable && r.world.Parameters.Without&policy.Resume != 0 {
		verified := *t
		verified.Resumable = true
		plan = r.planOf(&verified, parts, v.l.believed, v.l.past.kept)
	}
	restart := unit.Seconds(0)
	if plan.Saves {
		restart = r.load(t, r.pools[parts[0].Pool].spec.Room)
	}
	return max(0, plan.ExpectedRunTime(restart, mtbf, false)-plan.Length())
}

func (v *viewOf) HasChannel(t *task.Task, g policy.Leg, bytes unit.Bytes) bool {
	r := v.r
	route, _ := r.topo.AppendRoute(r.route[:0], g.From, g.To)
	r.route = route
	r.reserving = r.reservable(r.reserving[:0], route)
	b := &r.booked
	if len(r.reserving) == 0 {
		return true
	}
	if b.calendar == nil {
		return false
	}
	for i := range b.standing {
		if x := &b.standing[i]; x.channel != 0 && x.spec.Classes[t.Class] && covers(route, x.links) {
			return true
		}
	}
	for i := range r.world.Reservations {
		s := &r.world.Reservations[i]
		if s.Standing || !s.Classes[t.Class] {
			continue
		}
		rate := min(s.Rate, r.capOf(g))
		delay, _, _ := v.Delay(g)
		until := r.now().Add(delay + bytes.Over(rate))
		if b.calendar.Reserve(r.reserving, rate, r.now(), until) {
			b.calendar.Release(r.reserving, rate, r.now(), until)
			return true
		}
	}
	return false
}

func (v *viewOf) Stretch(f policy.Forecast, of policy.ForecastOf, q float64) float64 {
	return v.r.errorsOf(f, of).quantile(q)
}
