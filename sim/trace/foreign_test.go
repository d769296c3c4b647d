package trace

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"tiersim/sim/fault"
)

// readAll reads every row of a reader as its line and its cells, in the order of
// the schema, and the faults of broken rows.
func readAll(t testing.TB, rows RowReader) (list []string, faults fault.List) {
	t.Helper()
	var row Row
	for {
		err := rows.Read(&row)
		if err == io.EOF {
			return list, faults
		}
		if err != nil {
			f, ok := err.(fault.Fault)
			if !ok {
				t.Fatalf("%v is no fault of a row", err)
			}
			faults = append(faults, f)
			continue
		}
		list = append(list, rowText(&row))
	}
}

// rowText is "12: task=a submit_s=3".
func rowText(row *Row) string {
	var b strings.Builder
	b.WriteString(strconv.FormatInt(row.Line, 10))
	b.WriteByte(':')
	b.WriteString(cellsText(row))
	return b.String()
}

func cellsText(row *Row) string {
	var b strings.Builder
	for c := range NumColumns {
		if cell := row.Cells[c]; cell.Kind != Absent {
			b.WriteString(" " + c.String() + "=" + cell.String())
		}
	}
	return b.String()
}

// open opens a text by its content.
func open(t testing.TB, name, text string) RowReader {
	t.Helper()
	rows, err := OpenRows(name, io.NopCloser(strings.NewReader(text)), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rows.Close() })
	return rows
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Each foreign format: found by content, read to these rows, with these notes.
func TestForeignFormats(t *testing.T) {
	for _, c := range []struct {
		file, format string
		rows, notes  []string
	}{
		// NASA has no requests and no waits: processors are the allocated ones. A
		// job of 0 s stays.
		{"nasa.swf", "swf", []string{
			"33: task=1 submit_s=0 class=batch group=user1 slots=128 work_s=1451",
			"34: task=2 submit_s=1460 class=batch group=user1 slots=128 work_s=3726",
			"35: task=3 submit_s=5198 class=batch group=user1 slots=128 work_s=1067",
			"36: task=4 submit_s=6269 class=batch group=user2 slots=128 work_s=10927",
			"37: task=658 submit_s=168848 class=batch group=user1 slots=128 work_s=0",
		}, []string{"submit_s 0 is 1993-10-01T07:00:03Z (UnixStartTime in its header)"}},
		// HPC2N ends in an empty line; three jobs have no run time.
		{"hpc2n.swf", "swf", []string{
			"24: task=1 submit_s=0 class=batch group=user1 slots=30 work_s=31405 estimate_s=37980 recorded_wait_s=308434",
			"25: task=2 submit_s=8 class=batch group=user1 slots=30 work_s=31039 estimate_s=37980 recorded_wait_s=308426",
			"26: task=3 submit_s=12 class=batch group=user1 slots=30 work_s=30978 estimate_s=37980 recorded_wait_s=308483",
			"27: task=4 submit_s=179350 class=batch group=user3 slots=2 work_s=143967 estimate_s=144000 recorded_wait_s=99808",
			"28: task=15 submit_s=347593 class=batch group=user5 slots=8 work_s=86462 estimate_s=86400 recorded_wait_s=15",
			"30: task=17 submit_s=347844 class=batch group=user5 slots=8 work_s=2201 estimate_s=432000 recorded_wait_s=9",
		}, []string{
			"submit_s 0 is 2002-07-28T07:04:05Z (UnixStartTime in its header)",
			"3 rows left out: run time not known",
		}},
		// What pyss writes is in the order of completion: 14, 5, 4 become 4, 5, 14.
		{"ctc.swf", "swf", []string{
			"6: task=1 submit_s=0 class=batch group=user97 slots=306 work_s=937 estimate_s=35100 recorded_wait_s=0",
			"7: task=2 submit_s=164472 class=batch group=user81 slots=17 work_s=75 estimate_s=300 recorded_wait_s=0",
			"8: task=3 submit_s=197154 class=batch group=user97 slots=306 work_s=35100 estimate_s=35100 recorded_wait_s=0",
			"11: task=4 submit_s=310448 class=batch group=user38 slots=64 work_s=29493 estimate_s=64800 recorded_wait_s=0",
			"10: task=5 submit_s=310541 class=batch group=user38 slots=64 work_s=29063 estimate_s=64800 recorded_wait_s=0",
			"9: task=14 submit_s=332172 class=batch group=user60 slots=32 work_s=431 estimate_s=64800 recorded_wait_s=0",
			"12: task=16 submit_s=340050 class=batch group=user43 slots=81 work_s=563 estimate_s=3600 recorded_wait_s=0",
			"13: task=18 submit_s=340486 class=batch group=user31 slots=32 work_s=1759 estimate_s=5400 recorded_wait_s=0",
		}, []string{"2 lines were not in the order of submission and are sorted in"}},
		{"swim-2009.tsv", "swim", []string{
			"1: task=job0 submit_s=49 class=batch input_bytes=740773 output_bytes=627471 shuffle_bytes=2339561",
			"2: task=job1 submit_s=101 class=batch input_bytes=736346 output_bytes=432269 shuffle_bytes=1700537",
			"3: task=job2 submit_s=122 class=batch input_bytes=267631 output_bytes=233549 shuffle_bytes=594312",
			"4: task=job3 submit_s=197 class=batch input_bytes=233422 output_bytes=37 shuffle_bytes=42",
		}, nil},
		{"swim-2010.tsv", "swim", []string{
			"1: task=job0 submit_s=1 class=batch dataset=inputPath1 input_bytes=2267942 output_bytes=1937944 shuffle_bytes=0",
			"2: task=job1 submit_s=2 class=batch dataset=inputPath2 input_bytes=20791551476 output_bytes=1491950225 shuffle_bytes=12295202125",
			"3: task=job2 submit_s=2 class=batch dataset=inputPath3 input_bytes=90015105 output_bytes=2783997 shuffle_bytes=110986156",
			"4: task=job3 submit_s=2 class=batch dataset=inputPath4 input_bytes=945 output_bytes=2668 shuffle_bytes=0",
			"5: task=job4 submit_s=2 class=batch dataset=inputPath5 input_bytes=4654241 output_bytes=3938427 shuffle_bytes=0",
		}, nil},
		// 2017-09-29 07:58:32 to 2017-10-09 06:13:03 are 9 d 22 h 14 min 31 s.
		{"philly.csv", "philly", []string{
			"4: task=job1 submit_s=0 class=training-parallel group=6c71a0 slots=1 work_s=860662",
			"3: task=job2 submit_s=857671 class=training-parallel group=6214e9 slots=1 work_s=2951",
			"5: task=job3 submit_s=857704 class=training-parallel group=6214e9 slots=1 work_s=2759",
			"6: task=job4 submit_s=857851 class=training-parallel group=6214e9 slots=1 work_s=2766",
			"2: task=job5 submit_s=860603 class=training-parallel group=11cb48 slots=1 work_s=66",
		}, []string{
			"submit_s 0 is 2017-09-29 07:58:32, local time of the clusters",
			"2 lines were not in the order of submission and are sorted in",
		}},
	} {
		rows := open(t, c.file, fixture(t, c.file))
		if got := formatOf(rows); got != c.format {
			t.Errorf("%s: found %s, want %s", c.file, got, c.format)
		}
		got, faults := readAll(t, rows)
		if len(faults) > 0 {
			t.Errorf("%s: %v", c.file, faults)
		}
		diff(t, c.file, got, c.rows)
		diff(t, c.file+" notes", readerNotes(rows), c.notes)
	}
}

