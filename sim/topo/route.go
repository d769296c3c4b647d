package topo

import (
	"slices"

	"tiersim/sim/unit"
)

// An edge is a hub link with its ends.
type edge struct {
	from, to HubID
	link     LinkID
}

// A hubRoute is the best way between two hubs.
type hubRoute struct {
	ok      bool
	links   []LinkID
	hubs    []HubID
	latency unit.Seconds
	price   unit.PerGB
}

// A label is the best way found so far to a hub, with its sums in fixed point:
// sums of floats would make ties depend on the order of addition.
type label struct {
	reached, done  bool
	latency, price int64
	links          []LinkID
	hubs           []HubID
}

// better reports whether a is to be preferred: latency, price, number of links,
// names of the hubs in order.
func (t *Topology) better(a, b *label) bool {
	switch {
	case !b.reached:
		return true
	case a.latency != b.latency:
		return a.latency < b.latency
	case a.price != b.price:
		return a.price < b.price
	case len(a.links) != len(b.links):
		return len(a.links) < len(b.links)
	}
	return slices.CompareFunc(a.hubs, b.hubs, func(x, y HubID) int {
		return cmpString(t.Hubs[x].Name, t.Hubs[y].Name)
	}) < 0
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// routeHubs finds the best way between every two hubs (Dijkstra from each). The
// order is one that every part of a best way is itself best in, since each of
// the four parts of the key adds up along the way.
func (t *Topology) routeHubs(edges []edge) {
	n := len(t.Hubs)
	t.hubRoutes = make([]hubRoute, n*n)
	out := make([][]edge, n)
	for _, e := range edges {
		out[e.from] = append(out[e.from], e)
	}
	for from := range n {
		labels := make([]label, n)
		labels[from] = label{reached: true, hubs: []HubID{HubID(from)}}
		for {
			best := -1
			for i := range labels {
				if labels[i].reached && !labels[i].done && (best < 0 || t.better(&labels[i], &labels[best])) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			at := &labels[best]
			at.done = true
			for _, e := range out[best] {
				l := &t.Links[e.link]
				next := label{
					reached: true,
					latency: at.latency + fixed(float64(l.Latency)),
					price:   at.price + fixed(float64(l.Price)),
					links:   append(slices.Clone(at.links), e.link),
					hubs:    append(slices.Clone(at.hubs), e.to),
				}
				if !labels[e.to].done && t.better(&next, &labels[e.to]) {
					labels[e.to] = next
				}
			}
		}
		for to := range n {
			t.hubRoutes[from*n+to] = t.finish(&labels[to])
		}
	}
}

// finish turns a label into a route, with its sums in the links' order.
func (t *Topology) finish(l *label) hubRoute {
	r := hubRoute{ok: l.reached, links: l.links, hubs: l.hubs}
	for _, id := range l.links {
		r.latency += t.Links[id].Latency
		r.price += t.Links[id].Price
	}
	return r
}
