// Package policy decides where a task runs: screens, options, prices, rules.
//
// # Model
//
// A task is screened first: compliance, exclusion rules, portability, tolerance of
// delay, cost of interruptions. One that fails stays in its domain and is never
// priced outside it; compliance knows no exception. Every pool that is left and
// could run the task is a candidate, priced as
//
//	transfer fee + compute + storage
//	+ value of time × (transfer + queue + compute) + expected interruption
//
// What crosses the border of the task's domain names the candidate's option:
//
//	wait       runs in its own domain, on a copy there: nothing crosses
//	move-task  runs outside it, in a domain that holds a complete copy
//	move-data  its input has to come in from another domain
//
// A policy picks one candidate. It sees a View of the present and the estimates
// made from it, never a clock, a random number or the future; the same View and
// task always give the same answer.
//
// Queue time is what the pool's own discipline would make of the task if it came
// now, by estimates; the rate of a transfer is the share that one more flow
// would get now. Image and data are brought together, so stage-in takes as long
// as the slowest of them; the result is returned after the compute.
//
// Where the task crosses its domain's border, three gates must be open (Gates): a
// channel, verified resume, an aligned environment. What its plan lacks and can be
// had is part of its price: people's time for a channel, an alignment.
//
// Interruptions are priced by the expected time that they add, at what an hour of
// the slots and of the task costs.
package policy

