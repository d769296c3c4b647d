package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// A Batch is some rows of one run's part of a table: those columns that were
// asked for, in the order asked for. It is valid until the next one.
type Batch struct {
	Partition Partition
	Rows      int
	Columns   []Values
}

// Values are a column of a batch: the slice of its type has a value for each
// row, zero where it is absent.
type Values struct {
	Reals   []float64
	Ints    []int32
	Flags   []bool
	Texts   []string
	Present []bool // nil: all are there
}

// Has reports whether the value of a row is there.
func (v *Values) Has(row int) bool { return v.Present == nil || v.Present[row] }

// Scan reads columns of a table, over all runs under root that are whole, by
// point, policy and replication, and within a run in the order of its rows. A run
// without the table is passed over. An error of each ends it.
func Scan(root string, t Table, columns []string, each func(*Batch) error) error {
	runs, err := Runs(root)
	if err != nil {
		return err
	}
	for _, p := range runs {
		if err := ScanRun(root, p, t, columns, each); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ScanRun reads columns of one run's part of a table, a row group at a time.
func ScanRun(root string, p Partition, t Table, columns []string, each func(*Batch) error) error {
	path := p.path(root, t)
	if _, err := os.Stat(path); err != nil {
		return err
	}
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	at := make([]int, len(columns))
	for i, name := range columns {
		if at[i] = r.MetaData().Schema.ColumnIndexByName(name); at[i] < 0 {
			return fmt.Errorf("%s: no column %s", path, name)
		}
	}
	b := &Batch{Partition: p, Columns: make([]Values, len(columns))}
	readers := make([]columnReader, len(columns))
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		b.Rows = int(group.NumRows())
		for i := range columns {
			chunk, err := group.Column(at[i])
			if err == nil {
				err = readers[i].read(chunk, b.Rows, &b.Columns[i])
			}
			if err != nil {
				return fmt.Errorf("%s: column %s: %w", path, columns[i], err)
			}
		}
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// A columnReader reads one column, row group by row group.
type columnReader struct {
	levels []int16
	bytes  []parquet.ByteArray
	known  map[string]string // texts that were seen, where few are
}

func (c *columnReader) read(chunk file.ColumnChunkReader, rows int, v *Values) error {
	c.levels = resize(c.levels, rows)
	levels := c.levels
	if chunk.Descriptor().MaxDefinitionLevel() == 0 {
		levels = nil
	}
	var err error
	var n int
	switch r := chunk.(type) {
	case *file.Float64ColumnChunkReader:
		v.Reals = resize(v.Reals, rows)
		n, err = readAll(r.ReadBatch, v.Reals, levels)
		spread(v.Reals, levels, n)
	case *file.Int32ColumnChunkReader:
		v.Ints = resize(v.Ints, rows)
		n, err = readAll(r.ReadBatch, v.Ints, levels)
		spread(v.Ints, levels, n)
	case *file.BooleanColumnChunkReader:
		v.Flags = resize(v.Flags, rows)
		n, err = readAll(r.ReadBatch, v.Flags, levels)
		spread(v.Flags, levels, n)
	case *file.ByteArrayColumnChunkReader:
		err = c.readTexts(r, rows, levels, v)
	default:
		return fmt.Errorf("its type is %v, which no table has", chunk.Type())
	}
	v.Present = v.Present[:0]
	if levels == nil {
		v.Present = nil
	}
	for _, l := range levels {
		v.Present = append(v.Present, l > 0)
	}
	return err
}

// readAll calls a reader until the row group is read, and returns how many
// values were there.
func readAll[T any](read func(int64, []T, []int16, []int16) (int64, int, error), values []T, levels []int16) (int, error) {
	rows, n := 0, 0
	for rows < len(values) {
		var part []int16
		if levels != nil {
			part = levels[rows:]
		}
		total, got, err := read(int64(len(values)-rows), values[n:], part, nil)
		if err != nil {
			return n, err
		}
		if total == 0 {
			return n, fmt.Errorf("it ends after %d of %d rows", rows, len(values))
		}
		rows, n = rows+int(total), n+got
	}
	return n, nil
}

// spread moves the n values at the front to the rows where a value is there.
func spread[T any](values []T, levels []int16, n int) {
	if levels == nil {
		return
	}
	var none T
	for row := len(values) - 1; row >= 0; row-- {
		if levels[row] > 0 && n > 0 {
			n--
			values[row] = values[n]
		} else {
			values[row] = none
		}
	}
}

// maxKnown is how many different texts are kept to be shared between rows.
const maxKnown = 1 << 12

// readTexts reads a page's worth at a time, since the bytes are the page's.
func (c *columnReader) readTexts(r *file.ByteArrayColumnChunkReader, rows int, levels []int16, v *Values) error {
	if c.known == nil {
		c.known = map[string]string{}
	}
	v.Texts = resize(v.Texts, rows)
	c.bytes = resize(c.bytes, rows)
	row, n := 0, 0
	for row < rows {
		var part []int16
		if levels != nil {
			part = levels[row:]
		}
		total, got, err := r.ReadBatch(int64(min(rows-row, batchRows)), c.bytes, part, nil)
		if err != nil {
			return err
		}
		if total == 0 {
			return fmt.Errorf("it ends after %d of %d rows", row, rows)
		}
		for _, b := range c.bytes[:got] {
			v.Texts[n] = c.text(b)
			n++
		}
		row += int(total)
	}
	spread(v.Texts, levels, n)
	return nil
}

func (c *columnReader) text(b []byte) string {
	if s, ok := c.known[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(c.known) < maxKnown {
		c.known[strings.Clone(s)] = s
	}
	return s
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
