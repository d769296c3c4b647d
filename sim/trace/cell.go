package trace

import (
	"strconv"
	"strings"
)

// powersOfTen that a float64 holds exactly.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseNumber reads a decimal number. It refuses NaN, infinities, hexadecimal
// digits and underscores, which strconv would take, and whole numbers of an
// int64 that a float64 cannot hold exactly.
//
// Digits with a point and no exponent, up to 15 of them, are read here: both the
// digits and the power of ten are exact then, and one division rounds once
// (Clinger, PLDI 1990), which gives what strconv gives.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	var digits uint64
	point := -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = digits*10 + uint64(c-'0') // of more than 15, not used
		case c == '.' && point < 0:
			point = i
		default:
			return parseRare(s)
		}
	}
	switch {
	case len(s) == 0 || len(s) > 15 || len(s) == 1 && point == 0:
		return parseRare(s)
	case point < 0:
		return float64(digits), true
	}
	return float64(digits) / powersOfTen[len(s)-1-point], true
}

// parseRare reads numbers with signs, exponents or many digits.
func parseRare(s string) (float64, bool) {
	whole := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9' || c == '+' || c == '-':
		case c == '.' || c == 'e' || c == 'E':
			whole = false
		default:
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	if whole && len(s) > 15 { // 15 digits are always exact
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return widen(n)
		}
	}
	return v, true
}

// widen returns a whole number as a float64, and whether it kept every digit.
func widen(n int64) (float64, bool) {
	v := float64(n)
	return v, v < 1<<63 && int64(v) == n
}
