package replay

import (
	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// reservations are what is reserved on links: the calendar that admits it, the
// channels that hold it, and what became of it.
type reservations struct {
	calendar *network.Calendar
	standing []standing
	pieces   []piece // of all of them

	asked, admitted int64
	asking, got     float64 // bytes that channels asked for and were granted
	rent            unit.Money
}

// A standing reservation is known ahead; a channel is open while a piece of it is.
type standing struct {
	spec    *scenario.Reservation
	links   []topo.LinkID
	channel network.ChannelID // 0: none is open
}

// A piece is one rate of a standing reservation.
type piece struct {
	network.Piece
	of int32
}

// A booking is a channel that one transfer asked for.
type booking struct {
	channel network.ChannelID // 0: none
	spec    *scenario.Reservation
	rate    unit.Rate
	until   unit.Time // of its window in the calendar
	own     bool      // opened for this transfer
}

// reserve asks the calendar for all that is known ahead, in the order of the
// scenario, and schedules what it admits.
func (r *run) reserve() {
	specs := r.world.Reservations
	if len(specs) == 0 || r.world.Parameters.NoChannels {
		return
	}
	limits := make([]unit.Rate, len(r.topo.Links))
	for l, share := range r.world.Reservable {
		if share > 0 {
			limits[l] = unit.Rate(share * float64(r.topo.Links[l].Capacity))
		}
	}
	b := &r.booked
	b.calendar = network.NewCalendar(limits)
	for i := range specs {
		s := &specs[i]
		if !s.Standing {
			continue
		}
		route, _ := r.topo.AppendRoute(r.route[:0], s.From, s.To)
		r.route = route
		b.standing = append(b.standing, standing{spec: s, links: r.reservable(nil, route)})
		r.admit(int32(len(b.standing) - 1))
	}
}

// admit asks for one and schedules it where every link has room.
func (r *run) admit(k int32) {
	b := &r.booked
	x := &b.standing[k]
	s := x.spec
	b.asked++
	var pieces []network.Piece
	if s.Volume == 0 {
		pieces = []network.Piece{{From: s.Begin, To: s.End, Rate: s.Rate}}
		if !b.calendar.Reserve(x.links, s.Rate, s.Begin, s.End) {
			return
		}
	} else {
		most := s.Rate
		if most == 0 {
			most = unit.Unlimited()
		}
		var ok bool
		if pieces, ok = b.calendar.EarliestVolume(x.links, s.Volume, s.Begin, s.End, most); !ok {
			return
		}
		b.calendar.Book(x.links, pieces)
	}
	b.admitted++
	for _, p := range pieces {
		b.rent += s.Rent.For(p.Rate, p.To.Sub(p.From))
		b.pieces = append(b.pieces, piece{p, k})
		r.at(p.From, des.Reservation, reservationBegins, int32(len(b.pieces)-1))
		r.at(p.To, des.Reservation, reservationEnds, int32(len(b.pieces)-1))
	}
}

// reservable appends the links of a route that can be reserved; the others are
// shared by all, reserved or not.
func (r *run) reservable(dst, route []topo.LinkID) []topo.LinkID {
	for _, l := range route {
		if r.world.Reservable != nil && r.world.Reservable[l] > 0 {
			dst = append(dst, l)
		}
	}
	return dst
}

func (r *run) beginPiece(i int32) {
	p := &r.booked.pieces[i]
	x := &r.booked.standing[p.of]
	r.rates.epoch++
	x.channel = r.net.Open(x.links, p.Rate)
}

func (r *run) endPiece(i int32) {
	r.rates.epoch++
	x := &r.booked.standing[r.booked.pieces[i].of]
	p := &r.booked.pieces[i]
	r.closeChannel(x.channel, p.Rate.For(r.now().Sub(p.From)))
	x.channel = 0
}

// closeChannel ends a channel that has asked for so many bytes.
func (r *run) closeChannel(id network.ChannelID, asked unit.Bytes) {
	r.booked.asking += float64(asked)
	r.booked.got += float64(asked) * r.net.Honoured(id)
	r.net.Close(id)
	r.net.ReleaseChannel(id)
}

// closeStanding ends the channels that are open when the run ends.
func (r *run) closeStanding() {
	for i := range r.booked.pieces {
		p := &r.booked.pieces[i]
		if x := &r.booked.standing[p.of]; x.channel != 0 && p.From <= r.now() && r.now() <= p.To {
			r.closeChannel(x.channel, p.Rate.For(r.now().Sub(p.From)))
			x.channel = 0
		}
	}
}

// seekChannel finds the channel of a transfer of a life: one that stands open on its way
// for its class, or one of its own that the calendar admits from now until it is
// through at the channel's rate.
func (r *run) seekChannel(l *life, m *move, route []topo.LinkID) booking {
	b := &r.booked
	if b.calendar == nil || m.bytes == 0 {
		return booking{}
	}
	for i := range b.standing {
		x := &b.standing[i]
		if x.channel != 0 && x.spec.Classes[l.task.Class] && covers(route, x.links) {
			return booking{channel: x.channel, spec: x.spec}
		}
	}
	for i := range r.world.Reservations {
		s := &r.world.Reservations[i]
		if s.Standing || !s.Classes[l.task.Class] {
			continue
		}
		r.reserving = r.reservable(r.reserving[:0], route)
		if len(r.reserving) == 0 {
			return booking{}
		}
		rate := min(s.Rate, r.capOf(m.leg))
		from := r.now()
		until := from.Add(m.delay + m.bytes.Over(rate))
		b.asked++
		b.calendar.Forget(from)
		if !b.calendar.Reserve(r.reserving, rate, from, until) {
			return booking{}
		}
		b.admitted++
		return booking{channel: r.net.Open(r.reserving, rate), spec: s, rate: rate, until: until, own: true}
	}
	return booking{}
}

// covers reports whether a route crosses all of the links.
func covers(route, links []topo.LinkID) bool {
	if len(links) == 0 {
		return false
	}
	k := 0
	for _, l := range route {
		if k < len(links) && l == links[k] {
			k++
		}
	}
	return k == len(links)
}

// unbook ends the channel of a transfer and returns what it cost beside its bytes.
func (r *run) unbook(m *move) unit.Money {
	k := m.booking
	m.booking = booking{}
	if !k.own {
		return 0
	}
	route, _ := r.topo.AppendRoute(r.route[:0], m.leg.From, m.leg.To)
	r.route = route
	r.reserving = r.reservable(r.reserving[:0], route)
	if now := r.now(); now < k.until {
		r.booked.calendar.Release(r.reserving, k.rate, now, k.until)
	}
	r.closeChannel(k.channel, k.rate.For(r.now().Sub(m.requested)))
	return k.spec.Rent.For(k.rate, r.now().Sub(m.requested))
}

// reservationMetrics tells what became of what was asked for.
func (r *run) reservationMetrics(m *sheet) {
	b := &r.booked
	if b.calendar == nil {
		return
	}
	m.put("all", "reservations_asked", float64(b.asked))
	m.put("all", "reservations_admitted", float64(b.admitted))
	if b.asking > 0 {
		m.put("all", "reservations_honoured_share", b.got/b.asking)
	}
	m.put("all", "reservations_rent_money", float64(b.rent))
}