const swfLine = " 0 5 10 4 -1 -1 8 20 -1 1 7 3 -1 -1 -1 -1 -1\n" // of a job whose number comes before it

// Rows that cannot be replayed are left out and counted by reason; what is not
// known is absent.
func TestSWFUnfit(t *testing.T) {
	rows := open(t, "a.swf", "; UnixStartTime: soon\n;\n"+"1"+swfLine+
		"2 0 -1 10 4 -1 -1 -1 -1 -1 1 -1 3 -1 -1 -1 -1 -1\n"+ // no wait, request or user
		"3 0 -1 10 4 -1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"+ // nor group; a request for 0 s
		"4 0 5 -1 4 -1 -1 8 20 -1 1 7 3 -1 -1 -1 -1 -1\n"+
		"5 0 5 10 -1 -1 -1 -1 20 -1 1 7 3 -1 -1 -1 -1 -1\n"+
		"6 0 5 10 0 -1 -1 0 20 -1 1 7 3 -1 -1 -1 -1 -1\n"+
		"7 -1 5 10 4 -1 -1 8 20 -1 1 7 3 -1 -1 -1 -1 -1\n"+
		"8 0 5 0 -1 -1 -1 8 20 -1 5 7 3 -1 -1 -1 -1 -1\n"+ // cancelled while it waited
		"9 0 5 10 4 -1 -1 8 20 -1 5 7 3 -1 -1 -1 -1 -1\n"+ // cancelled while it ran
		"1 0 5 4 4 -1 -1 8 20 -1 2 7 3 -1 -1 -1 -1 -1\n"+ // the parts of job 1
		"1 4 5 6 4 -1 -1 8 20 -1 3 7 3 -1 -1 -1 -1 -1\n")
	got, faults := readAll(t, rows)
	diff(t, "faults", len(faults), 0)
	diff(t, "rows", got, []string{
		"3: task=1 submit_s=0 class=batch group=user7 slots=8 work_s=10 estimate_s=20 recorded_wait_s=5",
		"4: task=2 submit_s=0 class=batch group=group3 slots=4 work_s=10",
		"5: task=3 submit_s=0 class=batch slots=4 work_s=10",
		"11: task=9 submit_s=0 class=batch group=user7 slots=8 work_s=10 estimate_s=20 recorded_wait_s=5",
	})
	diff(t, "notes", readerNotes(rows), []string{
		"1 row left out: run time not known",
		"2 rows left out: processors not known",
		"1 row left out: submit time not known",
		"1 row left out: cancelled before they ran (status 5)",
		"2 rows left out: parts of jobs (status 2 to 4), which lines of their own sum up",
	})
}

