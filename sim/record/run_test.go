package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunAppearsWhole(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, onePartition, nil)
	fill(r, 300, 1)
	if Complete(root, onePartition) {
		t.Error("complete before Finish")
	}
	finish(t, r)
	if !Complete(root, onePartition) {
		t.Error("not complete after Finish")
	}
	want := map[string]bool{}
	for _, name := range TableNames() {
		want[name+"/point=p001/policy=three-way/replication=0007/part-0.parquet"] = true
	}
	for name, content := range files(t, root) {
		if content != "folder" && !want[name] {
			t.Errorf("%s stands there too", name)
		}
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s was left", name)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	got, err := ReadResult(root, onePartition)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&Result{3, 12, 1<<63 + 1, []Metric{{"all", "tasks", 3}, {"batch", "cost_total", 0.1}}}, got); d != "" {
		t.Error(d)
	}
	if err := r.Abort(); err != nil || !Complete(root, onePartition) {
		t.Errorf("Abort after Finish: %v", err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, onePartition, nil)
	fill(r, 10, 1)
	if err := r.Abort(); err != nil {
		t.Fatal(err)
	}
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A number that JSON has no word for, and a disk that is full, are told, and
// nothing stands that looks like a run.
func TestFailedFinish(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, onePartition, nil)
	err := r.Finish(Result{Metrics: []Metric{{"all", "wait_mean_s", math.NaN()}}})
	if err == nil || !strings.Contains(err.Error(), "wait_mean_s of all is NaN") {
		t.Errorf("got %v", err)
	}
	r = create(t, root, onePartition, nil)
	r.tasks.out.Reset(full{})
	fill(r, groupRows+1, 1)
	if r.Err() == nil {
		t.Error("Err has nothing to tell")
	}
	if err := r.Finish(Result{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	r = create(t, root, onePartition, nil)
	r.links.out.Reset(full{}) // fails only when the file is completed
	if err := r.Finish(Result{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// What a killed run left is removed; what another process is writing, and what
// is whole, stays.
func TestCleanIncomplete(t *testing.T) {
	root := t.TempDir()
	whole := Partition{"p001", "stay", 1}
	finish(t, create(t, root, whole, nil))
	before := files(t, root)

	live := create(t, root, Partition{"p002", "stay", 1}, nil)
	fill(live, 10, 1)
	killedEarly := create(t, root, Partition{"p002", "stay", 2}, nil)
	fill(killedEarly, 10, 1)
	killedLate := create(t, root, Partition{"p001", "stay", 2}, nil)
	fill(killedLate, 10, 1)
	if err := killedLate.close(Result{}); err != nil {
		t.Fatal(err)
	}
	for _, table := range []Table{Pools, Links, Decisions} { // killed between two renames
		if err := moveInto(killedLate.asidePath(table), killedLate.options.Partition.path(root, table)); err != nil {
			t.Fatal(err)
		}
	}
	// Part of a run whose folder aside is gone, an empty one, and a cut-off file.
	other := Partition{"p003", "stay", 1}
	must(t, os.MkdirAll(other.dir(root, Links), 0o777))
	must(t, os.WriteFile(other.path(root, Links), []byte("PAR1"), 0o666))
	must(t, os.MkdirAll(Partition{"p004", "stay", 1}.dir(root, Tasks), 0o777))
	cut := Partition{"p005", "stay", 1}
	must(t, os.MkdirAll(cut.dir(root, Tasks), 0o777))
	must(t, os.WriteFile(cut.path(root, Tasks), []byte("PAR1 and no more"), 0o666))
	must(t, os.MkdirAll(filepath.Join(root, gonePrefix+"123", "x"), 0o777))
	must(t, os.WriteFile(filepath.Join(root, "notes.txt"), []byte("mine"), 0o666))

	killedEarly.held.file.Close() // as the end of its process would
	killedLate.held.file.Close()
	must(t, CleanIncomplete(root))

	if _, err := Create(Options{Root: root, Partition: live.options.Partition, Names: testNames()}); !errors.Is(err, errBusy) {
		t.Errorf("a second writer of a run: %v", err)
	}
	finish(t, live)
	after := files(t, root)
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%s is gone or changed", name)
		}
		delete(after, name)
	}
	for name, content := range after {
		if content != "folder" && !strings.Contains(name, "p002/policy=stay/replication=0001") && name != "notes.txt" {
			t.Errorf("%s was left", name)
		}
		if content == "folder" && (strings.HasPrefix(name, ".") || strings.Contains(name, "p003") || strings.Contains(name, "p004") || strings.Contains(name, "p005")) {
			t.Errorf("folder %s was left", name)
		}
	}
	runs, err := Runs(root)
	if d := cmp.Diff([]Partition{whole, {"p002", "stay", 1}}, runs); d != "" || err != nil {
		t.Error(d, err)
	}
	must(t, CleanIncomplete(filepath.Join(root, "never")))
	must(t, Clear(root))
	if left := files(t, root); len(left) != 1 {
		t.Errorf("after Clear: %v", left)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A process that is killed in the middle of a run leaves nothing that a look for
// whole runs takes for one, and its lock ends with it.
func TestKilledProcess(t *testing.T) {
	if root := os.Getenv("RECORD_TEST_ROOT"); root != "" {
		r := create(t, root, onePartition, nil)
		fill(r, 1000, 1)
		fmt.Println("writing")
		select {}
	}
	root := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$")
	c.Env = append(os.Environ(), "RECORD_TEST_ROOT="+root)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "writing\n" {
		t.Fatal(line, err)
	}
	must(t, CleanIncomplete(root))
	if len(files(t, root)) == 0 {
		t.Error("the folder of a live process was removed")
	}
	must(t, c.Process.Kill())
	_, _ = io.Copy(io.Discard, out)
	_ = c.Wait() // it was killed
	must(t, CleanIncomplete(root))
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	r := create(t, root, onePartition, nil)
	fill(r, 10, 1)
	finish(t, r)
}

// Writers of different runs and cleaners at the same time: every run ends whole.
func TestWritersAndCleaners(t *testing.T) {
	root := t.TempDir()
	var writers, cleaners sync.WaitGroup
	var done atomic.Bool
	for range 2 {
		cleaners.Go(func() {
			for !done.Load() {
				if err := CleanIncomplete(root); err != nil {
					t.Error(err)
				}
			}
		})
	}
	const workers, each = 4, 15
	for w := range workers {
		writers.Go(func() {
			for i := range each {
				p := Partition{fmt.Sprintf("p%03d", i%3), fmt.Sprintf("policy-%d", w), i}
				r, err := Create(Options{Root: root, Partition: p, Names: testNames()})
				if err == nil {
					fill(r, 5, 1)
					err = r.Finish(Result{})
				}
				if err != nil {
					t.Errorf("%v: %v", p, err)
				}
			}
		})
	}
	writers.Wait()
	done.Store(true)
	cleaners.Wait()
	runs, err := Runs(root)
	if len(runs) != workers*each || err != nil {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	for _, p := range runs {
		for table := range NumTables {
			if _, err := os.Stat(p.path(root, table)); err != nil {
				t.Error(err)
			}
		}
	}
	for name := range files(t, root) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s was left", name)
		}
	}
}

// A run that is written again replaces the old one, tables that it no longer has
// included.
func TestRunAgain(t *testing.T) {
	root := t.TempDir()
	r := create(t, root, onePartition, nil)
	fill(r, 10, 1)
	finish(t, r)
	r = create(t, root, onePartition, []Table{Tasks})
	fill(r, 20, 1)
	finish(t, r)
	if _, rows := read(t, root, onePartition, Tasks, []string{"task"}); rows != 20 {
		t.Errorf("%d rows", rows)
	}
	if _, err := os.Stat(filepath.Join(root, "decisions")); !os.IsNotExist(err) {
		t.Errorf("decisions of the first run: %v", err)
	}
	must(t, Remove(root, onePartition))
	if left := files(t, root); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// Names that a folder cannot bear are written as readers of Hive partitions undo
// them.
func TestStrangeNames(t *testing.T) {
	root := t.TempDir()
	p := Partition{"half/line", "mine=50% [x]", 12345}
	finish(t, create(t, root, p, []Table{Links}))
	runs, err := Runs(root)
	if d := cmp.Diff([]Partition{p}, runs); d != "" || err != nil {
		t.Error(d, err)
	}
	if _, err := os.Stat(filepath.Join(root, "links", "point=half%2Fline", "policy=mine%3D50%25%20%5Bx%5D", "replication=12345")); err != nil {
		t.Error(err)
	}
}

func TestReadResultOfOthersFiles(t *testing.T) {
	root := t.TempDir()
	if _, err := ReadResult(root, onePartition); !os.IsNotExist(errors.Unwrap(err)) {
		t.Errorf("got %v", err)
	}
	must(t, os.MkdirAll(onePartition.dir(root, Tasks), 0o777))
	must(t, os.WriteFile(onePartition.path(root, Tasks), []byte("PAR1 nonsense PAR1"), 0o666))
	if _, err := ReadResult(root, onePartition); err == nil {
		t.Error("nonsense was read")
	}
}
