package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tiersim/sim/scenario"
)

// manyRuns writes a scenario of two policies and eight replications of 8,000
// tasks in two rooms, and returns its path.
func manyRuns(b *testing.B) string {
	dir := b.TempDir()
	var jobs strings.Builder
	jobs.WriteString("task,submit_s,slots,work_s,home,input_bytes,data_home\n")
	random := rand.New(rand.NewPCG(1, 2))
	rooms := [...]string{"wuhu-1", "guian-1"}
	at := 0.0
	for i := range 8000 {
		at += 60 * random.ExpFloat64()
		fmt.Fprintf(&jobs, "t%d,%.3f,%d,%.3f,%s,%.0f,%s\n", i, at, 1+random.IntN(4), 100*random.ExpFloat64(),
			rooms[random.IntN(2)], 1e9*random.ExpFloat64(), rooms[random.IntN(2)])
	}
	for name, text := range map[string]string{
		"jobs.csv": jobs.String(),
		"two.yaml": `name: two
currency: CNY
tiers: {hub: {capacity: 1Gbit/s, latency: 15ms, price: 0.48 CNY/GB}}
hubs:
  - {name: east, cities: [{name: wuhu, rooms: [{name: wuhu-1, pools: [{name: cpu, kind: cpu, slots: 16, price: 1 CNY/h}]}]}]}
  - {name: west, cities: [{name: guian, rooms: [{name: guian-1, pools: [{name: cpu, kind: cpu, slots: 16, price: 0.5 CNY/h}]}]}]}
links: [{between: [east, west]}]
`,
		"many.yaml": `name: many
topology: two
trace: {file: jobs.csv}
fill: [{set: {output_bytes: {kind: lognormal, median: 1MB, sigma: 1}}}]
policies: [at-data, three-way]
replications: {from: 8, to: 8, over: [fill]}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return filepath.Join(dir, "many.yaml")
}

// BenchmarkWorkers is how many times faster a whole experiment, tables and
// summary included, is on two workers than on one, and how many times faster two
// goroutines count than one in the same minute: what the machine gives.
func BenchmarkWorkers(b *testing.B) {
	s, err := scenario.Load(manyRuns(b), scenario.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var runs, counts [3]time.Duration // by number of workers
	for b.Loop() {
		for workers := 1; workers <= 2; workers++ {
			o := Options{Scenario: s, Out: b.TempDir(), Workers: workers, Build: Build{Version: "test"}}
			began := time.Now()
			if _, err := Run(context.Background(), o); err != nil {
				b.Fatal(err)
			}
			runs[workers] += time.Since(began)
			began = time.Now()
			count(workers)
			counts[workers] += time.Since(began)
		}
	}
	gain, most := runs[1].Seconds()/runs[2].Seconds(), counts[1].Seconds()/counts[2].Seconds()
	b.ReportMetric(gain, "gain")
	b.ReportMetric(most, "counting-gain")
	b.ReportMetric(gain/most, "gain:counting-gain")
}

// count shares a fixed count among goroutines that do nothing else.
func count(goroutines int) {
	const all = 2_000_000_000
	var wait sync.WaitGroup
	sums := make([]uint64, goroutines)
	for g := range goroutines {
		wait.Go(func() {
			sum := uint64(1)
			for range all / goroutines {
				sum += sum >> 63 // depends on itself, so that it is not left out
			}
			sums[g] = sum
		})
	}
	wait.Wait()
}
