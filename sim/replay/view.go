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

func (v *viewOf) Slots(p topo.PoolID) int32 { return v.r.pools[p].Capacity() }

func (v *viewOf) estimate(p topo.PoolID, t *task.Task) unit.Seconds {
	return v.r.queueBelief(v.r.pools[p].spec, t, v.l.believed)
}

func (v *viewOf) StartEstimate(p topo.PoolID, t *task.Task) unit.Time {
	return v.r.pools[p].EstimateStart(v.r.now(), t.Slots, t.Priority, v.estimate(p, t))
}

func (v *viewOf) StartsNow(p topo.PoolID, t *task.Task) bool {
	return v.r.pools[p].Free() >= t.Slots && v.StartEstimate(p, t) == v.r.now()
}

func (v *viewOf) RunTime(*task.Task) unit.Seconds { return v.l.believed }

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
	return v.r.delayOf(g.From, g.To)
}

func (v *viewOf) StoragePrice(room topo.RoomID) unit.PerGBMonth {
	return v.r.topo.Rooms[room].Storage.Price
}

func (v *viewOf) HasRoom(room topo.RoomID, bytes unit.Bytes) bool {
	s := &v.r.store
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
	return r.net.ShareOfOneMore(route, g.Weight, r.capOf(g))
}
