package scenario

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tiersim/sim/profile"
	"tiersim/sim/unit"
)

// A calendar says what time of day and day of the week a run begins at.
type calendar struct {
	timeOfDay unit.Seconds
	day       int // 0 is Monday
}

// calendarOf returns the calendar of a run that begins at a date; midnight of a
// Monday where there is none.
func calendarOf(t time.Time) calendar {
	if t.IsZero() {
		return calendar{}
	}
	h, m, s := t.Clock()
	return calendar{unit.Seconds(h*3600 + m*60 + s), (int(t.Weekday()) + 6) % 7}
}

// Steps of what changes all the time, where none is written.
const (
	ouStep    = 60 * unit.Second     // chosen: a thirtieth of a usual tau, 30 min
	dailyStep = 5 * 60 * unit.Second // chosen: the daily cycle moves by at most 1.1 % of its amplitude
)

// constant reports whether the profile never changes.
func (p *profileValue) constant() bool { return p.kind == "constant" && p.daily == nil }

// values are all the levels of a profile.
func (p *profileValue) values() (all []profile.Value) {
	for _, x := range p.points {
		all = append(all, x.Value)
	}
	for _, s := range p.states {
		all = append(all, s.value)
	}
	if p.kind == "ou" {
		all = append(all, value(p.mean, profile.Value{Number: 1}))
	}
	for _, v := range []*profile.Value{p.floor, p.ceiling} {
		if v != nil {
			all = append(all, *v)
		}
	}
	return all
}

// hasFactor and hasRate report whether a level is a factor of the capacity, a rate.
func (p *profileValue) hasFactor() bool {
	return slices.ContainsFunc(p.values(), func(v profile.Value) bool { return !v.Absolute })
}

func (p *profileValue) hasRate() bool {
	return slices.ContainsFunc(p.values(), func(v profile.Value) bool { return v.Absolute })
}

func (p *profileValue) steps(points []profile.Point) (*profile.Steps, error) {
	if p.then == "loop" {
		return profile.Loop(points, *p.period)
	}
	return profile.Hold(points)
}

func (p *profileValue) markov(base unit.Rate) (profile.Law, error) {
	states := make([]profile.State, len(p.states))
	for i, s := range p.states {
		states[i] = profile.State{Value: float64(s.value.Of(base)), Dwell: s.dwell, To: s.to}
	}
	if p.start != nil {
		return profile.NewMarkov(states, *p.start-1)
	}
	return profile.NewMarkovStationary(states)
}

// law returns the profile on a link of capacity base: rates in bytes per second,
// or factors where base is 1.
func (p *profileValue) law(base unit.Rate, c calendar) (law profile.Law, err error) {
	switch p.kind {
	case "markov":
		law, err = p.markov(base)
	case "ou":
		mean := value(p.mean, profile.Value{Number: 1}).Of(base)
		law, err = profile.NewOU(float64(mean), *p.sigma, *p.tau, value(p.step, ouStep))
	default:
		law, err = p.steps(profile.Resolve(p.points, base))
	}
	if err != nil {
		return nil, err
	}
	if p.daily != nil {
		step := dailyStep
		if p.kind == "ou" {
			step = ouStep
		}
		law, err = profile.NewDaily(law, profile.Daily{
			Amplitude: p.daily.amplitude, Peak: p.daily.peak, Weekend: p.daily.weekend,
			Step: value(p.step, step), StartOfDay: c.timeOfDay, StartDay: c.day,
		})
		if err != nil {
			return nil, err
		}
	}
	if p.floor == nil && p.ceiling == nil {
		return law, nil
	}
	floor, ceiling := 0.0, math.Inf(1)
	if p.floor != nil {
		floor = float64(p.floor.Of(base))
	}
	if p.ceiling != nil {
		ceiling = float64(p.ceiling.Of(base))
	}
	return profile.NewBounded(law, min(floor, ceiling), ceiling)
}

// level returns the rate of a constant profile on a link of capacity base.
func (p *profileValue) level(base unit.Rate) unit.Rate {
	v := p.value.Of(base)
	if p.floor != nil {
		v = max(v, p.floor.Of(base))
	}
	if p.ceiling != nil {
		v = min(v, p.ceiling.Of(base))
	}
	return v
}

