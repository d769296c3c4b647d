package profile_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/fault"
	"tiersim/sim/profile"
	"tiersim/sim/unit"
)

func factor(v float64) profile.Value { return profile.Value{Number: v} }

func points(atThenValue ...float64) (ps []profile.Point) {
	for i := 0; i < len(atThenValue); i += 2 {
		ps = append(ps, profile.Point{At: unit.Time(atThenValue[i]), Value: factor(atThenValue[i+1])})
	}
	return ps
}

// A step is a change as Next tells it.
type step struct {
	at    unit.Time
	value float64
}

// walk follows a profile from before 0 to an instant.
func walk(p *profile.Steps, until unit.Time) (out []step) {
	out = append(out, step{0, p.At(0)})
	for at, v, ok := p.Next(0); ok && at <= until; at, v, ok = p.Next(at) {
		out = append(out, step{at, v})
	}
	return out
}

// A line at full capacity for 60 s and at a fifth for 40 s, again and again.
func Example() {
	p, err := profile.Loop([]profile.Point{
		{At: 0, Value: profile.Value{Number: 1}},
		{At: 60, Value: profile.Value{Number: 0.2}},
	}, 100)
	if err != nil {
		fmt.Println(err)
	}
	at, value, _ := p.Next(1130)
	fmt.Println(p.At(1130), "until", float64(at), "then", profile.Value{Number: value}.Of(1.25e9))
	// Output: 1 until 1160 then 2Gbit/s
}

func TestWalk(t *testing.T) {
	must := func(p *profile.Steps, err error) *profile.Steps {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	hold := func(ps []profile.Point) *profile.Steps { return must(profile.Hold(ps)) }
	loop := func(period unit.Seconds, ps []profile.Point) *profile.Steps { return must(profile.Loop(ps, period)) }
	within := func(floor, ceiling float64, ps []profile.Point) []profile.Point {
		out, err := profile.Within(ps, floor, ceiling)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, c := range []struct {
		name string
		p    *profile.Steps
		want []step
	}{
		{"constant", hold([]profile.Point{{Value: factor(0.5)}}), []step{{0, 0.5}}},
		{"hold", hold(points(0, 1, 2, 0, 6, 1)), []step{{0, 1}, {2, 0}, {6, 1}}},
		{"the first value holds before its instant", hold(points(5, 1, 7, 2)), []step{{0, 1}, {7, 2}}},
		{"what repeats is no change", hold(points(0, 1, 2, 1, 3, 2, 4, 2)), []step{{0, 1}, {3, 2}}},
		{"loop", loop(10, points(0, 1, 6, 0.2)), []step{{0, 1}, {6, 0.2}, {10, 1}, {16, 0.2}, {20, 1}}},
		{"loop without a change at its border", loop(10, points(0, 1, 2, 3, 6, 1)), []step{{0, 1}, {2, 3}, {6, 1}, {12, 3}, {16, 1}}},
		{"loop of one", loop(10, points(0, 1)), []step{{0, 1}}},
		{"loop of one value", loop(10, points(0, 1, 5, 1)), []step{{0, 1}}},
		{"loop whose first point is late", loop(10, points(3, 1, 6, 2)), []step{{0, 1}, {6, 2}, {10, 1}, {16, 2}, {20, 1}}},
		{"bounds", hold(within(0.5, 2, points(0, 0, 1, 5, 2, 0.5, 3, 0.25, 4, 9, 5, 2))), []step{{0, 0.5}, {1, 2}, {2, 0.5}, {4, 2}}},
		{"bounds that leave nothing", hold(within(1, 1, points(0, 0, 1, 5))), []step{{0, 1}}},
		{"bounds of a loop", loop(10, within(0.5, 2, points(0, 1, 6, 0.2))), []step{{0, 1}, {6, 0.5}, {10, 1}, {16, 0.5}, {20, 1}}},
		{"bounds of a loop that leave nothing", loop(10, within(3, 3, points(0, 1, 6, 0.2))), []step{{0, 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := walk(c.p, 20); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			for _, s := range c.want {
				if got := c.p.At(s.at); got != s.value {
					t.Errorf("at %v: %v, want %v", float64(s.at), got, s.value)
				}
			}
		})
	}
}

// TestLaws checks on random profiles, periods that binary numbers cannot hold
// included: changes are strictly after, the value at a change is the one that
// was told, just before it the one before, and asking from anywhere between two
// changes gives the second.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ps []profile.Point
		at := 0.0
		for range rapid.IntRange(1, 6).Draw(t, "points") {
			ps = append(ps, profile.Point{At: unit.Time(at), Value: factor(float64(rapid.IntRange(0, 3).Draw(t, "value")))})
			at += float64(rapid.IntRange(1, 50).Draw(t, "gap")) * 0.1
		}
		p, err := profile.Hold(ps)
		if rapid.Bool().Draw(t, "loop") {
			p, err = profile.Loop(ps, unit.Seconds(at))
		}
		if err != nil {
			t.Fatal(err)
		}
		now := unit.Time(rapid.Float64Range(0, 1e6).Draw(t, "now"))
		value := p.At(now)
		for range 20 {
			next, v, ok := p.Next(now)
			if !ok {
				return
			}
			before := unit.Time(math.Nextafter(float64(next), 0))
			if next <= now || v == value || p.At(next) != v || p.At(before) != value {
				t.Fatalf("at %v s %v: next at %v s %v; there it is %v, before it %v", float64(now), value, float64(next), v, p.At(next), p.At(before))
			}
			if between, w, _ := p.Next((now + next) / 2); between != next && (now+next)/2 < next || w != v && (now+next)/2 < next {
				t.Fatalf("from between %v s and %v s the next change is at %v s", float64(now), float64(next), float64(between))
			}
			now, value = next, v
		}
	})
}

