package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A topologyFile is a topology as it is written.
type topologyFile struct {
	name     text
	currency text
	profiles []named[profileValue]
	tiers    tiersValue
	hubs     []hubValue
	links    []hubLinkValue
	// interruptions are those that pools name.
	interruptions []named[contractValue]
}

type tiersValue struct{ room, city, hub linkValue }

// A linkValue is what a link has, or a tier gives to its links. An entry of a
// link stands before its tier's.
type linkValue struct {
	node        *node
	capacity    *unit.Rate
	latency     *unit.Seconds
	price       *unit.PerGB
	background  *background
	fluctuation *fluctuation
	outages     *outagesValue
	jitter      *distributionValue
	shaper      *shaperValue
	reservable  *float64
	billing     string
}

type hubLinkValue struct {
	between  []text
	from, to text
	link     linkValue
}

type hubValue struct {
	name   text
	cities []cityValue
}

type cityValue struct {
	name  text
	link  linkValue
	rooms []roomValue
}

type roomValue struct {
	name         text
	jurisdiction text
	environments []text
	storage      *storageValue
	pools        []poolValue
	link         linkValue
}

type storageValue struct {
	capacity    *unit.Bytes
	read, write *unit.Rate
	price       unit.PerGBMonth
}

type poolValue struct {
	name, kind    text
	slots         int32
	perNode       int32
	speed         float64
	price         unit.PerHour
	cost          *unit.PerHour
	queue         queueValue
	held          heldValue
	interruptions interruptionsValue
}

type queueValue struct {
	kind      topo.QueueKind
	estimates topo.Estimates
}

// A heldValue is a share of a pool's slots, a number of them, or a profile.
type heldValue struct {
	node  *node
	share float64
	slots int32
	fluctuation
}

func topologyObject() object[topologyFile] {
	return object[topologyFile]{name: "topology", check: checkTopology, fields: []field[topologyFile]{
		key("name", name("a name such as two-hubs"), func(t *topologyFile) *text { return &t.name },
			"what the topology is called").needed("two-hubs"),
		key("currency", currency(), func(t *topologyFile) *text { return &t.currency },
			"the one currency of all prices; left out, that of the first price, or CNY where there is none"),
		key("profiles", namesOf(profileForm(), "a profile such as {kind: constant, value: 1}"), func(t *topologyFile) *[]named[profileValue] { return &t.profiles },
			"profiles that links name"),
		key("interruptions", namesOf(contractObject().form(), "interruptions such as {kind: on-demand, node_mtbf: 6300h}"), func(t *topologyFile) *[]named[contractValue] { return &t.interruptions },
			"interruptions that pools name"),
		key("tiers", tiersObject().form(), func(t *topologyFile) *tiersValue { return &t.tiers },
			"what links have unless they say otherwise, by tier"),
		key("hubs", listOf(hubObject().form(), "- {name: east, cities: …}"), func(t *topologyFile) *[]hubValue { return &t.hubs },
			"the hubs, with their cities and rooms").needed("[{name: east, cities: [{name: wuhu, rooms: [{name: wuhu-1}]}]}]"),
		key("links", listOf(hubLinkObject().form(), "- {between: [east, west], capacity: 10Gbit/s}"), func(t *topologyFile) *[]hubLinkValue { return &t.links },
			"the links between hubs"),
	}}
}

func tiersObject() object[tiersValue] {
	return object[tiersValue]{name: "tiers", fields: []field[tiersValue]{
		key("room", linkObject("").form(), func(t *tiersValue) *linkValue { return &t.room }, "uplinks of rooms to their city"),
		key("city", linkObject("").form(), func(t *tiersValue) *linkValue { return &t.city }, "uplinks of cities to their hub"),
		key("hub", linkObject("").form(), func(t *tiersValue) *linkValue { return &t.hub }, "links between hubs"),
	}}
}

// linkFields are the keys of every link, in an L that holds one.
func linkFields[L any](of func(*L) *linkValue) []field[L] {
	return []field[L]{
		key("capacity", optional(rateAboveZero()), func(l *L) **unit.Rate { return &of(l).capacity },
			"usable rate in each direction; left out, unlimited"),
		key("latency", optional(length()), func(l *L) **unit.Seconds { return &of(l).latency },
			"one way; left out, 0"),
		key("price", optional(price[unit.PerGB]("GB")), func(l *L) **unit.PerGB { return &of(l).price },
			"on the bytes that enter the link; left out, free"),
		key("billing", word("per-gb"), func(l *L) *string { return &of(l).billing },
			"what the price is on"),
		key("background", optional(backgroundForm()), func(l *L) **background { return &of(l).background },
			"what others use: a share of the capacity, or a profile of shares or rates; left out, nothing"),
		key("fluctuation", optional(fluctuationForm()), func(l *L) **fluctuation { return &of(l).fluctuation },
			"how the capacity behaves in time: the name of a profile, or one written in place; left out, it is constant"),
		key("outages", optional(outagesObject().form()), func(l *L) **outagesValue { return &of(l).outages },
			"when the link is down; left out, never"),
		key("jitter", optional(jitterObject().form()), func(l *L) **distributionValue { return &of(l).jitter },
			"how much later than its latency a message is; left out, not at all"),
		key("shaper", optional(shaperObject().form()), func(l *L) **shaperValue { return &of(l).shaper },
			"a token bucket that limits the link; left out, none"),
		key("reservable", optional(share(1)), func(l *L) **float64 { return &of(l).reservable },
			"share of the capacity that can be reserved; left out, reservations pass it by"),
	}
}

