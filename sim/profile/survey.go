package profile

import (
	"cmp"
	"slices"

	"tiersim/sim/unit"
)

// A Stretch is a span of time in which a value stays the same.
type Stretch struct {
	From, To unit.Time
	Value    float64
}

// length returns how long it is, in seconds.
func (s Stretch) length() float64 { return float64(s.To.Sub(s.From)) }

// Between follows a course from its begin on and returns its stretches between two
// instants, in order and without gaps; none where to is not after from.
func Between(c Course, from, to unit.Time) []Stretch {
	var all []Stretch
	at, value := unit.Time(0), c.Value()
	for at < to {
		next, v, ok := c.Next()
		if !ok {
			next = unit.Forever()
		}
		if begin, end := max(at, from), min(next, to); begin < end {
			all = append(all, Stretch{begin, end, value})
		}
		at, value = next, v
	}
	return all
}

// A Survey says what a value was like over stretches: quantiles and means are by
// the time that it had a value.
type Survey struct {
	Mean, P5, P50, P95, Least, Most float64
	Closed                          float64 // share of the time at 0
	Closings                        int     // how often it fell to 0, or began there
	Changes                         int
}

// SurveyOf returns the survey of stretches that follow each other, of which there is
// at least one.
func SurveyOf(all []Stretch) Survey {
	s := Survey{Least: all[0].Value, Most: all[0].Value, Changes: len(all) - 1}
	total, sum, closed := 0.0, 0.0, 0.0
	for i, x := range all {
		total += x.length()
		if x.Value > 0 {
			sum += x.Value * x.length()
		} else {
			closed += x.length()
			if i == 0 || all[i-1].Value > 0 {
				s.Closings++
			}
		}
		s.Least, s.Most = min(s.Least, x.Value), max(s.Most, x.Value)
	}
	s.Mean, s.Closed = sum/total, closed/total
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Stretch) int { return cmp.Compare(a.Value, b.Value) })
	at := func(share float64) float64 {
		passed := 0.0
		for _, x := range sorted {
			if passed += x.length(); passed >= share*total {
				return x.Value
			}
		}
		return s.Most
	}
	s.P5, s.P50, s.P95 = at(0.05), at(0.5), at(0.95)
	return s
}

// Columns parts the time of stretches into n spans of one length and surveys each.
func Columns(all []Stretch, n int) []Survey {
	from, to := all[0].From, all[len(all)-1].To
	columns := make([]Survey, 0, n)
	for k := range n {
		begin := from.Add(to.Sub(from) * unit.Seconds(k) / unit.Seconds(n))
		end := from.Add(to.Sub(from) * unit.Seconds(k+1) / unit.Seconds(n))
		var part []Stretch
		for _, x := range all {
			if a, b := max(x.From, begin), min(x.To, end); a < b {
				part = append(part, Stretch{a, b, x.Value})
			}
		}
		columns = append(columns, SurveyOf(part))
	}
	return columns
}