func TestPhillyUnfit(t *testing.T) {
	rows := open(t, "p.csv", "cluster,timestamp,num_gpus,duration,state\n"+
		"g,2017-10-09 07:01:55,1,,x\n"+
		"g,2017-10-09 07:01:55,0,5,x\n"+
		"\"g,h\",2017-10-09 07:01:55.5,2,0.25,x\n"+
		"g,2017-10-09 07:01:55,4,0,x\n")
	got, faults := readAll(t, rows)
	diff(t, "faults", len(faults), 0)
	diff(t, "rows", got, []string{
		"5: task=job1 submit_s=0 class=training-parallel group=g slots=4 work_s=0",
		"4: task=job2 submit_s=0.5 class=training-parallel group=g,h slots=2 work_s=0.25",
	})
	diff(t, "unknown", rows.Unknown(), []string{"state"})
	diff(t, "notes", readerNotes(rows), []string{
		"submit_s 0 is 2017-10-09 07:01:55, local time of the clusters",
		"1 line was not in the order of submission and is sorted in",
		"1 row left out: duration not known",
		"1 row left out: no GPUs",
	})
}

// Each broken line: exactly what is said of it; the good lines around it are read.
func TestForeignBrokenRows(t *testing.T) {
	const s = "job0\t1\t1\t5\t6\t7\tpath\t\t\n"
	const p = "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,g\n"
	for _, c := range []struct{ name, text, want string }{
		{"swf: too few", "1" + swfLine + "2 0 0\n", "f:2: got 3 fields, want the 18 of the Standard Workload Format; write -1 for what is not known"},
		{"swf: no number", "1" + swfLine + "2 0 x 10 4 -1 -1 8 20 -1 1 7 3 -1 -1 -1 -1 -1\n", `f:2: column 3, wait time: got "x", want a number; write -1 if it is not known`},
		{"swf: NaN", "1" + swfLine + "2 NaN 5 10 4 -1 -1 8 20 -1 1 7 3 -1 -1 -1 -1 -1\n", `f:2: column 2, submit time: got "NaN", want a number; write -1 if it is not known`},
		{"swf: no job number", "1" + swfLine + "-1" + swfLine, "f:2: column 1, job number: got -1, want the number of the job; write one that no other job has"},
		{"swf: part of a job", "1" + swfLine + "1.5" + swfLine, "f:2: column 1, job number: got 1.5, want a whole number of at most 9007199254740992; write -1 if it is not known"},
		{"swf: part of a processor", "1" + swfLine + "2 0 5 10 4 -1 -1 8.5 20 -1 1 7 3 -1 -1 -1 -1 -1\n", "f:2: column 8, requested processors: got 8.5, want a whole number of at most 2147483647; write -1 if it is not known"},
		{"swf: too many", "1" + swfLine + "2 0 5 10 4 -1 -1 3000000000 20 -1 1 7 3 -1 -1 -1 -1 -1\n", "f:2: column 8, requested processors: got 3000000000, want a whole number of at most 2147483647; write -1 if it is not known"},
		{"swim: too few", s + "job1\t2\t1\n", "f:2: got 3 fields parted by tabs, want 6, or 7 to 9 with an input path; write job, submit, gap, map input, shuffle and output bytes"},
		{"swim: no number", s + "job1\tlate\t1\t5\t6\t7\n", `f:2: column 2, submit: got "late", want a number of at least 0; write 0 if there is none`},
		{"swim: negative", s + "job1\t2\t1\t-5\t6\t7\n", `f:2: column 4, map input bytes: got "-5", want a number of at least 0; write 0 if there is none`},
		{"swim: digits lost", s + "job1\t2\t1\t5\t6\t9007199254740993\n", `f:2: column 6, output bytes: got "9007199254740993", want a number of at least 0; write 0 if there is none`},
		{"swim: no name", s + "\t2\t1\t5\t6\t7\n", "f:2: column 1, job: is empty; give each job a name of its own"},
		{"swim: more", s + "job1\t2\t1\t5\t6\t7\tpath\tout\t\n", `f:2: column 8, empty: got "out", want nothing behind the input path; remove it`},
		{"swim: a list", s + "job1\t2\t1\t5\t6\t7\ta;b\n", `f:2: column 7, input path: got "a;b", and ; parts data sets; write another sign`},
		{"swim: not UTF-8", s + "job\xff\t2\t1\t5\t6\t7\n", "f:2: is not UTF-8; save the file as UTF-8"},
		{"philly: too few", p + "2017-10-09 07:01:55,66.0,1\n", "f:3: got 3 fields, the header has 5; write one field per column"},
		{"philly: no time", p + "soon,66.0,1,66.0,g\n", `f:3: column timestamp: got "soon", want a local time such as 2017-10-09 07:01:55, from 1970 to 2200; mend it, or remove the line`},
		{"philly: no such day", p + "2017-02-30 07:01:55,66.0,1,66.0,g\n", `f:3: column timestamp: got "2017-02-30 07:01:55", want a local time such as 2017-10-09 07:01:55, from 1970 to 2200; mend it, or remove the line`},
		{"philly: negative", p + "2017-10-09 07:01:55,-66,1,66.0,g\n", `f:3: column duration: got "-66", want a number of at least 0; mend it, or leave it empty if it is not known`},
		{"philly: part of a GPU", p + "2017-10-09 07:01:55,66,0.5,33,g\n", `f:3: column num_gpus: got "0.5", want a whole number; mend it, or remove the line`},
		{"philly: quote", p + "2017-10-09 07:01:55,66,1,66,\"g\n", "f:3: a quote is opened and not closed on this line; close it"},
		{"philly: not UTF-8", p + "2017-10-09 07:01:55,66,1,66,\xff\n", "f:3: is not UTF-8; save the file as UTF-8"},
	} {
		rows := open(t, "f", c.text)
		if got, _, _ := strings.Cut(c.name, ":"); got != formatOf(rows) {
			t.Errorf("%s: found %s", c.name, formatOf(rows))
		}
		got, faults := readAll(t, rows)
		diff(t, c.name, faults.Error(), c.want)
		diff(t, c.name+": good rows", len(got), 1)
	}
}

