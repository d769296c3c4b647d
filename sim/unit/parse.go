package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A suffix scales the number before it: exponent of ten, then a factor that is
// exact in binary. "10Gbit/s" is 10e9 bits times 1/8.
type suffix struct {
	text   string
	exp10  int
	factor float64
}

var rateSuffixes = []suffix{
	{"Tbit/s", 12, 0.125}, {"Gbit/s", 9, 0.125}, {"Mbit/s", 6, 0.125}, {"kbit/s", 3, 0.125}, {"bit/s", 0, 0.125},
	{"TB/s", 12, 1}, {"GB/s", 9, 1}, {"MB/s", 6, 1}, {"kB/s", 3, 1}, {"B/s", 0, 1},
	{"TiB/s", 0, 1 << 40}, {"GiB/s", 0, 1 << 30}, {"MiB/s", 0, 1 << 20}, {"KiB/s", 0, 1 << 10},
}

var byteSuffixes = []suffix{
	{"PB", 15, 1}, {"TB", 12, 1}, {"GB", 9, 1}, {"MB", 6, 1}, {"kB", 3, 1}, {"B", 0, 1},
	{"PiB", 0, 1 << 50}, {"TiB", 0, 1 << 40}, {"GiB", 0, 1 << 30}, {"MiB", 0, 1 << 20}, {"KiB", 0, 1 << 10},
}

var timeSuffixes = []suffix{
	{"ns", -9, 1}, {"us", -6, 1}, {"µs", -6, 1}, {"ms", -3, 1}, {"s", 0, 1},
	{"min", 0, 60}, {"m", 0, 60}, {"h", 0, 3600}, {"d", 0, 86400}, {"w", 0, 604800},
}

// split parts a quantity into its number and what stands behind it.
func split(s string) (number, rest string) {
	i := 0
	for i < len(s) {
		c := s[i]
		digit := c >= '0' && c <= '9' || c == '.'
		sign := (c == '-' || c == '+') && (i == 0 || s[i-1] == 'e' || s[i-1] == 'E')
		exp := (c == 'e' || c == 'E') && i > 0 && i+1 < len(s) &&
			(s[i+1] >= '0' && s[i+1] <= '9' || s[i+1] == '-' || s[i+1] == '+')
		if !digit && !sign && !exp {
			break
		}
		i++
	}
	return s[:i], strings.TrimPrefix(s[i:], " ")
}

// scale reads number·10^exp with one rounding only, so that "0.1GB" is 1e8.
func scale(number string, exp10 int) (float64, error) {
	if exp10 != 0 {
		if i := strings.IndexAny(number, "eE"); i >= 0 {
			e, err := strconv.Atoi(number[i+1:])
			if err != nil {
				return 0, err
			}
			number, exp10 = number[:i], exp10+e
		}
		number += "e" + strconv.Itoa(exp10)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("not a finite number")
	}
	return v, nil
}

// parse reads a number and one of the suffixes; what says what is wanted.
func parse(s, what string, suffixes []suffix) (float64, error) {
	number, rest := split(strings.TrimSpace(s))
	if number == "" {
		return 0, fmt.Errorf("got %q, want %s", s, what)
	}
	for _, x := range suffixes {
		if x.text != rest {
			continue
		}
		v, err := scale(number, x.exp10)
		if err != nil {
			return 0, fmt.Errorf("got %q, want %s", s, what)
		}
		v *= x.factor
		if math.IsInf(v, 0) {
			return 0, fmt.Errorf("got %q, want %s", s, what)
		}
		if v < 0 {
			return 0, fmt.Errorf("got %q, want %s, not negative", s, what)
		}
		return v, nil
	}
	if fix, ok := nearest(rest, suffixes); ok {
		return 0, fmt.Errorf("got %q, want %s; write %s%s", s, what, number, fix)
	}
	return 0, fmt.Errorf("got %q, want %s", s, what)
}

// nearest finds the suffix that was probably meant: the same letters in another
// case, or with the part behind a slash left out.
func nearest(rest string, suffixes []suffix) (string, bool) {
	if rest == "" {
		return "", false
	}
	for _, x := range suffixes {
		if strings.EqualFold(x.text, rest) {
			return x.text, true
		}
	}
	low := strings.ToLower(rest)
	for _, r := range []struct{ from, to string }{{"bps", "bit/s"}, {"b/s", "bit/s"}, {"bits/s", "bit/s"}, {"ib", "iB"}} {
		if head, ok := strings.CutSuffix(low, r.from); ok {
			for _, x := range suffixes {
				if strings.EqualFold(head+r.to, x.text) {
					return x.text, true
				}
			}
		}
	}
	for _, x := range suffixes {
		if strings.HasPrefix(strings.ToLower(x.text), low) || strings.HasPrefix(low, strings.ToLower(x.text)) && len(x.text) > 1 {
			return x.text, true
		}
	}
	return "", false
}

// ParseRate reads a capacity such as 10Gbit/s or 40GB/s.
func ParseRate(s string) (Rate, error) {
	v, err := parse(s, "a rate such as 10Gbit/s", rateSuffixes)
	return Rate(v), err
}

// ParseBytes reads an amount of data such as 500GB or 64MiB.
func ParseBytes(s string) (Bytes, error) {
	v, err := parse(s, "an amount of data such as 500GB", byteSuffixes)
	return Bytes(v), err
}

// ParseSeconds reads a length of time such as 20ms or 3h.
func ParseSeconds(s string) (Seconds, error) {
	v, err := parse(s, "a time such as 20ms or 3h", timeSuffixes)
	return Seconds(v), err
}

// ParseShare reads a share, 0.2 or 20%; it has no unit. Values above 1 are the
// caller's to refuse.
func ParseShare(s string) (float64, error) {
	t := strings.TrimSpace(s)
	number, rest := split(t)
	exp := 0
	switch rest {
	case "":
	case "%":
		exp = -2
	default:
		return 0, fmt.Errorf("got %q, want a share such as 20%%", s)
	}
	v, err := scale(number, exp)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("got %q, want a share such as 20%%", s)
	}
	return v, nil
}

// A Price is a parsed price: an amount of a currency for each Per, which is one
// of "GB", "h", "GB/month" and "Mbit/s/month".
type Price struct {
	Amount   float64
	Currency string
	Per      string
}

// ParsePrice reads a price such as "0.48 CNY/GB" and wants it for each per.
func ParsePrice(s, per string) (Price, error) {
	want := fmt.Sprintf("a price such as 0.48 CNY/%s", per)
	number, rest := split(strings.TrimSpace(s))
	currency, got, ok := strings.Cut(strings.TrimSpace(rest), "/")
	v, err := scale(number, 0)
	if number == "" || err != nil || !ok || currency == "" || v < 0 {
		return Price{}, fmt.Errorf("got %q, want %s", s, want)
	}
	if got != per {
		return Price{}, fmt.Errorf("got %q, want %s; write %s %s/%s", s, want, number, currency, per)
	}
	return Price{Amount: v, Currency: strings.TrimSpace(currency), Per: per}, nil
}
