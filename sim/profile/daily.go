package profile

import (
	"fmt"
	"math"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// Daily is a daily cycle: least capacity at the peak of what others use. The
// factor at an instant whose time of day is t is
//
//	1 − a·(1 + cos 2π(t − Peak)/24 h)/2
//
// and stays what it is at the begin of each step. a is Amplitude, times Weekend on
// Saturday and Sunday.
type Daily struct {
	Amplitude  float64      // 0 to 1
	Peak       unit.Seconds // time of day
	Weekend    float64      // 1: as on other days; 0: no cycle at the weekend
	Step       unit.Seconds
	StartOfDay unit.Seconds // time of day at instant 0
	StartDay   int          // day at instant 0: 0 is Monday, 6 Sunday
}

// NewDaily returns a law times a daily cycle.
func NewDaily(of Law, d Daily) (Law, error) {
	day := float64(unit.Day)
	switch {
	case !(d.Amplitude >= 0 && d.Amplitude <= 1):
		return nil, fmt.Errorf("got an amplitude of %v, want one from 0 to 1", d.Amplitude)
	case !(d.Weekend >= 0 && d.Weekend*d.Amplitude <= 1):
		return nil, fmt.Errorf("got a weekend of %v, want a factor of the amplitude that leaves it from 0 to 1", d.Weekend)
	case !(d.Peak >= 0 && d.Peak <= unit.Day):
		return nil, fmt.Errorf("got a peak at %v s, want a time of day from 0 to %v s", float64(d.Peak), day)
	case !(d.Step > 0 && d.Step <= unit.Day):
		return nil, fmt.Errorf("got a step of %v s, want one above 0 and at most %v s", float64(d.Step), day)
	case !(d.StartOfDay >= 0 && d.StartOfDay < unit.Day):
		return nil, fmt.Errorf("got a start at %v s of the day, want one from 0 to below %v s", float64(d.StartOfDay), day)
	case d.StartDay < 0 || d.StartDay > 6:
		return nil, fmt.Errorf("got a start on day %d, want one from 0, Monday, to 6, Sunday", d.StartDay)
	}
	return Product(of, daily{&d}), nil
}

// daily is the factor of the cycle.
type daily struct{ *Daily }

// Begin begins at instant 0.
func (d daily) Begin(rng.Streams, string) Course {
	return &dailyCourse{Daily: d.Daily, value: d.factor(0)}
}

// Random is false.
func (d daily) Random() bool { return false }

func (d *Daily) levels() (low, high float64) {
	return 1 - d.Amplitude*max(1, d.Weekend), 1
}

// factor returns the factor from the begin of step k on.
func (d *Daily) factor(k float64) float64 {
	t := float64(d.StartOfDay) + float64(k*float64(d.Step))
	days := math.Floor(t / float64(unit.Day))
	a := d.Amplitude
	if day := math.Mod(float64(d.StartDay)+days, 7); day >= 5 {
		a *= d.Weekend
	}
	phase := (t - float64(d.Peak)) / float64(unit.Day)
	phase -= math.Floor(phase)
	return 1 - float64(a*(1+math.Cos(2*math.Pi*phase))/2)
}

type dailyCourse struct {
	*Daily
	steps float64 // done
	value float64
}

// Value returns the factor since the latest change.
func (c *dailyCourse) Value() float64 { return c.value }

// Next goes on to the next step with another factor.
func (c *dailyCourse) Next() (unit.Time, float64, bool) {
	if c.Amplitude == 0 {
		return 0, 0, false
	}
	for most := c.steps + math.Ceil(float64(still/c.Step)); c.steps < most; {
		c.steps++
		if v := c.factor(c.steps); v != c.value {
			c.value = v
			return unit.Time(c.steps * float64(c.Step)), v, true
		}
	}
	return 0, 0, false
}

// Clone returns an independent copy.
func (c *dailyCourse) Clone() Course { x := *c; return &x }
