package profile

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"tiersim/sim/rng"
	"tiersim/sim/unit"
)

// Jitter says how much later than its latency a message on a link is: a law of
// seconds, never negative, and the time over which it is correlated.
//
// The delay is Quantile(Φ(z)) of the law, so that it has exactly that law at every
// instant. z is standard normal, stays the same for a span of Tau/4, and is a sum
// of the normals of this span and of those before it, with weights that fall as
// exp(−time/Tau) and end after 4·Tau: the correlation of spans that begin u apart
// is exp(−u/Tau) to within 0.02, and 0 from 4·Tau on.
type Jitter struct {
	Law rng.Distribution // nil: none
	Tau unit.Seconds
}

// spans is how many spans z sums up, spansPerTau how many there are in Tau. Chosen:
// what is cut off has a share of exp(−8) = 0.03 % of the variance.
const (
	spans       = 16
	spansPerTau = 4
)

// Mean returns the expectation of the delay.
func (j Jitter) Mean() unit.Seconds {
	if j.Law == nil {
		return 0
	}
	return unit.Seconds(j.Law.Mean())
}

// Begin returns the delays that a link has in a replication.
func (j Jitter) Begin(s rng.Streams, name string) *JitterCourse {
	if j.Law != nil && !(j.Tau > 0) {
		panic(fmt.Sprintf("profile: jitter with a tau of %v s, want one above 0", float64(j.Tau)))
	}
	c := &JitterCourse{jitter: j, streams: s, name: name, span: math.NaN()}
	sum := 0.0
	for i := range c.weight {
		c.weight[i] = math.Exp(-float64(i) / spansPerTau)
		sum += float64(c.weight[i] * c.weight[i])
	}
	for i := range c.weight {
		c.weight[i] /= math.Sqrt(sum)
	}
	return c
}

// A JitterCourse tells the delay at any instant. It keeps the latest answer, and so
// belongs to one goroutine.
type JitterCourse struct {
	jitter  Jitter
	streams rng.Streams
	name    string
	weight  [spans]float64 // of this span and those before; their squares sum to 1

	span  float64 // of the latest answer
	delay unit.Seconds
}

// At returns the delay of a message that is sent at t. It depends on the instant
// and the names of the course alone, not on what was asked before.
func (c *JitterCourse) At(t unit.Time) unit.Seconds {
	if c.jitter.Law == nil {
		return 0
	}
	span := math.Floor(float64(t) / float64(c.jitter.Tau) * spansPerTau)
	if span != c.span {
		c.span, c.delay = span, unit.Seconds(c.jitter.Law.Quantile(c.uniform(span)))
	}
	return c.delay
}

// Clone returns an independent copy, which gives the same answers.
func (c *JitterCourse) Clone() *JitterCourse { x := *c; return &x }

// uniform returns Φ(z) in a span.
func (c *JitterCourse) uniform(span float64) float64 {
	z := 0.0
	for i, w := range c.weight {
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], uint64(int64(span)-int64(i)))
		z += float64(w * distuv.UnitNormal.Quantile(c.streams.U01(c.name, string(number[:]))))
	}
	return min(distuv.UnitNormal.CDF(z), 1-0x1p-53) // a quantile wants less than 1
}
