// Package replay runs one replication: it carries every task of a trace through
// its life under one policy. It is the only package that knows all models.
//
// # Model
//
// A task arrives, waits for the tasks it comes after (blocked), is decided,
// brings image and data together (transfer), asks for slots (queue), computes
// and returns its results (transfer). With staging inside, it asks for slots
// first and holds them while data comes in. Every second between arrival and
// done belongs to one of these segments, every unit of money to one of four
// terms: transfer fee, compute, storage, time. Both sums are checked for every
// task and against the books of the links and pools at the end.
//
// A set of data that a task brings whole stays in the room as a copy; another
// task that needs the set while it is on its way waits for it and does not pay.
//
// Slots may be taken away at any time (package pool: contracts). An attempt is laid
// out ahead (task.Plan) and split where it is cut into what is kept, saved, lost and
// loaded; the task is then decided again, and its state follows it as a transfer. A
// gang that is spread synchronizes over a ring of its rooms, as one flow, and is cut
// off by a link of it that goes down. Where no task comes further for a long time
// (patience), the run ends.
//
// # Not modeled
//
// Saves and loads in place do not compete for the storage; synchronizations are not
// followed one by one; tasks on one node fail apart; nobody avoids a place since it
// often fails.
//
// # Determinism
//
// The weather (capacities, held slots, jitter, what takes slots away) is drawn from
// streams named by link, pool and task, so that it is the same under every policy.
// A run is a function of its Setup. Events of one instant fire in the order of
// package des; one replication is one goroutine.
package replay

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/policy"
	"tiersim/sim/pool"
	"tiersim/sim/record"
	"tiersim/sim/rng"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// A Setup is what a replication depends on.
type Setup struct {
	World   *scenario.World
	Trace   *trace.Trace
	Policy  string
	Streams rng.Streams
	// Weather are the streams of what happens whatever the policy: capacities,
	// jitter, slots that are held and taken away. Left zero, they are Streams.
	Weather rng.Streams
	// Record takes the rows; nil where no tables are wanted.
	Record *record.Run
	// Progress, where not nil, is told how far the run is.
	Progress *Progress
}

// Progress tells a watcher in another goroutine how far a run is.
type Progress struct {
	Now    atomic.Uint64 // math.Float64bits of the simulated time in seconds
	Done   atomic.Int64  // tasks that have ended
	Events atomic.Int64
}

// An Outcome is what a replication comes to.
type Outcome struct {
	Metrics []record.Metric
	Tasks   int64 // of the trace, carried ones left out
	Events  int64
	// Digest folds every event in order: equal digests mean equal runs.
	Digest uint64
}

// Event kinds.
const (
	latencyOver uint8 = iota
	flowEnd
	attemptEnd
	capacityChange
	arrival
	decision
	pass
	sample
	horizon
	interruption
	nodeBack
	availability
	maintenance
	maintained
	heldChange
	shaperChange
	syncChange
	reservationBegins
	reservationEnds
	environmentReady
	channelReady
)

// run is the state of a replication: slices addressed by index, so that it can
// be copied in the middle.
type run struct {
	setup  Setup
	world  *scenario.World
	topo   *topo.Topology
	events des.List
	net    *network.Network
	pools  []poolState
	reader *trace.Reader
	desk   *policy.Desk
	stage  staging

	weather      weather
	hazards      hazards
	booked       reservations
	environments environments
	forecasts    forecasts
	learns       bool      // the policy reads estimates, so that they are compared with what happens
	moved        unit.Time // when a task last came or came further

	next    int32 // the life whose row arrives next
	hasNext bool
	last    unit.Time // instant of the last arrival

	lives     []life // [0] is never used: index 0 is none
	freeLives []int32
	active    int64
	moves     []move // [0] is never used
	freeMoves []int32
	store     store
	after     dependencies

	rates     rateCache
	started   []int32 // buffer of a pass
	running   []int32 // buffer of those on slots
	ring      ring    // buffer of a gang's rooms
	onLine    []network.FlowID
	reserving []topo.LinkID
	route     []topo.LinkID // buffer of a route
	holders   []policy.Holder

	count   tally
	books   books
	samples sampler
	rows    rowBuffers
	digest  uint64
	fired   int64
	err     error
}

type poolState struct {
	*pool.Pool
	spec        *topo.Pool
	passPending bool

	held   int32 // slots for services, now
	away   int32 // slots of nodes that will come back
	varies bool  // the slots that tasks can have change in time
	keeps  bool  // slots are held for services
}

// staging is whether data is brought before slots are asked for, or on them.
type staging uint8

const (
	stageBefore staging = iota
	stageInside
)

// Run replays the trace of the setup. It ends early, with the context's error,
// when the context does. Any other error is a promise that did not hold: a sum
// that does not add up, a link above its capacity, a task without an end.
func Run(ctx context.Context, s Setup) (*Outcome, error) {
	r, err := newRun(s)
	if err != nil {
		return nil, err
	}
	if err := r.loop(ctx); err != nil {
		return nil, err
	}
	if err := r.close(); err != nil {
		return nil, err
	}
	return &Outcome{Metrics: r.metrics(), Tasks: r.count.arrived, Events: r.fired, Digest: r.digest}, nil
}

