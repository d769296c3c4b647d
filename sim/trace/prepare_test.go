package trace

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/rng"
	"tiersim/sim/task"
	"tiersim/sim/topo"
)

// twoRooms is a topology of two hubs, each of one room, with pools of 8 and 4
// slots and the jurisdictions cn and eu.
func twoRooms(t testing.TB) *topo.Topology {
	t.Helper()
	room := func(name, jurisdiction, kind string, slots int32) []topo.CitySpec {
		pool := topo.PoolSpec{Name: kind, Kind: kind, Pool: topo.Pool{Slots: slots, Speed: 1, PerNode: 1}}
		return []topo.CitySpec{{Name: name + "-city", Rooms: []topo.RoomSpec{
			{Name: name, Jurisdiction: jurisdiction, Pools: []topo.PoolSpec{pool}}}}}
	}
	top, err := topo.New(topo.Spec{Name: "two", Currency: "CNY", Hubs: []topo.HubSpec{
		{Name: "east", Cities: room("r1", "cn", "gpu", 8)},
		{Name: "west", Cities: room("r2", "eu", "cpu", 4)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// source is a file of that content.
func source(name, content string) Source {
	return Source{File: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

// prepared prepares options and returns the trace with all of its tasks.
func prepared(t testing.TB, o Options) (*Trace, []task.Task) {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	tr, err := Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr, tasks(t, tr.Reader())
}

// tasks reads the rest of a reader.
func tasks(t testing.TB, r *Reader) []task.Task {
	t.Helper()
	var all []task.Task
	for {
		var one task.Task
		ok, err := r.Next(&one)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all
		}
		all = append(all, one)
	}
}

// names returns "name@submit" of each task.
func names(list []task.Task) []string {
	out := []string{}
	for i := range list {
		out = append(out, string(list[i].Name)+"@"+formatNumber(float64(list[i].Submit)))
	}
	return out
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// A row that says no more than it must has the defaults of the schema.
func TestDefaults(t *testing.T) {
	_, got := prepared(t, Options{Topology: twoRooms(t), Sources: []Source{
		source("a.csv", "task,submit_s,work_s,home\nx,1.5,10,r2\n")}})
	diff(t, "tasks", got, []task.Task{{
		Row: 0, Name: []byte("x"), Submit: 1.5, Class: task.Batch, Portable: true, Resumable: true,
		Slots: 1, Work: 10, Home: 1, ResultHome: 1, Scans: 1, Compression: 1, Parts: 1, Weight: 1,
		Allowed: task.Anywhere, ResultAllowed: task.Anywhere,
	}})
}

// Every column comes to its field.
func TestEveryColumn(t *testing.T) {
	csv := `task,submit_s,class,group,kind,slots,work_s,estimate_s,priority,home,dataset,input_bytes,data_home,scans,access,output_bytes,output_dataset,result_home,image,image_bytes,environment,state_bytes,checkpoint_s,resumable,portable,jurisdictions,result_jurisdictions,licenses,transfer_budget_s,queue_budget_s,compute_budget_s,deadline_s,value_per_h,sync_bytes,syncs,span,compression,parts,weight,max_rate_bytes_s,recorded_wait_s,recorded_room,after
a,0,science,g,gpu,2,60,90,-3,r1,d1;;d2,1e9;2;3,r1+r2;r2;r1,2,remote,5,d3,r2,img,7,env,8,9,false,false,cn,cn;eu,l1;l2,10,11,12,13,14,15,16,city,17,18,19,20,21,r2,b
b,1,transfer,g,,,,,,,,4,r2,,,,,r1,,,,,,,,,,,,,,,,,,,,,,,,,
`
	tr, got := prepared(t, Options{Topology: twoRooms(t), Sources: []Source{source("a.csv", csv)}})
	sym := func(name string) task.Symbol {
		for i, s := range tr.Catalog.Symbols {
			if s == name {
				return task.Symbol(i)
			}
		}
		t.Fatalf("no symbol %q", name)
		return 0
	}
	diff(t, "tasks", got, []task.Task{
		{
			Row: 0, Name: []byte("a"), Submit: 0, Class: task.Science, Access: task.Remote, Span: task.SpanCity,
			Has: task.Estimate | task.ValuePerHour | task.TransferBudget | task.QueueBudget | task.ComputeBudget |
				task.Deadline | task.MaxRate | task.RecordedWait | task.RecordedRoom | task.HasImage,
			Checkpointing: task.FixedInterval, Group: sym("g"), Image: sym("img"), Environment: sym("env"),
			Licenses: []task.Symbol{sym("l1"), sym("l2")}, Kind: 1, Slots: 2, Priority: -3, Work: 60, Estimate: 90,
			Home: 0, ResultHome: 1, Scans: 2, Output: 5, OutputDataset: 3, ImageBytes: 7, State: 8, Checkpoint: 9,
			Inputs:  []task.Input{{Dataset: 1, Bytes: 1e9}, {Bytes: 2, Homes: []topo.RoomID{1}}, {Dataset: 2, Bytes: 3}},
			Allowed: 1 << 1, ResultAllowed: 1<<1 | 1<<2, TransferBudget: 10, QueueBudget: 11, ComputeBudget: 12,
			Deadline: 13, Value: 14, SyncBytes: 15, Syncs: 16, Compression: 17, Parts: 18, Weight: 19, MaxRate: 20,
			RecordedWait: 21, RecordedRoom: 1, After: []int64{1},
		},
		{
			Row: 1, Name: []byte("b"), Submit: 1, Class: task.Transfer, Portable: true, Resumable: true, Group: sym("g"),
			Home: 1, ResultHome: 0, Inputs: []task.Input{{Bytes: 4, Homes: []topo.RoomID{1}}},
			Scans: 1, Compression: 1, Parts: 1, Weight: 1, Allowed: task.Anywhere, ResultAllowed: task.Anywhere,
		},
	})
	diff(t, "data sets", tr.Catalog.Datasets, []Dataset{{},
		{Name: "d1", Bytes: 1e9, Homes: []topo.RoomID{0, 1}},
		{Name: "d2", Bytes: 3, Homes: []topo.RoomID{0}},
		{Name: "d3", Bytes: 5},
	})
	if !tr.HasAfter || tr.First != 0 || tr.Last != 1 || tr.Tasks != 2 {
		t.Errorf("got %+v", tr)
	}
	if len(tr.NotInUse) != len(NotModeled()) {
		t.Errorf("not in use: %v", tr.NotInUse)
	}
}

func TestWindowLoadAndMerge(t *testing.T) {
	csv := "task,submit_s,work_s\na,0,100\nb,50,10\nc,60,100\nd,200,1\ne,100,1\n"
	one := func(f func(*Source)) []Source {
		s := source("a.csv", csv)
		f(&s)
		return []Source{s}
	}
	for _, c := range []struct {
		name string
		in   []Source
		want []string
	}{
		{"whole, sorted", one(func(*Source) {}), []string{"a@0", "b@50", "c@60", "e@100", "d@200"}},
		{"window", one(func(s *Source) { s.From, s.Length, s.HasLength = 60, 100, true }), []string{"c@0", "e@40"}},
		{"twice", one(func(s *Source) { s.From, s.Load = 100, 2 }), []string{"e@0", "e#2@0", "d@100", "d#2@100"}},
		{"half the time", one(func(s *Source) { s.From, s.Load, s.LoadBy = 50, 2, ByTime }), []string{"b@0", "c@5", "e@25", "d@75"}},
		// a runs until 100, b until 60: at 80 only a and c are left, with 20 and 80.
		{"carried", one(func(s *Source) { s.From, s.Carry = 80, true }), []string{"a@0", "c@0", "e@20", "d@120"}},
		{"merged", append(one(func(s *Source) { s.As = "x"; s.From = 60 }), source("b.csv", "task,submit_s,work_s\na,0,1\nb,41,1\n")),
			[]string{"x/c@0", "a@0", "x/e@40", "b@41", "x/d@140"}},
	} {
		tr, got := prepared(t, Options{Sources: c.in})
		diff(t, c.name, names(got), c.want)
		if int(tr.Tasks) != len(got) || got[0].Row != 0 || got[len(got)-1].Row != int64(len(got)-1) {
			t.Errorf("%s: %d tasks said, %d read", c.name, tr.Tasks, len(got))
		}
		if c.name == "carried" {
			if got[0].Work != 20 || got[1].Work != 80 || !got[0].Carried || !got[1].Carried || got[2].Carried {
				t.Errorf("carried %v, %v", got[0], got[1])
			}
			if tr.Carried != 2 || tr.First != 20 || tr.Last != 120 {
				t.Errorf("got %d carried, first %v, last %v", tr.Carried, tr.First, tr.Last)
			}
		}
	}
}

// A fraction of a load takes the same tasks under the same streams, about as many
// as it says: 1.25 of 4000 tasks is 5000 ± 110 (4 standard deviations of a
// binomial of 4000 and 1/4).
func TestLoadFraction(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,submit_s,work_s\n")
	for i := range 4000 {
		b.WriteString("t" + formatNumber(float64(i)) + ",0,1\n")
	}
	s := source("a.csv", b.String())
	s.Load = 1.25
	o := Options{Sources: []Source{s}, Streams: rng.New(1, 0)}
	if !o.Random() {
		t.Error("a fraction of a load is random")
	}
	tr, got := prepared(t, o)
	if n := tr.Tasks; n < 4890 || n > 5110 {
		t.Errorf("got %d tasks, want 5000 ± 110", n)
	}
	_, again := prepared(t, o)
	diff(t, "second time", names(again), names(got))
}
