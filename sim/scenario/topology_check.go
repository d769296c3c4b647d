package scenario

import (
	"fmt"
	"math"

	"tiersim/sim/fault"
)

// maxJurisdictions is how many a task.Set can tell apart, besides none.
const maxJurisdictions = 63

// checkPool looks at what slots and held say together.
func checkPool(d *decoder, _ *node, p *poolValue) {
	if p.kind.string == "" {
		p.kind = p.name
	}
	if h := p.heldSlots(); h > p.slots {
		d.fault(p.held.node, "got %d slots held of %d; write at most %d", h, p.slots, p.slots)
	}
}

// heldSlots is how many slots are held: a share of them to the nearest whole.
func (p *poolValue) heldSlots() int32 {
	if p.held.share > 0 {
		return int32(math.Round(p.held.share * float64(p.slots)))
	}
	return p.held.slots
}

// checkHubLink looks at which ends are named.
func checkHubLink(d *decoder, n *node, l *hubLinkValue) {
	l.link.node = n
	directed := l.from.node != nil || l.to.node != nil
	switch {
	case l.between != nil && directed:
		d.fault(n, "got between and from or to; keep between for both directions, or from and to for one")
	case l.between != nil && len(l.between) != 2:
		d.fault(n.get("between"), "got %d hubs, want two such as [east, west]", len(l.between))
	case l.between == nil && (l.from.node == nil || l.to.node == nil):
		d.fault(n, "got no two ends; write between: [east, west], or from: east and to: west for one direction")
	}
}

// directions returns the two ends of each direction that a link has.
func (l *hubLinkValue) directions() [][2]text {
	if l.between != nil {
		a, b := l.between[0], l.between[1]
		return [][2]text{{a, b}, {b, a}}
	}
	return [][2]text{{l.from, l.to}}
}

// checkTopology looks at what the names of a topology say together.
func checkTopology(d *decoder, n *node, t *topologyFile) {
	places := &nameTable{d: d, first: map[string]text{}}
	jurisdictions := map[string]bool{}
	var hubs []string
	for _, h := range t.hubs {
		places.add(h.name)
		hubs = append(hubs, h.name.string)
		for _, c := range h.cities {
			places.add(c.name)
			for _, r := range c.rooms {
				places.add(r.name)
				pools := &nameTable{d: d, first: map[string]text{}}
				for _, p := range r.pools {
					pools.add(p.name)
				}
				if j := r.jurisdiction; j.node != nil && !jurisdictions[j.string] {
					jurisdictions[j.string] = true
					if len(jurisdictions) == maxJurisdictions+1 {
						d.fault(j.node, "got more than %d jurisdictions, the most that can be told apart", maxJurisdictions)
					}
				}
			}
		}
	}
	if len(places.first) == len(t.hubs) && len(t.hubs) > 0 && !hasRoom(t) {
		d.fault(n.get("hubs"), "got no rooms; write cities: [{name: wuhu, rooms: [{name: wuhu-1}]}] in a hub")
	}
	if len(t.hubs) == 0 {
		d.fault(n.get("hubs"), "got an empty list, want at least one hub; write - {name: east, cities: [{name: wuhu, rooms: [{name: wuhu-1}]}]}")
	}
	checkEnds(d, t.links, hubs)
}

func hasRoom(t *topologyFile) bool {
	for _, h := range t.hubs {
		for _, c := range h.cities {
			if len(c.rooms) > 0 {
				return true
			}
		}
	}
	return false
}

// A nameTable finds names that stand twice.
type nameTable struct {
	d     *decoder
	first map[string]text
}

func (t *nameTable) add(x text) {
	if x.node == nil {
		return
	}
	if first, twice := t.first[x.string]; twice {
		t.d.fault(x.node, "got %q, which is a name already, of %s in line %d; write another", x.string, first.node.path, first.node.at.line)
		return
	}
	t.first[x.string] = x
}

// checkEnds looks at whether links join two hubs, each direction once.
func checkEnds(d *decoder, links []hubLinkValue, hubs []string) {
	known := map[string]bool{}
	for _, h := range hubs {
		known[h] = true
	}
	seen := map[[2]string]*node{}
	for i := range links {
		for _, ends := range links[i].directions() {
			from, to := ends[0], ends[1]
			twice := seen[[2]string{from.string, to.string}]
			switch {
			case from.string == to.string && known[from.string]:
				d.fault(to.node, "got %q twice, want two hubs; write another", to.string)
				return
			case !known[from.string]:
				d.fault(from.node, "%s", unknownName(from.string, "hub", hubs))
			case twice != nil && known[to.string]:
				d.fault(links[i].link.node, "the link from %s to %s stands in line %d too; remove one", from.string, to.string, twice.at.line)
			default:
				seen[[2]string{from.string, to.string}] = links[i].link.node
			}
			if links[i].between == nil && !known[to.string] {
				d.fault(to.node, "%s", unknownName(to.string, "hub", hubs))
			}
		}
	}
}

// unknownName says that a name is not known, and which one was meant.
func unknownName(got, what string, known []string) string {
	message := fmt.Sprintf("got %q, and there is no such %s", clip(got), what)
	if fix, ok := fault.Suggest(got, known); ok {
		return message + "; write " + fix
	}
	if len(known) > 0 && len(known) <= 12 {
		return message + "; there are " + anyOf(known)
	}
	return message
}
