package record_test

import (
	"fmt"
	"os"

	"tiersim/sim/record"
)

// A run of one task is written and read back.
func Example() {
	root, err := os.MkdirTemp("", "results")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)

	names := &record.Names{
		Classes: []string{"batch"}, Groups: []string{""}, Rooms: []string{"wuhu-1", "guian-1"},
		Pools: []string{"east/wuhu-1/cpu"}, Options: []string{"wait", "move-task", "move-data", "none"},
		Reasons: []string{""}, Statuses: []string{"done", "refused", "censored"},
	}
	p := record.Partition{Point: "base", Policy: "stay", Replication: 1}
	run, err := record.Create(record.Options{Root: root, Partition: p, Names: names, Currency: "CNY"})
	if err != nil {
		panic(err)
	}
	run.Task(&record.TaskRow{Task: []byte("t1"), Room: record.Some(record.Name(1)), Available: 1<<0 | 1<<1, CostTotal: 2.5})
	if err := run.Finish(record.Result{Tasks: 1, Events: 4}); err != nil {
		panic(err)
	}

	err = record.Scan(root, record.Tasks, []string{"task", "room", "available", "cost_total", "start_s"}, func(b *record.Batch) error {
		for i := range b.Rows {
			fmt.Println(b.Partition.Policy, b.Columns[0].Texts[i], b.Columns[1].Texts[i], b.Columns[2].Texts[i],
				b.Columns[3].Reals[i], b.Columns[4].Has(i))
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output: stay t1 guian-1 wait;move-task 2.5 false
}
