// Package record writes and reads the results: the tables of every run in
// Parquet, the manifest, the list of design points and the summary.
//
// # Model
//
// A run is one replication of a design point under a policy. Its rows go into
// one Parquet file per table, a Hive partition:
//
//	<root>/<table>/point=p001/policy=three-way/replication=0007/part-0.parquet
//
// A run is written in a hidden folder beside the tables; when it is finished its
// files are renamed to where they belong, tasks last. Where a run's part of
// tasks stands, the run is whole; what stands without it is removed by
// CleanIncomplete. Several processes may write different runs under one root.
//
// Every column has one definition, in taskColumns and its like: name, type,
// unit, meaning, and how the value is taken from a row. Columns are only ever
// added at the end.
//
// # Encoding
//
// Rows are buffered column by column and encoded by the row group. What repeats
// comes as a number into Names and becomes a dictionary of the names that occur
// in the row group; all else is plain, since a dictionary of values that rarely
// repeat costs more than it saves. Absent values are nulls. Pages are compressed
// with Snappy. The same rows give the same bytes: nothing of the machine, the
// clock or the process is written.
//
// # Units
//
// A column's name carries its unit, and so does the metadata of its field, which
// names the currency of money too (readers of Arrow's schema, such as pyarrow,
// see it).
package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Options say what a Run writes, and where.
type Options struct {
	Root      string // <out>/<scenario>
	Partition Partition
	// Tables are those to write; nil means all. The part of tasks is written
	// always, without rows where it is not among them: it is what makes a run
	// whole, and holds its Result.
	Tables   []Table
	Names    *Names
	Currency string
}

// A Run takes the rows of one run. Its methods that take rows keep nothing of
// them and do not fail: the first error is told by Finish, and by Err before. It
// is not safe for concurrent use.
type Run struct {
	options Options
	held    *hold
	wanted  [NumTables]bool
	err     error
	encode  time.Duration

	tasks     *table[TaskRow]
	transfers *table[TransferRow]
	attempts  *table[AttemptRow]
	decisions *table[DecisionRow]
	links     *table[LinkRow]
	pools     *table[PoolRow]
	parts     [NumTables]*part // nil where the table is off, or closed
}

// Create begins a run. It fails where another process is writing the same run.
func Create(o Options) (*Run, error) {
	r := &Run{options: o}
	for t := range NumTables {
		r.wanted[t] = o.Tables == nil
	}
	for _, t := range o.Tables {
		r.wanted[t] = true
	}
	var err error
	if r.held, err = acquire(o.Partition.aside(o.Root)); err != nil {
		return nil, fmt.Errorf("%s of %s: %w", o.Partition, o.Root, err)
	}
	if err = r.held.empty(); err == nil {
		err = r.open()
	}
	if err != nil {
		r.Abort()
		return nil, err
	}
	return r, nil
}

func (r *Run) open() (err error) {
	if r.tasks, err = openTable(r, Tasks, taskColumns()); err != nil {
		return err
	}
	if r.transfers, err = openTable(r, Transfers, transferColumns()); err != nil {
		return err
	}
	if r.attempts, err = openTable(r, Attempts, attemptColumns()); err != nil {
		return err
	}
	if r.decisions, err = openTable(r, Decisions, decisionColumns()); err != nil {
		return err
	}
	if r.links, err = openTable(r, Links, linkColumns()); err != nil {
		return err
	}
	r.pools, err = openTable(r, Pools, poolColumns())
	return err
}

func openTable[R any](r *Run, t Table, columns []column[R]) (*table[R], error) {
	if !r.wanted[t] && t != Tasks {
		return nil, nil
	}
	meta := [][2]string{
		{"ARROW:schema", arrowSchema(definitions(columns), r.options.Currency)},
		{"tiersim.table", t.String()},
		{"tiersim.currency", r.options.Currency},
	}
	out, err := newTable(r.asidePath(t), columns, r.options.Names, meta, &r.encode)
	if err != nil {
		return nil, err
	}
	r.parts[t] = out.part
	return out, nil
}

func (r *Run) asidePath(t Table) string { return filepath.Join(r.held.dir, t.String()+".parquet") }

