package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tiersim/sim/fault"
)

// A Where is the place in a file that a rule was written at.
type Where struct {
	File         string
	Line, Column int
}

func (w Where) String() string {
	if w.Line == 0 {
		return w.File
	}
	return fmt.Sprintf("%s:%d", w.File, w.Line)
}

// A Rule gives values to absent columns and empty cells of the rows that fit all
// of its conditions. Rules are tried in order, and a cell that has a value keeps
// it: the first rule that fits gives the value.
//
// Conditions and values see what earlier rules, and earlier assignments of the
// same rule, gave; where a cell is still absent they see the column's default.
type Rule struct {
	When []Condition
	Set  []Assignment
	At   Where
}

// An Assignment gives one column its value.
type Assignment struct {
	Column Column
	Value  Value
	At     Where
}

// An Op is how a condition compares.
type Op uint8

// Ways to compare. OneOf compares with a list of texts; the others with a number.
const (
	OneOf Op = iota
	Less
	AtMost
	AtLeast
	More
)

// A Condition is one thing that must hold of a row for a rule to fit.
type Condition struct {
	Column Column
	// Source says that it is the source's name (as:) that is compared, in place
	// of a column.
	Source bool
	Op     Op
	Values []string // of OneOf; "" fits an absent value
	Number float64  // of the others, in the column's unit
}

// A ValueKind says how a value comes about.
type ValueKind uint8

// The kinds of values. All but the first three are random.
const (
	ConstantValue    ValueKind = iota // Cell
	CopyValue                         // the value of From[0]
	RatioValue                        // sum of From / (Rate · product of Per) + Plus
	ChoiceValue                       // one of Of, by its share
	LogNormalValue                    // Median (or Mean), Sigma
	ExponentialValue                  // Mean
	WeibullValue                      // Shape, Scale (or Mean)
	GammaValue                        // Shape, Scale (or Mean)
	UniformValue                      // Low, High
	ZipfValue                         // rank r of 1..N with weight 1/r^S, as a number or in Name
	numValueKinds
)

var valueKindNames = [numValueKinds]string{
	"constant", "column", "ratio", "choice", "lognormal", "exponential", "weibull", "gamma", "uniform", "zipf",
}

func (k ValueKind) String() string { return valueKindNames[k] }

// ValueKindNames returns the names of the kinds, as scenarios write them.
func ValueKindNames() []string { return slices.Clone(valueKindNames[:]) }

// ParseValueKind finds a kind by its name.
func ParseValueKind(s string) (ValueKind, bool) {
	i := slices.Index(valueKindNames[:], s)
	return ValueKind(max(i, 0)), i >= 0
}

// A Rounding says how a number is rounded before its limits apply. A column of
// whole numbers that states none is rounded up.
type Rounding uint8

// The ways to round.
const (
	Unrounded Rounding = iota
	RoundUp
	RoundNearest
	RoundPowerOfTwo // up to the next power of two
)

var roundingNames = []string{"none", "up", "nearest", "power-of-two"}

// RoundingNames returns the names of the roundings, as scenarios write them.
func RoundingNames() []string { return slices.Clone(roundingNames) }

// ParseRounding finds a rounding by its name.
func ParseRounding(s string) (Rounding, bool) {
	i := slices.Index(roundingNames, s)
	return Rounding(max(i, 0)), i >= 0
}

// A Choice is one of the values that a choice may give: a constant, or the value
// of another column (the first entry of a list, where the column that is given
// holds no list).
type Choice struct {
	Share  float64
	Cell   Cell
	Copy   bool // Column in place of Cell
	Column Column
}

// A Value says what an assignment gives. Which fields a kind reads stands at the
// kind. Numbers are in the unit of the column that is given.
//
// What is random is drawn once for each task name or, with By, once for each
// combination of values of those columns: two tasks that read one data set get
// the same draw by data set. Where all of By are absent the draw is by task.
// Where By is a list of several data sets and the column that is given is a
// list too, each entry is drawn by itself.
type Value struct {
	Kind ValueKind
	Cell Cell

	From []Column
	Rate float64 // 0 counts as 1
	Per  []Column
	Plus float64

	Of []Choice
	// Second is the share of draws that get a second, different value of Of,
	// joined by "+": a set of data with two homes.
	Second float64

	Mean, Median, Sigma, Shape, Scale, Low, High float64

	N    int
	S    float64
	Name string // of ZipfValue: a text with {n} for the rank and {group}, {class}... for columns

	By             []Column
	HasMin, HasMax bool
	Min, Max       float64
	Round          Rounding
}

// Random reports whether any value of the rules is drawn: with other random
// numbers it would come out differently.
func Random(rules []Rule) bool {
	for i := range rules {
		for j := range rules[i].Set {
			if rules[i].Set[j].Value.random() {
				return true
			}
		}
	}
	return false
}

func (v *Value) random() bool {
	switch v.Kind {
	case ConstantValue, CopyValue, RatioValue:
		return false
	case ChoiceValue:
		possible := 0
		for _, c := range v.Of {
			if c.Share > 0 {
				possible++
			}
		}
		return possible > 1
	case LogNormalValue:
		return v.Sigma != 0
	case UniformValue:
		return v.Low != v.High
	case ZipfValue:
		return v.N > 1
	}
	return true
}

