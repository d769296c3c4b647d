package replay_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tiersim/sim/des"
	"tiersim/sim/maxmin"
	"tiersim/sim/network"
	"tiersim/sim/record"
	"tiersim/sim/replay"
	"tiersim/sim/rng"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Each benchmark here runs a replay and what it is measured against in turns, in
// one process, and tells their ratio: a machine that is slow today is slow for
// both.

// clock adds up what parts of a benchmark take.
type clock map[string]time.Duration

func (c clock) time(part string, f func()) {
	began := time.Now()
	f()
	c[part] += time.Since(began)
}

func (c clock) ratio(b *testing.B, of, to, name string) {
	b.ReportMetric(c[of].Seconds()/c[to].Seconds(), name)
}

// eightHubs is 8 hubs of 3 cities of 4 rooms at 100, 100 and 10 Gbit/s, all hubs
// joined, no latency. Rooms are named r0, r1, ... in order.
func eightHubs() string {
	var b strings.Builder
	b.WriteString("name: eight\ncurrency: CNY\ntiers: {room: {capacity: 100Gbit/s}, city: {capacity: 100Gbit/s}, hub: {capacity: 10Gbit/s}}\nhubs:\n")
	for h := range 8 {
		fmt.Fprintf(&b, "  - {name: h%d, cities: [", h)
		for c := range 3 {
			n := 12*h + 4*c
			fmt.Fprintf(&b, "{name: h%dc%d, rooms: [{name: r%d}, {name: r%d}, {name: r%d}, {name: r%d}]},", h, c, n, n+1, n+2, n+3)
		}
		b.WriteString("]}\n")
	}
	b.WriteString("links:\n")
	for h := range 8 {
		for o := range h {
			fmt.Fprintf(&b, "  - {between: [h%d, h%d]}\n", o, h)
		}
	}
	return b.String()
}

type drawnTransfer struct {
	at       unit.Time
	from, to int
	bytes    unit.Bytes
	route    []topo.LinkID
}

// drawTransfers draws transfers between distinct rooms: 1.8 a second, about 80 %
// load on the links between hubs; sizes log-normal of median 9.7 GB, sigma 1.5,
// at most 2 TB.
func drawTransfers(n int) []drawnTransfer {
	const rooms = 96
	s := rng.New(1, 0).Stream("transfers")
	list := make([]drawnTransfer, n)
	at := unit.Time(0)
	for i := range list {
		at = at.Add(unit.Seconds(s.Exp() / 1.8))
		from, to := int(s.Uint64()%rooms), int(s.Uint64()%(rooms-1))
		if to >= from {
			to++
		}
		normal := math.Sqrt(2*s.Exp()) * math.Cos(2*math.Pi*s.Float64())
		list[i] = drawnTransfer{at: at, from: from, to: to, bytes: unit.Bytes(math.Round(min(2e12, 9.7e9*math.Exp(1.5*normal))))}
	}
	return list
}

// BenchmarkTransfers is 100,000 transfers over eight hubs: as the command does
// it (scenario and trace read, checked and replayed, no tables), the replay
// alone, the bare network and event list, and the plain solver, which solves all
// flows at every change, over the first 2,000. The other simulator that DESIGN
// names is a program of its own and stands in the README.
func BenchmarkTransfers(b *testing.B) {
	const n, few = 100_000, 2000
	dir := b.TempDir()
	list := drawTransfers(n)
	var rows strings.Builder
	rows.WriteString("task,submit_s,class,data_home,result_home,input_bytes\n")
	for i, x := range list {
		fmt.Fprintf(&rows, "t%d,%v,transfer,r%d,r%d,%.0f\n", i, float64(x.at), x.from, x.to, float64(x.bytes))
	}
	w := open(b, dir, map[string]string{
		"t.yaml": eightHubs(), "t.csv": rows.String(),
		"s.yaml": "name: s\ntopology: t.yaml\ntrace: {file: t.csv}\npolicies: [stay]\n",
	})
	for i := range list {
		list[i].route, _ = w.Topology.AppendRoute(nil, topo.RoomID(list[i].from), topo.RoomID(list[i].to))
	}
	capacity := make([]unit.Rate, len(w.Topology.Links))
	for i, l := range w.Topology.Links {
		capacity[i] = l.Capacity
	}
	c := clock{}
	for b.Loop() {
		c.time("whole", func() { c.replayFile(b, filepath.Join(dir, "s.yaml"), "stay", nil) })
		c.time("network", func() { bareNetwork(capacity, list) })
		c.time("plain", func() { plainNetwork(capacity, list[:few]) })
	}
	all := float64(b.N) * n
	b.ReportMetric(all/c["whole"].Seconds(), "whole/s")
	b.ReportMetric(all/c["replay"].Seconds(), "replay/s")
	b.ReportMetric(all/c["network"].Seconds(), "network/s")
	b.ReportMetric(float64(b.N)*few/c["plain"].Seconds(), "plain/s")
	c.ratio(b, "replay", "network", "replay:network")
	c.ratio(b, "whole", "network", "whole:network")
	b.ReportMetric(c["plain"].Seconds()/few/(c["replay"].Seconds()/n), "plain:replay")
}

