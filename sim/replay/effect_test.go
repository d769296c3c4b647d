package replay_test

import (
	"reflect"
	"strings"
	"testing"
)

// TRAPS: each number of what fluctuates, breaks, is reserved and is saved changes some row
// when it changes.
func TestEveryFieldOfWeatherHasAnEffect(t *testing.T) {
	const topology = `name: t
currency: CNY
hubs:
  - name: h
    cities:
      - name: c
        link: {capacity: 30GB/s}
        rooms:
          - name: a
            link: {capacity: 1GB/s, latency: 1ms, fluctuation: {kind: ou, mean: 80%, sigma: 0.4, tau: 600s, step: 30s, floor: 20%, ceiling: 95%, daily: {amplitude: 31%, peak: "21:00", weekend: 2}}}
            storage: {read: 2GB/s, write: 1GB/s}
            pools: [{name: p, slots: 8, per_node: 4, interruptions: {kind: on-demand, node_mtbf: 4000s, repair: {kind: exponential, mean: 100s}}}]
          - name: b
            link: {capacity: 1GB/s, latency: 1ms, fluctuation: {kind: markov, states: [{value: 1, dwell: 301s, to: [0, 40%, 60%]}, {value: 0.5, dwell: 200s}, {value: 0.3, dwell: 100s}], start: 1}}
            storage: {read: 2GB/s, write: 1GB/s}
            pools: [{name: p, slots: 8, per_node: 4, interruptions: {kind: spot, up: {kind: weibull, shape: 0.7, scale: 3000s}, down: {kind: constant, value: 60s}}, held: {kind: recorded, points: [[0s, 1], [900s, 2]], then: loop, period: 3600s}}]
          - name: d
            link: {capacity: 1GB/s, latency: 1ms, outages: {up: {kind: exponential, mean: 900s}, down: {kind: lognormal, mean: 60s, sigma: 1.1}, degrade: {share: 50%, to: 41%}}, jitter: {kind: gamma, shape: 2, scale: 1s, tau: 100s}}
            pools: [{name: p, slots: 8, per_node: 4, interruptions: [{kind: recorded, unit: slots, points: [[0s, 8], [1100s, 4], [1500s, 8]], then: loop, period: 4000s}, {kind: maintenance, every: 2100s, length: 110s, notice: 30s}]}]
          - name: e
            link: {capacity: 1GB/s, latency: 1ms, outages: {windows: [[500s, 560s]]}, shaper: {burst: 0.9GB/s, refill: 0.1GB/s, size: 20GB}, jitter: {kind: lognormal, median: 2s, sigma: 0.5}, background: {kind: markov, states: [{value: 10%, dwell: 300s}, {value: 55%, dwell: 99s}]}, reservable: 60%}
            pools: [{name: p, slots: 8, per_node: 4}]
`
	scenario := strings.Replace(scenarioOf, "t.csv}", "t.csv, starts: \"2026-01-03T00:00+08:00\"}", 1) + `network: {on_outage: chunk, chunk: 3GB, loss: 0.001%, mss: 1460B, streams: 2, rtt_bias: 0.5}
recovery: {limit: 7, cooldown: 20s, final_save: true}
training: {overlap: 20%, local_steps: 2, penalty: 1.05}
reservations: [{name: w, from: a, to: e, rate: 0.3GB/s, window: [10s, 400s], classes: [transfer], price: 0.2 CNY/GB}, {name: v, from: b, to: e, volume: 90GB, start: 20s, deadline: 1000s, rate: 0.4GB/s, classes: [batch], rent: 900 CNY/Mbit/s/month}, {name: x, rate: 0.05GB/s, classes: [render], rent: 900 CNY/Mbit/s/month}]
`
	const trace = "task,submit_s,class,home,slots,work_s,data_home,input_bytes,result_home,output_bytes,state_bytes,checkpoint_s,resumable,sync_bytes,syncs,span\n" +
		"a1,0,batch,a,4,3000,b,40e9,d,1e9,5e9,300,true,,,\n" +
		"a2,5,batch,a,4,2500,d,60e9,,,5e9,auto,,,,\n" +
		"b1,6,batch,b,4,3000,a,70e9,,,5e9,200,true,,,\n" +
		"b2,9,render,b,4,1000,e,30e9,e,2e9,5e9,,false,,,\n" +
		"d1,12,batch,d,8,5000,a,20e9,,,5e9,600,true,,,\n" +
		"g1,3000,training-parallel,e,16,900,,,,,,,,10e9,200,city\n" +
		"x1,11,transfer,,,,a,50e9,e,,,,,,,\n" +
		"x2,12,transfer,,,,b,50e9,e,,,,,,,\n" +
		"x3,30,transfer,,,,d,300e9,e,,,,,,,\n" +
		"x4,460,transfer,,,,e,90e9,d,,,,,,,\n" +
		"x5,400,batch,e,1,10,b,90e9,,,,,,,,\n" +
		"x6,400,render,e,1,10,a,9e9,,,,,,,,\n"
	run := func(s, tp, tr string) []played {
		var all []played
		for _, p := range []string{"first-free", "stay", "three-way"} {
			x := playRun(t, t, p, map[string]string{"s.yaml": s, "t.yaml": tp, "t.csv": tr})
			x.outcome = nil
			all = append(all, x)
		}
		return all
	}
	want := run(scenario, topology, trace)
	for _, c := range [][2]string{
		{"mean: 80%", "mean: 70%"}, {"sigma: 0.4", "sigma: 0.5"}, {"tau: 600s", "tau: 700s"}, {"step: 30s", "step: 60s"}, {"floor: 20%", "floor: 60%"}, {"ceiling: 95%", "ceiling: 70%"},
		{"amplitude: 31%", "amplitude: 50%"}, {`"21:00"`, `"15:00"`}, {"weekend: 2", "weekend: 0"}, {"node_mtbf: 4000s", "node_mtbf: 3000s"}, {"mean: 100s", "mean: 400s"},
		{"dwell: 301s", "dwell: 100s"}, {"40%, 60%", "90%, 10%"}, {"{value: 1, dwell: 301s", "{value: 0.2, dwell: 301s"}, {"start: 1", "start: 3"}, {"shape: 0.7", "shape: 0.8"}, {"scale: 3000s", "scale: 900s"},
		{"{kind: constant, value: 60s}", "{kind: constant, value: 600s}"}, {"[900s, 2]", "[900s, 7]"}, {"period: 3600s", "period: 1800s"},
		{"mean: 900s", "mean: 300s"}, {"mean: 60s", "mean: 90s"}, {"sigma: 1.1", "sigma: 0.3"}, {"share: 50%", "share: 5%"}, {"to: 41%", "to: 10%"}, {"scale: 1s", "scale: 2s"}, {"tau: 100s", "tau: 200s"},
		{"[1100s, 4]", "[1000s, 4]"}, {"period: 4000s", "period: 1700s"}, {"every: 2100s", "every: 2000s"}, {"length: 110s", "length: 130s"}, {"notice: 30s", "notice: 0s"},
		{"[500s, 560s]", "[470s, 560s]"}, {"burst: 0.9GB/s", "burst: 0.7GB/s"}, {"refill: 0.1GB/s", "refill: 0.05GB/s"}, {"size: 20GB", "size: 10GB"}, {"median: 2s", "median: 3s"}, {"sigma: 0.5}, background", "sigma: 0.6}, background"},
		{"value: 55%", "value: 75%"}, {"dwell: 99s", "dwell: 300s"}, {"reservable: 60%", "reservable: 20%"}, {"per_node: 4, interruptions: {kind: on-demand", "per_node: 2, interruptions: {kind: on-demand"},
		{"chunk: 3GB", "chunk: 100GB"}, {"loss: 0.001%", "loss: 0.1%"}, {"mss: 1460B", "mss: 900B"}, {"streams: 2", "streams: 1"}, {"rtt_bias: 0.5", "rtt_bias: 0"},
		{"limit: 7", "limit: 2"}, {"cooldown: 20s", "cooldown: 0s"}, {"final_save: true", "final_save: false"}, {"overlap: 20%", "overlap: 0%"}, {"local_steps: 2", "local_steps: 4"}, {"penalty: 1.05", "penalty: 1.5"},
		{"rate: 0.3GB/s", "rate: 0.2GB/s"}, {"[10s, 400s]", "[10s, 300s]"}, {"price: 0.2 CNY/GB", "price: 0.3 CNY/GB"}, {"volume: 90GB", "volume: 50GB"}, {"start: 20s", "start: 200s"}, {"deadline: 1000s", "deadline: 100s"},
		{"rate: 0.4GB/s", "rate: 0.2GB/s"}, {"rate: 0.05GB/s", "rate: 0.1GB/s"}, {"x, rate: 0.05GB/s, classes: [render], rent: 900", "x, rate: 0.05GB/s, classes: [render], rent: 500"},
		{"5e9,300,true", "6e9,300,true"}, {"5e9,300,true", "5e9,200,true"}, {"5e9,300,true", "5e9,300,false"}, {"10e9,200,city", "20e9,200,city"}, {"10e9,200,city", "10e9,400,city"},
	} {
		s, tp, tr := scenario, topology, trace
		for _, text := range []*string{&s, &tp, &tr} {
			*text = strings.Replace(*text, c[0], c[1], 1)
		}
		if s == scenario && tp == topology && tr == trace {
			t.Fatalf("%q is not there", c[0])
		}
		if reflect.DeepEqual(run(s, tp, tr), want) {
			t.Errorf("%q in place of %q changes nothing", c[1], c[0])
		}
	}
}
