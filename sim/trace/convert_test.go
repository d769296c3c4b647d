package trace

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tiersim/sim/fault"
)

// write writes a file of that name in a new folder and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// readFile reads all rows of a trace file, without their lines.
func readFile(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := OpenRows(name, f, "")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	list, faults := readAll(t, rows)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for i, s := range list {
		_, list[i], _ = strings.Cut(s, ":")
	}
	return list
}

func convert(t testing.TB, in, out string, o ConvertOptions) Report {
	t.Helper()
	r, err := Convert(context.Background(), in, out, o)
	if err != nil {
		t.Fatal(err)
	}
	checkSum(t, &r)
	return r
}

// checkSum holds that no row is lost: in = out + dropped.
func checkSum(t testing.TB, r *Report) {
	t.Helper()
	if sum := r.Out + reasons(r.Dropped).rows(); r.In != sum {
		t.Errorf("%s: %d rows came in, %d are accounted for", r.File, r.In, sum)
	}
}

// everyColumn is a trace with a value in every column, in every way that it may
// be written.
func everyColumn() string {
	values := map[Column][]string{
		ColTask: {`"a,""b"`, "c", "ü"}, ColSubmitS: {"0.1", "1e3", "1e3"}, ColSlots: {"8", "", "1"}, ColPriority: {"-3", "", "2"},
		ColParts: {"2", "", ""}, ColCheckpointS: {"auto", "60", ""}, ColInputBytes: {"5", "1;2.5", "9007199254740992"},
		ColDataset: {"x", "x;y", ""}, ColDataHome: {"r1+r2", "r1;r2", ""}, ColResumable: {"true", "FALSE", ""},
		ColPortable: {"False", "", ""}, ColStateless: {"true", "", "FALSE"}, ColAfter: {"c;ü", "", ""}, ColWorkS: {"0.1", "1e-300", "123456789.125"},
		ColScans: {"0", "1e22", ""}, ColClass: {"batch", "science", "transfer"},
	}
	var b strings.Builder
	for r := -1; r < 3; r++ {
		for c := range NumColumns {
			if c > 0 {
				b.WriteByte(',')
			}
			switch v, ok := values[c]; {
			case r < 0:
				b.WriteString(c.String())
			case ok:
				b.WriteString(v[r])
			case columns[c].Type == Number:
				fmt.Fprintf(&b, "%d.5", int(c)+r)
			default:
				fmt.Fprintf(&b, "%s %d", c, r)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// What is converted to any format and back again says the same.
func TestConvertAndBack(t *testing.T) {
	sources := map[string]string{"every.csv": everyColumn()}
	for _, name := range []string{"nasa.swf", "hpc2n.swf", "ctc.swf", "swim-2009.tsv", "swim-2010.tsv", "philly.csv"} {
		sources[name] = fixture(t, name)
	}
	for name, text := range sources {
		in := write(t, name, text)
		plain := filepath.Join(t.TempDir(), "plain.csv")
		first := convert(t, in, plain, ConvertOptions{})
		want := readFile(t, plain)
		if int64(len(want)) != first.Out || first.Out == 0 {
			t.Errorf("%s: %d rows written, %d read", name, first.Out, len(want))
		}
		for _, ext := range extensions() {
			there := filepath.Join(t.TempDir(), "there"+ext)
			again := filepath.Join(t.TempDir(), "again.csv")
			convert(t, in, there, ConvertOptions{})
			diff(t, name+ext, readFile(t, there), want)
			r := convert(t, there, again, ConvertOptions{})
			diff(t, name+ext+" columns", r.Columns, first.Columns)
			a, _ := os.ReadFile(plain)
			b, _ := os.ReadFile(again)
			if !bytes.Equal(a, b) {
				t.Errorf("%s by way of %s: got\n%s\nwant\n%s", name, ext, b, a)
			}
		}
	}
}

// The same rows are the same bytes.
func TestConvertSameBytes(t *testing.T) {
	in := write(t, "every.csv", everyColumn())
	for _, ext := range extensions() {
		var files [2][]byte
		for i := range files {
			out := filepath.Join(t.TempDir(), "out"+ext)
			convert(t, in, out, ConvertOptions{})
			files[i], _ = os.ReadFile(out)
		}
		if len(files[0]) == 0 || !bytes.Equal(files[0], files[1]) {
			t.Errorf("%s: %d and %d bytes, not the same", ext, len(files[0]), len(files[1]))
		}
	}
}

// Rows are sorted, columns without a value left out, numbers in their own form.
func TestConvertText(t *testing.T) {
	in := write(t, "in.csv", "submit_s,task,group,note,kind\n3,c,\" g\",x,\n1,a,\"g, \"\"h\"\"\",,\n+1.50e0,b,,,\n")
	out := filepath.Join(t.TempDir(), "OUT.CSV")
	r := convert(t, in, out, ConvertOptions{})
	got, _ := os.ReadFile(out)
	diff(t, "text", string(got), "task,submit_s,group\na,1,\"g, \"\"h\"\"\"\nb,1.5,\nc,3,\" g\"\n")
	var text strings.Builder
	r.WriteText(&text)
	diff(t, "report", text.String(), fmt.Sprintf(`%s (csv): 3 rows; %s: 3 tasks
columns: task submit_s group
not in the schema, passed over: note
rows were not in the order of submit_s and are sorted
no task has work_s; a scenario's fill gives it
`, in, out))
}

func TestConvertEmpty(t *testing.T) {
	in := write(t, "in.csv", "task,submit_s,work_s\n")
	for _, ext := range extensions() {
		out := filepath.Join(t.TempDir(), "out"+ext)
		r := convert(t, in, out, ConvertOptions{})
		if r.In != 0 || r.Out != 0 || len(r.Notes) > 0 {
			t.Errorf("got %+v", r)
		}
		diff(t, ext, len(readFile(t, out)), 0)
	}
}

// Parquet has the types that its readers want, and units in its fields' metadata.
func TestParquetFields(t *testing.T) {
	in := write(t, "in.csv", "task,submit_s,slots,work_s,portable,checkpoint_s,input_bytes\na,0,2,1.5,true,auto,1;2\nb,1,,,,60,3\n")
	out := filepath.Join(t.TempDir(), "out.parquet")
	convert(t, in, out, ConvertOptions{})
	pq, err := file.OpenParquetFile(out, false)
	if err != nil {
		t.Fatal(err)
	}
	defer pq.Close()
	raw, err := base64.StdEncoding.DecodeString(*pq.MetaData().KeyValueMetadata().FindValue("ARROW:schema"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	s := r.Schema()
	var got []string
	for _, f := range s.Fields() {
		u, _ := f.Metadata.GetValue("unit")
		got = append(got, fmt.Sprintf("%s %s %s null:%v", f.Name, f.Type, u, f.Nullable))
	}
	diff(t, "fields", got, []string{
		"task utf8  null:false", "submit_s float64 s null:false", "slots int32 slots null:true", "work_s float64 s null:true",
		"input_bytes utf8 bytes null:true", "checkpoint_s utf8 s null:true", "portable bool  null:true",
	})
}

// Broken rows stop the conversion, all of them told, or are counted; whatever
// goes wrong, what stood there stays and nothing else is left.
func TestConvertBroken(t *testing.T) {
	broken := "task,submit_s,slots,portable,input_bytes\na,0,1,true,1\nb,x,1,true,1\n,,1,true,1\nc,1,1.5,yes,1;x\nd,1\ne,2,,,\n"
	in := write(t, "in.csv", broken)
	for _, ext := range extensions() {
		dir := t.TempDir()
		out := filepath.Join(dir, "out"+ext)
		if err := os.WriteFile(out, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Convert(context.Background(), in, out, ConvertOptions{})
		list, _ := fault.Of(err)
		var got []string
		for _, f := range list {
			got = append(got, fmt.Sprintf("%d %s", f.Line, f.Field))
		}
		diff(t, "faults", got, []string{"3 column submit_s", "4 column task", "4 column submit_s",
			"5 column slots", "5 column input_bytes", "5 column portable", "6 "})
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Convert(ctx, in, out, ConvertOptions{SkipBadRows: true}); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled: got %v", err)
		}
		if old, _ := os.ReadFile(out); string(old) != "old" {
			t.Errorf("%s: what stood there is gone", ext)
		}
		onlyFile(t, dir, out)
		r := convert(t, in, out, ConvertOptions{SkipBadRows: true})
		diff(t, "dropped", r.Dropped, []Reason{{"broken", 4}})
		diff(t, "rows", readFile(t, out), []string{" task=a submit_s=0 slots=1 input_bytes=1 portable=true", " task=e submit_s=2"})
		onlyFile(t, dir, out)
	}
	r := convert(t, write(t, "a.swf", "1"+swfLine+"x"+swfLine+"2 0 5 -1 4 -1 -1 8 20 -1 1 7 3 -1 -1 -1 -1 -1\n"),
		filepath.Join(t.TempDir(), "out.csv"), ConvertOptions{SkipBadRows: true})
	diff(t, "dropped", r.Dropped, []Reason{{"run time not known", 1}, {"broken", 1}})
	diff(t, "in", []int64{r.In, r.Out}, []int64{3, 1})
}

func onlyFile(t testing.TB, dir, name string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || filepath.Join(dir, list[0].Name()) != name {
		t.Errorf("got %v, %v, want only %s", list, err, name)
	}
}

// What is wrong with names of files.
func TestConvertNames(t *testing.T) {
	in := write(t, "in.csv", "task,submit_s\na,0\n")
	dir := filepath.Dir(in)
	for _, c := range []struct{ in, out, format, want string }{
		{in, "out.txt", "", `out.txt: got the ending ".txt", want one of .csv, .csv.gz, .csv.zst, .parquet; end the name in one of them`},
		{dir + "/none.csv", "out.csv", "", dir + "/none.csv: no such file; write the name of a trace, relative to the file that names it"},
		{in, dir + "/none/out.csv", "", dir + `/none/out.csv: no folder "` + dir + `/none" to write it into; make it`},
		{in, "out.csv", "cvs", in + `: got format "cvs", want one of csv, parquet, swf, swim, philly`},
		{in, "out.csv", "swf", in + ":1: got 1 fields, want the 18 of the Standard Workload Format; write -1 for what is not known\n" +
			in + ":2: got 1 fields, want the 18 of the Standard Workload Format; write -1 for what is not known"},
	} {
		_, err := Convert(context.Background(), c.in, c.out, ConvertOptions{Format: c.format})
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
		if _, ok := fault.Of(err); !ok {
			t.Errorf("%v is no fault", err)
		}
	}
	folder := filepath.Join(dir, "folder.csv")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Convert(context.Background(), in, folder, ConvertOptions{}); err == nil || err.Error() != folder+": is a folder, want the name of a file; write one" {
		t.Errorf("got %v", err)
	}
}

// A text of several lines fits into Parquet and not into CSV.
func TestConvertLineBreak(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	g := &gathering{}
	g.present[ColTask], g.present[ColSubmitS] = 1, 1
	var f bytes.Buffer
	w, err := newRowWriter(&f, ".parquet", g)
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Line: 1, Cells: [NumColumns]Cell{ColTask: textCell("a\nb"), ColSubmitS: numberCell(0)}}
	if err := errors.Join(w.write(&row), w.finish()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, f.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	_, err = Convert(context.Background(), in, out, ConvertOptions{})
	want := in + `: row 1, column task: got "a\nb", which CSV cannot hold on one line; remove the line break, or write .parquet`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	convert(t, in, strings.TrimSuffix(out, ".csv")+".parquet", ConvertOptions{})
}

// A window and a share of a trace; what kept tasks come after is kept with them.
func TestSample(t *testing.T) {
	in := write(t, "in.csv", "task,submit_s,after,kind\na,0,,x\nb,10,a,\nc,20,,\nd,30,b;nobody,\ne,40,,\n")
	sample := func(o SampleOptions) ([]string, Report) {
		out := filepath.Join(t.TempDir(), "out.csv")
		r, err := Sample(context.Background(), in, out, o)
		if err != nil {
			t.Fatal(err)
		}
		checkSum(t, &r)
		return readFile(t, out), r
	}
	got, r := sample(SampleOptions{From: 20, Length: 20, HasLength: true})
	diff(t, "window", got, []string{" task=a submit_s=0 kind=x", " task=b submit_s=10 after=a", " task=c submit_s=20", " task=d submit_s=30 after=b;nobody"})
	diff(t, "dropped", r.Dropped, []Reason{{"outside the window", 1}})
	diff(t, "notes", r.Notes[0], "2 of them are kept because others come after them")
	got, r = sample(SampleOptions{From: 40})
	diff(t, "end", got, []string{" task=e submit_s=40"})
	diff(t, "columns", r.Columns, []Column{ColTask, ColSubmitS})
	got, _ = sample(SampleOptions{})
	diff(t, "all", len(got), 5)
	got, r = sample(SampleOptions{From: 50})
	diff(t, "nothing", len(got), 0)
	diff(t, "dropped", r.Dropped, []Reason{{"outside the window", 5}})
}

// A larger share holds a smaller one, another seed draws others, and the number
// drawn is binomial: of 4000 at a half, within 4 standard deviations of √1000.
func TestSampleShare(t *testing.T) {
	in := write(t, "in.csv", manyRows(4000))
	draw := func(share float64, seed uint64) map[string]bool {
		out := filepath.Join(t.TempDir(), "out.csv")
		r, err := Sample(context.Background(), in, out, SampleOptions{Share: share, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		checkSum(t, &r)
		kept := map[string]bool{}
		for _, row := range readFile(t, out) {
			kept[row] = true
		}
		return kept
	}
	half, more, other := draw(0.5, 1), draw(0.75, 1), draw(0.5, 2)
	if n := len(half); n < 2000-127 || n > 2000+127 {
		t.Errorf("got %d of 4000 at a half", n)
	}
	both := 0
	for row := range half {
		if !more[row] {
			t.Fatalf("%s is drawn at 0.5 and not at 0.75", row)
		}
		if other[row] {
			both++
		}
	}
	if both < 1000-110 || both > 1000+110 { // binomial: √750 is 27.4
		t.Errorf("%d tasks are drawn under both seeds, want about 1000", both)
	}
}

func TestSampleOptions(t *testing.T) {
	_, err := Sample(context.Background(), "in.csv", "out.csv", SampleOptions{Share: 1.5, From: -1, HasLength: true})
	want := "in.csv: share: got 1.5, want a share above 0 and up to 1; write 0.1 for a tenth\n" +
		"in.csv: from: got -1s, want a time of at least 0; write 0s for the trace's start\n" +
		"in.csv: length: got 0s, want a time above 0; leave it out to keep all"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// From counts from the first task where submit_s counts from 1970.
func TestSampleEpoch(t *testing.T) {
	in := write(t, "in.csv", "task,submit_s\nb,1500000010\na,1500000000\nc,1500000020\n")
	out := filepath.Join(t.TempDir(), "out.csv")
	if _, err := Sample(context.Background(), in, out, SampleOptions{From: 10, Length: 10, HasLength: true}); err != nil {
		t.Fatal(err)
	}
	diff(t, "rows", readFile(t, out), []string{" task=b submit_s=1500000010"})
}

// What a small trace holds, by hand.
func TestStat(t *testing.T) {
	in := write(t, "in.csv", `task,submit_s,class,group,slots,work_s,dataset,input_bytes,output_bytes,x
a,0,batch,g,2,3600,d;e,100;50,10,
b,3600,,g,,7200,d,200,,
c,3700,science,h,4,,,,30,
d,90000,batch,,1,0,e,50,,
`)
	s, err := Stat(context.Background(), in, StatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.File, s.Missing = "in.csv", nil
	per := make([]int64, 2)
	per[0], per[1] = 3, 1
	want := &Stats{
		File: "in.csv", Format: "csv", Rows: 4, Tasks: 4, FirstS: 0, LastS: 90000, SpanS: 90000,
		// 90000 s are 25 h: 4/25 an hour; b and c share hour 1, with d of the next day.
		Arrivals: Arrivals{PerDay: per, HourOfDay: [24]int64{0: 1, 1: 3}, MeanPerHour: 0.16, BusiestHour: 1, MaxPerHour: 2},
		Classes:  []Part{{"batch", 3, 4}, {"science", 1, 0}}, // 2 slots for 1 h, one for 2 h
		Kinds:    []Part{{"any", 4, 4}},
		Groups:   []Part{{"g", 2, 4}, {"h", 1, 0}, {"none", 1, 0}}, GroupCount: 3,
		// Type 7: the median of 1, 1, 2, 4 is 1.5; the 0.9-quantile is at 2.7.
		Slots:     Distribution{N: 4, Sum: 8, Mean: 2, Min: 1, P50: 1.5, P90: 2 + 0.7*2, P99: 2 + 0.97*2, Max: 4},
		WorkS:     Distribution{N: 3, Sum: 10800, Mean: 3600, Min: 0, P50: 3600, P90: 6480, P99: 7128, Max: 7200},
		SlotHours: 4,
		// A task reads the sum of its volumes: 150, 200, 50.
		InputBytes:  Distribution{N: 3, Sum: 400, Mean: 400. / 3, Min: 50, P50: 150, P90: 190, P99: 199, Max: 200},
		OutputBytes: Distribution{N: 2, Sum: 40, Mean: 20, Min: 10, P50: 20, P90: 28, P99: 29.8, Max: 30},
		Datasets: Datasets{Count: 2, Reads: 4, Again: 2, Reused: 2, Varying: 1, Bytes: 250, ReadBytes: 400,
			MostRead: &Set{"d", 2, 200}, Largest: &Set{"d", 2, 200}},
		Present: []ColumnUse{{"task", 4}, {"submit_s", 4}, {"class", 3}, {"group", 3}, {"slots", 3}, {"work_s", 3},
			{"dataset", 3}, {"input_bytes", 3}, {"output_bytes", 2}},
		Notes: []string{"not in the schema, passed over: x"},
	}
	// Quantiles are interpolated: a few last places.
	if d := cmp.Diff(want, s, cmpopts.EquateApprox(1e-14, 0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	var text strings.Builder
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"in.csv (csv): 4 tasks\n", "submitted  0 to 90000 s, a span of 1.04d\n", "arrivals   0.16 an hour, at most 2 (hour 1)\n",
		"by day     █▁  2 days, at most 3 a day\n", "science  1      25 %", "data sets  2, 250B; 4 reads of 400B\n",
		"re-use     2 sets are read more than once, 1 of them with different bytes; 50 % of the reads find a set that was read before\n",
		"columns    task submit_s class (75 %) group (75 %)",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	j, err := json.Marshal(s)
	if err != nil || !bytes.Contains(j, []byte(`"work_s":{"n":3,"sum":10800,`)) {
		t.Errorf("got %s, %v", j, err)
	}
}

// Nothing, everything at once, and one task far off.
func TestStatEdges(t *testing.T) {
	for _, text := range []string{"", "a,0\n", "a,0\nb,0\n", "a,0\nb,1e300\n", "a,1500000000\nb,1500090000\n"} {
		s, err := Stat(context.Background(), write(t, "in.csv", "task,submit_s\n"+text), StatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := s.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		sum := int64(0)
		for _, n := range s.Arrivals.HourOfDay {
			sum += n
		}
		if sum != s.Tasks {
			t.Errorf("%q: %d tasks by hour of %d", text, sum, s.Tasks)
		}
	}
}

// A file is not written over what it is made from.
func TestNotOverItself(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.csv")
	const text = "task,submit_s,work_s\na,0,1\n"
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for what, write := range map[string]func() error{
		"convert": func() error { _, err := Convert(t.Context(), in, in, ConvertOptions{}); return err },
		"sample":  func() error { _, err := Sample(t.Context(), in, in, SampleOptions{Share: 0.5}); return err },
	} {
		if err := write(); err == nil || !strings.HasSuffix(err.Error(), "is the input, which would be lost; write another name") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if b, err := os.ReadFile(in); err != nil || string(b) != text {
		t.Errorf("%q, %v", b, err)
	}
}
