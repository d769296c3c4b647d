package scenario

import (
	"math"
	"slices"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A built topology, with the profiles of its links.
type built struct {
	topology *topo.Topology
	links    []linkValue // by topo.LinkID; storage sides have none
	pools    []poolValue // by topo.PoolID
	// interruptions are those that stand under a name.
	interruptions []named[contractValue]
}

// build makes the topology. The order in which it gathers the links is that of
// topo.New.
func (t *topologyFile) build(currency string) (*built, error) {
	b := &built{}
	spec := topo.Spec{Name: t.name.string, Currency: currency}
	for i := range t.hubs {
		h := &t.hubs[i]
		hub := topo.HubSpec{Name: h.name.string}
		for j := range h.cities {
			hub.Cities = append(hub.Cities, t.city(b, &h.cities[j]))
		}
		spec.Hubs = append(spec.Hubs, hub)
	}
	for i := range t.links {
		l := t.links[i].link.over(t.tiers.hub)
		for _, ends := range t.links[i].directions() {
			spec.Links = append(spec.Links, topo.HubLinkSpec{From: ends[0].string, To: ends[1].string, LinkSpec: l.spec()})
			b.links = append(b.links, l)
		}
	}
	var err error
	b.topology, err = topo.New(spec)
	return b, err
}

func (t *topologyFile) city(b *built, c *cityValue) topo.CitySpec {
	l := c.link.over(t.tiers.city)
	city := topo.CitySpec{Name: c.name.string, Link: l.spec()}
	b.links = append(b.links, l, l)
	for i := range c.rooms {
		r := &c.rooms[i]
		l := r.link.over(t.tiers.room)
		b.links = append(b.links, l, l)
		room := topo.RoomSpec{Name: r.name.string, Jurisdiction: r.jurisdiction.string, Link: l.spec()}
		for _, e := range r.environments {
			room.Environments = append(room.Environments, e.string)
		}
		if s := r.storage; s != nil {
			room.Storage = &topo.StorageSpec{
				Capacity: value(s.capacity, unit.Bytes(math.Inf(1))),
				Read:     value(s.read, unit.Unlimited()), Write: value(s.write, unit.Unlimited()), Price: s.price,
			}
			b.links = append(b.links, linkValue{}, linkValue{})
		}
		for j := range r.pools {
			room.Pools = append(room.Pools, r.pools[j].spec())
			b.pools = append(b.pools, r.pools[j])
		}
		city.Rooms = append(city.Rooms, room)
	}
	return city
}

func (p *poolValue) spec() topo.PoolSpec {
	return topo.PoolSpec{Name: p.name.string, Kind: p.kind.string, Pool: topo.Pool{
		Slots: p.slots, PerNode: p.perNode, Speed: p.speed, Price: p.price,
		Cost: value(p.cost, 0), HasCost: p.cost != nil,
		Queue: p.queue.kind, Estimates: p.queue.estimates, Held: p.heldSlots(), Never: p.heldSlots(),
	}}
}

// value is what p points to, or def where it points to nothing.
func value[V any](p *V, def V) V {
	if p == nil {
		return def
	}
	return *p
}

// over returns the link with what it does not say itself taken from its tier.
func (l linkValue) over(tier linkValue) linkValue {
	l.capacity = first(l.capacity, tier.capacity)
	l.latency = first(l.latency, tier.latency)
	l.price = first(l.price, tier.price)
	l.background = first(l.background, tier.background)
	l.fluctuation = first(l.fluctuation, tier.fluctuation)
	l.outages = first(l.outages, tier.outages)
	l.jitter = first(l.jitter, tier.jitter)
	l.shaper = first(l.shaper, tier.shaper)
	l.reservable = first(l.reservable, tier.reservable)
	return l
}

func first[V any](a, b *V) *V {
	if a != nil {
		return a
	}
	return b
}

// base is the link's capacity as written.
func (l *linkValue) base() unit.Rate { return value(l.capacity, unit.Unlimited()) }

// checkEffect tells what has no effect on a link without a capacity.
func (l *linkValue) checkEffect(d *decoder) {
	if l.capacity != nil {
		return
	}
	if b := l.background; b != nil && (b.share > 0 || b.profile != nil && b.profile.hasFactor()) {
		d.fault(b.node, "got a share of a capacity that is not given; write a capacity, or remove it")
	}
	if l.reservable != nil && *l.reservable > 0 {
		d.fault(l.node.get("reservable"), "got a share of a capacity that is not given; write a capacity, or remove it")
	}
	if f := l.fluctuation; f != nil && f.profile != nil && f.profile.constant() && f.profile.hasFactor() {
		d.fault(f.node, "got a factor of a capacity that is not given; write a capacity, or remove it")
	}
}

// spec returns the link for the topology: its capacity is what others leave, at
// a constant fluctuation.
func (l *linkValue) spec() topo.LinkSpec {
	return topo.LinkSpec{Capacity: l.background.constantLeft(l.nominal()), Latency: value(l.latency, 0), Price: value(l.price, 0)}
}

// tellUnused notes what is written for tiers and profiles and reaches no link.
func (t *topologyFile) tellUnused(d *decoder) {
	var rooms, cities, hubs []*linkValue
	for i := range t.hubs {
		for j := range t.hubs[i].cities {
			c := &t.hubs[i].cities[j]
			cities = append(cities, &c.link)
			for k := range c.rooms {
				rooms = append(rooms, &c.rooms[k].link)
			}
		}
	}
	for i := range t.links {
		hubs = append(hubs, &t.links[i].link)
	}
	t.tiers.room.tellUnused(d, rooms)
	t.tiers.city.tellUnused(d, cities)
	t.tiers.hub.tellUnused(d, hubs)
	used := map[*profileValue]bool{}
	for _, l := range t.allLinks() {
		if l.fluctuation != nil {
			used[l.fluctuation.profile] = true
		}
		if l.background != nil {
			used[l.background.profile] = true
		}
	}
	t.eachPool(func(p *poolValue) { used[p.held.profile] = true })
	for i := range t.profiles {
		if p := &t.profiles[i]; !used[&p.value] {
			d.note(p.node, "has no effect: no link names it")
		}
	}
}

// tellUnused notes what a tier says and each of its links says itself.
func (l *linkValue) tellUnused(d *decoder, links []*linkValue) {
	for _, e := range []struct {
		key string
		has func(*linkValue) bool
	}{
		{"capacity", func(l *linkValue) bool { return l.capacity != nil }},
		{"latency", func(l *linkValue) bool { return l.latency != nil }},
		{"price", func(l *linkValue) bool { return l.price != nil }},
		{"background", func(l *linkValue) bool { return l.background != nil }},
		{"fluctuation", func(l *linkValue) bool { return l.fluctuation != nil }},
		{"outages", func(l *linkValue) bool { return l.outages != nil }},
		{"jitter", func(l *linkValue) bool { return l.jitter != nil }},
		{"shaper", func(l *linkValue) bool { return l.shaper != nil }},
		{"reservable", func(l *linkValue) bool { return l.reservable != nil }},
	} {
		takes := slices.ContainsFunc(links, func(x *linkValue) bool { return !e.has(x) })
		if e.has(l) && !takes {
			d.note(l.node.get(e.key), "has no effect: no link of this tier takes it")
		}
	}
}
