package profile

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// still is how long a course that is made of others looks for its next change:
// what stays the same for longer is told as something that changes no more, such
// as a fluctuation that hardly ever comes near its floor. Chosen: longer than any
// run.
const still = 10 * 365 * unit.Day

// Product returns the law of the product of all, 1 where there are none. Changes
// that fall on one instant come as one. Any factor of an unlimited capacity
// leaves it unlimited, except 0, which closes it.
func Product(laws ...Law) Law {
	var taken []string
	names := make([]string, len(laws))
	for i, l := range laws {
		names[i] = place("", l, &taken)
	}
	return combine(product{}, names, laws...)
}

// Less returns the law of what held leaves of another, at least 0. What is random
// in held is drawn from name/held, so that it is another part of the world than
// what is random in the first.
func Less(of, held Law) Law {
	var taken []string
	names := []string{place("", of, &taken), place("/held", held, &taken)}
	return combine(less{}, names, of, held)
}

// Scaled returns the law times a number, which is not negative; +Inf makes a
// factor of an unlimited capacity: 0 stays 0 and all else becomes unlimited.
func Scaled(of Law, by float64) Law {
	if !(by >= 0) {
		panic(fmt.Sprintf("profile: scaled by %v, want a number from 0 on", by))
	}
	return combine(scale(by), []string{""}, of)
}

// NewBounded returns the law kept between a floor and a ceiling, which may be
// +Inf.
func NewBounded(of Law, floor, ceiling float64) (Law, error) {
	if !(floor >= 0 && floor <= ceiling) {
		return nil, fmt.Errorf("got a floor of %v and a ceiling of %v, want 0 <= floor <= ceiling", floor, ceiling)
	}
	return combine(bounds{floor, ceiling}, []string{""}, of), nil
}

// A rule makes one value of those of the parts. It rises with each of them, or
// falls.
type rule interface {
	of(values []float64) float64
	falls(part int) bool
}

type (
	product struct{}
	less    struct{}
	scale   float64
	bounds  struct{ floor, ceiling float64 }
)

func (product) of(values []float64) float64 {
	p := 1.0
	for _, v := range values {
		p = times(p, v)
	}
	return p
}

func (less) of(values []float64) float64 {
	if values[0] <= values[1] {
		return 0 // which is also what unlimited use leaves of an unlimited capacity
	}
	return values[0] - values[1]
}

func (s scale) of(values []float64) float64 { return times(values[0], float64(s)) }

func (b bounds) of(values []float64) float64 { return min(max(values[0], b.floor), b.ceiling) }

func (product) falls(int) bool   { return false }
func (less) falls(part int) bool { return part == 1 }
func (scale) falls(int) bool     { return false }
func (bounds) falls(int) bool    { return false }

// A combination is a law made of others by a rule.
type combination struct {
	rule  rule
	names []string // what is put behind the name for each
	laws  []Law
}

// combine returns a combination, or the constant that it always is.
func combine(r rule, names []string, laws ...Law) Law {
	c := &combination{r, names, slices.Clone(laws)}
	if low, high := c.levels(); low == high {
		return Constant{Value{Number: low}}
	}
	return c
}

// Begin begins all parts.
func (c *combination) Begin(s rng.Streams, name string) Course {
	n := len(c.laws)
	x := &combined{rule: c.rule, parts: make([]part, n), values: make([]float64, n), others: make([]float64, n)}
	for i, l := range c.laws {
		p := &x.parts[i]
		p.course = l.Begin(s, name+c.names[i])
		p.value = p.course.Value()
		p.look()
	}
	x.value = x.now()
	return x
}

// Random reports whether any part is.
func (c *combination) Random() bool { return slices.ContainsFunc(c.laws, Law.Random) }

func (c *combination) streams() (all []string) {
	for i, l := range c.laws {
		for _, s := range streams(l) {
			all = append(all, c.names[i]+s)
		}
	}
	return all
}