// A format that is named and is not there.
func TestForeignHeaders(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"philly", "", "f: is empty, want a header line; write timestamp,duration,num_gpus,gpu_time,cluster"},
		{"philly", "timestamp,duration,gpus,cluster\n", `f:1: no column num_gpus in the header "timestamp,duration,gpus,cluster"; write timestamp,duration,num_gpus,gpu_time,cluster`},
		{"philly", "\"timestamp\n", "f:1: a quote is opened and not closed on this line; close it"},
		{"SWF", "", `f: got format "SWF", want one of csv, parquet, swf, swim, philly`},
	} {
		_, err := OpenRows("f", io.NopCloser(strings.NewReader(c.text)), c.format)
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	for _, format := range []string{"swf", "swim"} {
		rows, err := OpenRows("f", io.NopCloser(strings.NewReader("")), format)
		if err != nil {
			t.Fatal(err)
		}
		if got, faults := readAll(t, rows); len(got)+len(faults) > 0 {
			t.Errorf("%s: got %v, %v of nothing", format, got, faults)
		}
	}
}

// What a file is not is not found in it.
func TestDetect(t *testing.T) {
	for text, want := range map[string]string{
		"task,submit_s\n":                     "csv",
		"; Version: 2.2\n":                    "swf",
		"; Version: 2.2\n1 0 5":               "swf", // where the head is cut
		"1" + swfLine:                         "swf",
		"1 2 3\n":                             "csv",
		"job0\t1\t1\t5\t6\t7":                 "swim",
		"job0\t1\t1\t5\t6\tx":                 "csv",
		"a\tb\tc\td\te\tf\n":                  "csv",
		"cluster,timestamp,num_gpus,duration": "philly",
		"timestamp,duration\n":                "csv",
		"":                                    "csv",
	} {
		if got := detect([]byte(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// fuzzForeign reads a text in a format: it may only give rows of what the schema
// promises, in order, or faults.
func fuzzForeign(f *testing.F, open func(string, *bufio.Reader) (RowReader, error), ordered bool) {
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := open("f", bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			if _, ok := fault.Of(err); !ok {
				t.Fatalf("%v is no fault", err)
			}
			return
		}
		last := 0.0
		var row Row
		for {
			err := rows.Read(&row)
			if err == io.EOF {
				break
			}
			if err != nil {
				if _, ok := fault.Of(err); !ok {
					t.Fatalf("%v is no fault", err)
				}
				continue
			}
			at := row.Cells[ColSubmitS].Num
			if row.Line < 1 || row.Cells[ColTask].Text == "" || !(at >= 0) || ordered && at < last {
				t.Fatalf("got %s after %v", rowText(&row), last)
			}
			last = at
			for c := range NumColumns {
				if cell := &row.Cells[c]; cell.Kind == NumberCell && !allowed(c, cell.Num) {
					t.Fatalf("%s: %v", c, cell.Num)
				}
			}
		}
		readerNotes(rows)
	})
}

func FuzzSWF(f *testing.F) {
	f.Add("1" + swfLine)
	f.Add("; UnixStartTime: 1\n3 0 -1 0 4 1e3 .5 -1 0 -1 -1 -1 -1 -1 -1 -1 -1 -1\n1" + swfLine)
	f.Add(fixture(f, "hpc2n.swf"))
	fuzzForeign(f, newSWF, true)
}

func FuzzSWIM(f *testing.F) {
	f.Add(fixture(f, "swim-2009.tsv"))
	f.Add(fixture(f, "swim-2010.tsv"))
	fuzzForeign(f, newSWIM, false)
}

func FuzzPhilly(f *testing.F) {
	f.Add(fixture(f, "philly.csv"))
	f.Add("cluster,timestamp,num_gpus,duration,state\n\"g,h\",1970-01-01 00:00:00.5,2,0.25,x\n,2200-12-31 23:59:59,,,\n")
	fuzzForeign(f, newPhilly, true)
}