import (
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// An Option is one of the three ways to serve a task.
type Option uint8

// The options, in the order that breaks ties between them.
const (
	Wait Option = iota
	MoveTask
	MoveData
	NumOptions
	// None is the option of a task that was refused or needed no decision.
	None = NumOptions
)

var optionNames = [NumOptions + 1]string{"wait", "move-task", "move-data", "none"}

func (o Option) String() string { return optionNames[o] }

// OptionNames returns the names of the options, None last.
func OptionNames() []string { return optionNames[:] }

// A Part is the slots of one pool that a gang takes. A gang that is not spread has
// one part.
type Part struct {
	Pool  topo.PoolID
	Slots int32
}

// A Leg is one movement of data: from a storage or from slots, over the links
// between two rooms, into a storage or onto slots.
type Leg struct {
	From, To topo.RoomID
	Reads    bool // takes part of From's storage read rate
	Writes   bool // takes part of To's storage write rate
	Weight   float64
	MaxRate  unit.Rate // +Inf: none
}

// A Holder is a room that holds a data set, or will.
type Holder struct {
	Room topo.RoomID
	// Ready is when a copy that is on its way is expected, by its rate now; the
	// zero Time says that it is there.
	Ready    unit.Time
	Complete bool
}

// A View is what a policy may know: the present, and estimates made from it.
type View interface {
	Now() unit.Time
	// Slots returns the slots that the pool can ever give: those not held; Free
	// those that nobody has now.
	Slots(topo.PoolID) int32
	Free(topo.PoolID) int32
	// StartEstimate returns when the pools of the parts would start the task if it
	// came now, by their own discipline and what they believe of run times.
	StartEstimate([]Part, *task.Task) unit.Time
	// StartsNow reports whether StartEstimate is now; it may be cheaper.
	StartsNow([]Part, *task.Task) bool
	// OnSlots returns how long the task is believed to stay on the slots: what is
	// left of its work, with the saves of its state, the synchronizations of a gang
	// that is spread and, where it goes on from a checkpoint, the loading of it.
	OnSlots([]Part, *task.Task) unit.Seconds
	// Believed returns the run time at speed 1 that is believed of the task.
	Believed(*task.Task) unit.Seconds
	// Interruption returns how much longer than OnSlots says interruptions are
	// expected to make the task's way to its end on such slots.
	Interruption([]Part, *task.Task) unit.Seconds
	// Aligned reports whether the task's environment exists in the room.
	Aligned(*task.Task, topo.RoomID) bool
	// HasChannel reports whether the links of a leg that want to be reserved are,
	// or would be, for those bytes of the task; true where none wants to be.
	HasChannel(*task.Task, Leg, unit.Bytes) bool
	// Stretch returns the q quantile of what past forecasts of that kind came to,
	// as a factor of what was forecast: of transfers between the hubs of two rooms, of
	// the queue of a pool, of the compute time of a class; 1 where there are none.
	Stretch(f Forecast, of ForecastOf, q float64) float64
	// Checkpoint returns where the state is from which the task would go on, and
	// how much it is; ok is false where it has none yet.
	Checkpoint(*task.Task) (at topo.RoomID, bytes unit.Bytes, ok bool)
	// StateSpace returns the space that the task's checkpoints take in its room.
	StateSpace(*task.Task) unit.Bytes
	// Holders returns the rooms that hold, or will hold, the task's i-th input.
	// The slice is valid until the next call.
	Holders(t *task.Task, i int) []Holder
	// HasImage reports whether a copy of the task's image is in the room, and
	// when, as for Holder.Ready.
	HasImage(*task.Task, topo.RoomID) (ready unit.Time, ok bool)
	// Delay returns what passes before the first byte of a leg flows: latency
	// and start-up; ok is false where there is no route.
	Delay(Leg) (delay unit.Seconds, price unit.PerGB, ok bool)
	// Rate returns what one more flow would get on the leg now.
	Rate(Leg) unit.Rate
	// Capacity returns what it would get at most: if it were alone.
	Capacity(Leg) unit.Rate
	// StoragePrice returns what it costs to keep data in the room.
	StoragePrice(topo.RoomID) unit.PerGBMonth
	// HasRoom reports whether the room's storage can take that much more.
	HasRoom(topo.RoomID, unit.Bytes) bool
}

// A Forecast is a kind of estimate that is compared with what happens.
type Forecast uint8

const (
	OfTransfer Forecast = iota
	OfQueue
	OfCompute
	NumForecasts
)

// A ForecastOf says of what: the ends of a transfer, the pool of a queue, the class
// of a compute time.
type ForecastOf struct {
	From, To topo.RoomID
	Pool     topo.PoolID
	Class    task.Class
}

// Domain says how wide a task's own domain is.
type Domain uint8

const (
	RoomDomain Domain = iota
	CityDomain
	HubDomain
)

// Terms are what a scenario says about decisions.
type Terms struct {
	Topology *topo.Topology
	Domain   Domain
	// ValueOfTime is the share of a task's hourly compute price, at the cheapest
	// fitting pool of its home, that an hour of its turnaround costs.
	ValueOfTime float64
	// StageInside holds slots while data comes in: staging is then paid as
	// compute too, and comes after the queue.
	StageInside bool
	// Rules exclude tasks; nil excludes none. Symbols are the names of the trace's
	// catalog, for what a rule knows of a task.
	Rules   *Rules
	Symbols []string

	Thresholds Thresholds
	// Without are the gates that nobody asks for: dispatch believes that all is
	// there, and pays in fact for what is not.
	Without Gates
	// Blind leaves what the network costs and takes out of the prices.
	Blind bool
	// Reservable says that some links want to be reserved; Lead is how long people
	// take on average to arrange a channel where none is, where they do.
	Reservable bool
	Lead       Lead
	Alignment  Alignment
	// Buffer is the quantile of past forecast errors that a buffered policy adds.
	Buffer float64
	// Manual is the room of each class for the policy manual, -1 where it has none.
	Manual [task.NumClasses]topo.RoomID
}

// Thresholds are the lines of the indicators.
type Thresholds struct {
	Share        float64 // of the network in the total
	ShareCash    float64 // of it in cash
	Interruption float64 // interruption cost over benefit
	Latency      float64 // P95 of a segment over its budget
	// Ratio is the most data, in GB, for an hour of compute; 0 has it follow from
	// prices (Indicators).
	Ratio float64
}

// A Lead is the time that people take to arrange a channel ad hoc.
type Lead struct {
	Offered bool // else a plan that lacks a channel is not dispatched
	Mean    unit.Seconds
}

// Same reports whether two rooms are in one domain.
func (d Domain) Same(t *topo.Topology, a, b topo.RoomID) bool {
	switch d {
	case RoomDomain:
		return a == b
	case CityDomain:
		return t.Rooms[a].City == t.Rooms[b].City
	}
	return t.Rooms[a].Hub == t.Rooms[b].Hub
}
