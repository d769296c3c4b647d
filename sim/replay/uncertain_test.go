package replay_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Links that others use, that break, that are shaped or reserved: exact replays.
func TestTransfersUnderWeather(t *testing.T) {
	const tb = "t,0,transfer,a,b,1e12"
	outage := func(more string) string {
		return line(", capacity: 10Gbit/s, outages: {windows: [[200s, 500s]]}" + more)
	}
	for _, c := range []struct {
		name     string
		topology string
		scenario string
		trace    string
		finish   map[string]float64
		again    float64 // bytes sent twice
	}{
		{
			// Shares as 1/RTT of 10 and 40 ms, 4 to 1: 8 and 2 Gbit/s. 5 ms to b and 20 to c.
			name: "N5 round trips", topology: line(", capacity: 10Gbit/s, latency: 5ms", ", latency: 15ms"),
			scenario: "network: {rtt_bias: 1}\n", trace: moves("", "near,0.015,transfer,a,b,8e9", "far,0,transfer,a,c,2e9"),
			finish: map[string]float64{"near": 8.02, "far": 8.02},
		},
		{
			// 10¹⁰ B at 4 MiB every 2 ms, after 1 ms.
			name: "N8 window", topology: line(", capacity: 80Gbit/s, latency: 1ms"),
			scenario: "network: {window: 4MiB}\n", trace: moves("", "t,0,transfer,a,b,1e10"),
			finish: map[string]float64{"t": 1e10/(4194304/0.002) + 0.001},
		},
		{
			name: "N8 window, far", topology: line(", capacity: 80Gbit/s, latency: 100ms"),
			scenario: "network: {window: 4MiB}\n", trace: moves("", "t,0,transfer,a,b,1e10"),
			finish: map[string]float64{"t": 476.937158203},
		},
		{
			name: "N8 window, near: the link is the limit", topology: line(", capacity: 80Gbit/s, latency: 10us"),
			scenario: "network: {window: 4MiB}\n", trace: moves("", "t,0,transfer,a,b,1e10"),
			finish: map[string]float64{"t": 1.00001},
		},
		{
			// The factors of SimGrid's LV08, written as what they are: latency times 13.01,
			// capacity times 0.97/1.05. 100 kB over 1 Mbit/s and 10 ms.
			name: "N9 with factors", topology: line(fmt.Sprintf(", capacity: %.15gMbit/s, latency: 130.1ms", 0.97/1.05)),
			trace: moves("", "t,0,transfer,a,b,1e5"), finish: map[string]float64{"t": 0.996079381443},
		},
		{
			// Mathis: 1460 B / 40 ms · √1.5 / √10⁻⁵ = 113.091113709 Mbit/s.
			name: "N10 loss", topology: line(", capacity: 10Gbit/s, latency: 20ms"),
			scenario: "network: {loss: 0.001%}\n", trace: moves("", "t,0,transfer,a,b,1e9"),
			finish: map[string]float64{"t": 8e9/113.091113709e6 + 0.02},
		},
		{
			name: "N10 89 streams fill the link", topology: line(", capacity: 10Gbit/s, latency: 20ms"),
			scenario: "network: {loss: 0.001%, streams: 89}\n", trace: moves("", tb), finish: map[string]float64{"t": 800.02},
		},
		{
			// 2000 of 8000 Gbit by 200 s: all kept, 3 whole chunks of 512 Gbit, or none.
			name: "N12 resume", topology: outage(""), trace: moves("", tb), finish: map[string]float64{"t": 1100},
		},
		{
			name: "N12 chunks", topology: outage(""), scenario: "network: {on_outage: chunk, chunk: 64GB}\n",
			trace: moves("", tb), finish: map[string]float64{"t": 1146.4}, again: 58e9,
		},
		{
			name: "N12 restart", topology: outage(""), scenario: "network: {on_outage: restart}\n",
			trace: moves("", tb), finish: map[string]float64{"t": 1300}, again: 250e9,
		},
		{
			// 1000 Gbit by 100 s, 400 of the rest by 200 s, 600 more.
			name: "N15 a reservation of others", topology: line(", capacity: 10Gbit/s, reservable: 60%"),
			scenario: "reservations: [{name: r, from: a, to: b, rate: 6Gbit/s, window: [100s, 200s]}]\n",
			trace:    moves("", "t,0,transfer,a,b,250e9"), finish: map[string]float64{"t": 260},
		},
		{
			// 40 % from the begin: 6 Gbit/s.
			name: "others' traffic", topology: line(", capacity: 10Gbit/s, background: 40%"),
			trace: moves("", "t,0,transfer,a,b,75e9"), finish: map[string]float64{"t": 100},
		},
		{
			// What goes through a reservation has its rate, no less beside another and no more:
			// 60 GB at 6 Gbit/s. Others get what is not reserved, used or not: 400 Gbit by 100 s.
			name: "a reservation of its own", topology: strings.Replace(base, "capacity: 5Gbit/s", "capacity: 10Gbit/s, reservable: 60%", 1),
			scenario: "reservations: [{name: r, from: e, to: w, rate: 6Gbit/s, window: [0s, 100s], classes: [transfer]}]\nlead_time: 1ns\n",
			trace: "task,submit_s,class,home,kind,slots,work_s,data_home,result_home,input_bytes\n" +
				"t,0,transfer,,,,,e,w,60e9\n" + "x,0,batch,w,gpu,1,1,e,,50e9\n", finish: map[string]float64{"t": 80, "x": 101},
		},
		{
			// 5400 Gbit of tokens last for 5400/(10−1) s; 2000 Gbit are left at 1 Gbit/s.
			name: "N16 token bucket", topology: line(", capacity: 10Gbit/s, shaper: {burst: 10Gbit/s, refill: 1Gbit/s, size: 675GB}"),
			trace: moves("", tb), finish: map[string]float64{"t": 2600},
		},
		{
			// A volume of 1 TB takes what is left of 2, 1, 7, 7, … Gbit/s by slot of 600 s: all
			// of it, so that another transfer waits until 1200 + 6200/7 s. What is left after
			// that is 7 of 10, since the profile is reserved by others before.
			name: "N22 a volume by a deadline", topology: line(", capacity: 10Gbit/s, reservable: 100%"),
			scenario: "reservations: [{name: x, from: a, to: b, rate: 8Gbit/s, window: [0s, 600s]}, {name: y, from: a, to: b, rate: 9Gbit/s, window: [600s, 1200s]}," +
				" {name: z, from: a, to: b, rate: 3Gbit/s, window: [1200s, 100000s]}, {name: v, from: a, to: b, volume: 1TB, deadline: 3000s}]\n",
			trace: moves("", "t,0,transfer,a,b,7e9"), finish: map[string]float64{"t": 1200 + 6200.0/7 + 8},
		},
		{
			// Halved in [100, 200): 1000 + 500, then 500 of the 2000 Gbit.
			name: "a known outage and a profile", topology: line(", capacity: 10Gbit/s, fluctuation: {kind: recorded, points: [[0s, 1], [100s, 50%]]}, outages: {windows: [[200s, 260s]]}"),
			trace: moves("", "t,0,transfer,a,b,250e9"), finish: map[string]float64{"t": 360},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := playRun(t, t, "stay", map[string]string{"t.yaml": c.topology, "s.yaml": scenarioOf + c.scenario, "t.csv": c.trace})
			for name, want := range c.finish {
				if got := run.tasks[name].Finish; math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s ends at %.12g s, want %.12g", name, got, want)
				}
			}
			again := 0.0
			for _, m := range run.transfers {
				again += m.Again
			}
			near(t, "sent twice", again, c.again)
		})
	}
}

