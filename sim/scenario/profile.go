package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/profile"
	"tiersim/sim/unit"
)

// A profileValue is a profile as it is written.
type profileValue struct {
	node           *node
	kind           string
	value          *profile.Value
	written        []profile.Point // points:
	file           text
	unit           text
	then           string
	period         *unit.Seconds
	states         []stateValue
	start          *int
	mean           *profile.Value
	sigma          *float64
	tau, step      *unit.Seconds
	daily          *dailyValue
	floor, ceiling *profile.Value

	points []profile.Point // of constant and recorded
}

// A stateValue is a regime of a Markov profile.
type stateValue struct {
	value profile.Value
	dwell unit.Seconds
	to    []float64
}

// A dailyValue is a daily cycle.
type dailyValue struct {
	amplitude float64
	peak      unit.Seconds
	weekend   float64
}

// A fluctuation is a link's profile: one by name, or one written in place.
type fluctuation struct {
	node    *node
	name    string
	profile *profileValue
}

func profileForm() form[profileValue] { return profileObject().form() }

func profileObject() object[profileValue] {
	level := optional(levelForm())
	return object[profileValue]{name: "profile", check: checkProfile, fields: []field[profileValue]{
		key("kind", word("constant", "recorded", "markov", "ou"), func(p *profileValue) *string { return &p.kind }, "how the value behaves").needed("recorded"),
		key("value", level, func(p *profileValue) **profile.Value { return &p.value }, "of constant: a factor of the capacity, or a rate"),
		key("points", listOf(pointForm(), "[[0s, 1.0], [120s, 6Gbit/s]]"), func(p *profileValue) *[]profile.Point { return &p.written }, "of recorded: instants and the values from then on"),
		key("file", anyText("a file such as link.csv"), func(p *profileValue) *text { return &p.file }, "of recorded: a CSV file with the columns time_s and value"),
		key("unit", anyText("the unit of a rate such as Gbit/s"), func(p *profileValue) *text { return &p.unit }, "of the values in the file; left out, they are factors"),
		key("then", word("hold", "loop"), func(p *profileValue) *string { return &p.then }, "what comes after the last point: its value, or all of it again with every period").or("hold"),
		key("period", optional(length()), func(p *profileValue) **unit.Seconds { return &p.period }, "of a loop"),
		key("states", listOf(stateObject().form(), "[{value: 1, dwell: 600s}, {value: 0.2, dwell: 200s}]"), func(p *profileValue) *[]stateValue { return &p.states }, "of markov: its regimes"),
		key("start", optional(whole(1, 1000, "1")), func(p *profileValue) **int { return &p.start }, "of markov: the state it begins in, counted from 1; left out, drawn by how long it is in each"),
		key("mean", level, func(p *profileValue) **profile.Value { return &p.mean }, "of ou: its expectation; left out, the whole capacity"),
		key("sigma", optional(atLeastZero()), func(p *profileValue) **float64 { return &p.sigma }, "of ou: standard deviation of the logarithm"),
		key("tau", optional(lengthAboveZero()), func(p *profileValue) **unit.Seconds { return &p.tau }, "of ou: time over which it is correlated"),
		key("step", optional(lengthFrom(shortest)), func(p *profileValue) **unit.Seconds { return &p.step }, "of ou and of a daily cycle: how long a value holds; left out, 60s for ou, else 5min"),
		key("daily", optional(dailyObject().form()), func(p *profileValue) **dailyValue { return &p.daily }, "a daily cycle that multiplies it"),
		key("floor", level, func(p *profileValue) **profile.Value { return &p.floor }, "least value: a factor or a rate"),
		key("ceiling", level, func(p *profileValue) **profile.Value { return &p.ceiling }, "largest value: a factor or a rate"),
	}}
}

func stateObject() object[stateValue] {
	return object[stateValue]{name: "state", fields: []field[stateValue]{
		key("value", levelForm(), func(s *stateValue) *profile.Value { return &s.value }, "a factor of the capacity, or a rate").needed("0.2"),
		key("dwell", lengthFrom(shortest), func(s *stateValue) *unit.Seconds { return &s.dwell }, "how long it stays on average").needed("600s"),
		key("to", listOf(share(1), "[0, 30%, 70%]"), func(s *stateValue) *[]float64 { return &s.to }, "shares of the states that come next, in their order; left out, the others evenly"),
	}}
}

