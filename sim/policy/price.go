package policy

import (
	"math"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Candidate is a pool, or several that a gang is spread over, that could run the
// task, with what that would take. Pool is the one with the most of its slots;
// data comes to its room.
type Candidate struct {
	Pool   topo.PoolID
	Room   topo.RoomID
	Option Option

	Transfer unit.Seconds // stage-in and return of the result
	Queue    unit.Seconds
	Compute  unit.Seconds

	Fee          unit.Money // of all transfers
	ComputeCost  unit.Money
	Storage      unit.Money
	Time         unit.Money
	Interruption unit.Money // expected
	Total        unit.Money

	Extra unit.Seconds // that interruptions are expected to add
	Lead  unit.Seconds // part of Transfer: for the channel and the environment
	Align unit.Money   // part of ComputeCost: for the environment
	Gates Gates        // that are closed; known of what is chosen or recorded

	// Brings is what the task itself would bring into the room; From is where
	// most of it would come from.
	Brings unit.Bytes
	From   topo.RoomID
	// Priced says that the candidate's estimates are made. Where it is false,
	// Total is only a lower bound, above what others of its option cost.
	Priced bool
	// Unreachable says that there is no route for the image, the data or the
	// result, or no space for them: never offered.
	Unreachable bool

	first, n int32 // its parts, on the desk
}

// A Source says where an input comes from.
type Source struct {
	From topo.RoomID
	// Local: the room holds it. Joins: it is on its way to the room, brought by
	// another task, which pays.
	Local, Joins bool
	Ready        unit.Time // of Joins: when it is expected
	Delay        unit.Seconds
	Time         unit.Seconds // expected, delay included
	Fee          unit.Money
}

// in returns the money that a time costs; a time that never ends costs nothing
// to whom time costs nothing.
func in(v unit.PerHour, s unit.Seconds) unit.Money {
	if v == 0 {
		return 0
	}
	return v.For(s)
}

// transferTime returns how long bytes take on a leg as things stand.
func transferTime(v View, leg Leg, bytes unit.Bytes) (unit.Seconds, unit.PerGB, bool) {
	delay, price, ok := v.Delay(leg)
	if !ok {
		return 0, 0, false
	}
	if bytes == 0 {
		return delay, price, true
	}
	return delay + bytes.Over(v.Rate(leg)), price, true
}

// FindSource returns where the task's i-th input would best come from if it ran
// in the room: the least of fee and value of time; ties go to the first holder.
// ok is false where no room holds it or none has a route.
func FindSource(v View, t *task.Task, i int, room topo.RoomID, value unit.PerHour) (best Source, ok bool) {
	bytes := t.Inputs[i].Bytes
	least := unit.Money(0)
	for _, h := range v.Holders(t, i) {
		if h.Room == room {
			s := Source{From: room, Local: h.Complete, Joins: !h.Complete, Ready: h.Ready}
			if !h.Complete {
				s.Time = max(h.Ready.Sub(v.Now()), 0)
				return s, true
			}
			s.Time, _, _ = transferTime(v, legOf(t, room, room, true, false), bytes)
			return s, true
		}
		if !h.Complete {
			continue
		}
		s := Source{From: h.Room}
		leg := legOf(t, h.Room, room, true, true)
		time, price, reachable := transferTime(v, leg, bytes)
		if !reachable {
			continue
		}
		s.Time, s.Fee = time, price.Times(bytes)
		if cost := s.Fee + in(value, time); !ok || cost < least {
			best, ok, least = s, true, cost
		}
	}
	return best, ok
}

// Value returns what an hour of the task's turnaround costs: what the trace
// says, or the scenario's share of its hourly price at the cheapest fitting pool
// of its home room, or where its home has none, of the nearest place that has.
func (d *Desk) Value(t *task.Task) unit.PerHour {
	if t.Present(task.ValuePerHour) {
		return t.Value
	}
	best, near, found := unit.PerHour(0), 0, false
	for _, p := range d.fitting(t) {
		pool := &d.terms.Topology.Pools[p]
		far := d.terms.Topology.Distance(t.Home, pool.Room)
		if !found || far < near || far == near && pool.Price < best {
			best, near, found = pool.Price, far, true
		}
	}
	return unit.PerHour(d.terms.ValueOfTime * float64(best.Slots(t.Slots)))
}

// bound returns what the candidate's pool would cost the task at the least: with
// no queue, every transfer alone on its way, each term as low as it can be.
func (d *Desk) bound(v View, t *task.Task, value unit.PerHour, c *Candidate) unit.Money {
	stage, fee := unit.Seconds(0), unit.Money(0)
	for i := range t.Inputs {
		if t.Inputs[i].Bytes == 0 {
			continue
		}
		least, cheapest, first := unit.Seconds(0), unit.Money(0), true
		for _, h := range v.Holders(t, i) {
			if h.Room == c.Room {
				least, cheapest, first = 0, 0, false
				break
			}
			if !h.Complete {
				continue
			}
			leg := legOf(t, h.Room, c.Room, true, true)
			time, price, ok := alone(v, leg, t.Inputs[i].Bytes)
			if !ok {
				continue
			}
			if f := price.Times(t.Inputs[i].Bytes); first || f < cheapest {
				cheapest = f
			}
			if first || time < least {
				least = time
			}
			first = false
		}
		stage, fee = max(stage, least), fee+cheapest
	}
	back := unit.Seconds(0)
	if t.Output > 0 {
		leg := legOf(t, c.Room, t.ResultHome, false, true)
		time, price, ok := alone(v, leg, t.Output)
		if ok {
			back, fee = time, fee+price.Times(t.Output)
		}
	}
	compute := v.OnSlots(d.Parts(c), t)
	held := compute
	if d.terms.StageInside {
		held += stage
	}
	if d.terms.Blind {
		return (in(d.hourly(c), compute) + in(value, compute)) * (1 - rounding)
	}
	return (fee + in(d.hourly(c), held) + in(value, stage+back+compute)) * (1 - rounding)
}

// rounding keeps a bound from lying above the price that it bounds: both are sums
// of the same terms in another order, some tens of roundings of 2⁻⁵³ each.
const rounding = 1e-12

// alone returns how long bytes take on a leg that nothing else uses.
func alone(v View, leg Leg, bytes unit.Bytes) (unit.Seconds, unit.PerGB, bool) {
	delay, price, ok := v.Delay(leg)
	if !ok {
		return 0, 0, false
	}
	return delay + bytes.Over(v.Capacity(leg)), price, true
}

// queueFloor keeps the ratio of two queue times finite where one of them is nothing.
// Chosen: nobody minds a minute.
const queueFloor unit.Seconds = 60

// QueueRatio is how a queue time that happened compares with the one forecast.
func QueueRatio(happened, forecast unit.Seconds) float64 {
	return float64((happened + queueFloor) / (forecast + queueFloor))
}

// lateQueue is a queue time that comes out later than forecast by a QueueRatio.
func lateQueue(forecast unit.Seconds, ratio float64) unit.Seconds {
	return (forecast+queueFloor)*unit.Seconds(ratio) - queueFloor
}

// hourly is what an hour of the candidate's slots costs.
func (d *Desk) hourly(c *Candidate) unit.PerHour {
	sum := unit.PerHour(0)
	for _, part := range d.Parts(c) {
		sum += d.terms.Topology.Pools[part.Pool].Price.Slots(part.Slots)
	}
	return sum
}

// price fills in what the candidate's pool would cost the task.
func (d *Desk) price(v View, t *task.Task, value unit.PerHour, c *Candidate) {
	stage, most := unit.Seconds(0), unit.Bytes(0)
	for i := range t.Inputs {
		if t.Inputs[i].Bytes == 0 {
			continue // nothing is read
		}
		s, ok := FindSource(v, t, i, c.Room, value)
		if !ok {
			c.Unreachable = true
			return
		}
		stage = max(stage, s.Time)
		c.Fee += s.Fee
		if !s.Local && !s.Joins {
			c.Brings += t.Inputs[i].Bytes
			if t.Inputs[i].Bytes > most {
				most, c.From = t.Inputs[i].Bytes, s.From
			}
		}
	}
	if t.Present(task.HasImage) && c.Room != t.Home {
		if ready, ok := v.HasImage(t, c.Room); ok {
			stage = max(stage, ready.Sub(v.Now()))
		} else {
			leg := legOf(t, t.Home, c.Room, true, true)
			time, price, ok := transferTime(v, leg, t.ImageBytes)
			if !ok {
				c.Unreachable = true
				return
			}
			stage = max(stage, time)
			c.Fee += price.Times(t.ImageBytes)
			c.Brings += t.ImageBytes
			if t.ImageBytes > most {
				c.From = t.Home
			}
		}
	}
	space := c.Brings + v.StateSpace(t)
	if at, bytes, ok := v.Checkpoint(t); ok && at != c.Room {
		leg := legOf(t, at, c.Room, true, true)
		time, price, ok := transferTime(v, leg, bytes)
		if !ok {
			c.Unreachable = true
			return
		}
		stage = max(stage, time)
		c.Fee += price.Times(bytes)
	}
	if space > 0 && !v.HasRoom(c.Room, space) {
		c.Unreachable = true
		return
	}
	back := unit.Seconds(0)
	if t.Output > 0 {
		leg := legOf(t, c.Room, t.ResultHome, false, true)
		time, price, ok := transferTime(v, leg, t.Output)
		if !ok {
			c.Unreachable = true
			return
		}
		back = time
		c.Fee += price.Times(t.Output)
	}
	lead, align, cost := d.preparations(v, t, c)
	stage = max(lead+stage, align)
	c.Queue = v.StartEstimate(d.Parts(c), t).Sub(v.Now())
	c.Compute = v.OnSlots(d.Parts(c), t)
	if d.buffer {
		q := d.terms.Buffer
		stretch := unit.Seconds(max(1, v.Stretch(OfTransfer, ForecastOf{From: c.From, To: c.Room}, q)))
		stage, back = stage*stretch, back*stretch
		c.Queue = lateQueue(c.Queue, max(1, v.Stretch(OfQueue, ForecastOf{Pool: c.Pool}, q)))
		c.Compute *= unit.Seconds(max(1, v.Stretch(OfCompute, ForecastOf{Class: t.Class}, q)))
	}
	if d.terms.Blind {
		stage, back, c.Fee = 0, 0, 0
	}
	c.Transfer, c.Lead, c.Align = stage+back, max(lead, align), cost
	held := c.Compute
	if d.terms.StageInside {
		held += stage
	}
	hourly := d.hourly(c)
	c.ComputeCost = in(hourly, held) + cost
	if p := v.StoragePrice(c.Room); p > 0 && c.Brings > 0 {
		c.Storage = p.For(c.Brings, c.Queue+c.Compute)
	}
	c.Time = in(value, c.Transfer+c.Queue+c.Compute)
	c.Extra = v.Interruption(d.Parts(c), t)
	c.Interruption = in(hourly+value, c.Extra)
	c.Total = c.Fee + c.ComputeCost + c.Storage + c.Time + c.Interruption
	c.Priced = true
	if math.IsNaN(float64(c.Total)) {
		panic("policy: a price that is no number")
	}
}
