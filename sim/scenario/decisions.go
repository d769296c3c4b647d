package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiersim/sim/policy"
	"tiersim/sim/rng"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Parameters are those of decisions.
type Parameters struct {
	Domain policy.Domain
	// ValueOfTime is the share of a task's hourly compute price, at the cheapest
	// fitting pool of its home, that an hour of its turnaround costs.
	ValueOfTime float64
	Thresholds  policy.Thresholds
	// Buffer is the quantile of past forecast errors that buffers cover.
	Buffer float64
	// Without are the gates that nobody asks for; Blind leaves the network out of
	// the prices. NoChannels has nobody reserve anything.
	Without    policy.Gates
	Blind      bool
	NoChannels bool
}

// Decisions are what a scenario says of how decisions come about, beside parameters.
type Decisions struct {
	// Lead is how long people take to arrange a channel ad hoc; nil where they do not.
	Lead      rng.Distribution
	Alignment policy.Alignment
	Manual    [task.NumClasses]topo.RoomID // -1: none
}

type parametersValue struct {
	node         *node
	domain       policy.Domain
	valueOfTime  float64
	networkShare float64
	interruption float64
	latency      float64
	ratio        float64
	lateCost     float64
	without      []string
}

func parametersObject() object[parametersValue] {
	return object[parametersValue]{name: "parameters", check: func(_ *decoder, n *node, p *parametersValue) { p.node = n }, fields: []field[parametersValue]{
		key("domain", oneOf([]string{"room", "city", "hub"}, policy.RoomDomain, policy.CityDomain, policy.HubDomain), func(p *parametersValue) *policy.Domain { return &p.domain },
			"how wide a task's own domain is: what crosses its border is a move").or("city"),
		key("value_of_time", share(math.Inf(1)), func(p *parametersValue) *float64 { return &p.valueOfTime },
			"what an hour of turnaround costs, as a share of the task's hourly compute price at the cheapest fitting pool of its home").or("50%"),
		key("network_share", share(1), func(p *parametersValue) *float64 { return &p.networkShare },
			"indicator 4: the most that transfers may be of what a plan costs").or("20%"),
		key("interruption_ratio", atLeastZero(), func(p *parametersValue) *float64 { return &p.interruption },
			"indicator 2: the most that interruptions may cost, as a factor of what a plan saves otherwise").or("1"),
		key("latency_ratio", atLeastZero(), func(p *parametersValue) *float64 { return &p.latency },
			"indicator 3: the most that the P95 of a segment may take of its budget").or("1"),
		key("data_compute_ratio", orWord("prices", ratioForm(), "a ratio such as 64GB/h"), func(p *parametersValue) *float64 { return &p.ratio },
			"indicator 1: the most data for an hour of compute; prices has it follow from them for each task").or("prices"),
		key("late_cost", aboveZero(), func(p *parametersValue) *float64 { return &p.lateCost },
			"what a minute too late costs, in minutes too early: buffers cover late_cost / (late_cost + 1) of past forecast errors").or("9"),
		key("without", listOf(word(withoutNames...), "[reservation]"), func(p *parametersValue) *[]string { return &p.without },
			"ablations: dispatch leaves these out of account, and pays for them in fact"),
	}}
}

// Ablations.
const (
	withoutReservation = "reservation"
	withoutResume      = "resume"
	withoutAlignment   = "alignment"
	withoutNetwork     = "network"
)

var withoutNames = []string{withoutReservation, withoutResume, withoutAlignment, withoutNetwork}

// ratioForm is an amount of data for an hour of compute, in GB.
func ratioForm() form[float64] {
	return parsed(`{"type":"string","examples":["64GB/h"]}`, true, func(s string) (float64, error) {
		amount, ok := strings.CutSuffix(strings.TrimSpace(s), "/h")
		b, err := unit.ParseBytes(amount)
		if !ok || err != nil || b == 0 {
			return 0, fmt.Errorf("got %q, want data for an hour of compute such as 64GB/h", clip(s))
		}
		return b.GB(), nil
	})
}

