package main

import (
	"strings"
	"testing"
	"time"
)

func TestGridAligns(t *testing.T) {
	g := grid{left: 1, heads: [][]string{{"policy", "cost"}}}
	g.add("stay", "1.5")
	g.add("three-way", "12")
	var b strings.Builder
	if err := g.print(&b); err != nil {
		t.Fatal(err)
	}
	want := "  policy     cost\n  ───────────────\n  stay        1.5\n  three-way    12\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestWrap(t *testing.T) {
	got := wrap("  * ", "one two three four", 14)
	want := "  * one two\n    three four\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNumbersToRead(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(1000), "1,000"}, {grouped(-1234567), "-1,234,567"},
		{signed("1.0"), "+1.0"}, {signed("-1.0"), "-1.0"}, {signed("0.00"), "0.00"}, {signed("-0.00"), "0.00"},
		{percent(0.2849), "28.5 %"},
		{triple([3]float64{70, 29.9, 0.1}, [3]float64{100, 100, 100}), "70/30/<1"},
		{triple([3]float64{5, 0, 0}, [3]float64{10, 0, 5}), "50/-/0"},
		{triple([3]float64{}, [3]float64{}), "-"},
		{scaleOf(2.5e5, "CNY").print(1234, 2.5e5), "1.2"},
		{scaleOf(2.5e5, "CNY").unit, "thousand CNY"},
		{scaleOf(50, "CNY").print(1.2345, 50), "1.23"},
		// At least three significant digits, no exponent, no separators.
		{threeDigits(1507 * time.Millisecond), "1.507"},
		{threeDigits(1234567 * time.Millisecond), "1234.567"},
		{threeDigits(12345 * time.Microsecond), "0.0123"},
		{threeDigits(1234 * time.Nanosecond), "0.00000123"},
		{threeDigits(0), "0.000"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
