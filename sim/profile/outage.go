package profile

import (
	"fmt"
	"math"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// Outages say when a link is down: an alternating renewal process that begins up,
// windows that are known, or both. The share of time up of the former is
// mean(Up)/(mean(Up)+mean(Down)) in the long run.
type Outages struct {
	Up, Down rng.Distribution // seconds; both nil: windows only
	Share    float64          // of the outages that only weaken the link
	To       float64          // the factor of its capacity that these leave
	Windows  [][2]unit.Time   // from when to when it is closed; in order, apart
}

// NewOutages returns the factor that outages leave of a capacity: 1, 0 or To.
func NewOutages(o Outages) (Law, error) {
	windows, err := closedIn(o.Windows)
	if err != nil {
		return nil, err
	}
	if o.Up == nil && o.Down == nil {
		return windows, nil
	}
	for _, x := range []struct {
		what string
		law  rng.Distribution
	}{{"up", o.Up}, {"down", o.Down}} {
		if x.law == nil {
			return nil, fmt.Errorf("no law of the time %s, want both or none", x.what)
		}
		if m := x.law.Mean(); !(m > 0) {
			return nil, fmt.Errorf("got a mean time %s of %v s, want one above 0", x.what, m)
		}
	}
	if cycle := o.Up.Mean() + o.Down.Mean(); cycle < 1e-3 {
		return nil, fmt.Errorf("got outages each %v s on average, want them at least 0.001 s apart", cycle)
	}
	if !(o.Share >= 0 && o.Share <= 1) {
		return nil, fmt.Errorf("got a share of %v of outages that only weaken a link, want one from 0 to 1", o.Share)
	}
	if !(o.To >= 0 && o.To <= 1) {
		return nil, fmt.Errorf("got a factor of %v that outages leave, want one from 0 to 1", o.To)
	}
	if o.Share == 1 && o.To == 1 {
		return windows, nil // no outage is one
	}
	renewal := &outages{o.Up, o.Down, o.Share, o.To}
	if len(o.Windows) == 0 {
		return renewal, nil
	}
	return Product(renewal, windows), nil
}

// closedIn returns the factor that is 0 within the windows and else 1.
func closedIn(windows [][2]unit.Time) (*Steps, error) {
	points := []Point{{At: 0, Value: Value{Number: 1}}}
	end := unit.Time(0)
	for i, w := range windows {
		if !(w[0] >= end && w[1] > w[0]) || math.IsInf(float64(w[1]), 0) {
			return nil, fmt.Errorf("window %d: got %v s to %v s, want an end after its begin, and a begin not before %v s", i+1, float64(w[0]), float64(w[1]), float64(end))
		}
		if last := len(points) - 1; points[last].At == w[0] {
			points = points[:last] // where one window ends as the next begins
		}
		points = append(points, Point{At: w[0]}, Point{At: w[1], Value: Value{Number: 1}})
		end = w[1]
	}
	return Hold(points)
}

// outages is the renewal process.
type outages struct {
	up, down  rng.Distribution
	share, to float64
}

// Begin begins up.
func (o *outages) Begin(s rng.Streams, name string) Course {
	return &outagesCourse{outages: o, stream: s.Stream(name + "/outages"), value: 1}
}

// Random is true.
func (o *outages) Random() bool { return true }

func (o *outages) streams() []string { return []string{"/outages"} }

func (o *outages) levels() (low, high float64) { return 0, 1 }

type outagesCourse struct {
	*outages
	stream rng.Stream
	now    unit.Time
	isDown bool
	value  float64
}

// Value returns the factor since the latest change.
func (c *outagesCourse) Value() float64 { return c.value }

// Next goes on to the next outage or the end of one. Outages that leave all of the
// capacity are drawn and passed over.
func (c *outagesCourse) Next() (unit.Time, float64, bool) {
	for {
		v, length := 1.0, c.down
		if !c.isDown {
			v, length = 0, c.up
			if c.stream.Float64() < c.share {
				v = c.to
			}
		}
		c.now = after(c.now, unit.Seconds(c.stream.Draw(length)))
		if c.now == unit.Forever() {
			return 0, 0, false
		}
		c.isDown = !c.isDown
		if v != c.value {
			c.value = v
			return c.now, v, true
		}
	}
}

// Clone returns an independent copy.
func (c *outagesCourse) Clone() Course { x := *c; return &x }
