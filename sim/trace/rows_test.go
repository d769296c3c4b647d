package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"

	"tiersim/sim/fault"
	"tiersim/sim/task"
)

// manyRows is a trace of n tasks, with data sets and groups.
func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("task,submit_s,class,group,slots,work_s,dataset,input_bytes,home\n")
	for i := range n {
		fmt.Fprintf(&b, "task-%d,%d.5,batch,g%d,1,%d,set-%d,%d,r%d\n", i, i, i%7, 1+i%100, i%50, 1000+i, 1+i%2)
	}
	return b.String()
}

// What is packed, has a byte order mark, quotes, other line ends, empty lines or
// spaces is read as what it says.
func TestWaysToWriteCSV(t *testing.T) {
	plain := "task,submit_s,work_s,group,note\na,1,2,\"g, \"\"h\"\"\",x\nb,2,3,,\n"
	var gz, zst bytes.Buffer
	g := gzip.NewWriter(&gz)
	io.WriteString(g, plain)
	g.Close()
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, plain)
	z.Close()
	for name, text := range map[string]string{
		"plain": plain, "gzip": gz.String(), "zstd": zst.String(),
		"byte order mark": "\xef\xbb\xbf" + plain,
		"line ends":       strings.ReplaceAll(plain, "\n", "\r\n"),
		"no last end":     strings.TrimSuffix(plain, "\n"),
		"empty lines":     strings.ReplaceAll(plain, "\n", "\n\n  \n") + "\n\n",
		"spaces":          "task , submit_s,  work_s,group,note\n a ,1 , 2,\"g, \"\"h\"\"\" , x\nb,2,3,,\n",
		"columns moved":   "note,group,work_s,submit_s,task\nx,\"g, \"\"h\"\"\",2,1,a\n,,3,2,b\n",
	} {
		tr, got := prepared(t, Options{Sources: []Source{source("a.csv", text)}})
		diff(t, name, names(got), []string{"a@1", "b@2"})
		diff(t, name, tr.Catalog.Symbols, []string{"", `g, "h"`})
		diff(t, name, tr.Notes, []string{"a.csv: not in the schema, passed over: note"})
		if len(got) == 2 && (got[0].Work != 2 || got[1].Work != 3 || got[1].Group != 0) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEmptyTrace(t *testing.T) {
	for _, text := range []string{"task,submit_s", "task,submit_s\n", "\xef\xbb\xbftask,submit_s\r\n\r\n"} {
		tr, got := prepared(t, Options{Topology: twoRooms(t), Sources: []Source{source("a.csv", text)}})
		if len(got) != 0 || tr.Tasks != 0 || tr.First != 0 || tr.Last != 0 || len(tr.Notes) != 0 {
			t.Errorf("%q: got %+v", text, tr)
		}
	}
}

// Each broken row: exactly what is said of it, after "a.csv:".
func TestBrokenRows(t *testing.T) {
	const h = "task,submit_s,work_s,home"
	for _, c := range []struct{ name, text, want string }{
		{"no submission", h + "\na,,1,r1\n", "2: column submit_s: is empty, want a number of s of at least 0; write when the task was submitted"},
		{"not a number", h + "\na,NaN,1,r1\n", `2: column submit_s: got "NaN", want a number of s of at least 0; write when it was submitted`},
		{"infinite", h + "\na,Inf,1,r1\n", `2: column submit_s: got "Inf", want a number of s of at least 0; write when it was submitted`},
		{"negative", h + "\na,-1,1,r1\n", `2: column submit_s: got "-1", want a number of s of at least 0; write when it was submitted`},
		{"too large", h + "\na,1e999,1,r1\n", `2: column submit_s: got "1e999", want a number of s of at least 0; write when it was submitted`},
		{"a unit", h + "\na,3h,1,r1\n", `2: column submit_s: got "3h", want a number of s of at least 0; write 10800`},
		{"digits lost", h + ",input_bytes\na,0,1,r1,9007199254740993\n", `2: column input_bytes: got "9007199254740993", want a number of bytes of at least 0; mend it, or leave the cell empty for the default (0)`},
		{"milliseconds", h + "\na,1507172400000,1,r1\n", "2: column submit_s: got 1507172400000, want seconds; these look like milliseconds since 1970: divide the column by 1000"},
		{"two clocks", h + "\na,1507172400,1,r1\nb,60,1,r1\n", "3: column submit_s: got 60, seconds since the trace's start, where line 2 counts from 1970; count all rows from one instant"},
		{"two clocks, other way", h + "\na,60,1,r1\nb,1507172400,1,r1\n", "3: column submit_s: got 1507172400, seconds since 1970, where line 2 counts from the trace's start; count all rows from one instant"},
		{"no work", h + "\na,0,,r1\n", "2: column work_s: is empty, want a number of s of at least 0; write how long it runs, or give it by fill"},
		{"negative work", h + "\na,0,-5,r1\n", `2: column work_s: got "-5", want a number of s of at least 0; write how long it runs`},
		{"no name", h + "\n,0,1,r1\n", "2: column task: is empty; give each task a name of its own"},
		{"twice", h + "\na,0,1,r1\nb,0,1,r1\na,0,1,r1\n", `4: column task: got "a", which line 2 has too; give each task a name of its own`},
		{"no home", h + "\na,0,1,\n", "2: column home: is empty, and there are several rooms; write the room that the task is submitted from, or give it by fill"},
		{"unknown home", h + "\na,0,1,r3\n", `2: column home: no room "r3"; write r1`},
		{"no slots", h + ",slots\na,0,1,r1,0\n", `2: column slots: got "0", want a whole number of at least 1; mend it, or leave the cell empty for the default (1)`},
		{"part of a slot", h + ",slots\na,0,1,r1,1.5\n", `2: column slots: got "1.5", want a whole number of at least 1; mend it, or leave the cell empty for the default (1)`},
		{"too many slots", h + ",slots\na,0,1,r1,9\n", "2: column slots: got 9, the largest pool of any kind offers 8 (east/r1/gpu); write at most 8, or give a pool more slots"},
		{"too many of a kind", h + ",kind,slots\na,0,1,r1,cpu,5\n", "2: column slots: got 5, the largest pool of kind cpu offers 4 (west/r2/cpu); write at most 4, or give a pool more slots"},
		{"unknown kind", h + ",kind\na,0,1,r1,gpus\n", `2: column kind: no kind of slot "gpus"; write gpu`},
		{"unknown class", h + ",class\na,0,1,r1,bacth\n", `2: column class: no class "bacth"; write batch`},
		{"bad flag", h + ",portable\na,0,1,r1,yes\n", `2: column portable: got "yes", want true or false; write true`},
		{"bad access", h + ",access\na,0,1,r1,remotely\n", `2: column access: no value "remotely"; write remote`},
		{"unequal lists", h + ",dataset,input_bytes\na,0,1,r1,d;e,5\n", "2: column input_bytes: has 1, another of dataset, input_bytes and data_home has 2; write one entry per data set, parted by ;"},
		{"set twice", h + ",dataset\na,0,1,r1,d;d\n", `2: column dataset: data set "d" stands twice; write it once`},
		{"bad bytes in a list", h + ",input_bytes\na,0,1,r1,5;1GB\n", `2: column input_bytes: got "1GB", want a number of bytes of at least 0; write 1000000000`},
		{"unknown data home", h + ",data_home\na,0,1,r1,r1+r9\n", `2: column data_home: no room "r9"; write r1`},
		{"unknown jurisdiction", h + ",jurisdictions\na,0,1,r1,us\n", `2: column jurisdictions: no jurisdiction "us"; write one of cn, eu`},
		{"results may not be there", h + ",result_home,result_jurisdictions\na,0,1,r1,r2,cn\n", "2: column result_home: results go to r2, which is in eu, and may be in cn only; change result_home or result_jurisdictions"},
		{"transfer from nowhere", "task,submit_s,class,result_home\na,0,transfer,r1\n", "2: column home: is empty, and there are several rooms; write the room that the task is submitted from, or give it by fill\na.csv:2: column data_home: is empty; write the room that the transfer comes from"},
		{"transfer to nowhere", "task,submit_s,class,data_home\na,0,transfer,r1\n", "2: column result_home: is empty, and so is home; write the room that the transfer goes to"},
		{"after nobody", h + ",after\na,0,1,r1,b\n", `2: column after: no task "b" in the trace; write the name of one, or remove it`},
		{"after itself", h + ",after\na,0,1,r1,a\n", `2: column after: task "a" comes after itself; remove it from its list`},
		{"circle", h + ",after\nx,0,1,r1,\na,0,1,r1,x;c\nb,0,1,r1,a\nc,0,1,r1,b\nd,0,1,r1,c\n", "3: column after: tasks wait for each other: a after c after b after a; remove one of them from a list"},
		{"empty entry", h + ",after\na,0,1,r1,x;\n", `2: column after: got "x;", which has an empty entry; remove a ;`},
		{"too few fields", h + "\na,0,1\n", "2: got 3 fields, the header has 4; write one field per column, in quotes where it holds a comma"},
		{"quote left open", h + "\n\"a,0,1,r1\n", "2: a quote is opened and not closed on this line; close it"},
		{"quote inside", h + "\na\"b,0,1,r1\n", `2: got a quote inside the field "a\"b"; put the field in quotes and the quote twice`},
		{"behind a quote", h + "\n\"a\"b,0,1,r1\n", `2: got "b,0,1,r1" after a closing quote, want a comma; write a quote inside a field twice`},
		{"not UTF-8", h + "\n\xff,0,1,r1\n", "2: is not UTF-8; save the file as UTF-8"},
		{"no task column", "name,submit_s\nx,1\n", "1: no column task, which is always needed; add it (name, unique), or convert the file with tiersim trace convert"},
		{"submit, not submit_s", "task,submit\nx,1\n", `1: no column submit_s, which is always needed; rename "submit" to submit_s`},
		{"a column twice", "task,submit_s,task\n", "1: column task: stands twice in the header; remove one"},
		{"semicolons", "task;submit_s\n", `1: got the header "task;submit_s", want columns parted by commas; write commas`},
		{"binary", "PK\x03\x04\x00\x00rows", " holds zero bytes, so it is no text, and it is not gzip, Zstandard or Parquet; name a trace in one of these forms"},
		{"UTF-16", "\xff\xfet\x00", "1: is text in UTF-16, want UTF-8; save it as UTF-8"},
	} {
		tr, err := Prepare(Options{Topology: twoRooms(t), Sources: []Source{source("a.csv", c.text)}, Dir: t.TempDir()})
		if err == nil {
			tr.Close()
			t.Errorf("%s: no fault, want %s", c.name, c.want)
			continue
		}
		if _, ok := fault.Of(err); !ok {
			t.Errorf("%s: %v is no fault", c.name, err)
		}
		if err.Error() != "a.csv:"+c.want {
			t.Errorf("%s:\n got %s\nwant a.csv:%s", c.name, err, c.want)
		}
	}
}

// A file that is not there, or breaks off, is a fault of that file.
func TestBrokenFiles(t *testing.T) {
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	io.WriteString(g, manyRows(5000))
	g.Close()
	for _, c := range []struct{ text, want string }{
		{"", "a.csv: is empty, want a header line; write task,submit_s and the other columns into its first line"},
		{gz.String()[:gz.Len()/2], "unexpected EOF; the file is cut off or damaged"},
		{"\x1f\x8bxx", "the file is cut off or damaged"},
		{"\x28\xb5\x2f\xfdxxxxxxxx", "the file is cut off or damaged"},
		{"PAR1", "a.csv: is not readable as Parquet"},
	} {
		_, err := Prepare(Options{Sources: []Source{source("a.csv", c.text)}, Dir: t.TempDir()})
		if _, ok := fault.Of(err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	var swf bytes.Buffer
	g = gzip.NewWriter(&swf)
	for i := range 5000 {
		fmt.Fprintf(g, "%d %d 0 %d 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n", i+1, i, 1+i*7919%1000)
	}
	g.Close()
	_, err := Prepare(Options{Dir: t.TempDir(), Sources: []Source{source("a.swf.gz", swf.String()[:swf.Len()/2])}})
	if _, ok := fault.Of(err); !ok || !strings.Contains(err.Error(), "the file is cut off or damaged") {
		t.Errorf("got %v", err)
	}
	s := source("gone.csv", "")
	s.Open = func() (io.ReadCloser, error) { return nil, fmt.Errorf("open: %w", fs.ErrNotExist) }
	_, err = Prepare(Options{Sources: []Source{s}, Dir: t.TempDir()})
	if want := "gone.csv: no such file; write the name of a trace, relative to the file that names it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A hundred faults are told, the rest is counted.
func TestManyFaults(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,submit_s,work_s\n")
	for i := range 250 {
		fmt.Fprintf(&b, "a,x%d,1\n", i)
	}
	_, err := Prepare(Options{Sources: []Source{source("a.csv", b.String())}, Dir: t.TempDir()})
	var l fault.List
	if !errors.As(err, &l) || len(l) != 101 || l[100].Error() != "a.csv: and 150 more" {
		t.Errorf("got %d faults, the last of which %v", len(l), l[len(l)-1])
	}
}

// What is wrong in the same way in many rows is told of three, with the number of
// the others, and hides no other fault: 1000 rows have no home, the last no time.
func TestFaultsAlike(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,submit_s,work_s\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "a%d,%d,1\n", i, i)
	}
	b.WriteString("last,,1\n")
	_, err := Prepare(Options{Topology: twoRooms(t), Sources: []Source{source("a.csv", b.String())}, Dir: t.TempDir()})
	const home = ": column home: is empty, and there are several rooms; write the room that the task is submitted from, or give it by fill"
	diff(t, "faults", strings.Split(fmt.Sprint(err), "\n"), []string{
		"a.csv:2" + home, "a.csv:3" + home, "a.csv:4" + home + " (and so in 997 more rows)",
		"a.csv:1002: column submit_s: is empty, want a number of s of at least 0; write when the task was submitted",
	})
}

// A trace by itself may leave to a scenario's fill how long its tasks run; that is
// told, and no fault. With a topology the fill has been asked already.
func TestWithoutWork(t *testing.T) {
	csv := "task,submit_s,work_s\na,0,\nb,1,5\nc,2,\n"
	tr, got := prepared(t, Options{Sources: []Source{source("a.csv", csv)}})
	diff(t, "tasks", names(got), []string{"a@0", "b@1", "c@2"})
	diff(t, "notes", tr.Notes, []string{"a.csv: rows without work_s: 2; a scenario's fill must give it"})
}

// Broken rows are dropped and counted where that is asked for, those too that
// only the end tells: twins, unknown names in after, circles.
func TestSkipBadRows(t *testing.T) {
	text := "task,submit_s,work_s,after\n" +
		"a,0,1,\nb,x,1,\nc,1,1,b\na,2,1,\nd,3,1,nobody\ne,4,1,d\nshort\nf,5,1,g\ng,6,1,f\nh,7,1,g;a\n"
	tr, got := prepared(t, Options{Sources: []Source{source("a.csv", text)}, SkipBadRows: true})
	diff(t, "tasks", names(got), []string{"a@0", "c@1", "e@4", "h@7"})
	// b, the second a, d, short, and the circle f, g.
	if tr.Skipped != 6 || tr.Tasks != 4 || tr.First != 0 || tr.Last != 7 {
		t.Errorf("got %+v", tr)
	}
	diff(t, "h comes after", got[3].After, []int64{0})
}

// A clone reads on by itself.
func TestClone(t *testing.T) {
	tr, all := prepared(t, Options{Sources: []Source{source("a.csv", manyRows(3000))}})
	r := tr.Reader()
	var one task.Task
	for range 1234 {
		if ok, err := r.Next(&one); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	c := r.Clone()
	diff(t, "original", tasks(t, r), all[1234:])
	diff(t, "clone", tasks(t, c), all[1234:])
}

// Many readers share a trace, each in its own goroutine.
func TestManyReaders(t *testing.T) {
	tr, all := prepared(t, Options{Sources: []Source{source("a.csv", manyRows(2000))}})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() { diff(t, "tasks", names(tasks(t, tr.Reader())), names(all)) })
	}
	wait.Wait()
}
