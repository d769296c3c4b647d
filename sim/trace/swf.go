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
)

// An swfReader reads the Standard Workload Format, version 2.2, of the Parallel
// Workloads Archive.
//
// Source: Chapin et al., Benchmarks and Standards for the Evaluation of Parallel
// Job Schedulers, JSSPP 1999; www.cs.huji.ac.il/labs/parallel/workload/swf.html.
//
// # Columns
//
// A line has 18 numbers, parted by white space; times are seconds, and -1, or
// any other negative number, is what is not known. They become:
//
//	 1 job number            task
//	 2 submit time           submit_s, as it stands: seconds since the log's start
//	 3 wait time             recorded_wait_s
//	 4 run time              work_s
//	 8 requested processors  slots; where not known,
//	 5 allocated processors  slots
//	 9 requested time        estimate_s, where above 0
//	12 user                  group, as user7; where not known,
//	13 group                 group, as group7
//
// The class is batch. User before group, since the jobs of a user resemble each
// other most (Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6), 2007), which is
// what the task archive builds on. What the other columns say is not read: CPU
// time, memory, status but for what follows, executable, queue, partition,
// preceding job and think time.
//
// # Quirks
//
//   - Lines that begin with ";" are comments; "; UnixStartTime: n" dates the
//     log's start, which is told as a note.
//   - The order of lines need not be the order of submission (logs that simulators
//     write are in the order of completion): jobs come by (submit time, job
//     number). The file is read whole for that, 72 bytes a job.
//   - A job that was checkpointed or swapped out has a line that sums it up, and
//     lines of status 2 to 4 for its parts, which are left out.
//   - Jobs without a run time, processors or submit time cannot be replayed and
//     are left out; so are those of status 5, cancelled, that ran for no time. A
//     job that ran for 0 s and was not cancelled stays.
//   - Numbers need not be whole (average CPU times).
type swfReader struct {
	lines   csvReader // for its lines and faults
	numbers [swfColumns]float64
	jobs    []swfJob
	moved   int // lines that were submitted before the one above
	at      int // the next of jobs
	loaded  bool
	dropped reasons
	notes   []string
}

const swfColumns = 18

// The columns that are read, from 0.
const (
	swfNumber    = 0
	swfSubmit    = 1
	swfWait      = 2
	swfRun       = 3
	swfAllocated = 4
	swfRequested = 7
	swfEstimate  = 8
	swfStatus    = 10
	swfUser      = 11
	swfGroup     = 12
)

// What the archive's definition calls the columns.
func swfName(i int) string {
	return [swfColumns]string{
		"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
		"requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue",
		"partition", "preceding job", "think time"}[i]
}

// An swfJob is what is kept of a line. Negative numbers are not known, as there.
type swfJob struct {
	number, line                int64
	submit, wait, run, estimate float64
	user, group                 int64
	slots                       int32
}

// isSWF reports whether a text is in the Standard Workload Format: comments that
// begin with ";", if any, and then lines of 18 numbers.
func isSWF(head []byte) bool {
	comments := false
	for line := range bytes.Lines(head) {
		fields := bytes.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0][0] == ';':
			comments = true
		default:
			cut := line[len(line)-1] != '\n'
			if len(fields) != swfColumns && !(cut && comments && len(fields) < swfColumns) {
				return false
			}
			_, ok := parseNumber(string(fields[0]))
			return ok
		}
	}
	return comments
}

func newSWF(file string, br *bufio.Reader) (RowReader, error) {
	return &swfReader{lines: csvReader{file: file, br: br}}, nil
}

// Read returns the faults of all broken lines before the first job.
func (s *swfReader) Read(row *Row) error {
	if !s.loaded {
		if err := s.load(); err != nil {
			return err
		}
	}
	if s.at == len(s.jobs) {
		return io.EOF
	}
	j := &s.jobs[s.at]
	s.at++
	row.Line = j.line
	row.Cells = [NumColumns]Cell{
		ColTask:    textCell(strconv.FormatInt(j.number, 10)),
		ColSubmitS: numberCell(j.submit),
		ColClass:   textCell("batch"),
		ColSlots:   numberCell(float64(j.slots)),
		ColWorkS:   numberCell(j.run),
	}
	switch {
	case j.user >= 0:
		row.Cells[ColGroup] = textCell("user" + strconv.FormatInt(j.user, 10))
	case j.group >= 0:
		row.Cells[ColGroup] = textCell("group" + strconv.FormatInt(j.group, 10))
	}
	if j.estimate > 0 {
		row.Cells[ColEstimateS] = numberCell(j.estimate)
	}
	if j.wait >= 0 {
		row.Cells[ColRecordedWaitS] = numberCell(j.wait)
	}
	return nil
}

