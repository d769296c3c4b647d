package record

func taskColumns() []column[TaskRow] {
	type row = TaskRow
	return []column[row]{
		text("task", "name of the task, unique in the merged trace", func(r *row) []byte { return r.Task }),
		named("class", classes, "what kind of work it does", func(r *row) Name { return r.Class }),
		maybe("group", groups, "whose it is, or what kind; as in the trace", func(r *row) (Name, bool) { return r.Group, true }),
		named("home", rooms, "room it was submitted from", func(r *row) Name { return r.Home }),
		maybeText("data_home", "rooms that held its data when it arrived: a ; list, one entry per data set, rooms of one set joined by +", func(r *row) []byte { return r.DataHome }),
		maybe("room", rooms, "room it ran in, or was to run in; absent where it was refused", func(r *row) (Name, bool) { return r.Room.Value, r.Room.OK }),
		named("option", options, "how it was served: wait, move-task, move-data, or none where nothing was decided", func(r *row) Name { return r.Option }),
		named("available", optionSets, "the options that it had, a ; list; empty where it had none", func(r *row) Name { return Name(r.Available) }),
		maybe("reason", reasons, "which screen held it in its domain, or why it was refused; absent where nothing stopped it", func(r *row) (Name, bool) { return r.Reason, true }),
		real("submit_s", "s", "instant of its arrival", func(r *row) float64 { return float64(r.Submit) }),
		optional("start_s", "s", "instant of its first slot; absent where it never had one", func(r *row) (float64, bool) { return value(r.Start) }),
		optional("finish_s", "s", "instant at which its results were where they were wanted; absent where that never came", func(r *row) (float64, bool) { return value(r.Finish) }),
		real("transfer_s", "s", "time in which it could do nothing but wait for its transfers: stage-in and the return of results", func(r *row) float64 { return float64(r.Transfer) }),
		real("image_s", "s", "how long its image took to come", func(r *row) float64 { return float64(r.Image) }),
		real("input_s", "s", "how long its data took to come, from the first request to the last byte", func(r *row) float64 { return float64(r.Input) }),
		real("result_s", "s", "how long its results took to return", func(r *row) float64 { return float64(r.Result) }),
		real("queue_s", "s", "time from asking for slots to having them, over all attempts", func(r *row) float64 { return float64(r.Queue) }),
		real("compute_s", "s", "time of compute that counted", func(r *row) float64 { return float64(r.Compute) }),
		real("save_s", "s", "time of saving checkpoints", func(r *row) float64 { return float64(r.Save) }),
		real("lost_s", "s", "time of compute that an interruption undid", func(r *row) float64 { return float64(r.Lost) }),
		real("restart_s", "s", "time of restarts: bringing state and data after an interruption, and loading state", func(r *row) float64 { return float64(r.Restart) }),
		real("blocked_s", "s", "time of waiting for the tasks it comes after", func(r *row) float64 { return float64(r.Blocked) }),
		integer("interruptions", "", "how often its slots were taken away", func(r *row) int32 { return r.Interruptions }),
		real("bytes_moved", "bytes", "bytes that its transfers carried, those thrown away included", func(r *row) float64 { return float64(r.BytesMoved) }),
		real("cost_transfer", "money", "fees of its transfers", func(r *row) float64 { return float64(r.CostTransfer) }),
		real("cost_compute", "money", "price of the slots it held, for as long as it held them", func(r *row) float64 { return float64(r.CostCompute) }),
		real("cost_storage", "money", "price of keeping what it brought", func(r *row) float64 { return float64(r.CostStorage) }),
		real("cost_time", "money", "value of its turnaround", func(r *row) float64 { return float64(r.CostTime) }),
		real("cost_total", "money", "transfer, compute, storage and time", func(r *row) float64 { return float64(r.CostTotal) }),
		real("cost_cash", "money", "cost_total without time", func(r *row) float64 { return float64(r.CostCash) }),
		optional("network_share", "", "cost_transfer / cost_total; absent where that is 0", func(r *row) (float64, bool) { return value(r.NetworkShare) }),
		optional("network_share_cash", "", "cost_transfer / cost_cash; absent where that is 0", func(r *row) (float64, bool) { return value(r.NetworkShareCash) }),
		optional("data_compute_ratio_gb_h", "GB/h", "input over run time at speed 1; absent where it has no work", func(r *row) (float64, bool) { return value(r.DataComputeRatio) }),
		optional("estimate_total", "money", "what the decision expected cost_total to be; absent where nothing was estimated", func(r *row) (float64, bool) { return value(r.EstimateTotal) }),
		named("status", statuses, "done, refused, or censored: not finished at the horizon", func(r *row) Name { return r.Status }),
		maybe("pool", pools, "pool it ran in, or was to run in, as hub/room/pool", func(r *row) (Name, bool) { return r.Pool.Value, r.Pool.OK }),
		integer("slots", "slots", "size of its gang", func(r *row) int32 { return r.Slots }),
		real("work_s", "s", "run time on the full gang at speed 1, undisturbed", func(r *row) float64 { return float64(r.Work) }),
		real("input_bytes", "bytes", "what it reads, over all its data sets", func(r *row) float64 { return float64(r.InputBytes) }),
		optional("recorded_wait_s", "s", "how long it waited in reality, where the trace says so", func(r *row) (float64, bool) { return value(r.RecordedWait) }),
	}
}

