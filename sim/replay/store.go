package replay

import (
	"fmt"
	"slices"

	"tiersim/sim/topo"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// A store knows which rooms hold which data sets and images, which copies are on
// their way, and how full each room's storage is. A copy that a task brought
// stays; the least recently used one that no task uses goes when space is
// needed. Homes of a data set never go.
type store struct {
	copies []copyState // [0] is never used
	free   []int32
	sets   []int32 // first copy of each data set, by task.DatasetID
	images []int32 // first copy of each image, by task.Symbol
	rooms  []shelf
}

// A copyState is one room's copy of a data set or image, there or on its way.
type copyState struct {
	room     topo.RoomID
	bytes    unit.Bytes
	complete bool
	home     bool
	set      bool    // of a data set, else of an image
	key      int32   // which
	next     int32   // next copy of the same
	move     int32   // that brings it, while not complete
	pins     int32   // tasks that use it or wait for it
	used     int64   // when it was last used, counted in uses
	waiters  []int32 // lives
}

// A shelf is the storage of one room.
type shelf struct {
	capacity unit.Bytes
	used     unit.Bytes
	copies   []int32 // that may be evicted
}

func newStore(t *topo.Topology, c *trace.Catalog) (store, error) {
	s := store{
		copies: make([]copyState, 1), sets: make([]int32, len(c.Datasets)),
		images: make([]int32, len(c.Symbols)), rooms: make([]shelf, len(t.Rooms)),
	}
	for i := range s.rooms {
		s.rooms[i].capacity = t.Rooms[i].Storage.Capacity
	}
	for id := 1; id < len(c.Datasets); id++ {
		for _, room := range c.Datasets[id].Homes {
			n := s.add(true, int32(id), room, c.Datasets[id].Bytes)
			s.copies[n].complete, s.copies[n].home = true, true
			s.rooms[room].used += c.Datasets[id].Bytes
		}
	}
	for i := range s.rooms {
		if s.rooms[i].used > s.rooms[i].capacity {
			return s, fmt.Errorf("room %s is the home of %v of data sets, its storage holds %v; raise its storage capacity",
				t.Rooms[i].Name, s.rooms[i].used, s.rooms[i].capacity)
		}
	}
	return s, nil
}

// heads returns where the copies of a kind begin.
func (s *store) heads(set bool) []int32 {
	if set {
		return s.sets
	}
	return s.images
}

// add makes a copy the last of its key's.
func (s *store) add(set bool, key int32, room topo.RoomID, bytes unit.Bytes) int32 {
	n := int32(len(s.copies))
	if k := len(s.free); k > 0 {
		n, s.free = s.free[k-1], s.free[:k-1]
		s.copies[n] = copyState{waiters: s.copies[n].waiters[:0]}
	} else {
		s.copies = append(s.copies, copyState{})
	}
	c := &s.copies[n]
	c.room, c.bytes, c.set, c.key = room, bytes, set, key
	at := &s.heads(set)[key]
	for *at != 0 {
		at = &s.copies[*at].next
	}
	*at = n
	return n
}

// find returns the room's copy of a key, there or on its way; key 0 has none.
func (s *store) find(set bool, key int32, room topo.RoomID) (int32, bool) {
	for n := s.heads(set)[key]; n != 0; n = s.copies[n].next {
		if s.copies[n].room == room {
			return n, key != 0
		}
	}
	return 0, false
}

// hasRoom reports whether bytes fit, with what may be evicted gone.
func (s *store) hasRoom(room topo.RoomID, bytes unit.Bytes) bool {
	sh := &s.rooms[room]
	space := sh.capacity - sh.used
	for _, n := range sh.copies {
		if space >= bytes {
			break
		}
		if s.copies[n].pins == 0 && s.copies[n].complete {
			space += s.copies[n].bytes
		}
	}
	return space >= bytes
}

// reserve takes space, evicting the least recently used copies.
func (s *store) reserve(room topo.RoomID, bytes unit.Bytes) error {
	sh := &s.rooms[room]
	for sh.used+bytes > sh.capacity {
		victim := -1
		for i, n := range sh.copies {
			if c := &s.copies[n]; c.pins == 0 && c.complete && (victim < 0 || c.used < s.copies[sh.copies[victim]].used) {
				victim = i
			}
		}
		if victim < 0 {
			return fmt.Errorf("room %d has no space for %v", room, bytes)
		}
		s.evict(sh, victim)
	}
	sh.used += bytes
	return nil
}

func (s *store) evict(sh *shelf, victim int) {
	n := sh.copies[victim]
	c := &s.copies[n]
	sh.used -= c.bytes
	sh.copies = slices.Delete(sh.copies, victim, victim+1)
	at := &s.heads(c.set)[c.key]
	for *at != n {
		at = &s.copies[*at].next
	}
	*at = c.next
	s.free = append(s.free, n)
}

// expect registers a copy that is on its way to a room.
func (s *store) expect(set bool, key int32, room topo.RoomID, bytes unit.Bytes) (int32, error) {
	if err := s.reserve(room, bytes); err != nil {
		return 0, err
	}
	n := s.add(set, key, room, bytes)
	s.rooms[room].copies = append(s.rooms[room].copies, n)
	return n, nil
}

// take reserves space for what only this task uses; leave gives it back.
func (s *store) take(l *life, room topo.RoomID, bytes unit.Bytes) error {
	l.taken += bytes
	return s.reserve(room, bytes)
}

// giveBack frees the space that a task took for itself.
func (s *store) giveBack(l *life) {
	s.rooms[l.plan.Room].used -= l.taken
	l.taken = 0
}

// pin keeps a copy from being evicted while the task uses it.
func (s *store) pin(l *life, n int32, uses int64) {
	s.copies[n].pins++
	s.copies[n].used = uses
	l.pins = append(l.pins, n)
}

// leave ends a task's use of its room's storage and charges what it brought
// there, from when it had landed until now.
func (s *store) leave(r *run, l *life) {
	for _, n := range l.pins {
		s.copies[n].pins--
	}
	l.pins = l.pins[:0]
	s.giveBack(l)
	if l.brought > 0 {
		l.keep += r.topo.Rooms[l.plan.Room].Storage.Price.For(l.brought, r.now().Sub(l.since))
	}
}

// keepOutput adds the data set that a task's output becomes at its result home.
func (s *store) keepOutput(l *life) error {
	set := int32(l.task.OutputDataset)
	if set == 0 {
		return nil
	}
	if _, at := s.find(true, set, l.task.ResultHome); at {
		return nil
	}
	n, err := s.expect(true, set, l.task.ResultHome, l.task.Output)
	if err == nil {
		s.copies[n].complete = true
	}
	return err
}

// copyReady makes a copy complete and lets those go on that wait for it.
func (r *run) copyReady(n int32) {
	c := &r.store.copies[n]
	c.complete, c.move = true, 0
	for _, i := range c.waiters {
		l := &r.lives[i]
		l.input = max(l.input, r.now().Sub(l.mark))
		r.arrived(i)
	}
	c = &r.store.copies[n]
	c.waiters = c.waiters[:0]
}
