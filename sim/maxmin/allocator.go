package maxmin

import (
	"fmt"
	"math"
	"slices"
)

// An Allocator keeps the fair rates of flows that come and go. After every
// change it solves only the flows that the change can affect.
//
// # How
//
// Each flow knows its bottleneck: a link, or its ceiling, which is the least of
// its cap and the capacities on its route. A change first touches the flow that
// came, and the flows whose bottleneck is on its route. These are filled
// progressively while all others keep their rates. Then the set widens by
//
//   - every flow on a link that has just become a bottleneck whose level is
//     above that of the link: it has to yield;
//   - every flow whose bottleneck is crossed by a flow whose rate changed.
//
// and is filled again, until nothing joins. Then every flow outside has a
// bottleneck that nothing touched, so the rates are fair, and fair rates are
// unique. Since the set only grows, this ends.
//
// A link that could carry all its flows at their ceilings cannot be a bottleneck
// and is passed over. This is decided by sums of whole numbers (potential).
//
// What a link has left is summed anew each time it is asked, never kept up to
// date, so rounding does not build up however long the Allocator lives. Levels
// are compared exactly. A link's level is never set below that of the link that
// filled up before it, as rounding might have it, so that a link's flows never
// are above its level; how far that goes is checked. So is, after every change,
// that each link that became a bottleneck is full and has no flow above its
// level; Check verifies the whole.
//
// It is not safe for concurrent use.
type Allocator struct {
	links  []link
	flows  []flow // by slot: flow id + 1; slot 0 is the one more of ShareOfOneMore
	hops   []hop  // stride for each slot
	stride int

	set     []touched // the flows that are being solved
	heap    []filling // the links that may constrain them
	full    []filling // the links that did
	frozen  int32     // flows of the set that have their rate
	epoch   uint64    // of the set: counts changes
	round   uint64    // of the heap: counts fillings
	changed []int32
}

// A flow is in use where weight > 0.
type flow struct {
	weight, rate float64
	ceiling      float64
	top          float64 // level at its ceiling
	mark         uint64  // epoch in which it joined the set
	bottleneck   int32   // link + 1; 0: its ceiling
	hops         int32
	open         bool // being filled: has no rate yet
	cap          float64
}

// A hop is a link of a flow's route and the flow's place among the link's.
type hop struct{ link, place int32 }

// A member is a flow on a link and the place of the link in the flow's route.
type member struct{ slot, hop int32 }

type link struct {
	// potential is the sum of what the flows could use at most, in parts of the
	// capacity, rounded up: at most whole means that the link cannot constrain.
	potential int64
	bound     int32  // flows whose bottleneck it is
	mark      uint64 // round in which it came into the heap
	seen      uint64 // epoch in which its bound flows joined
	members   []member
	capacity  float64
	scale     float64 // whole / capacity
	level     float64 // where bound > 0: of the flows it is the bottleneck of
}

// touched is a flow of the set, with what it had before.
type touched struct {
	slot       int32
	bottleneck int32
	rate       float64
}

// filling is a link that fills up at a level, as it was known when asof flows
// were frozen. Levels only rise as flows are frozen.
type filling struct {
	level float64
	least float64 // level at which the first flow is at its ceiling
	link  int32
	asof  int32
}

// whole is the number of parts that a capacity is counted in. Chosen: exact in
// float64, and 2⁴³ flows fit the sum.
const whole = 1 << 20

// tolerance is how far rounding may take a link's load beyond its capacity,
// relative to it. It decides nothing; what is beyond it is a fault of this
// package. Sums of 1000 rates are good to 1000·2⁻⁵³ = 10⁻¹³.
const tolerance = 1e-12

// New returns an Allocator without flows on links of these capacities.
func New(capacity []float64) *Allocator {
	a := &Allocator{links: make([]link, len(capacity)), flows: make([]flow, 1), stride: 8}
	a.hops = make([]hop, a.stride)
	for i, c := range capacity {
		a.links[i].setCapacity(c)
	}
	return a
}

// Rate returns the rate of a flow.
func (a *Allocator) Rate(id int32) float64 { return a.flows[id+1].rate }

// Changed returns the flows whose rate the last change changed. It is valid
// until the next change.
func (a *Allocator) Changed() []int32 { return a.changed }

