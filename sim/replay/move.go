package replay

import (
	"fmt"
	"math"
	"slices"

	"tiersim/sim/network"
	"tiersim/sim/policy"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A purpose is what a transfer is for.
type purpose uint8

const (
	forImage purpose = iota
	forInput
	forResult
	forTransfer // a task of class transfer
	forState    // a checkpoint
	forSync     // what a gang exchanges
)

var purposeNames = [...]string{"image", "input", "result", "transfer", "state", "sync"}

func (p purpose) String() string { return purposeNames[p] }

// A move is a transfer of one task in progress.
type move struct {
	used      bool
	life      int32
	purpose   purpose
	leg       policy.Leg
	bytes     unit.Bytes
	requested unit.Time
	delay     unit.Seconds
	price     unit.PerGB // that the task pays
	worth     unit.PerGB // that of the links
	flow      network.FlowID
	booking   booking
	copy      int32 // the copy that it makes; 0: none
}

// appendLeg appends the links that a leg takes part of.
func (r *run) appendLeg(dst []topo.LinkID, leg policy.Leg) ([]topo.LinkID, bool) {
	from, to := &r.topo.Rooms[leg.From].Storage, &r.topo.Rooms[leg.To].Storage
	if leg.Reads && from.Limited {
		dst = append(dst, from.Read)
	}
	dst, ok := r.topo.AppendRoute(dst, leg.From, leg.To)
	if leg.Writes && to.Limited {
		dst = append(dst, to.Write)
	}
	return dst, ok
}

// leg returns a leg with the task's weight and cap.
func leg(t *task.Task, from, to topo.RoomID, reads, writes bool) policy.Leg {
	return policy.Leg{From: from, To: to, Reads: reads, Writes: writes, Weight: t.Weight, MaxRate: t.RateLimit()}
}

// delayOf returns what passes before the first byte of a leg flows: the route's
// latency, and the start-up round trips where the scenario has them.
func (r *run) delayOf(from, to topo.RoomID) (unit.Seconds, unit.PerGB, bool) {
	latency, price, ok := r.topo.Between(from, to)
	return latency + unit.Seconds(2*float64(latency)*r.world.Network.StartupRTTs), price, ok
}

// capOf returns the cap of a leg's flow: the task's own, and what windows and losses
// let its streams carry where the scenario has them.
func (r *run) capOf(l policy.Leg) unit.Rate {
	limit := l.MaxRate
	n := &r.world.Network
	if n.Window == 0 && n.Loss == 0 || l.From == l.To {
		return limit
	}
	latency, _, _ := r.topo.Between(l.From, l.To)
	stream := unit.Unlimited()
	if n.Window > 0 {
		stream = network.WindowCap(n.Window, 2*latency)
	}
	stream = min(stream, network.LossCap(n.MSS, 2*latency, n.Loss))
	return min(limit, unit.Rate(float64(n.ParallelStreams)*float64(stream)))
}

// leastRTT keeps the share of a transfer within a room finite where round trips
// count. Chosen: a room's own round trip.
const leastRTT unit.Seconds = 100e-6

// weightOf is the weight of a leg's flow: the task's own, by the round trip where
// the scenario has shares depend on it.
func (r *run) weightOf(l policy.Leg) float64 {
	bias := r.world.Network.RTTBias
	if bias == 0 {
		return l.Weight
	}
	latency, _, _ := r.topo.Between(l.From, l.To)
	return l.Weight * math.Pow(float64(max(2*latency, leastRTT)), -bias)
}

// startMove begins a transfer of life i. It reports false, and does nothing,
// where the leg takes nothing: inside a room without a storage.
func (r *run) startMove(i int32, p purpose, g policy.Leg, bytes unit.Bytes, makes int32) (m int32, ok bool) {
	route, ok := r.appendLeg(r.route[:0], g)
	r.route = route
	if !ok {
		r.err = fmt.Errorf("task %s: no route from %s to %s", r.lives[i].task.Name,
			r.topo.Rooms[g.From].Name, r.topo.Rooms[g.To].Name)
		return 0, false
	}
	if len(route) == 0 && p != forTransfer {
		return 0, false
	}
	delay, price, _ := r.delayOf(g.From, g.To)
	delay += r.jitterOn(route)
	m = r.newMove()
	r.moves[m] = move{
		used: true, life: i, purpose: p, leg: g, bytes: bytes,
		requested: r.now(), delay: delay, price: price, worth: price, copy: makes,
	}
	x := &r.moves[m]
	if x.booking = r.seekChannel(&r.lives[i], x, route); x.booking.channel != 0 && x.booking.spec.HasPrice {
		x.price = x.booking.spec.Price
	}
	x.flow = r.net.Start(network.Flow{
		Route: route, Bytes: bytes, Weight: r.weightOf(g), Cap: r.capOf(g), Delay: delay, Owner: m, Channel: x.booking.channel,
	})
	r.rates.epoch++
	return m, true
}

func (r *run) newMove() int32 {
	if n := len(r.freeMoves); n > 0 {
		m := r.freeMoves[n-1]
		r.freeMoves = r.freeMoves[:n-1]
		return m
	}
	r.moves = append(r.moves, move{})
	return int32(len(r.moves) - 1)
}

func (r *run) freeMove(m int32) {
	r.moves[m] = move{}
	r.freeMoves = append(r.freeMoves, m)
}

// moveDone takes note that a transfer has arrived.
func (r *run) moveDone(index int32, flow network.FlowID) {
	m := &r.moves[index]
	r.moved = r.now()
	r.rates.epoch++
	l := &r.lives[m.life]
	took := r.now().Sub(m.requested)
	switch m.purpose {
	case forImage:
		l.image = max(l.image, took)
	case forInput, forTransfer:
		l.input = max(l.input, took)
	case forResult:
		l.result = max(l.result, took)
	}
	r.charge(l, m, m.bytes+r.net.Again(flow))
	r.recordMove(l, m, true)
	l.fee += r.unbook(m)
	r.net.Release(flow)
	life, purpose, made := m.life, m.purpose, m.copy
	r.freeMove(index)
	if made != 0 {
		r.copyReady(made)
	}
	switch purpose {
	case forResult:
		r.lap(&r.lives[life], inTransfer)
		r.keepOutput(&r.lives[life])
		r.finish(life)
	case forSync:
		r.lives[life].stay.sync = 0
		r.computed(life)
	case forTransfer:
		r.lives[life].pending--
		if r.lives[life].pending == 0 {
			r.lap(&r.lives[life], inTransfer)
			r.finish(life)
		}
	default:
		r.arrived(life)
	}
}

// charge adds what a transfer has cost so far to its task.
func (r *run) charge(l *life, m *move, sent unit.Bytes) {
	if again := r.net.Again(m.flow); again > 0 {
		r.count.class[l.task.Class].again += again
	}
	if m.leg.From != m.leg.To {
		l.moved += sent
		r.books.worth += m.worth.Times(sent)
		fee := m.price.Times(sent)
		l.fee += fee
		if l.past.attempts > 0 && m.purpose != forResult && m.purpose != forSync {
			r.count.class[l.task.Class].refetched += fee
		}
	}
}

// arrived takes one off what a stage-in waits for.
func (r *run) arrived(i int32) {
	r.lives[i].pending--
	if r.lives[i].pending == 0 && r.lives[i].staging {
		r.staged(i)
	}
}

// stageIn requests image and data together; where nothing has to come, the task
// goes on at once.
func (r *run) stageIn(i int32) {
	l := &r.lives[i]
	room := l.plan.Room
	l.staging = false
	r.store.giveBack(l)
	r.spaceForState(l)
	r.eachOwn(l, room, func(n int32) { r.store.pin(l, n, r.fired) })
	for k := range l.task.Inputs {
		if l.task.Inputs[k].Bytes == 0 {
			continue // nothing is read
		}
		l = &r.lives[i]
		view := viewOf{r, l}
		s, ok := policy.FindSource(&view, &l.task, k, room, l.value)
		if !ok {
			r.err = fmt.Errorf("task %s: input %d is nowhere", l.task.Name, k+1)
			return
		}
		r.bring(i, k, s)
	}
	if l.task.Present(task.HasImage) && room != l.task.Home {
		r.bringImage(i)
	}
	if l = &r.lives[i]; l.past.kept > 0 && l.past.at != room {
		r.startPending(i, forState, leg(&l.task, l.past.at, room, true, true), l.task.State, 0)
	}
	r.align(i)
	l = &r.lives[i]
	l.staging = true
	if l.pending == 0 {
		r.staged(i)
	}
}

// eachOwn calls f for every copy in the room that the task would use: what is
// brought for it must not push out what it has there already.
func (r *run) eachOwn(l *life, room topo.RoomID, f func(n int32)) {
	for k := range l.task.Inputs {
		if n, at := r.store.find(true, int32(l.task.Inputs[k].Dataset), room); at {
			f(n)
		}
	}
	if l.task.Present(task.HasImage) && room != l.task.Home {
		if n, at := r.store.find(false, int32(l.task.Image), room); at {
			f(n)
		}
	}
}

// claim holds, for a task that will bring its data later, the copies that are in
// its room and the space for what is not: the decision counted on both.
func (r *run) claim(i int32) {
	l := &r.lives[i]
	r.spaceForState(l)
	r.eachOwn(l, l.plan.Room, func(n int32) { r.store.pin(l, n, r.fired) })
	for k := range l.task.Inputs {
		if in := &l.task.Inputs[k]; in.Bytes > 0 && !r.localHome(in, l.plan.Room) {
			r.claimOne(l, true, int32(in.Dataset), in.Bytes)
		}
	}
	if l.task.Present(task.HasImage) && l.plan.Room != l.task.Home {
		r.claimOne(l, false, int32(l.task.Image), l.task.ImageBytes)
	}
}

// spaceForState takes the space that a task's checkpoints need in its room.
func (r *run) spaceForState(l *life) {
	if !saves(&l.task) {
		return
	}
	if err := r.store.take(l, l.plan.Room, l.task.State); err != nil {
		r.err = fmt.Errorf("task %s: %w", l.task.Name, err)
	}
}

func (r *run) claimOne(l *life, set bool, key int32, bytes unit.Bytes) {
	if n, at := r.store.find(set, key, l.plan.Room); at {
		r.store.pin(l, n, r.fired)
	} else if err := r.store.take(l, l.plan.Room, bytes); err != nil {
		r.err = fmt.Errorf("task %s: %w", l.task.Name, err)
	}
}

// localHome reports whether the room is a home of data that only one task reads.
func (r *run) localHome(in *task.Input, room topo.RoomID) bool {
	return in.Dataset == 0 && slices.Contains(in.Homes, room)
}

// bring has the k-th input come to the task's room.
func (r *run) bring(i int32, k int, s policy.Source) {
	l := &r.lives[i]
	in := &l.task.Inputs[k]
	room := l.plan.Room
	if n, at := r.store.find(true, int32(in.Dataset), room); at {
		r.store.pin(l, n, r.fired)
		if s.Joins {
			r.wait(i, n)
			return
		}
	}
	if s.Local {
		r.startPending(i, forInput, leg(&l.task, room, room, true, false), in.Bytes, 0)
		return
	}
	whole := in.Dataset != 0 && in.Bytes >= r.setup.Trace.Catalog.Datasets[in.Dataset].Bytes
	makes := r.makeSpace(l, whole, true, int32(in.Dataset), in.Bytes)
	r.startPending(i, forInput, leg(&l.task, s.From, room, true, true), in.Bytes, makes)
}

// bringImage has the task's image come to its room, unless a copy is there.
func (r *run) bringImage(i int32) {
	l := &r.lives[i]
	room := l.plan.Room
	if n, at := r.store.find(false, int32(l.task.Image), room); at {
		r.store.pin(l, n, r.fired)
		if !r.store.copies[n].complete {
			r.wait(i, n)
		}
		return
	}
	makes := r.makeSpace(l, l.task.Image != 0, false, int32(l.task.Image), l.task.ImageBytes)
	r.startPending(i, forImage, leg(&l.task, l.task.Home, room, true, true), l.task.ImageBytes, makes)
}

// makeSpace takes space for what the task brings into its room: as a copy that
// stays, which is returned, or for the task alone.
func (r *run) makeSpace(l *life, stays, set bool, key int32, bytes unit.Bytes) (makes int32) {
	l.brought += bytes
	var err error
	if stays {
		if makes, err = r.store.expect(set, key, l.plan.Room, bytes); err == nil {
			r.store.pin(l, makes, r.fired)
		}
	} else {
		err = r.store.take(l, l.plan.Room, bytes)
	}
	if err != nil {
		r.err = fmt.Errorf("task %s: %w", l.task.Name, err)
	}
	return makes
}

// wait has life i wait for a copy that another task brings.
func (r *run) wait(i, n int32) {
	r.store.copies[n].waiters = append(r.store.copies[n].waiters, i)
	r.lives[i].pending++
}

// startPending begins a transfer that life i's stage-in waits for.
func (r *run) startPending(i int32, p purpose, g policy.Leg, bytes unit.Bytes, makes int32) {
	if m, ok := r.startMove(i, p, g, bytes, makes); ok {
		r.lives[i].pending++
		r.store.copies[makes].move = m
	} else if makes != 0 {
		r.copyReady(makes)
	}
}

// startResult returns the results; false where that takes no time.
func (r *run) startResult(i int32) bool {
	l := &r.lives[i]
	g := leg(&l.task, l.plan.Room, l.task.ResultHome, false, true)
	if _, ok := r.startMove(i, forResult, g, l.task.Output, 0); ok {
		return true
	}
	r.keepOutput(l)
	return false
}

// moveOnly begins a task of class transfer: bytes from where its data is to
// where its result is wanted, whatever the policy.
func (r *run) moveOnly(i int32) {
	l := &r.lives[i]
	l.option, l.decided = policy.None, false
	if l.task.Present(task.ValuePerHour) {
		l.value = l.task.Value
	}
	l.start, l.started = r.now(), true
	for k := range l.task.Inputs {
		l = &r.lives[i]
		from, ok := r.sourceOfTransfer(l, k)
		if !ok {
			r.err = fmt.Errorf("task %s: no route to %s from where its data is", l.task.Name, r.topo.Rooms[l.task.ResultHome].Name)
			return
		}
		makes := r.copyOfTransfer(l, k)
		r.startPending(i, forTransfer, leg(&l.task, from, l.task.ResultHome, true, true), l.task.Inputs[k].Bytes, makes)
	}
	if r.lives[i].pending == 0 {
		r.finish(i)
	}
}

// copyOfTransfer registers the copy that a transfer of a whole named set makes.
func (r *run) copyOfTransfer(l *life, k int) int32 {
	in := &l.task.Inputs[k]
	if in.Dataset == 0 || in.Bytes < r.setup.Trace.Catalog.Datasets[in.Dataset].Bytes {
		return 0
	}
	if _, at := r.store.find(true, int32(in.Dataset), l.task.ResultHome); at {
		return 0
	}
	n, err := r.store.expect(true, int32(in.Dataset), l.task.ResultHome, in.Bytes)
	if err != nil {
		r.count.notKept++
	}
	return n
}

// keepOutput adds the data set that a task's output becomes, where its result
// home has space for it.
func (r *run) keepOutput(l *life) {
	if err := r.store.keepOutput(l); err != nil {
		r.count.notKept++
	}
}

// sourceOfTransfer picks the holder with the least fee, then the least latency.
func (r *run) sourceOfTransfer(l *life, k int) (best topo.RoomID, found bool) {
	view := viewOf{r, l}
	var leastPrice unit.PerGB
	var leastDelay unit.Seconds
	for _, h := range view.Holders(&l.task, k) {
		delay, price, ok := r.delayOf(h.Room, l.task.ResultHome)
		if !h.Complete || !ok {
			continue
		}
		if !found || price < leastPrice || price == leastPrice && delay < leastDelay {
			best, found, leastPrice, leastDelay = h.Room, true, price, delay
		}
	}
	return best, found
}
