package policy

import (
	"fmt"
	"math"
	"slices"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Policy picks one of a task's candidates. Choose must depend on its arguments
// alone: it has no clock, no random stream and no memory of earlier calls.
type Policy interface {
	// Choose returns the candidate's index. ok is false where the policy offers
	// the task no place: it is refused.
	Choose(d *Desk, v View, t *task.Task, c []Candidate) (i int, ok bool)
	// Prices says which prices Choose reads; where it reads none and nobody records
	// them, they are not made.
	Prices() Pricing
}

// A Pricing says which prices a policy reads.
type Pricing uint8

const (
	Unpriced Pricing = iota
	// BestPriced are the best of each option, and the two best of all.
	BestPriced
	// BestBuffered are the same, with quantiles of past forecast errors.
	BestBuffered
	// AllPriced are all.
	AllPriced
)

// Clairvoyant is the policy whose view knows run times and capacities as they will
// be: no policy for use, but a bound in practice on what one may gain. It prices
// each task once, as it comes, so that it is not a bound in theory.
const Clairvoyant = "clairvoyant"

// Names returns the policies, in the order in which they are described.
func Names() []string {
	return []string{
		"first-free", "stay", "at-data", "move-task", "move-data", "cheapest",
		"three-way", "three-way-buffered", "thresholds", "recorded", "manual", "clairvoyant",
	}
}

// New returns the policy of that name.
func New(name string) (Policy, error) {
	switch name {
	case "first-free":
		return firstFree{}, nil
	case "stay":
		return stay{}, nil
	case "at-data":
		return atData{}, nil
	case "move-task":
		return bestOf{MoveTask}, nil
	case "move-data":
		return bestOf{MoveData}, nil
	case "cheapest":
		return cheapest{}, nil
	case "three-way":
		return threeWay{}, nil
	case "three-way-buffered":
		return threeWay{buffered: true}, nil
	case Clairvoyant:
		return threeWay{}, nil // its view is another
	case "thresholds":
		return thresholds{}, nil
	case "recorded":
		return fixed{func(_ *Desk, t *task.Task) (topo.RoomID, bool) { return t.RecordedRoom, t.Present(task.RecordedRoom) }}, nil
	case "manual":
		return fixed{func(d *Desk, t *task.Task) (topo.RoomID, bool) {
			r := d.terms.Manual[t.Class]
			return r, r >= 0
		}}, nil
	}
	return nil, fmt.Errorf("no policy %q; there are %v", name, Names())
}

// firstFree asks the traditional question: a pool that fits now, home first,
// then in topology order; where none does, the shortest wait.
type firstFree struct{}

func (firstFree) Prices() Pricing { return Unpriced }

func (firstFree) Choose(d *Desk, v View, t *task.Task, c []Candidate) (int, bool) {
	order := d.homeFirst(t, c)
	for _, i := range order {
		if v.StartsNow(d.Parts(&c[i]), t) {
			return i, true
		}
	}
	best, least := 0, unit.Forever()
	for n, i := range order {
		if at := v.StartEstimate(d.Parts(&c[i]), t); n == 0 || at < least {
			best, least = i, at
		}
	}
	return best, len(order) > 0
}

// stay runs a task at home: in the cheapest fitting pool of its home room, else
// of its domain. Data that is missing there is brought.
type stay struct{}

func (stay) Prices() Pricing { return Unpriced }

func (stay) Choose(d *Desk, _ View, t *task.Task, c []Candidate) (int, bool) {
	if i, ok := d.cheapest(t, c, func(r topo.RoomID) bool { return r == t.Home }); ok {
		return i, true
	}
	return d.cheapest(t, c, func(r topo.RoomID) bool { return d.terms.Domain.Same(d.terms.Topology, r, d.own) })
}

// atData runs a task in the nearest room that holds a copy of its data (of the
// most bytes, where it reads several sets), else as stay does.
type atData struct{}

func (atData) Prices() Pricing { return Unpriced }

func (atData) Choose(d *Desk, v View, t *task.Task, c []Candidate) (int, bool) {
	if t.InputBytes() == 0 {
		return stay{}.Choose(d, v, t, c)
	}
	best, found := 0, false
	var most unit.Bytes
	for i := range c {
		held := d.holds(v, t, c[i].Room)
		if held == 0 {
			continue
		}
		if !found || held > most || held == most && d.nearer(t, &c[i], &c[best]) {
			best, most, found = i, held, true
		}
	}
	if found {
		return best, true
	}
	return stay{}.Choose(d, v, t, c)
}

// bestOf takes the best of one option where the task has it, else as atData.
type bestOf struct{ option Option }

func (bestOf) Prices() Pricing { return BestPriced }

func (b bestOf) Choose(d *Desk, v View, t *task.Task, c []Candidate) (int, bool) {
	best, found := 0, false
	for i := range c {
		if c[i].Option == b.option && c[i].Priced && (!found || c[i].Total < c[best].Total) {
			best, found = i, true
		}
	}
	if found {
		return best, true
	}
	return atData{}.Choose(d, v, t, c)
}

// threeWay takes the least total; ties go to wait, then move-task, then
// move-data, then the topology's order.
type threeWay struct{ buffered bool }

func (p threeWay) Prices() Pricing {
	if p.buffered {
		return BestBuffered
	}
	return BestPriced
}

func (threeWay) Choose(_ *Desk, _ View, _ *task.Task, c []Candidate) (int, bool) {
	return least(c, func(a *Candidate) float64 { return float64(a.Total) })
}

// cheapest looks at what providers charge, and not at time: the fees of moving and
// the price of the work.
type cheapest struct{}

func (cheapest) Prices() Pricing { return AllPriced }

func (cheapest) Choose(_ *Desk, _ View, _ *task.Task, c []Candidate) (int, bool) {
	return least(c, func(a *Candidate) float64 { return float64(a.Fee + a.ComputeCost) })
}

// least returns the priced candidate of the least score; ties go to wait, then
// move-task, then move-data, then the topology's order.
func least(c []Candidate, score func(*Candidate) float64) (best int, found bool) {
	lowest := 0.0
	for i := range c {
		if !c[i].Priced {
			continue
		}
		s := score(&c[i])
		if !found || s < lowest || s == lowest && c[i].Option < c[best].Option {
			best, found, lowest = i, true, s
		}
	}
	return best, found
}

// fixed runs a task in the room that is said for it, else as stay.
type fixed struct {
	room func(*Desk, *task.Task) (topo.RoomID, bool)
}

func (fixed) Prices() Pricing { return Unpriced }

func (f fixed) Choose(d *Desk, v View, t *task.Task, c []Candidate) (int, bool) {
	if room, ok := f.room(d, t); ok {
		if i, ok := d.cheapest(t, c, func(r topo.RoomID) bool { return r == room }); ok {
			return i, true
		}
	}
	return stay{}.Choose(d, v, t, c)
}

// thresholds leaves the domain where all four indicators of the best way out hold,
// as a scheduler does that has lines and no prices; else it takes the best way to
// stay, or runs as atData does.
type thresholds struct{}

func (thresholds) Prices() Pricing { return BestPriced }

func (thresholds) Choose(d *Desk, v View, t *task.Task, c []Candidate) (int, bool) {
	out, leaves := least(c, func(a *Candidate) float64 {
		if a.Option == Wait {
			return math.Inf(1)
		}
		return float64(a.Total)
	})
	leaves = leaves && c[out].Option != Wait
	home, stays := least(c, func(a *Candidate) float64 {
		if a.Option != Wait {
			return math.Inf(1)
		}
		return float64(a.Total)
	})
	stays = stays && c[home].Option == Wait
	switch {
	case !leaves && !stays:
		return atData{}.Choose(d, v, t, c)
	case !leaves:
		return home, true
	case !stays:
		return out, true // its data is elsewhere: something has to move
	}
	if x := d.Indicators(v, t, &c[out], &c[home]); x.Hold() {
		return out, true
	}
	return home, true
}

// homeFirst returns the candidates' indices, those of the home room first, else
// in topology order.
func (d *Desk) homeFirst(t *task.Task, c []Candidate) []int {
	d.order = d.order[:0]
	for i := range c {
		if c[i].Room == t.Home {
			d.order = append(d.order, i)
		}
	}
	for i := range c {
		if c[i].Room != t.Home {
			d.order = append(d.order, i)
		}
	}
	return d.order
}

// cheapest returns the candidate of the least compute price for the work, among
// the rooms that may be used; ties go to the topology's order.
func (d *Desk) cheapest(t *task.Task, c []Candidate, may func(topo.RoomID) bool) (best int, found bool) {
	for i := range c {
		if may(c[i].Room) && (!found || d.workPrice(&c[i]) < d.workPrice(&c[best])) {
			best, found = i, true
		}
	}
	return best, found
}

// workPrice is what an hour of work at speed 1 costs on the candidate's slots.
func (d *Desk) workPrice(c *Candidate) float64 {
	p := &d.terms.Topology.Pools[c.Pool]
	if c.n == 1 {
		return float64(p.Price) / p.Speed
	}
	slots, speed := int32(0), math.Inf(1)
	for _, part := range d.Parts(c) {
		slots += part.Slots
		speed = min(speed, d.terms.Topology.Pools[part.Pool].Speed)
	}
	return float64(d.hourly(c)) / float64(slots) / speed
}

// holds returns how many bytes of the task's input are complete in the room.
func (d *Desk) holds(v View, t *task.Task, room topo.RoomID) unit.Bytes {
	var sum unit.Bytes
	for i := range t.Inputs {
		if slices.ContainsFunc(v.Holders(t, i), func(h Holder) bool { return h.Complete && h.Room == room }) {
			sum += t.Inputs[i].Bytes
		}
	}
	return sum
}

// nearer reports whether a's room is nearer to the task's home than b's: by
// tier, then latency, then compute price, then topology order (a comes later).
func (d *Desk) nearer(t *task.Task, a, b *Candidate) bool {
	topology := d.terms.Topology
	if x, y := topology.Distance(t.Home, a.Room), topology.Distance(t.Home, b.Room); x != y {
		return x < y
	}
	x, _, okX := topology.Between(t.Home, a.Room)
	y, _, okY := topology.Between(t.Home, b.Room)
	switch {
	case okX != okY:
		return okX
	case x != y:
		return x < y
	}
	return d.workPrice(a) < d.workPrice(b)
}
