package record

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// arrowSchema is the columns as Arrow's readers want them in a footer under
// ARROW:schema, with unit, currency and meaning of each.
func arrowSchema(columns []Column, currency string) string {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowType(c.Type), Nullable: c.Optional, Metadata: fieldMetadata(c, currency)}
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema(fields, nil)))
	if err := w.Close(); err != nil {
		panic(fmt.Sprintf("record: a schema in memory: %v", err))
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func arrowType(name string) arrow.DataType {
	switch name {
	case "double":
		return arrow.PrimitiveTypes.Float64
	case "int32":
		return arrow.PrimitiveTypes.Int32
	case "boolean":
		return arrow.FixedWidthTypes.Boolean
	}
	return arrow.BinaryTypes.String
}

func fieldMetadata(c Column, currency string) arrow.Metadata {
	var keys, values []string
	set := func(k, v string) {
		if v != "" {
			keys, values = append(keys, k), append(values, v)
		}
	}
	if c.Unit == "money" && currency != "" {
		set("unit", currency)
		set("currency", currency)
	} else {
		set("unit", c.Unit)
	}
	set("meaning", c.Meaning)
	return arrow.NewMetadata(keys, values)
}
