package trace

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"tiersim/sim/fault"
	"tiersim/sim/task"
)

// Whatever a file holds, preparing it gives a trace or faults, never a panic, and
// a trace has what the checks promise.
func FuzzPrepare(f *testing.F) {
	f.Add("task,submit_s,work_s\na,0,1\n")
	f.Add("task,submit_s,work_s,after\na,0,1,b\nb,1,1,\"a\"\n")
	f.Add("task,submit_s,class,dataset,input_bytes,data_home,result_home\na,1e9,transfer,x;y,1;2,r1+r2;r2,r1\n")
	f.Add("\xef\xbb\xbftask,submit_s\r\n\"a\"\"b\" ,3")
	f.Add("\x1f\x8b\x08")
	f.Add("PAR1PAR1")
	f.Fuzz(func(t *testing.T, text string) {
		for _, skip := range []bool{false, true} {
			tr, err := Prepare(Options{Topology: twoRooms(t), Dir: t.TempDir(), SkipBadRows: skip, Sources: []Source{source("a", text)}})
			if err != nil {
				if _, ok := fault.Of(err); !ok {
					t.Fatalf("%v is no fault", err)
				}
				continue
			}
			last := math.Inf(-1)
			r := tr.Reader()
			var one task.Task
			for {
				ok, err := r.Next(&one)
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				if s := float64(one.Submit); !(s >= last && s >= 0) || len(one.Name) == 0 || one.Work < 0 || one.Slots < 0 {
					t.Fatalf("got %+v", one)
				}
				last = float64(one.Submit)
			}
			tr.Close()
		}
	})
}

// The quick way to split a line and the careful one agree where both apply, and
// what is quoted comes back.
func FuzzSplit(f *testing.F) {
	f.Add("a,b, c ,,")
	f.Add(`x"y`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") {
			return
		}
		quick, err := splitCSV(nil, line)
		if !strings.Contains(line, `"`) {
			careful, err2 := splitQuoted(nil, line)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			diff(t, "fields", careful, quick)
		}
		again, err := splitCSV(nil, `1,"`+strings.ReplaceAll(line, `"`, `""`)+`",2`)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "quoted", again, []string{"1", line, "2"})
	})
}

// A number that is read is finite and writes as one that reads the same.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"1", "-0.5e3", "1e400", "0x10", "NaN", "9007199254740993", "1_0", " 7 ", "+", "", ".", "1.", ".5", "0.1", "123456789012.345", "1.2.3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := parseNumber(s)
		if !ok {
			return
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%q gives %v", s, v)
		}
		if want, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err != nil || want != v {
			t.Fatalf("%q gives %v, strconv gives %v, %v", s, v, want, err)
		}
		if again, ok := parseNumber(formatNumber(v)); !ok || again != v {
			t.Fatalf("%q gives %v, written %s, read %v", s, v, formatNumber(v), again)
		}
	})
}
