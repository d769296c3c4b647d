package trace

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tiersim/sim/stats"
	"tiersim/sim/unit"
)

// A tally adds up rows to Stats.
type tally struct {
	tasks                  int64
	submit                 []float64
	unsorted               bool
	slots, work            measure
	input, shuffle, output measure
	slotTime               unit.Seconds // of all tasks with run times
	classes, kinds, groups parts
	sets                   sets
	present                [NumColumns]int64
	names, volumes         []string // of the row at hand
}

func newTally() *tally {
	return &tally{classes: newParts(), kinds: newParts(), groups: newParts(), sets: sets{places: map[string]int{}}}
}

// add takes in a row whose numbers are read.
func (t *tally) add(row *Row) error {
	cells := &row.Cells
	t.tasks++
	for c := range NumColumns {
		if cells[c].Kind != Absent {
			t.present[c]++
		}
	}
	at := cells[ColSubmitS].Num
	if n := len(t.submit); n > 0 && at < t.submit[n-1] {
		t.unsorted = true
	}
	t.submit = append(t.submit, at)
	slots := 1.0
	if cells[ColSlots].Kind != Absent {
		slots = cells[ColSlots].Num
	}
	t.slots.add(slots)
	time := 0.0
	if cells[ColWorkS].Kind != Absent {
		t.work.add(cells[ColWorkS].Num)
		time = slots * cells[ColWorkS].Num
	}
	t.slotTime += unit.Seconds(time)
	t.classes.add(textOr(cells[ColClass], "batch"), time)
	t.kinds.add(textOr(cells[ColKind], "any"), time)
	t.groups.add(textOr(cells[ColGroup], "none"), time)
	t.input.addCell(cells[ColInputBytes])
	t.output.addCell(cells[ColOutputBytes])
	t.shuffle.addCell(cells[ColShuffleBytes])
	t.reads(cells)
	return nil
}

// reads takes in what the row reads of named data sets.
func (t *tally) reads(cells *[NumColumns]Cell) {
	if cells[ColDataset].Kind == Absent {
		return
	}
	t.names = appendEntries(t.names[:0], cells[ColDataset].String())
	t.volumes = appendEntries(t.volumes[:0], cells[ColInputBytes].String())
	for i, name := range t.names {
		bytes := 0.0
		if i < len(t.volumes) {
			bytes, _ = parseNumber(t.volumes[i])
		}
		t.sets.add(name, bytes)
	}
}

// appendEntries appends the entries of a ";" list.
func appendEntries(dst []string, list string) []string {
	for s := range strings.SplitSeq(list, ";") {
		dst = append(dst, trim(s))
	}
	return dst
}

func textOr(c Cell, absent string) string {
	if c.Kind == Absent {
		return absent
	}
	return c.String()
}

// maxDays is the longest trace of which each day is counted. Chosen: ten years.
const maxDays = 3660

// stats sums up.
func (t *tally) stats() *Stats {
	s := &Stats{
		Tasks: t.tasks, Unsorted: t.unsorted,
		Classes: t.classes.largest(len(t.classes.list)), Kinds: t.kinds.largest(len(t.kinds.list)),
		Groups: t.groups.largest(10), GroupCount: len(t.groups.list),
		Slots: t.slots.distribution(), WorkS: t.work.distribution(), SlotHours: t.slotTime.Hours(),
		InputBytes: t.input.distribution(), ShuffleBytes: t.shuffle.distribution(), OutputBytes: t.output.distribution(),
		Datasets: t.sets.sum(),
	}
	for c := range NumColumns {
		if n := t.present[c]; n > 0 {
			s.Present = append(s.Present, ColumnUse{c.String(), n})
		} else {
			s.Missing = append(s.Missing, c.String())
		}
	}
	if t.tasks > 0 {
		slices.Sort(t.submit)
		s.FirstS, s.LastS = t.submit[0], t.submit[len(t.submit)-1]
		s.SpanS = s.LastS - s.FirstS
		s.Arrivals = arrivals(t.submit)
	}
	return s
}