// Check says what is wrong with a value for a column, nil if nothing is.
func (v *Value) Check(target Column) error {
	if target < 0 || target >= NumColumns {
		return fmt.Errorf("no such column")
	}
	if target == ColTask {
		return fmt.Errorf("names of tasks cannot be filled")
	}
	if v.HasMin && v.HasMax && v.Min > v.Max {
		return fmt.Errorf("min %v is above max %v", v.Min, v.Max)
	}
	if slices.Contains(v.From, target) || slices.Contains(v.By, target) || slices.Contains(v.Per, target) {
		return fmt.Errorf("%s cannot be made from itself", target)
	}
	if v.Kind >= RatioValue && v.Kind != ChoiceValue && v.Kind != ZipfValue && !numeric(target) {
		return fmt.Errorf("kind %s gives a number, %s is a %s", v.Kind, target, columns[target].Type)
	}
	return v.checkKind(target)
}

func (v *Value) checkKind(target Column) error {
	positive := func(name string, x float64) error {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("kind %s needs %s above 0, got %v", v.Kind, name, x)
		}
		return nil
	}
	either := func(name string, x float64) error {
		if v.Mean != 0 {
			return positive("mean", v.Mean)
		}
		return positive(name, x)
	}
	switch v.Kind {
	case CopyValue:
		if len(v.From) != 1 {
			return fmt.Errorf("kind column needs one column to copy, got %d", len(v.From))
		}
	case RatioValue:
		return v.checkRatio()
	case ChoiceValue:
		return v.checkChoice(target)
	case LogNormalValue:
		if !(v.Sigma >= 0) || math.IsInf(v.Sigma, 0) {
			return fmt.Errorf("kind lognormal needs sigma of at least 0, got %v", v.Sigma)
		}
		return either("median", v.Median)
	case ExponentialValue:
		return positive("mean", v.Mean)
	case WeibullValue, GammaValue:
		if err := positive("shape", v.Shape); err != nil {
			return err
		}
		return either("scale", v.Scale)
	case UniformValue:
		if !(v.Low <= v.High) || math.IsInf(v.High-v.Low, 0) {
			return fmt.Errorf("kind uniform needs low up to high, got %v and %v", v.Low, v.High)
		}
	case ZipfValue:
		return v.checkZipf(target)
	}
	return nil
}

func (v *Value) checkRatio() error {
	if len(v.From) == 0 {
		return fmt.Errorf("kind ratio needs a column, or columns that are added up")
	}
	for _, c := range slices.Concat(v.From, v.Per) {
		if !numeric(c) {
			return fmt.Errorf("kind ratio needs columns of numbers, %s is a %s", c, columns[c].Type)
		}
	}
	if !(v.Rate >= 0) || math.IsInf(v.Rate, 0) {
		return fmt.Errorf("kind ratio needs a rate above 0, got %v", v.Rate)
	}
	return nil
}

func (v *Value) checkChoice(target Column) error {
	sum := 0.0
	for _, c := range v.Of {
		if !(c.Share >= 0) {
			return fmt.Errorf("a share of %v is below 0", c.Share)
		}
		if c.Copy && c.Column == target {
			return fmt.Errorf("%s cannot be made from itself", target)
		}
		sum += c.Share
	}
	if len(v.Of) == 0 || math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("the shares of a choice add up to %.6g%%, want 100%%", sum*100)
	}
	if !(v.Second >= 0 && v.Second <= 1) {
		return fmt.Errorf("second is a share of 0 to 1, got %v", v.Second)
	}
	if v.Second > 0 && target != ColDataHome {
		return fmt.Errorf("second joins homes of one data set, %s has none", target)
	}
	return nil
}

func (v *Value) checkZipf(target Column) error {
	if v.N < 1 || v.N > maxZipf {
		return fmt.Errorf("kind zipf needs n from 1 to %d, got %d", maxZipf, v.N)
	}
	if !(v.S >= 0) || math.IsInf(v.S, 0) {
		return fmt.Errorf("kind zipf needs s of at least 0, got %v", v.S)
	}
	if v.Name == "" && !numeric(target) {
		return fmt.Errorf("kind zipf needs a name for %s such as %q", target, "{group}-ds-{n}")
	}
	if v.Name != "" && !strings.Contains(v.Name, "{n}") {
		return fmt.Errorf("the name %q has no {n}, where the rank stands", v.Name)
	}
	_, err := parsePattern(v.Name)
	return err
}

// maxZipf bounds the table of a Zipf value. Chosen: far above any number of data
// sets that a group uses, and 8 MB at most.
const maxZipf = 1_000_000

// A patternPart is a piece of text, the rank, or a column.
type patternPart struct {
	text   string
	rank   bool
	column Column
	isCol  bool
}

// parsePattern splits a name such as "{group}-ds-{n}" into its parts.
func parsePattern(s string) ([]patternPart, error) {
	var parts []patternPart
	for s != "" {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			return append(parts, patternPart{text: s}), nil
		}
		if open > 0 {
			parts = append(parts, patternPart{text: s[:open]})
		}
		end := strings.IndexByte(s[open:], '}')
		if end < 0 {
			return nil, fmt.Errorf("%q opens a { and does not close it", s)
		}
		name := s[open+1 : open+end]
		s = s[open+end+1:]
		if name == "n" {
			parts = append(parts, patternPart{rank: true})
			continue
		}
		c, ok := FindColumn(name)
		if !ok {
			return nil, unknownColumn(name)
		}
		parts = append(parts, patternPart{column: c, isCol: true})
	}
	return parts, nil
}

// unknownColumn is the error of a name that no column has.
func unknownColumn(name string) error {
	if fix, ok := fault.Suggest(name, columnNames()); ok {
		return fmt.Errorf("no column %q; write %s", name, fix)
	}
	return fmt.Errorf("no column %q", name)
}

// numeric reports whether a column holds numbers, or lists of them.
func numeric(c Column) bool { return columns[c].Type == Number || c == ColInputBytes }

// whole reports whether a column holds whole numbers.
func whole(c Column) bool { return c == ColSlots || c == ColPriority || c == ColParts }