// Capacity returns the capacity of a link.
func (a *Allocator) Capacity(link int32) float64 { return a.links[link].capacity }

// Full reports whether a link is the bottleneck of a flow: it carries all it can.
func (a *Allocator) Full(link int32) bool { return a.links[link].bound > 0 }

// AddLink brings a link in that no flow crosses yet, and returns its number: one
// more than the last.
func (a *Allocator) AddLink(capacity float64) int32 {
	a.links = append(a.links, link{})
	id := len(a.links) - 1
	a.links[id].setCapacity(capacity)
	return int32(id)
}

// Load returns the sum of the rates on a link.
func (a *Allocator) Load(link int32) float64 {
	sum := 0.0
	for _, m := range a.links[link].members {
		sum += a.flows[m.slot].rate
	}
	return sum
}

// AppendFlows appends the flows on a link, in no order that means something.
func (a *Allocator) AppendFlows(dst []int32, link int32) []int32 {
	for _, m := range a.links[link].members {
		dst = append(dst, m.slot-1)
	}
	return dst
}

// Add brings a flow in under an id that the caller chooses; small ones are best.
func (a *Allocator) Add(id int32, route []int32, weight, cap float64) {
	a.begin()
	a.attach(id+1, route, weight, cap)
	a.touchAdded(id + 1)
	a.solve()
	a.commit()
}

// Remove takes a flow out.
func (a *Allocator) Remove(id int32) {
	a.mustHave(id)
	a.begin()
	s := id + 1
	f := &a.flows[s]
	f.mark = a.epoch // so that it does not join
	a.touchRoute(s)
	if f.bottleneck > 0 {
		a.links[f.bottleneck-1].bound--
	}
	a.detach(s)
	a.solve()
	a.commit()
}

// SetCapacity changes the capacity of a link.
func (a *Allocator) SetCapacity(id int32, capacity float64) {
	l := &a.links[id]
	if capacity == l.capacity {
		a.changed = a.changed[:0]
		return
	}
	a.begin()
	over := a.Load(id) > capacity
	l.setCapacity(capacity)
	for _, m := range l.members {
		f := &a.flows[m.slot]
		atCeiling := f.bottleneck == 0
		moved := a.recap(m.slot, f.cap)
		if over || f.bottleneck == id+1 || atCeiling && moved {
			a.join(m.slot)
		}
	}
	l.potential = 0
	for _, m := range l.members {
		l.potential += l.units(a.flows[m.slot].ceiling)
	}
	a.solve()
	a.commit()
}

// SetCap changes the cap of a flow.
func (a *Allocator) SetCap(id int32, cap float64) {
	a.mustHave(id)
	mustBeCap(cap)
	a.begin()
	a.recap(id+1, cap)
	a.join(id + 1)
	a.solve()
	a.commit()
}

// ShareOfOneMore returns the rate that one more flow would get, all others
// yielding as they would. Nothing changes.
func (a *Allocator) ShareOfOneMore(route []int32, weight, cap float64) float64 {
	a.begin()
	a.attach(0, route, weight, cap)
	a.touchAdded(0)
	a.solve()
	share := a.flows[0].rate
	for _, t := range a.set {
		f := &a.flows[t.slot]
		f.rate, f.bottleneck = t.rate, t.bottleneck
	}
	a.detach(0)
	return share
}

// CopyFrom makes a an independent copy of o, in the storage that a has.
func (a *Allocator) CopyFrom(o *Allocator) {
	links := slices.Grow(a.links[:0], len(o.links))[:len(o.links)]
	for i := range o.links {
		members := links[i].members
		links[i] = o.links[i]
		links[i].members = append(members[:0], o.links[i].members...)
	}
	a.links = links
	a.flows = append(a.flows[:0], o.flows...)
	a.hops = append(a.hops[:0], o.hops...)
	a.stride = o.stride
	a.epoch, a.round = o.epoch, o.round
	a.changed = append(a.changed[:0], o.changed...)
	a.set, a.heap, a.full = a.set[:0], a.heap[:0], a.full[:0]
}

// begin starts a change with an empty set.
func (a *Allocator) begin() {
	a.epoch++
	a.set, a.full = a.set[:0], a.full[:0]
	a.changed = a.changed[:0]
}

