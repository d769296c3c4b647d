package replay

import (
	"slices"
	"strings"

	"tiersim/sim/policy"
	"tiersim/sim/record"
	"tiersim/sim/scenario"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/trace"
	"tiersim/sim/unit"
)

// Ends of an attempt, as indices of record.Names.EndReasons.
const (
	endDone record.Name = iota
	endCensored
	endCut // the first of the causes
)

// endOf is the end of an attempt that was interrupted.
func endOf(c cause) record.Name { return endCut + record.Name(c) }

// Names returns the tables of names that a run's rows refer to.
func Names(w *scenario.World, t *trace.Trace) record.Names {
	n := record.Names{
		Classes: task.ClassNames(), Groups: t.Catalog.Symbols, Kinds: w.Topology.Kinds,
		Tiers:   []string{topo.RoomTier.String(), topo.CityTier.String(), topo.HubTier.String(), topo.StorageTier.String()},
		Options: policy.OptionNames(), Reasons: policy.ReasonNames(), Statuses: statusNames[:], Gates: policy.GateNames(),
		Purposes: purposeNames[:], EndReasons: append([]string{endDone: "done", endCensored: "censored"}, causeNames[:]...),
	}
	for i := range w.Topology.Rooms {
		n.Rooms = append(n.Rooms, w.Topology.Rooms[i].Name)
	}
	for p := range w.Topology.Pools {
		n.Pools = append(n.Pools, w.Topology.PoolName(topo.PoolID(p)))
	}
	for i := range w.Topology.Links {
		n.Links = append(n.Links, w.Topology.Links[i].Name)
	}
	if w.Rules != nil {
		n.Reasons = slices.Clone(n.Reasons)
		for _, rule := range w.Rules.List {
			n.Reasons = append(n.Reasons, policy.Excluded.String()+":"+rule.Name)
		}
	}
	n.Route = func(id record.Name) string {
		rooms := len(w.Topology.Rooms)
		return routeName(w.Topology, topo.RoomID(int(id)/rooms), topo.RoomID(int(id)%rooms))
	}
	return n
}

// routeName names the places that a route passes.
func routeName(t *topo.Topology, a, b topo.RoomID) string {
	ra, rb := &t.Rooms[a], &t.Rooms[b]
	places := []string{ra.Name}
	if a != b {
		places = append(places, t.Cities[ra.City].Name)
		if ra.City != rb.City {
			if hubs, ok := t.HubPath(ra.Hub, rb.Hub); ok {
				for _, h := range hubs {
					places = append(places, t.Hubs[h].Name)
				}
			}
			places = append(places, t.Cities[rb.City].Name)
		}
		places = append(places, rb.Name)
	}
	return strings.Join(places, ">")
}

// recordsPrices reports whether rows are written that hold estimates.
func (r *run) recordsPrices() bool {
	rec := r.setup.Record
	return rec.Wants(record.Tasks) || rec.Wants(record.Decisions)
}

// some returns v where ok.
func some[T any](v T, ok bool) record.Opt[T] {
	if !ok {
		return record.Opt[T]{}
	}
	return record.Some(v)
}

// share returns a/b, nothing where b is 0.
func share(a, b float64) record.Opt[float64] {
	if b == 0 {
		return record.Opt[float64]{}
	}
	return record.Some(a / b)
}

func (r *run) recordTask(l *life, s status) {
	rec := r.setup.Record
	if !rec.Wants(record.Tasks) {
		return
	}
	t := &l.task
	cash := l.fee + l.compute + l.keep
	total := cash + l.time
	row := &r.rows.task
	*row = record.TaskRow{
		Task: t.Name, Class: record.Name(t.Class), Group: record.Name(t.Group), Home: record.Name(t.Home),
		DataHome: r.dataHome(t),
		Room:     some(record.Name(l.plan.Room), l.decided), Option: record.Name(l.option), Reason: reasonOf(l),
		Pool:   some(record.Name(l.plan.Pool), l.decided),
		Submit: t.Submit, Start: some(l.start, l.started), Finish: some(r.now(), s == done),
		Transfer: l.spent[inTransfer], Image: l.image, Input: l.input, Result: l.result,
		Queue: l.spent[inQueue], Compute: l.spent[inCompute], Save: l.spent[inSave],
		Lost: l.spent[inLost], Restart: l.spent[inRestart], Blocked: l.spent[inBlocked],
		Interruptions: l.past.cuts, BytesMoved: l.moved,
		CostTransfer: l.fee, CostCompute: l.compute, CostStorage: l.keep, CostTime: l.time,
		CostTotal: total, CostCash: cash,
		NetworkShare: share(float64(l.fee), float64(total)), NetworkShareCash: share(float64(l.fee), float64(cash)),
		DataComputeRatio: share(t.InputBytes().GB(), t.Work.Hours()),
		EstimateTotal:    some(l.plan.Total, l.decided), Status: record.Name(s),
		Slots: t.Slots, Work: t.Work, InputBytes: t.InputBytes(),
		RecordedWait: some(t.RecordedWait, t.Present(task.RecordedWait)),
	}
	if !l.decided {
		row.Option = record.Name(policy.None)
	}
	for o, had := range l.available {
		if had {
			row.Available |= 1 << o
		}
	}
	rec.Task(row)
}

// reasonOf is the name of a life's reason: of one that a rule excludes, the rule's.
func reasonOf(l *life) record.Name {
	if l.rule > 0 && l.reason == policy.Excluded {
		return record.Name(policy.NumReasons) + record.Name(l.rule-1)
	}
	return record.Name(l.reason)
}