// fluctuates returns the profile of a link where it changes in time.
func (l *linkValue) fluctuates() *profileValue {
	if f := l.fluctuation; f != nil && f.profile != nil && !f.profile.constant() {
		return f.profile
	}
	return nil
}

// nominal is the link's capacity where nothing changes in time: its own, by a
// constant fluctuation.
func (l *linkValue) nominal() unit.Rate {
	capacity := l.base()
	if f := l.fluctuation; f != nil && f.profile != nil && f.profile.constant() {
		capacity = f.profile.level(capacity)
	}
	return capacity
}

// constantLeft is what a background that never changes leaves of a capacity.
func (b *background) constantLeft(capacity unit.Rate) unit.Rate {
	switch {
	case b == nil || b.profile != nil && !b.profile.constant():
		return capacity
	case b.profile == nil:
		if left := 1 - b.share; left < 1 {
			return unit.Rate(left * float64(capacity))
		}
		return capacity
	case b.profile.value.Absolute:
		return max(0, capacity-b.profile.level(1))
	}
	return unit.Rate(max(0, 1-float64(b.profile.level(1))) * float64(capacity))
}

// capacityInTime returns the capacity of a link in time, nil where it is constant:
// what the fluctuation gives, times what outages leave, less what others use.
func (l *linkValue) capacityInTime(d *decoder, c calendar) profile.Law {
	p, o := l.fluctuates(), l.outages
	varies := l.background != nil && l.background.profile != nil && !l.background.profile.constant()
	if p == nil && o == nil && !varies {
		return nil
	}
	var law profile.Law = profile.Constant{Value: profile.Value{Number: float64(l.nominal()), Absolute: true}}
	if p != nil {
		if p.hasFactor() && l.capacity == nil {
			d.fault(l.fluctuation.node, "got factors of a capacity that is not given; write a capacity for the link, or give the values units")
			return nil
		}
		var err error
		if law, err = p.law(l.base(), c); err != nil {
			d.fault(l.fluctuation.node, "%v", err)
			return nil
		}
	}
	if law = l.lessBackground(d, law, c); law == nil {
		return nil
	}
	switch {
	case o == nil:
		return law
	case p == nil && !varies:
		return profile.Scaled(o.law, float64(l.background.constantLeft(l.nominal())))
	}
	return profile.Product(law, o.law)
}

// lessBackground takes what others use from a capacity.
func (l *linkValue) lessBackground(d *decoder, law profile.Law, c calendar) profile.Law {
	b := l.background
	switch {
	case b == nil:
		return law
	case b.profile == nil:
		if b.share == 0 {
			return law
		}
		return profile.Scaled(law, 1-b.share)
	case b.profile.hasFactor() && b.profile.hasRate():
		d.fault(b.node, "got shares and rates in one background; give all values a unit, or none")
		return nil
	}
	used, err := b.profile.law(1, c)
	if err != nil {
		d.fault(b.node, "%v", err)
		return nil
	}
	if b.profile.hasRate() {
		return profile.Less(law, used)
	}
	one := profile.Constant{Value: profile.Value{Number: 1}}
	return profile.Product(law, profile.Less(one, used))
}

// An outagesValue is when a link is down as it is written.
type outagesValue struct {
	up, down *distributionValue
	degrade  *degradeValue
	windows  []windowValue

	law profile.Law
}

type degradeValue struct{ share, to float64 }

// A windowValue is a span of time from an instant to a later one.
type windowValue struct{ from, to unit.Time }

func outagesObject() object[outagesValue] {
	some := optional(distributionObject().form())
	return object[outagesValue]{name: "outages", check: checkOutages, fields: []field[outagesValue]{
		key("up", some, func(o *outagesValue) **distributionValue { return &o.up }, "how long the link is up between two outages"),
		key("down", some, func(o *outagesValue) **distributionValue { return &o.down }, "how long an outage is"),
		key("degrade", optional(degradeObject().form()), func(o *outagesValue) **degradeValue { return &o.degrade }, "outages that only weaken the link"),
		key("windows", listOf(windowForm(), "[[3h, 4h]]"), func(o *outagesValue) *[]windowValue { return &o.windows }, "outages that are known: from when to when"),
	}}
}

