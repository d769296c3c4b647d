package stats

import (
	"math"

	"tiersim/sim/unit"
)

// A Summary keeps count, mean, variance and extremes of numbers that are added
// one by one (Welford) or as other summaries (Chan, Golub and LeVeque, The
// American Statistician 37(3), 1983). Its zero value is empty.
type Summary struct {
	n          int64
	mean, m2   float64
	sum        float64
	least, top float64
}

// Add takes one number in.
func (s *Summary) Add(x float64) {
	if s.n == 0 {
		s.least, s.top = x, x
	}
	s.n++
	s.sum += x
	d := x - s.mean
	s.mean += d / float64(s.n)
	s.m2 += float64(d * (x - s.mean))
	s.least, s.top = min(s.least, x), max(s.top, x)
}

// Merge takes in all that the other has taken in.
func (s *Summary) Merge(o Summary) {
	if o.n == 0 {
		return
	}
	if s.n == 0 {
		*s = o
		return
	}
	n := float64(s.n + o.n)
	d := o.mean - s.mean
	s.m2 += o.m2 + float64(d*d*(float64(s.n)*float64(o.n)/n))
	s.mean += float64(d * (float64(o.n) / n))
	s.n += o.n
	s.sum += o.sum
	s.least, s.top = min(s.least, o.least), max(s.top, o.top)
}

// N returns how many numbers were added.
func (s *Summary) N() int64 { return s.n }

// Sum returns their sum, 0 of none.
func (s *Summary) Sum() float64 { return s.sum }

// Mean returns their mean; ok is false where there are none.
func (s *Summary) Mean() (mean float64, ok bool) { return s.mean, s.n > 0 }

// Variance returns the variance of the population they are a sample of, with
// n−1 below the line; ok is false where there are fewer than two.
func (s *Summary) Variance() (variance float64, ok bool) {
	if s.n < 2 {
		return 0, false
	}
	return s.m2 / float64(s.n-1), true
}

// Extremes returns the least and the largest; ok is false where there are none.
func (s *Summary) Extremes() (least, largest float64, ok bool) { return s.least, s.top, s.n > 0 }

// Interval returns their mean with its interval. It panics where there are none.
func (s *Summary) Interval(confidence float64) Interval {
	if s.n == 0 {
		panic("stats: the mean of no numbers")
	}
	out := Interval{Mean: s.mean, HalfWidth: math.Inf(1), N: int(s.n)}
	if v, ok := s.Variance(); ok {
		out.HalfWidth = critical(confidence, float64(s.n-1)) * math.Sqrt(v/float64(s.n))
	}
	return out
}

// A TimeMean is the mean over time of a value that changes in steps: slots in
// use, tasks in a queue. Its zero value starts at instant 0 with value 0; Start
// begins elsewhere.
type TimeMean struct {
	began, since unit.Time
	value, area  float64
	top          float64
}

// Start forgets everything before now, when the value is v.
func (m *TimeMean) Start(now unit.Time, v float64) {
	*m = TimeMean{began: now, since: now, value: v, top: v}
}

// Set says that the value is v from now on.
func (m *TimeMean) Set(now unit.Time, v float64) {
	m.area = m.Integral(now)
	m.since, m.value = now, v
	m.top = max(m.top, v)
}

// Integral returns the value times the seconds that it was held, up to now.
func (m *TimeMean) Integral(now unit.Time) float64 {
	return m.area + float64(m.value*float64(now.Sub(m.since)))
}

// Mean returns the mean up to now; ok is false where no time has passed.
func (m *TimeMean) Mean(now unit.Time) (mean float64, ok bool) {
	if now <= m.began {
		return 0, false
	}
	return m.Integral(now) / float64(now.Sub(m.began)), true
}

// Max returns the largest value so far.
func (m *TimeMean) Max() float64 { return m.top }
