package trace

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"tiersim/sim/fault"
	"tiersim/sim/rng"
)

// A filler applies rules to rows. What it draws is a pure function of the rule's
// place, the column and the key (rng.Streams.U01), sent through the inverse of
// the distribution: the order of rows does not matter, and two policies see the
// same values.
type filler struct {
	streams rng.Streams
	rules   []fillRule
	given   [NumColumns]*Assignment // of the row at hand: what filled a cell
	as      string
	name    string // of the task at hand
	names   []string
}

// A fillRule is a rule made ready.
type fillRule struct {
	*Rule
	id      string
	numbers [][]float64 // of each condition: its values as numbers
	sets    []fillSet
}

// A fillSet is an assignment made ready.
type fillSet struct {
	*Assignment
	zipf    []float64 // cumulative shares by rank
	pattern []patternPart
}

// newFiller makes rules ready; it returns the faults that they have themselves.
func newFiller(rules []Rule, streams rng.Streams) (*filler, fault.List) {
	f := &filler{streams: streams}
	var faults fault.List
	for i := range rules {
		r := fillRule{Rule: &rules[i], id: strconv.Itoa(i)}
		for _, c := range rules[i].When {
			r.numbers = append(r.numbers, c.numbers())
		}
		for j := range rules[i].Set {
			a := &rules[i].Set[j]
			if err := a.Value.Check(a.Column); err != nil {
				faults = append(faults, fault.Fault{File: a.At.File, Line: a.At.Line, Column: a.At.Column,
					Field: fmt.Sprintf("fill[%d].set.%v", i, columnName(a.Column)), Message: err.Error()})
				continue
			}
			s := fillSet{Assignment: a}
			if a.Value.Kind == ZipfValue {
				s.zipf = zipfTable(a.Value.N, a.Value.S)
				s.pattern, _ = parsePattern(a.Value.Name) // Check has parsed it before
			}
			r.sets = append(r.sets, s)
		}
		f.rules = append(f.rules, r)
	}
	return f, faults
}

// columnName names a column even where it is none.
func columnName(c Column) string {
	if c < 0 || c >= NumColumns {
		return fmt.Sprintf("column %d", int(c))
	}
	return c.String()
}

// numbers returns the values of a condition as numbers, NaN for what is none.
func (c *Condition) numbers() []float64 {
	if c.Source || c.Op != OneOf || !numeric(c.Column) {
		return nil
	}
	var list []float64
	for _, s := range c.Values {
		v, ok := parseNumber(s)
		if !ok {
			v = math.NaN()
		}
		list = append(list, v)
	}
	return list
}

// zipfTable returns the cumulative shares of ranks 1 to n with weights 1/r^s.
func zipfTable(n int, s float64) []float64 {
	t := make([]float64, n)
	sum := 0.0
	for r := range t {
		sum += math.Pow(float64(r+1), -s)
		t[r] = sum
	}
	for r := range t {
		t[r] /= sum
	}
	return t
}

// columns returns the columns that the rules may fill, and those that they read.
func (f *filler) columns() (sets, reads [NumColumns]bool) {
	mark := func(list []Column) {
		for _, c := range list {
			reads[c] = true
		}
	}
	for i := range f.rules {
		for j := range f.rules[i].sets {
			a := f.rules[i].sets[j].Assignment
			sets[a.Column] = true
			mark(a.Value.From)
			mark(a.Value.Per)
			mark(a.Value.By)
			for _, c := range a.Value.Of {
				if c.Copy {
					reads[c.Column] = true
				}
			}
			for _, p := range f.rules[i].sets[j].pattern {
				if p.isCol {
					reads[p.column] = true
				}
			}
		}
		for _, c := range f.rules[i].When {
			if !c.Source {
				reads[c.Column] = true
			}
		}
	}
	return sets, reads
}

// reset forgets what the last row was given.
func (f *filler) reset() {
	if len(f.rules) > 0 {
		f.given = [NumColumns]*Assignment{}
	}
}

// fill gives the row's absent cells their values. name is the task's, with its
// source's prefix.
func (f *filler) fill(row *Row, as, name string) {
	if len(f.rules) == 0 {
		return
	}
	f.as, f.name = as, name
	for i := range f.rules {
		r := &f.rules[i]
		if !f.fits(r, row) {
			continue
		}
		for j := range r.sets {
			s := &r.sets[j]
			if row.Cells[s.Column].Kind != Absent {
				continue
			}
			if cell, ok := f.value(r, s, row); ok {
				row.Cells[s.Column] = cell
				f.given[s.Column] = s.Assignment
			}
		}
	}
}

