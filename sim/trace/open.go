package trace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"tiersim/sim/fault"
)

// FormatNames returns the formats that can be read, as Source.Format and flags
// write them; "csv" and "parquet" hold our own columns.
func FormatNames() []string { return []string{"csv", "parquet", "swf", "swim", "philly"} }

// peekSize is how much of a file tells its format. Chosen: the comment header of
// the longest log of the Parallel Workloads Archive is below 16 KiB.
const peekSize = 64 << 10

// OpenRows reads a trace file: r is its content, compressed or not, file its
// name for faults. The format is one of FormatNames; "" finds it by content.
// Closing the reader closes r; so does a failure to open.
func OpenRows(file string, r io.ReadCloser, format string) (RowReader, error) {
	if format != "" && !slices.Contains(FormatNames(), format) {
		r.Close()
		return nil, fault.Fault{File: file, Message: fmt.Sprintf("got format %q, want one of %s", format, strings.Join(FormatNames(), ", "))}
	}
	br := bufio.NewReaderSize(r, peekSize)
	head, err := br.Peek(peekSize)
	if err != nil && err != io.EOF {
		r.Close()
		return nil, unreadable(file, 0, err)
	}
	var rows RowReader
	if format == "parquet" || format == "" && bytes.HasPrefix(head, parquetMagic) {
		rows, err = newParquet(file, r, br)
	} else {
		rows, err = openText(file, br, head, format)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return &closing{rows, r}, nil
}

// A closing reader closes its source too.
type closing struct {
	RowReader
	source io.Closer
}

func (c *closing) Close() error {
	err := c.RowReader.Close()
	if err2 := c.source.Close(); err == nil {
		err = err2
	}
	return err
}

// openText reads what is not Parquet.
func openText(file string, br *bufio.Reader, head []byte, format string) (RowReader, error) {
	br, head, unpack, err := decompress(file, br, head)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) {
		br.Discard(3)
		head = head[3:]
	}
	if err := isText(file, head); err != nil {
		if unpack != nil {
			unpack.Close()
		}
		return nil, err
	}
	if format == "" {
		format = detect(head)
	}
	var rows RowReader
	switch format {
	case "swf":
		rows, err = newSWF(file, br)
	case "swim":
		rows, err = newSWIM(file, br)
	case "philly":
		rows, err = newPhilly(file, br)
	default:
		rows, err = newCSV(file, br)
	}
	switch {
	case unpack == nil:
		return rows, err
	case err != nil:
		unpack.Close()
		return nil, err
	}
	return &closing{rows, unpack}, nil
}

// isText is the fault of a file that is no text that we read, by its beginning.
func isText(file string, head []byte) error {
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return fault.Fault{File: file, Line: 1, Message: "is text in UTF-16, want UTF-8; save it as UTF-8"}
	case bytes.IndexByte(head, 0) >= 0:
		return fault.Fault{File: file, Message: "holds zero bytes, so it is no text, and it is not gzip, Zstandard or Parquet; name a trace in one of these forms"}
	}
	return nil
}

// detect names the format of a text by its beginning. What is nothing else is
// ours, whose reader says what it misses.
func detect(head []byte) string {
	switch {
	case isCSV(head):
		return "csv"
	case isSWF(head):
		return "swf"
	case isPhilly(head):
		return "philly"
	case isSWIM(head):
		return "swim"
	}
	return "csv"
}

// decompress unpacks gzip and Zstandard, known by their first bytes. The closer
// is nil where nothing was packed.
func decompress(file string, br *bufio.Reader, head []byte) (*bufio.Reader, []byte, io.Closer, error) {
	var unpacked io.ReadCloser
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, nil, nil, unreadable(file, 0, err)
		}
		unpacked = z
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(br, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, nil, nil, unreadable(file, 0, err)
		}
		unpacked = z.IOReadCloser()
	default:
		return br, head, nil, nil
	}
	br = bufio.NewReaderSize(unpacked, peekSize)
	head, err := br.Peek(peekSize)
	if err != nil && err != io.EOF {
		unpacked.Close()
		return nil, nil, nil, unreadable(file, 0, err)
	}
	return br, head, unpacked, nil
}

// maxZstdWindow bounds what a packed file can make us hold. Chosen: the window
// of `zstd --ultra --long=27`.
const maxZstdWindow = 128 << 20

// unreadable is the fault of a file that ends or breaks off where it should not.
func unreadable(file string, line int, err error) fault.Fault {
	return fault.Fault{File: file, Line: line, Message: fmt.Sprintf("cannot be read further: %v; the file is cut off or damaged", err)}
}
