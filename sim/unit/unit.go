// Package unit holds the quantities of the simulator: a type per quantity, each
// in one base unit, with the conversions between them.
//
// A number that has a unit is never a bare float64 outside this package's
// callers' arithmetic on one quantity. Multiplications that change the quantity
// are methods here; the conversion they contain also keeps a compiler from
// fusing a multiply with an add, which would make results differ between
// processors.
//
// What comes from outside is parsed by ParseRate, ParseBytes, ParseSeconds and
// ParsePrice; prefixes are decimal (1 GB = 10⁹ bytes) and KiB, MiB, GiB, TiB
// binary.
package unit

import "math"

type (
	// Time is an instant: seconds since the start of the trace.
	Time float64
	// Seconds is a length of simulated time.
	Seconds float64
	// Bytes is an amount of data; real, because a flow drains continuously.
	Bytes float64
	// Rate is bytes per second (never bits).
	Rate float64
	// Money is an amount in the topology's one currency.
	Money float64
	// PerGB is money for each 10⁹ bytes carried.
	PerGB float64
	// PerHour is money for each hour: of a slot, or of a task's turnaround.
	PerHour float64
	// PerGBMonth is money for 10⁹ bytes stored for a month of 30 days.
	PerGBMonth float64
	// PerMbpsMonth is money for 10⁶ bits per second rented for a month of 30 days.
	PerMbpsMonth float64
)

const (
	// Second is the unit of Seconds.
	Second Seconds = 1
	// Hour is 3600 seconds.
	Hour Seconds = 3600
	// Day is 24 hours.
	Day Seconds = 24 * Hour
	// Month is the 30 days that monthly prices refer to.
	Month Seconds = 30 * Day
	// GB is 10⁹ bytes.
	GB Bytes = 1e9
)

// Forever is the instant after all others: nothing ever happens there.
func Forever() Time { return Time(math.Inf(1)) }

// Unlimited is the rate of a link without a limit.
func Unlimited() Rate { return Rate(math.Inf(1)) }

// Add returns the instant d after t.
func (t Time) Add(d Seconds) Time { return t + Time(d) }

// Sub returns the length of time from u to t.
func (t Time) Sub(u Time) Seconds { return Seconds(t - u) }

// Hours returns the length in hours.
func (s Seconds) Hours() float64 { return float64(s / Hour) }

// Over returns the time that b takes at rate r; 0 where r is unlimited.
func (b Bytes) Over(r Rate) Seconds { return Seconds(float64(b) / float64(r)) }

// GB returns the amount in 10⁹ bytes.
func (b Bytes) GB() float64 { return float64(b / GB) }

// For returns the bytes that rate r moves in s.
func (r Rate) For(s Seconds) Bytes { return Bytes(float64(r) * float64(s)) }

// Times returns the price of b.
func (p PerGB) Times(b Bytes) Money { return Money(float64(p) * b.GB()) }

// For returns the price of s at p.
func (p PerHour) For(s Seconds) Money { return Money(float64(p) * s.Hours()) }

// Slots returns the hourly price of n slots.
func (p PerHour) Slots(n int32) PerHour { return PerHour(float64(p) * float64(n)) }

// For returns the price of keeping b for s.
func (p PerGBMonth) For(b Bytes, s Seconds) Money {
	return Money(float64(p) * b.GB() * float64(s/Month))
}

// For returns the price of rate r rented for s.
func (p PerMbpsMonth) For(r Rate, s Seconds) Money {
	return Money(float64(p) * (float64(r) * 8 / 1e6) * float64(s/Month))
}
