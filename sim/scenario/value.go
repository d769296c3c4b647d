package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tiersim/sim/fault"
	"tiersim/sim/unit"
)

// parsed is a scalar that a function reads. The function's error is the message.
func parsed[V any](json string, scales bool, parse func(string) (V, error)) form[V] {
	return form[V]{
		&shape{json: json, scales: scales},
		func(d *decoder, n *node, into *V) {
			if n.kind != scalar {
				_, err := parse("")
				_, want, _ := strings.Cut(err.Error(), ", ")
				d.fault(n, "%s, %s", n.got(), want)
				return
			}
			v, err := parse(n.text)
			if err != nil {
				d.fault(n, "%v", err)
				return
			}
			*into = v
		},
	}
}

// JSON Schema of quantities. They are hints for an editor; the parsers of package
// unit decide.
const (
	number         = `(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?`
	rateJSON       = `{"type":"string","pattern":"^` + number + ` ?([kMGT]?bit|[kMGT]?B|[KMGT]iB)/s$","examples":["10Gbit/s"]}`
	bytesJSON      = `{"type":"string","pattern":"^` + number + ` ?([kMGTP]?B|[KMGTP]iB)$","examples":["500GB"]}`
	secondsJSON    = `{"type":"string","pattern":"^` + number + ` ?(ns|us|µs|ms|s|m|min|h|d|w)$","examples":["20ms","3h"]}`
	shareJSON      = `{"anyOf":[{"type":"number","minimum":0},{"type":"string","pattern":"^` + number + `%$"}],"examples":["20%"]}`
	numberJSON     = `{"type":"number"}`
	positiveJSON   = `{"type":"number","exclusiveMinimum":0}`
	countJSON      = `{"type":"integer","minimum":1}`
	textJSON       = `{"type":["string","number"]}`
	anyScalarJSON  = `{"type":["string","number","boolean"]}`
	priceGBJSON    = `{"type":"string","pattern":"^` + number + ` .+/GB$","examples":["0.48 CNY/GB"]}`
	priceHourJSON  = `{"type":"string","pattern":"^` + number + ` .+/h$","examples":["8 CNY/h"]}`
	priceMonthJSON = `{"type":"string","pattern":"^` + number + ` .+/GB/month$","examples":["0.115 CNY/GB/month"]}`
	priceRentJSON  = `{"type":"string","pattern":"^` + number + ` .+/Mbit/s/month$","examples":["30 CNY/Mbit/s/month"]}`
)

func data() form[unit.Bytes]     { return parsed(bytesJSON, true, withUnit(unit.ParseBytes, "GB")) }
func length() form[unit.Seconds] { return parsed(secondsJSON, true, withUnit(unit.ParseSeconds, "s")) }

// withUnit is a parser of a quantity that says how a bare number gets a unit.
func withUnit[V any](parse func(string) (V, error), example string) func(string) (V, error) {
	return func(s string) (V, error) {
		v, err := parse(s)
		if _, bare := plainNumber(s); err != nil && bare == nil {
			err = fmt.Errorf("%w; write its unit, as in %s%s", err, strings.TrimPrefix(s, "-"), example)
		}
		return v, err
	}
}

// rateAboveZero is a capacity that can carry something.
func rateAboveZero() form[unit.Rate] {
	return parsed(rateJSON, true, func(s string) (unit.Rate, error) {
		v, err := withUnit(unit.ParseRate, "Gbit/s")(s)
		if err == nil && v == 0 {
			err = fmt.Errorf("got %q, want a rate above 0 such as 10Gbit/s; leave out what carries nothing", s)
		}
		return v, err
	})
}

// share is a share of up to a limit; +Inf where there is none.
func share(limit float64) form[float64] {
	return parsed(shareJSON, true, func(s string) (float64, error) {
		v, err := unit.ParseShare(s)
		if err == nil && v > limit {
			err = fmt.Errorf("got %q, want a share of at most %v%%%s", clip(s), 100*limit, inPercent(s, v))
		}
		return v, err
	})
}

// inPercent is the edit of a share that was written as a number of percents.
func inPercent(s string, v float64) string {
	if v > 100 || strings.Contains(s, "%") {
		return ""
	}
	return fmt.Sprintf("; write %s%%", s)
}

// price is a price for each per, in the topology's currency.
func price[V ~float64](per string) form[V] {
	json := map[string]string{"GB": priceGBJSON, "h": priceHourJSON, "GB/month": priceMonthJSON, "Mbit/s/month": priceRentJSON}[per]
	return form[V]{
		&shape{json: json, scales: true},
		func(d *decoder, n *node, into *V) {
			if n.kind != scalar {
				d.fault(n, "%s, want a price such as 0.48 CNY/%s", n.got(), per)
				return
			}
			p, err := unit.ParsePrice(n.text, per)
			switch {
			case err != nil:
				if _, bare := plainNumber(n.text); bare == nil {
					err = fmt.Errorf("%w; write %s %s/%s", err, strings.TrimPrefix(n.text, "-"), cmp.Or(d.currency, "CNY"), per)
				}
				d.fault(n, "%v", err)
				return
			case d.currency == "":
				d.currency = p.Currency
			case d.currency != p.Currency:
				d.fault(n, "got %q, want a price in %s, the one currency of this topology; convert it and write %s/%s behind it", n.text, d.currency, d.currency, per)
				return
			}
			*into = V(p.Amount)
		},
	}
}

