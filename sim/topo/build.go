package topo

import (
	"fmt"

	"tiersim/sim/unit"
)

// A Spec describes a topology as it is written, with the tiers' values already
// in every link.
type Spec struct {
	Name, Currency string
	Hubs           []HubSpec
	Links          []HubLinkSpec
}

// A HubSpec is a hub as written.
type HubSpec struct {
	Name   string
	Cities []CitySpec
}

// A CitySpec is a city as written; Link is its uplink, both directions alike.
type CitySpec struct {
	Name  string
	Link  LinkSpec
	Rooms []RoomSpec
}

// A RoomSpec is a room as written.
type RoomSpec struct {
	Name         string
	Jurisdiction string
	Environments []string
	Storage      *StorageSpec
	Pools        []PoolSpec
	Link         LinkSpec
}

// A StorageSpec is a storage as written; rates that are absent are unlimited.
type StorageSpec struct {
	Capacity    unit.Bytes
	Read, Write unit.Rate
	Price       unit.PerGBMonth
}

// A PoolSpec is a pool as written.
type PoolSpec struct {
	Name, Kind string
	Pool       // Name, Room and Kind are set by New
}

// A LinkSpec is what a link has of its own.
type LinkSpec struct {
	Capacity unit.Rate
	Latency  unit.Seconds
	Price    unit.PerGB
}

// A HubLinkSpec is one direction between two hubs.
type HubLinkSpec struct {
	From, To string
	LinkSpec
}

// New builds a topology. It returns an error that names the first thing that
// does not hold: names used twice, links between unknown hubs, two links for one
// direction, more than 64 jurisdictions. The scenario package finds these first,
// with their lines.
func New(s Spec) (*Topology, error) {
	t := &Topology{
		Name: s.Name, Currency: s.Currency,
		Kinds: []string{""}, Jurisdictions: []string{""},
		rooms: map[string]RoomID{}, pools: map[string]PoolID{},
	}
	hubs := map[string]HubID{}
	cities := map[string]bool{}
	for _, h := range s.Hubs {
		if _, twice := hubs[h.Name]; twice {
			return nil, fmt.Errorf("hub %q stands twice", h.Name)
		}
		id := HubID(len(t.Hubs))
		hubs[h.Name] = id
		t.Hubs = append(t.Hubs, Hub{Name: h.Name})
		for _, c := range h.Cities {
			if cities[c.Name] {
				return nil, fmt.Errorf("city %q stands twice", c.Name)
			}
			cities[c.Name] = true
			if err := t.addCity(id, c); err != nil {
				return nil, err
			}
		}
	}
	if len(t.Jurisdictions) > 64 {
		return nil, fmt.Errorf("%d jurisdictions, at most 63 can be told apart", len(t.Jurisdictions)-1)
	}
	t.shortPoolNames()
	edges := make([]edge, 0, len(s.Links))
	seen := map[[2]HubID]bool{}
	for _, l := range s.Links {
		from, ok := hubs[l.From]
		to, ok2 := hubs[l.To]
		if !ok || !ok2 || from == to {
			return nil, fmt.Errorf("link %s>%s does not join two hubs", l.From, l.To)
		}
		if seen[[2]HubID{from, to}] {
			return nil, fmt.Errorf("link %s>%s stands twice", l.From, l.To)
		}
		seen[[2]HubID{from, to}] = true
		edges = append(edges, edge{from, to, t.addLink(HubTier, l.From, l.To, l.LinkSpec)})
	}
	t.routeHubs(edges)
	return t, nil
}

func (t *Topology) addLink(tier Tier, from, to string, l LinkSpec) LinkID {
	t.Links = append(t.Links, Link{
		Name: from + ">" + to, Tier: tier, From: from, To: to,
		Capacity: l.Capacity, Latency: l.Latency, Price: l.Price,
	})
	return LinkID(len(t.Links) - 1)
}

func (t *Topology) addCity(hub HubID, c CitySpec) error {
	id := CityID(len(t.Cities))
	t.Hubs[hub].Cities = append(t.Hubs[hub].Cities, id)
	h := t.Hubs[hub].Name
	t.Cities = append(t.Cities, City{
		Name: c.Name, Hub: hub,
		Up:   t.addLink(CityTier, c.Name, h, c.Link),
		Down: t.addLink(CityTier, h, c.Name, c.Link),
	})
	for _, r := range c.Rooms {
		if _, twice := t.rooms[r.Name]; twice {
			return fmt.Errorf("room %q stands twice", r.Name)
		}
		t.addRoom(id, r)
		room := &t.Rooms[len(t.Rooms)-1]
		if err := t.addPools(RoomID(len(t.Rooms)-1), room, r.Pools); err != nil {
			return err
		}
	}
	return nil
}

func (t *Topology) addRoom(city CityID, r RoomSpec) {
	id := RoomID(len(t.Rooms))
	c := &t.Cities[city]
	c.Rooms = append(c.Rooms, id)
	room := Room{
		Name: r.Name, City: city, Hub: c.Hub, Environments: r.Environments,
		Up:           t.addLink(RoomTier, r.Name, c.Name, r.Link),
		Down:         t.addLink(RoomTier, c.Name, r.Name, r.Link),
		Jurisdiction: JurisdictionID(index(&t.Jurisdictions, r.Jurisdiction)),
		Storage:      Storage{Capacity: unit.Bytes(unit.Unlimited())},
	}
	if s := r.Storage; s != nil {
		room.Storage = Storage{Limited: true, Capacity: s.Capacity, Price: s.Price}
		room.Storage.Read = t.addStorage(r.Name, "read", s.Read)
		room.Storage.Write = t.addStorage(r.Name, "write", s.Write)
	}
	t.Rooms = append(t.Rooms, room)
	t.rooms[r.Name] = id
	t.rooms[t.Hubs[c.Hub].Name+"/"+r.Name] = id
}

func (t *Topology) addStorage(room, side string, rate unit.Rate) LinkID {
	t.Links = append(t.Links, Link{Name: room + ":" + side, Tier: StorageTier, From: room, To: room, Capacity: rate})
	return LinkID(len(t.Links) - 1)
}

func (t *Topology) addPools(id RoomID, room *Room, pools []PoolSpec) error {
	for _, p := range pools {
		pool := p.Pool
		pool.PerNode = max(pool.PerNode, 1)
		pool.Name, pool.Room = p.Name, id
		pool.Kind = KindID(index(&t.Kinds, p.Kind))
		pid := PoolID(len(t.Pools))
		long := room.Name + "/" + p.Name
		if _, twice := t.pools[long]; twice {
			return fmt.Errorf("pool %q stands twice", long)
		}
		t.pools[long] = pid
		t.pools[t.Hubs[room.Hub].Name+"/"+long] = pid
		t.Pools = append(t.Pools, pool)
		room.Pools = append(room.Pools, pid)
	}
	return nil
}

// shortPoolNames lets a pool be found by its name alone where only one has it.
func (t *Topology) shortPoolNames() {
	count := map[string]int{}
	for _, p := range t.Pools {
		count[p.Name]++
	}
	for i, p := range t.Pools {
		if count[p.Name] == 1 {
			t.pools[p.Name] = PoolID(i)
		}
	}
}

// index returns the place of name in the list, which it is added to if new.
func index(names *[]string, name string) int {
	for i, n := range *names {
		if n == name {
			return i
		}
	}
	*names = append(*names, name)
	return len(*names) - 1
}
