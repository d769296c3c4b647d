package profile

import (
	"fmt"
	"math"
	"sort"

	"tiersim/sim/unit"
)

// A Point is a recorded value and the instant from which it holds.
type Point struct {
	At    unit.Time
	Value Value
}

// Resolve returns the points with every factor turned into a rate of a link of
// capacity base.
func Resolve(points []Point, base unit.Rate) []Point {
	out := make([]Point, len(points))
	for i, p := range points {
		out[i] = Point{p.At, Value{float64(p.Value.Of(base)), true}}
	}
	return out
}

// Within returns the points with every value kept between a floor and a ceiling,
// which are in the unit of the points.
func Within(points []Point, floor, ceiling float64) ([]Point, error) {
	if !(floor >= 0 && floor <= ceiling) {
		return nil, fmt.Errorf("got a floor of %v and a ceiling of %v, want 0 <= floor <= ceiling", floor, ceiling)
	}
	out := make([]Point, len(points))
	for i, p := range points {
		p.Value.Number = min(max(p.Value.Number, floor), ceiling)
		out[i] = p
	}
	return out, nil
}

// Steps is a recorded profile. The first point's value also holds before its
// instant. After the last point the value holds, or all begins again with every
// period: then point i of round k is at k·period + its instant.
type Steps struct {
	at       []unit.Time
	value    []float64
	period   unit.Seconds // 0: hold
	absolute bool
}

// Hold returns the profile of the points, of which the last holds forever.
func Hold(points []Point) (*Steps, error) { return steps(points, 0) }

// Loop returns the profile of the points, which begin again with every period.
// All instants must be within the first.
func Loop(points []Point, period unit.Seconds) (*Steps, error) {
	if !(period > 0) || math.IsInf(float64(period), 0) {
		return nil, fmt.Errorf("got a period of %v s, want one above 0", float64(period))
	}
	return steps(points, period)
}

// steps checks the points and leaves out those that change nothing.
func steps(points []Point, period unit.Seconds) (*Steps, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("no points, want at least one")
	}
	s := &Steps{period: period, absolute: points[0].Value.Absolute}
	for i, p := range points {
		if err := s.check(p, i, points); err != nil {
			return nil, err
		}
		n := len(s.at)
		switch {
		case n == 0:
			s.at, s.value = append(s.at, 0), append(s.value, p.Value.Number)
		case s.value[n-1] != p.Value.Number:
			s.at, s.value = append(s.at, p.At), append(s.value, p.Value.Number)
		}
	}
	return s, nil
}

func (s *Steps) check(p Point, i int, points []Point) error {
	if p.At < 0 || math.IsNaN(float64(p.At)) || math.IsInf(float64(p.At), 0) {
		return fmt.Errorf("point %d: got an instant of %v s, want one from 0 on", i+1, float64(p.At))
	}
	if i > 0 && p.At <= points[i-1].At {
		return fmt.Errorf("point %d: %v s is not after %v s, the point before it", i+1, float64(p.At), float64(points[i-1].At))
	}
	if s.period > 0 && unit.Seconds(p.At) >= s.period {
		return fmt.Errorf("point %d: %v s is not within the period of %v s", i+1, float64(p.At), float64(s.period))
	}
	if err := p.Value.check(); err != nil {
		return fmt.Errorf("point %d: %w", i+1, err)
	}
	if p.Value.Absolute != s.absolute {
		return fmt.Errorf("point %d: some points are rates and some are factors; give all a unit, or none", i+1)
	}
	return nil
}

// Absolute reports whether values are bytes per second.
func (s *Steps) Absolute() bool { return s.absolute }

// At returns the value at an instant.
func (s *Steps) At(t unit.Time) float64 {
	_, i := s.find(t)
	return s.value[i]
}

// Next returns the next change after an instant.
func (s *Steps) Next(after unit.Time) (unit.Time, float64, bool) {
	round, i := s.find(after)
	was := s.value[i]
	for range s.at { // the first point of a round may repeat the last value
		i++
		if i == len(s.at) {
			if s.period == 0 {
				return 0, 0, false
			}
			round, i = round+1, 0
		}
		// Asked by its instant: late in time, rounding may put points on one.
		at := s.instant(round, i)
		if v := s.At(at); v != was {
			return at, v, true
		}
	}
	return 0, 0, false
}

// instant is when point i of a round comes. Next and At both compare with this
// very number, so that the value at a change is the one after it.
func (s *Steps) instant(round float64, i int) unit.Time {
	return unit.Time(round*float64(s.period)) + s.at[i]
}

// find returns the last point that is at or before t.
func (s *Steps) find(t unit.Time) (round float64, i int) {
	if t < 0 {
		return 0, 0
	}
	if s.period > 0 {
		round = math.Floor(float64(t) / float64(s.period))
		switch { // where the division was rounded over the border
		case s.instant(round, 0) > t:
			round--
		case s.instant(round+1, 0) <= t:
			round++
		}
	}
	i = sort.Search(len(s.at), func(i int) bool { return s.instant(round, i) > t }) - 1
	return round, i
}
