package record

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/unit"
)

// read returns the columns of a run's part of a table, row groups joined.
func read(t testing.TB, root string, p Partition, table Table, columns []string) ([]Values, int) {
	t.Helper()
	out, rows := make([]Values, len(columns)), 0
	err := ScanRun(root, p, table, columns, func(b *Batch) error {
		for i := range columns {
			from, to := &b.Columns[i], &out[i]
			to.Reals = append(to.Reals, from.Reals...)
			to.Ints = append(to.Ints, from.Ints...)
			to.Flags = append(to.Flags, from.Flags...)
			to.Texts = append(to.Texts, from.Texts...)
			to.Present = append(to.Present, from.Present...)
		}
		rows += b.Rows
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, rows
}

func columnNames(table Table) []string {
	var out []string
	for _, c := range Columns(table) {
		out = append(out, c.Name)
	}
	return out
}

// Two row groups of tasks and four of their decisions come back as they were given,
// absent values as absent.
func TestRoundTrip(t *testing.T) {
	const n = groupRows + 1000
	root := t.TempDir()
	names := testNames()
	r := create(t, root, onePartition, nil)
	fill(r, n, 5)
	if r.EncodeTime() == 0 {
		t.Error("no time was spent on row groups")
	}
	finish(t, r)

	tasks := []string{"task", "class", "group", "data_home", "room", "available", "reason", "submit_s", "start_s", "finish_s", "interruptions", "cost_total", "network_share", "status", "slots"}
	got, rows := read(t, root, onePartition, Tasks, tasks)
	decisions := []string{"task", "option", "route", "estimate_total", "chosen", "margin", "gate", "pool"}
	gotD, rowsD := read(t, root, onePartition, Decisions, decisions)
	if rows != n || rowsD != 3*n {
		t.Fatalf("%d tasks, %d decisions, want %d and %d", rows, rowsD, n, 3*n)
	}

	g := newTestRows(5)
	set := optionSets(names)
	opt := func(v float64, ok bool) string { return fmt.Sprint(v, ok) }
	for i := range n {
		var w TaskRow
		g.task(&w)
		room := ""
		if w.Room.OK {
			room = names.Rooms[w.Room.Value]
		}
		want := []string{string(w.Task), names.Classes[w.Class], names.Groups[w.Group], string(w.DataHome), room, set(Name(w.Available)), names.Reasons[w.Reason]}
		for c, s := range want {
			v := &got[c]
			if v.Texts[i] != s || v.Has(i) != (s != "" || tasks[c] == "available") {
				t.Fatalf("row %d, %s: got %q (there: %v), want %q", i, tasks[c], v.Texts[i], v.Has(i), s)
			}
		}
		for c, want := range map[int]string{
			7: opt(float64(w.Submit), true), 8: opt(value(w.Start)), 9: opt(value(w.Finish)), 11: opt(float64(w.CostTotal), true), 12: opt(value(w.NetworkShare)),
		} {
			if g := opt(got[c].Reals[i], got[c].Has(i)); g != want {
				t.Fatalf("row %d, %s: got %s, want %s", i, tasks[c], g, want)
			}
		}
		if got[10].Ints[i] != 0 || got[13].Texts[i] != names.Statuses[w.Status] || got[14].Ints[i] != w.Slots {
			t.Fatalf("row %d: interruptions, status or slots", i)
		}
		for o := range 3 {
			var d DecisionRow
			g.decision(&d, o)
			j := 3*i + o
			route := ""
			if d.Route.OK {
				route = names.Route(d.Route.Value)
			}
			got := fmt.Sprint(gotD[0].Texts[j], gotD[1].Texts[j], gotD[2].Texts[j], gotD[2].Has(j), gotD[3].Reals[j], gotD[4].Flags[j], gotD[5].Reals[j], gotD[5].Has(j), gotD[6].Has(j), gotD[7].Texts[j])
			want := fmt.Sprint(string(d.Task), names.Options[d.Option], route, d.Route.OK, float64(d.Total), d.Chosen, map[bool]float64{true: float64(d.Margin.Value)}[d.Margin.OK], d.Margin.OK, false, names.Pools[d.Pool])
			if got != want {
				t.Fatalf("decision %d:\ngot  %s\nwant %s", j, got, want)
			}
		}
		var tr TransferRow
		g.transfer(&tr)
		var a AttemptRow
		g.attempt(&a)
	}
}

// Every field of a row reaches the file in one column and no other, which bears
// its name; every column comes from a field.
func TestEachFieldIsAColumn(t *testing.T) {
	eachField(t, Tasks, (*Run).Task)
	eachField(t, Transfers, (*Run).Transfer)
	eachField(t, Attempts, (*Run).Attempt)
	eachField(t, Decisions, (*Run).Decision)
	eachField(t, Links, (*Run).Link)
	eachField(t, Pools, (*Run).Pool)
}

func eachField[R any](t *testing.T, table Table, put func(*Run, *R)) {
	write := func(row *R) []Values {
		root := t.TempDir()
		r := create(t, root, onePartition, []Table{table})
		put(r, row)
		finish(t, r)
		v, rows := read(t, root, onePartition, table, columnNames(table))
		if rows != 1 {
			t.Fatalf("%s: %d rows", table, rows)
		}
		return v
	}
	zero := new(R)
	for i := range reflect.ValueOf(zero).Elem().NumField() {
		nonzero(reflect.ValueOf(zero).Elem().Field(i), false)
	}
	base, reached := write(zero), map[string]bool{}
	for i := range reflect.ValueOf(zero).Elem().NumField() {
		row := *zero
		field := reflect.TypeFor[R]().Field(i)
		nonzero(reflect.ValueOf(&row).Elem().Field(i), true)
		var changed []string
		for c, v := range write(&row) {
			if !cmp.Equal(v, base[c]) {
				changed = append(changed, columnNames(table)[c])
			}
		}
		bare := strings.ReplaceAll(strings.Join(changed, ","), "_", "")
		if len(changed) != 1 || !strings.Contains(bare, strings.ToLower(strings.TrimSuffix(field.Name, "Cost"))) {
			t.Errorf("%s: field %s changes columns %v", table, field.Name, changed)
		}
		reached[strings.Join(changed, ",")] = true
	}
	if len(reached) != len(base) {
		t.Errorf("%s: %d fields for %d columns", table, len(reached), len(base))
	}
}

// nonzero sets a field to another value than a present zero.
func nonzero(f reflect.Value, other bool) {
	switch f.Kind() {
	case reflect.Struct: // Opt
		f.FieldByName("OK").SetBool(true)
		nonzero(f.FieldByName("Value"), other)
	case reflect.Slice:
		f.SetBytes([]byte(map[bool]string{false: "a", true: "b"}[other]))
	case reflect.Bool:
		f.SetBool(other)
	case reflect.Float64:
		f.SetFloat(map[bool]float64{true: 0.1}[other])
	case reflect.Uint8:
		f.SetUint(map[bool]uint64{true: 5}[other])
	default:
		f.SetInt(map[bool]int64{true: 1}[other])
	}
}

// The same rows give the same bytes, in whatever folder and whatever else is
// written at the same time.
func TestSameRowsSameBytes(t *testing.T) {
	roots := []string{t.TempDir(), t.TempDir()}
	var wait sync.WaitGroup
	for _, root := range roots {
		for rep := range 2 {
			r := create(t, root, Partition{"base", "stay", rep}, nil)
			wait.Go(func() {
				fill(r, groupRows/2, uint64(rep))
				if err := r.Finish(Result{Events: 7}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wait.Wait()
	first := files(t, roots[0])
	for _, root := range roots[1:] {
		other := files(t, root)
		if len(other) != len(first) {
			t.Errorf("%d and %d files", len(other), len(first))
		}
		for name, b := range first {
			if !bytes.Equal([]byte(b), []byte(other[name])) {
				t.Errorf("%s differs", name)
			}
		}
	}
}

// A table that is off has no file, save tasks, which has one without rows; so has
// every table of a run without tasks.
func TestTablesWithoutRows(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, onePartition, []Table{Links, Transfers})
	if r.Wants(Tasks) || !r.Wants(Links) || (*Run)(nil).Wants(Links) {
		t.Error("Wants")
	}
	r.Task(&TaskRow{})
	r.Link(&LinkRow{})
	finish(t, r)
	for table, want := range map[Table]int{Tasks: 0, Transfers: 0, Links: 1} {
		if _, rows := read(t, root, onePartition, table, columnNames(table)); rows != want {
			t.Errorf("%s: %d rows, want %d", table, rows, want)
		}
	}
	if _, err := os.Stat(onePartition.dir(root, Decisions)); !os.IsNotExist(err) {
		t.Errorf("decisions: %v", err)
	}
	n := 0
	if err := Scan(root, Decisions, []string{"task"}, func(*Batch) error { n++; return nil }); err != nil || n != 0 {
		t.Errorf("a table that is off: %d, %v", n, err)
	}
	err := Scan(root, Tasks, []string{"cost_totl"}, func(*Batch) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "no column cost_totl") {
		t.Errorf("got %v", err)
	}
}

// Long names end a row group early, so that memory stays bounded.
func TestLongTexts(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, onePartition, []Table{Attempts})
	long := bytes.Repeat([]byte("x"), 1<<20)
	for range 70 { // 70 MB of names, two row groups of 32 MB and a rest
		r.Attempt(&AttemptRow{Task: long})
	}
	finish(t, r)
	groups, rows := 0, 0
	if err := ScanRun(root, onePartition, Attempts, []string{"task"}, func(b *Batch) error {
		groups, rows = groups+1, rows+b.Rows
		for _, s := range b.Columns[0].Texts {
			if s != string(long) {
				t.Error("a name differs")
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if groups != 3 || rows != 70 {
		t.Errorf("%d rows in %d groups", rows, groups)
	}
}

// A row takes no memory of its own once buffers have grown.
func TestNoAllocationPerRow(t *testing.T) {
	r := create(t, t.TempDir(), onePartition, nil)
	defer r.Abort()
	fill(r, groupRows-1, 1)
	r.flush(r.tasks.part)
	fill(r, 1, 1) // fills and encodes a row group of tasks
	g := newTestRows(2)
	if n := testing.AllocsPerRun(1000, func() {
		row := TaskRow{Task: g.name, Submit: unit.Time(1)}
		r.Task(&row)
		d := DecisionRow{Task: g.name}
		r.decisions.add(&d)
		r.decisions.rows--
	}); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}