func (c *combination) levels() (low, high float64) {
	lows, highs := make([]float64, len(c.laws)), make([]float64, len(c.laws))
	for i, l := range c.laws {
		lows[i], highs[i] = levels(l)
		if c.rule.falls(i) {
			lows[i], highs[i] = highs[i], lows[i]
		}
	}
	return c.rule.of(lows), c.rule.of(highs)
}

// streams returns what a law puts behind its name to name the streams it draws
// from.
func streams(l Law) []string {
	if s, ok := l.(interface{ streams() []string }); ok {
		return s.streams()
	}
	if l.Random() {
		return []string{""}
	}
	return nil
}

// Levels returns bounds of the values that a law takes: it is never below low and
// never above high.
func Levels(of Law) (low, high float64) { return levels(of) }

// levels returns bounds of the values that a law takes, or a course from now on.
func levels(of any) (low, high float64) {
	if s, ok := of.(interface{ levels() (low, high float64) }); ok {
		return s.levels()
	}
	return 0, math.Inf(1)
}

// place returns what to put behind the name for a part of a combination: what is
// wanted, and a number where its streams would be those of a part before it. What
// is not random takes no place, so that it can be left out and the rest of the
// world stays what it was.
func place(want string, l Law, taken *[]string) string {
	own := streams(l)
	at := want
	for i := 2; slices.ContainsFunc(own, func(s string) bool { return slices.Contains(*taken, at+s) }); i++ {
		at = want + "/" + strconv.Itoa(i)
	}
	for _, s := range own {
		*taken = append(*taken, at+s)
	}
	return at
}

// A part is a course with the change that comes next in it.
type part struct {
	course Course
	value  float64
	at     unit.Time // of the next change; never: Forever
	next   float64
}

// look asks for the next change.
func (p *part) look() {
	at, v, ok := p.course.Next()
	if !ok {
		at = unit.Forever()
	}
	p.at, p.next = at, v
}

// levels returns bounds of the value from now on.
func (p *part) levels() (low, high float64) {
	if p.at == unit.Forever() {
		return p.value, p.value
	}
	low, high = levels(p.course)
	return min(low, p.value), max(high, p.value)
}

// combined is the course of a combination.
type combined struct {
	rule  rule
	parts []part
	value float64
	last  unit.Time // change
	ended bool

	values, others []float64 // of the parts, for the rule
}

// now returns what the rule makes of the values of the parts.
func (c *combined) now() float64 {
	for i := range c.parts {
		c.values[i] = c.parts[i].value
	}
	return c.rule.of(c.values)
}

func (c *combined) levels() (low, high float64) {
	for i := range c.parts {
		low, high = c.parts[i].levels()
		if c.rule.falls(i) {
			low, high = high, low
		}
		c.values[i], c.others[i] = low, high
	}
	return c.rule.of(c.values), c.rule.of(c.others)
}

// settled reports whether the value can be no other any more.
func (c *combined) settled() bool {
	low, high := c.levels()
	return low == high
}

// Value returns the value since the latest change.
func (c *combined) Value() float64 { return c.value }

// Next lets the parts go on until the value is another one.
func (c *combined) Next() (unit.Time, float64, bool) {
	for !c.ended {
		at := unit.Forever()
		for i := range c.parts {
			at = min(at, c.parts[i].at)
		}
		if at == unit.Forever() {
			break
		}
		for i := range c.parts {
			if p := &c.parts[i]; p.at == at {
				p.value = p.next
				p.look()
			}
		}
		if v := c.now(); v != c.value {
			c.last, c.value = at, v
			return at, v, true
		}
		c.ended = at.Sub(c.last) > still || c.settled()
	}
	return 0, 0, false
}

// Clone returns an independent copy.
func (c *combined) Clone() Course {
	x := *c
	x.parts, x.values, x.others = slices.Clone(c.parts), slices.Clone(c.values), slices.Clone(c.others)
	for i := range x.parts {
		x.parts[i].course = x.parts[i].course.Clone()
	}
	return &x
}
