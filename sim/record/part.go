package record

import (
	"bufio"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// How a file is laid out.
const (
	// groupRows is how many rows are buffered before they are encoded. Chosen:
	// readers like row groups of tens of thousands, and the buffers of all tables
	// stay near 70 MB (eight bytes a row for some 130 columns), less for a
	// run of fewer rows.
	groupRows = 1 << 16
	// groupText is when a row group ends early, by the bytes of its text columns.
	groupText = 1 << 25
	// pageBytes is where a page ends. Chosen: larger ones cost more memory to
	// make, and gain nothing.
	pageBytes = 1 << 16
	batchRows = 1 << 13
	fileBytes = 1 << 18
)

// A buffer holds a column's values of the row group that is being filled: those
// that are there, one behind the other, and for an optional column which are.
type buffer struct {
	reals   []float64
	ints    []int32 // of names too
	flags   []bool
	text    []byte
	ends    []int32 // of each text in text
	present []int16 // definition levels: 1 present, 0 absent
}

func (b *buffer) reset() {
	b.reals, b.ints, b.flags = b.reals[:0], b.ints[:0], b.flags[:0]
	b.text, b.ends, b.present = b.text[:0], b.ends[:0], b.present[:0]
}

// A part is the one file of a table's partition while it is written.
type part struct {
	path    string
	file    *os.File
	out     *bufio.Writer
	writer  *file.Writer
	columns []Column
	kinds   []kind
	lookups []lookup // nil where the column has no names
	buffers []buffer
	rows    int
	held    int // bytes of text
	scratch scratch
}

// scratch is what encoding a column needs for a moment.
type scratch struct {
	texts  []parquet.ByteArray
	place  []int32 // place of a name in the row group's dictionary, from 1; 0: not yet there
	used   []int32
	bitmap []byte
}

// newPart creates the file. Columns with names are dictionaries; all else is
// plain. Snappy was chosen by measurement (BenchmarkCodecs).
func newPart(path string, columns []Column, kinds []kind, lookups []lookup, meta [][2]string) (*part, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	p := &part{path: path, file: f, out: bufio.NewWriterSize(f, fileBytes), columns: columns, kinds: kinds, lookups: lookups}
	p.buffers = make([]buffer, len(columns))
	p.writer = file.NewParquetWriter(p.out, parquetSchema(columns), file.WithWriterProps(properties(columns, kinds, compress.Codecs.Snappy)))
	for _, kv := range meta {
		if err := p.writer.AppendKeyValueMetadata(kv[0], kv[1]); err != nil {
			f.Close()
			return nil, err
		}
	}
	return p, nil
}

func properties(columns []Column, kinds []kind, codec compress.Compression) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithCreatedBy("tiersim"),
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCompression(codec),
		parquet.WithDictionaryDefault(false),
		parquet.WithStats(false),
		parquet.WithDataPageSize(pageBytes),
		parquet.WithBatchSize(batchRows),
	}
	for i, c := range columns {
		switch {
		case kinds[i] == nameKind || kinds[i] == optName:
			props = append(props, parquet.WithDictionaryFor(c.Name, true))
		case c.Unit == "s" && c.Type == "double":
			props = append(props, parquet.WithStatsFor(c.Name, true))
		}
	}
	return parquet.NewWriterProperties(props...)
}

// parquetSchema is the columns as Parquet has them.
func parquetSchema(columns []Column) *schema.GroupNode {
	fields := make(schema.FieldList, len(columns))
	for i, c := range columns {
		need := parquet.Repetitions.Required
		if c.Optional {
			need = parquet.Repetitions.Optional
		}
		switch c.Type {
		case "double":
			fields[i] = schema.NewFloat64Node(c.Name, need, -1)
		case "int32":
			fields[i] = schema.NewInt32Node(c.Name, need, -1)
		case "boolean":
			fields[i] = schema.NewBooleanNode(c.Name, need, -1)
		default:
			fields[i] = schema.MustPrimitive(schema.NewPrimitiveNodeLogical(c.Name, need, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
		}
	}
	return schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1))
}

// full reports whether the row group should be encoded.
func (p *part) full() bool {
	return p.rows >= groupRows || p.held >= groupText
}

