package trace

import (
	"fmt"
	"slices"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/task"
	"tiersim/sim/topo"
)

// places finds what rows name in a topology. Without one, every name passes and
// gets a number of its own.
type places struct {
	t       *topo.Topology
	rooms   map[string]topo.RoomID // without a topology
	kinds   map[string]topo.KindID // without a topology
	largest []offer                // by kind; AnyKind: of all
	spread  [task.SpanHub + 1][]int32
}

// An offer is the largest gang that a pool can ever start.
type offer struct {
	slots int32
	pool  topo.PoolID
}

func newPlaces(t *topo.Topology) *places {
	p := &places{t: t}
	if t == nil {
		p.rooms, p.kinds = map[string]topo.RoomID{}, map[string]topo.KindID{}
		return p
	}
	p.largest = make([]offer, len(t.Kinds))
	for i := range t.Pools {
		pool := &t.Pools[i]
		for _, k := range []topo.KindID{topo.AnyKind, pool.Kind} {
			if free := pool.Slots - pool.Never; free > p.largest[k].slots {
				p.largest[k] = offer{free, topo.PoolID(i)}
			}
		}
	}
	p.spreadOut()
	return p
}

// spreadOut finds the largest gang that the pools of one room, city or hub can
// start together, by whole nodes.
func (p *places) spreadOut() {
	for span := task.SpanRoom; span <= task.SpanHub; span++ {
		p.spread[span] = make([]int32, len(p.t.Kinds))
		sums := map[int]int32{} // by place and kind
		for i := range p.t.Pools {
			pool := &p.t.Pools[i]
			if pool.Queue == topo.Conservative {
				continue
			}
			room := &p.t.Rooms[pool.Room]
			place := [...]int{task.SpanRoom: int(pool.Room), task.SpanCity: int(room.City), task.SpanHub: int(room.Hub)}[span]
			for _, k := range []topo.KindID{topo.AnyKind, pool.Kind} {
				key := place*len(p.t.Kinds) + int(k)
				sums[key] += (pool.Slots - pool.Never) / pool.PerNode * pool.PerNode
				p.spread[span][k] = max(p.spread[span][k], sums[key])
			}
		}
	}
}

func (p *places) room(name string) (topo.RoomID, bool) {
	if p.t != nil {
		return p.t.Room(name)
	}
	id, ok := p.rooms[name]
	if !ok {
		id = topo.RoomID(len(p.rooms))
		p.rooms[strings.Clone(name)] = id
	}
	return id, true
}

// only returns the one room there is.
func (p *places) only() (topo.RoomID, bool) { return 0, p.t == nil || len(p.t.Rooms) == 1 }

func (p *places) kind(name string) (topo.KindID, bool) {
	if p.t != nil {
		return p.t.Kind(name)
	}
	id, ok := p.kinds[name]
	if !ok {
		id = topo.KindID(len(p.kinds) + 1)
		p.kinds[strings.Clone(name)] = id
	}
	return id, true
}

// jurisdictions returns the set of a ";" list; bad is the first that no room
// belongs to, "" if there is none.
func (p *places) jurisdictions(list string) (set task.Set, bad string) {
	if p.t == nil {
		return task.Anywhere, ""
	}
	for name := range strings.SplitSeq(list, ";") {
		name = trim(name)
		j, ok := p.t.Jurisdiction(name)
		if !ok || name == "" {
			return set, name
		}
		set |= 1 << j
	}
	return set, ""
}

// allows reports whether a set of jurisdictions holds a room.
func (p *places) allows(s task.Set, room topo.RoomID) bool {
	return p.t == nil || s.Allows(p.t.Rooms[room].Jurisdiction)
}

// misfit says why no pool can ever start a gang, "" where one can, or several can
// that it may be spread over.
func (p *places) misfit(t *task.Task) string {
	kind, slots := t.Kind, t.Slots
	if p.t == nil || t.Spreads() && slots <= p.spread[t.Span][kind] {
		return ""
	}
	best := p.largest[kind]
	of := "any kind"
	if kind != topo.AnyKind {
		of = "kind " + p.t.Kinds[kind]
	}
	switch {
	case best.slots == 0:
		return fmt.Sprintf("no pool of %s offers a slot; add a pool to topology %s", of, p.t.Name)
	case slots > best.slots:
		return fmt.Sprintf("got %d, the largest pool of %s offers %d (%s); write at most %d, or give a pool more slots",
			slots, of, best.slots, p.t.PoolName(best.pool), best.slots)
	}
	return ""
}

// unknown says that a name is none of those known, and which may have been meant.
func unknown(what, got string, known []string) string {
	if fix, ok := fault.Suggest(got, known); ok {
		return fmt.Sprintf("no %s %q; write %s", what, got, fix)
	}
	const most = 12
	if len(known) > most {
		return fmt.Sprintf("no %s %q; there are %s and %d more", what, got, strings.Join(known[:most], ", "), len(known)-most)
	}
	if len(known) == 0 {
		return fmt.Sprintf("no %s %q, there is none", what, got)
	}
	return fmt.Sprintf("no %s %q; write one of %s", what, got, strings.Join(known, ", "))
}

func (p *places) roomNames() []string {
	names := make([]string, len(p.t.Rooms))
	for i := range names {
		names[i] = p.t.Rooms[i].Name
	}
	return names
}

// named leaves out the "" that stands for none.
func named(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
}