// linkObject is a tier, or the uplink of a place, which takes from a tier.
func linkObject(tier string) object[linkValue] {
	o := object[linkValue]{
		name:   "link",
		fields: linkFields(func(l *linkValue) *linkValue { return l }),
		check:  func(_ *decoder, n *node, l *linkValue) { l.node = n },
	}
	if tier != "" {
		o.inherits = []string{"tiers", tier}
	}
	return o
}

func hubLinkObject() object[hubLinkValue] {
	fields := []field[hubLinkValue]{
		key("between", listOf(anyText("the name of a hub"), "[east, west]"), func(l *hubLinkValue) *[]text { return &l.between },
			"the two hubs it joins, both directions alike"),
		key("from", anyText("the name of a hub"), func(l *hubLinkValue) *text { return &l.from }, "where one direction begins"),
		key("to", anyText("the name of a hub"), func(l *hubLinkValue) *text { return &l.to }, "where it ends"),
	}
	return object[hubLinkValue]{
		name: "hub link", inherits: []string{"tiers", "hub"},
		fields: append(fields, linkFields(func(l *hubLinkValue) *linkValue { return &l.link })...),
		check:  checkHubLink,
	}
}

func hubObject() object[hubValue] {
	return object[hubValue]{name: "hub", fields: []field[hubValue]{
		key("name", name("a name such as east"), func(h *hubValue) *text { return &h.name }, "what the hub is called").needed("east"),
		key("cities", listOf(cityObject().form(), "- {name: wuhu, rooms: …}"), func(h *hubValue) *[]cityValue { return &h.cities }, "its cities"),
	}}
}

func cityObject() object[cityValue] {
	return object[cityValue]{name: "city", fields: []field[cityValue]{
		key("name", name("a name such as wuhu"), func(c *cityValue) *text { return &c.name }, "what the city is called").needed("wuhu"),
		key("link", linkObject("city").form(), func(c *cityValue) *linkValue { return &c.link }, "its uplink to the hub, before what the tier says"),
		key("rooms", listOf(roomObject().form(), "- {name: wuhu-1, pools: …}"), func(c *cityValue) *[]roomValue { return &c.rooms }, "its rooms"),
	}}
}

func roomObject() object[roomValue] {
	return object[roomValue]{name: "room", fields: []field[roomValue]{
		key("name", name("a name such as wuhu-1"), func(r *roomValue) *text { return &r.name }, "what the room is called").needed("wuhu-1"),
		key("jurisdiction", name("a jurisdiction such as cn"), func(r *roomValue) *text { return &r.jurisdiction },
			"where it belongs; left out, to none"),
		key("environments", oneOrMore(anyText("an environment such as pytorch-2.6"), "[pytorch-2.6]"), func(r *roomValue) *[]text { return &r.environments },
			"images, drivers and licenses that it offers"),
		key("storage", optional(storageObject().form()), func(r *roomValue) **storageValue { return &r.storage },
			"where it keeps data; left out, unlimited and at the speed of its links"),
		key("pools", listOf(poolObject().form(), "- {name: a100, slots: 256, price: 12 CNY/h}"), func(r *roomValue) *[]poolValue { return &r.pools },
			"its pools of slots; may be left out"),
		key("link", linkObject("room").form(), func(r *roomValue) *linkValue { return &r.link }, "its uplink to the city, before what the tier says"),
	}}
}

func storageObject() object[storageValue] {
	return object[storageValue]{name: "storage", fields: []field[storageValue]{
		key("capacity", optional(data()), func(s *storageValue) **unit.Bytes { return &s.capacity }, "how much it holds; left out, unlimited"),
		key("read", optional(rateAboveZero()), func(s *storageValue) **unit.Rate { return &s.read }, "rate that all readers share; left out, unlimited"),
		key("write", optional(rateAboveZero()), func(s *storageValue) **unit.Rate { return &s.write }, "rate that all writers share; left out, unlimited"),
		key("price", price[unit.PerGBMonth]("GB/month"), func(s *storageValue) *unit.PerGBMonth { return &s.price }, "for what is kept; left out, free"),
	}}
}

