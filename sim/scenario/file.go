package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tiersim/sim/network"
	"tiersim/sim/policy"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// A scenarioFile is a scenario as it is written.
type scenarioFile struct {
	name          text
	topology      text
	traces        []traceValue
	fill          []ruleValue
	policies      []string
	baseline      text
	parameters    parametersValue
	estimates     estimatesValue
	inside        bool
	network       networkValue
	rules         text
	lead          *distributionValue
	alignment     *alignmentValue
	manual        []named[text]
	interruptions *interruptionsValue
	recovery      recoveryValue
	training      Training
	reservations  []reservationValue
	replications  replicationsValue
	horizon       Horizon
	seed          uint64
	tables        *[]string
	vary          []named[[]*node]
	points        []named[[]named[*node]]
}

type traceValue struct {
	file   text
	as     text
	format string
	from   unit.Seconds
	length *unit.Seconds
	starts time.Time
	carry  bool
	load   loadValue
	node   *node
}

type loadValue struct {
	value float64
	by    trace.LoadBy
}

type estimatesValue struct {
	kind  EstimateKind
	sigma *float64
}

type networkValue struct {
	startupRTTs float64
	window      unit.Bytes
	streams     int
	onOutage    network.OutageKind
	chunk       *unit.Bytes
	loss        float64
	mss         *unit.Bytes
	rttBias     float64
}

type replicationsValue struct {
	from      int
	to        int
	precision float64
	over      []string
}

func scenarioObject() object[scenarioFile] {
	policies := policy.Names()
	shown := []string{"first-free", "stay", "at-data", "move-task", "move-data", "three-way"}
	return object[scenarioFile]{name: "scenario", check: checkScenario, fields: []field[scenarioFile]{
		key("name", name("a name such as two-hubs-mix"), func(s *scenarioFile) *text { return &s.name },
			"what the scenario, and the folder of its results, is called").needed("two-hubs-mix"),
		key("topology", anyText("a topology such as two-hubs"), func(s *scenarioFile) *text { return &s.topology },
			"a topology's name, or the path of its file").needed("two-hubs"),
		key("trace", oneOrMore(traceObject().form(), "- {file: batch.csv, as: batch}"), func(s *scenarioFile) *[]traceValue { return &s.traces },
			"the workload: one trace, or several that are merged by time").needed("{file: tasks.csv}"),
		key("fill", listOf(ruleObject().form(), "- {set: {work_s: 1h}}"), func(s *scenarioFile) *[]ruleValue { return &s.fill },
			"values for absent columns and empty cells: the first rule that fits gives the value"),
		key("policies", listOf(word(policies...), "["+strings.Join(shown, ", ")+"]"), func(s *scenarioFile) *[]string { return &s.policies },
			"the policies that are compared").or("[" + strings.Join(shown, ", ") + "]"),
		key("baseline", anyText("one of the policies"), func(s *scenarioFile) *text { return &s.baseline },
			"the policy that the others are compared with; left out, at-data where it is listed, else the first"),
		key("parameters", parametersObject().form(), func(s *scenarioFile) *parametersValue { return &s.parameters },
			"of decisions").or("{}"),
		key("estimates", estimatesObject().form(), func(s *scenarioFile) *estimatesValue { return &s.estimates },
			"the run times that policies and queues believe where estimate_s is absent").or("{}"),
		key("staging", oneOf([]string{"before", "inside"}, false, true), func(s *scenarioFile) *bool { return &s.inside },
			"before: data is brought, then slots are asked for; inside: slots are held while data comes in").or("before"),
		key("network", networkObject().form(), func(s *scenarioFile) *networkValue { return &s.network },
			"how transfers behave").or("{}"),
		key("rules", anyText("default, none or a file"), func(s *scenarioFile) *text { return &s.rules }, "exclusion rules: a file's name or path, or none, which is an ablation; left out, the embedded ones"),
		key("lead_time", leadForm(), func(s *scenarioFile) **distributionValue { return &s.lead },
			"how long people take to arrange a channel where links want to be reserved and nothing is: a time or a law; left out, they do not, and such a plan is not dispatched"),
		key("alignment", optional(alignmentObject().form()), func(s *scenarioFile) **alignmentValue { return &s.alignment },
			"what it takes to make an environment in a room that lacks it, once for each room; left out, a plan that needs it is not dispatched"),
		key("manual", namesOf(anyText("the name of a room"), "the name of a room"), func(s *scenarioFile) *[]named[text] { return &s.manual },
			"the room of each class, for the policy manual; a class without one stays"),
		key("interruptions", optional(interruptionsForm()), func(s *scenarioFile) **interruptionsValue { return &s.interruptions },
			"what takes slots away in all pools, in place of what the topology says"),
		key("recovery", recoveryObject().form(), func(s *scenarioFile) *recoveryValue { return &s.recovery },
			"what follows an interruption").or("{}"),
		key("training", trainingObject().form(), func(s *scenarioFile) *Training { return &s.training },
			"how tasks of class training-parallel synchronize").or("{}"),
		key("reservations", listOf(reservationObject().form(), "- {name: nightly, from: west-1, to: east-1, rate: 2Gbit/s, window: [1h, 5h]}"), func(s *scenarioFile) *[]reservationValue { return &s.reservations },
			"capacity that is reserved on links"),
		key("replications", replicationsObject().form(), func(s *scenarioFile) *replicationsValue { return &s.replications },
			"how many independent runs there are of what is random: a number, or from how many to how many").or("{}"),
		key("horizon", horizonForm(), func(s *scenarioFile) *Horizon { return &s.horizon },
			"when a run ends: none (when all tasks are done), an instant, or a time after the last arrival").or("none"),
		key("seed", whole[uint64](0, math.MaxUint64, "1"), func(s *scenarioFile) *uint64 { return &s.seed },
			"of all random streams").or("1"),
		key("tables", optional(tablesForm()), func(s *scenarioFile) **[]string { return &s.tables },
			"the tables that are written: all, none, or a list; left out, all"),
		key("vary", namesOf(listOf(raw(anything()), "values such as [x0.5, x1, x2]"), "values such as [x0.5, x1, x2]"), func(s *scenarioFile) *[]named[[]*node] { return &s.vary },
			"paths and the values each takes: every combination is a design point"),
		key("points", namesOf(namesOf(raw(anything()), "a path and its value"), "paths and values such as {topology.guian-1.a100.slots: 2000}"), func(s *scenarioFile) *[]named[[]named[*node]] { return &s.points },
			"named design points: paths and the value each has there"),
	}}
}

