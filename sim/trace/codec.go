package trace

import (
	"encoding/binary"
	"math"

	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A record of the spool is one task: its length, its origin, the name, the fields
// of fixed size and the lists, all little-endian. Fields that few traces have are
// left out where they hold their defaults, which most records do. Row is not in it: it is the record's
// place. What a record says of its origin (source, line, names of `after`) serves
// the preparation alone.

// An origin is where a record comes from.
type origin struct {
	source uint16
	copy   uint16 // 0 for the task itself, 1 for its first copy
	line   int64
}

// Flags of a record.
const (
	flagPortable = 1 << iota
	flagResumable
	flagCarried
	flagStateless
	flagRare // rare fields follow
)

type encoder struct{ b []byte }

func (e *encoder) u8(v uint8)    { e.b = append(e.b, v) }
func (e *encoder) u16(v uint16)  { e.b = binary.LittleEndian.AppendUint16(e.b, v) }
func (e *encoder) u32(v uint32)  { e.b = binary.LittleEndian.AppendUint32(e.b, v) }
func (e *encoder) u64(v uint64)  { e.b = binary.LittleEndian.AppendUint64(e.b, v) }
func (e *encoder) f64(v float64) { e.u64(math.Float64bits(v)) }

// headSize is the length of what stands before the task: see encode.
const headSize = 4 + 4 + 2 + 2 + 8

// encode appends the record of a task to b. The names of the tasks it comes
// after stand in after until their rows are known; then t.After holds those.
func encode(b []byte, t *task.Task, o origin, after []string) []byte {
	start := len(b)
	e := encoder{b: b}
	e.u32(0) // length, set below
	e.u32(uint32(len(t.Name)))
	e.u16(o.source)
	e.u16(o.copy)
	e.u64(uint64(o.line))
	e.b = append(e.b, t.Name...)
	e.fixed(t)
	e.lists(t)
	e.u32(uint32(len(after)))
	for _, name := range after {
		e.u32(uint32(len(name)))
		e.b = append(e.b, name...)
	}
	binary.LittleEndian.PutUint32(e.b[start:], uint32(len(e.b)-start))
	return e.b
}

func (e *encoder) fixed(t *task.Task) {
	e.f64(float64(t.Submit))
	e.u16(uint16(t.Has))
	e.u8(uint8(t.Class))
	var flags uint8
	if t.Portable {
		flags |= flagPortable
	}
	if t.Resumable {
		flags |= flagResumable
	}
	if t.Stateless {
		flags |= flagStateless
	}
	if t.Carried {
		flags |= flagCarried
	}
	rare := rareOf(t)
	if rare != usual {
		flags |= flagRare
	}
	e.u8(flags)
	e.u32(uint32(t.Group))
	e.u32(uint32(t.Image))
	e.u32(uint32(t.Kind))
	e.u32(uint32(t.Slots))
	e.u32(uint32(t.Priority))
	e.u32(uint32(t.Home))
	e.u32(uint32(t.ResultHome))
	e.f64(float64(t.Work))
	e.f64(float64(t.Estimate))
	e.f64(float64(t.Output))
	e.f64(float64(t.ImageBytes))
	e.u64(uint64(t.Allowed))
	e.u64(uint64(t.ResultAllowed))
	if rare != usual {
		e.rare(&rare)
	}
}

// rareFields are those that few traces have.
type rareFields struct {
	access              task.Access
	span                task.Span
	checkpointing       task.Checkpointing
	environment         task.Symbol
	outputDataset       task.DatasetID
	recordedRoom        topo.RoomID
	parts               int32
	scans               float64
	state               unit.Bytes
	checkpoint          unit.Seconds
	transfer, queue     unit.Seconds
	compute, deadline   unit.Seconds
	value               unit.PerHour
	syncBytes           unit.Bytes
	syncs               float64
	compression, weight float64
	maxRate             unit.Rate
	recordedWait        unit.Seconds
}

// usual are the rare fields of a row that says nothing of them.
var usual = rareFields{parts: 1, scans: 1, compression: 1, weight: 1}

func rareOf(t *task.Task) rareFields {
	return rareFields{
		t.Access, t.Span, t.Checkpointing, t.Environment, t.OutputDataset, t.RecordedRoom, t.Parts, t.Scans,
		t.State, t.Checkpoint, t.TransferBudget, t.QueueBudget, t.ComputeBudget, t.Deadline, t.Value,
		t.SyncBytes, t.Syncs, t.Compression, t.Weight, t.MaxRate, t.RecordedWait,
	}
}

func (r *rareFields) to(t *task.Task) {
	t.Access, t.Span, t.Checkpointing, t.Environment = r.access, r.span, r.checkpointing, r.environment
	t.OutputDataset, t.RecordedRoom, t.Parts, t.Scans = r.outputDataset, r.recordedRoom, r.parts, r.scans
	t.State, t.Checkpoint, t.TransferBudget, t.QueueBudget = r.state, r.checkpoint, r.transfer, r.queue
	t.ComputeBudget, t.Deadline, t.Value = r.compute, r.deadline, r.value
	t.SyncBytes, t.Syncs, t.Compression, t.Weight = r.syncBytes, r.syncs, r.compression, r.weight
	t.MaxRate, t.RecordedWait = r.maxRate, r.recordedWait
}

func (e *encoder) rare(r *rareFields) {
	e.u8(uint8(r.access))
	e.u8(uint8(r.span))
	e.u8(uint8(r.checkpointing))
	e.u32(uint32(r.environment))
	e.u32(uint32(r.outputDataset))
	e.u32(uint32(r.recordedRoom))
	e.u32(uint32(r.parts))
	e.f64(r.scans)
	e.f64(float64(r.state))
	e.f64(float64(r.checkpoint))
	e.f64(float64(r.transfer))
	e.f64(float64(r.queue))
	e.f64(float64(r.compute))
	e.f64(float64(r.deadline))
	e.f64(float64(r.value))
	e.f64(float64(r.syncBytes))
	e.f64(r.syncs)
	e.f64(r.compression)
	e.f64(r.weight)
	e.f64(float64(r.maxRate))
	e.f64(float64(r.recordedWait))
}

func (d *decoder) rare() (r rareFields) {
	r.access = task.Access(d.u8())
	r.span = task.Span(d.u8())
	r.checkpointing = task.Checkpointing(d.u8())
	r.environment = task.Symbol(d.u32())
	r.outputDataset = task.DatasetID(d.u32())
	r.recordedRoom = topo.RoomID(d.u32())
	r.parts = int32(d.u32())
	r.scans = d.f64()
	r.state = unit.Bytes(d.f64())
	r.checkpoint = unit.Seconds(d.f64())
	r.transfer = unit.Seconds(d.f64())
	r.queue = unit.Seconds(d.f64())
	r.compute = unit.Seconds(d.f64())
	r.deadline = unit.Seconds(d.f64())
	r.value = unit.PerHour(d.f64())
	r.syncBytes = unit.Bytes(d.f64())
	r.syncs = d.f64()
	r.compression = d.f64()
	r.weight = d.f64()
	r.maxRate = unit.Rate(d.f64())
	r.recordedWait = unit.Seconds(d.f64())
	return r
}

func (e *encoder) lists(t *task.Task) {
	e.u32(uint32(len(t.Inputs)))
	for i := range t.Inputs {
		in := &t.Inputs[i]
		e.u32(uint32(in.Dataset))
		e.f64(float64(in.Bytes))
		e.u32(uint32(len(in.Homes)))
		for _, h := range in.Homes {
			e.u32(uint32(h))
		}
	}
	e.u32(uint32(len(t.Licenses)))
	for _, l := range t.Licenses {
		e.u32(uint32(l))
	}
	e.u32(uint32(len(t.After)))
	for _, row := range t.After {
		e.u64(uint64(row))
	}
}

// A decoder reads what an encoder wrote.
type decoder struct {
	b []byte
	i int
}

func (d *decoder) u8() uint8     { v := d.b[d.i]; d.i++; return v }
func (d *decoder) u16() uint16   { v := binary.LittleEndian.Uint16(d.b[d.i:]); d.i += 2; return v }
func (d *decoder) u32() uint32   { v := binary.LittleEndian.Uint32(d.b[d.i:]); d.i += 4; return v }
func (d *decoder) u64() uint64   { v := binary.LittleEndian.Uint64(d.b[d.i:]); d.i += 8; return v }
func (d *decoder) f64() float64  { return math.Float64frombits(d.u64()) }
func (d *decoder) text() []byte  { n := int(d.u32()); v := d.b[d.i : d.i+n]; d.i += n; return v }
func recordName(b []byte) []byte { return b[headSize:][:binary.LittleEndian.Uint32(b[4:])] }

func recordOrigin(b []byte) origin {
	d := decoder{b: b, i: 8}
	return origin{source: d.u16(), copy: d.u16(), line: int64(d.u64())}
}

// recordTime returns when a record's task is submitted, and whether it is carried.
func recordTime(b []byte) (at unit.Time, carried bool) {
	d := decoder{b: b, i: headSize + len(recordName(b))}
	at = unit.Time(d.f64())
	d.i += 2 + 1
	return at, d.u8()&flagCarried != 0
}

// decode fills t from a whole record, reusing its slices, and returns a decoder
// that stands at the names of `after`.
func decode(b []byte, t *task.Task) decoder {
	d := decoder{b: b, i: headSize}
	name := recordName(b)
	t.Name = append(t.Name[:0], name...)
	d.i += len(name)
	d.fixed(t)
	d.lists(t)
	return d
}

func (d *decoder) fixed(t *task.Task) {
	t.Submit = unit.Time(d.f64())
	t.Has = task.Field(d.u16())
	t.Class = task.Class(d.u8())
	flags := d.u8()
	t.Portable = flags&flagPortable != 0
	t.Resumable = flags&flagResumable != 0
	t.Stateless = flags&flagStateless != 0
	t.Carried = flags&flagCarried != 0
	t.Group = task.Symbol(d.u32())
	t.Image = task.Symbol(d.u32())
	t.Kind = topo.KindID(d.u32())
	t.Slots = int32(d.u32())
	t.Priority = int32(d.u32())
	t.Home = topo.RoomID(d.u32())
	t.ResultHome = topo.RoomID(d.u32())
	t.Work = unit.Seconds(d.f64())
	t.Estimate = unit.Seconds(d.f64())
	t.Output = unit.Bytes(d.f64())
	t.ImageBytes = unit.Bytes(d.f64())
	t.Allowed = task.Set(d.u64())
	t.ResultAllowed = task.Set(d.u64())
	rare := usual
	if flags&flagRare != 0 {
		rare = d.rare()
	}
	rare.to(t)
}

func (d *decoder) lists(t *task.Task) {
	n := int(d.u32())
	if cap(t.Inputs) < n {
		t.Inputs = append(t.Inputs[:cap(t.Inputs)], make([]task.Input, n-cap(t.Inputs))...)
	}
	t.Inputs = t.Inputs[:n]
	for i := range t.Inputs {
		in := &t.Inputs[i]
		in.Dataset = task.DatasetID(d.u32())
		in.Bytes = unit.Bytes(d.f64())
		in.Homes = in.Homes[:0]
		for range d.u32() {
			in.Homes = append(in.Homes, topo.RoomID(d.u32()))
		}
	}
	t.Licenses = t.Licenses[:0]
	for range d.u32() {
		t.Licenses = append(t.Licenses, task.Symbol(d.u32()))
	}
	t.After = t.After[:0]
	for range d.u32() {
		t.After = append(t.After, int64(d.u64()))
	}
}
