package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"tiersim/sim/fault"
)

// A fault is told with file, line, column and field, as far as they mean something.
func TestError(t *testing.T) {
	for _, c := range []struct {
		fault fault.Fault
		want  string
	}{
		{fault.Fault{File: "base.yaml", Line: 14, Column: 17, Field: "links[2].capacity", Message: "no"}, "base.yaml:14:17: links[2].capacity: no"},
		{fault.Fault{File: "t.csv", Line: 3, Field: "column slots", Message: "no"}, "t.csv:3: column slots: no"},
		{fault.Fault{File: "t.parquet", Field: "row 3, column slots", Message: "no"}, "t.parquet: row 3, column slots: no"},
		{fault.Fault{File: "x", Message: "is a folder"}, "x: is a folder"},
	} {
		if got := c.fault.Error(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A list without faults is no error; faults are found inside other errors.
func TestList(t *testing.T) {
	if err := (fault.List{}).Err(); err != nil {
		t.Error(err)
	}
	one := fault.Fault{File: "a", Message: "b"}
	for _, err := range []error{fault.List{one}.Err(), one, fmt.Errorf("opening: %w", one)} {
		if l, ok := fault.Of(err); !ok || len(l) != 1 || l[0] != one {
			t.Errorf("%v: %v, %v", err, l, ok)
		}
	}
	if _, ok := fault.Of(errors.New("other")); ok {
		t.Error("an error that is no fault was taken for one")
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"first-free", "stay", "at-data", "three-way"}
	for got, want := range map[string]string{"at-dta": "at-data", "threeway": "three-way", "Stay": "stay", "cheapest": "", "": ""} {
		if s, _ := fault.Suggest(got, known); s != want {
			t.Errorf("%q: suggests %q, want %q", got, s, want)
		}
	}
}