// load reads the file up to its end, or to the next broken line.
func (s *swfReader) load() error {
	for {
		line, err := s.lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if line = strings.TrimLeft(line, " \t"); line[0] == ';' {
			s.header(line[1:])
			continue
		}
		if err := s.job(line); err != nil {
			return err
		}
	}
	if s.moved > 0 {
		s.notes = append(s.notes, resorted(s.moved))
	}
	slices.SortFunc(s.jobs, func(a, b swfJob) int {
		return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.number, b.number), cmp.Compare(a.line, b.line))
	})
	s.loaded = true
	return nil
}

// header reads what a comment says of the log's start.
func (s *swfReader) header(comment string) {
	key, value, ok := strings.Cut(comment, ":")
	if !ok || !strings.EqualFold(strings.TrimSpace(key), "UnixStartTime") {
		return
	}
	v, ok := parseNumber(value)
	if !ok || v <= 0 || v >= millisFrom {
		return // it moves nothing
	}
	s.notes = append(s.notes, fmt.Sprintf("submit_s 0 is %s (UnixStartTime in its header)", time.Unix(int64(v), 0).UTC().Format(time.RFC3339)))
}

// job takes the job of a line.
func (s *swfReader) job(line string) error {
	fields := strings.Fields(line)
	if len(fields) != swfColumns {
		return s.lines.fault("", fmt.Sprintf("got %d fields, want the %d of the Standard Workload Format; write -1 for what is not known",
			len(fields), swfColumns))
	}
	n := &s.numbers
	for i, f := range fields {
		v, ok := parseNumber(f)
		if !ok {
			return s.fault(i, fmt.Sprintf("got %q, want a number; write -1 if it is not known", clip(f)))
		}
		n[i] = v
	}
	if err := s.wholes(fields); err != nil {
		return err
	}
	if why := s.unfit(); why != "" {
		s.dropped.add(why, 1)
		return nil
	}
	if k := len(s.jobs); k > 0 && n[swfSubmit] < s.jobs[k-1].submit {
		s.moved++
	}
	s.jobs = append(s.jobs, swfJob{
		number: int64(n[swfNumber]), line: s.lines.line,
		submit: n[swfSubmit], wait: n[swfWait], run: n[swfRun], estimate: n[swfEstimate],
		user: int64(n[swfUser]), group: int64(n[swfGroup]), slots: int32(s.slots()),
	})
	return nil
}

// wholes checks the numbers that must be whole, of those that are read.
func (s *swfReader) wholes(fields []string) error {
	if s.numbers[swfNumber] < 0 {
		return s.fault(swfNumber, fmt.Sprintf("got %s, want the number of the job; write one that no other job has", fields[swfNumber]))
	}
	for _, i := range []int{swfNumber, swfAllocated, swfRequested, swfStatus, swfUser, swfGroup} {
		most := float64(math.MaxInt32)
		if i == swfNumber {
			most = 1 << 53 // up to where every whole number is a float64
		}
		if v := s.numbers[i]; v != math.Trunc(v) || v > most {
			return s.fault(i, fmt.Sprintf("got %s, want a whole number of at most %.0f; write -1 if it is not known", fields[i], most))
		}
	}
	return nil
}

// slots is how many processors the job has; not above 0 where that is not known.
func (s *swfReader) slots() float64 {
	if v := s.numbers[swfRequested]; v > 0 {
		return v
	}
	return s.numbers[swfAllocated]
}

// unfit says why a job cannot be replayed; "" where it can.
func (s *swfReader) unfit() string {
	status, run := s.numbers[swfStatus], s.numbers[swfRun]
	switch {
	case status >= 2 && status <= 4:
		return "parts of jobs (status 2 to 4), which lines of their own sum up"
	case status == 5 && run <= 0:
		return "cancelled before they ran (status 5)"
	case s.numbers[swfSubmit] < 0:
		return "submit time not known"
	case run < 0:
		return "run time not known"
	case s.slots() <= 0:
		return "processors not known"
	}
	return ""
}

// fault is a fault of a column, from 0, of the line at hand.
func (s *swfReader) fault(column int, message string) error {
	return s.lines.fault(fmt.Sprintf("column %d, %s", column+1, swfName(column)), message)
}

// Columns returns what the format can say; a file may say less.
func (s *swfReader) Columns() []Column {
	return []Column{ColTask, ColSubmitS, ColClass, ColGroup, ColSlots, ColWorkS, ColEstimateS, ColRecordedWaitS}
}

func (s *swfReader) Unknown() []string { return nil }
func (s *swfReader) Close() error      { return nil }
func (s *swfReader) Notes() []string   { return s.notes }
func (s *swfReader) Dropped() []Reason { return s.dropped }
