// Package trace reads workload traces and prepares them for replay.
//
// # What happens to a trace
//
// OpenRows reads a file row by row: our own columns (schema.go) from CSV, packed
// or not, or from Parquet, and foreign formats. Prepare takes the rows of several
// sources through the same steps:
//
//	window    from and length on submit_s, times shifted to begin at 0
//	fill      rules give values to absent columns and empty cells
//	build     defaults, names to indices, every check of a row by itself
//	carry     what ran when the window began, with its remainder
//	load      whole tasks repeated or left out, or times divided
//	spool     a record per task in a file, sorted by submission
//	check     unique names, `after` without unknown names and circles
//
// and a Reader then reads tasks off the spool, as often and by as many readers as
// there are replications. Memory during preparation grows by at most 40 bytes for
// each task, and by what the catalog of names holds.
//
// # Rules
//
// The trace's start is instant 0 of submit_s. Where submit_s counts from 1970 it
// is the first submission, and a note says so; a file that counts some rows from
// one and some from the other is a fault.
//
// Tasks of one instant stay in the order of sources, then of rows. A source with
// a name (as) has it before its tasks' names, with a slash. Data sets, images and
// groups keep their names: two sources that name one data set read the same.
//
// A load of 2.3 by copies submits each task twice and three of ten a third time,
// drawn by the task's name, at the same instant; copies are named "t#2", "t#3",
// read the same data sets, have what fill gave the first and come after the same
// copies of other tasks. A load of 0.7 leaves three of ten out. A load by time
// divides the instants, and how long before the window a task was submitted.
//
// A task of before the window is carried in if it would still run at its
// beginning, had it started when it was submitted (recorded_wait_s later, where
// that is known) on a pool of speed 1. Others of before the window are not
// replayed, those that would still have waited included.
//
// `after` may name tasks of the file that are not replayed: before or behind the
// window, left out by a load, or broken and skipped. They count as done, and a
// note tells how many there are.
//
// # Random numbers
//
// What fill rules draw is a pure function of the seed, the replication, the place
// of the rule, the column and the task's name or the values of other columns. See
// Value.
package trace
