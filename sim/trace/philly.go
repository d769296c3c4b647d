package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tiersim/sim/fault"
)

// A phillyReader reads the GPU training jobs of Microsoft's Philly clusters in
// the form that the OSDI 2021 artifact of Pollux gives them.
//
// Source: Jeon et al., Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN
// Training Workloads, USENIX ATC 2019 (github.com/msr-fiddle/philly-traces); Qiao
// et al., Pollux, OSDI 2021 (github.com/petuum/adaptdl).
//
// # Columns
//
// CSV with a header, whose columns may stand in any order. They become:
//
//	timestamp  submit_s: seconds since the first job, which a note dates
//	duration   work_s, in seconds
//	num_gpus   slots
//	gpu_time   -: duration times num_gpus
//	cluster    group
//
// The class is training-parallel. The kind of GPU is not told: a scenario fills
// it. Jobs have no names; they become job1, job2, … in the order of submission.
//
// # Quirks
//
//   - Lines are not in the order of submission: jobs come by (timestamp, line).
//     The file is read whole for that, 40 bytes a job.
//   - Timestamps are local times without a zone. Where a clock is set back in
//     autumn (2017-11-05 in these data), what follows is an hour too early.
//   - Jobs without a duration or GPUs cannot be replayed and are left out. One of
//     0 s stays.
type phillyReader struct {
	lines   csvReader // for its lines and faults
	places  [phillyColumns]int
	width   int // fields of the header
	unknown []string
	fields  []string
	jobs    []phillyJob
	groups  []string
	groupOf map[string]int32
	moved   int // lines that were submitted before the one above
	at      int // the next of jobs
	loaded  bool
	dropped reasons
}

// The columns that are read.
const (
	phillyTime = iota
	phillyRun
	phillyGPUs
	phillyGroup
	phillyGPUTime
	phillyColumns
)

// phillyHeader is the header, as the artifact has it.
const phillyHeader = "timestamp,duration,num_gpus,gpu_time,cluster"

func phillyName(i int) string {
	return [phillyColumns]string{"timestamp", "duration", "num_gpus", "cluster", "gpu_time"}[i]
}

// A phillyJob is what is kept of a line.
type phillyJob struct {
	at    time.Duration // since 1970, in the clusters' own time
	line  int64
	run   float64
	gpus  int32
	group int32 // of groups
}

// isPhilly reports whether a text's first line names the columns that are needed.
func isPhilly(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	_, _, missing, err := phillyPlaces(strings.TrimRight(string(line), "\r\n"))
	return err == nil && missing == ""
}

// phillyPlaces finds the columns in a header.
func phillyPlaces(header string) (places [phillyColumns]int, fields []string, missing string, err error) {
	if fields, err = splitCSV(nil, header); err != nil {
		return places, fields, "", err
	}
	for i := range places {
		places[i] = slices.Index(fields, phillyName(i))
		if places[i] < 0 && i != phillyGPUTime && missing == "" {
			missing = phillyName(i)
		}
	}
	return places, fields, missing, nil
}

func newPhilly(file string, br *bufio.Reader) (RowReader, error) {
	p := &phillyReader{lines: csvReader{file: file, br: br}, groupOf: map[string]int32{}}
	header, err := p.lines.next()
	if err == io.EOF {
		return nil, fault.Fault{File: file, Message: "is empty, want a header line; write " + phillyHeader}
	}
	if err != nil {
		return nil, err
	}
	places, fields, missing, err := phillyPlaces(header)
	if err != nil {
		return nil, p.lines.fault("", err.Error())
	}
	if missing != "" {
		return nil, p.lines.fault("", fmt.Sprintf("no column %s in the header %q; write %s", missing, clip(header), phillyHeader))
	}
	p.places, p.width = places, len(fields)
	for i, name := range fields {
		if !slices.Contains(places[:], i) {
			p.unknown = append(p.unknown, strings.Clone(name))
		}
	}
	return p, nil
}

// Read returns the faults of all broken lines before the first job.
func (p *phillyReader) Read(row *Row) error {
	if !p.loaded {
		if err := p.load(); err != nil {
			return err
		}
	}
	if p.at == len(p.jobs) {
		return io.EOF
	}
	j := &p.jobs[p.at]
	p.at++
	row.Line = j.line
	row.Cells = [NumColumns]Cell{
		ColTask:    textCell("job" + strconv.Itoa(p.at)),
		ColSubmitS: numberCell((j.at - p.jobs[0].at).Seconds()),
		ColClass:   textCell("training-parallel"),
		ColGroup:   textCell(p.groups[j.group]),
		ColSlots:   numberCell(float64(j.gpus)),
		ColWorkS:   numberCell(j.run),
	}
	return nil
}