func (p *parametersValue) parameters() Parameters {
	has := func(name string) bool { return slices.Contains(p.without, name) }
	out := Parameters{
		Domain: p.domain, ValueOfTime: p.valueOfTime, Buffer: p.lateCost / (p.lateCost + 1),
		Thresholds: policy.Thresholds{
			Share: p.networkShare, ShareCash: p.networkShare, Interruption: p.interruption, Latency: p.latency, Ratio: p.ratio,
		},
		Blind: has(withoutNetwork), NoChannels: has(withoutReservation),
	}
	for i, name := range [...]string{withoutReservation, withoutResume, withoutAlignment} {
		if has(name) {
			out.Without |= policy.Channel << i
		}
	}
	return out
}

// An alignmentValue is what it takes to make an environment where it is not.
type alignmentValue struct {
	time unit.Seconds
	cost unit.Money
}

func alignmentObject() object[alignmentValue] {
	return object[alignmentValue]{name: "alignment", fields: []field[alignmentValue]{
		key("time", length(), func(a *alignmentValue) *unit.Seconds { return &a.time }, "how long it takes").needed("2h"),
		key("cost", moneyForm(), func(a *alignmentValue) *unit.Money { return &a.cost }, "what it costs").or("0 CNY"),
	}}
}

// moneyForm is an amount of money with its currency, which the topology's prices name.
func moneyForm() form[unit.Money] {
	return parsed(`{"type":"string","examples":["200 CNY"]}`, true, func(s string) (unit.Money, error) {
		amount, currency, ok := strings.Cut(strings.TrimSpace(s), " ")
		v, err := plainNumber(amount)
		if !ok || err != nil || strings.TrimSpace(currency) == "" || v < 0 {
			return 0, fmt.Errorf("got %q, want an amount of money such as 200 CNY", clip(s))
		}
		return unit.Money(v), nil
	})
}

// leadForm is a length of time or a law of them.
func leadForm() form[*distributionValue] {
	fixed, law := lengthAboveZero(), distributionObject().form()
	return form[*distributionValue]{
		&shape{kind: eitherShape, any: []*shape{fixed.shape, law.shape}},
		func(d *decoder, n *node, into **distributionValue) {
			x := new(distributionValue)
			if n.kind == mapping {
				law.read(d, n, x)
			} else {
				var v unit.Seconds
				fixed.read(d, n, &v)
				x.law = rng.Constant(float64(v))
			}
			*into = x
		},
	}
}

// decisions gives a world what the scenario says of decisions.
func (f *scenarioFile) decisions(d *decoder, l *loader, w *World) {
	w.Parameters = f.parameters.parameters()
	w.Rules = f.rulesOf(d, l)
	w.Lead = nil
	if f.lead != nil {
		w.Lead = f.lead.law
	}
	if a := f.alignment; a != nil {
		w.Alignment = policy.Alignment{Offered: true, Time: a.time, Cost: a.cost}
	} else if w.Parameters.Without&policy.Environment != 0 {
		d.fault(f.parameters.node, "got without: alignment, and nothing says what an alignment takes in fact; write alignment: {time: 2h, cost: 200 CNY} beside parameters")
	}
	for c := range w.Manual {
		w.Manual[c] = -1
	}
	var rooms []string
	for i := range w.Topology.Rooms {
		rooms = append(rooms, w.Topology.Rooms[i].Name)
	}
	for i := range f.manual {
		x := &f.manual[i]
		class, ok := task.ParseClass(x.name)
		if !ok {
			d.fault(x.node, "got the class %q, want %s; write %s", clip(x.name), anyOf(task.ClassNames()), nearestWord(x.name, task.ClassNames()))
			continue
		}
		room, ok := w.Topology.Room(x.value.string)
		if !ok {
			d.fault(x.node, "%s", unknownName(x.value.string, "room", rooms))
			continue
		}
		w.Manual[class] = room
	}
}