func poolObject() object[poolValue] {
	return object[poolValue]{name: "pool", check: checkPool, fields: []field[poolValue]{
		key("name", name("a name such as a100"), func(p *poolValue) *text { return &p.name }, "what the pool is called, one in its room").needed("a100"),
		key("kind", name("a kind of slot such as a100"), func(p *poolValue) *text { return &p.kind }, "kind of its slots; left out, the pool's name"),
		key("slots", whole[int32](1, math.MaxInt32, "256"), func(p *poolValue) *int32 { return &p.slots }, "how many slots it has").needed("256"),
		key("per_node", whole[int32](1, math.MaxInt32, "8"), func(p *poolValue) *int32 { return &p.perNode }, "slots of a node").or("1"),
		key("speed", aboveZero(), func(p *poolValue) *float64 { return &p.speed }, "work done per second of a slot").or("1"),
		key("price", price[unit.PerHour]("h"), func(p *poolValue) *unit.PerHour { return &p.price }, "of a slot for an hour; left out, free"),
		key("cost", optional(price[unit.PerHour]("h")), func(p *poolValue) **unit.PerHour { return &p.cost }, "what an owned slot costs an hour, idle or not; left out, not known"),
		key("queue", queueObject().form(), func(p *poolValue) *queueValue { return &p.queue }, "the order in which tasks get slots").or("fcfs"),
		key("held", heldForm(), func(p *poolValue) *heldValue { return &p.held }, "slots kept for services outside the trace: a share (10%), a number (26) or a profile of shares (values up to 1) or numbers").or("0"),
		key("interruptions", interruptionsForm(), func(p *poolValue) *interruptionsValue { return &p.interruptions }, "what takes slots away: none, a name, or some written in place").or("none"),
	}}
}

func queueObject() object[queueValue] {
	return object[queueValue]{name: "queue", short: "kind", keeps: true, fields: []field[queueValue]{
		key("kind", oneOf([]string{"fcfs", "easy", "conservative", "priority"}, topo.FCFS, topo.EASY, topo.Conservative, topo.Priority),
			func(q *queueValue) *topo.QueueKind { return &q.kind }, "first come first served, EASY or conservative backfill, or by priority").or("fcfs"),
		key("estimates", oneOf([]string{"user", "exact"}, topo.UserEstimates, topo.ExactEstimates),
			func(q *queueValue) *topo.Estimates { return &q.estimates }, "the run times that backfilling believes").or("user"),
	}}
}

func currency() form[text] {
	f := anyText("a currency such as CNY")
	return form[text]{f.shape, func(d *decoder, n *node, into *text) {
		if n.kind != scalar || n.text == "" || strings.ContainsAny(n.text, "/ 0123456789.%") {
			d.fault(n, "%s, want a currency such as CNY", n.got())
			return
		}
		*into = text{n.text, n}
		d.currency = n.text
	}}
}

// A background is what others use of a link's capacity: a share, or a profile.
type background struct {
	node  *node
	share float64
	fluctuation
}

func backgroundForm() form[background] {
	f := parsed(shareJSON, true, func(s string) (float64, error) {
		v, err := unit.ParseShare(s)
		if err == nil && v >= 1 {
			err = fmt.Errorf("got %q, want a share below 100%% such as 40%%%s", clip(s), inPercent(s, v))
		}
		return v, err
	})
	named := fluctuationForm()
	return form[background]{&shape{kind: eitherShape, scales: true, any: []*shape{f.shape, named.shape}}, func(d *decoder, n *node, into *background) {
		into.node = n
		if n.kind == mapping || isName(n) {
			named.read(d, n, &into.fluctuation)
			return
		}
		f.read(d, n, &into.share)
	}}
}

// isName reports whether a scalar is a name, not a quantity.
func isName(n *node) bool {
	return n.kind == scalar && n.text != "" && !strings.ContainsAny(n.text[:1], "0123456789.-+%")
}

// heldForm reads 10% or 0.1 as a share and 26 as a number of slots.
func heldForm() form[heldValue] {
	named := fluctuationForm()
	quantity := &shape{json: `{"anyOf":[{"type":"number","minimum":0},{"type":"string","pattern":"^` + number + `%$"}],"examples":["10%",26]}`, scales: true}
	f := form[heldValue]{&shape{kind: eitherShape, scales: true, any: []*shape{quantity, named.shape}}, nil}
	f.read = func(d *decoder, n *node, into *heldValue) {
		into.node = n
		if n.kind == mapping || isName(n) {
			named.read(d, n, &into.fluctuation)
			return
		}
		if n.kind == scalar && !strings.ContainsAny(n.text, "%.eE") {
			if v, err := strconv.ParseInt(n.text, 10, 32); err == nil && v >= 0 {
				into.slots = int32(v)
				return
			}
		} else if n.kind == scalar {
			if v, err := unit.ParseShare(n.text); err == nil && v <= 1 {
				into.share = v
				return
			}
		}
		d.fault(n, "%s, want a share such as 10%% or a number of slots such as 26", n.got())
	}
	return f
}