// anything may be any value: what it is said to be, the path tells.
func anything() *shape { return &shape{json: `true`} }

func traceObject() object[traceValue] {
	return object[traceValue]{name: "trace", short: "file", check: func(_ *decoder, n *node, t *traceValue) { t.node = n }, fields: []field[traceValue]{
		key("file", anyText("a file such as tasks.csv"), func(t *traceValue) *text { return &t.file }, "its path").needed("tasks.csv"),
		key("as", name("a name such as batch"), func(t *traceValue) *text { return &t.as }, "what its tasks' names are prefixed by"),
		key("format", word(trace.FormatNames()...), func(t *traceValue) *string { return &t.format }, "its format; left out, told by its content"),
		key("from", length(), func(t *traceValue) *unit.Seconds { return &t.from }, "where the replayed part begins").or("0s"),
		key("length", optional(length()), func(t *traceValue) **unit.Seconds { return &t.length }, "how long it is; left out, to the end"),
		key("starts", dateForm(), func(t *traceValue) *time.Time { return &t.starts }, "the date of the trace's second 0"),
		key("warm", oneOf([]string{"none", "carry"}, false, true), func(t *traceValue) *bool { return &t.carry },
			"carry: tasks that were running at `from` are on slots for their remainder, outside the metrics").or("none"),
		key("load", loadObject().form(), func(t *traceValue) *loadValue { return &t.load }, "factor of the load").or("1"),
	}}
}

func loadObject() object[loadValue] {
	return object[loadValue]{name: "load", short: "value", keeps: true, fields: []field[loadValue]{
		key("value", upTo(trace.MaxLoad), func(l *loadValue) *float64 { return &l.value }, "the factor").or("1"),
		key("by", oneOf([]string{"copies", "time"}, trace.Copies, trace.ByTime), func(l *loadValue) *trace.LoadBy { return &l.by },
			"copies: whole tasks are repeated or left out; time: they come faster or slower").or("copies"),
	}}
}

func estimatesObject() object[estimatesValue] {
	return object[estimatesValue]{name: "estimates", short: "kind", check: checkEstimates, fields: []field[estimatesValue]{
		key("kind", oneOf([]string{"user", "factor", "exact"}, UserEstimates, FactorEstimates, ExactEstimates), func(e *estimatesValue) *EstimateKind { return &e.kind },
			"where estimate_s is absent: factor draws an error for each task; exact and user believe the true run time").or("exact"),
		key("sigma", optional(atLeastZero()), func(e *estimatesValue) **float64 { return &e.sigma },
			"of factor: standard deviation of the logarithm of estimate / run time"),
	}}
}

