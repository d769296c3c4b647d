package network_test

import (
	"math"
	"testing"

	"tiersim/sim/network"
	"tiersim/sim/unit"
)

// N7, N10: 4 MiB a round trip of 40 ms; 1460 bytes of which 10⁻⁵ get lost.
func TestCaps(t *testing.T) {
	inf := unit.Unlimited()
	for _, c := range []struct {
		name      string
		got, want unit.Rate
	}{
		{"N7 window", network.WindowCap(4194304, 0.040), 838.8608e6 / 8},
		{"N10 loss", network.LossCap(1460, 0.040, 1e-5), 113.091113709e6 / 8},
		{"no round trip", network.WindowCap(4194304, 0), inf},
		{"no loss", network.LossCap(1460, 0.040, 0), inf},
		{"no round trip, loss", network.LossCap(1460, 0, 1e-5), inf},
	} {
		if !near(float64(c.got), float64(c.want)) {
			t.Errorf("%s: %v, want %v", c.name, float64(c.got), float64(c.want))
		}
	}
	// 88.42 streams of 113 Mbit/s fill 10 Gbit/s.
	if got := math.Ceil(float64(10*gbit) / float64(network.LossCap(1460, 0.040, 1e-5))); got != 89 {
		t.Errorf("N10: %v streams, want 89", got)
	}
}

// SimGrid's models are these flows: CM02 has a cap of γ/(2·latency) with γ =
// 4194304; LV08 also multiplies the latency by 13.01 and the capacity by 0.97, of
// which acknowledgments take 5 % of the rate. Published in its Models.rst.
func TestSimGridModels(t *testing.T) {
	cm02 := func(latency unit.Seconds) network.Flow {
		return flow(0, 1e10, 0).with(1, network.WindowCap(4194304, 2*latency), latency).Flow
	}
	for _, c := range []struct {
		name     string
		capacity unit.Rate
		flow     network.Flow
		want     unit.Time
	}{
		{"N8 CM02, latency 0", 1e10, cm02(0), 1},
		{"N8 CM02, 10 μs", 1e10, cm02(1e-5), 1.00001},
		{"N8 CM02, 1 ms", 1e10, cm02(1e-3), 4.76937158203125}, // 10¹⁰/(γ/0.002) + 0.001
		{"N8 CM02, 100 ms", 1e10, cm02(0.1), 476.937158203125},
		{"N9 LV08", 1e6 / 8 * 0.97 / 1.05, flow(0, 100e3, 0).with(1, network.WindowCap(4194304, 2*0.01), 0.01*13.01).Flow, 0.130 + 0.0001 + 8e5*1.05/0.97e6},
	} {
		s := script{capacity: []unit.Rate{c.capacity}, flows: []timed{{0, c.flow}}}
		if got, _ := s.run(t); !near(float64(got[0]), float64(c.want)) {
			t.Errorf("%s: %v s, want %v", c.name, float64(got[0]), float64(c.want))
		}
	}
	if want := 0.996079381443; !near(0.1301+8e5*1.05/0.97e6, want) {
		t.Errorf("N9: not %v s", want)
	}
}

// N21: 100 chunks of 10 GB: 25 s to compress at 400 MB/s, 16 s for 4 GB at 2
// Gbit/s, 10 s to decompress at 1 GB/s. Uncompressed, 40 s each.
func TestPipelines(t *testing.T) {
	stages := []unit.Seconds{25, 16, 10}
	for _, c := range []struct {
		name      string
		got, want unit.Seconds
	}{
		{"N21 pipelined", network.Pipelined(100, stages), 2526}, // 51 + 99·25
		{"N21 sequential", network.Sequential(100, stages), 5100},
		{"N21 uncompressed", network.Pipelined(100, []unit.Seconds{40}), 4000},
		{"one chunk", network.Pipelined(1, stages), 51},
		{"no chunks", network.Pipelined(0, stages), 0},
		{"no stages", network.Pipelined(7, nil), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v s, want %v", c.name, float64(c.got), float64(c.want))
		}
	}
}
