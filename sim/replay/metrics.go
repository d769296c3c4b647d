package replay

import (
	"tiersim/sim/policy"
	"tiersim/sim/record"
	"tiersim/sim/stats"
	"tiersim/sim/task"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// slowdownFloor bounds the slowdown of very short tasks: turnaround over
// max(work, 10 s), at least 1 (Feitelson, JSSPP 2001, bounded slowdown).
const slowdownFloor unit.Seconds = 10

// tally counts what the tasks of a run came to, by class.
type tally struct {
	arrived           int64
	carried           int64
	notKept           int64                    // copies that a room had no space for
	stalled           float64                  // 1: the run ended since nothing moved any more
	cuts              [numCauses]int64         // interruptions
	leads, alignments int64                    // channels that people arranged; environments that were made
	held              [policy.NumReasons]int64 // of those that a screen or a gate held
	rules             []int64                  // of those that each rule held
	reasons           [policy.NumReasons]int64 // of those refused
	status            [numStatus]int64
	class             [task.NumClasses]classTally
}

func (c *tally) ended() int64 { return c.status[done] + c.status[refused] + c.status[censored] }

// A classTally sums over the tasks of one class.
type classTally struct {
	tasks                    int64
	status                   [numStatus]int64
	fee, compute, keep, time unit.Money
	slotHours                float64
	moved, read              unit.Bytes
	transfer, queue          unit.Seconds
	wait, turnaround         stats.Quantiles // of those that started; of those done
	waited, turned           unit.Seconds    // their sums
	slowdown                 float64
	chosen                   [policy.NumOptions + 1]optionTally
	available                [policy.NumOptions]int64

	cuts                int64
	saved, lost, loaded toll
	fetched             unit.Seconds // restarts without slots
	refetched           unit.Money   // fees of what came again after interruptions
	again               unit.Bytes   // sent twice
	useful, synced      unit.Seconds // work and compute time of gangs that synchronized
}

// A toll is what a segment on slots took of them and cost.
type toll struct {
	slotHours float64
	money     unit.Money
}

func (t *toll) add(s unit.Seconds, slots int32, hourly unit.PerHour) {
	t.slotHours += s.Hours() * float64(slots)
	t.money += hourly.For(s)
}

func (t *toll) merge(o *toll) { t.slotHours, t.money = t.slotHours+o.slotHours, t.money+o.money }

// tallyStay counts what the attempt that just ended has cost beside its work.
func (r *run) tallyStay(l *life) {
	s := &l.stay.split
	if l.task.Carried {
		return
	}
	if l.stay.useful > 0 {
		k := &r.count.class[l.task.Class]
		k.useful += l.stay.useful
		k.synced += s.Kept + s.Lost
	}
	if s.Save == 0 && s.Lost == 0 && s.Restart == 0 {
		return
	}
	k, hourly := &r.count.class[l.task.Class], r.hourly(l)
	k.saved.add(s.Save, l.task.Slots, hourly)
	k.lost.add(s.Lost, l.task.Slots, hourly)
	k.loaded.add(s.Restart, l.task.Slots, hourly)
}

type optionTally struct {
	tasks     int64
	slotHours float64
	moved     unit.Bytes
	money     unit.Money
}

func (c *tally) add(r *run, l *life, s status) {
	c.status[s]++
	if l.reason != policy.NoReason && s != refused {
		c.held[l.reason]++
		if l.rule > 0 && l.reason == policy.Excluded {
			c.rules[l.rule-1]++
		}
	}
	if s == refused {
		c.reasons[l.reason]++
	}
	k := &c.class[l.task.Class]
	k.tasks++
	k.status[s]++
	k.fee, k.compute, k.keep, k.time = k.fee+l.fee, k.compute+l.compute, k.keep+l.keep, k.time+l.time
	onSlots := l.spent[inCompute]
	hours := onSlots.Hours() * float64(l.task.Slots)
	k.slotHours += hours
	k.moved += l.moved
	k.read += l.task.InputBytes()
	k.transfer += l.spent[inTransfer]
	k.queue += l.spent[inQueue]
	k.cuts += int64(l.past.cuts)
	k.fetched += l.past.fetched
	if l.started {
		waited := l.start.Sub(l.task.Submit)
		k.wait.Add(float64(waited))
		k.waited += waited
	}
	if s == done {
		took := r.now().Sub(l.task.Submit)
		k.turnaround.Add(float64(took))
		k.turned += took
		k.slowdown += max(1, float64(took/max(l.task.Work, slowdownFloor)))
	}
	option := l.option
	if !l.decided {
		option = policy.None
	}
	o := &k.chosen[option]
	o.tasks++
	o.slotHours += hours
	o.moved += l.moved
	o.money += l.fee + l.compute + l.keep + l.time
	for i, had := range l.available {
		if had {
			k.available[i]++
		}
	}
}

// merge adds another class's sums.
func (k *classTally) merge(o *classTally) {
	k.tasks += o.tasks
	for i := range k.status {
		k.status[i] += o.status[i]
	}
	k.fee, k.compute, k.keep, k.time = k.fee+o.fee, k.compute+o.compute, k.keep+o.keep, k.time+o.time
	k.slotHours += o.slotHours
	k.moved += o.moved
	k.read += o.read
	k.transfer += o.transfer
	k.queue += o.queue
	k.slowdown += o.slowdown
	k.cuts += o.cuts
	k.fetched += o.fetched
	k.refetched += o.refetched
	k.again += o.again
	k.useful += o.useful
	k.synced += o.synced
	k.saved.merge(&o.saved)
	k.lost.merge(&o.lost)
	k.loaded.merge(&o.loaded)
	k.wait.Merge(&o.wait)
	k.turnaround.Merge(&o.turnaround)
	k.waited, k.turned = k.waited+o.waited, k.turned+o.turned
	for i := range k.chosen {
		k.chosen[i].tasks += o.chosen[i].tasks
		k.chosen[i].slotHours += o.chosen[i].slotHours
		k.chosen[i].moved += o.chosen[i].moved
		k.chosen[i].money += o.chosen[i].money
	}
	for i := range k.available {
		k.available[i] += o.available[i]
	}
}

// metrics returns what the run came to, over all tasks and by class, link and
// pool.
func (r *run) metrics() []record.Metric {
	var all classTally
	for i := range r.count.class {
		all.merge(&r.count.class[i])
	}
	m := sheet{}
	m.class("all", &all)
	m.put("all", "carried", float64(r.count.carried))
	for i, n := range r.count.reasons {
		if name := policy.Reason(i).String(); name != "" {
			m.put("all", "refused_"+name, float64(n))
		}
	}
	for i, n := range r.count.held {
		if name := policy.Reason(i).String(); name != "" {
			m.put("all", "held_"+name, float64(n))
		}
	}
	for i, n := range r.count.rules {
		m.put("all", "held_excluded:"+r.world.Rules.List[i].Name, float64(n))
	}
	if r.world.Rules == nil {
		m.put("all", "without_rules", 1)
	}
	m.put("all", "leads", float64(r.count.leads))
	m.put("all", "alignments", float64(r.count.alignments))
	m.put("all", "copies_not_kept", float64(r.count.notKept))
	for i, n := range r.count.cuts {
		m.put("all", "interruptions_"+causeNames[i], float64(n))
	}
	m.put("all", "stalled", r.count.stalled)
	r.reservationMetrics(&m)
	r.forecastMetrics(&m)
	for i := range r.count.class {
		if k := &r.count.class[i]; k.tasks > 0 {
			m.class(task.Class(i).String(), k)
		}
	}
	r.linkMetrics(&m)
	r.poolMetrics(&m)
	return m
}

// A sheet is a list of metrics that is being written.
type sheet []record.Metric

func (m *sheet) put(scope, name string, v float64) {
	*m = append(*m, record.Metric{Scope: scope, Name: name, Value: v})
}

func (m *sheet) class(scope string, k *classTally) {
	m.put(scope, "tasks", float64(k.tasks))
	for s := range k.status {
		m.put(scope, status(s).String(), float64(k.status[s]))
	}
	total := k.fee + k.compute + k.keep + k.time
	cash := total - k.time
	m.put(scope, "cost_transfer", float64(k.fee))
	m.put(scope, "cost_compute", float64(k.compute))
	m.put(scope, "cost_storage", float64(k.keep))
	m.put(scope, "cost_time", float64(k.time))
	m.put(scope, "cost_total", float64(total))
	m.put(scope, "cost_cash", float64(cash))
	m.put(scope, "network_share", ratio(float64(k.fee), float64(total)))
	m.put(scope, "network_share_cash", ratio(float64(k.fee), float64(cash)))
	m.times(scope, "wait", &k.wait, k.waited)
	m.times(scope, "turnaround", &k.turnaround, k.turned)
	m.put(scope, "bounded_slowdown_mean", ratio(k.slowdown, float64(k.status[done])))
	m.put(scope, "transfer_mean_s", ratio(float64(k.transfer), float64(k.tasks)))
	m.put(scope, "queue_mean_s", ratio(float64(k.queue), float64(k.tasks)))
	m.put(scope, "slot_hours", k.slotHours)
	m.put(scope, "bytes_moved", float64(k.moved))
	m.put(scope, "input_bytes", float64(k.read))
	m.put(scope, "interruptions", float64(k.cuts))
	m.put(scope, "lost_slot_hours", k.lost.slotHours)
	m.put(scope, "lost_money", float64(k.lost.money))
	m.put(scope, "save_slot_hours", k.saved.slotHours)
	m.put(scope, "save_money", float64(k.saved.money))
	m.put(scope, "restart_slot_hours", k.loaded.slotHours)
	m.put(scope, "restart_hours", k.fetched.Hours())
	m.put(scope, "restart_money", float64(k.loaded.money+k.refetched))
	m.put(scope, "bytes_sent_again", float64(k.again))
	if k.synced > 0 {
		m.put(scope, "sync_efficiency", float64(k.useful/k.synced))
	}
	for i := range k.chosen {
		name := "chosen_" + policy.Option(i).String()
		m.put(scope, name+"_tasks", float64(k.chosen[i].tasks))
		m.put(scope, name+"_slot_hours", k.chosen[i].slotHours)
		m.put(scope, name+"_bytes", float64(k.chosen[i].moved))
		m.put(scope, name+"_money", float64(k.chosen[i].money))
	}
	for i, n := range k.available {
		m.put(scope, "available_"+policy.Option(i).String()+"_tasks", float64(n))
	}
}

// times writes the mean and two quantiles of lengths of time, nothing where
// there are none.
func (m *sheet) times(scope, name string, q *stats.Quantiles, sum unit.Seconds) {
	if q.N() == 0 {
		return
	}
	m.put(scope, name+"_mean_s", float64(sum)/float64(q.N()))
	for _, p := range []struct {
		name string
		at   float64
	}{{"_p50_s", 0.5}, {"_p95_s", 0.95}} {
		v, _ := q.At(p.at)
		m.put(scope, name+p.name, v)
	}
}

// ratio is a/b, 0 where there is nothing to share.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// linkMetrics tells of each link that has a limit and carried something while
// tasks arrived; of all it ever carried, too.
func (r *run) linkMetrics(m *sheet) {
	for i := range r.topo.Links {
		s := &r.samples.links[i]
		if s.carried == 0 || r.topo.Links[i].Capacity == unit.Unlimited() {
			continue
		}
		scope := "link:" + r.topo.Links[i].Name
		m.put(scope, "carried_bytes", float64(s.carried))
		m.put(scope, "utilization", ratio(float64(s.atLast.carried), s.atLast.offered))
		m.put(scope, "full_share", ratio(float64(s.atLast.full), float64(r.last)))
	}
}

// poolMetrics tells of each pool how busy it was, and how much was asked of it
// while tasks arrived; where slots are held for services, too, how many were left
// to them beyond that in all but a twentieth of the samples, and for how long
// tasks had some of theirs.
func (r *run) poolMetrics(m *sheet) {
	for p := range r.pools {
		ps := &r.pools[p]
		scope := "pool:" + r.topo.PoolName(topo.PoolID(p))
		s := &r.samples.pools[p]
		could := float64(ps.Capacity()) * float64(r.last)
		if ps.varies {
			could = float64(ps.spec.Slots)*float64(r.last) - s.heldAtLast
		}
		m.put(scope, "utilization", ratio(s.busyAtLast, could))
		m.put(scope, "load", ratio(s.asked, could))
		if ps.keeps {
			least, _ := s.headroom.At(0.05)
			m.put(scope, "headroom_p5_slots", least)
			m.put(scope, "headroom_short_hours", ps.ShortSeconds(r.now()).Hours())
		}
	}
}