func newRun(s Setup) (*run, error) {
	p, err := policy.New(s.Policy)
	if err != nil {
		return nil, err
	}
	w := s.World
	if s.Weather == (rng.Streams{}) {
		s.Weather = s.Streams
	}
	r := &run{setup: s, world: w, topo: w.Topology, lives: make([]life, 1), moves: make([]move, 1)}
	if w.StageInside {
		r.stage = stageInside
	}
	r.desk = policy.NewDesk(termsOf(&s), p, r.recordsPrices())
	if w.Rules != nil {
		r.count.rules = make([]int64, len(w.Rules.List))
	}
	r.learns = p.Prices() != policy.Unpriced
	r.environments = newEnvironments(w.Topology, s.Trace.Catalog.Symbols)
	r.forecasts = newForecasts(w.Topology)
	r.weather = newWeather(w, s.Weather)
	r.net = network.New(r.weather.capacities(w.Topology), &r.events, network.Kinds{Latency: latencyOver, FlowEnd: flowEnd, Shaper: shaperChange})
	r.net.SetOnOutage(w.Network.OnOutage)
	for l, shaper := range w.Shapers {
		if shaper != (network.Shaper{}) {
			r.net.Shape(topo.LinkID(l), shaper)
		}
	}
	r.pools = make([]poolState, len(w.Topology.Pools))
	for i := range r.pools {
		spec := &w.Topology.Pools[i]
		r.pools[i] = poolState{Pool: pool.New(*spec), spec: spec, held: spec.Held, keeps: spec.Held > 0 || w.Held != nil && w.Held[i] != nil}
	}
	r.hazards = newHazards(w, s.Weather)
	if r.store, err = newStore(w.Topology, s.Trace.Catalog); err != nil {
		return nil, err
	}
	r.rates = newRateCache(len(w.Topology.Rooms))
	r.samples = newSampler(w.Topology, s.Trace)
	r.reader = s.Trace.Reader()
	r.after = newDependencies(s.Trace)
	r.scheduleWeather()
	r.scheduleHazards()
	r.reserve()
	if err := r.readNext(); err != nil {
		return nil, err
	}
	r.scheduleEnds()
	return r, nil
}

// termsOf returns what a replication's scenario says about decisions.
func termsOf(s *Setup) policy.Terms {
	w := s.World
	p := &w.Parameters
	terms := policy.Terms{
		Topology: w.Topology, Domain: p.Domain, ValueOfTime: p.ValueOfTime, StageInside: w.StageInside,
		Rules: w.Rules, Symbols: s.Trace.Catalog.Symbols,
		Thresholds: p.Thresholds, Without: p.Without, Blind: p.Blind, Buffer: p.Buffer,
		Reservable: w.Reservable != nil, Alignment: w.Alignment, Manual: w.Manual,
	}
	if w.Lead != nil {
		terms.Lead = policy.Lead{Offered: true, Mean: unit.Seconds(w.Lead.Mean())}
	}
	return terms
}

// scheduleEnds sets the horizon and the first sample of links and pools.
func (r *run) scheduleEnds() {
	if at, ok := r.world.HorizonAt(r.setup.Trace.Last); ok {
		r.at(at, des.Start+1, horizon, 0)
	}
	r.at(unit.Time(r.samples.interval), des.Start+1, sample, 0)
}

// loop fires events until every task has ended or the horizon is reached.
func (r *run) loop(ctx context.Context) error {
	for r.hasNext || r.active > 0 {
		e, ok := r.events.Next()
		if !ok {
			r.count.stalled = 1
			break // what is left waits for something that never comes
		}
		r.fired++
		r.fold(e)
		if r.fired&0xfff == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			r.tell()
		}
		if e.Kind == horizon {
			break
		}
		if e.Kind == sample && r.stalled() {
			r.count.stalled = 1
			break
		}
		r.handle(e)
		if r.err != nil {
			return fmt.Errorf("at %v: %w", float64(e.At), r.err)
		}
	}
	r.tell()
	return nil
}

func (r *run) handle(e des.Event) {
	switch e.Kind {
	case latencyOver, flowEnd, shaperChange:
		r.rates.epoch++
		if id, done := r.net.Handle(e); done {
			r.moveDone(r.net.Owner(id), id)
		}
	case attemptEnd:
		r.computed(e.Index)
	case capacityChange:
		r.changeCapacity(topo.LinkID(e.Index))
	case decision:
		r.decide(e.Index)
	case arrival:
		r.arrive(e.Index)
	case pass:
		r.pass(topo.PoolID(e.Index))
	case sample:
		r.sample()
	default:
		r.disturb(e)
	}
}

// disturb handles the events that take slots away and give them back.
func (r *run) disturb(e des.Event) {
	switch e.Kind {
	case interruption:
		r.nodeFails(e.Index)
	case nodeBack:
		r.nodeReturns(e.Index)
	case availability:
		r.changeAvailable(e.Index)
	case maintenance:
		r.maintain(e.Index)
	case maintained:
		r.endMaintenance(e.Index)
	case heldChange:
		r.changeHeld(topo.PoolID(e.Index))
	case syncChange:
		r.tickSync(e.Index)
	case reservationBegins:
		r.beginPiece(e.Index)
	case reservationEnds:
		r.endPiece(e.Index)
	case environmentReady:
		r.arrived(e.Index)
	case channelReady:
		r.prepared(e.Index)
	}
}

// fold adds an event to the digest (FNV-1a over its words).
func (r *run) fold(e des.Event) {
	const prime = 0x100000001b3
	r.digest = (r.digest ^ math.Float64bits(float64(e.At))) * prime
	r.digest = (r.digest ^ uint64(e.Kind)<<32 ^ uint64(uint32(e.Index))) * prime
}

func (r *run) tell() {
	if p := r.setup.Progress; p != nil {
		p.Now.Store(math.Float64bits(float64(r.events.Now())))
		p.Done.Store(r.count.ended())
		p.Events.Store(r.fired)
	}
}

// at schedules an event now or later.
func (r *run) at(t unit.Time, priority, kind uint8, index int32) {
	r.events.Schedule(des.Event{At: t, Priority: priority, Kind: kind, Index: index})
}

func (r *run) now() unit.Time { return r.events.Now() }
