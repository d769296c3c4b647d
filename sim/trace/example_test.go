package trace_test

import (
	"fmt"
	"io"
	"strings"

	"tiersim/sim/task"
	"tiersim/sim/trace"
)

// Two rows, of which a rule fills the run time: bytes at 10 MB/s.
func Example() {
	const csv = "task,submit_s,input_bytes\nsmall,0,1e9\nlarge,60,5e10\n"
	tr, err := trace.Prepare(trace.Options{
		Sources: []trace.Source{{
			File: "jobs.csv",
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(csv)), nil },
		}},
		Fill: []trace.Rule{{Set: []trace.Assignment{{
			Column: trace.ColWorkS,
			Value:  trace.Value{Kind: trace.RatioValue, From: []trace.Column{trace.ColInputBytes}, Rate: 10e6},
		}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tr.Close()
	r := tr.Reader()
	var t task.Task
	for {
		ok, err := r.Next(&t)
		if err != nil || !ok {
			break
		}
		fmt.Printf("%s arrives at %v, reads %v and runs %v\n", t.Name, t.Submit, t.InputBytes(), t.Work)
	}
	// Output:
	// small arrives at 0s, reads 1GB and runs 1.67min
	// large arrives at 1min, reads 50GB and runs 1.39h
}
