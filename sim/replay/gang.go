package replay

import (
	"math"
	"slices"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A gang that is spread over rooms and trains synchronously adds up its gradients
// in a ring of its rooms. That traffic is one flow over all links of the ring, of
// the bytes that each of them carries until the work is done; its cap is the mean
// rate that the ring would have if it could burst at its full capacity between the
// steps. The work goes on as the flow does, and is done when it is.

// slotsIn returns the slots that a life has in a pool.
func (l *life) slotsIn(p topo.PoolID) int32 {
	for _, part := range l.parts {
		if part.Pool == p {
			return part.Slots
		}
	}
	return 0
}

// settleAt makes a candidate the life's plan.
func (r *run) settleAt(l *life, c *policy.Candidate, parts []policy.Part) {
	l.plan, l.option, l.decided = *c, c.Option, true
	l.parts = append(l.parts[:0], parts...)
}

// hourly is what the slots of a life cost an hour.
func (r *run) hourly(l *life) unit.PerHour {
	sum := unit.PerHour(0)
	for _, part := range l.parts {
		sum += r.pools[part.Pool].spec.Price.Slots(part.Slots)
	}
	return sum
}

// speedOf is the speed of a gang: that of its slowest part.
func (r *run) speedOf(parts []policy.Part) float64 {
	speed := r.pools[parts[0].Pool].spec.Speed
	for _, part := range parts[1:] {
		speed = min(speed, r.pools[part.Pool].spec.Speed)
	}
	return speed
}

// startGang starts the gang at the head of a pool's queue where it is at the head
// of all its queues and fits in all.
func (r *run) startGang(p topo.PoolID) {
	i, ok := r.pools[p].LinkedHead()
	if !ok {
		return
	}
	parts := r.lives[i].parts
	for _, part := range parts {
		if k, ok := r.pools[part.Pool].LinkedHead(); !ok || k != i {
			return
		}
	}
	for _, part := range parts {
		r.pools[part.Pool].StartLinked(r.now())
	}
	r.startOn(i)
	for _, part := range r.lives[i].parts {
		r.callPass(part.Pool)
	}
}

// A ring is the rooms of a gang and the links between them.
type ring struct {
	rooms []topo.RoomID
	links []topo.LinkID // of all hops
	ends  []int         // of each hop in links
}

// ringOf finds the ring of the parts, in the run's buffer; its rooms are in the
// order of the topology, so that no link is crossed twice. A gang within one room
// needs none.
func (r *run) ringOf(parts []policy.Part) *ring {
	g := &r.ring
	g.rooms, g.links, g.ends = g.rooms[:0], g.links[:0], g.ends[:0]
	for _, part := range parts {
		if room := r.pools[part.Pool].spec.Room; !slices.Contains(g.rooms, room) {
			g.rooms = append(g.rooms, room)
		}
	}
	slices.Sort(g.rooms)
	for k, room := range g.rooms {
		g.links, _ = r.topo.AppendRoute(g.links, room, g.rooms[(k+1)%len(g.rooms)])
		g.ends = append(g.ends, len(g.links))
	}
	return g
}

// synchronizes reports whether a task on these parts exchanges gradients over the
// network.
func (r *run) synchronizes(t *task.Task, parts []policy.Part) bool {
	if len(parts) < 2 || t.Class != task.TrainingParallel || t.SyncBytes == 0 || t.Syncs == 0 {
		return false
	}
	return len(r.ringOf(parts).rooms) > 1
}

// slowestHop is how long the slowest of a round's messages takes now: one goes over
// each hop, and the round waits for all. Means stand for jitter where believed.
func (r *run) slowestHop(g *ring, believed bool) unit.Seconds {
	slowest, from := unit.Seconds(0), 0
	for _, end := range g.ends {
		hop := unit.Seconds(0)
		for _, l := range g.links[from:end] {
			hop += r.topo.Links[l].Latency
			if believed && r.weather.jitter != nil {
				hop += r.weather.mean[l]
			}
		}
		if !believed {
			hop += r.jitterOn(g.links[from:end])
		}
		slowest, from = max(slowest, hop), end
	}
	return slowest
}

// capacityOf is the capacity of a ring's narrowest link now.
func (r *run) capacityOf(g *ring) unit.Rate {
	least := unit.Unlimited()
	for _, l := range g.links {
		least = min(least, r.net.Capacity(l))
	}
	return least
}

// A syncPlan is how an attempt synchronizes.
type syncPlan struct {
	task.Sync
	syncs float64      // until the work is done
	saves unit.Seconds // time of saves between two syncs
}

// syncOf lays out the synchronizations of an attempt on a ring.
func (r *run) syncOf(t *task.Task, g *ring, plan *task.Plan, work unit.Seconds, believed bool) syncPlan {
	steps := float64(r.world.Training.LocalSteps)
	all := max(1, t.Syncs/steps)
	s := syncPlan{syncs: all * float64(plan.Left) / float64(work)}
	s.Sync = task.Sync{
		Compute: unit.Seconds(float64(plan.Left) / s.syncs / steps), Volume: t.SyncBytes, Places: len(g.rooms),
		Alpha: r.slowestHop(g, believed), Overlap: r.world.Training.Overlap,
	}.Every(steps)
	s.saves = unit.Seconds(plan.Count() * float64(plan.Save) / s.syncs)
	return s
}

// rate is the mean rate of the traffic where the ring could burst at a rate.
func (s *syncPlan) rate(burst unit.Rate) unit.Rate {
	if burst == 0 {
		return 0
	}
	return unit.Rate(float64(s.PerLink()) / float64(s.Period(burst)+s.saves))
}

// believedSync is how long the work of a gang is believed to take with its
// synchronizations, at the share that their traffic would get now.
func (r *run) believedSync(t *task.Task, parts []policy.Part, plan *task.Plan, work unit.Seconds) unit.Seconds {
	g := r.ringOf(parts)
	s := r.syncOf(t, g, plan, work, true)
	limit := s.rate(r.capacityOf(g))
	if limit == 0 {
		return unit.Seconds(math.Inf(1))
	}
	share := r.net.ShareOfOneMore(g.links, t.Weight, limit)
	return plan.Restart + unit.Bytes(s.syncs*float64(s.PerLink())).Over(share)
}

// beginSync has the traffic of an attempt begin; the attempt ends with it.
func (r *run) beginSync(i int32) {
	l := &r.lives[i]
	g := r.ringOf(l.parts)
	s := r.syncOf(&l.task, g, &l.stay.plan, r.workOn(l, l.task.Work), false)
	limit := s.rate(r.capacityOf(g))
	price := unit.PerGB(0)
	for _, link := range g.links {
		price += r.topo.Links[link].Price
	}
	m := r.newMove()
	bytes := unit.Bytes(s.syncs * float64(s.PerLink()))
	r.moves[m] = move{
		used: true, life: i, purpose: forSync, bytes: bytes, requested: r.now(), delay: l.stay.plan.Restart, price: price, worth: price,
		leg: policy.Leg{From: g.rooms[0], To: g.rooms[1]},
	}
	r.moves[m].flow = r.net.Start(network.Flow{
		Route: g.links, Bytes: bytes, Weight: l.task.Weight, Cap: max(limit, 1), Delay: l.stay.plan.Restart, Owner: m,
	})
	if limit == 0 { // a link is down: it stands still until that is back
		r.net.SetCap(r.moves[m].flow, 0)
	}
	l.stay.sync, l.stay.syncs = m, s
	r.rates.epoch++
	r.scheduleSync(i, g)
}

// scheduleSync has the rate of a gang's traffic looked at again when the jitter on
// its ring has changed: after half of the time over which it is correlated.
func (r *run) scheduleSync(i int32, g *ring) {
	again := unit.Seconds(math.Inf(1))
	if r.weather.jitter != nil {
		for _, link := range g.links {
			if r.weather.jitter[link] != nil {
				again = min(again, r.world.Jitter[link].Tau/2)
			}
		}
	}
	if !math.IsInf(float64(again), 1) {
		r.lives[i].stay.tick = r.events.Schedule(des.Event{At: r.now().Add(again), Priority: des.CapacityChange, Kind: syncChange, Index: i})
	}
}

// changeSync gives a gang's traffic the rate that its ring allows now.
func (r *run) changeSync(i int32) {
	l := &r.lives[i]
	g := r.ringOf(l.parts)
	s := &l.stay.syncs
	s.Alpha = r.slowestHop(g, false)
	r.net.SetCap(r.moves[l.stay.sync].flow, s.rate(r.capacityOf(g)))
	r.rates.epoch++
}

// tickSync does so and looks ahead to the next time.
func (r *run) tickSync(i int32) {
	r.lives[i].stay.tick = des.Handle{}
	r.changeSync(i)
	r.scheduleSync(i, r.ringOf(r.lives[i].parts))
}

// lineChanged tells the gangs that synchronize over a link that its capacity is
// another one. Those that it cuts off are interrupted.
func (r *run) lineChanged(link topo.LinkID, was unit.Rate) {
	is := r.net.Capacity(link)
	r.onLine = r.net.AppendFlows(r.onLine[:0], link)
	for _, f := range r.onLine {
		m := &r.moves[r.net.Owner(f)]
		if m.purpose != forSync {
			continue
		}
		if is == 0 && was > 0 {
			r.interrupt(m.life, byLink, 0)
		} else {
			r.changeSync(m.life)
		}
	}
}

// stopSync ends the traffic of an attempt that is cut and returns how much of its
// work was done.
func (r *run) stopSync(l *life) (done unit.Seconds) {
	m := &r.moves[l.stay.sync]
	bytes := m.bytes
	m.bytes = r.net.Cancel(m.flow)
	r.charge(l, m, m.bytes)
	r.recordMove(l, m, false)
	r.net.Release(m.flow)
	done = unit.Seconds(float64(l.stay.plan.Left) * min(1, float64(m.bytes/bytes)))
	r.freeMove(l.stay.sync)
	l.stay.sync = 0
	r.rates.epoch++
	return done
}

// splitSync splits an attempt with synchronizations that is cut: its work is kept
// up to the last save, and the time that it stood still goes with the work. What
// that leaves of the work is returned.
func (s *stay) splitSync(elapsed unit.Seconds, noticed bool) (split task.Split, kept unit.Seconds) {
	done := s.useful
	split.Restart = min(elapsed, s.plan.Restart)
	busy := elapsed - split.Restart
	if done == 0 {
		split.Lost = busy
		return split, 0
	}
	split.Save = unit.Seconds(s.plan.Count() * float64(s.plan.Save*(done/s.plan.Left)))
	switch {
	case noticed && s.plan.Saves || s.plan.Saves && s.plan.Interval == 0 && s.plan.Save == 0:
		kept = done
	case s.plan.Saves && !math.IsInf(float64(s.plan.Interval), 1):
		kept = s.plan.Interval * unit.Seconds(math.Floor(float64(done/s.plan.Interval)*(1+1e-12)))
		kept = min(kept, done)
	}
	split.Kept = (busy - split.Save) * (kept / done)
	split.Lost = busy - split.Save - split.Kept
	return split, kept
}