func dailyObject() object[dailyValue] {
	return object[dailyValue]{name: "daily", fields: []field[dailyValue]{
		key("amplitude", share(1), func(x *dailyValue) *float64 { return &x.amplitude }, "how much less there is at the peak of use").needed("30%"),
		key("peak", clockForm(), func(x *dailyValue) *unit.Seconds { return &x.peak }, "time of day of the peak of use, when the value is least").needed(`"21:00"`),
		key("weekend", atLeastZero(), func(x *dailyValue) *float64 { return &x.weekend }, "factor of the amplitude on Saturdays and Sundays").or("1"),
	}}
}

// clockForm is a time of day.
func clockForm() form[unit.Seconds] {
	return parsed(`{"type":"string","pattern":"^([01]?\\d|2[0-3]):[0-5]\\d$","examples":["21:00"]}`, false, func(s string) (unit.Seconds, error) {
		hours, minutes, ok := strings.Cut(s, ":")
		h, err1 := strconv.ParseUint(hours, 10, 8)
		m, err2 := strconv.ParseUint(minutes, 10, 8)
		if !ok || err1 != nil || err2 != nil || h > 23 || m > 59 || len(minutes) != 2 {
			return 0, fmt.Errorf("got %q, want a time of day such as \"21:00\"", clip(s))
		}
		return unit.Seconds(h)*unit.Hour + unit.Seconds(m)*60, nil
	})
}

// levelForm is a factor of a link's capacity, or a rate.
func levelForm() form[profile.Value] {
	json := `{"anyOf":[` + shareJSON + `,` + rateJSON + `]}`
	return parsed(json, true, parseLevel)
}

func parseLevel(s string) (profile.Value, error) {
	if strings.ContainsAny(s, "/") {
		r, err := unit.ParseRate(s)
		return profile.Value{Number: float64(r), Absolute: true}, err
	}
	v, err := unit.ParseShare(s)
	if err != nil {
		return profile.Value{}, fmt.Errorf("got %q, want a factor such as 0.5, or a rate such as 6Gbit/s", clip(s))
	}
	return profile.Value{Number: v}, nil
}

func pointForm() form[profile.Point] {
	return form[profile.Point]{
		&shape{kind: listShape, elem: &shape{json: textJSON, scales: true}, json: `{"type":"array","prefixItems":[` + secondsJSON + `,{"anyOf":[` + shareJSON + `,` + rateJSON + `]}],"minItems":2,"maxItems":2}`},
		func(d *decoder, n *node, into *profile.Point) {
			if n.kind != list || len(n.items) != 2 {
				d.fault(n, "%s, want an instant and a value such as [120s, 0.5]", n.got())
				return
			}
			var at unit.Seconds
			length().read(d, n.items[0], &at)
			into.At = unit.Time(at)
			levelForm().read(d, n.items[1], &into.Value)
		},
	}
}

func fluctuationForm() form[fluctuation] {
	inPlace := profileForm()
	return form[fluctuation]{
		&shape{kind: eitherShape, any: []*shape{{json: textJSON}, inPlace.shape}},
		func(d *decoder, n *node, into *fluctuation) {
			into.node = n
			switch n.kind {
			case scalar:
				into.name = n.text
			case mapping:
				into.profile = new(profileValue)
				inPlace.read(d, n, into.profile)
			default:
				d.fault(n, "%s, want the name of a profile, or one such as {kind: constant, value: 0.8}", n.got())
			}
		},
	}
}

// profileKeys are the keys of each kind of profile.
var profileKeys = map[string][]string{
	"constant": {"value"},
	"recorded": {"points", "file", "unit", "then", "period"},
	"markov":   {"states", "start"},
	"ou":       {"mean", "sigma", "tau", "step"},
}

