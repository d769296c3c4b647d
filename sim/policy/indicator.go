package policy

import (
	"math"

	"tiersim/sim/task"
	"tiersim/sim/unit"
)

// An Indicator is one of the four numbers by which a plan that leaves its domain is
// judged.
type Indicator uint8

// The indicators, in the order of the checklist.
const (
	DataCompute      Indicator = iota // GB that cross for an hour of compute
	InterruptionCost                  // expected cost of interruptions over what the plan saves otherwise
	LatencyBudget                     // the worst segment's P95 over its budget
	NetworkShare                      // transfer fee over total, and over cash
	NumIndicators
)

var indicatorNames = [NumIndicators]string{"data-compute", "interruption", "latency", "network-share"}

func (i Indicator) String() string { return indicatorNames[i] }

// An Action is what to do where an indicator does not hold.
type Action uint8

// Actions.
const (
	NoAction      Action = iota
	MoveCompute          // take the task to its data
	LockQuota            // keep it where it is, on slots that nobody takes away
	ShortTransfer        // a nearer copy, a reserved channel, or less to bring
	ShortQueue           // another pool, or a reservation of slots
	ShortCompute         // faster slots, or more of them
	Compress             // and rethink: move compute, find nearer
)

var actionNames = [...]string{
	"", "move the task to its data", "lock the quota", "shorten the transfer", "shorten the queue", "shorten the compute",
	"compress, move the task, or find a nearer place",
}

func (a Action) String() string { return actionNames[a] }

// A Reading is an indicator's value with its verdict.
type Reading struct {
	Value, Threshold float64
	Holds            bool
	Action           Action // where it does not hold
}

// A Budget is a segment of a plan beside what the task tolerates of it.
type Budget struct {
	P95, Limit unit.Seconds // Limit is +Inf where none is stated
}

// Readings are the four indicators of a plan that leaves the domain, against the
// best of staying.
type Readings struct {
	By [NumIndicators]Reading
	// Extra and Gain are the interruption indicator in time: what interruptions add,
	// and how much sooner the plan ends without them.
	Extra, Gain unit.Seconds
	// Budgets are the three segments: transfer, queue, compute.
	Budgets [3]Budget
	// Cash is the network's share of the cash.
	Cash Reading
}

// Hold reports whether the plan passes all of them. The share of the total decides;
// that of cash is stricter and is told.
func (x *Readings) Hold() bool {
	for i := range x.By {
		if !x.By[i].Holds {
			return false
		}
	}
	return true
}

// Indicators returns the indicators of a plan that leaves the domain, out, against
// the best of staying, home; nil where the task cannot stay.
//
// The line of the first follows from prices where no other is given. What crosses,
// V, costs κ an hour and GB, fee and value of time; with G what the plan saves if
// nothing had to cross, and T the hours of compute, it pays where
//
//	V/T < R* = G/(κ·T),   κ = (fee + value of transfer time)/V
//
// which for equal run times is [(c_L−c_R) + v·ΔQ/T]/κ, with c the hourly prices and
// ΔQ the difference of the queues.
func (d *Desk) Indicators(v View, t *task.Task, out, home *Candidate) Readings {
	var x Readings
	lines := &d.terms.Thresholds
	value := d.Value(t)

	crossing := out.Brings
	if out.Room != t.ResultHome {
		crossing += t.Output
	}
	hours := out.Compute.Hours()
	ratio := &x.By[DataCompute]
	ratio.Value, ratio.Threshold = over(crossing.GB(), hours), lines.Ratio
	if lines.Ratio == 0 {
		ratio.Threshold = math.Inf(1)
		if network := float64(out.Fee + in(value, out.Transfer)); home != nil && crossing > 0 && network > 0 {
			stay := home.ComputeCost + in(value, home.Queue+home.Compute)
			gain := float64(stay - out.ComputeCost - in(value, out.Queue+out.Compute))
			ratio.Threshold = max(0, over(gain/(network/crossing.GB()), hours))
		}
	}
	ratio.judge(MoveCompute)

	risk := &x.By[InterruptionCost]
	risk.Threshold = lines.Interruption
	x.Extra = out.Extra
	if home != nil {
		x.Gain = home.Transfer + home.Queue + home.Compute + home.Extra - (out.Transfer + out.Queue + out.Compute)
		risk.Value = outweighs(float64(out.Interruption), float64(home.Total-(out.Total-out.Interruption)))
	}
	risk.judge(LockQuota)

	x.Budgets = d.budgets(v, t, out)
	delay := &x.By[LatencyBudget]
	delay.Threshold = lines.Latency
	actions := [...]Action{ShortTransfer, ShortQueue, ShortCompute}
	action := NoAction
	for i, b := range x.Budgets {
		if used := outweighs(float64(b.P95), float64(b.Limit)); used > delay.Value || i == 0 {
			delay.Value, action = used, actions[i]
		}
	}
	delay.judge(action)

	share := &x.By[NetworkShare]
	share.Value, share.Threshold = over(float64(out.Fee), float64(out.Total)), lines.Share
	share.judge(Compress)
	x.Cash = Reading{Value: over(float64(out.Fee), float64(out.Total-out.Time-out.Interruption)), Threshold: lines.ShareCash}
	x.Cash.judge(Compress)
	return x
}

func (r *Reading) judge(otherwise Action) {
	if r.Holds = r.Value <= r.Threshold; !r.Holds {
		r.Action = otherwise
	}
}

// budgets returns the P95 of the three segments, by past forecast errors, beside
// what the task tolerates. A deadline that is nearer than the sum of the budgets is
// the limit of the whole, and each segment's is what the others leave.
func (d *Desk) budgets(v View, t *task.Task, c *Candidate) [3]Budget {
	never := unit.Seconds(math.Inf(1))
	b := [3]Budget{
		{c.Transfer * unit.Seconds(max(1, v.Stretch(OfTransfer, ForecastOf{From: c.From, To: c.Room}, tail))), never},
		{lateQueue(c.Queue, max(1, v.Stretch(OfQueue, ForecastOf{Pool: c.Pool}, tail))), never},
		{c.Compute * unit.Seconds(max(1, v.Stretch(OfCompute, ForecastOf{Class: t.Class}, tail))), never},
	}
	for i, f := range [...]struct {
		field task.Field
		limit unit.Seconds
	}{{task.TransferBudget, t.TransferBudget}, {task.QueueBudget, t.QueueBudget}, {task.ComputeBudget, t.ComputeBudget}} {
		if t.Present(f.field) {
			b[i].Limit = f.limit
		}
	}
	if t.Present(task.Deadline) {
		left := t.Deadline - v.Now().Sub(t.Submit)
		all := b[0].P95 + b[1].P95 + b[2].P95
		for i := range b {
			b[i].Limit = min(b[i].Limit, max(0, left-(all-b[i].P95)))
		}
	}
	return b
}

// over is a/b; 0 where there is nothing above the line, +Inf where there is
// something and nothing below it.
func over(a, b float64) float64 {
	switch {
	case a == 0:
		return 0
	case b == 0:
		return math.Inf(1)
	}
	return a / b
}

// outweighs is what a cost is of a benefit: 0 where it costs nothing, +Inf where it
// costs something and there is no benefit.
func outweighs(cost, benefit float64) float64 {
	switch {
	case cost <= 0:
		return 0
	case benefit <= 0:
		return math.Inf(1)
	case math.IsInf(cost, 1):
		return cost
	}
	return cost / benefit
}
