// Package sim is the map of the simulator; its packages stand below it.
//
// A package imports only packages above it in this list, which a test holds:
//
//	fault       what is wrong in an input, where, and the edit that mends it
//	unit        instants, lengths of time, bytes, rates, money
//	rng         named random streams of a replication
//	maxmin      weighted max-min fair shares: arithmetic on slices, no time
//	stats       intervals, paired differences, quantiles
//	des         the clock and the future event list
//	topo        places, links, routes; immutable once built
//	formula     expressions that users write over named values
//	task        what a task is, checkpoints, synchronous training
//	profile     how a value behaves in time: recorded, drawn, broken; jitter
//	trace       readers and writers of workload traces
//	network     flows over links, outages, shapers, reservations
//	pool        slots, queues, gangs, what takes slots away
//	policy      what a decision sees, screens, prices, the policies
//	scenario    files to checked values
//	record      columns of the results, Parquet, manifests
//	replay      one replication: the only place that knows all models
//	experiment  design points, replications, comparison
//	figure      plots; knows only unit, stats and record
//
// Above them stands cmd/tiersim: flags, text and exit codes. The top-level
// packages topologies and scenarios hold what is embedded.
package sim