func checkEstimates(d *decoder, n *node, e *estimatesValue) {
	switch {
	case e.kind == FactorEstimates && e.sigma == nil:
		d.fault(n, "no sigma, and kind factor must have one; write sigma: 0.5")
	case e.kind != FactorEstimates && e.sigma != nil:
		d.fault(n.get("sigma"), "has no effect but with kind: factor; write kind: factor, or remove it")
	}
}

func networkObject() object[networkValue] {
	return object[networkValue]{name: "network", check: checkNetwork, fields: []field[networkValue]{
		key("startup_rtts", atLeastZero(), func(w *networkValue) *float64 { return &w.startupRTTs }, "round trips before the first byte of a transfer flows").or("0"),
		key("window", orWord("none", bytesAboveZero(), "a window such as 4MiB"), func(w *networkValue) *unit.Bytes { return &w.window },
			"bytes of a stream on their way at once: a stream's rate is at most window / round trip").or("none"),
		key("streams", whole(1, 1_000_000, "8"), func(w *networkValue) *int { return &w.streams }, "parallel streams of a transfer, each with its window").or("1"),
		key("on_outage", oneOf([]string{"resume", "chunk", "restart"}, network.Resume, network.ToChunk, network.Restart), func(w *networkValue) *network.OutageKind { return &w.onOutage },
			"what a transfer does whose link was down: it resumes, sends the chunk that it was in again, or restarts; what is sent twice is paid twice").or("resume"),
		key("chunk", optional(bytesAboveZero()), func(w *networkValue) **unit.Bytes { return &w.chunk }, "of chunk: how large they are; left out, 64MB"),
		key("loss", share(1), func(w *networkValue) *float64 { return &w.loss }, "share of packets that are lost: a stream's rate is at most mss / round trip · √(3/2) / √loss").or("0"),
		key("mss", optional(bytesAboveZero()), func(w *networkValue) **unit.Bytes { return &w.mss }, "bytes of a packet; left out, 1460B"),
		key("rtt_bias", between(0, 4), func(w *networkValue) *float64 { return &w.rttBias }, "share of a full link goes as round trip to the power of minus this: 0 is fair, 1 as TCP Reno").or("0"),
	}}
}

func bytesAboveZero() form[unit.Bytes] {
	return parsed(bytesJSON, true, func(s string) (unit.Bytes, error) {
		v, err := unit.ParseBytes(s)
		if err == nil && v == 0 {
			err = fmt.Errorf("got %q, want an amount of data above 0 such as 4MiB", s)
		}
		return v, err
	})
}

func checkNetwork(d *decoder, n *node, w *networkValue) {
	if w.streams > 1 && w.window == 0 && w.loss == 0 {
		d.note(n.get("streams"), "has no effect without a window or loss")
	}
	if w.chunk != nil && w.onOutage != network.ToChunk {
		d.fault(n.get("chunk"), "has no effect but with on_outage: chunk; write on_outage: chunk, or remove it")
	}
	if w.mss != nil && w.loss == 0 {
		d.note(n.get("mss"), "has no effect without loss")
	}
}

// A recoveryValue is what follows an interruption as it is written.
type recoveryValue struct {
	limit     int
	cooldown  unit.Seconds
	finalSave bool
}

func recoveryObject() object[recoveryValue] {
	return object[recoveryValue]{name: "recovery", fields: []field[recoveryValue]{
		key("limit", orWord("none", whole(1, 1_000_000_000, "10"), "a number of attempts such as 10"), func(r *recoveryValue) *int { return &r.limit }, "attempts after which a task is given up").or("none"),
		key("cooldown", length(), func(r *recoveryValue) *unit.Seconds { return &r.cooldown }, "how long an interrupted task keeps away from the pool where that was").or("0s"),
		key("final_save", oneOf([]string{"false", "true"}, false, true), func(r *recoveryValue) *bool { return &r.finalSave }, "whether a task saves its state at its end, too").or("false"),
	}}
}

func trainingObject() object[Training] {
	return object[Training]{name: "training", fields: []field[Training]{
		key("overlap", share(1), func(t *Training) *float64 { return &t.Overlap }, "share of the compute time during which a synchronization can go on").or("50%"),
		key("local_steps", whole(1, 1_000_000_000, "100"), func(t *Training) *int { return &t.LocalSteps }, "steps between two synchronizations").or("1"),
		key("penalty", atLeast(1), func(t *Training) *float64 { return &t.Penalty }, "factor of the work where local_steps is above 1, since steps on older weights learn less").or("1"),
	}}
}

// defaultReplications is how many there are of what is random. Chosen: enough for
// an interval, few enough for a first look.
const defaultReplications = "10"