// route returns the hops of a slot.
func (a *Allocator) route(s int32) []hop {
	i := int(s) * a.stride
	return a.hops[i : i+int(a.flows[s].hops)]
}

// attach puts a flow without a rate on the links of its route.
func (a *Allocator) attach(s int32, route []int32, weight, cap float64) {
	a.makeRoom(s, len(route))
	f := &a.flows[s]
	if f.weight > 0 {
		panic(fmt.Sprintf("maxmin: flow %d is added twice", s-1))
	}
	if !(weight > 0) || math.IsInf(weight, 1) {
		panic(fmt.Sprintf("maxmin: flow %d has weight %v", s-1, weight))
	}
	mustBeCap(cap)
	*f = flow{weight: weight, cap: cap, ceiling: cap, hops: int32(len(route))}
	a.round++
	for _, l := range route {
		if a.links[l].mark == a.round {
			panic(fmt.Sprintf("maxmin: flow %d crosses link %d twice", s-1, l))
		}
		a.links[l].mark = a.round
		f.ceiling = min(f.ceiling, a.links[l].capacity)
	}
	f.top = f.ceiling / weight
	hops := a.route(s)
	for i, id := range route {
		l := &a.links[id]
		hops[i] = hop{id, int32(len(l.members))}
		l.members = append(l.members, member{s, int32(i)})
		l.potential += l.units(f.ceiling)
	}
}

// detach takes a flow off its links.
func (a *Allocator) detach(s int32) {
	f := &a.flows[s]
	for _, h := range a.route(s) {
		l := &a.links[h.link]
		last := len(l.members) - 1
		m := l.members[last]
		l.members[h.place] = m
		a.hops[int(m.slot)*a.stride+int(m.hop)].place = h.place
		l.members = l.members[:last]
		l.potential -= l.units(f.ceiling)
	}
	*f = flow{}
}

// recap gives a flow a cap and finds its ceiling, as capacities are now. It
// reports whether the ceiling moved.
func (a *Allocator) recap(s int32, cap float64) bool {
	f := &a.flows[s]
	old := f.ceiling
	f.cap, f.ceiling = cap, cap
	hops := a.route(s)
	for _, h := range hops {
		f.ceiling = min(f.ceiling, a.links[h.link].capacity)
	}
	if f.ceiling == old {
		return false
	}
	f.top = f.ceiling / f.weight
	for _, h := range hops {
		l := &a.links[h.link]
		l.potential += l.units(f.ceiling) - l.units(old)
	}
	return true
}

// makeRoom makes slot s and routes of that many hops possible.
func (a *Allocator) makeRoom(s int32, hops int) {
	if hops > a.stride {
		wide := make([]hop, len(a.flows)*hops)
		for i := range a.flows {
			copy(wide[i*hops:], a.route(int32(i)))
		}
		a.hops, a.stride = wide, hops
	}
	for int(s) >= len(a.flows) {
		a.flows = append(a.flows, flow{})
	}
	if n := len(a.flows) * a.stride; n > len(a.hops) {
		a.hops = slices.Grow(a.hops, n-len(a.hops))[:n]
	}
}

func (a *Allocator) mustHave(id int32) {
	if id < 0 || int(id)+1 >= len(a.flows) || a.flows[id+1].weight == 0 {
		panic(fmt.Sprintf("maxmin: no flow %d", id))
	}
}

func mustBeCap(cap float64) {
	if !(cap >= 0) {
		panic(fmt.Sprintf("maxmin: a cap of %v", cap))
	}
}

func (l *link) setCapacity(c float64) {
	if !(c >= 0) {
		panic(fmt.Sprintf("maxmin: a capacity of %v", c))
	}
	l.capacity = c
	l.scale = 0 // unlimited, or closed: no flow uses a part of it
	if c > 0 && !math.IsInf(c, 1) {
		l.scale = whole / c
	}
}

// units returns the part of the capacity that a flow of that ceiling can use,
// rounded up.
func (l *link) units(ceiling float64) int64 {
	if l.scale == 0 {
		return 0
	}
	u := ceiling * l.scale
	if !(u < whole) {
		return whole
	}
	n := int64(u)
	if float64(n) < u {
		n++
	}
	return n
}
