package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/profile"
	"tiersim/sim/unit"
)

// A profileValue is a profile as it is written.
type profileValue struct {
	kind           string
	value          *profile.Value
	written        []profile.Point // points:
	file           text
	unit           text
	then           string
	period         *unit.Seconds
	floor, ceiling *profile.Value

	points []profile.Point // whatever the kind
}

// A fluctuation is a link's profile: one by name, or one written in place.
type fluctuation struct {
	node    *node
	name    string
	profile *profileValue
}

func profileForm() form[profileValue] { return profileObject().form() }

func profileObject() object[profileValue] {
	return object[profileValue]{name: "profile", check: checkProfile, fields: []field[profileValue]{
		key("kind", word("constant", "recorded"), func(p *profileValue) *string { return &p.kind }, "how the value behaves").needed("recorded"),
		key("value", optional(levelForm()), func(p *profileValue) **profile.Value { return &p.value }, "of constant: a factor of the capacity, or a rate"),
		key("points", listOf(pointForm(), "[[0s, 1.0], [120s, 6Gbit/s]]"), func(p *profileValue) *[]profile.Point { return &p.written }, "of recorded: instants and the values from then on"),
		key("file", anyText("a file such as link.csv"), func(p *profileValue) *text { return &p.file }, "of recorded: a CSV file with the columns time_s and value"),
		key("unit", anyText("the unit of a rate such as Gbit/s"), func(p *profileValue) *text { return &p.unit }, "of the values in the file; left out, they are factors"),
		key("then", word("hold", "loop"), func(p *profileValue) *string { return &p.then }, "what comes after the last point: its value, or all of it again with every period").or("hold"),
		key("period", optional(length()), func(p *profileValue) **unit.Seconds { return &p.period }, "of a loop"),
		key("floor", optional(levelForm()), func(p *profileValue) **profile.Value { return &p.floor }, "least value: a factor or a rate"),
		key("ceiling", optional(levelForm()), func(p *profileValue) **profile.Value { return &p.ceiling }, "largest value: a factor or a rate"),
	}}
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

// checkProfile gathers the points of a profile and looks at what its keys say
// together.
func checkProfile(d *decoder, n *node, p *profileValue) {
	belongs := map[string][]string{
		"constant": {"kind", "value", "floor", "ceiling"},
		"recorded": {"kind", "points", "file", "unit", "then", "period", "floor", "ceiling"},
	}
	for _, e := range n.entries {
		if !slices.Contains(belongs[p.kind], e.key) {
			d.faults = append(d.faults, e.at.fault(joinKey(n.path, e.key), fmt.Sprintf("has no effect on a %s profile; remove it", p.kind)))
		}
	}
	if f, c := p.floor, p.ceiling; f != nil && c != nil && f.Absolute == c.Absolute && f.Number > c.Number {
		d.fault(n.get("floor"), "got more than the ceiling, %q; write at most that", n.textOf("ceiling"))
		return
	}
	if p.kind == "constant" {
		if p.value == nil {
			d.fault(n, "no value, and a constant profile must have one; write value: 0.8")
			return
		}
		p.points = []profile.Point{{Value: *p.value}}
		return
	}
	p.record(d, n)
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

// constant reports whether the profile never changes.
func (p *profileValue) constant() bool { return p.kind == "constant" }

// needsCapacity reports whether a constant profile has a factor of the capacity.
func (p *profileValue) needsCapacity() bool {
	factor := func(v *profile.Value) bool { return v != nil && !v.Absolute }
	return factor(p.value) || factor(p.floor) || factor(p.ceiling)
}

func (p *profileValue) steps(points []profile.Point) (*profile.Steps, error) {
	if p.then == "loop" {
		return profile.Loop(points, *p.period)
	}
	return profile.Hold(points)
}

// bounded returns the rates of the points on a link of capacity base, within
// floor and ceiling.
func (p *profileValue) bounded(base unit.Rate) []profile.Point {
	points := profile.Resolve(p.points, base)
	floor, ceiling := unit.Rate(0), unit.Unlimited()
	if p.floor != nil {
		floor = p.floor.Of(base)
	}
	if p.ceiling != nil {
		ceiling = p.ceiling.Of(base)
	}
	for i := range points {
		v := &points[i].Value.Number
		*v = min(max(*v, float64(floor)), float64(ceiling))
	}
	return points
}

// capacityInTime returns the capacity of a link in time, nil where it is constant; the
// background takes its share of what the profile gives.
func (l *linkValue) capacityInTime(d *decoder) profile.Profile {
	if l.fluctuation == nil || l.fluctuation.profile == nil || l.fluctuation.profile.constant() {
		return nil
	}
	points := l.fluctuation.profile.bounded(l.base())
	for i := range points {
		v := points[i].Value.Number
		if math.IsInf(v, 1) {
			d.fault(l.fluctuation.node, "got factors of a capacity that is not given; write a capacity for the link, or give the values units")
			return nil
		}
		points[i].Value.Number = v * l.left()
	}
	steps, err := l.fluctuation.profile.steps(points)
	if err != nil {
		d.fault(l.fluctuation.node, "%v", err)
		return nil
	}
	return steps
}

// resolveProfiles gives every link that names a profile the one of that name.
func (t *topologyFile) resolveProfiles(d *decoder) {
	var names []string
	for _, p := range t.profiles {
		names = append(names, p.name)
	}
	resolve := func(l *linkValue) {
		f := l.fluctuation
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
		resolve(l)
	}
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