// whole is a whole number from least to most.
func whole[V int | int32 | uint64](least, most V, example string) form[V] {
	json := fmt.Sprintf(`{"type":"integer","minimum":%d}`, least)
	return parsed(json, true, func(s string) (V, error) {
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil || v < uint64(least) || v > uint64(most) || len(s) > 1 && s[0] == '0' {
			want := fmt.Sprintf("got %q, want a whole number from %d on, such as %s", clip(s), least, example)
			if err == nil && v > uint64(most) {
				want = fmt.Sprintf("got %q, want a whole number of at most %d", clip(s), most)
			}
			if f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64); err == nil && f == math.Trunc(f) && f >= float64(least) && f <= float64(most) {
				want += fmt.Sprintf("; write %.0f", f)
			}
			return 0, errors.New(want)
		}
		return V(v), nil
	})
}

// plainNumber reads a decimal number without unit.
func plainNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(s, "xXpP_") {
		return 0, fmt.Errorf("got %q, want a number without unit such as 1.5", clip(s))
	}
	return v, nil
}

// atLeastZero is a number of 0 or more.
func atLeastZero() form[float64] {
	return parsed(`{"type":"number","minimum":0}`, true, func(s string) (float64, error) {
		v, err := plainNumber(s)
		if err == nil && v < 0 {
			err = fmt.Errorf("got %q, want a number of 0 or more", s)
		}
		return v, err
	})
}

// between is a number from least to most.
func between(least, most float64) form[float64] {
	return parsed(fmt.Sprintf(`{"type":"number","minimum":%v,"maximum":%v}`, least, most), true, func(s string) (float64, error) {
		v, err := plainNumber(s)
		if err == nil && (v < least || v > most) {
			err = fmt.Errorf("got %q, want a number from %v to %v", s, least, most)
		}
		return v, err
	})
}

// atLeast is a number from least on.
func atLeast(least float64) form[float64] {
	return parsed(fmt.Sprintf(`{"type":"number","minimum":%v}`, least), true, func(s string) (float64, error) {
		v, err := plainNumber(s)
		if err == nil && v < least {
			err = fmt.Errorf("got %q, want a number of %v or more", s, least)
		}
		return v, err
	})
}

// aboveZero is a number above 0.
func aboveZero() form[float64] {
	return parsed(positiveJSON, true, func(s string) (float64, error) {
		v, err := plainNumber(s)
		if err == nil && v <= 0 {
			err = fmt.Errorf("got %q, want a number above 0", s)
		}
		return v, err
	})
}

// upTo is a number above 0 and not above most.
func upTo(most float64) form[float64] {
	schema := fmt.Sprintf(`{"type":"number","exclusiveMinimum":0,"maximum":%v}`, most)
	return parsed(schema, true, func(s string) (float64, error) {
		v, err := plainNumber(s)
		if err == nil && !(v > 0 && v <= most) {
			err = fmt.Errorf("got %q, want a number above 0 and up to %v", s, most)
		}
		return v, err
	})
}

// oneOf is one of several words, which give the values of the same index.
func oneOf[V any](words []string, values ...V) form[V] {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return parsed(`{"enum":[`+strings.Join(quoted, ",")+`]}`, false, func(s string) (v V, err error) {
		if i := slices.Index(words, s); i >= 0 {
			return values[i], nil
		}
		return v, fmt.Errorf("got %q, want %s; write %s", clip(s), anyOf(words), nearestWord(s, words))
	})
}

// nearestWord is the word that was probably meant, or the first.
func nearestWord(s string, words []string) string {
	if fix, ok := fault.Suggest(s, words); ok {
		return fix
	}
	for _, w := range words {
		if s != "" && (strings.HasPrefix(w, s) || strings.HasPrefix(s, w)) {
			return w
		}
	}
	return words[0]
}

// word is one of several words, kept as it is.
func word(words ...string) form[string] { return oneOf(words, words...) }

// anyOf writes "a, b or c".
func anyOf(words []string) string { return series(words, " or ") }

// series writes "a, b and c", with another word before the last.
func series(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + last + words[len(words)-1]
}

// orWord is a value of a form, or a word that leaves the value as it is.
func orWord[V any](w string, f form[V], want string) form[V] {
	return form[V]{
		&shape{kind: eitherShape, any: []*shape{{json: `{"const":` + strconv.Quote(w) + `}`}, f.shape}},
		func(d *decoder, n *node, into *V) {
			if n.kind == scalar && n.text == w {
				return
			}
			before := len(d.faults)
			f.read(d, n, into)
			for i := before; i < len(d.faults); i++ {
				d.faults[i].Message = strings.Replace(d.faults[i].Message, ", want ", ", want "+w+" or ", 1)
			}
		},
	}
}

// A text is a scalar that other parts of the file refer to, or that refers to
// them: its place is kept.
type text struct {
	string
	node *node
}

// anyText is a text that is not empty.
func anyText(want string) form[text] {
	return form[text]{&shape{json: textJSON}, func(d *decoder, n *node, into *text) {
		if n.kind != scalar || n.text == "" {
			d.fault(n, "%s, want %s", n.got(), want)
			return
		}
		*into = text{n.text, n}
	}}
}

// badName finds what a trace, a path or a folder could not hold in a name.
var badName = regexp.MustCompile(`[/\\;+>:=\[\]{}"\x00-\x1f\x7f]|^\s|\s$|^\.|^-|^$`)

// name is the name of a place, a source or a scenario.
func name(want string) form[text] {
	return form[text]{&shape{json: textJSON}, func(d *decoder, n *node, into *text) {
		if n.kind != scalar || n.text == "" {
			d.fault(n, "%s, want %s", n.got(), want)
			return
		}
		if bad := badName.FindString(n.text); bad != "" || len(n.text) > 100 {
			fix := strings.Trim(badName.ReplaceAllString(clip(n.text), "-"), "-. ")
			if fix == "" {
				fix = "east"
			}
			d.fault(n, "got %q, want a name of at most 100 letters, digits, - and _; write %s", clip(n.text), fix)
			return
		}
		*into = text{n.text, n}
	}}
}
