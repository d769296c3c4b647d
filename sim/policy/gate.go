package policy

import (
	"strings"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Gates are the supports that a plan which crosses its domain's border must have:
// a bit for each that it lacks.
type Gates uint8

// The gates, in the order in which they are told.
const (
	// Channel: capacity is reserved on its way.
	Channel Gates = 1 << iota
	// Resume: somebody has verified that the task resumes from its checkpoints.
	Resume
	// Environment: what the task needs exists where it would run.
	Environment
)

var gateNames = [...]string{"channel", "resume", "environment"}

// Open reports whether the plan lacks nothing.
func (g Gates) Open() bool { return g == 0 }

// String names the gates that are closed; "" where all are open.
func (g Gates) String() string {
	var closed []string
	for i, name := range gateNames {
		if g>>i&1 == 1 {
			closed = append(closed, name)
		}
	}
	return strings.Join(closed, "+")
}

// GateNames returns the names of all combinations of closed gates, by their value.
func GateNames() []string {
	names := make([]string, 1<<len(gateNames))
	for g := range names {
		names[g] = Gates(g).String()
	}
	return names
}

// reason is the first of the closed gates.
func (g Gates) reason() Reason {
	for i := range gateNames {
		if g>>i&1 == 1 {
			return GateChannel + Reason(i)
		}
	}
	return NoReason
}

// gate returns which gates of a candidate are closed. A plan that crosses nothing
// needs none, and what the scenario leaves out is not asked for (DESIGN 4).
func (d *Desk) gate(v View, t *task.Task, c *Candidate) Gates {
	if !d.crosses(c) {
		return 0
	}
	var closed Gates
	if t.Checkpointing != task.NoCheckpoint && !t.Resumable {
		closed |= Resume
	}
	if !d.terms.Alignment.Offered && !d.aligned(v, t, c.Room) {
		closed |= Environment
	}
	if !d.terms.Lead.Offered && !d.Channelled(v, t, c.Room) {
		closed |= Channel
	}
	return closed &^ d.terms.Without
}

// crosses reports whether something passes the border of the task's domain.
func (d *Desk) crosses(c *Candidate) bool {
	return c.Option != Wait
}

// aligned reports whether what the task needs exists in a room. Its home has it.
func (d *Desk) aligned(v View, t *task.Task, room topo.RoomID) bool {
	return t.Environment == 0 || room == t.Home || v.Aligned(t, room)
}

// preparations returns what a plan that crosses the border has to wait for, beside
// what it brings: people who arrange its channel before the first byte, and the
// making of its environment, while data comes in; and what that costs.
func (d *Desk) preparations(v View, t *task.Task, c *Candidate) (lead, align unit.Seconds, cost unit.Money) {
	if !d.crosses(c) {
		return 0, 0, 0
	}
	if d.terms.Lead.Offered && d.terms.Without&Channel == 0 && !d.Channelled(v, t, c.Room) {
		lead = d.terms.Lead.Mean
	}
	if d.terms.Alignment.Offered && d.terms.Without&Environment == 0 && !d.aligned(v, t, c.Room) {
		align, cost = d.terms.Alignment.Time, d.terms.Alignment.Cost
	}
	return lead, align, cost
}

// Channelled reports whether every movement that would bring the task to a room
// has the channel that its links want.
func (d *Desk) Channelled(v View, t *task.Task, room topo.RoomID) bool {
	if !d.terms.Reservable {
		return true
	}
	for i := range t.Inputs {
		if t.Inputs[i].Bytes == 0 {
			continue
		}
		if s, ok := FindSource(v, t, i, room, 0); ok && !s.Local && !s.Joins && !v.HasChannel(t, legOf(t, s.From, room, true, true), t.Inputs[i].Bytes) {
			return false
		}
	}
	if !t.Present(task.HasImage) || room == t.Home {
		return true
	}
	if _, there := v.HasImage(t, room); !there {
		return v.HasChannel(t, legOf(t, t.Home, room, true, true), t.ImageBytes)
	}
	return true
}

// An Alignment is what it takes to make an environment where it is not: once for
// each environment and room.
type Alignment struct {
	Offered bool // else a plan that needs it is not dispatched
	Time    unit.Seconds
	Cost    unit.Money
}

// legOf returns a leg with the task's weight and cap.
func legOf(t *task.Task, from, to topo.RoomID, reads, writes bool) Leg {
	return Leg{From: from, To: to, Reads: reads, Writes: writes, Weight: t.Weight, MaxRate: t.RateLimit()}
}
