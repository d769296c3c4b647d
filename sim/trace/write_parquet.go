package trace

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

// A parquetWriter writes rows as Parquet, in pages that Zstandard packs. A column
// of numbers is of doubles, or of int32 where all are whole (slots, priority,
// parts); of texts, as CSV has them, where a cell is no number (a list of volumes,
// the word auto). A list is the text that it is in CSV. Absent cells are null. The
// unit, the meaning and the default of a column are in its field's metadata, under
// ARROW:schema, which Arrow's readers show.
type parquetWriter struct {
	w       *file.Writer
	columns []parquetColumn
	rows    int
	text    int // bytes of it, buffered
}

const (
	// groupRows and groupText bound a row group. Chosen: large enough that a
	// column of it is read at a stroke, small enough to be held in memory.
	groupRows = 1 << 16
	groupText = 64 << 20
)

// A parquetColumn is a column and its buffered rows.
type parquetColumn struct {
	Column
	kind    parquet.Type
	needed  bool // never null
	present []int16
	reals   []float64
	wholes  []int32
	flags   []bool
	texts   []parquet.ByteArray
}

// newParquetWriter begins a file. Its end closes w if w can be closed, as is the
// library's way: give it a buffer.
func newParquetWriter(w io.Writer, used []Column, texts [NumColumns]bool) (*parquetWriter, error) {
	p := &parquetWriter{}
	props := []parquet.WriterProperty{
		parquet.WithCreatedBy("tiersim"),
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryDefault(false),
	}
	fields := make(schema.FieldList, len(used))
	for i, c := range used {
		col := parquetColumn{Column: c, kind: physical(c, texts[c]), needed: c == ColTask || c == ColSubmitS}
		if col.kind == parquet.Types.ByteArray && c != ColTask && c != ColAfter { // values that repeat
			props = append(props, parquet.WithDictionaryFor(c.String(), true))
		}
		p.columns = append(p.columns, col)
		fields[i] = col.node()
	}
	root := schema.MustGroup(schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1))
	p.w = file.NewParquetWriter(w, root, file.WithWriterProps(parquet.NewWriterProperties(props...)))
	text, err := arrowSchema(p.columns)
	if err == nil {
		err = p.w.AppendKeyValueMetadata("ARROW:schema", text)
	}
	return p, err
}

// physical is the type that a column is written in.
func physical(c Column, texts bool) parquet.Type {
	switch {
	case columns[c].Type == Bool:
		return parquet.Types.Boolean
	case whole(c):
		return parquet.Types.Int32
	case numeric(c) && !texts:
		return parquet.Types.Double
	}
	return parquet.Types.ByteArray
}

func (c *parquetColumn) node() schema.Node {
	need := parquet.Repetitions.Optional
	if c.needed {
		need = parquet.Repetitions.Required
	}
	switch name := c.String(); c.kind {
	case parquet.Types.Boolean:
		return schema.NewBooleanNode(name, need, -1)
	case parquet.Types.Int32:
		return schema.NewInt32Node(name, need, -1)
	case parquet.Types.Double:
		return schema.NewFloat64Node(name, need, -1)
	default:
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, need, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
	}
}

// arrowSchema is the columns as Arrow's readers want them in a footer.
func arrowSchema(cols []parquetColumn) (string, error) {
	fields := make([]arrow.Field, len(cols))
	for i := range cols {
		c := &cols[i]
		info := &columns[c.Column]
		meta := map[string]string{"meaning": info.Doc, "default": info.Default}
		if info.Unit != "" {
			meta["unit"] = info.Unit
		}
		fields[i] = arrow.Field{Name: info.Name, Type: c.arrowType(), Nullable: !c.needed, Metadata: arrow.MetadataFrom(meta)} // which sorts the keys
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema(fields, nil)))
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(out.Bytes()), nil
}

func (c *parquetColumn) arrowType() arrow.DataType {
	switch c.kind {
	case parquet.Types.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case parquet.Types.Int32:
		return arrow.PrimitiveTypes.Int32
	case parquet.Types.Double:
		return arrow.PrimitiveTypes.Float64
	}
	return arrow.BinaryTypes.String
}

func (p *parquetWriter) write(row *Row) error {
	for i := range p.columns {
		c := &p.columns[i]
		cell := &row.Cells[c.Column]
		if cell.Kind == Absent {
			c.present = append(c.present, 0)
			continue
		}
		c.present = append(c.present, 1)
		switch c.kind {
		case parquet.Types.Boolean:
			c.flags = append(c.flags, cell.Text == "true")
		case parquet.Types.Int32:
			c.wholes = append(c.wholes, int32(cell.Num))
		case parquet.Types.Double:
			c.reals = append(c.reals, cell.Num)
		default:
			s := cell.String()
			c.texts = append(c.texts, parquet.ByteArray(s))
			p.text += len(s)
		}
	}
	if p.rows++; p.rows == groupRows || p.text >= groupText {
		return p.flush()
	}
	return nil
}

// flush writes the buffered rows as a row group.
func (p *parquetWriter) flush() error {
	if p.rows == 0 {
		return nil
	}
	group := p.w.AppendRowGroup()
	for i := range p.columns {
		c := &p.columns[i]
		chunk, err := group.NextColumn()
		if err == nil {
			err = c.writeTo(chunk)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Column, err)
		}
	}
	p.rows, p.text = 0, 0
	return group.Close()
}

// writeTo writes the buffered cells and forgets them.
func (c *parquetColumn) writeTo(chunk file.ColumnChunkWriter) (err error) {
	levels := c.present
	if c.needed {
		levels = nil
	}
	switch w := chunk.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = w.WriteBatch(c.flags, levels, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = w.WriteBatch(c.wholes, levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = w.WriteBatch(c.reals, levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(c.texts, levels, nil)
	default:
		panic(fmt.Sprintf("trace: no writer for %T", chunk))
	}
	c.present, c.flags, c.wholes, c.reals, c.texts = c.present[:0], c.flags[:0], c.wholes[:0], c.reals[:0], c.texts[:0]
	return err
}

func (p *parquetWriter) finish() error {
	if err := p.flush(); err != nil {
		return err
	}
	if err := p.w.FlushWithFooter(); err != nil {
		return err
	}
	return p.w.Close()
}
