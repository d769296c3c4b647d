package trace

import (
	"fmt"
	"strings"
	"testing"
)

// rowsBefore returns "name after names" of each task that comes after others.
func rowsBefore(t *testing.T, o Options) (*Trace, []string) {
	t.Helper()
	tr, got := prepared(t, o)
	out := []string{}
	for _, g := range got {
		for _, row := range g.After {
			out = append(out, string(g.Name)+" after "+string(got[row].Name))
		}
	}
	return tr, out
}

// Rows are those of the merged, sorted trace, whatever the order in the file.
func TestAfter(t *testing.T) {
	csv := "task,submit_s,work_s,after\na,9,1,b;c;b\nb,5,1,c\nc,7,1,\n"
	one, two := source("a.csv", csv), source("b.csv", strings.ReplaceAll(csv, "9,", "6,"))
	one.As, two.As = "x", "y"
	tr, got := rowsBefore(t, Options{Sources: []Source{one, two}})
	diff(t, "after", got, []string{"x/b after x/c", "y/b after y/c", "y/a after y/b", "y/a after y/c", "x/a after x/b", "x/a after x/c"})
	if !tr.HasAfter {
		t.Error("the trace has tasks that come after others")
	}
}

// Copies come after the same copies; tasks outside the replayed part are done.
func TestAfterCopiesAndWindow(t *testing.T) {
	s := source("a.csv", "task,submit_s,work_s,after\na,0,1,\nb,10,1,a\nc,20,1,a;b\nd,30,1,\ne,15,1,d\n")
	s.Load = 2
	_, got := rowsBefore(t, Options{Sources: []Source{s}})
	diff(t, "copies", got, []string{"b after a", "b#2 after a#2", "e after d", "e#2 after d#2",
		"c after a", "c after b", "c#2 after a#2", "c#2 after b#2"})
	s.Load, s.From, s.Length, s.HasLength = 0, 10, 15, true
	tr, got := rowsBefore(t, Options{Sources: []Source{s}})
	diff(t, "window", got, []string{"c after b"})
	diff(t, "notes", tr.Notes, []string{"a.csv: rows out of the order of submit_s: 1; they are sorted in",
		"entries of after that name tasks outside the replayed part: 3; they count as done"})
}

// A chain of 20,000 tasks is no circle and takes no time to find that out.
func TestLongChain(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,submit_s,work_s,after\nt0,0,1,\n")
	const n = 20_000
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "t%d,%d,1,t%d\n", i, n-i, i-1)
	}
	_, got := rowsBefore(t, Options{Sources: []Source{source("a.csv", b.String())}})
	if len(got) != n-1 {
		t.Errorf("%d tasks come after another, want %d", len(got), n-1)
	}
	circle := strings.Replace(b.String(), "t0,0,1,\n", fmt.Sprintf("t0,0,1,t%d\n", n-1), 1)
	_, err := Prepare(Options{Sources: []Source{source("a.csv", circle)}, Dir: t.TempDir()})
	want := "a.csv:2: column after: tasks wait for each other: t0 after t19999 after t19998 after t19997 after t19996 after t19995 after t19994 after t19993 after 19992 more after t0; remove one of them from a list"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
