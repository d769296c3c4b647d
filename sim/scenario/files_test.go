package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// baseTopology has every key that this version models.
const baseTopology = `name: t
currency: CNY
tiers:
  room: {capacity: 100Gbit/s, latency: 50us}
  city: {capacity: 40Gbit/s, latency: 500us}
  hub:
    capacity: 20Gbit/s
    latency: 15ms
    price: 0.48 CNY/GB
    billing: per-gb
    background: 40%
    fluctuation: shared
profiles:
  shared: {kind: constant, value: 0.8}
  day: {kind: recorded, points: [[0s, 1.0], [6h, 12Gbit/s], [9h, 0.1]], then: loop, period: 1d, floor: 0.2, ceiling: 0.9}
hubs:
  - name: east
    cities:
      - name: wuhu
        rooms:
          - name: wuhu-1
            jurisdiction: cn
            storage: {capacity: 5PB, read: 40GB/s, write: 20GB/s, price: 0.115 CNY/GB/month}
            pools:
              - {name: a100, kind: gpu, slots: 256, speed: 1.5, price: 12 CNY/h, queue: {kind: easy, estimates: user}, interruptions: none, held: 10%}
              - {name: cpu, slots: 100, price: 0.3 CNY/h, held: 26}
            link: {capacity: 400Gbit/s}
  - name: west
    cities:
      - name: guian
        link: {latency: 1ms, fluctuation: day}
        rooms: [{name: guian-1, pools: [{name: a100, kind: gpu, slots: 512, price: 8 CNY/h, queue: priority}]}]
  - {name: north, cities: [{name: harbin}]}
links:
  - {between: [north, west]}
  - {between: [east, west], capacity: 10Gbit/s, latency: 18ms}
`

// baseScenario has every key that this version models.
const baseScenario = `name: s
topology: t.yaml
trace:
  - {file: batch.csv, as: batch, from: 1h, length: 24h, starts: "2026-11-09T00:00+08:00"}
  - {file: train.csv, as: train, warm: carry, load: {value: 1.2, by: copies}}
fill:
  - when: {as: batch, class: [batch, preprocess], input_bytes: ">= 1GB"}
    set:
      work_s: {kind: ratio, column: input_bytes, rate: 10MB/s, plus: 20s}
      home: {kind: choice, of: {wuhu-1: 60%, guian-1: 40%}, by: dataset}
      output_bytes: {kind: lognormal, median: 2GB, sigma: 1.5}
  - set: {slots: 8}
policies: [stay, at-data, three-way]
baseline: stay
parameters: {domain: hub, value_of_time: 60%}
estimates: {kind: factor, sigma: 0.5}
staging: inside
network: {startup_rtts: 2, window: 4MiB, streams: 8, on_outage: resume}
replications: {from: 20, to: 200, precision: 5%, over: [fill]}
horizon: arrivals+2d
seed: 7
tables: [tasks, links]
`

const traceText = "task,submit_s,input_bytes,dataset\na,0,1e9,d\n"

// failer is what a test and a fuzz target have in common.
type failer interface {
	Helper()
	Fatal(...any)
	TempDir() string
}

// write puts files into a folder: the base ones, those given in their place.
func write(t failer, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"t.yaml": baseTopology, "s.yaml": baseScenario, "batch.csv": traceText, "train.csv": traceText,
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load loads s.yaml of the base files with others in their place.
func load(t failer, files map[string]string, set ...string) (*Scenario, error) {
	t.Helper()
	return Load("s.yaml", Options{Dir: write(t, files), Set: set})
}

// mustLoad is load, whose faults fail the test.
func mustLoad(t failer, files map[string]string, set ...string) *Scenario {
	t.Helper()
	s, err := load(t, files, set...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// replaced returns text with an edit that must apply once or more.
func replaced(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("%q does not stand in the file", from)
	}
	return strings.Replace(text, from, to, 1)
}