func (f *filler) fits(r *fillRule, row *Row) bool {
	for i := range r.When {
		c := &r.When[i]
		switch {
		case c.Source:
			if !slices.Contains(c.Values, f.as) {
				return false
			}
		case c.Op == OneOf && !numeric(c.Column):
			if !slices.Contains(c.Values, effective(row, c.Column).String()) {
				return false
			}
		case !c.holds(effective(row, c.Column), r.numbers[i]):
			return false
		}
	}
	return true
}

// holds compares a number with the condition. An absent value fits no
// comparison, and the value "" alone.
func (c *Condition) holds(cell Cell, numbers []float64) bool {
	v, ok := sumCell(cell)
	if !ok {
		return c.Op == OneOf && cell.Kind == Absent && slices.Contains(c.Values, "")
	}
	switch c.Op {
	case Less:
		return v < c.Number
	case AtMost:
		return v <= c.Number
	case AtLeast:
		return v >= c.Number
	case More:
		return v > c.Number
	}
	return slices.Contains(numbers, v)
}

// defaults are the values of absent cells, where a value can stand for absence.
var defaults = [NumColumns]Cell{
	ColClass: textCell("batch"), ColSlots: numberCell(1), ColPriority: numberCell(0),
	ColInputBytes: numberCell(0), ColScans: numberCell(1), ColAccess: textCell("stage"),
	ColOutputBytes: numberCell(0), ColImageBytes: numberCell(0), ColStateBytes: numberCell(0),
	ColResumable: textCell("true"), ColPortable: textCell("true"), ColStateless: textCell("false"), ColSyncBytes: numberCell(0),
	ColSyncs: numberCell(0), ColSpan: textCell("pool"), ColCompression: numberCell(1),
	ColParts: numberCell(1), ColWeight: numberCell(1), ColShuffleBytes: numberCell(0),
}

// effective returns a cell, or the column's default where it is absent.
func effective(row *Row, c Column) Cell {
	if cell := row.Cells[c]; cell.Kind != Absent {
		return cell
	}
	return defaults[c]
}

// sumCell returns a cell's number; the sum, where it is a list.
func sumCell(c Cell) (float64, bool) {
	switch c.Kind {
	case NumberCell:
		return c.Num, true
	case TextCell:
		sum := 0.0
		for part := range strings.SplitSeq(c.Text, ";") {
			v, ok := parseNumber(part)
			if !ok {
				return 0, false
			}
			sum += v
		}
		return sum, true
	}
	return 0, false
}

// value makes a value for the row; ok is false where a column that it needs is
// absent.
func (f *filler) value(r *fillRule, s *fillSet, row *Row) (Cell, bool) {
	v := &s.Value
	switch v.Kind {
	case ConstantValue:
		return v.Cell, v.Cell.Kind != Absent
	case CopyValue:
		return copied(row, v.From[0], s.Column)
	case RatioValue:
		x, ok := v.ratio(row)
		return numberCell(v.limit(x, s.Column)), ok
	}
	if len(v.By) == 1 && columns[v.By[0]].Type == List && columns[s.Column].Type == List {
		if list := row.Cells[v.By[0]].String(); strings.Contains(list, ";") {
			return f.entries(r, s, row, list)
		}
	}
	return f.draw(r, s, row, f.key(v, row))
}

// entries draws for each data set of a list by itself.
func (f *filler) entries(r *fillRule, s *fillSet, row *Row, list string) (Cell, bool) {
	var out []string
	for entry := range strings.SplitSeq(list, ";") {
		c, ok := f.draw(r, s, row, []string{entry})
		if !ok {
			return Cell{}, false
		}
		out = append(out, c.String())
	}
	return textCell(strings.Join(out, ";")), true
}

// key returns what a draw belongs to: the values of By, or the task's name.
func (f *filler) key(v *Value, row *Row) []string {
	f.names = f.names[:0]
	known := false
	for _, c := range v.By {
		cell := effective(row, c)
		known = known || cell.Kind != Absent
		f.names = append(f.names, cell.String())
	}
	if !known {
		f.names = append(f.names[:0], f.name)
	}
	return f.names
}

// u01 returns the number in (0, 1) of a rule, a column, a purpose and a key.
func (f *filler) u01(r *fillRule, s *fillSet, purpose string, key []string) float64 {
	var buf [8]string
	names := append(buf[:0], "fill", r.id, s.Column.String(), purpose)
	return f.streams.U01(append(names, key...)...)
}

func (f *filler) draw(r *fillRule, s *fillSet, row *Row, key []string) (Cell, bool) {
	v := &s.Value
	u := f.u01(r, s, "value", key)
	switch v.Kind {
	case ChoiceValue:
		return f.choose(r, s, row, key, u)
	case ZipfValue:
		rank := min(sort.SearchFloat64s(s.zipf, u)+1, len(s.zipf))
		if s.pattern == nil {
			return numberCell(v.limit(float64(rank), s.Column)), true
		}
		return expand(s.pattern, row, rank)
	}
	return numberCell(v.limit(v.quantile(u), s.Column)), true
}

