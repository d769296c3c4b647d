package trace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// leafBatch is how many values are decoded at a time. Chosen: all columns of a
// batch stay in a processor's cache.
const leafBatch = 512

// A leaf reads the cells of one column of a Parquet file, row by row.
type leaf interface {
	// open begins to read a row group.
	open(file.ColumnChunkReader)
	// next returns the next row's cell. exact is false where a number would lose
	// digits; then the cell is its text.
	next() (c Cell, exact bool, err error)
}

// newLeaf returns the reader of a column, or what is wrong with its type.
func newLeaf(d *schema.Column) (leaf, error) {
	base := levels{maxDef: d.MaxDefinitionLevel(), maxRep: d.MaxRepetitionLevel()}
	if base.maxRep > 1 {
		return nil, fmt.Errorf("is a list of lists")
	}
	signed := true
	switch l := d.LogicalType().(type) {
	case schema.NoLogicalType, schema.UnknownLogicalType, schema.NullLogicalType, *schema.NullLogicalType,
		schema.StringLogicalType, schema.EnumLogicalType, schema.JSONLogicalType:
	case schema.IntLogicalType:
		signed = l.IsSigned()
	case *schema.IntLogicalType:
		signed = l.IsSigned()
	default:
		return nil, fmt.Errorf("is of type %s", l)
	}
	switch d.PhysicalType() {
	case parquet.Types.Boolean:
		return &leafOf[bool]{levels: base, convert: func(v bool) (Cell, bool) { return textCell(strconv.FormatBool(v)), true }}, nil
	case parquet.Types.Int32:
		if signed {
			return &leafOf[int32]{levels: base, convert: func(v int32) (Cell, bool) { return numberCell(float64(v)), true }}, nil
		}
		return &leafOf[int32]{levels: base, convert: func(v int32) (Cell, bool) { return numberCell(float64(uint32(v))), true }}, nil
	case parquet.Types.Int64:
		return &leafOf[int64]{levels: base, convert: wholeCell(signed)}, nil
	case parquet.Types.Float:
		return &leafOf[float32]{levels: base, convert: func(v float32) (Cell, bool) { return numberCell(float64(v)), true }}, nil
	case parquet.Types.Double:
		return &leafOf[float64]{levels: base, convert: func(v float64) (Cell, bool) { return numberCell(v), true }}, nil
	case parquet.Types.ByteArray:
		return &leafOf[parquet.ByteArray]{levels: base, convert: textOf()}, nil
	}
	return nil, fmt.Errorf("is of type %s", d.PhysicalType())
}

// wholeCell converts whole numbers of 64 bits; those that a float64 cannot hold
// are given as text, not exact.
func wholeCell(signed bool) func(int64) (Cell, bool) {
	return func(n int64) (Cell, bool) {
		if !signed && n < 0 { // 2⁶³ or more
			v := float64(uint64(n))
			if v < 1<<64 && uint64(v) == uint64(n) {
				return numberCell(v), true
			}
			return textCell(strconv.FormatUint(uint64(n), 10)), false
		}
		v, ok := widen(n)
		if !ok {
			return textCell(strconv.FormatInt(n, 10)), false
		}
		return numberCell(v), true
	}
}

// textOf converts texts; one that repeats the last is not copied again.
func textOf() func(parquet.ByteArray) (Cell, bool) {
	last := ""
	return func(b parquet.ByteArray) (Cell, bool) {
		if string(b) != last {
			last = string(b)
		}
		return textCell(trim(last)), true
	}
}

// levels are the definition and repetition levels of the values at hand: a value
// is there where its definition level is the highest, and begins a row where its
// repetition level is 0.
type levels struct {
	maxDef, maxRep int16
	defs, reps     []int16
	n, at          int // levels read, and the next of them
}

// leafOf is the leaf of a physical type.
type leafOf[T any] struct {
	levels
	read    func(int64, []T, []int16, []int16) (int64, int, error)
	values  []T
	value   int // the next of values
	convert func(T) (Cell, bool)
}

func (l *leafOf[T]) open(chunk file.ColumnChunkReader) {
	r, ok := chunk.(interface {
		ReadBatch(int64, []T, []int16, []int16) (int64, int, error)
	})
	if !ok {
		panic(fmt.Sprintf("column %s is not of the type that its schema says", chunk.Descriptor().Path()))
	}
	l.read, l.n, l.at = r.ReadBatch, 0, 0
	if l.values == nil {
		l.values = make([]T, leafBatch)
		l.defs, l.reps = make([]int16, leafBatch), make([]int16, leafBatch)
	}
}

// fill reads the next batch; n is 0 at the end of the row group.
func (l *leafOf[T]) fill() error {
	n, _, err := l.read(leafBatch, l.values, l.defs, l.reps)
	l.n, l.at, l.value = int(n), 0, 0
	return err
}

func (l *leafOf[T]) next() (Cell, bool, error) {
	if l.at == l.n {
		if err := l.fill(); err != nil {
			return Cell{}, false, err
		}
		if l.n == 0 {
			return Cell{}, false, fmt.Errorf("the column has fewer rows than the file")
		}
	}
	c, exact := l.take()
	if l.maxRep == 0 {
		return c, exact, nil
	}
	return l.rest(c, exact)
}

// take returns the cell at the next level, absent where no value is.
func (l *leafOf[T]) take() (Cell, bool) {
	i := l.at
	l.at++
	if l.maxDef > 0 && l.defs[i] < l.maxDef {
		return Cell{}, true
	}
	v := l.values[l.value]
	l.value++
	return l.convert(v)
}

// rest joins what further belongs to the row of a list.
func (l *leafOf[T]) rest(first Cell, exact bool) (Cell, bool, error) {
	var b strings.Builder
	b.WriteString(first.String())
	many := false
	for {
		if l.at == l.n {
			if err := l.fill(); err != nil {
				return Cell{}, false, err
			}
		}
		if l.n == 0 || l.reps[l.at] == 0 {
			break
		}
		c, ok := l.take()
		exact, many = exact && ok, true
		b.WriteByte(';')
		b.WriteString(c.String())
	}
	if !many {
		return first, exact, nil
	}
	return textCell(b.String()), exact, nil
}
