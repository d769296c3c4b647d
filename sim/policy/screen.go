package policy

import (
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Reason says why a task stayed in its domain, or was refused.
type Reason uint8

// Reasons: those of the screen, in its order; those of the gates, in theirs; then
// those of a refusal.
const (
	NoReason        Reason = iota
	Compliance             // its data may be nowhere outside the domain that holds it, or not at its home
	Excluded               // a rule excludes it
	Portable               // it cannot run elsewhere
	Latency                // it tolerates less delay than the shortest way out of its domain takes
	Interruption           // interruptions elsewhere would cost more than it could gain there
	GateChannel            // no channel is reserved, and links on its way want one
	GateResume             // it keeps checkpoints from which nobody has verified that it resumes
	GateEnvironment        // its environment is not there
	NoPool                 // no pool that it may use fits it
	NoRoute                // pools fit, but no route or no space for its data leads there
	NoPlace                // the policy offers it no place
	AfterRefused           // a task that it comes after was refused
	GivenUp                // it was interrupted more often than the scenario allows
	NumReasons
)

var reasonNames = [NumReasons]string{
	"", "compliance", "excluded", "portable", "latency", "interruption", "gate-channel", "gate-resume", "gate-environment",
	"no-pool", "no-route", "no-place", "after-refused", "given-up",
}

func (r Reason) String() string { return reasonNames[r] }

// ReasonNames returns the names of the reasons.
func ReasonNames() []string { return reasonNames[:] }

// screen returns why the task may not leave its domain, and sets which domain
// that is: its home's, or its data's where compliance holds it. A screen is not
// looked at where an earlier one holds the task, and none looks at a price
// outside the domain.
func (d *Desk) screen(v View, t *task.Task, dec *Decision) {
	d.own = t.Home
	if held, at := d.heldByCompliance(v, t); held {
		d.own = at
		dec.Reason = Compliance
		return
	}
	rule, err := d.excluded(v, t)
	switch {
	case err != nil:
		dec.Err = err
	case rule > 0:
		dec.Reason, dec.Rule = Excluded, rule
	case !t.Portable:
		dec.Reason = Portable
	case !d.toleratesLeaving(v, t):
		dec.Reason = Latency
	case d.interruptionsOutweigh(v, t, dec.Value):
		dec.Reason = Interruption
	}
}

// heldByCompliance reports whether the jurisdictions leave the task nowhere to
// go: its data may not come to its home, or may be in no room outside the
// domain of its data. at is the room of its data.
func (d *Desk) heldByCompliance(v View, t *task.Task) (held bool, at topo.RoomID) {
	if allowed(t) == task.Anywhere {
		return false, t.Home
	}
	at = t.Home
	if len(t.Inputs) > 0 {
		for _, h := range v.Holders(t, 0) {
			if d.allows(t, h.Room) && h.Complete {
				at = h.Room
				break
			}
		}
	}
	if !d.allows(t, t.Home) {
		return true, at
	}
	topology := d.terms.Topology
	for r := range topology.Rooms {
		if room := topo.RoomID(r); d.allows(t, room) && !d.terms.Domain.Same(topology, room, at) {
			return false, at
		}
	}
	return true, at
}

// allowed is where a task may run: its data comes there, and its results are made
// there.
func allowed(t *task.Task) task.Set {
	if t.Output > 0 {
		return t.Allowed & t.ResultAllowed
	}
	return t.Allowed
}

func (d *Desk) allows(t *task.Task, r topo.RoomID) bool {
	return allowed(t).Allows(d.terms.Topology.Rooms[r].Jurisdiction)
}

// toleratesLeaving reports whether the task has time for the shortest way out of
// its domain: its data and image alone on the links, as late as one transfer in
// twenty is. Work that is awaited while it runs has none; what states no limit
// has enough.
func (d *Desk) toleratesLeaving(v View, t *task.Task) bool {
	spare := d.tolerance(v, t)
	if spare == unit.Seconds(unit.Forever()) {
		return true
	}
	if spare <= 0 {
		return false
	}
	for _, p := range d.fitting(t) {
		room := d.terms.Topology.Pools[p].Room
		if !d.allows(t, room) || d.terms.Domain.Same(d.terms.Topology, room, d.own) {
			continue
		}
		if time, ok := d.quickest(v, t, room); ok && time <= spare {
			return true
		}
	}
	return false
}

// tolerance is how much later a task may be done than if it began at once, at
// home, on its data. The classes that are awaited while they run have none.
func (d *Desk) tolerance(v View, t *task.Task) unit.Seconds {
	switch t.Class {
	case task.Online, task.Consistent:
		return 0
	}
	spare := unit.Seconds(unit.Forever())
	if t.Present(task.TransferBudget) {
		spare = t.TransferBudget
	}
	if t.Present(task.Deadline) {
		spare = min(spare, t.Deadline-v.Believed(t))
	}
	return spare
}

// tail is the quantile at which delays are held against what is tolerated: one
// transfer in twenty may be later ; costs go by means.
const tail = 0.95

// quickest returns how long the task's image and data take to a room, alone on
// their ways, with the buffer that past transfers call for.
func (d *Desk) quickest(v View, t *task.Task, room topo.RoomID) (unit.Seconds, bool) {
	most := unit.Seconds(0)
	for i := range t.Inputs {
		if t.Inputs[i].Bytes == 0 {
			continue
		}
		least, found := unit.Seconds(0), false
		for _, h := range v.Holders(t, i) {
			if h.Room == room {
				least, found = 0, true
				break
			}
			time, _, ok := alone(v, legOf(t, h.Room, room, true, true), t.Inputs[i].Bytes)
			if time *= unit.Seconds(v.Stretch(OfTransfer, ForecastOf{From: h.Room, To: room}, tail)); ok && h.Complete && (!found || time < least) {
				least, found = time, true
			}
		}
		if !found {
			return 0, false
		}
		most = max(most, least)
	}
	if t.Present(task.HasImage) && room != t.Home {
		if _, there := v.HasImage(t, room); !there {
			time, _, ok := alone(v, legOf(t, t.Home, room, true, true), t.ImageBytes)
			if !ok {
				return 0, false
			}
			most = max(most, time)
		}
	}
	return most, true
}

// interruptionsOutweigh reports whether wherever the task could go, interruptions
// are expected to cost more than it could gain there if all transfers were free
// and no queue stood: by the prices of its own domain, and of slots.
func (d *Desk) interruptionsOutweigh(v View, t *task.Task, value unit.PerHour) bool {
	topology := d.terms.Topology
	d.outside = d.outside[:0]
	for _, p := range d.fitting(t) {
		room := topology.Pools[p].Room
		if v.Slots(p) < t.Slots || !d.allows(t, room) || d.terms.Domain.Same(topology, room, d.own) {
			continue
		}
		d.part[0] = Part{p, t.Slots}
		if v.Interruption(d.part[:], t) == 0 {
			return false
		}
		d.outside = append(d.outside, p)
	}
	if len(d.outside) == 0 {
		return false
	}
	home, ok := d.bestAtHome(v, t, value)
	if !ok {
		return false
	}
	for _, p := range d.outside {
		d.part[0] = Part{p, t.Slots}
		hourly := topology.Pools[p].Price.Slots(t.Slots) + value
		gain := home - in(hourly, v.OnSlots(d.part[:], t))
		if in(hourly, v.Interruption(d.part[:], t)) <= unit.Money(d.terms.Thresholds.Interruption)*gain {
			return false
		}
	}
	return true
}

// bestAtHome returns the least total within the task's own domain.
func (d *Desk) bestAtHome(v View, t *task.Task, value unit.PerHour) (least unit.Money, found bool) {
	d.enumerate(v, t, true)
	for i := range d.candidates {
		c := &d.candidates[i]
		if !d.reachable(v, t, c.Room) {
			continue
		}
		d.price(v, t, value, c)
		if c.Priced && (!found || c.Total < least) {
			least, found = c.Total, true
		}
	}
	return least, found
}
