package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"tiersim/sim/fault"
	"tiersim/sim/task"
)

// A preparation turns sources into a Trace.
type preparation struct {
	Options
	ctx     context.Context
	report  report
	builder builder
	filler  *filler
	spool   *spool
	trace   *Trace
	name    []byte

	// seen are the hashes of names that rows have and the spool has not: outside
	// the window, left out by a load, broken. It is filled where `after` may ask.
	seen     chunks[uint64]
	keepSeen bool
	inUse    [NumColumns]bool // columns with values that nothing uses yet
	reads    [NumColumns]bool // columns that fill rules, or carrying, read
	prefix   string
	inRows   []bool // by source: places are rows, not lines
}

// Prepare reads all sources once, checks and fills every row of the part that is
// replayed, and spools its tasks in the order of submission, those of one instant
// by source and row. The error is a fault.List where the input is at fault.
func Prepare(o Options) (*Trace, error) { return PrepareContext(context.Background(), o) }

// PrepareContext is Prepare that ends early, with the context's error, when the
// context does.
func PrepareContext(ctx context.Context, o Options) (*Trace, error) {
	filler, faults := newFiller(o.Fill, o.Streams)
	if err := faults.Err(); err != nil {
		return nil, err
	}
	sp, err := newSpool(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("making room for the trace: %w", err)
	}
	p := &preparation{Options: o, ctx: ctx, filler: filler, spool: sp, trace: &Trace{}, inRows: make([]bool, len(o.Sources))}
	p.builder = builder{
		places: newPlaces(o.Topology), catalog: newCatalog(), report: &p.report,
		skipBad: o.SkipBadRows, filler: filler,
	}
	_, p.reads = filler.columns()
	p.reads[ColRecordedWaitS] = p.reads[ColRecordedWaitS] || o.carries()
	for i := range o.Sources {
		if err := p.source(i); err != nil {
			sp.close()
			return nil, err
		}
	}
	if err := p.finish(); err != nil {
		p.spool.close()
		return nil, err
	}
	return p.trace, nil
}

// A window is the part of a source that is replayed, in the file's time.
type window struct {
	*Source
	index int
	rows  RowReader
	// clock says whether submit_s counts from 1970, and origin is the submission
	// that counts as the trace's start.
	clock     clock
	origin    float64
	firstLine int64
	last      float64
	unsorted  int64
	bad       int // rows that were broken
	read      int // rows
	kept      int // rows that are replayed
}

// A clock is what submit_s counts from.
type clock uint8

const (
	unknownClock clock = iota
	relativeClock
	epochClock
)

const (
	// epochFrom is the number of seconds from which submit_s is taken to count
	// from 1970. Chosen: November 1985, before every public log of jobs; a trace
	// of 15 years in one file is less likely than a date.
	epochFrom = 5e8
	// millisFrom is the number from which it cannot be seconds. Chosen: the year
	// 5138 in seconds, 1973 in milliseconds.
	millisFrom = 1e11
)

// source reads one source.
func (p *preparation) source(i int) error {
	s := &p.Sources[i]
	if f := s.load(); !(f > 0) || f > MaxLoad {
		p.report.add(i, 0, fault.Fault{File: s.File, Field: "load", Message: fmt.Sprintf("got %v, want a factor above 0 and up to %d", f, MaxLoad)})
		return nil
	}
	rows, err := openSource(s)
	if err != nil {
		if p.report.addError(i, 0, err) {
			return nil
		}
		return err
	}
	defer rows.Close()
	w := &window{Source: s, index: i, rows: rows}
	p.begin(w)
	var row Row
	for n := 0; ; n++ {
		if n&0xfff == 0 {
			if err := p.ctx.Err(); err != nil {
				return err
			}
		}
		err := rows.Read(&row)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = p.row(w, &row)
		} else if _, ok := fault.Of(err); !ok {
			err = &brokenOff{unreadable(w.File, 0, err)}
		}
		if stop, err := p.broken(w, row.Line, err); stop || err != nil {
			if err != nil {
				return err
			}
			break
		}
	}
	p.end(w)
	return nil
}

// MaxLoad bounds how often a task is repeated. Chosen: beyond what makes any
// topology overloaded.
const MaxLoad = 1000

// broken handles what went wrong with a row: stop is true where nothing more can
// be read. An error that is no fault of the input comes back.
func (p *preparation) broken(w *window, line int64, err error) (stop bool, _ error) {
	if err == nil {
		return false, nil
	}
	var off *brokenOff
	if errors.As(err, &off) {
		p.report.add(w.index, int64(off.fault.Line), off.fault)
		return true, nil
	}
	list, ok := fault.Of(err)
	switch {
	case !ok:
		return true, err
	case p.SkipBadRows:
		w.bad++
	default:
		for _, f := range list {
			if f.Line > 0 {
				line = int64(f.Line)
			}
			p.report.add(w.index, line, f)
		}
	}
	return false, nil
}

// openSource opens a source's rows.
func openSource(s *Source) (RowReader, error) {
	r, err := s.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Fault{File: s.File, Message: "no such file; write the name of a trace, relative to the file that names it"}
	}
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fault.Fault{File: s.File, Message: fmt.Sprintf("cannot be opened: %v", err)}
	}
	return OpenRows(s.File, r, s.Format)
}

