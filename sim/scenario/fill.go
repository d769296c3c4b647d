package scenario

import (
	"fmt"
	"slices"
	"strings"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// A ruleValue is a fill rule as it is written.
type ruleValue struct {
	node *node
	when []named[[]string]
	set  []named[fillValue]
}

// A fillValue is what a rule gives a column: its parts are read once the column
// is known, since that says their units.
type fillValue struct {
	node     *node
	kind     trace.ValueKind
	constant *node
	columns  []string
	per, by  []string
	of       *node
	rounding trace.Rounding
	name     text
	parts    [numParts]*node
}

// A fillPart is a number of a fill value.
type fillPart int

const (
	partRate fillPart = iota
	partPlus
	partSecond
	partMean
	partMedian
	partSigma
	partShape
	partScale
	partLow
	partHigh
	partN
	partS
	partMin
	partMax
	numParts
)

func ruleObject() object[ruleValue] {
	return object[ruleValue]{name: "rule", check: func(_ *decoder, n *node, r *ruleValue) { r.node = n }, fields: []field[ruleValue]{
		key("when", namesOf(oneOrMore(cellText(), "values"), "a value, or a list of values, such as batch"), func(r *ruleValue) *[]named[[]string] { return &r.when },
			"what must hold of a row: columns (and `as`, the trace) with a value, a list of values, or a comparison such as \">= 1GB\""),
		key("set", namesOf(fillForm(), "a value such as 2GB or {kind: choice, of: …}"), func(r *ruleValue) *[]named[fillValue] { return &r.set },
			"the values of columns").needed("{work_s: 1h}"),
	}}
}

// cellText is any scalar, as a trace's cell would hold it; an empty one is absent.
func cellText() form[string] {
	return form[string]{&shape{json: anyScalarJSON}, func(d *decoder, n *node, into *string) {
		if n.kind == list || n.kind == mapping {
			d.fault(n, "%s, want a value", n.got())
			return
		}
		*into = n.text
	}}
}

func fillObject() object[fillValue] {
	part := func(k string, p fillPart, doc string) field[fillValue] {
		f := key(k, raw(&shape{json: textJSON, scales: true}), func(v *fillValue) **node { return &v.parts[p] }, doc)
		return f
	}
	kinds := trace.ValueKindNames()
	values := make([]trace.ValueKind, len(kinds))
	for i, k := range kinds {
		values[i], _ = trace.ParseValueKind(k)
	}
	roundings := trace.RoundingNames()
	rounds := make([]trace.Rounding, len(roundings))
	for i, r := range roundings {
		rounds[i], _ = trace.ParseRounding(r)
	}
	columns := func() form[[]string] { return oneOrMore(cellText(), "[input_bytes, output_bytes]") }
	return object[fillValue]{name: "value", check: checkFill, fields: []field[fillValue]{
		key("kind", oneOf(kinds, values...), func(v *fillValue) *trace.ValueKind { return &v.kind }, "how the value comes about").needed("constant"),
		key("value", raw(&shape{json: anyScalarJSON, scales: true}), func(v *fillValue) **node { return &v.constant }, "of constant"),
		key("column", columns(), func(v *fillValue) *[]string { return &v.columns }, "of column and ratio: the column, or columns that are added up"),
		key("columns", columns(), func(v *fillValue) *[]string { return &v.columns }, "the same as column"),
		part("rate", partRate, "of ratio: what the sum is divided by"),
		key("per", columns(), func(v *fillValue) *[]string { return &v.per }, "of ratio: columns that it is divided by too"),
		part("plus", partPlus, "of ratio: what is added"),
		key("of", raw(&shape{kind: namesShape, elem: &shape{json: shareJSON, scales: true}}), func(v *fillValue) **node { return &v.of },
			"of choice: values and their shares; the name of a column stands for its value"),
		part("second", partSecond, "of choice for data_home: share of the sets that have a second home"),
		part("mean", partMean, "of the distribution"),
		part("median", partMedian, "of lognormal"),
		part("sigma", partSigma, "of lognormal: standard deviation of the logarithm"),
		part("shape", partShape, "of weibull and gamma"),
		part("scale", partScale, "of weibull and gamma"),
		part("low", partLow, "of uniform"),
		part("high", partHigh, "of uniform"),
		part("n", partN, "of zipf: how many ranks there are"),
		part("s", partS, "of zipf: the exponent"),
		key("name", anyText("a name such as {group}-{n}"), func(v *fillValue) *text { return &v.name }, "of zipf: a name that holds the rank, {n}, and columns such as {group}"),
		key("by", columns(), func(v *fillValue) *[]string { return &v.by }, "what it is drawn by; left out, by task"),
		part("min", partMin, "least value"),
		part("max", partMax, "largest value"),
		key("round", oneOf(roundings, rounds...), func(v *fillValue) *trace.Rounding { return &v.rounding }, "how a number is rounded"),
	}}
}

// fillForm is a constant, or an object with a kind.
func fillForm() form[fillValue] {
	o := fillObject().form()
	constant := &shape{json: anyScalarJSON, scales: true}
	return form[fillValue]{
		&shape{kind: eitherShape, any: []*shape{constant, o.shape}},
		func(d *decoder, n *node, into *fillValue) {
			into.node = n
			switch n.kind {
			case scalar:
				into.constant = n
			case mapping:
				o.read(d, n, into)
			default:
				d.fault(n, "%s, want a value such as 2GB, or one such as {kind: lognormal, median: 2GB, sigma: 1.5}", n.got())
			}
		},
	}
}

// checkFill tells the keys that a kind does not read.
func checkFill(d *decoder, n *node, v *fillValue) {
	reads := map[trace.ValueKind]string{
		trace.ConstantValue: "value", trace.CopyValue: "column columns", trace.RatioValue: "column columns rate per plus",
		trace.ChoiceValue: "of second by", trace.LogNormalValue: "median mean sigma by", trace.ExponentialValue: "mean by",
		trace.WeibullValue: "shape scale mean by", trace.GammaValue: "shape scale mean by", trace.UniformValue: "low high by",
		trace.ZipfValue: "n s name by",
	}
	keys := append(strings.Fields(reads[v.kind]), "kind", "min", "max", "round")
	for _, e := range n.entries {
		if !slices.Contains(keys, e.key) {
			d.faults = append(d.faults, e.at.fault(joinKey(n.path, e.key),
				fmt.Sprintf("has no effect on kind %s, which reads %s; remove it", v.kind, series(strings.Fields(reads[v.kind]), " and "))))
		}
	}
	if n.get("column") != nil && n.get("columns") != nil {
		d.fault(n, "got column and columns, which are the same; keep one")
	}
}

// rules turns what is written into the rules of package trace.
func (s *scenarioFile) fillRules(d *decoder, t *topo.Topology) []trace.Rule {
	var rules []trace.Rule
	for i := range s.fill {
		w := &s.fill[i]
		if w.node == nil {
			continue // it has faults of its own
		}
		r := trace.Rule{At: whereOf(w.node)}
		for j := range w.when {
			c, err := trace.ParseCondition(w.when[j].name, w.when[j].value)
			if err != nil {
				d.fault(w.when[j].node, "%v", err)
				continue
			}
			if c.Source {
				s.checkSources(d, &w.when[j])
			}
			r.When = append(r.When, c)
		}
		for j := range w.set {
			f := fillReader{d: d, topology: t, v: &w.set[j].value}
			if a, ok := f.assignment(&w.set[j]); ok {
				r.Set = append(r.Set, a)
			}
		}
		rules = append(rules, r)
	}
	return rules
}

func whereOf(n *node) trace.Where {
	return trace.Where{File: n.at.file.shown, Line: n.at.line, Column: n.at.column}
}

// checkSources looks at whether the traces that a rule is for are there.
func (s *scenarioFile) checkSources(d *decoder, when *named[[]string]) {
	var names []string
	for i := range s.traces {
		names = append(names, s.traces[i].as.string)
	}
	for _, v := range when.value {
		if !slices.Contains(names, v) {
			d.fault(when.node, "%s", unknownName(v, "trace", names))
		}
	}
}

// A fillReader reads the value of one column.
type fillReader struct {
	d        *decoder
	topology *topo.Topology
	v        *fillValue
	column   trace.Column
	failed   bool
}

func (f *fillReader) fault(n *node, format string, a ...any) {
	f.failed = true
	f.d.fault(n, format, a...)
}

func (f *fillReader) assignment(w *named[fillValue]) (trace.Assignment, bool) {
	if f.v.node == nil {
		return trace.Assignment{}, false
	}
	column, ok := trace.FindColumn(w.name)
	if !ok {
		message := unknownName(w.name, "column", columnNames())
		f.d.faults = append(f.d.faults, w.at.fault(w.node.path, message))
		return trace.Assignment{}, false
	}
	f.column = column
	v := f.read()
	if f.failed {
		return trace.Assignment{}, false
	}
	if err := v.Check(column); err != nil {
		f.fault(f.v.node, "%v", err)
		return trace.Assignment{}, false
	}
	return trace.Assignment{Column: column, Value: v, At: whereOf(w.node)}, true
}

func (f *fillReader) read() trace.Value {
	w := f.v
	v := trace.Value{Kind: w.kind, Round: w.rounding, Name: w.name.string}
	v.From, v.Per, v.By = f.columns("column", w.columns), f.columns("per", w.per), f.columns("by", w.by)
	if w.kind == trace.ConstantValue {
		if w.constant == nil {
			f.fault(w.node, "no value, and a constant must have one; write value: 1")
			return v
		}
		v.Cell = f.cell(w.constant, w.constant.text)
	}
	if w.kind == trace.RatioValue {
		if rate := w.parts[partRate]; rate != nil && len(v.From) > 0 {
			f.number(partRate, &v.Rate, func(s string) (float64, error) {
				r, err := trace.ParseRatio(f.column, v.From, s)
				if err == nil && r == 0 {
					err = fmt.Errorf("got %q, want more than 0", clip(s))
				}
				return r, err
			})
		}
	}
	amount := func(s string) (float64, error) {
		v, err := trace.ParseAmount(f.column, s)
		return v, f.unitless(s, err)
	}
	for _, p := range []struct {
		part fillPart
		into *float64
	}{
		{partPlus, &v.Plus}, {partMean, &v.Mean}, {partMedian, &v.Median}, {partScale, &v.Scale},
		{partLow, &v.Low}, {partHigh, &v.High}, {partMin, &v.Min}, {partMax, &v.Max},
	} {
		f.number(p.part, p.into, amount)
	}
	f.number(partSigma, &v.Sigma, plainNumber)
	f.number(partShape, &v.Shape, plainNumber)
	f.number(partS, &v.S, plainNumber)
	f.number(partSecond, &v.Second, parseShare)
	if n := w.parts[partN]; n != nil {
		whole(1, 1_000_000, "20").read(f.d, n, &v.N)
	}
	v.HasMin, v.HasMax = w.parts[partMin] != nil, w.parts[partMax] != nil
	if w.kind == trace.ChoiceValue {
		v.Of = f.choices()
	}
	return v
}

// unitless adds to an error how a bare number gets the unit of the column.
func (f *fillReader) unitless(s string, err error) error {
	example := map[string]string{"s": "s", "bytes": "GB", "bytes/s": "MB/s", "money/h": " CNY/h"}[trace.Columns()[f.column].Unit]
	if _, bare := plainNumber(s); err != nil && bare == nil && example != "" {
		return fmt.Errorf("%w; write its unit, as in %s%s", err, s, example)
	}
	return err
}

// number reads a part where it stands.
func (f *fillReader) number(p fillPart, into *float64, parse func(string) (float64, error)) {
	n := f.v.parts[p]
	if n == nil {
		return
	}
	if n.kind != scalar {
		f.fault(n, "%s, want a number", n.got())
		return
	}
	v, err := parse(n.text)
	if err != nil {
		f.fault(n, "%v", err)
		return
	}
	*into = v
}

// columns finds the columns of these names.
func (f *fillReader) columns(key string, names []string) []trace.Column {
	var found []trace.Column
	for i, name := range names {
		c, ok := trace.FindColumn(name)
		if !ok {
			at := f.v.node.get(key)
			if at == nil {
				at = f.v.node.get(key + "s")
			}
			if at.kind == list {
				at = at.items[i]
			}
			f.fault(at, "%s", unknownName(name, "column", columnNames()))
			continue
		}
		found = append(found, c)
	}
	return found
}

func (f *fillReader) choices() []trace.Choice {
	of := f.v.of
	if of == nil || of.kind != mapping {
		at := f.v.node
		if of != nil {
			at = of
		}
		f.fault(at, "want values and their shares; write of: {wuhu-1: 60%%, guian-1: 40%%}")
		return nil
	}
	var list []trace.Choice
	sum := 0.0
	for _, e := range of.entries {
		c := trace.Choice{}
		if column, ok := trace.FindColumn(e.key); ok {
			c.Copy, c.Column = true, column
		} else {
			c.Cell = f.cell(&node{kind: scalar, text: e.key, at: e.at, path: e.value.path}, e.key)
		}
		share(1).read(f.d, e.value, &c.Share)
		sum += c.Share
		list = append(list, c)
	}
	if sum < 1-1e-6 || sum > 1+1e-6 {
		f.fault(of, "got shares that add up to %.6g%%, want 100%%", 100*sum)
	}
	return list
}

// cell reads a constant; a name in it must be one that there is.
func (f *fillReader) cell(n *node, s string) trace.Cell {
	if n.kind != scalar {
		f.fault(n, "%s, want a value", n.got())
		return trace.Cell{}
	}
	c, err := trace.ParseConstant(f.column, s)
	if err != nil {
		f.fault(n, "%v", f.unitless(s, err))
		return c
	}
	if f.topology == nil {
		return c
	}
	switch f.column {
	case trace.ColHome, trace.ColDataHome, trace.ColResultHome:
		for _, name := range strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == '+' }) {
			if _, ok := f.topology.Room(name); !ok {
				f.fault(n, "%s", unknownName(name, "room", roomNames(f.topology)))
			}
		}
	case trace.ColKind:
		if _, ok := f.topology.Kind(s); !ok {
			f.fault(n, "%s", unknownName(s, "kind of slot", f.topology.Kinds[1:]))
		}
	case trace.ColClass:
		if _, ok := task.ParseClass(s); !ok {
			f.fault(n, "%s", unknownName(s, "class", task.ClassNames()))
		}
	}
	return c
}

func roomNames(t *topo.Topology) []string {
	var names []string
	for i := range t.Rooms {
		names = append(names, t.Rooms[i].Name)
	}
	return names
}

func columnNames() []string {
	var names []string
	for _, c := range trace.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// parseShare reads a share of at most 100 %.
func parseShare(s string) (float64, error) {
	v, err := unit.ParseShare(s)
	if err == nil && v > 1 {
		err = fmt.Errorf("got %q, want a share of at most 100%%%s", clip(s), inPercent(s, v))
	}
	return v, err
}
