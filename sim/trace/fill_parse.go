package trace

import (
	"fmt"
	"strconv"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/unit"
)

// ParseAmount reads a number for a column as a scenario writes it: with a unit
// where the column has one ("2GB", "30min", "10MB/s", "8 CNY/h"), without where
// it has none.
func ParseAmount(c Column, s string) (float64, error) {
	switch columns[c].Unit {
	case "s":
		v, err := unit.ParseSeconds(s)
		return float64(v), err
	case "bytes":
		v, err := unit.ParseBytes(s)
		return float64(v), err
	case "bytes/s":
		v, err := unit.ParseRate(s)
		return float64(v), err
	case "money/h":
		v, err := unit.ParsePrice(s, "h")
		return v.Amount, err
	}
	v, ok := parseNumber(s)
	if !ok {
		return 0, fmt.Errorf("got %q, want a number", s)
	}
	return v, nil
}

// ParseRatio reads the rate of a ratio: what a sum of the from columns is
// divided by to give the target. Bytes over a rate give seconds, bytes over bytes
// a number, and so on.
func ParseRatio(target Column, from []Column, s string) (float64, error) {
	if len(from) == 0 {
		return 0, fmt.Errorf("a ratio needs a column, or columns that are added up")
	}
	over, give := columns[from[0]].Unit, columns[target].Unit
	for _, c := range from[1:] {
		if columns[c].Unit != over {
			return 0, fmt.Errorf("%s and %s cannot be added up", from[0], c)
		}
	}
	switch {
	case over == give:
		return unit.ParseShare(s)
	case over == "bytes" && give == "s":
		v, err := unit.ParseRate(s)
		return float64(v), err
	case over == "bytes" && give == "bytes/s", over == "s" && give != "bytes":
		v, err := unit.ParseSeconds(s)
		return float64(v), err
	case over == "bytes":
		v, err := unit.ParseBytes(s)
		return float64(v), err
	}
	v, ok := parseNumber(s)
	if !ok || v <= 0 {
		return 0, fmt.Errorf("got %q, want a number above 0", s)
	}
	return v, nil
}

// ParseConstant reads a constant for a column as a scenario writes it. Lists are
// as in a trace; entries of input_bytes have units.
func ParseConstant(c Column, s string) (Cell, error) {
	switch {
	case c == ColCheckpointS && s == "auto":
		return textCell(s), nil
	case c == ColInputBytes && strings.Contains(s, ";"):
		parts := strings.Split(s, ";")
		for i, p := range parts {
			v, err := unit.ParseBytes(p)
			if err != nil {
				return Cell{}, err
			}
			parts[i] = strconv.FormatFloat(float64(v), 'g', -1, 64)
		}
		return textCell(strings.Join(parts, ";")), nil
	case numeric(c):
		v, err := ParseAmount(c, s)
		if err != nil {
			return Cell{}, err
		}
		return numberCell(v), nil
	case s == "":
		return Cell{}, fmt.Errorf("got an empty text for %s", c)
	}
	return textCell(s), nil
}

// ParseCondition reads one entry of a rule's `when`: a column (or `as`, the
// source's name) and what it must equal, one of several values, or one
// comparison such as ">= 1GB".
func ParseCondition(name string, values []string) (Condition, error) {
	cond := Condition{Values: values}
	if name == "as" {
		cond.Source = true
		return cond, nil
	}
	c, ok := FindColumn(name)
	if !ok {
		if fix, near := fault.Suggest(name, append(columnNames(), "as")); near {
			return cond, fmt.Errorf("no column %q; write %s", name, fix)
		}
		return cond, fmt.Errorf("no column %q", name)
	}
	cond.Column = c
	if len(values) == 1 {
		for _, o := range []struct {
			sign string
			op   Op
		}{{">=", AtLeast}, {"<=", AtMost}, {">", More}, {"<", Less}} {
			if rest, found := strings.CutPrefix(values[0], o.sign); found {
				return cond.compare(o.op, rest)
			}
		}
	}
	if !numeric(c) {
		return cond, nil
	}
	cond.Values = nil
	for _, v := range values {
		cell, err := ParseConstant(c, v)
		if v != "" && err != nil {
			return cond, err
		}
		cond.Values = append(cond.Values, cell.String())
	}
	return cond, nil
}

func (cond Condition) compare(op Op, s string) (Condition, error) {
	if !numeric(cond.Column) {
		return cond, fmt.Errorf("%s is a %s and has no order", cond.Column, columns[cond.Column].Type)
	}
	v, err := ParseAmount(cond.Column, strings.TrimSpace(s))
	cond.Op, cond.Number, cond.Values = op, v, nil
	return cond, err
}