// begin makes the builder ready for a source.
func (p *preparation) begin(w *window) {
	b := &p.builder
	b.file, b.source, b.workless = w.File, w.index, 0
	inner := w.rows
	for {
		c, ok := inner.(*closing)
		if !ok {
			break
		}
		inner = c.RowReader
	}
	_, b.rows = inner.(*parquetReader)
	p.inRows[w.index] = b.rows
	p.prefix = ""
	if w.As != "" {
		p.prefix = w.As + "/"
	}
	p.keepSeen = false
	sets, _ := p.filler.columns()
	for _, c := range w.rows.Columns() {
		p.keepSeen = p.keepSeen || c == ColAfter
	}
	p.keepSeen = p.keepSeen || sets[ColAfter]
	if u := w.rows.Unknown(); len(u) > 0 {
		p.note("%s: not in the schema, passed over: %s", w.File, strings.Join(u, ", "))
	}
}

// end tells what was done to a source.
func (p *preparation) end(w *window) {
	if w.clock == epochClock {
		first := time.Unix(int64(w.origin), 0).UTC()
		p.note("%s: submit_s counts from 1970; the trace's start is its first task, %s", w.File, first.Format("2006-01-02 15:04:05 MST"))
	}
	for _, n := range readerNotes(w.rows) {
		p.note("%s: %s", w.File, n)
	}
	if w.unsorted > 0 {
		p.note("%s: rows out of the order of submit_s: %d; they are sorted in", w.File, w.unsorted)
	}
	if n := p.builder.workless; n > 0 {
		p.note("%s: rows without work_s: %d; a scenario's fill must give it", w.File, n)
	}
	if w.read > w.bad && w.kept == 0 {
		p.note("%s: none of its %d rows is in the replayed part (from, length)", w.File, w.read)
	}
	if w.bad > 0 {
		p.note("%s: broken rows left out: %d", w.File, w.bad)
		p.trace.Skipped += w.bad
	}
	starts := w.Starts
	if starts.IsZero() && w.clock == epochClock {
		starts = time.Unix(0, int64(w.origin*1e9)).UTC()
	}
	if !starts.IsZero() && p.trace.Begins.IsZero() {
		p.trace.Begins = starts.Add(time.Duration(float64(w.From) * 1e9))
	}
}

func (p *preparation) note(format string, args ...any) {
	p.trace.Notes = append(p.trace.Notes, fmt.Sprintf(format, args...))
}

// row takes one row: out of the window, broken, or to the spool.
func (p *preparation) row(w *window, row *Row) error {
	w.read++
	b := &p.builder
	b.row, b.bad = row, false
	p.filler.reset()
	name := p.prefix + row.Cells[ColTask].String()
	p.name = append(p.name[:0], name...)
	at, ok, err := p.submitted(w, row, name)
	if err != nil || !ok {
		return p.leave(w, !ok, err)
	}
	if w.HasLength && at >= float64(w.Length) || at < 0 && !w.Carry {
		return p.leave(w, false, nil)
	}
	if row.Cells[ColTask].Kind == Absent {
		b.fault(ColTask, "is empty; give each task a name of its own")
	}
	bad := b.bad
	p.filler.fill(row, w.As, name)
	if !b.build(row) || bad {
		return p.leave(w, true, nil)
	}
	t := &b.task
	t.Name = append(t.Name[:0], name...)
	if w.LoadBy == ByTime {
		at /= w.load()
	}
	t.Submit = unitTime(at)
	if at < 0 && !b.carry() {
		return p.leave(w, false, nil)
	}
	return p.keep(w, row, name)
}

// leave notes the name of a row that is not spooled.
func (p *preparation) leave(w *window, bad bool, err error) error {
	if p.keepSeen {
		p.seen.add(hashName(p.name))
	}
	if bad && p.SkipBadRows {
		w.bad++
	}
	return err
}

// keep spools a task, and its copies.
func (p *preparation) keep(w *window, row *Row, name string) error {
	b := &p.builder
	n := p.times(w, name)
	if n == 0 {
		return p.leave(w, false, nil)
	}
	w.kept++
	b.enter()
	p.uses(&b.task)
	p.trace.Longest = max(p.trace.Longest, b.task.Work)
	for i, a := range b.after {
		b.after[i] = p.prefix + a
	}
	o := origin{source: uint16(w.index), line: row.Line}
	for k := range n {
		if k > 0 {
			o.copy = uint16(k)
			b.task.Name = fmt.Appendf(b.task.Name[:0], "%s#%d", name, k+1)
		}
		if err := p.spool.add(&b.task, o, b.after); err != nil {
			return fmt.Errorf("writing the spool: %w", err)
		}
		p.count(b.task.Submit, b.task.Carried)
	}
	return nil
}

// times returns how often a task is replayed: the whole part of the load, and
// once more with the chance that the rest makes. Copies are submitted together.
func (p *preparation) times(w *window, name string) int {
	f := w.load()
	if w.LoadBy == ByTime || f == 1 {
		return 1
	}
	n := int(f)
	if rest := f - float64(n); rest > 0 && p.Streams.U01("load", name) < rest {
		n++
	}
	return n
}

// carry makes the task at hand, of before the window, one that runs when the
// window begins; false where it would not.
func (b *builder) carry() bool {
	t := &b.task
	start := t.Submit.Add(t.RecordedWait)
	end := start.Add(t.Work)
	if t.Class == task.Transfer || start > 0 || end <= 0 {
		return false
	}
	if t.Present(task.Estimate) {
		t.Estimate = max(0, t.Estimate+unitSeconds(start))
	}
	t.Submit, t.Work, t.Carried = 0, unitSeconds(end), true
	b.after = b.after[:0]
	return true
}
