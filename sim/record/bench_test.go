package record

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// A deck is rows made beforehand, so that a benchmark times writing them alone.
type deck struct {
	tasks     []TaskRow
	decisions []DecisionRow
	transfers []TransferRow
	attempts  []AttemptRow
}

func newDeck(n int) *deck {
	d := &deck{tasks: make([]TaskRow, n), decisions: make([]DecisionRow, 3*n), transfers: make([]TransferRow, n), attempts: make([]AttemptRow, n)}
	g := newTestRows(1)
	for i := range n {
		g.name = nil
		g.task(&d.tasks[i])
		for o := range 3 {
			g.decision(&d.decisions[3*i+o], o)
		}
		g.transfer(&d.transfers[i])
		g.attempt(&d.attempts[i])
	}
	return d
}

// BenchmarkEncode writes a million rows of a table, or of all that a million
// tasks give: three decisions, a transfer and an attempt each. ns/row is of the
// rows; encode-ns/row is the part that EncodeTime tells.
func BenchmarkEncode(b *testing.B) {
	const million, size = 1_000_000, 1 << 13
	d := newDeck(size)
	for _, c := range []struct {
		name string
		put  func(r *Run, i int)
	}{
		{"tasks", func(r *Run, i int) { r.Task(&d.tasks[i]) }},
		{"decisions", func(r *Run, i int) { r.Decision(&d.decisions[i]) }},
		{"transfers", func(r *Run, i int) { r.Transfer(&d.transfers[i]) }},
		{"attempts", func(r *Run, i int) { r.Attempt(&d.attempts[i]) }},
		{"all", func(r *Run, i int) {
			r.Task(&d.tasks[i])
			for o := range 3 {
				r.Decision(&d.decisions[3*i+o])
			}
			r.Transfer(&d.transfers[i])
			r.Attempt(&d.attempts[i])
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			root := b.TempDir()
			b.ReportAllocs()
			var encode, bytes float64
			for b.Loop() {
				r := create(b, root, onePartition, nil)
				for i := range million {
					c.put(r, i%size)
				}
				finish(b, r)
				encode += float64(r.EncodeTime().Nanoseconds())
				bytes = float64(folderBytes(b, root))
			}
			rows := float64(b.N) * million
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "ns/row")
			b.ReportMetric(encode/rows, "encode-ns/row")
			b.ReportMetric(bytes/million, "B/row")
		})
	}
}

// BenchmarkCodecs writes the same row group of tasks with each compression, to
// choose one.
func BenchmarkCodecs(b *testing.B) {
	d := newDeck(groupRows)
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd} {
		b.Run(codec.String(), func(b *testing.B) {
			root := b.TempDir()
			columns := taskColumns()
			t, err := newTable(filepath.Join(root, "x"), columns, testNames(), nil, new(time.Duration))
			if err != nil {
				b.Fatal(err)
			}
			t.writer = file.NewParquetWriter(t.out, parquetSchema(t.part.columns), file.WithWriterProps(properties(t.part.columns, t.kinds, codec)))
			rows := 0
			for b.Loop() {
				for i := range d.tasks {
					t.add(&d.tasks[i])
				}
				if err := t.flush(); err != nil {
					b.Fatal(err)
				}
				rows += len(d.tasks)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
			if err := t.close(nil); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(folderBytes(b, root))/float64(rows), "B/row")
		})
	}
}

func folderBytes(b *testing.B, root string) (sum int64) {
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sum += info.Size()
		return nil
	})
	if err != nil {
		b.Fatal(fmt.Errorf("size of %s: %w", root, err))
	}
	return sum
}
