package record

import "tiersim/sim/unit"

// A Name is an index into one of the tables of Names: what repeats is told by
// number and never hashed. A name that is "" there is absent in the file.
type Name int32

// Names are the tables that a Run's rows refer to. They must not change while a
// Run writes.
type Names struct {
	Classes    []string
	Groups     []string
	Rooms      []string
	Pools      []string // hub/room/pool
	Kinds      []string
	Links      []string
	Tiers      []string
	Options    []string // the first eight can be told in TaskRow.Available
	Reasons    []string
	Statuses   []string
	Purposes   []string
	EndReasons []string
	Gates      []string
	// Route returns the text of a route by a number of the caller's own, such as
	// from·rooms+to. A Run asks it once for each route that occurs.
	Route func(Name) string
}

// An Opt is a value that may be absent. Its zero value is.
type Opt[T any] struct {
	Value T
	OK    bool
}

// Some returns a value that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, OK: true} }

// A TaskRow is a row of tasks: what became of a task. Byte slices are copied.
type TaskRow struct {
	Task      []byte
	Class     Name
	Group     Name
	Home      Name
	DataHome  []byte // as in the trace: ";" lists, "+" within one set; empty: absent
	Room      Opt[Name]
	Option    Name
	Available uint8 // bit i: it had Names.Options[i]
	Reason    Name

	Submit unit.Time
	Start  Opt[unit.Time]
	Finish Opt[unit.Time]

	Transfer, Image, Input, Result               unit.Seconds
	Queue, Compute, Save, Lost, Restart, Blocked unit.Seconds

	Interruptions int32
	BytesMoved    unit.Bytes

	CostTransfer, CostCompute, CostStorage, CostTime, CostTotal, CostCash unit.Money

	NetworkShare     Opt[float64]
	NetworkShareCash Opt[float64]
	DataComputeRatio Opt[float64] // GB/h
	EstimateTotal    Opt[unit.Money]
	Status           Name

	Pool         Opt[Name]
	Slots        int32
	Work         unit.Seconds
	InputBytes   unit.Bytes
	RecordedWait Opt[unit.Seconds]
}

// A TransferRow is a row of transfers: bytes that were asked to go from one room
// to another.
type TransferRow struct {
	Task      []byte
	Purpose   Name
	From, To  Name
	Bytes     unit.Bytes
	Again     unit.Bytes // sent twice
	Requested unit.Time
	Start     Opt[unit.Time]
	Finish    Opt[unit.Time]
	Latency   unit.Seconds
	MeanRate  Opt[unit.Rate]
	Cost      unit.Money
	Reserved  bool
}

// An AttemptRow is a row of attempts: one stay of a task on slots.
type AttemptRow struct {
	Task              []byte
	Attempt           int32 // from 1
	Room, Pool        Name
	Start, End        unit.Time
	Work, Saved, Lost unit.Seconds
	EndReason         Name
	Save, Restart     unit.Seconds
	Pools             int32
	Efficiency        Opt[float64]
}

// A DecisionRow is a row of decisions: one option that a task was offered, at
// its best room.
type DecisionRow struct {
	Task   []byte
	Option Name
	Room   Name
	Route  Opt[Name]

	Transfer, Queue, Compute                             unit.Seconds
	Fee, ComputeCost, Time, Interruption, Total, Storage unit.Money

	Gate   Opt[Name]
	Chosen bool
	Margin Opt[unit.Money]

	Decided unit.Time
	Pool    Name
}

// A LinkRow is a row of links: what one direction of a line did in an interval.
type LinkRow struct {
	Time        unit.Time
	Interval    unit.Seconds
	Link        Name
	Tier        Name
	Capacity    Opt[unit.Rate]
	Carried     unit.Bytes
	Utilization Opt[float64]
	Flows       int32
}

// A PoolRow is a row of pools: what a pool did in an interval.
type PoolRow struct {
	Time        unit.Time
	Interval    unit.Seconds
	Pool        Name
	Kind        Name
	Slots       int32
	Held        int32
	Away        float64      // mean over the interval
	Busy        unit.Seconds // slots times seconds
	Utilization Opt[float64]
	Queued      float64
}