// replayFile does what the command does with a scenario, under one policy, and
// adds the time of the replay alone, of preparing and of encoding to the clock.
func (c clock) replayFile(b *testing.B, path, policy string, tables []record.Table) {
	b.Helper()
	root, err := os.MkdirTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(root)
	s, err := scenario.Load(path, scenario.Options{})
	if err != nil {
		b.Fatal(err)
	}
	w, err := s.World(0)
	if err != nil {
		b.Fatal(err)
	}
	streams := rng.New(1, 1)
	began := time.Now()
	tr := prepare(b, w, streams, root)
	defer tr.Close()
	c["prepare"] += time.Since(began)
	names := replay.Names(w, tr)
	if tables == nil {
		tables = []record.Table{}
	}
	rec, err := record.Create(record.Options{
		Root: root, Partition: record.Partition{Point: "base", Policy: policy, Replication: 1},
		Tables: tables, Names: &names, Currency: w.Topology.Currency,
	})
	if err != nil {
		b.Fatal(err)
	}
	began = time.Now()
	out, err := replay.Run(context.Background(), replay.Setup{World: w, Trace: tr, Policy: policy, Streams: streams, Record: rec})
	if err != nil {
		b.Fatal(err)
	}
	c["replay"] += time.Since(began) - rec.EncodeTime()
	if err := rec.Finish(record.Result{Tasks: out.Tasks, Events: out.Events, Digest: out.Digest, Metrics: out.Metrics}); err != nil {
		b.Fatal(err)
	}
	c["encode"] += rec.EncodeTime()
}

// bareNetwork plays transfers through network and event list alone.
func bareNetwork(capacity []unit.Rate, list []drawnTransfer) {
	const latency, end, arrival = 0, 1, 2
	var l des.List
	n := network.New(slices.Clone(capacity), &l, network.Kinds{Latency: latency, FlowEnd: end})
	l.Schedule(des.Event{At: list[0].at, Priority: des.Arrival, Kind: arrival})
	for {
		e, ok := l.Next()
		if !ok {
			return
		}
		if e.Kind != arrival {
			if id, done := n.Handle(e); done {
				n.Release(id)
			}
			continue
		}
		x := &list[e.Index]
		n.Start(network.Flow{Route: x.route, Bytes: x.bytes, Weight: 1, Cap: unit.Unlimited(), Owner: e.Index})
		if i := e.Index + 1; int(i) < len(list) {
			l.Schedule(des.Event{At: list[i].at, Priority: des.Arrival, Kind: arrival, Index: i})
		}
	}
}

// plainNetwork drains transfers, with all rates solved at every change.
func plainNetwork(capacity []unit.Rate, list []drawnTransfer) {
	solved := make([]float64, len(capacity))
	for i, r := range capacity {
		solved[i] = float64(r)
	}
	var flows []maxmin.Flow
	var left []float64
	for now := 0.0; len(list) > 0 || len(flows) > 0; {
		rates := maxmin.Solve(solved, flows)
		next, ends := math.Inf(1), 0
		for i, r := range rates {
			if at := now + left[i]/r; at < next {
				next, ends = at, i
			}
		}
		arrives := len(list) > 0 && float64(list[0].at) < next
		if arrives {
			next = float64(list[0].at)
		}
		for i, r := range rates {
			left[i] -= r * (next - now)
		}
		now = next
		if arrives {
			var route []int32
			for _, l := range list[0].route {
				route = append(route, int32(l))
			}
			flows = append(flows, maxmin.Flow{Route: route, Weight: 1, Cap: math.Inf(1)})
			left = append(left, float64(list[0].bytes))
			list = list[1:]
		} else {
			flows, left = slices.Delete(flows, ends, ends+1), slices.Delete(left, ends, ends+1)
		}
	}
}

