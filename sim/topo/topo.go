// Package topo holds the places of a scenario and the links between them.
//
// # Model
//
// A hub holds cities, a city rooms, a room pools of slots and one storage. Every
// room has an uplink to its city and every city one to its hub, each a pair of
// directed links; hubs are joined by directed hub links, any graph. A route is
// room up, city up, hub links, city down, room down, without the parts that its
// two ends share. Among hubs it is the shortest by latency, then price, then
// number of links, then the names of the hubs in order.
//
// The read and the write side of a storage are links too: data that is read from
// or lands in a storage shares its rates by the same rule as it shares lines.
//
// A Topology is immutable once built and safe for concurrent use.
//
// # Units
//
// Capacities are usable bytes per second in one direction. An unlimited capacity
// is unit.Unlimited. Prices are on the bytes that enter a link.
package topo

import (
	"fmt"
	"math"

	"tiersim/sim/unit"
)

// Indices of places, links and names in a Topology's slices.
type (
	HubID          int32
	CityID         int32
	RoomID         int32
	PoolID         int32
	LinkID         int32
	KindID         int32 // kind of slot; AnyKind fits every pool
	JurisdictionID int32
)

// AnyKind is the kind of a task that runs on every pool.
const AnyKind KindID = 0

// A Topology is all places and links of a scenario.
type Topology struct {
	Name     string
	Currency string
	Hubs     []Hub
	Cities   []City
	Rooms    []Room
	Pools    []Pool
	Links    []Link
	// Kinds names the kinds of slots; Kinds[AnyKind] is "".
	Kinds []string
	// Jurisdictions names those that rooms belong to; index 0 is "", a room
	// that states none. There are at most 64.
	Jurisdictions []string

	hubRoutes []hubRoute // from·len(Hubs)+to
	rooms     map[string]RoomID
	pools     map[string]PoolID
}

// A Hub holds cities.
type Hub struct {
	Name   string
	Cities []CityID
}

// A City holds rooms.
type City struct {
	Name     string
	Hub      HubID
	Rooms    []RoomID
	Up, Down LinkID
}

// A Room holds pools and one storage.
type Room struct {
	Name         string
	City         CityID
	Hub          HubID
	Pools        []PoolID
	Jurisdiction JurisdictionID
	Environments []string
	Up, Down     LinkID
	Storage      Storage
}

// Storage is where a room keeps data. Without a storage in the input, Limited is
// false, rates are unlimited and data inside the room moves in no time.
type Storage struct {
	Limited     bool // Read and Write name links
	Read, Write LinkID
	Capacity    unit.Bytes // +Inf where unlimited
	Price       unit.PerGBMonth
}

// Queue kinds of a pool.
type QueueKind uint8

const (
	FCFS QueueKind = iota
	EASY
	Conservative
	Priority
)

// Estimates say which run time a pool's queue believes.
type Estimates uint8

const (
	UserEstimates Estimates = iota
	ExactEstimates
)

// A Pool is like slots behind one queue.
type Pool struct {
	Name      string
	Room      RoomID
	Kind      KindID
	Slots     int32
	PerNode   int32 // slots a node; 1 where not given
	Speed     float64
	Price     unit.PerHour // a slot's
	Cost      unit.PerHour // what an owned slot costs, idle or not
	HasCost   bool
	Queue     QueueKind
	Estimates Estimates
	Held      int32 // slots kept for services outside the trace
	Never     int32 // slots that no task can ever have: those that are always held, or never there
}

// Tier is what a link belongs to.
type Tier uint8

const (
	RoomTier Tier = iota
	CityTier
	HubTier
	StorageTier
)

func (t Tier) String() string { return [...]string{"room", "city", "hub", "storage"}[t] }

// A Link is one direction between two places.
type Link struct {
	Name     string // "east>west", "wuhu-1>wuhu", "wuhu-1:read"
	Tier     Tier
	From, To string
	Capacity unit.Rate
	Latency  unit.Seconds
	Price    unit.PerGB
}

