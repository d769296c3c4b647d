package replay_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// line is a topology of hubs a, b, c, d in a row, joined by links of the given
// capacities; what is left out is unlimited. Each hub's one room is its name.
func line(links ...string) string {
	names := []string{"a", "b", "c", "d"}
	var b strings.Builder
	b.WriteString("name: line\ncurrency: CNY\nhubs:\n")
	for _, n := range names[:len(links)+1] {
		fmt.Fprintf(&b, "  - {name: hub-%s, cities: [{name: city-%s, rooms: [{name: %s}]}]}\n", n, n, n)
	}
	b.WriteString("links:\n")
	for i, l := range links {
		fmt.Fprintf(&b, "  - {between: [hub-%s, hub-%s]%s}\n", names[i], names[i+1], l)
	}
	return b.String()
}

// moves is a trace of transfers: name, submit, from, to, bytes and more columns.
func moves(columns string, rows ...string) string {
	return "task,submit_s,class,data_home,result_home,input_bytes" + columns + "\n" + strings.Join(rows, "\n") + "\n"
}

const fast = ", capacity: 10Gbit/s"

// Rows N1 to N13 of ORACLES as whole replays: each says when its transfers end.
func TestTransfers(t *testing.T) {
	for _, c := range []struct {
		name     string
		topology string
		trace    string
		network  string
		finish   map[string]float64
	}{
		{
			// 8·10¹² bit at 10¹⁰ bit/s, and 20 ms once.
			"N1 latency is paid once", line(", capacity: 10Gbit/s, latency: 20ms"),
			moves("", "t,0,transfer,a,b,1e12"), "", map[string]float64{"t": 800.02},
		},
		{
			// A alone sends 200 Gbit in 20 s; then both get 5: B's 400 Gbit take
			// 80 s, in which A sends 400; its last 200 take 20 s.
			"N2 joining and leaving", line(fast),
			moves("", "A,0,transfer,a,b,100e9", "B,20,transfer,a,b,50e9"), "", map[string]float64{"B": 100, "A": 120},
		},
		{
			// L2 fills up at 2 for its two flows; the short ones keep 8 and 4.
			// At 25 and 50 s the outer two end, at 100 s the middle one; then the
			// long one has min(10, 4, 6) = 4 for its last 600 Gbit.
			"N4 parking lot", line(fast, ", capacity: 4Gbit/s", ", capacity: 6Gbit/s"),
			moves("", "long,0,transfer,a,d,100e9", "s1,0,transfer,a,b,25e9", "s2,0,transfer,b,c,25e9", "s3,0,transfer,c,d,25e9"),
			"", map[string]float64{"s1": 25, "s3": 50, "s2": 100, "long": 250},
		},
		{
			// One is capped at 1 Gbit/s, the others share 9: 1, 4.5, 4.5.
			"N6 a cap", line(fast),
			moves(",max_rate_bytes_s", "capped,0,transfer,a,b,1e9,125e6", "x,0,transfer,a,b,4.5e9,", "y,0,transfer,a,b,4.5e9,"),
			"", map[string]float64{"capped": 8, "x": 8, "y": 8},
		},
		{
			// Weights 4:1, as 1/RTT of 10 and 40 ms: 8 and 2 Gbit/s.
			"N5 weights", line(fast),
			moves(",weight", "near,0,transfer,a,b,8e9,4", "far,0,transfer,a,b,2e9,1"),
			"", map[string]float64{"near": 8, "far": 8},
		},
		{
			// 4 MiB each 40 ms, and 20 ms of latency before.
			"N7 window, one stream", line(", capacity: 10Gbit/s, latency: 20ms"),
			moves("", "t,0,transfer,a,b,1e12"), "{window: 4MiB}", map[string]float64{"t": 9536.743164 + 0.02},
		},
		{
			"N7 window, eight streams", line(", capacity: 10Gbit/s, latency: 20ms"),
			moves("", "t,0,transfer,a,b,1e12"), "{window: 4MiB, streams: 8}", map[string]float64{"t": 1192.092896 + 0.02},
		},
		{
			"N7 window, twelve streams fill the link", line(", capacity: 10Gbit/s, latency: 20ms"),
			moves("", "t,0,transfer,a,b,1e12"), "{window: 4MiB, streams: 12}", map[string]float64{"t": 800.02},
		},
		{
			// 3000 Gbit in 300 s, the other 5000 at 4.
			"N11 a capacity that falls", line(", capacity: 10Gbit/s, fluctuation: {kind: recorded, points: [[0s, 1.0], [300s, 4Gbit/s]]}"),
			moves("", "t,0,transfer,a,b,1e12"), "", map[string]float64{"t": 1550},
		},
		{
			"N12 an outage, resumed", line(", capacity: 10Gbit/s, fluctuation: {kind: recorded, points: [[0s, 1], [200s, 0], [500s, 1]]}"),
			moves("", "t,0,transfer,a,b,1e12"), "", map[string]float64{"t": 1100},
		},
		{
			// 11 cycles of 680 Gbit, and 520 more at 10.
			"N13 periodic", line(", capacity: 10Gbit/s, fluctuation: {kind: recorded, points: [[0s, 1], [60s, 0.2]], then: loop, period: 100s}"),
			moves("", "t,0,transfer,a,b,1e12"), "", map[string]float64{"t": 1152},
		},
		{
			// 4 MB at 1 MB/s, nothing during [2, 6).
			"TRAPS a link at zero", line(", capacity: 1MB/s, fluctuation: {kind: recorded, points: [[0s, 1], [2s, 0], [6s, 1]]}"),
			moves("", "t,0,transfer,a,b,4e6", "late,3,transfer,b,a,1e6"), "", map[string]float64{"t": 8, "late": 7},
		},
		{
			"TRAPS shares change with those who come and go", line(", capacity: 1MB/s"),
			moves("", "x,0,transfer,a,b,10e6", "y,5,transfer,a,b,10e6"), "", map[string]float64{"x": 15, "y": 20},
		},
		{
			"TRAPS bits and bytes", line(", capacity: 1Gbit/s"),
			moves("", "x,0,transfer,a,b,10e9", "y,1000,transfer,a,b,0.9e9"), "", map[string]float64{"x": 80, "y": 1007.2},
		},
		{
			// Both begin at 0.5 and 0.25 MB/s? No: the second is held to 0.25 by l2,
			// so the first gets 0.75 until the second ends at 10 s with 7.5 MB
			// sent; its last 2.5 MB take 2.5 s.
			"TRAPS two links", line(", capacity: 1MB/s", ", capacity: 0.25MB/s"),
			moves("", "x,0,transfer,a,b,10e6", "y,0,transfer,a,c,2.5e6"), "", map[string]float64{"x": 12.5, "y": 10},
		},
		{
			"TRAPS an empty transfer takes the latency", line(", capacity: 1MB/s, latency: 30ms", ", latency: 12ms"),
			moves("", "x,1,transfer,a,c,0", "y,1,transfer,a,a,0"), "", map[string]float64{"x": 1.042, "y": 1},
		},
		{
			// Nothing limits it: it ends as it begins, at instant 0 too.
			"inside a room without a storage", line(", capacity: 1MB/s"),
			moves("", "x,0,transfer,a,a,50e6", "y,3,transfer,b,b,50e6"), "", map[string]float64{"x": 0, "y": 3},
		},
		{
			// Two round trips of 2·20 ms before the first byte.
			"start-up round trips", line(", capacity: 1MB/s, latency: 20ms"),
			moves("", "t,0,transfer,a,b,1e6"), "{startup_rtts: 2}", map[string]float64{"t": 1 + 0.02 + 2*0.04},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			scenario := "name: s\ntopology: t.yaml\ntrace: {file: t.csv}\npolicies: [stay]\n"
			if c.network != "" {
				scenario += "network: " + c.network + "\n"
			}
			rows := play(t, "stay", map[string]string{"t.yaml": c.topology, "s.yaml": scenario, "t.csv": c.trace})
			for name, want := range c.finish {
				got := rows[name].Finish
				if math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s ends at %.12g s, want %.12g", name, got, want)
				}
			}
			if len(rows) != len(c.finish) {
				t.Errorf("%d rows, want %d", len(rows), len(c.finish))
			}
		})
	}
}
