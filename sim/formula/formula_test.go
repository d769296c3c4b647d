package formula_test

import (
	"math"
	"strings"
	"testing"

	"tiersim/sim/formula"
)

type values struct {
	Class string  `expr:"class"`
	Fee   float64 `expr:"fee"`
	Wait  float64 `expr:"wait_h"`
	Moves bool    `expr:"moves"`
	inner int
}

func TestConditions(t *testing.T) {
	v := values{Class: "online", Fee: 3, Wait: 0.5, Moves: true, inner: 1}
	_ = v.inner
	for text, want := range map[string]bool{
		`class == "online"`:                    true,
		`class in ["batch", "science"]`:        false,
		`fee > 2 and not moves`:                false,
		`fee / wait_h == 6 && max(fee, 1) > 2`: true,
		`class startsWith "on" or fee < 0`:     true,
	} {
		c, err := formula.NewCondition[values](text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var m formula.Machine
		for range 2 { // a machine can be used again
			if got, err := c.Holds(&m, &v); err != nil || got != want {
				t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
			}
		}
	}
}

func TestScores(t *testing.T) {
	v := values{Fee: 3, Wait: 0.5}
	var m formula.Machine
	for text, want := range map[string]float64{
		"fee + 2*wait_h":             4,
		"2":                          2,
		"fee > 2 ? wait_h : 7":       0.5,
		"1 / (wait_h - 0.5)":         math.Inf(1),
		"min(fee, wait_h) + abs(-1)": 1.5,
	} {
		s, err := formula.NewScore[values](text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := s.Value(&m, &v); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	s, err := formula.NewScore[values]("(wait_h - 0.5) / (wait_h - 0.5)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Value(&m, &v); err == nil || !strings.Contains(err.Error(), "not a number") {
		t.Errorf("0/0: got %v", err)
	}
}

// What would read a clock, a file or never end is refused, and a fault says what
// was meant.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "empty",
		"fe > 1":                             "unknown name fe; write fee",
		"zzzzzz > 1":                         "there are class, fee, wait_h, moves",
		"inner > 1":                          "unknown name inner",
		"now() > 1":                          "now",
		"fee":                                "bool",
		"fee >":                              "column",
		`class > 1`:                          "mismatched types",
		"all(1..1000000, # > fee)":           "all",
		strings.Repeat("1+", 2000) + "1 > 0": "nodes",
	} {
		_, err := formula.NewCondition[values](text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", text, err, want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40s: the message has several lines: %q", text, err)
		}
	}
	if _, err := formula.NewScore[values](`class`); err == nil {
		t.Error("a text as a score was taken")
	}
}