// Room finds a room by its name, or by "hub/room" where that is given.
func (t *Topology) Room(name string) (RoomID, bool) { id, ok := t.rooms[name]; return id, ok }

// Pool finds a pool by "pool", "room/pool" or "hub/room/pool"; a name that fits
// several pools finds none.
func (t *Topology) Pool(name string) (PoolID, bool) { id, ok := t.pools[name]; return id, ok }

// Kind finds a kind of slot.
func (t *Topology) Kind(name string) (KindID, bool) {
	for i, k := range t.Kinds {
		if k == name {
			return KindID(i), true
		}
	}
	return 0, false
}

// Jurisdiction finds a jurisdiction that some room belongs to.
func (t *Topology) Jurisdiction(name string) (JurisdictionID, bool) {
	for i, j := range t.Jurisdictions {
		if j == name {
			return JurisdictionID(i), true
		}
	}
	return 0, false
}

// AppendRoute appends the links from room a to room b and reports whether there
// is a route. Inside a room the route is empty. Storage is not part of it.
func (t *Topology) AppendRoute(dst []LinkID, a, b RoomID) ([]LinkID, bool) {
	if a == b {
		return dst, true
	}
	ra, rb := &t.Rooms[a], &t.Rooms[b]
	if ra.City == rb.City {
		return append(dst, ra.Up, rb.Down), true
	}
	ca, cb := &t.Cities[ra.City], &t.Cities[rb.City]
	if ra.Hub == rb.Hub {
		return append(dst, ra.Up, ca.Up, cb.Down, rb.Down), true
	}
	h := &t.hubRoutes[int(ra.Hub)*len(t.Hubs)+int(rb.Hub)]
	if !h.ok {
		return dst, false
	}
	dst = append(dst, ra.Up, ca.Up)
	dst = append(dst, h.links...)
	return append(dst, cb.Down, rb.Down), true
}

// Between returns the latency and the price of the route from a to b, and
// whether there is one. Inside a room both are 0.
func (t *Topology) Between(a, b RoomID) (unit.Seconds, unit.PerGB, bool) {
	if a == b {
		return 0, 0, true
	}
	ra, rb := &t.Rooms[a], &t.Rooms[b]
	up, down := &t.Links[ra.Up], &t.Links[rb.Down]
	latency, price := up.Latency+down.Latency, up.Price+down.Price
	if ra.City == rb.City {
		return latency, price, true
	}
	cu, cd := &t.Links[t.Cities[ra.City].Up], &t.Links[t.Cities[rb.City].Down]
	latency, price = latency+cu.Latency+cd.Latency, price+cu.Price+cd.Price
	if ra.Hub == rb.Hub {
		return latency, price, true
	}
	h := &t.hubRoutes[int(ra.Hub)*len(t.Hubs)+int(rb.Hub)]
	return latency + h.latency, price + h.price, h.ok
}

// HubPath returns the hubs that a route from a to b passes, both ends included.
func (t *Topology) HubPath(a, b HubID) ([]HubID, bool) {
	if a == b {
		return []HubID{a}, true
	}
	h := &t.hubRoutes[int(a)*len(t.Hubs)+int(b)]
	return h.hubs, h.ok
}

// Distance orders how near room b is to a: 0 same room, 1 same city, 2 same hub,
// 3 another hub.
func (t *Topology) Distance(a, b RoomID) int {
	ra, rb := &t.Rooms[a], &t.Rooms[b]
	switch {
	case a == b:
		return 0
	case ra.City == rb.City:
		return 1
	case ra.Hub == rb.Hub:
		return 2
	}
	return 3
}

// PoolName returns the pool's name with its room and hub: "hub/room/pool".
func (t *Topology) PoolName(p PoolID) string {
	r := &t.Rooms[t.Pools[p].Room]
	return fmt.Sprintf("%s/%s/%s", t.Hubs[r.Hub].Name, r.Name, t.Pools[p].Name)
}

// fixed is a latency or price in units of 10⁻¹², so that equal sums compare
// equal whatever the order they were added in.
func fixed(v float64) int64 { return int64(math.Round(v * 1e12)) }
