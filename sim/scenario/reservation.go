package scenario

import (
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Reservation is a capacity that is asked for ahead on a route: a fixed rate in
// a window, a volume by a deadline, or a channel for every transfer of some
// classes of tasks. It is admitted on every link of the route that can be
// reserved, or not at all.
type Reservation struct {
	Name string
	// From and To are the ends, of Standing ones.
	Standing bool
	From, To topo.RoomID
	// Rate is that of the window or of each channel; the most that a volume takes,
	// 0 for as much as there is.
	Rate unit.Rate
	// Begin and End are the window; of a volume, when it may start and its deadline.
	Begin, End unit.Time
	Volume     unit.Bytes // 0: a fixed rate
	// Classes are those whose transfers go through it; none: it is others'.
	Classes [task.NumClasses]bool
	// Price is on what is sent through it, in place of the links' where HasPrice.
	Price    unit.PerGB
	HasPrice bool
	// Rent is on the rate for as long as it is held.
	Rent unit.PerMbpsMonth
}

// A reservationValue is a reservation as it is written.
type reservationValue struct {
	node            *node
	name            text
	from, to        text
	rate            *unit.Rate
	window          *windowValue
	volume          *unit.Bytes
	start, deadline *unit.Seconds
	classes         []string
	price           *unit.PerGB
	rent            *unit.PerMbpsMonth
}

func reservationObject() object[reservationValue] {
	room := anyText("the name of a room")
	return object[reservationValue]{name: "reservation", check: checkReservation, fields: []field[reservationValue]{
		key("name", name("a name such as nightly"), func(r *reservationValue) *text { return &r.name }, "what it is called").needed("nightly"),
		key("from", room, func(r *reservationValue) *text { return &r.from }, "the room where its route begins; left out, it is for each transfer of its classes"),
		key("to", room, func(r *reservationValue) *text { return &r.to }, "the room where its route ends"),
		key("rate", optional(rateAboveZero()), func(r *reservationValue) **unit.Rate { return &r.rate }, "the rate; of a volume, the most that it takes"),
		key("window", optional(windowForm()), func(r *reservationValue) **windowValue { return &r.window }, "from when to when"),
		key("volume", optional(bytesAboveZero()), func(r *reservationValue) **unit.Bytes { return &r.volume }, "bytes that are sent by a deadline, in place of a window"),
		key("start", optional(length()), func(r *reservationValue) **unit.Seconds { return &r.start }, "of a volume: when it may begin; left out, 0s"),
		key("deadline", optional(lengthAboveZero()), func(r *reservationValue) **unit.Seconds { return &r.deadline }, "of a volume"),
		key("classes", listOf(word(task.ClassNames()...), "[training-parallel]"), func(r *reservationValue) *[]string { return &r.classes }, "classes of tasks whose transfers go through it; left out, it is others'"),
		key("price", optional(price[unit.PerGB]("GB")), func(r *reservationValue) **unit.PerGB { return &r.price }, "on what is sent through it; left out, that of the links"),
		key("rent", optional(price[unit.PerMbpsMonth]("Mbit/s/month")), func(r *reservationValue) **unit.PerMbpsMonth { return &r.rent }, "on the rate for as long as it is held; what is sent through it is then free of other prices"),
	}}
}

func checkReservation(d *decoder, n *node, r *reservationValue) {
	ends := r.from.node != nil && r.to.node != nil
	switch {
	case (r.from.node == nil) != (r.to.node == nil):
		d.fault(n, "got one of from and to, want both, or none for a channel for each transfer of its classes")
	case !ends && len(r.classes) == 0:
		d.fault(n, "no ends and no classes; write from: and to:, or classes: [training-parallel]")
	case !ends && (r.window != nil || r.volume != nil || r.rate == nil):
		d.fault(n, "a channel for each transfer has a rate alone; write rate: 2Gbit/s and no window and no volume, or from: and to:")
	case ends && r.from.string == r.to.string:
		d.fault(n.get("to"), "got %q, which is the room where it begins; write another, for within a room nothing is reserved", r.to.string)
	case ends && (r.window == nil) == (r.volume == nil):
		d.fault(n, "want a window or a volume; write rate: 2Gbit/s, window: [1h, 5h], or volume: 10TB, deadline: 20h")
	case r.window != nil && r.rate == nil:
		d.fault(n, "no rate, and a window must have one; write rate: 2Gbit/s")
	case r.volume != nil && r.deadline == nil:
		d.fault(n, "no deadline, and a volume must have one; write deadline: 20h")
	case r.volume == nil && (r.start != nil || r.deadline != nil):
		d.fault(n, "got start or deadline without a volume; remove it, or write volume: 10TB")
	case r.volume != nil && value(r.start, 0) >= *r.deadline:
		d.fault(n.get("deadline"), "got %v, which is not after start, %v; write more", *r.deadline, *r.start)
	case r.price != nil && r.rent != nil:
		d.fault(n, "got a price and a rent; keep one")
	case r.price != nil && len(r.classes) == 0:
		d.fault(n.get("price"), "has no effect on what others send; write classes: [training-parallel], or remove it")
	default:
		r.node = n
	}
}

// reservations returns those of a scenario.
func (f *scenarioFile) reservationsOn(d *decoder, t *topo.Topology) []Reservation {
	var all []Reservation
	var rooms []string
	for i := range t.Rooms {
		rooms = append(rooms, t.Rooms[i].Name)
	}
	for i := range f.reservations {
		r := &f.reservations[i]
		if r.node == nil {
			continue // it has faults, which are told
		}
		out := Reservation{Name: r.name.string, Rate: value(r.rate, 0), HasPrice: r.price != nil || r.rent != nil, Price: value(r.price, 0), Rent: value(r.rent, 0)}
		for _, c := range r.classes {
			if class, ok := task.ParseClass(c); ok {
				out.Classes[class] = true
			}
		}
		if r.from.node != nil {
			out.Standing = true
			for _, end := range []struct {
				text
				at *topo.RoomID
			}{{r.from, &out.From}, {r.to, &out.To}} {
				id, ok := t.Room(end.string)
				if !ok {
					d.fault(end.node, "%s", unknownName(end.string, "room", rooms))
					continue
				}
				*end.at = id
			}
			if _, ok := t.AppendRoute(nil, out.From, out.To); !ok {
				d.fault(r.node, "there is no route from %s to %s; add a link between their hubs", r.from.string, r.to.string)
			}
		}
		if r.window != nil {
			out.Begin, out.End = r.window.from, r.window.to
		}
		if r.volume != nil {
			out.Volume, out.Begin, out.End = *r.volume, unit.Time(value(r.start, 0)), unit.Time(*r.deadline)
		}
		all = append(all, out)
	}
	return all
}