// flush encodes the buffered rows as a row group.
func (p *part) flush() error {
	if p.rows == 0 {
		return nil
	}
	group := p.writer.AppendRowGroup()
	for i := range p.columns {
		chunk, err := group.NextColumn()
		if err == nil {
			err = p.writeColumn(i, chunk)
		}
		if err != nil {
			return fmt.Errorf("column %s of %s: %w", p.columns[i].Name, p.path, err)
		}
		p.buffers[i].reset()
	}
	p.rows, p.held = 0, 0
	return group.Close()
}

// writeColumn encodes one buffered column.
func (p *part) writeColumn(i int, chunk file.ColumnChunkWriter) error {
	b := &p.buffers[i]
	levels := b.present
	if !p.columns[i].Optional {
		levels = nil
	}
	var err error
	switch w := chunk.(type) {
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(b.reals, levels, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(b.ints, levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(b.flags, levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		if p.lookups[i] != nil {
			return p.writeNames(b, levels, p.lookups[i], w)
		}
		_, err = w.WriteBatch(p.scratch.cut(b), levels, nil)
	default:
		panic(fmt.Sprintf("record: no writer for %T", chunk))
	}
	return err
}

// cut returns the texts that stand in the buffer.
func (s *scratch) cut(b *buffer) []parquet.ByteArray {
	s.texts = s.texts[:0]
	from := int32(0)
	for _, to := range b.ends {
		s.texts = append(s.texts, b.text[from:to])
		from = to
	}
	return s.texts
}

// writeNames encodes names by a dictionary of those that occur in the row group,
// in the order in which they first do. The numbers in the buffer are replaced.
func (p *part) writeNames(b *buffer, levels []int16, find lookup, w *file.ByteArrayColumnChunkWriter) error {
	s := &p.scratch
	dictionary := array.NewStringBuilder(memory.DefaultAllocator)
	defer dictionary.Release()
	for j, n := range b.ints {
		if levels != nil && levels[j] == 0 {
			b.ints[j] = 0
			continue
		}
		for int(n) >= len(s.place) {
			s.place = append(s.place, 0)
		}
		at := s.place[n]
		if at == 0 {
			word := find(Name(n))
			if word == "" && levels != nil {
				at = -1
			} else {
				dictionary.Append(word)
				at = int32(dictionary.Len())
			}
			s.place[n] = at
			s.used = append(s.used, n)
		}
		if at < 0 {
			b.ints[j], levels[j] = 0, 0
			continue
		}
		b.ints[j] = at - 1
	}
	for _, n := range s.used {
		s.place[n] = 0
	}
	s.used = s.used[:0]
	return writeIndices(b.ints, levels, dictionary, s.bits(levels), w)
}

// bits is the levels as a bitmap, nil of nil.
func (s *scratch) bits(levels []int16) []byte {
	if levels == nil {
		return nil
	}
	s.bitmap = append(s.bitmap[:0], make([]byte, bitutil.BytesForBits(int64(len(levels))))...)
	for j, l := range levels {
		if l != 0 {
			bitutil.SetBit(s.bitmap, j)
		}
	}
	return s.bitmap
}

// writeIndices hands a finished dictionary to the encoder, which does not hash.
func writeIndices(indices []int32, levels []int16, dictionary *array.StringBuilder, bitmap []byte, w *file.ByteArrayColumnChunkWriter) error {
	words := dictionary.NewStringArray()
	defer words.Release()
	encoder := w.CurrentEncoder().(interface{ PutDictionary(arrow.Array) error })
	if err := encoder.PutDictionary(words); err != nil {
		return err
	}
	var valid *memory.Buffer
	absent := 0
	if bitmap != nil {
		valid, absent = memory.NewBufferBytes(bitmap), array.UnknownNullCount
	}
	buffers := []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(indices))}
	data := array.NewData(arrow.PrimitiveTypes.Int32, len(indices), buffers, nil, absent, 0)
	defer data.Release()
	numbers := array.NewInt32Data(data)
	defer numbers.Release()
	return w.WriteDictIndices(numbers, levels, nil)
}

// close encodes what is left, writes the footer and closes the file.
func (p *part) close(meta [][2]string) error {
	err := p.flush()
	for _, kv := range meta {
		if err == nil {
			err = p.writer.AppendKeyValueMetadata(kv[0], kv[1])
		}
	}
	if err == nil {
		err = p.writer.FlushWithFooter()
	}
	if err == nil {
		err = p.writer.Close()
	}
	if err == nil {
		err = p.out.Flush()
	}
	if e := p.file.Close(); err == nil {
		err = e
	}
	return err
}