// fan is a topology of n rooms r0, r1, … whose links are drawn each for itself, in
// one city with a room sink that nothing limits.
func fan(n int, link string) string {
	var b strings.Builder
	b.WriteString("name: fan\ncurrency: CNY\nhubs:\n  - name: h\n    cities:\n      - name: c\n        rooms:\n          - {name: sink}\n")
	for i := range n {
		fmt.Fprintf(&b, "          - {name: r%d, link: %s}\n", i, link)
	}
	return b.String()
}

// fanOut is a transfer of so many bytes from each room to the sink.
func fanOut(n int, bytes float64) string {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("t%d,0,transfer,r%d,sink,%v", i, i, bytes))
	}
	return moves("", rows...)
}

// sample is the mean of one amount of each task, and its spread.
func sample(rows map[string]taskRow, of func(taskRow) float64) (mean, deviation float64, e estimate) {
	var sum, squares float64
	for _, r := range rows {
		sum += of(r)
	}
	n := float64(len(rows))
	mean = sum / n
	for _, r := range rows {
		squares += (of(r) - mean) * (of(r) - mean)
	}
	deviation = math.Sqrt(squares / (n - 1))
	return mean, deviation, estimate{mean, normal * deviation / math.Sqrt(n)}
}

// normal is the quantile of an interval at level 1 − 0.01/20: 20 such tests, of
// thousands of independent tasks each.
const normal = 3.48