func replicationsObject() object[replicationsValue] {
	return object[replicationsValue]{name: "replications", short: "from", check: checkReplications, fields: []field[replicationsValue]{
		key("from", whole(1, 100_000, "20"), func(r *replicationsValue) *int { return &r.from }, "at least so many").or(defaultReplications),
		key("to", whole(1, 100_000, "200"), func(r *replicationsValue) *int { return &r.to }, "at most so many; left out, as many as from"),
		key("precision", share(1), func(r *replicationsValue) *float64 { return &r.precision },
			"relative half-width of the intervals at which they end"),
		key("over", listOf(word("weather", "fill"), "[weather, fill]"), func(r *replicationsValue) *[]string { return &r.over },
			"what is drawn anew in each").or("[weather, fill]"),
	}}
}

func checkReplications(d *decoder, n *node, r *replicationsValue) {
	to, precision := n.get("to"), n.get("precision")
	switch {
	case to == nil:
		r.to = r.from
		if precision != nil {
			d.fault(precision, "has no effect without a largest number of replications; write to: 200")
		}
	case r.to < r.from:
		d.fault(to, "got %d, want at least %d, which stands as from; write %d", r.to, r.from, r.from)
	case r.to > r.from && r.precision == 0:
		d.fault(n, "got from and to, and no precision to stop at between them; write precision: 5%%")
	}
}

// tableNames are the tables of the results; package record, which stands below,
// defines them, and a test of its own compares.
func tableNames() []string {
	return []string{"tasks", "transfers", "attempts", "decisions", "links", "pools"}
}

func tablesForm() form[[]string] {
	names := tableNames()
	some := listOf(word(names...), "["+strings.Join(names, ", ")+"]")
	return form[[]string]{
		&shape{kind: eitherShape, any: []*shape{{json: `{"enum":["all","none"]}`}, some.shape}},
		func(d *decoder, n *node, into *[]string) {
			switch {
			case n.kind == scalar && n.text == "none":
				*into = []string{}
			case n.kind == scalar && n.text == "all":
				*into = names
			case n.kind == scalar:
				d.fault(n, "%s, want all, none or a list such as [tasks, decisions]", n.got())
			default:
				some.read(d, n, into)
			}
		},
	}
}

// dateForm is a date and time with its offset.
func dateForm() form[time.Time] {
	return parsed(`{"type":"string","examples":["2026-11-09T00:00+08:00"]}`, false, func(s string) (time.Time, error) {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04 Z07:00"} {
			if t, err := time.Parse(layout, s); err == nil {
				return t, nil
			}
		}
		err := fmt.Errorf("got %q, want a date with its offset such as 2026-11-09T00:00+08:00", clip(s))
		for _, layout := range []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05"} {
			if t, e := time.Parse(layout, s); e == nil {
				return t, fmt.Errorf("%w; write %s", err, t.Format("2006-01-02T15:04")+"+08:00")
			}
		}
		return time.Time{}, err
	})
}

// checkScenario looks at what the keys of a scenario say together.
func checkScenario(d *decoder, n *node, s *scenarioFile) {
	for i, p := range s.policies {
		if slices.Index(s.policies, p) < i {
			d.fault(n.get("policies").items[i], "got %q, which stands before; remove one", p)
		}
	}
	if len(s.policies) == 0 {
		d.fault(n.get("policies"), "got an empty list, want at least one policy; write [at-data, three-way]")
	}
	if b := s.baseline; b.node != nil && len(s.policies) > 0 && !slices.Contains(s.policies, b.string) {
		fix := s.policies[0]
		if slices.Contains(policy.Names(), b.string) {
			d.fault(b.node, "got %q, which is not among the policies; add it there, or write %s", b.string, fix)
		} else {
			d.fault(b.node, "got %q, want one of the policies, %s; write %s", clip(b.string), anyOf(s.policies), fix)
		}
	}
	seen := map[string]bool{}
	for i := range s.traces {
		t := &s.traces[i]
		if t.as.node != nil && seen[t.as.string] {
			d.fault(t.as.node, "got %q, which another trace has; write another", t.as.string)
		}
		seen[t.as.string] = true
	}
	if len(s.traces) == 0 {
		d.fault(n.get("trace"), "got an empty list, want at least one trace; write - {file: tasks.csv}")
	}
}

// baselineOf is the policy that the others are compared with.
func (s *scenarioFile) baselineOf() string {
	switch {
	case s.baseline.node != nil:
		return s.baseline.string
	case slices.Contains(s.policies, "at-data"):
		return "at-data"
	}
	return s.policies[0]
}
