package replay

import (
	"math"

	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// viewOf is what a policy sees when it decides for one life. It implements
// policy.View and hands out nothing of the future: run times are estimates.
type viewOf struct {
	r *run
	l *life
}

func (v *viewOf) Now() unit.Time { return v.r.now() }

// Slots are those of the pool that a task may have at some time; none while the task has
// to keep away from a pool where it was interrupted.
func (v *viewOf) Slots(p topo.PoolID) int32 {
	if past := &v.l.past; past.avoidUntil > v.r.now() && past.avoid == p {
		return 0
	}
	return v.r.pools[p].spec.Slots - v.r.pools[p].spec.Never
}

func (v *viewOf) Free(p topo.PoolID) int32 { return min(v.Slots(p), v.r.pools[p].Free()) }

// StartEstimate of a gang that is spread is when the last of its parts could start.
func (v *viewOf) StartEstimate(parts []policy.Part, t *task.Task) unit.Time {
	last := v.r.now()
	for _, part := range parts {
		ps := &v.r.pools[part.Pool]
		at := ps.EstimateStart(v.r.now(), part.Slots, t.Priority, v.r.queueBelief(v.l, part.Pool, parts))
		if at == unit.Forever() && ps.varies {
			at = v.r.whenBack(part.Pool) // slots that it needs are away for a while
		}
		last = max(last, at)
	}
	return last
}

func (v *viewOf) StartsNow(parts []policy.Part, t *task.Task) bool {
	for _, part := range parts {
		if v.r.pools[part.Pool].Free() < part.Slots {
			return false
		}
	}
	return v.StartEstimate(parts, t) == v.r.now()
}

func (v *viewOf) OnSlots(parts []policy.Part, _ *task.Task) unit.Seconds {
	return v.r.stayOf(v.l, parts, v.l.believed)
}

func (v *viewOf) Checkpoint(t *task.Task) (topo.RoomID, unit.Bytes, bool) {
	return v.l.past.at, t.State, v.l.past.kept > 0
}

func (v *viewOf) StateSpace(t *task.Task) unit.Bytes {
	if !saves(t) {
		return 0
	}
	return t.State
}

func (v *viewOf) Holders(t *task.Task, i int) []policy.Holder {
	r := v.r
	r.holders = r.holders[:0]
	in := &t.Inputs[i]
	if in.Dataset == 0 {
		for _, room := range in.Homes {
			r.holders = append(r.holders, policy.Holder{Room: room, Complete: true})
		}
		return r.holders
	}
	for n := r.store.sets[in.Dataset]; n != 0; n = r.store.copies[n].next {
		c := &r.store.copies[n]
		r.holders = append(r.holders, policy.Holder{Room: c.room, Ready: r.readyAt(c), Complete: c.complete})
	}
	return r.holders
}

// readyAt returns when a copy is expected by the rate that it has now.
func (r *run) readyAt(c *copyState) unit.Time {
	if c.complete {
		return 0
	}
	return r.net.Expected(r.moves[c.move].flow)
}

func (v *viewOf) HasImage(t *task.Task, room topo.RoomID) (unit.Time, bool) {
	n, ok := v.r.store.find(false, int32(t.Image), room)
	if !ok {
		return 0, false
	}
	return v.r.readyAt(&v.r.store.copies[n]), true
}

func (v *viewOf) Delay(g policy.Leg) (unit.Seconds, unit.PerGB, bool) {
	delay, price, ok := v.r.delayOf(g.From, g.To)
	return delay + v.r.meanJitter(g.From, g.To), price, ok
}

func (v *viewOf) StoragePrice(room topo.RoomID) unit.PerGBMonth {
	return v.r.topo.Rooms[room].Storage.Price
}

func (v *viewOf) HasRoom(room topo.RoomID, bytes unit.Bytes) bool {
	s := &v.r.store
	if v.l.decided && v.l.plan.Room == room {
		bytes -= v.l.taken // it has that already
	}
	v.r.eachOwn(v.l, room, func(n int32) { s.copies[n].pins++ })
	ok := s.hasRoom(room, bytes)
	v.r.eachOwn(v.l, room, func(n int32) { s.copies[n].pins-- })
	return ok
}

// A rateCache keeps the rates that were asked for since the network last
// changed, by pair of rooms and the storages that take part.
type rateCache struct {
	epoch uint64
	rooms int
	known []knownRate
}

type knownRate struct {
	epoch uint64
	rate  unit.Rate
}

// cachedRooms bounds the cache's table (4 kinds of leg a pair of rooms, 16 bytes
// each: 16 MB); beyond it rates are solved each time.
const cachedRooms = 512

func newRateCache(rooms int) rateCache {
	c := rateCache{epoch: 1, rooms: rooms}
	if rooms <= cachedRooms {
		c.known = make([]knownRate, 4*rooms*rooms)
	}
	return c
}

func (v *viewOf) Rate(g policy.Leg) unit.Rate {
	r := v.r
	if r.rates.known == nil || g.Weight != 1 || !math.IsInf(float64(g.MaxRate), 1) {
		return r.share(g)
	}
	kind := 0
	if g.Reads {
		kind = 1
	}
	if g.Writes {
		kind += 2
	}
	k := &r.rates.known[(int(g.From)*r.rates.rooms+int(g.To))*4+kind]
	if k.epoch != r.rates.epoch {
		k.epoch, k.rate = r.rates.epoch, r.share(g)
	}
	return k.rate
}

func (v *viewOf) Capacity(g policy.Leg) unit.Rate {
	r := v.r
	route, _ := r.appendLeg(r.route[:0], g)
	r.route = route
	least := r.capOf(g)
	for _, l := range route {
		least = min(least, r.net.Capacity(l))
	}
	return least
}

// share solves what one more flow would get on a leg now.
func (r *run) share(g policy.Leg) unit.Rate {
	route, _ := r.appendLeg(r.route[:0], g)
	r.route = route
	return r.net.ShareOfOneMore(route, r.weightOf(g), r.capOf(g))
}
