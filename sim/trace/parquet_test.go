package trace

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"tiersim/sim/fault"
)

// parquetFile writes columns of equal length, two row groups of all of their
// values each. A column may be []float64, []float32, []int64, []int32, []bool,
// []string; a value that absent names is null.
func parquetFile(t testing.TB, names []string, values []any, absent map[string]int) []byte {
	t.Helper()
	var fields schema.FieldList
	for i, name := range names {
		repetition := parquet.Repetitions.Required
		if _, null := absent[name]; null {
			repetition = parquet.Repetitions.Optional
		}
		var node schema.Node
		switch values[i].(type) {
		case []float64:
			node = schema.NewFloat64Node(name, repetition, -1)
		case []float32:
			node = schema.NewFloat32Node(name, repetition, -1)
		case []int64:
			node = schema.NewInt64Node(name, repetition, -1)
		case []int32:
			node = schema.NewInt32Node(name, repetition, -1)
		case []bool:
			node = schema.NewBooleanNode(name, repetition, -1)
		case []string:
			node = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
		}
		fields = append(fields, node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	for range 2 {
		g := w.AppendRowGroup()
		for i, name := range names {
			c, err := g.NextColumn()
			if err != nil {
				t.Fatal(err)
			}
			null, has := absent[name]
			if !has {
				null = -1
			}
			writeColumn(t, c, values[i], null)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeColumn(t testing.TB, c file.ColumnChunkWriter, values any, null int) {
	t.Helper()
	var err error
	switch c := c.(type) {
	case *file.Float64ColumnChunkWriter:
		v, defs := leaveOut(values.([]float64), null)
		_, err = c.WriteBatch(v, defs, nil)
	case *file.Float32ColumnChunkWriter:
		v, defs := leaveOut(values.([]float32), null)
		_, err = c.WriteBatch(v, defs, nil)
	case *file.Int64ColumnChunkWriter:
		v, defs := leaveOut(values.([]int64), null)
		_, err = c.WriteBatch(v, defs, nil)
	case *file.Int32ColumnChunkWriter:
		v, defs := leaveOut(values.([]int32), null)
		_, err = c.WriteBatch(v, defs, nil)
	case *file.BooleanColumnChunkWriter:
		v, defs := leaveOut(values.([]bool), null)
		_, err = c.WriteBatch(v, defs, nil)
	case *file.ByteArrayColumnChunkWriter:
		var list []parquet.ByteArray
		for _, s := range values.([]string) {
			list = append(list, parquet.ByteArray(s))
		}
		v, defs := leaveOut(list, null)
		_, err = c.WriteBatch(v, defs, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// leaveOut returns the values without one, and the definition levels.
func leaveOut[T any](list []T, null int) ([]T, []int16) {
	if null < 0 {
		return list, nil
	}
	var out []T
	defs := make([]int16, len(list))
	for i, v := range list {
		if i != null {
			out, defs[i] = append(out, v), 1
		}
	}
	return out, defs
}

// reopenable is a file that can be read from any place, as those on disk.
type reopenable struct{ *bytes.Reader }

func (reopenable) Close() error { return nil }

// Numbers of every width, booleans and texts are read; what is null is absent. It
// does not matter whether the file can be read from any place.
func TestParquet(t *testing.T) {
	data := parquetFile(t,
		[]string{"task", "extra", "submit_s", "work_s", "slots", "weight", "input_bytes", "portable", "priority"},
		[]any{[]string{"a", "b"}, []int32{1, 2}, []int64{5, 6}, []float64{1.5, 2.5}, []int32{2, 3}, []float32{0.5, 2},
			[]string{"1;2", "3"}, []bool{false, true}, []int64{7, 8}},
		map[string]int{"portable": 0, "weight": 1})
	for _, open := range []func() (io.ReadCloser, error){
		func() (io.ReadCloser, error) { return reopenable{bytes.NewReader(data)}, nil },
		func() (io.ReadCloser, error) { return io.NopCloser(io.MultiReader(bytes.NewReader(data))), nil },
	} {
		_, err := Prepare(Options{Sources: []Source{{File: "a.parquet", Open: open}}, Dir: t.TempDir()})
		want := strings.Join([]string{ // the second row group repeats the names of the first
			`a.parquet: row 3, column task: got "a", which row 1 has too; give each task a name of its own`,
			`a.parquet: row 4, column task: got "b", which row 2 has too; give each task a name of its own`}, "\n")
		if err == nil || err.Error() != want {
			t.Fatalf("got %v, want %s", err, want)
		}
		tr, got := prepared(t, Options{Sources: []Source{{File: "a.parquet", Open: open}}, SkipBadRows: true})
		diff(t, "tasks", names(got), []string{"a@5", "b@6"})
		diff(t, "notes", tr.Notes[0], "a.parquet: not in the schema, passed over: extra")
		if a := got[0]; a.Work != 1.5 || a.Slots != 2 || a.Weight != 0.5 || !a.Portable || a.Priority != 7 || len(a.Inputs) != 2 {
			t.Errorf("got %+v", a)
		}
		if b := got[1]; b.Work != 2.5 || b.Slots != 3 || b.Weight != 1 || !b.Portable || b.Priority != 8 || b.Inputs[0].Bytes != 3 {
			t.Errorf("got %+v", b)
		}
	}
}

func TestParquetFaults(t *testing.T) {
	for _, c := range []struct {
		names  []string
		values []any
		want   string
	}{
		{[]string{"task", "submit_s", "work_s"}, []any{[]string{"a"}, []float64{math.NaN()}, []int32{1}},
			"a.parquet: row 1, column submit_s: got NaN, want a number of s of at least 0; write when it was submitted"},
		{[]string{"task", "submit_s", "work_s"}, []any{[]string{"a"}, []int64{1<<53 + 1}, []int32{1}},
			"a.parquet: row 1, column submit_s: got 9007199254740993, of which a float64 would lose digits; write a number of at most 15 digits"},
		{[]string{"task", "work_s"}, []any{[]string{"a"}, []int32{1}},
			"a.parquet: no column submit_s, which is always needed; add it (seconds since the trace's start), or convert the file with tiersim trace convert"},
	} {
		data := parquetFile(t, c.names, c.values, nil)
		s := Source{File: "a.parquet", Open: func() (io.ReadCloser, error) { return reopenable{bytes.NewReader(data)}, nil }}
		_, err := Prepare(Options{Sources: []Source{s}, Dir: t.TempDir()})
		if l, ok := fault.Of(err); !ok || l[0].Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// A damaged file is a fault, wherever the damage is.
func TestDamagedParquet(t *testing.T) {
	whole := parquetFile(t, []string{"task", "submit_s"}, []any{[]string{"a", "b", "c"}, []float64{1, 2, 3}}, nil)
	for i := 0; i < len(whole); i += 3 {
		data := bytes.Clone(whole)
		data[i] ^= 0x55
		s := Source{File: "a.parquet", Open: func() (io.ReadCloser, error) { return reopenable{bytes.NewReader(data)}, nil }}
		tr, err := Prepare(Options{Sources: []Source{s}, Dir: t.TempDir(), SkipBadRows: true})
		if err == nil {
			tr.Close()
			continue // it may have hit a statistic that nobody reads
		}
		if _, ok := fault.Of(err); !ok {
			t.Errorf("byte %d: %v is no fault", i, err)
		}
	}
}

// A list is what ";" parts in CSV; an empty one is absent.
func TestParquetList(t *testing.T) {
	list, err := schema.ListOf(schema.NewFloat64Node("input_bytes", parquet.Repetitions.Required, -1), parquet.Repetitions.Optional, -1)
	if err != nil {
		t.Fatal(err)
	}
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{
		schema.NewInt32Node("task", parquet.Repetitions.Required, -1),
		schema.NewInt32Node("submit_s", parquet.Repetitions.Required, -1), list}, -1))
	var b bytes.Buffer
	w := file.NewParquetWriter(&b, root)
	g := w.AppendRowGroup()
	for i := range 3 {
		c, err := g.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			_, err = c.(*file.Int32ColumnChunkWriter).WriteBatch([]int32{1, 2, 3, 4}, nil, nil)
		} else { // [10, 20], null, [], [30]
			_, err = c.(*file.Float64ColumnChunkWriter).WriteBatch([]float64{10, 20, 30}, []int16{2, 2, 0, 1, 2}, []int16{0, 1, 0, 0, 0})
		}
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	g.Close()
	w.Close()
	rows, err := OpenRows("a.parquet", reopenable{bytes.NewReader(b.Bytes())}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	var row Row
	for rows.Read(&row) == nil {
		got = append(got, row.Cells[ColTask].String()+" "+row.Cells[ColInputBytes].String())
	}
	diff(t, "rows", got, []string{"1 10;20", "2 ", "3 ", "4 30"})
}

// What is exact in a float64 is taken, what is not is told.
func TestWholeCell(t *testing.T) {
	for _, c := range []struct {
		n      int64
		signed bool
		want   Cell
		exact  bool
	}{
		{1 << 53, true, numberCell(1 << 53), true},
		{1<<53 + 1, true, textCell("9007199254740993"), false},
		{1<<53 + 2, true, numberCell(1<<53 + 2), true},
		{math.MaxInt64, true, textCell("9223372036854775807"), false},
		{math.MinInt64, true, numberCell(math.MinInt64), true},
		{-1, false, textCell("18446744073709551615"), false},
		{math.MinInt64, false, numberCell(1 << 63), true},
	} {
		got, exact := wholeCell(c.signed)(c.n)
		if got != c.want || exact != c.exact {
			t.Errorf("%d: got %v, %v, want %v, %v", c.n, got, exact, c.want, c.exact)
		}
	}
}
