package trace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A trace in seconds since 1970 begins at its first task, wherever that stands in
// the file; the window counts from there, and the date is known.
func TestEpoch(t *testing.T) {
	csv := "task,submit_s,work_s\nb,1507172500,1\na,1507172400,1\nc,1507176000.5,1\n"
	tr, got := prepared(t, Options{Sources: []Source{source("a.csv", csv)}})
	diff(t, "tasks", names(got), []string{"a@0", "b@100", "c@3600.5"})
	diff(t, "notes", tr.Notes, []string{
		"a.csv: submit_s counts from 1970; the trace's start is its first task, 2017-10-05 03:00:00 UTC",
		"a.csv: rows out of the order of submit_s: 1; they are sorted in"})
	s := source("a.csv", csv)
	s.From = unit.Hour
	tr, got = prepared(t, Options{Sources: []Source{s}})
	diff(t, "tasks", names(got), []string{"c@0.5"})
	if want := time.Date(2017, 10, 5, 4, 0, 0, 0, time.UTC); !tr.Begins.Equal(want) {
		t.Errorf("begins %v, want %v", tr.Begins, want)
	}
	s = source("a.csv", "task,submit_s,work_s\na,0,1\n")
	s.From, s.Starts = -0, time.Date(2026, 11, 9, 0, 0, 0, 0, time.UTC)
	if tr, _ = prepared(t, Options{Sources: []Source{s}}); !tr.Begins.Equal(s.Starts) {
		t.Errorf("begins %v, want %v", tr.Begins, s.Starts)
	}
}

// Where the wait is known, a carried task started that much later: a ran from 30
// to 130 and has 30 left at 100; b would start at 110, c had ended, and d, a
// transfer, is not carried. Estimates shrink by what has run: 200 - 70.
func TestCarryByRecordedWait(t *testing.T) {
	s := source("a.csv", "task,submit_s,work_s,estimate_s,recorded_wait_s,class,data_home,result_home\n"+
		"a,10,100,200,20,,,\nb,10,100,,100,,,\nc,10,50,,40,,,\nd,99,,,,transfer,x,y\ne,100,1,,,,,\n")
	s.From, s.Carry = 100, true
	tr, got := prepared(t, Options{Sources: []Source{s}})
	diff(t, "tasks", names(got), []string{"a@0", "e@0"})
	if got[0].Work != 30 || got[0].Estimate != 130 {
		t.Errorf("got %v left and an estimate of %v, want 30 and 130", got[0].Work, got[0].Estimate)
	}
	if len(tr.NotInUse) != 0 {
		t.Errorf("recorded_wait_s is in use: %v", tr.NotInUse)
	}
}

// A set that a task makes is where rows say, and not at its readers' homes before
// it is made; a set that is only read is at the homes of those who say nothing.
func TestHomesOfDatasets(t *testing.T) {
	csv := "task,submit_s,work_s,home,dataset,input_bytes,data_home,output_dataset,output_bytes\n" +
		"a,0,1,r2,made,5,,,\nb,1,1,r1,raw,7,,made,9\nc,2,1,r2,raw,8,r2+r1,last,3\nd,3,1,r2,raw,6,,,\n"
	tr, got := prepared(t, Options{Topology: twoRooms(t), Sources: []Source{source("a.csv", csv)}})
	diff(t, "data sets", tr.Catalog.Datasets, []Dataset{{},
		{Name: "made", Bytes: 5}, {Name: "raw", Bytes: 8, Homes: []topo.RoomID{1, 0}}, {Name: "last", Bytes: 3}})
	if got[1].OutputDataset != 1 || got[3].Inputs[0].Bytes != 6 {
		t.Errorf("got %+v", got)
	}
}

// Private data without a home of its own is at the task's; none is no input.
func TestPrivateData(t *testing.T) {
	csv := "task,submit_s,work_s,home,input_bytes,data_home\na,0,1,r2,5,\nb,0,1,r2,,\nc,0,1,r2,0,r1\n"
	_, got := prepared(t, Options{Topology: twoRooms(t), Sources: []Source{source("a.csv", csv)}})
	var have []string
	for _, g := range got {
		have = append(have, fmt.Sprint(g.Inputs))
	}
	diff(t, "inputs", have, []string{"[{0 5B [1]}]", "[]", "[{0 0B [0]}]"})
}

// One room is everybody's home.
func TestOnlyRoom(t *testing.T) {
	top, err := topo.New(topo.Spec{Name: "one", Currency: "CNY", Hubs: []topo.HubSpec{{Name: "h", Cities: []topo.CitySpec{{Name: "c",
		Rooms: []topo.RoomSpec{{Name: "r", Pools: []topo.PoolSpec{{Name: "p", Kind: "cpu", Pool: topo.Pool{Slots: 10, Held: 4, Never: 4, Speed: 1}}}}}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, got := prepared(t, Options{Topology: top, Sources: []Source{source("a.csv", "task,submit_s,work_s,slots\na,0,1,6\n")}})
	diff(t, "tasks", names(got), []string{"a@0"})
	_, err = Prepare(Options{Dir: t.TempDir(), Topology: top, Sources: []Source{source("a.csv", "task,submit_s,work_s,slots\na,0,1,7\n")}})
	want := "a.csv:2: column slots: got 7, the largest pool of any kind offers 6 (h/r/p); write at most 6, or give a pool more slots"
	if err == nil || err.Error() != want { // 4 of the 10 are held
		t.Errorf("got %v, want %s", err, want)
	}
}

// Nothing stays of a spool, neither after Close nor after a fault.
func TestSpoolGoes(t *testing.T) {
	dir := t.TempDir()
	tr, err := Prepare(Options{Dir: dir, Sources: []Source{source("a.csv", "task,submit_s,work_s\nb,1,1\na,0,1\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Prepare(Options{Dir: dir, Sources: []Source{source("a.csv", "task,submit_s,work_s\na,0,x\n")}}); err == nil {
		t.Error("no fault")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d files are left", len(left))
	}
}

func TestPrepareEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := PrepareContext(ctx, Options{Dir: t.TempDir(), Sources: []Source{source("a.csv", manyRows(10))}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Two sources with tasks of one name need `as`.
func TestTwinsOfTwoSources(t *testing.T) {
	csv := "task,submit_s,work_s\na,0,1\n"
	_, err := Prepare(Options{Dir: t.TempDir(), Sources: []Source{source("a.csv", csv), source("b.csv", csv)}})
	want := `b.csv:2: column task: got "a", which line 2 of a.csv has too; give the sources different names with as:`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	s := source("a.csv", "task,submit_s,work_s\na,0,1\na#2,0,1\n")
	s.Load = 2
	_, err = Prepare(Options{Dir: t.TempDir(), Sources: []Source{s}})
	want = `a.csv:3: column task: got "a#2", which line 2 has too as the name of a copy that load makes; rename the task`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