// arrivals counts sorted submissions by time.
func arrivals(submit []float64) Arrivals {
	var a Arrivals
	start := startOf(submit[0])
	last := submit[len(submit)-1]
	if days := math.Floor((last-start)/86400) + 1; days <= maxDays {
		a.PerDay = make([]int64, int(days))
	}
	if span := unit.Seconds(last - submit[0]).Hours(); span > 0 {
		a.MeanPerHour = float64(len(submit)) / span
	}
	hour, inHour := math.Inf(-1), int64(0)
	for _, at := range submit {
		if a.PerDay != nil {
			a.PerDay[int((at-start)/86400)]++
		}
		h := math.Floor((at - start) / 3600)
		a.HourOfDay[int(math.Mod(h, 24))]++
		if h != hour {
			hour, inHour = h, 0
		}
		if inHour++; inHour > a.MaxPerHour {
			a.MaxPerHour, a.BusiestHour = inHour, int64(h)
		}
	}
	return a
}

// A measure keeps a number of each task.
type measure struct {
	q   stats.Quantiles
	sum float64
}

func (m *measure) add(v float64) {
	m.q.Add(v)
	m.sum += v
}

// addCell takes in a cell that is a number or a list of them, if it is there.
func (m *measure) addCell(c Cell) {
	if v, ok := sumCell(c); ok {
		m.add(v)
	}
}

func (m *measure) distribution() Distribution {
	d := Distribution{N: int64(m.q.N()), Sum: m.sum}
	if d.N == 0 {
		return d
	}
	d.Mean = m.sum / float64(d.N)
	for _, p := range []struct {
		at   float64
		into *float64
	}{{0, &d.Min}, {0.5, &d.P50}, {0.9, &d.P90}, {0.99, &d.P99}, {1, &d.Max}} {
		*p.into, _ = m.q.At(p.at)
	}
	return d
}

// parts counts tasks by a text.
type parts struct {
	list   []Part
	places map[string]int
}

func newParts() parts { return parts{places: map[string]int{}} }

func (p *parts) add(name string, slotTime float64) {
	i, ok := p.places[name]
	if !ok {
		i = len(p.list)
		name = strings.Clone(name)
		p.places[name] = i
		p.list = append(p.list, Part{Name: name})
	}
	p.list[i].Tasks++
	p.list[i].SlotHours += unit.Seconds(slotTime).Hours()
}

// largest returns the n parts with the most tasks.
func (p *parts) largest(n int) []Part {
	slices.SortFunc(p.list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Name, b.Name))
	})
	return p.list[:min(n, len(p.list))]
}

// sets counts what is read of data sets.
type sets struct {
	list    []Set
	varying []bool
	places  map[string]int
	read    float64
}

func (s *sets) add(name string, bytes float64) {
	s.read += bytes
	i, ok := s.places[name]
	if !ok {
		name = strings.Clone(name)
		s.places[name] = len(s.list)
		s.list = append(s.list, Set{Name: name, Reads: 1, Bytes: bytes})
		s.varying = append(s.varying, false)
		return
	}
	set := &s.list[i]
	set.Reads++
	s.varying[i] = s.varying[i] || set.Bytes != bytes
	set.Bytes = max(set.Bytes, bytes)
}

func (s *sets) sum() Datasets {
	d := Datasets{Count: len(s.list), ReadBytes: s.read}
	for i := range s.list {
		set := &s.list[i]
		d.Reads += set.Reads
		d.Bytes += set.Bytes
		if set.Reads > 1 {
			d.Reused++
			d.Again += set.Reads - 1
		}
		if s.varying[i] {
			d.Varying++
		}
		if d.MostRead == nil || set.Reads > d.MostRead.Reads {
			d.MostRead = set
		}
		if d.Largest == nil || set.Bytes > d.Largest.Bytes {
			d.Largest = set
		}
	}
	return d
}
