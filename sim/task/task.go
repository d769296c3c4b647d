// Package task says what a task is: the one description that every model reads.
//
// A Task is what a trace row holds after fill rules and defaults, with names
// already turned into indices: rooms, kinds and jurisdictions of the topology,
// and symbols of the trace's own catalog for groups, data sets, images and
// environments. The columns and their defaults are those of the trace schema
// (package trace).
package task

import (
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A Class is what kind of work a task does.
type Class uint8

// The classes of the trace schema, in its order.
const (
	TrainingParallel Class = iota
	TrainingTight
	Preprocess
	Batch
	Inference
	Render
	Science
	Online
	Stateful
	Consistent
	Transfer
	NumClasses
)

var classNames = [NumClasses]string{
	"training-parallel", "training-tight", "preprocess", "batch", "inference", "render", "science",
	"online", "stateful", "consistent", "transfer",
}

func (c Class) String() string { return classNames[c] }

// ParseClass finds a class by its name.
func ParseClass(s string) (Class, bool) {
	for i, n := range classNames {
		if n == s {
			return Class(i), true
		}
	}
	return 0, false
}

// ClassNames returns the names of all classes, in order.
func ClassNames() []string { return classNames[:] }

// A Symbol is a name of the trace's catalog; 0 is "", no name.
type Symbol uint32

// A DatasetID is a named data set of the trace's catalog; 0 is none: data that
// only the one task reads.
type DatasetID uint32

// A Field is an optional value that a Task may lack.
type Field uint16

// Optional fields: where Has reports false the value is zero and means nothing.
const (
	Estimate Field = 1 << iota
	ValuePerHour
	TransferBudget
	QueueBudget
	ComputeBudget
	Deadline
	MaxRate
	RecordedWait
	RecordedRoom
	HasImage // image_bytes > 0 or an image named
)

// How a task's input is read.
type Access uint8

const (
	Stage  Access = iota // brought first
	Remote               // read over the network while it computes
)

// Checkpointing of a task.
type Checkpointing uint8

const (
	NoCheckpoint Checkpointing = iota
	FixedInterval
	YoungDaly
)

// Span is the widest place that a gang may spread over.
type Span uint8

const (
	SpanPool Span = iota
	SpanRoom
	SpanCity
	SpanHub
)

// An Input is one data set that a task reads.
type Input struct {
	Dataset DatasetID // 0: private to this task
	Bytes   unit.Bytes
	// Homes are the rooms that hold it when the task arrives. For a named data
	// set they stand in the catalog, for all tasks, and Homes is empty.
	Homes []topo.RoomID
}

// A Set is a set of jurisdictions as a bit mask by topo.JurisdictionID.
type Set uint64

// Anywhere holds every jurisdiction and the rooms that state none.
const Anywhere Set = ^Set(0)

// Allows reports whether the set holds j.
func (s Set) Allows(j topo.JurisdictionID) bool { return s>>j&1 == 1 }

// A Task is one job of the trace.
type Task struct {
	Row    int64 // its place in the merged trace, from 0
	Name   []byte
	Submit unit.Time
	Has    Field

	Class    Class
	Access   Access
	Span     Span
	Portable bool
	// Stateless says of a service that it keeps nothing that a move would lose.
	Stateless bool
	// Resumable says that a checkpoint can be resumed from elsewhere.
	Resumable     bool
	Checkpointing Checkpointing
	// Carried marks a task that was running when the replayed part began: it
	// takes slots for its remainder and stands outside the metrics.
	Carried bool

	Group       Symbol
	Image       Symbol
	Environment Symbol
	Licenses    []Symbol

	Kind     topo.KindID
	Slots    int32
	Priority int32
	Work     unit.Seconds
	Estimate unit.Seconds // at speed 1

	Home       topo.RoomID
	ResultHome topo.RoomID
	Inputs     []Input
	Scans      float64

	Output        unit.Bytes
	OutputDataset DatasetID
	ImageBytes    unit.Bytes
	State         unit.Bytes
	Checkpoint    unit.Seconds // of FixedInterval

	Allowed       Set // where its data may be
	ResultAllowed Set // where its results may be

	TransferBudget, QueueBudget, ComputeBudget, Deadline unit.Seconds

	Value unit.PerHour // of turnaround, where ValuePerHour is present

	SyncBytes   unit.Bytes
	Syncs       float64
	Compression float64
	Parts       int32

	Weight  float64 // share weight of its transfers
	MaxRate unit.Rate

	RecordedWait unit.Seconds
	RecordedRoom topo.RoomID

	After []int64 // rows of the tasks that must be done before
}

// OfKind reports whether the task runs on slots of that kind.
func (t *Task) OfKind(k topo.KindID) bool { return t.Kind == topo.AnyKind || t.Kind == k }

// Spreads reports whether the gang may take slots of several pools. Tight coupling
// never leaves a pool.
func (t *Task) Spreads() bool {
	return t.Span > SpanPool && t.Class != TrainingTight && t.Slots > 1
}

// Present reports whether the optional field is there.
func (t *Task) Present(f Field) bool { return t.Has&f != 0 }

// InputBytes returns what the task reads, over all its data sets.
func (t *Task) InputBytes() unit.Bytes {
	var sum unit.Bytes
	for i := range t.Inputs {
		sum += t.Inputs[i].Bytes
	}
	return sum
}

// RateLimit returns the cap of each of the task's transfers.
func (t *Task) RateLimit() unit.Rate {
	if !t.Present(MaxRate) {
		return unit.Unlimited()
	}
	return t.MaxRate
}
