package unit_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/unit"
)

// Decimal prefixes are decimal, binary ones binary, bits are an eighth of bytes;
// a decimal number is rounded once.
func TestParse(t *testing.T) {
	rate := func(s string) (float64, error) { v, err := unit.ParseRate(s); return float64(v), err }
	data := func(s string) (float64, error) { v, err := unit.ParseBytes(s); return float64(v), err }
	time := func(s string) (float64, error) { v, err := unit.ParseSeconds(s); return float64(v), err }
	for _, c := range []struct {
		parse func(string) (float64, error)
		in    string
		want  float64
	}{
		{rate, "10Gbit/s", 1.25e9}, {rate, "40GB/s", 4e10}, {rate, "1 Mbit/s", 125e3}, {rate, "8bit/s", 1},
		{data, "500GB", 5e11}, {data, "64MiB", 64 << 20}, {data, "0.9GB", 9e8}, {data, "2TB", 2e12}, {data, "1e3B", 1e3},
		{time, "50us", 50e-6}, {time, "20ms", 0.02}, {time, "90s", 90}, {time, "3h", 10800}, {time, "2d", 172800}, {time, "30m", 1800},
		{unit.ParseShare, "0.2", 0.2}, {unit.ParseShare, "20%", 0.2}, {unit.ParseShare, "33.3%", 0.333},
	} {
		got, err := c.parse(c.in)
		if err != nil || got != c.want {
			t.Errorf("%q: got %v, %v, want %v", c.in, got, err, c.want)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for in, want := range map[string]string{
		"10 Gb":    `got "10 Gb", want a rate such as 10Gbit/s; write 10Gbit/s`,
		"10gbit/s": `got "10gbit/s", want a rate such as 10Gbit/s; write 10Gbit/s`,
		"10Gbps":   `got "10Gbps", want a rate such as 10Gbit/s; write 10Gbit/s`,
		"10":       `got "10", want a rate such as 10Gbit/s`,
		"":         `got "", want a rate such as 10Gbit/s`,
		"-1Gbit/s": `got "-1Gbit/s", want a rate such as 10Gbit/s, not negative`,
		"NaN":      `got "NaN", want a rate such as 10Gbit/s`,
	} {
		if _, err := unit.ParseRate(in); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
	if _, err := unit.ParsePrice("0.48 CNY/h", "GB"); err == nil || !strings.HasSuffix(err.Error(), "write 0.48 CNY/GB") {
		t.Errorf("price: got %v", err)
	}
}

func TestPrice(t *testing.T) {
	got, err := unit.ParsePrice("0.115 CNY/GB/month", "GB/month")
	want := unit.Price{Amount: 0.115, Currency: "CNY", Per: "GB/month"}
	if err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// 10 GB over 1 Gbit/s take 80 s, 0.9 GB 7.2 s (not whole seconds).
func TestConversions(t *testing.T) {
	rate, _ := unit.ParseRate("1Gbit/s")
	for gb, want := range map[float64]unit.Seconds{10: 80, 0.9: 7.2} {
		if got := unit.Bytes(gb * 1e9).Over(rate); math.Abs(float64(got-want)) > 1e-12 {
			t.Errorf("%v GB: %v s, want %v", gb, got, want)
		}
	}
	if got := unit.PerGB(0.48).Times(1e12); got != 480 {
		t.Errorf("1 TB at 0.48: %v", got)
	}
	if got := unit.PerGBMonth(0.115).For(1e9, unit.Month); got != 0.115 {
		t.Errorf("1 GB for a month: %v", got)
	}
}

// What is printed can be read again, within three significant digits.
func TestPrintedCanBeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(1e-9, 1e15).Draw(t, "v")
		check := func(what, text string, got float64, err error, want float64) {
			if err != nil || math.Abs(got-want) > 0.006*want {
				t.Fatalf("%s %v printed %s, read %v, %v", what, want, text, got, err)
			}
		}
		if v > 0.01 {
			r := unit.Rate(v)
			back, err := unit.ParseRate(r.String())
			check("rate", r.String(), float64(back), err, v)
			b := unit.Bytes(v)
			got, err := unit.ParseBytes(b.String())
			check("bytes", b.String(), float64(got), err, v)
		}
		s := unit.Seconds(v)
		got, err := unit.ParseSeconds(s.String())
		check("seconds", s.String(), float64(got), err, v)
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"10Gbit/s", "500GB", "20ms", "1e400s", "e", "1e", "+", "5%", "0.48 CNY/GB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, v := range []func(string) (float64, error){
			func(s string) (float64, error) { v, err := unit.ParseRate(s); return float64(v), err },
			func(s string) (float64, error) { v, err := unit.ParseBytes(s); return float64(v), err },
			func(s string) (float64, error) { v, err := unit.ParseSeconds(s); return float64(v), err },
			unit.ParseShare,
		} {
			if got, err := v(s); err == nil && (math.IsNaN(got) || math.IsInf(got, 0) || got < 0) {
				t.Errorf("%q gave %v", s, got)
			}
		}
		_, _ = unit.ParsePrice(s, "GB")
	})
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{unit.Seconds(0).String(), "0s"}, {unit.Seconds(5400).String(), "1.5h"}, {unit.Seconds(0.0012).String(), "1.2ms"},
		{unit.Bytes(0).String(), "0B"}, {unit.Bytes(1.5e12).String(), "1.5TB"}, {unit.Bytes(999).String(), "999B"},
		{unit.Rate(1.25e9).String(), "10Gbit/s"}, {unit.Unlimited().String(), "unlimited"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}
