package unit

import (
	"math"
	"strconv"
)

// short prints v with at most three significant digits and no exponent.
func short(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	digits = min(max(digits, 0), 9)
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if digits > 0 {
		for s[len(s)-1] == '0' {
			s = s[:len(s)-1]
		}
		if s[len(s)-1] == '.' {
			s = s[:len(s)-1]
		}
	}
	return s
}

// step is a unit to print in, from its smallest value on.
type step struct {
	from float64
	name string
}

func print(v float64, steps []step) string {
	if math.IsInf(v, 1) {
		return "unlimited"
	}
	pick := steps[len(steps)-1]
	for _, s := range steps {
		if v == 0 && s.from == 1 || v != 0 && math.Abs(v) >= s.from {
			pick = s
			break
		}
	}
	if v == 0 {
		return "0" + pick.name
	}
	return short(v/pick.from) + pick.name
}

// String prints the rate in bits per second with a decimal prefix: 10Gbit/s.
func (r Rate) String() string {
	return print(float64(r)*8, []step{{1e12, "Tbit/s"}, {1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}})
}

// String prints the amount with a decimal prefix: 500GB.
func (b Bytes) String() string {
	return print(float64(b), []step{{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}})
}

// String prints the length in the largest unit that leaves a value of at least 1.
func (s Seconds) String() string {
	return print(float64(s), []step{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}})
}

// String prints the instant as a length of time since the trace's start.
func (t Time) String() string { return Seconds(t).String() }