// load reads the file up to its end, or to the next broken line.
func (p *phillyReader) load() error {
	for {
		line, err := p.lines.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = p.job(line)
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(p.jobs, func(a, b phillyJob) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.line, b.line))
	})
	p.loaded = true
	return nil
}

// job takes the job of a line.
func (p *phillyReader) job(line string) error {
	if !utf8.ValidString(line) {
		return p.lines.fault("", "is not UTF-8; save the file as UTF-8")
	}
	var err error
	if p.fields, err = splitCSV(p.fields[:0], line); err != nil {
		return p.lines.fault("", err.Error())
	}
	if len(p.fields) != p.width {
		return p.lines.fault("", fmt.Sprintf("got %d fields, the header has %d; write one field per column", len(p.fields), p.width))
	}
	at, err := p.time()
	if err != nil {
		return err
	}
	run, hasRun, err := p.number(phillyRun, math.MaxFloat64)
	if err != nil {
		return err
	}
	gpus, _, err := p.number(phillyGPUs, math.MaxInt32)
	if err != nil {
		return err
	}
	if gpus != math.Trunc(gpus) {
		return p.fault(phillyGPUs, "a whole number")
	}
	switch {
	case !hasRun:
		p.dropped.add("duration not known", 1)
		return nil
	case gpus == 0:
		p.dropped.add("no GPUs", 1)
		return nil
	}
	if k := len(p.jobs); k > 0 && at < p.jobs[k-1].at {
		p.moved++
	}
	p.jobs = append(p.jobs, phillyJob{at: at, line: p.lines.line, run: run, gpus: int32(gpus), group: p.group()})
	return nil
}

// time reads the timestamp.
func (p *phillyReader) time() (time.Duration, error) {
	t, err := time.Parse(time.DateTime, p.fields[p.places[phillyTime]])
	if err != nil || t.Year() < 1970 || t.Year() > 2200 { // a Duration reaches to 2262
		return 0, p.fault(phillyTime, "a local time such as 2017-10-09 07:01:55, from 1970 to 2200")
	}
	return t.Sub(time.Unix(0, 0)), nil
}

// number reads a number; ok is false where the field is empty.
func (p *phillyReader) number(i int, most float64) (v float64, ok bool, err error) {
	s := p.fields[p.places[i]]
	if s == "" {
		return 0, false, nil
	}
	v, ok = parseNumber(s)
	if !ok || v < 0 || v > most {
		return 0, false, p.fault(i, "a number of at least 0")
	}
	return v, true, nil
}

// group returns the number of the line's group in groups.
func (p *phillyReader) group() int32 {
	name := p.fields[p.places[phillyGroup]]
	n, ok := p.groupOf[name]
	if !ok {
		n = int32(len(p.groups))
		name = strings.Clone(name)
		p.groups = append(p.groups, name)
		p.groupOf[name] = n
	}
	return n
}

func (p *phillyReader) fault(column int, want string) error {
	fix := "mend it, or remove the line"
	if column == phillyRun {
		fix = "mend it, or leave it empty if it is not known"
	}
	return p.lines.fault("column "+phillyName(column), fmt.Sprintf("got %q, want %s; %s", clip(p.fields[p.places[column]]), want, fix))
}

func (p *phillyReader) Columns() []Column {
	return []Column{ColTask, ColSubmitS, ColClass, ColGroup, ColSlots, ColWorkS}
}

func (p *phillyReader) Unknown() []string { return p.unknown }
func (p *phillyReader) Close() error      { return nil }
func (p *phillyReader) Dropped() []Reason { return p.dropped }

// Notes dates the first job.
func (p *phillyReader) Notes() []string {
	if len(p.jobs) == 0 {
		return nil
	}
	first := time.Unix(0, 0).UTC().Add(p.jobs[0].at)
	notes := []string{fmt.Sprintf("submit_s 0 is %s, local time of the clusters", first.Format(time.DateTime))}
	if p.moved > 0 {
		notes = append(notes, resorted(p.moved))
	}
	return notes
}