func transferColumns() []column[TransferRow] {
	type row = TransferRow
	return []column[row]{
		text("task", "name of the task that it is for", func(r *row) []byte { return r.Task }),
		named("purpose", purposes, "what it carries", func(r *row) Name { return r.Purpose }),
		named("from", rooms, "room that it leaves", func(r *row) Name { return r.From }),
		named("to", rooms, "room that it goes to", func(r *row) Name { return r.To }),
		real("bytes", "bytes", "how much it was asked to carry", func(r *row) float64 { return float64(r.Bytes) }),
		real("requested_s", "s", "instant at which it was asked for", func(r *row) float64 { return float64(r.Requested) }),
		optional("start_s", "s", "instant of its first byte, after latency and start-up; absent where none flowed", func(r *row) (float64, bool) { return value(r.Start) }),
		optional("finish_s", "s", "instant of its last byte; absent where that never came", func(r *row) (float64, bool) { return value(r.Finish) }),
		real("latency_s", "s", "latency and start-up of its route", func(r *row) float64 { return float64(r.Latency) }),
		optional("mean_rate_bytes_s", "bytes/s", "bytes over the time from first to last; absent where that is 0", func(r *row) (float64, bool) { return value(r.MeanRate) }),
		real("cost", "money", "its fee", func(r *row) float64 { return float64(r.Cost) }),
		flag("reserved", "whether its rate was reserved", func(r *row) bool { return r.Reserved }),
		real("again_bytes", "bytes", "bytes that an outage undid and that were carried, and paid, once more", func(r *row) float64 { return float64(r.Again) }),
	}
}

func attemptColumns() []column[AttemptRow] {
	type row = AttemptRow
	return []column[row]{
		text("task", "name of the task", func(r *row) []byte { return r.Task }),
		integer("attempt", "", "which of the task's attempts, from 1", func(r *row) int32 { return r.Attempt }),
		named("room", rooms, "room it was in", func(r *row) Name { return r.Room }),
		named("pool", pools, "pool it held slots of, as hub/room/pool", func(r *row) Name { return r.Pool }),
		real("start_s", "s", "instant from which it held slots", func(r *row) float64 { return float64(r.Start) }),
		real("end_s", "s", "instant at which it gave them back", func(r *row) float64 { return float64(r.End) }),
		real("work_s", "s", "time of compute, undone work included", func(r *row) float64 { return float64(r.Work) }),
		real("saved_s", "s", "time of compute that the next attempt can build on", func(r *row) float64 { return float64(r.Saved) }),
		real("lost_s", "s", "time of compute that was undone", func(r *row) float64 { return float64(r.Lost) }),
		named("end_reason", endReasons, "why it ended: done, censored, or what took its slots: failure, preemption, capacity, maintenance, link", func(r *row) Name { return r.EndReason }),
		real("save_s", "s", "time of saving checkpoints, one cut short included", func(r *row) float64 { return float64(r.Save) }),
		real("restart_s", "s", "time of loading state on the slots", func(r *row) float64 { return float64(r.Restart) }),
		integer("pools", "", "over how many pools the gang was spread", func(r *row) int32 { return r.Pools }),
		optional("efficiency", "", "work over compute time of a gang that synchronized over the network; absent for others", func(r *row) (float64, bool) { return value(r.Efficiency) }),
	}
}

