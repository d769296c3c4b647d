package profile

import (
	"slices"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// Begin returns the course that stays at the value.
func (c Constant) Begin(rng.Streams, string) Course { return constantCourse(c.Value.Number) }

// Random is false.
func (c Constant) Random() bool { return false }

func (c Constant) levels() (low, high float64) { return c.Value.Number, c.Value.Number }

type constantCourse float64

// Value returns the value.
func (c constantCourse) Value() float64 { return float64(c) }

// Next reports that nothing changes.
func (c constantCourse) Next() (unit.Time, float64, bool) { return 0, 0, false }

// Clone returns the course.
func (c constantCourse) Clone() Course { return c }

// Begin returns the course that replays the points.
func (s *Steps) Begin(rng.Streams, string) Course {
	return &stepsCourse{Steps: s, value: s.At(0)}
}

// Random is false.
func (s *Steps) Random() bool { return false }

func (s *Steps) levels() (low, high float64) { return slices.Min(s.value), slices.Max(s.value) }

type stepsCourse struct {
	*Steps
	now   unit.Time
	value float64
}

// Value returns the value since the latest change.
func (c *stepsCourse) Value() float64 { return c.value }

// Next goes on to the next change.
func (c *stepsCourse) Next() (unit.Time, float64, bool) {
	at, v, ok := c.Steps.Next(c.now)
	if ok {
		c.now, c.value = at, v
	}
	return at, v, ok
}

// Clone returns an independent copy.
func (c *stepsCourse) Clone() Course { x := *c; return &x }
