package trace

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"

	"tiersim/sim/fault"
)

var parquetMagic = []byte("PAR1")

// A parquetReader reads our own columns from Parquet. Numbers of every width are
// taken where no digit is lost; texts may be numbers, as in CSV; a list column is
// taken for what ";" parts in CSV.
type parquetReader struct {
	file    string
	temp    *os.File // a copy of what cannot be read from any place
	pq      *file.Reader
	group   int   // that is read next
	left    int64 // rows of the group at hand
	row     int64 // of the file, from 1
	columns []Column
	indices []int // of columns, in the file
	leaves  []leaf
	unknown []string
}

// newParquet opens a Parquet file. r is read directly where it can be read from
// any place, as files can; else br, which begins where the file begins, is
// copied aside.
func newParquet(name string, r io.Reader, br *bufio.Reader) (rows RowReader, err error) {
	p := &parquetReader{file: name}
	defer func() {
		if err = recovered(name, err, recover()); err != nil {
			p.Close()
			rows = nil
		}
	}()
	src, ok := r.(parquet.ReaderAtSeeker)
	if !ok {
		if src, err = p.copyAside(br); err != nil {
			return nil, err
		}
	}
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled = true // a column of a row group may be large
	if p.pq, err = file.NewParquetReader(src, file.WithReadProps(props)); err != nil {
		return nil, notParquet(name, err)
	}
	return p, p.match()
}

// copyAside copies what can only be read once into a file of its own.
func (p *parquetReader) copyAside(br *bufio.Reader) (*os.File, error) {
	temp, err := os.CreateTemp("", "tiersim-parquet-*")
	if err != nil {
		return nil, err
	}
	p.temp = temp
	if _, err := io.Copy(temp, br); err != nil {
		return nil, unreadable(p.file, 0, err)
	}
	return temp, nil
}

// match finds the columns of the file.
func (p *parquetReader) match() error {
	s := p.pq.MetaData().Schema
	var faults fault.List
	var seen [NumColumns]bool
	for i := range s.NumColumns() {
		d := s.Column(i)
		name := d.ColumnPath()[0]
		c, ok := FindColumn(name)
		if !ok {
			if n := len(p.unknown); n == 0 || p.unknown[n-1] != name { // a nested one has many leaves
				p.unknown = append(p.unknown, name)
			}
			continue
		}
		if seen[c] {
			faults = append(faults, p.fault("column "+name, "stands twice, or is nested; write it once, as a "+columns[c].Type.String()))
			continue
		}
		seen[c] = true
		p.columns = append(p.columns, c)
		p.indices = append(p.indices, i)
		if _, err := newLeaf(d); err != nil {
			faults = append(faults, p.fault("column "+name, fmt.Sprintf("%v; write it as a %s", err, columns[c].Type)))
		}
	}
	if err := missingColumns(p.file, 0, p.columns, p.unknown); err != nil {
		list, _ := fault.Of(err)
		faults = append(faults, list...)
	}
	return faults.Err()
}

func notParquet(name string, err error) fault.Fault {
	return fault.Fault{File: name, Message: fmt.Sprintf("is not readable as Parquet: %v; write it anew", err)}
}

// recovered turns a panic of the Parquet library, which is how it answers some
// damaged files, into a fault.
func recovered(name string, err error, panicked any) error {
	if panicked == nil {
		return err
	}
	return &brokenOff{notParquet(name, fmt.Errorf("%v", panicked))}
}

func (p *parquetReader) fault(field, message string) fault.Fault {
	return fault.Fault{File: p.file, Field: field, Message: message}
}

func (p *parquetReader) Read(row *Row) (err error) {
	defer func() { err = recovered(p.file, err, recover()) }()
	for p.left == 0 {
		if p.group >= p.pq.NumRowGroups() {
			return io.EOF
		}
		if err := p.nextGroup(); err != nil {
			return &brokenOff{unreadable(p.file, 0, err)}
		}
	}
	p.left--
	p.row++
	row.Line = p.row
	row.Cells = [NumColumns]Cell{}
	for i, c := range p.columns {
		cell, exact, e := p.leaves[i].next()
		if e != nil {
			return &brokenOff{unreadable(p.file, 0, fmt.Errorf("row %d, column %s: %w", p.row, c, e))}
		}
		if !exact && err == nil {
			err = p.fault(fmt.Sprintf("row %d, column %s", p.row, c),
				fmt.Sprintf("got %s, of which a float64 would lose digits; write a number of at most 15 digits", cell.Text))
		}
		row.Cells[c] = cell
	}
	return err
}

func (p *parquetReader) nextGroup() error {
	g := p.pq.RowGroup(p.group)
	p.group++
	p.left = g.NumRows()
	p.leaves = p.leaves[:0]
	for _, i := range p.indices {
		chunk, err := g.Column(i)
		if err != nil {
			return err
		}
		l, err := newLeaf(p.pq.MetaData().Schema.Column(i))
		if err != nil {
			return err
		}
		l.open(chunk)
		p.leaves = append(p.leaves, l)
	}
	return nil
}

func (p *parquetReader) Columns() []Column { return p.columns }
func (p *parquetReader) Unknown() []string { return p.unknown }

// Close removes the copy. The source is closed by whoever opened it.
func (p *parquetReader) Close() error {
	if p.temp == nil {
		return nil
	}
	err := p.temp.Close()
	if err2 := os.Remove(p.temp.Name()); err == nil {
		err = err2
	}
	p.temp = nil
	return err
}