func decisionColumns() []column[DecisionRow] {
	type row = DecisionRow
	return []column[row]{
		text("task", "name of the task", func(r *row) []byte { return r.Task }),
		named("option", options, "wait, move-task or move-data", func(r *row) Name { return r.Option }),
		named("room", rooms, "best room of the option", func(r *row) Name { return r.Room }),
		maybe("route", routes, "places that what it brings would pass, joined by >; absent where nothing is brought", func(r *row) (Name, bool) { return r.Route.Value, r.Route.OK }),
		real("estimate_transfer_s", "s", "expected time of stage-in and the return of results", func(r *row) float64 { return float64(r.Transfer) }),
		real("estimate_queue_s", "s", "expected time in the pool's queue, by its discipline", func(r *row) float64 { return float64(r.Queue) }),
		real("estimate_compute_s", "s", "expected run time there", func(r *row) float64 { return float64(r.Compute) }),
		real("estimate_fee", "money", "expected fees of transfers", func(r *row) float64 { return float64(r.Fee) }),
		real("estimate_compute", "money", "expected price of slots", func(r *row) float64 { return float64(r.ComputeCost) }),
		real("estimate_time", "money", "value of the expected turnaround", func(r *row) float64 { return float64(r.Time) }),
		real("estimate_interruption", "money", "expected cost of interruptions", func(r *row) float64 { return float64(r.Interruption) }),
		real("estimate_total", "money", "fee, compute, storage, time and interruption", func(r *row) float64 { return float64(r.Total) }),
		maybe("gate", gates, "the gate that stopped it; absent where none did", func(r *row) (Name, bool) { return r.Gate.Value, r.Gate.OK }),
		flag("chosen", "whether the policy took it", func(r *row) bool { return r.Chosen }),
		optional("margin", "money", "how much more the runner-up would cost, of any option; absent where the option was not chosen or nothing else was offered", func(r *row) (float64, bool) { return value(r.Margin) }),
		real("estimate_storage", "money", "expected price of keeping what it brings", func(r *row) float64 { return float64(r.Storage) }),
		real("decided_s", "s", "instant of the decision", func(r *row) float64 { return float64(r.Decided) }),
		named("pool", pools, "best pool of the option, as hub/room/pool", func(r *row) Name { return r.Pool }),
	}
}

func linkColumns() []column[LinkRow] {
	type row = LinkRow
	return []column[row]{
		real("time_s", "s", "instant at which the interval begins", func(r *row) float64 { return float64(r.Time) }),
		real("interval_s", "s", "its length; the last one may be shorter", func(r *row) float64 { return float64(r.Interval) }),
		named("link", links, "one direction between two places, as from>to", func(r *row) Name { return r.Link }),
		named("tier", tiers, "room, city, hub or storage", func(r *row) Name { return r.Tier }),
		optional("capacity_bytes_s", "bytes/s", "mean capacity over the interval; absent where it is unlimited", func(r *row) (float64, bool) { return value(r.Capacity) }),
		real("carried_bytes", "bytes", "bytes that it carried; an interval in which a link carried nothing and no transfer was on it has no row", func(r *row) float64 { return float64(r.Carried) }),
		optional("utilization", "", "carried over what the capacity would have carried; absent where that is unlimited or 0", func(r *row) (float64, bool) { return value(r.Utilization) }),
		integer("flows", "", "transfers in progress on it at the end of the interval", func(r *row) int32 { return r.Flows }),
	}
}

func poolColumns() []column[PoolRow] {
	type row = PoolRow
	return []column[row]{
		real("time_s", "s", "instant at which the interval begins", func(r *row) float64 { return float64(r.Time) }),
		real("interval_s", "s", "its length; the last one may be shorter", func(r *row) float64 { return float64(r.Interval) }),
		named("pool", pools, "name of the pool, as hub/room/pool", func(r *row) Name { return r.Pool }),
		named("kind", kinds, "kind of its slots", func(r *row) Name { return r.Kind }),
		integer("slots", "slots", "slots that it has, those held included", func(r *row) int32 { return r.Slots }),
		integer("held", "slots", "slots kept for services that the trace does not hold", func(r *row) int32 { return r.Held }),
		real("busy_slot_s", "slot s", "slots that tasks held, times the seconds that they held them", func(r *row) float64 { return float64(r.Busy) }),
		optional("utilization", "", "busy_slot_s over the slots that are not held times the interval; absent where that is 0", func(r *row) (float64, bool) { return value(r.Utilization) }),
		real("queued", "", "mean number of tasks in its queue", func(r *row) float64 { return float64(r.Queued) }),
		real("away_slots", "slots", "mean slots that nobody could have: of failed nodes, of capacity that was withdrawn, in maintenance", func(r *row) float64 { return r.Away }),
	}
}