// Wants reports whether the rows of a table are kept. A nil Run keeps none.
func (r *Run) Wants(t Table) bool { return r != nil && r.wanted[t] }

// takes reports whether a row is buffered: after an error none is.
func (r *Run) takes(t Table) bool { return r.Wants(t) && r.err == nil }

// Task takes a row of tasks.
func (r *Run) Task(row *TaskRow) {
	if r.takes(Tasks) && r.tasks.add(row) {
		r.flush(r.tasks.part)
	}
}

// Transfer takes a row of transfers.
func (r *Run) Transfer(row *TransferRow) {
	if r.takes(Transfers) && r.transfers.add(row) {
		r.flush(r.transfers.part)
	}
}

// Attempt takes a row of attempts.
func (r *Run) Attempt(row *AttemptRow) {
	if r.takes(Attempts) && r.attempts.add(row) {
		r.flush(r.attempts.part)
	}
}

// Decision takes a row of decisions.
func (r *Run) Decision(row *DecisionRow) {
	if r.takes(Decisions) && r.decisions.add(row) {
		r.flush(r.decisions.part)
	}
}

// Link takes a row of links.
func (r *Run) Link(row *LinkRow) {
	if r.takes(Links) && r.links.add(row) {
		r.flush(r.links.part)
	}
}

// Pool takes a row of pools.
func (r *Run) Pool(row *PoolRow) {
	if r.takes(Pools) && r.pools.add(row) {
		r.flush(r.pools.part)
	}
}

// flush encodes a row group.
func (r *Run) flush(p *part) {
	began := time.Now()
	r.err = p.flush()
	r.encode += time.Since(began)
}

// Err returns the first error so far.
func (r *Run) Err() error { return r.err }

// EncodeTime returns how long encoding and writing took so far. It is part of no
// result.
func (r *Run) EncodeTime() time.Duration { return r.encode }

// Finish writes what is left and puts every part in its place, tasks last. After
// an error nothing of the run stands. The Run is of no use afterwards.
func (r *Run) Finish(result Result) error {
	began := time.Now()
	err := r.err
	if err == nil {
		r.takeApart()
		err = r.close(result)
	}
	if err == nil {
		err = r.place()
	}
	if err != nil {
		r.Abort()
		return fmt.Errorf("results of %s: %w", r.options.Partition, err)
	}
	r.encode += time.Since(began)
	return r.Abort()
}

// takeApart moves rows that are still whole into their columns.
func (r *Run) takeApart() {
	for _, t := range []interface{ takeApart() }{r.tasks, r.transfers, r.attempts, r.decisions, r.links, r.pools} {
		t.takeApart()
	}
}

// close completes every file aside.
func (r *Run) close(result Result) error {
	text, err := result.encode()
	if err != nil {
		return err
	}
	for t, p := range r.parts {
		if p == nil {
			continue
		}
		var meta [][2]string
		if Table(t) == Tasks {
			meta = [][2]string{{resultKey, text}}
		}
		r.parts[t] = nil
		if err := p.close(meta); err != nil {
			return err
		}
	}
	return nil
}

// place renames the files. What stands of the same run from before goes first.
func (r *Run) place() error {
	p, root := r.options.Partition, r.options.Root
	if err := removeRun(root, p); err != nil {
		return err
	}
	for t := NumTables; t > 0; t-- {
		if t-1 != Tasks && !r.wanted[t-1] {
			continue
		}
		if err := moveInto(r.asidePath(t-1), p.path(root, t-1)); err != nil {
			return errors.Join(err, removeRun(root, p))
		}
	}
	return nil
}

// moveInto renames a file into a folder, which is made. Where another process
// has just removed it, as empty, it is made again.
func moveInto(from, to string) (err error) {
	for range 100 {
		if err = os.MkdirAll(filepath.Dir(to), 0o777); err == nil {
			err = os.Rename(from, to)
		}
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// Abort gives the run up: nothing of it stays. After Finish, or called again, it
// does nothing.
func (r *Run) Abort() error {
	if r.held == nil {
		return nil
	}
	for t, p := range r.parts {
		if p != nil {
			p.file.Close()
			r.parts[t] = nil
		}
	}
	err := r.held.release()
	r.held = nil
	return err
}