// dataHome writes the rooms that held the task's data as the trace does.
func (r *run) dataHome(t *task.Task) []byte {
	b := r.rows.text[:0]
	for i := range t.Inputs {
		if i > 0 {
			b = append(b, ';')
		}
		homes := t.Inputs[i].Homes
		if set := t.Inputs[i].Dataset; set != 0 {
			homes = r.setup.Trace.Catalog.Datasets[set].Homes
		}
		for k, h := range homes {
			if k > 0 {
				b = append(b, '+')
			}
			b = append(b, r.topo.Rooms[h].Name...)
		}
	}
	r.rows.text = b
	return b
}

func (r *run) recordMove(l *life, m *move, arrived bool) {
	rec := r.setup.Record
	if !rec.Wants(record.Transfers) || l.task.Carried {
		return
	}
	begin := m.requested.Add(m.delay)
	flowed := r.now().Sub(begin)
	row := record.TransferRow{
		Task: l.task.Name, Purpose: record.Name(m.purpose), From: record.Name(m.leg.From), To: record.Name(m.leg.To),
		Bytes: m.bytes, Again: r.net.Again(m.flow), Requested: m.requested, Latency: m.delay,
		Start: some(begin, m.bytes > 0 && flowed >= 0), Finish: some(r.now(), arrived), Reserved: m.booking.channel != 0,
	}
	if flowed > 0 && m.bytes > 0 {
		row.MeanRate = record.Some(unit.Rate(float64(m.bytes) / float64(flowed)))
	}
	if m.leg.From != m.leg.To {
		row.Cost = m.price.Times(m.bytes + row.Again)
	}
	rec.Transfer(&row)
}

func (r *run) recordAttempt(l *life, why record.Name) {
	rec := r.setup.Record
	if !rec.Wants(record.Attempts) || l.task.Carried {
		return
	}
	s := &l.stay.split
	row := record.AttemptRow{
		Task: l.task.Name, Attempt: l.past.attempts, Room: record.Name(l.plan.Room), Pool: record.Name(l.plan.Pool),
		Start: l.stay.begin, End: r.now(), Work: s.Kept + s.Lost, Lost: s.Lost, Save: s.Save, Restart: s.Restart, EndReason: why,
		Pools: int32(len(l.parts)), Efficiency: share(float64(l.stay.useful), float64(s.Kept+s.Lost)),
	}
	if l.stay.useful == 0 {
		row.Efficiency = record.Opt[float64]{}
	}
	if why != endCensored {
		row.Saved = s.Kept
	}
	rec.Attempt(&row)
}

func (r *run) recordDecision(l *life, d *policy.Decision) {
	rec := r.setup.Record
	if !rec.Wants(record.Decisions) || !d.OK {
		return
	}
	for o := range d.Best {
		if !d.Available[o] {
			continue
		}
		c := &d.Best[o]
		row := record.DecisionRow{
			Task: l.task.Name, Option: record.Name(o), Room: record.Name(c.Room), Pool: record.Name(c.Pool),
			Route:    some(record.Name(int(c.From)*len(r.topo.Rooms)+int(c.Room)), c.Brings > 0),
			Transfer: c.Transfer, Queue: c.Queue, Compute: c.Compute,
			Fee: c.Fee, ComputeCost: c.ComputeCost, Storage: c.Storage, Time: c.Time,
			Interruption: c.Interruption, Total: c.Total,
			Gate: some(record.Name(c.Gates), !c.Gates.Open()), Chosen: policy.Option(o) == d.Chosen.Option, Decided: r.now(),
		}
		if row.Chosen {
			row.Margin = some(d.Margin, d.RunnerUp)
		}
		rec.Decision(&row)
	}
}

func (r *run) recordLink(l topo.LinkID, length unit.Seconds, moved unit.Bytes, could float64) {
	rec := r.setup.Record
	if !rec.Wants(record.Links) {
		return
	}
	if moved == 0 && r.net.Flows(l) == 0 {
		return // nothing happened: the table says so by having no row
	}
	limited := r.topo.Links[l].Capacity < unit.Unlimited()
	rec.Link(&record.LinkRow{
		Time: r.samples.from, Interval: length, Link: record.Name(l), Tier: record.Name(r.topo.Links[l].Tier),
		Capacity: some(unit.Rate(could/float64(length)), limited), Carried: moved,
		Utilization: some(float64(moved)/could, limited && could > 0), Flows: int32(r.net.Flows(l)),
	})
}

func (r *run) recordPool(p topo.PoolID, length unit.Seconds, busy, queued, held float64) {
	rec := r.setup.Record
	if !rec.Wants(record.Pools) {
		return
	}
	spec := r.pools[p].spec
	could := float64(r.pools[p].Capacity()) * float64(length)
	services := spec.Held
	if r.pools[p].varies {
		could = float64(spec.Slots)*float64(length) - held
		services = r.pools[p].held
	}
	rec.Pool(&record.PoolRow{
		Time: r.samples.from, Interval: length, Pool: record.Name(p), Kind: record.Name(spec.Kind),
		Slots: spec.Slots, Held: services, Away: held/float64(length) - float64(services), Busy: unit.Seconds(busy), Utilization: share(busy, could),
		Queued: queued / float64(length),
	})
}

// rowBuffers hold rows that are too large to be made anew each time.
type rowBuffers struct {
	task record.TaskRow
	text []byte
}