// choose picks a value of a choice, and a second one where it is to have two.
func (f *filler) choose(r *fillRule, s *fillSet, row *Row, key []string, u float64) (Cell, bool) {
	v := &s.Value
	first := pick(v.Of, -1, u)
	cell, ok := v.Of[first].cell(row, s.Column)
	if !ok || v.Second == 0 || f.u01(r, s, "second", key) >= v.Second {
		return cell, ok
	}
	other := pick(v.Of, first, f.u01(r, s, "other", key))
	if other == first {
		return cell, true
	}
	more, ok := v.Of[other].cell(row, s.Column)
	if !ok || more == cell {
		return cell, true
	}
	return textCell(cell.String() + "+" + more.String()), true
}

// pick returns the choice at u of the shares, with one of them left out (-1:
// none); without any other it returns the one left out.
func pick(of []Choice, without int, u float64) int {
	total := 0.0
	for i := range of {
		if i != without {
			total += of[i].Share
		}
	}
	last := max(without, 0)
	sum := 0.0
	for i := range of {
		if i == without || of[i].Share == 0 {
			continue
		}
		last = i
		if sum += of[i].Share; u*total <= sum {
			break
		}
	}
	return last
}

func (c *Choice) cell(row *Row, target Column) (Cell, bool) {
	if c.Copy {
		return copied(row, c.Column, target)
	}
	return c.Cell, c.Cell.Kind != Absent
}

// copied returns the value of another column; its first entry, where that is a
// list and the target is none.
func copied(row *Row, from, target Column) (Cell, bool) {
	cell := effective(row, from)
	if cell.Kind == TextCell && columns[from].Type == List && columns[target].Type != List {
		text, _, _ := strings.Cut(cell.Text, ";")
		if from == ColDataHome {
			text, _, _ = strings.Cut(text, "+")
		}
		cell = textCell(trim(text))
	}
	return cell, cell.Kind != Absent
}

// ratio adds up From and divides by Rate and the columns of Per.
func (v *Value) ratio(row *Row) (float64, bool) {
	sum := 0.0
	for _, c := range v.From {
		x, ok := sumCell(effective(row, c))
		if !ok {
			return 0, false
		}
		sum += x
	}
	rate := v.Rate
	if rate == 0 {
		rate = 1
	}
	for _, c := range v.Per {
		x, ok := sumCell(effective(row, c))
		if !ok || x == 0 {
			return 0, false
		}
		rate *= x
	}
	return float64(sum/rate) + v.Plus, true
}

// quantile returns the value of the distribution below which a share u lies.
func (v *Value) quantile(u float64) float64 {
	switch v.Kind {
	case LogNormalValue:
		median := v.Median
		if v.Mean != 0 {
			median = v.Mean * math.Exp(-v.Sigma*v.Sigma/2)
		}
		if v.Sigma == 0 {
			return median
		}
		return distuv.LogNormal{Mu: math.Log(median), Sigma: v.Sigma}.Quantile(u)
	case ExponentialValue:
		return distuv.Exponential{Rate: 1 / v.Mean}.Quantile(u)
	case WeibullValue:
		scale := v.Scale
		if v.Mean != 0 {
			scale = v.Mean / math.Gamma(1+1/v.Shape)
		}
		return distuv.Weibull{K: v.Shape, Lambda: scale}.Quantile(u)
	case GammaValue:
		scale := v.Scale
		if v.Mean != 0 {
			scale = v.Mean / v.Shape
		}
		return distuv.Gamma{Alpha: v.Shape, Beta: 1 / scale}.Quantile(u)
	}
	return v.Low + float64((v.High-v.Low)*u) // UniformValue
}

// limit rounds a number and keeps it within the value's limits.
func (v *Value) limit(x float64, target Column) float64 {
	round := v.Round
	if round == Unrounded && whole(target) {
		round = RoundUp
	}
	switch round {
	case RoundUp:
		x = math.Ceil(x)
	case RoundNearest:
		x = math.Round(x)
	case RoundPowerOfTwo:
		if frac, exp := math.Frexp(x); x > 0 && frac != 0.5 {
			x = math.Ldexp(1, exp)
		}
	}
	if v.HasMin {
		x = max(x, v.Min)
	}
	if v.HasMax {
		x = min(x, v.Max)
	}
	return x
}

// expand writes a name by its pattern; ok is false where a column is absent.
func expand(pattern []patternPart, row *Row, rank int) (Cell, bool) {
	var b strings.Builder
	for _, p := range pattern {
		switch {
		case p.rank:
			b.WriteString(strconv.Itoa(rank))
		case p.isCol:
			c := effective(row, p.column)
			if c.Kind == Absent {
				return Cell{}, false
			}
			b.WriteString(c.String())
		default:
			b.WriteString(p.text)
		}
	}
	return textCell(b.String()), true
}