// checkProfile gathers the points of a profile and looks at what its keys say
// together.
func checkProfile(d *decoder, n *node, p *profileValue) {
	p.node = n
	meant := append(slices.Clone(profileKeys[p.kind]), "kind", "daily", "floor", "ceiling")
	if p.daily != nil {
		meant = append(meant, "step")
	}
	for _, e := range n.entries {
		if !slices.Contains(meant, e.key) {
			article := "a"
			if p.kind == "ou" {
				article = "an"
			}
			d.faults = append(d.faults, e.at.fault(joinKey(n.path, e.key), fmt.Sprintf("has no effect on %s %s profile; remove it", article, p.kind)))
		}
	}
	if f, c := p.floor, p.ceiling; f != nil && c != nil && f.Absolute == c.Absolute && f.Number > c.Number {
		d.fault(n.get("floor"), "got more than the ceiling, %q; write at most that", n.textOf("ceiling"))
		return
	}
	switch p.kind {
	case "constant":
		if p.value == nil {
			d.fault(n, "no value, and a constant profile must have one; write value: 0.8")
			return
		}
		p.points = []profile.Point{{Value: *p.value}}
	case "markov":
		p.checkStates(d, n)
	case "ou":
		if p.sigma == nil || p.tau == nil {
			d.fault(n, "no sigma or no tau, and an ou profile must have both; write sigma: 0.25, tau: 30m")
		}
	default:
		p.record(d, n)
	}
}

func (p *profileValue) checkStates(d *decoder, n *node) {
	if len(p.states) < 2 {
		d.fault(n, "no two states, and a markov profile must have them; write states: [{value: 1, dwell: 600s}, {value: 0.2, dwell: 200s}]")
		return
	}
	if p.start != nil && *p.start > len(p.states) {
		d.fault(n.get("start"), "got %d, want one of the %d states; write 1", *p.start, len(p.states))
		return
	}
	if _, err := p.markov(1); err != nil {
		d.fault(n.get("states"), "%v", err)
	}
}

func (p *profileValue) record(d *decoder, n *node) {
	switch {
	case p.file.node != nil && p.written != nil:
		d.fault(n, "got points and a file; keep one")
		return
	case p.file.node != nil:
		p.points = d.load.points(d, p.file, p.unit.string)
	case p.written == nil:
		d.fault(n, "no points, and a recorded profile must have some; write points: [[0s, 1.0], [120s, 0.5]], or file: link.csv")
		return
	case p.unit.node != nil:
		d.fault(p.unit.node, "has no effect on points; write the unit behind each value, as in 6Gbit/s")
	default:
		p.points = p.written
	}
	if (p.then == "loop") != (p.period != nil) {
		if p.period != nil {
			d.fault(n.get("period"), "has no effect without then: loop; write then: loop, or remove it")
		} else {
			d.fault(n.get("then"), "got \"loop\" and no period; write period: 1d")
		}
		return
	}
	if len(p.points) == 0 {
		if p.file.node == nil {
			d.fault(n.get("points"), "got no points, want at least one; write [[0s, 1.0]]")
		}
		return
	}
	if _, err := p.steps(profile.Resolve(p.points, 1)); err != nil {
		d.fault(n, "%v", err)
	}
}

// resolveProfiles gives every link that names a profile the one of that name.
func (t *topologyFile) resolveProfiles(d *decoder) {
	var names []string
	for _, p := range t.profiles {
		names = append(names, p.name)
	}
	resolve := func(f *fluctuation) {
		if f == nil || f.profile != nil || f.name == "" {
			return
		}
		i := slices.Index(names, f.name)
		if i < 0 {
			message := unknownName(f.name, "profile", names)
			if _, ok := fault.Suggest(f.name, names); !ok {
				message += "; write one under profiles"
			}
			d.fault(f.node, "%s", message)
			return
		}
		f.profile = &t.profiles[i].value
	}
	for _, l := range t.allLinks() {
		resolve(l.fluctuation)
		if l.background != nil {
			resolve(&l.background.fluctuation)
		}
	}
	t.eachPool(func(p *poolValue) { resolve(&p.held.fluctuation) })
}

// allLinks returns every link that is written, tiers included.
func (t *topologyFile) allLinks() []*linkValue {
	all := []*linkValue{&t.tiers.room, &t.tiers.city, &t.tiers.hub}
	for i := range t.hubs {
		for j := range t.hubs[i].cities {
			c := &t.hubs[i].cities[j]
			all = append(all, &c.link)
			for k := range c.rooms {
				all = append(all, &c.rooms[k].link)
			}
		}
	}
	for i := range t.links {
		all = append(all, &t.links[i].link)
	}
	return all
}

// eachPool calls do for every pool that is written.
func (t *topologyFile) eachPool(do func(*poolValue)) {
	for i := range t.hubs {
		for j := range t.hubs[i].cities {
			for k := range t.hubs[i].cities[j].rooms {
				pools := t.hubs[i].cities[j].rooms[k].pools
				for p := range pools {
					do(&pools[p])
				}
			}
		}
	}
}
