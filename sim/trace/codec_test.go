package trace

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tiersim/sim/task"
)

// distinct gives every field of v a value of its own, so that a field which the
// spool mixes up or leaves out is seen.
func distinct(v reflect.Value, next *int64) {
	*next++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*next))
	case reflect.Int32, reflect.Int64:
		v.SetInt(*next)
	case reflect.Float64:
		v.SetFloat(float64(*next) + 0.1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			distinct(v.Index(i), next)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			distinct(v.Field(i), next)
		}
	default:
		panic("a task has a field of kind " + v.Kind().String() + ", which the spool does not know")
	}
}

func TestEveryFieldSurvives(t *testing.T) {
	var want, got task.Task
	n := int64(0)
	distinct(reflect.ValueOf(&want).Elem(), &n)
	o := origin{source: 3, copy: 2, line: 1 << 40}
	b := encode([]byte("before"), &want, o, []string{"p", "qq"})[len("before"):]
	d := decode(b, &got)
	got.Row = want.Row // its place tells it
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := d.u32(); n != 2 || string(d.text()) != "p" || string(d.text()) != "qq" || d.i != len(b) {
		t.Errorf("the names of after do not stand behind the task")
	}
	if recordLength := int(b[0]) | int(b[1])<<8; recordLength != len(b) || recordOrigin(b) != o || string(recordName(b)) != string(want.Name) {
		t.Errorf("the head of the record is wrong")
	}
	if at, carried := recordTime(b); at != want.Submit || !carried {
		t.Errorf("got %v and %v, want %v and true", at, carried, want.Submit)
	}
	// Into a task that held something else, the usual values come back too.
	plain := task.Task{Submit: 1, Slots: 1, Scans: 1, Compression: 1, Parts: 1, Weight: 1}
	decode(encode(nil, &plain, o, nil), &got)
	got.Row = 0
	if diff := cmp.Diff(plain, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	// Flags by themselves: a swap of two would not show above.
	for _, f := range []func(*task.Task) *bool{
		func(t *task.Task) *bool { return &t.Portable },
		func(t *task.Task) *bool { return &t.Resumable },
		func(t *task.Task) *bool { return &t.Stateless },
		func(t *task.Task) *bool { return &t.Carried },
	} {
		var one, back task.Task
		*f(&one) = true
		decode(encode(nil, &one, o, nil), &back)
		if !*f(&back) || back.Portable && back.Resumable {
			t.Errorf("flag lost: %+v", back)
		}
	}
}

// A Task that is used again for a smaller record keeps nothing of the larger one.
func TestReuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var used task.Task
		for range 5 {
			var want, got task.Task
			want.Name = []byte(rapid.StringN(0, 5, 20).Draw(t, "name"))
			for range rapid.IntRange(0, 3).Draw(t, "inputs") {
				in := task.Input{Dataset: task.DatasetID(rapid.Uint32().Draw(t, "set"))}
				for range rapid.IntRange(0, 2).Draw(t, "homes") {
					in.Homes = append(in.Homes, 7)
				}
				want.Inputs = append(want.Inputs, in)
			}
			for range rapid.IntRange(0, 3).Draw(t, "after") {
				want.After = append(want.After, 9)
			}
			b := encode(nil, &want, origin{}, nil)
			decode(b, &used)
			decode(b, &got)
			if string(used.Name) != string(want.Name) || len(used.Inputs) != len(got.Inputs) || len(used.After) != len(want.After) {
				t.Fatalf("got %+v, want %+v", used, want)
			}
			for i := range used.Inputs {
				if len(used.Inputs[i].Homes) != len(want.Inputs[i].Homes) || used.Inputs[i].Dataset != want.Inputs[i].Dataset {
					t.Fatalf("got %+v, want %+v", used, want)
				}
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	tr, _ := prepared(b, Options{Sources: []Source{source("a.csv", manyRows(20000))}})
	var one task.Task
	b.ReportAllocs()
	r := tr.Reader()
	for b.Loop() {
		ok, err := r.Next(&one)
		if err != nil {
			b.Fatal(err)
		}
		if !ok {
			r = tr.Reader()
		}
	}
}
