package scenario

import (
	"fmt"
	"slices"

	"tiersim/sim/fault"
	"tiersim/sim/pool"
	"tiersim/sim/profile"
	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// An interruptionsValue is what takes the slots of a pool away as it is written:
// contracts by name, or in place.
type interruptionsValue struct {
	node      *node
	none      bool
	contracts []contractValue
}

// A contractValue is one contract: a name, or one written in place.
type contractValue struct {
	node                  *node
	name                  string // of one under the topology's interruptions, until it is resolved
	kind                  string
	mtbf                  *unit.Seconds
	repair                *distributionValue
	up, down              *distributionValue
	file                  text
	written               []slotsPoint
	unit                  string
	then                  string
	period                *unit.Seconds
	every, length, notice *unit.Seconds

	available []profile.Point // of recorded: in its unit
	whole     bool            // it has no faults
}

// A slotsPoint is an instant and a number or a share of slots from then on.
type slotsPoint struct {
	at    unit.Time
	value float64
}

// Defaults of contracts. A node's failures are those of Llama 3's training,
// 3.8·10⁻³ a node-day (Meta, 2024); spot capacity is fitted to the traces of
// SkyPilot (Wu et al., NSDI 2024).
const nodeMTBF = 6300 * unit.Hour

var (
	spotUp   = rng.Weibull(0.65, float64(1.8*unit.Hour))
	spotDown = rng.Weibull(0.7, float64(1.3*unit.Hour))
)

func contractObject() object[contractValue] {
	some := optional(distributionObject().form())
	return object[contractValue]{name: "interruptions", short: "kind", check: checkContract, fields: []field[contractValue]{
		key("kind", word("on-demand", "spot", "recorded", "maintenance"), func(c *contractValue) *string { return &c.kind }, "by which law slots are taken away").needed("on-demand"),
		key("node_mtbf", optional(lengthFrom(1)), func(c *contractValue) **unit.Seconds { return &c.mtbf }, "of on-demand: mean time between two failures of a node; left out, 6300h"),
		key("repair", some, func(c *contractValue) **distributionValue { return &c.repair }, "of on-demand: how long a node is away then; left out, another takes its place at once"),
		key("up", some, func(c *contractValue) **distributionValue { return &c.up }, "of spot: how long a node lasts; left out, {kind: weibull, shape: 0.65, scale: 1.8h}"),
		key("down", some, func(c *contractValue) **distributionValue { return &c.down }, "of spot: how long it is away then; left out, {kind: weibull, shape: 0.7, scale: 1.3h}"),
		key("file", anyText("a file such as available.csv"), func(c *contractValue) *text { return &c.file }, "of recorded: a CSV file with the columns time_s and value"),
		key("points", listOf(slotsPointForm(), "[[0s, 8], [2h, 6]]"), func(c *contractValue) *[]slotsPoint { return &c.written }, "of recorded: instants and what is available from then on"),
		key("unit", word("nodes", "slots", "share"), func(c *contractValue) *string { return &c.unit }, "of recorded: what its values count").or("nodes"),
		key("then", word("hold", "loop"), func(c *contractValue) *string { return &c.then }, "of recorded: what comes after the last point").or("hold"),
		key("period", optional(lengthFrom(shortest)), func(c *contractValue) **unit.Seconds { return &c.period }, "of recorded: of a loop"),
		key("every", optional(lengthFrom(1)), func(c *contractValue) **unit.Seconds { return &c.every }, "of maintenance: it begins at this, twice this, …"),
		key("length", optional(lengthAboveZero()), func(c *contractValue) **unit.Seconds { return &c.length }, "of maintenance: how long it takes"),
		key("notice", optional(length()), func(c *contractValue) **unit.Seconds { return &c.notice }, "of maintenance: how long before it is told; left out, 0s"),
	}}
}

func slotsPointForm() form[slotsPoint] {
	return form[slotsPoint]{
		&shape{kind: listShape, elem: &shape{json: textJSON, scales: true}, json: `{"type":"array","prefixItems":[` + secondsJSON + `,` + shareJSON + `],"minItems":2,"maxItems":2}`},
		func(d *decoder, n *node, into *slotsPoint) {
			if n.kind != list || len(n.items) != 2 {
				d.fault(n, "%s, want an instant and a number such as [2h, 6]", n.got())
				return
			}
			var at unit.Seconds
			length().read(d, n.items[0], &at)
			into.at = unit.Time(at)
			parsed(shareJSON, true, unit.ParseShare).read(d, n.items[1], &into.value)
		},
	}
}

// interruptionsForm is none, one contract or a list of them.
func interruptionsForm() form[interruptionsValue] {
	one := contractForm()
	return form[interruptionsValue]{
		&shape{kind: eitherShape, any: []*shape{one.shape, {kind: listShape, elem: one.shape}}},
		func(d *decoder, n *node, into *interruptionsValue) {
			into.node = n
			switch {
			case n.kind == scalar && n.text == "none":
				into.none = true
			case n.kind == list:
				into.contracts = make([]contractValue, len(n.items))
				for i, x := range n.items {
					one.read(d, x, &into.contracts[i])
				}
			default:
				into.contracts = make([]contractValue, 1)
				one.read(d, n, &into.contracts[0])
			}
		},
	}
}

// contractForm is a contract in place, or the name of one.
func contractForm() form[contractValue] {
	f := contractObject().form()
	return form[contractValue]{
		&shape{kind: eitherShape, any: []*shape{{json: textJSON}, f.shape}},
		func(d *decoder, n *node, into *contractValue) {
			if n.kind == scalar {
				into.node, into.name = n, n.text
				return
			}
			f.read(d, n, into)
			into.node = n
		},
	}
}

var contractKeys = map[string][]string{
	"on-demand":   {"node_mtbf", "repair"},
	"spot":        {"up", "down"},
	"recorded":    {"file", "points", "unit", "then", "period"},
	"maintenance": {"every", "length", "notice"},
}

func checkContract(d *decoder, n *node, c *contractValue) {
	before := len(d.faults)
	defer func() { c.whole = len(d.faults) == before }()
	c.node = n
	for _, e := range n.entries {
		if e.key != "kind" && !slices.Contains(contractKeys[c.kind], e.key) {
			d.faults = append(d.faults, e.at.fault(joinKey(n.path, e.key), fmt.Sprintf("has no effect on interruptions of kind %s; remove it", c.kind)))
			return
		}
	}
	switch c.kind {
	case "recorded":
		c.checkRecorded(d, n)
	case "maintenance":
		switch {
		case c.every == nil || c.length == nil:
			d.fault(n, "no every or no length, and maintenance must have both; write every: 30d, length: 4h")
		case *c.length >= *c.every:
			d.fault(n.get("length"), "got %v, which is not below every, %v; write less", *c.length, *c.every)
		}
	}
}

func (c *contractValue) checkRecorded(d *decoder, n *node) {
	switch {
	case c.file.node != nil && c.written != nil:
		d.fault(n, "got points and a file; keep one")
		return
	case c.file.node != nil:
		c.available = d.load.points(d, c.file, "")
	default:
		for _, p := range c.written {
			c.available = append(c.available, profile.Point{At: p.at, Value: profile.Value{Number: p.value}})
		}
	}
	if (c.then == "loop") != (c.period != nil) {
		d.fault(n, "got one of then: loop and period, want both or none; write then: loop, period: 14d")
		return
	}
	if len(c.available) == 0 {
		if c.file.node == nil {
			d.fault(n, "no points, and recorded interruptions must have some; write points: [[0s, 8], [2h, 6]], or file: available.csv")
		}
		return
	}
	if _, err := c.law(1); err != nil {
		d.fault(n, "%v", err)
	}
}

// law returns how many slots are available in time where each value counts so many.
func (c *contractValue) law(each float64) (profile.Law, error) {
	points := make([]profile.Point, len(c.available))
	for i, p := range c.available {
		points[i] = profile.Point{At: p.At, Value: profile.Value{Number: p.Value.Number * each}}
	}
	if c.then == "loop" {
		return profile.Loop(points, *c.period)
	}
	return profile.Hold(points)
}

// contract returns the contract on a pool.
func (c *contractValue) contract(d *decoder, p *poolValue) (out pool.Contract) {
	switch c.kind {
	case "on-demand":
		out = pool.Contract{Kind: pool.OnDemand, Up: rng.Exponential(float64(value(c.mtbf, nodeMTBF)))}
		if c.repair != nil {
			out.Down = c.repair.law
		}
	case "spot":
		out = pool.Contract{Kind: pool.Spot, Up: spotUp, Down: spotDown}
		if c.up != nil {
			out.Up = c.up.law
		}
		if c.down != nil {
			out.Down = c.down.law
		}
	case "recorded":
		each := map[string]float64{"nodes": float64(p.perNode), "slots": 1, "share": float64(p.slots)}[c.unit]
		law, err := c.law(each)
		if err != nil {
			d.fault(c.node, "%v", err)
		}
		out = pool.Contract{Kind: pool.Recorded, Available: law}
	case "maintenance":
		out = pool.Contract{Kind: pool.Maintenance, Every: *c.every, Length: *c.length, Notice: value(c.notice, 0)}
	}
	return out
}

// resolve gives a contract that is named what stands under the name; on-demand and
// spot may be named without being written.
func (c *contractValue) resolve(d *decoder, known []named[contractValue]) {
	if c.name == "" {
		return
	}
	var names []string
	for i := range known {
		if known[i].name == c.name {
			at := c.node
			*c = known[i].value
			c.node, c.name = at, ""
			return
		}
		names = append(names, known[i].name)
	}
	if c.name == "on-demand" || c.name == "spot" {
		c.kind, c.name, c.whole = c.name, "", true
		return
	}
	names = append(names, "on-demand", "spot", "none")
	message := fmt.Sprintf("got %q, and there are no such interruptions", clip(c.name))
	if fix, ok := fault.Suggest(c.name, names); ok {
		message += "; write " + fix
	} else {
		message += "; write on-demand, spot or none, or one under interruptions"
	}
	d.fault(c.node, "%s", message)
}

// resolveInterruptions gives every pool the contracts that it names.
func (t *topologyFile) resolveInterruptions(d *decoder) {
	t.eachPool(func(p *poolValue) {
		for i := range p.interruptions.contracts {
			p.interruptions.contracts[i].resolve(d, t.interruptions)
		}
	})
}
