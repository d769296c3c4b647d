package record

import (
	"slices"
	"time"
)

// blockRows is how many rows are held as they came before they are taken apart
// into columns. Chosen: a block of the widest rows stays in a core's own cache,
// so that each column is a short loop over near memory.
const blockRows = 128

// A table buffers rows of one type, column by column.
type table[R any] struct {
	*part
	columns []column[R]
	texts   []int // columns whose bytes are the caller's and are copied at once
	block   []R
	clock   *time.Duration // of the run's encoding
}

func newTable[R any](path string, columns []column[R], names *Names, meta [][2]string, clock *time.Duration) (*table[R], error) {
	kinds, lookups := make([]kind, len(columns)), make([]lookup, len(columns))
	t := &table[R]{columns: columns, block: make([]R, 0, blockRows), clock: clock}
	for i := range columns {
		kinds[i] = columns[i].kind
		if columns[i].names != nil {
			lookups[i] = columns[i].names(names)
		}
		if columns[i].text != nil {
			t.texts = append(t.texts, i)
		}
	}
	var err error
	t.part, err = newPart(path, definitions(columns), kinds, lookups, meta)
	return t, err
}

// add buffers a row and reports whether the row group is full.
func (t *table[R]) add(row *R) bool {
	t.block = append(t.block, *row)
	r := &t.block[len(t.block)-1]
	for _, i := range t.texts {
		t.held += t.buffers[i].putText(t.columns[i].text(r), t.kinds[i] == optText)
	}
	if len(t.block) == blockRows || t.held >= groupText {
		began := time.Now()
		t.takeApart()
		*t.clock += time.Since(began)
		return t.full()
	}
	return false
}

// putText copies a text and returns its length.
func (b *buffer) putText(s []byte, optional bool) int {
	if optional {
		b.present = append(b.present, level(len(s) > 0))
		if len(s) == 0 {
			return 0
		}
	}
	b.text = append(b.text, s...)
	b.ends = append(b.ends, int32(len(b.text)))
	return len(s)
}

// takeApart moves the block's rows into the columns. A nil table has none.
func (t *table[R]) takeApart() {
	if t == nil {
		return
	}
	for i := range t.columns {
		t.columns[i].take(t.block, &t.buffers[i])
	}
	t.rows += len(t.block)
	t.block = t.block[:0]
}

// take appends the column's values of some rows.
func (c *column[R]) take(rows []R, b *buffer) {
	n := len(rows)
	switch c.kind {
	case realKind:
		b.reals = longer(b.reals, n)
		to := b.reals[len(b.reals)-n:]
		for i := range to {
			to[i] = c.real(&rows[i])
		}
	case intKind:
		b.ints = longer(b.ints, n)
		to := b.ints[len(b.ints)-n:]
		for i := range to {
			to[i] = c.integer(&rows[i])
		}
	case flagKind:
		b.flags = longer(b.flags, n)
		to := b.flags[len(b.flags)-n:]
		for i := range to {
			to[i] = c.flag(&rows[i])
		}
	case nameKind:
		b.ints = longer(b.ints, n)
		to := b.ints[len(b.ints)-n:]
		for i := range to {
			to[i] = int32(c.name(&rows[i]))
		}
	case optReal, optName:
		c.takeOptional(rows, b)
	}
}

// takeOptional does the same where values may be absent: of numbers only those
// that are there are kept, of names all.
func (c *column[R]) takeOptional(rows []R, b *buffer) {
	n := len(rows)
	b.present = longer(b.present, n)
	present := b.present[len(b.present)-n:]
	if c.kind == optName {
		b.ints = longer(b.ints, n)
		to := b.ints[len(b.ints)-n:]
		for i := range to {
			name, ok := c.optName(&rows[i])
			to[i], present[i] = int32(name), level(ok)
		}
		return
	}
	b.reals = longer(b.reals, n)
	to, kept := b.reals[len(b.reals)-n:], 0
	for i := range rows {
		v, ok := c.optReal(&rows[i])
		present[i] = level(ok)
		to[kept] = v
		kept += int(present[i])
	}
	b.reals = b.reals[:len(b.reals)-n+kept]
}

// longer returns s with n more elements.
func longer[T any](s []T, n int) []T { return slices.Grow(s, n)[:len(s)+n] }

func level(present bool) int16 {
	if present {
		return 1
	}
	return 0
}
