package network

import (
	"fmt"
	"math"
	"slices"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Calendar knows what is reserved of each directed link and when: a step function
// of time for each. It admits on every hop of a route or not at all, and it moves
// nothing: whoever reserves opens the channel when its time comes.
//
// Rates are counted in whole parts (partsOf), so that a release leaves no rounding
// behind, and seven sevenths are a whole.
//
// Source: one calendar for each link, a fixed rate in a window, or a volume by a
// deadline at the earliest completion, as in OSCARS (Balman et al., Lawrence
// Berkeley National Laboratory, osti.gov 1000959).
type Calendar struct {
	links  []dates
	begins unit.Time // what lies before it is forgotten
}

// dates is what is reserved of a link. Its parts are 2^-scale bytes per second.
type dates struct {
	reservable unit.Rate
	scale      int
	all        int64  // parts of reservable
	steps      []step // in order of time; before the first, nothing is reserved
}

// A step is what is reserved of a link from an instant until the next step.
type step struct {
	at    unit.Time
	parts int64
}

// A Piece is a rate from an instant to another.
type Piece struct {
	From, To unit.Time
	Rate     unit.Rate
}

// NewCalendar returns an empty calendar of links, by what can be reserved of each;
// a link that is unlimited admits everything, one of 0 nothing.
func NewCalendar(reservable []unit.Rate) *Calendar {
	c := &Calendar{links: make([]dates, len(reservable)), begins: unit.Time(math.Inf(-1))}
	for l, r := range reservable {
		if !(r >= 0) {
			panic(fmt.Sprintf("network: %v can be reserved of link %d", float64(r), l))
		}
		d := &c.links[l]
		d.reservable = r
		if r < unit.Unlimited() {
			_, exponent := math.Frexp(float64(r))
			d.scale = digits - exponent
			d.all = d.partsOf(r)
		}
	}
	return c
}

// Reserve reserves a rate on a route in [from, to), or reports that some hop has
// no room. What lies before a forgotten instant has room for everything.
func (c *Calendar) Reserve(route []topo.LinkID, rate unit.Rate, from, to unit.Time) bool {
	mustBeWindow(rate, from, to)
	for _, l := range route {
		if _, busy := c.links[l].blocked(rate, max(from, c.begins), to); busy {
			return false
		}
	}
	for _, l := range route {
		d := &c.links[l]
		d.add(d.partsOf(rate), max(from, c.begins), to)
	}
	return true
}

// Release gives back what Reserve or Book reserved, or a part of its window. It
// panics where that was not reserved.
func (c *Calendar) Release(route []topo.LinkID, rate unit.Rate, from, to unit.Time) {
	mustBeWindow(rate, from, to)
	for _, l := range route {
		d := &c.links[l]
		d.add(-d.partsOf(rate), max(from, c.begins), to)
	}
}

// EarliestFixed returns the earliest instant, not before after, from which a rate
// has room on the whole route for that long, and whether there is one.
func (c *Calendar) EarliestFixed(route []topo.LinkID, rate unit.Rate, length unit.Seconds, after unit.Time) (unit.Time, bool) {
	mustBeWindow(rate, after, after.Add(length))
	at := after
	for i, clear := 0, 0; clear < len(route); {
		until, busy := c.links[route[i]].blocked(rate, max(at, c.begins), at.Add(length))
		switch {
		case !busy:
			i, clear = (i+1)%len(route), clear+1
		case until == unit.Forever():
			return 0, false
		default:
			at, clear = until, 0
		}
	}
	return at, true
}

// EarliestVolume returns the pieces in which bytes get through a route soonest, not
// before after: at every instant what the fullest hop leaves, at most maxRate. It
// reports whether they are through by the deadline. There are no pieces where
// nothing limits the rate. Nothing is reserved: that is for Book.
func (c *Calendar) EarliestVolume(route []topo.LinkID, bytes unit.Bytes, after, deadline unit.Time, maxRate unit.Rate) ([]Piece, bool) {
	if !(bytes >= 0) || math.IsInf(float64(bytes), 1) || !(maxRate > 0) || math.IsInf(float64(after), 0) {
		panic(fmt.Sprintf("network: a volume of %v bytes after %v s, at most %v bytes/s", float64(bytes), float64(after), float64(maxRate)))
	}
	var pieces []Piece
	at, left := after, bytes
	for left > 0 {
		rate, until := c.free(route, at)
		rate = min(rate, maxRate)
		if end := at.Add(left.Over(rate)); rate > 0 && end <= until {
			if rate < unit.Unlimited() && end > at {
				pieces = appendPiece(pieces, Piece{at, end, rate})
			}
			at = end
			break
		}
		if until >= deadline {
			return nil, false
		}
		pieces = appendPiece(pieces, Piece{at, until, rate})
		at, left = until, left-rate.For(until.Sub(at))
	}
	if at > deadline {
		return nil, false
	}
	return pieces, true
}

// appendPiece appends a piece, joined to the last where they touch at one rate.
func appendPiece(pieces []Piece, p Piece) []Piece {
	if p.Rate == 0 {
		return pieces
	}
	if k := len(pieces) - 1; k >= 0 && pieces[k].To == p.From && pieces[k].Rate == p.Rate {
		pieces[k].To = p.To
		return pieces
	}
	return append(pieces, p)
}

// Book reserves pieces as EarliestVolume returned them. It panics where one of them
// has no room any more.
func (c *Calendar) Book(route []topo.LinkID, pieces []Piece) {
	for _, p := range pieces {
		if !c.Reserve(route, p.Rate, p.From, p.To) {
			panic(fmt.Sprintf("network: %v bytes/s from %v s to %v s cannot be booked", float64(p.Rate), float64(p.From), float64(p.To)))
		}
	}
}

// Reserved returns what is reserved of a link at an instant; 0 where everything is
// admitted.
func (c *Calendar) Reserved(l topo.LinkID, at unit.Time) unit.Rate {
	d := &c.links[l]
	return d.rateOf(d.at(at))
}

// Forget drops what is known of the time before an instant. Reservations and
// releases then count from there on.
func (c *Calendar) Forget(before unit.Time) {
	c.begins = max(c.begins, before)
	for l := range c.links {
		d := &c.links[l]
		if i := d.find(before); i > 0 {
			d.steps = slices.Delete(d.steps, 0, i) // i stays: it holds at that instant
		}
		if len(d.steps) > 0 && d.steps[0].parts == 0 && d.steps[0].at <= before {
			d.steps = slices.Delete(d.steps, 0, 1)
		}
	}
}

// CopyFrom makes c an independent copy of o, in the storage that c has.
func (c *Calendar) CopyFrom(o *Calendar) {
	c.begins = o.begins
	links := slices.Grow(c.links[:0], len(o.links))[:len(o.links)]
	for i := range o.links {
		steps := links[i].steps
		links[i] = o.links[i]
		links[i].steps = append(steps[:0], o.links[i].steps...)
	}
	c.links = links
}

// free returns what a route leaves at an instant, and until when at least.
func (c *Calendar) free(route []topo.LinkID, at unit.Time) (rate unit.Rate, until unit.Time) {
	rate, until = unit.Unlimited(), unit.Forever()
	for _, l := range route {
		d := &c.links[l]
		if d.reservable == unit.Unlimited() {
			continue
		}
		if i := d.find(at) + 1; i < len(d.steps) {
			until = min(until, d.steps[i].at)
		}
		rate = min(rate, d.rateOf(d.all-d.at(at)))
	}
	return rate, until
}

func mustBeWindow(rate unit.Rate, from, to unit.Time) {
	if !(rate > 0) || math.IsInf(float64(rate), 1) || !(from < to) || math.IsInf(float64(from), 0) {
		panic(fmt.Sprintf("network: a reservation of %v bytes/s from %v s to %v s", float64(rate), float64(from), float64(to)))
	}
}