// N17 to N20: random links, a thousand and more of them in one replay, each with
// one transfer.
func TestRandomLinks(t *testing.T) {
	finish := func(r taskRow) float64 { return r.Finish }
	for _, c := range []struct {
		name  string
		link  string
		bytes float64
		want  float64
	}{
		// S = 8000 Gbit at 10 or 2 Gbit/s with mean dwells of 600 and 200 s; the solution of the
		// two linear equations for the time from either state.
		{"N17 from the good state", "{capacity: 10Gbit/s, fluctuation: {kind: markov, states: [{value: 1, dwell: 600s}, {value: 0.2, dwell: 200s}], start: 1}}", 1e12, 990.6250},
		{"N17 from the bad state", "{capacity: 10Gbit/s, fluctuation: {kind: markov, states: [{value: 1, dwell: 600s}, {value: 0.2, dwell: 200s}], start: 2}}", 1e12, 1140.6250},
		{"N17 from either", "{capacity: 10Gbit/s, fluctuation: {kind: markov, states: [{value: 1, dwell: 600s}, {value: 0.2, dwell: 200s}]}}", 1e12, 1028.1250},
		// 3600 s of up-time are cut by a Poisson number of outages, ½ on average, of 600 s each.
		{"N18 on and off", "{capacity: 1GB/s, outages: {up: {kind: exponential, mean: 7200s}, down: {kind: exponential, mean: 600s}}}", 3600e9, 3900},
		// A capacity that does not change while 100 s of it are sent: E[1/C] = e^{σ²}/E[C].
		{"N20 frozen", "{capacity: 1GB/s, fluctuation: {kind: ou, sigma: 0.3, tau: 100000h, step: 10000s}}", 100e9, 100 * math.Exp(0.09)},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 3000 // a spread of 31 %, that of N20, leaves a half-width of 2 %
			rows := play(t, "stay", map[string]string{"t.yaml": fan(n, c.link), "s.yaml": scenarioOf, "t.csv": fanOut(n, c.bytes)})
			_, deviation, e := sample(rows, finish)
			e.agrees(t, "end", c.want)
			if c.name == "N18 on and off" {
				// Var = ½·E[Down²] = 600²; the deviation of a sample's deviation is about
				// √((κ−1)/4n) of it, κ = 3 + E[Down⁴]/(½·E[Down²]²) = 3 + 24/2 = 15.
				near := normal * math.Sqrt(14.0/(4*n)) * 600
				if math.Abs(deviation-600) > near {
					t.Errorf("deviation %.4g s, want 600 ± %.2g", deviation, near)
				}
			}
		})
	}
}

// N19 with the law that is here, a log-normal one of mean 5 and deviation 1 Gbit/s: what
// is moved in an hour has mean 18000 Gbit, and the variance is the sum over all pairs of
// steps of h²·C²·(e^{s²ρ} − 1), ρ = e^{−|i−j|h/τ}, s² = ln(1 + 1/25).
func TestVolumeOfAnHour(t *testing.T) {
	const n, step, tau, c = 1500, 60.0, 1800.0, 5.0
	s2 := math.Log(1 + 1.0/25)
	link := fmt.Sprintf("{capacity: 5Gbit/s, fluctuation: {kind: ou, sigma: %.12g, tau: 1800s, step: 60s}}", math.Sqrt(s2))
	rows := play(t, "stay", map[string]string{"t.yaml": fan(n, link), "s.yaml": scenarioOf + "horizon: 3600s\n", "t.csv": fanOut(n, 1e14)})
	variance := 0.0
	for i := range 60 {
		for j := range 60 {
			variance += step * step * c * c * math.Expm1(s2*math.Exp(-math.Abs(float64(i-j))*step/tau))
		}
	}
	_, deviation, e := sample(rows, func(r taskRow) float64 { return r.BytesMoved * 8 / 1e9 })
	e.agrees(t, "Gbit in an hour", 18000)
	want := math.Sqrt(variance) // 2705.6; the Gaussian process has 2712.4
	if near := normal * want / math.Sqrt(2*n) * 1.2; math.Abs(deviation-want) > near {
		t.Errorf("deviation %.5g Gbit, want %.5g ± %.2g", deviation, want, near)
	}
}