// writeGangs writes a trace of n tasks for one pool of 2,000 slots at a load of
// 0.7: gangs of powers of two up to 128, log-normal run times of median 10 min
// and sigma 1.5, estimates up to five times as long.
func writeGangs(b *testing.B, path string, n int) {
	const slots, load, median, sigma = 2000, 0.7, 600, 1.5
	gap := median * math.Exp(sigma*sigma/2) * (255.0 / 8) / (slots * load)
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(f)
	out.WriteString("task,submit_s,slots,work_s,estimate_s\n")
	s := rng.New(1, 0).Stream("gangs")
	at := 0.0
	for i := range n {
		at += gap * s.Exp()
		work := median * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*s.Float64()-1))
		fmt.Fprintf(out, "t%d,%.3f,%d,%.3f,%.3f\n", i, at, 1<<int(8*s.Float64()), work, work*(1+4*s.Float64()))
	}
	if err := errors.Join(out.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
}

// gangs prepares the files of a pool with EASY backfill and a million tasks.
func gangs(b *testing.B, n int) (scenario, trace string) {
	dir := b.TempDir()
	open(b, dir, map[string]string{
		"t.yaml": onePool(2000, "{kind: easy, estimates: user}"), "t.csv": "task,submit_s\n",
		"s.yaml": "name: s\ntopology: t.yaml\ntrace: {file: t.csv}\npolicies: [stay]\n",
	})
	trace = filepath.Join(dir, "t.csv")
	writeGangs(b, trace, n)
	return filepath.Join(dir, "s.yaml"), trace
}

// BenchmarkTasks is a million tasks through a pool with EASY backfill, from file
// to metrics with tables off, against reading the file's cells as numbers.
func BenchmarkTasks(b *testing.B) {
	const n = 1_000_000
	scenario, file := gangs(b, n)
	c := clock{}
	peak := 0.0
	for b.Loop() {
		c.time("csv", func() { readNumbers(b, file) })
		reset := resetPeak()
		c.time("whole", func() { c.replayFile(b, scenario, "stay", nil) })
		if reset {
			peak = max(peak, peakMB(b))
		}
	}
	b.ReportMetric(n*float64(b.N)/c["replay"].Seconds(), "replay/s")
	b.ReportMetric(n*float64(b.N)/c["whole"].Seconds(), "whole/s")
	b.ReportMetric(n*float64(b.N)/c["csv"].Seconds(), "csv/s")
	c.ratio(b, "whole", "csv", "whole:csv")
	c.ratio(b, "replay", "csv", "replay:csv")
	if peak > 0 {
		b.ReportMetric(peak, "peak-MB")
	}
}

// readNumbers reads a CSV file as Go's library does, every column but the first
// as a number.
func readNumbers(b *testing.B, path string) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReader(f))
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		b.Fatal(err)
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
		for _, cell := range cells[1:] {
			if _, err := strconv.ParseFloat(cell, 64); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkTables is what the tables cost: encode:replay is encoding and writing
// all of them against the replay without them, tables:replay all that they add.
func BenchmarkTables(b *testing.B) {
	for _, x := range []struct {
		name, policy string
		tasks        int // 0: the embedded scenario
	}{{"easy", "stay", 1_000_000}, {"default", "three-way", 0}} {
		b.Run(x.name, func(b *testing.B) {
			path := scenario.Default
			if x.tasks > 0 {
				path, _ = gangs(b, x.tasks)
			}
			off, on := clock{}, clock{}
			for b.Loop() {
				off.replayFile(b, path, x.policy, nil)
				on.replayFile(b, path, x.policy, allTables())
			}
			replay := off["replay"].Seconds()
			b.ReportMetric(on["encode"].Seconds()/replay, "encode:replay")
			b.ReportMetric((on["replay"]+on["encode"]-off["encode"]).Seconds()/replay-1, "tables:replay")
		})
	}
}

func allTables() []record.Table {
	list := make([]record.Table, record.NumTables)
	for i := range list {
		list[i] = record.Table(i)
	}
	return list
}