func degradeObject() object[degradeValue] {
	return object[degradeValue]{name: "degrade", fields: []field[degradeValue]{
		key("share", share(1), func(x *degradeValue) *float64 { return &x.share }, "share of the outages that do").needed("25%"),
		key("to", share(1), func(x *degradeValue) *float64 { return &x.to }, "what they leave of the capacity").needed("50%"),
	}}
}

// windowForm is two instants.
func windowForm() form[windowValue] {
	return form[windowValue]{
		&shape{kind: listShape, elem: &shape{json: secondsJSON, scales: true}, json: `{"type":"array","prefixItems":[` + secondsJSON + `,` + secondsJSON + `],"minItems":2,"maxItems":2}`},
		func(d *decoder, n *node, into *windowValue) {
			if n.kind != list || len(n.items) != 2 {
				d.fault(n, "%s, want two instants such as [3h, 4h]", n.got())
				return
			}
			var from, to unit.Seconds
			before := len(d.faults)
			length().read(d, n.items[0], &from)
			length().read(d, n.items[1], &to)
			if len(d.faults) == before && from >= to {
				d.fault(n, "got an end that is not after the begin; write [%v, %v]", to, from+to)
			}
			*into = windowValue{unit.Time(from), unit.Time(to)}
		},
	}
}

func checkOutages(d *decoder, n *node, o *outagesValue) {
	if (o.up == nil) != (o.down == nil) {
		d.fault(n, "got one of up and down, and outages must have both; write up: {kind: exponential, mean: 2000h}, down: {kind: lognormal, mean: 1h, sigma: 1}")
		return
	}
	if o.up == nil && o.windows == nil {
		d.fault(n, "no outages; write up and down, or windows: [[3h, 4h]]")
		return
	}
	x := profile.Outages{}
	if o.up != nil {
		x.Up, x.Down = o.up.law, o.down.law
	}
	if o.degrade != nil {
		if o.up == nil {
			d.fault(n.get("degrade"), "has no effect on windows; remove it")
			return
		}
		x.Share, x.To = o.degrade.share, o.degrade.to
	}
	for _, w := range o.windows {
		x.Windows = append(x.Windows, [2]unit.Time{w.from, w.to})
	}
	var err error
	if o.law, err = profile.NewOutages(x); err != nil {
		d.fault(n, "%v", err)
	}
}

// A shaperValue is a token bucket as it is written.
type shaperValue struct {
	burst, refill unit.Rate
	size          unit.Bytes
}

func shaperObject() object[shaperValue] {
	return object[shaperValue]{name: "shaper", check: checkShaper, fields: []field[shaperValue]{
		key("burst", rateAboveZero(), func(s *shaperValue) *unit.Rate { return &s.burst }, "rate while there are tokens").needed("10Gbit/s"),
		key("refill", rateAboveZero(), func(s *shaperValue) *unit.Rate { return &s.refill }, "rate at which tokens come, and the rate without any").needed("1Gbit/s"),
		key("size", bytesAboveZero(), func(s *shaperValue) *unit.Bytes { return &s.size }, "how many tokens the bucket holds; it begins full").needed("675GB"),
	}}
}

func checkShaper(d *decoder, n *node, s *shaperValue) {
	if s.burst <= s.refill {
		d.fault(n.get("burst"), "got a rate that is not above refill, %v; write more, or give the link that capacity and no shaper", s.refill)
	}
}

// check of a background: a share, or a profile of shares or rates.
func (b *background) check(d *decoder) {
	if b == nil || b.profile == nil {
		return
	}
	for _, v := range b.profile.values() {
		if !v.Absolute && v.Number > 1 {
			d.fault(b.node, "got a share of %v, and others use at most 100%%; write a share, or give the value a unit", fmt.Sprint(v.Number))
			return
		}
	}
}