func TestRate(t *testing.T) {
	absolute := profile.Value{Number: 7, Absolute: true}
	for _, c := range []struct {
		v    profile.Value
		base unit.Rate
		want unit.Rate
	}{
		{factor(0.5), 10, 5},
		{factor(0.5), unit.Unlimited(), unit.Unlimited()},
		{factor(0), unit.Unlimited(), 0},
		{absolute, 10, 7},
		{absolute, unit.Unlimited(), 7},
	} {
		if got := c.v.Of(c.base); got != c.want {
			t.Errorf("%+v of %v: %v, want %v", c.v, c.base, got, c.want)
		}
	}
	mixed := []profile.Point{{At: 0, Value: factor(0.5)}, {At: 1, Value: profile.Value{Number: 7, Absolute: true}}}
	if _, err := profile.Hold(mixed); err == nil {
		t.Error("factors and rates in one profile are taken")
	}
	p, err := profile.Hold(profile.Resolve(mixed, 10))
	if err != nil || !p.Absolute() || !slices.Equal(walk(p, 10), []step{{0, 5}, {1, 7}}) {
		t.Errorf("resolved: %v, %v", walk(p, 10), err)
	}
}

func TestRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		points []profile.Point
		want   string
	}{
		{nil, "no points"},
		{points(1, 1, 1, 2), "point 2: 1 s is not after 1 s"},
		{points(1, 1, 0, 2), "point 2: 0 s is not after 1 s"},
		{points(-1, 1), "point 1: got an instant of -1 s"},
		{points(nan, 1), "point 1: got an instant of NaN s"},
		{points(inf, 1), "point 1: got an instant of +Inf s"},
		{points(0, -1), "point 1: got -1, want a finite value"},
		{points(0, nan), "point 1: got NaN, want a finite value"},
		{points(0, inf), "point 1: got +Inf, want a finite value"},
	} {
		if _, err := profile.Hold(c.points); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.points, err, c.want)
		}
	}
	for _, period := range []unit.Seconds{0, -1, unit.Seconds(nan), unit.Seconds(inf), 2} {
		if _, err := profile.Loop(points(0, 1, 2, 3), period); err == nil {
			t.Errorf("a period of %v s is taken", float64(period))
		}
	}
	for _, b := range [][2]float64{{2, 1}, {-1, 1}, {nan, 1}, {0, nan}} {
		if _, err := profile.Within(nil, b[0], b[1]); err == nil {
			t.Errorf("bounds %v are taken", b)
		}
	}
}

func TestReadCSV(t *testing.T) {
	for _, c := range []struct{ text, rate, want string }{
		{"time_s,value\n0,1\n120,0.5\n", "", "[{0s {1 false}} {2min {0.5 false}}]"},
		{"\ufeffvalue,who,time_s\r\n6,x,0\r\n2,y,60\r\n", "Gbit/s", "[{0s {7.5e+08 true}} {1min {2.5e+08 true}}]"},
		{"", "", "p.csv: the file is empty, want a header line time_s,value"},
		{"a,b\n0,1\n", "", `p.csv:1:1: got the columns "a,b", want time_s,value in the first line`},
		{"time_s,value\n", "", "p.csv: no rows, want at least one below the header"},
		{"time_s,value\n0,1\n", "Gbit", `p.csv: unit: got "Gbit", want the unit of a rate such as Gbit/s`},
		{"time_s,value\n0,1\nx,2\n5,-1\n5,2\n1e400,1\n6,NaN\n7\n8,2\n", "", `p.csv:3:1: time_s: got "x", want seconds from 0 on
p.csv:4:3: value: got "-1", want a finite number, not negative
p.csv:5:1: time_s: got "5", want an instant after the row before, 5
p.csv:6:1: time_s: got "1e400", want seconds from 0 on
p.csv:7:3: value: got "NaN", want a finite number, not negative
p.csv:8:1: got 1 cells, want 2 as in the header`},
		{"time_s,value\n0,\"1\n", "", `p.csv:2:6: extraneous or missing " in quoted-field`},
	} {
		got := ""
		ps, err := profile.ReadCSV(strings.NewReader(c.text), "p.csv", c.rate)
		if got = fmt.Sprint(ps); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
	many := "time_s,value\n" + strings.Repeat("x,1\n", 50)
	_, err := profile.ReadCSV(strings.NewReader(many), "p.csv", "")
	if l, ok := fault.Of(err); !ok || len(l) != 21 || l[20].Message != "and 30 more faults like these" {
		t.Errorf("50 faults are told as %v", err)
	}
}

// FuzzReadCSV says that whatever is read makes a profile, and what is not is a
// list of faults.
func FuzzReadCSV(f *testing.F) {
	f.Add("time_s,value\n0,1\n120,0.5\n", "")
	f.Add("value,time_s\n6,0\n2,60\n", "Gbit/s")
	f.Add("time_s,value\n0,\"1\n\"\n", "B/s")
	f.Add("\"time_s\",value\n\n0,0x1p4\n", "")
	f.Fuzz(func(t *testing.T, text, rate string) {
		ps, err := profile.ReadCSV(strings.NewReader(text), "p.csv", rate)
		if err != nil {
			if l, ok := fault.Of(err); !ok || len(l) == 0 {
				t.Fatalf("not a list of faults: %v", err)
			}
			return
		}
		if _, err := profile.Hold(ps); err != nil {
			t.Fatalf("read and refused: %v", err)
		}
	})
}
