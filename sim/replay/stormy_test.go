package replay_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// A storm draws what can be random or break in a world; without weather it draws
// nothing at all.
type storm struct {
	t       *rapid.T
	weather bool
}

func (s storm) pick(name string, of ...string) string { return rapid.SampledFrom(of).Draw(s.t, name) }

// one is one of several texts, each as likely as none at all together.
func (s storm) one(name string, of ...string) string {
	if !s.weather || !rapid.Bool().Draw(s.t, "has "+name) {
		return ""
	}
	return ", " + s.pick(name, of...)
}

// longest is the longest horizon: in a storm, what starts over at every outage may
// never be through.
func (s storm) longest() string {
	if s.weather {
		return "5000s"
	}
	return "none"
}

// link is what a link may have.
func (s storm) link() string {
	if !s.weather {
		return ""
	}
	return s.one("outages", "outages: {up: {kind: exponential, mean: 80s}, down: {kind: constant, value: 15s}}",
		"outages: {up: {kind: weibull, shape: 0.7, scale: 60s}, down: {kind: lognormal, mean: 10s, sigma: 1}, degrade: {share: 40%, to: 50%}}",
		"outages: {windows: [[20s, 35s], [90s, 95s]]}") +
		s.one("jitter", "jitter: {kind: gamma, shape: 2, scale: 100ms, tau: 20s}", "jitter: {kind: lognormal, median: 10ms, sigma: 1}") +
		s.one("shaper", "shaper: {burst: 4MB/s, refill: 0.5MB/s, size: 30MB}") +
		s.one("reservable", "reservable: 60%") +
		s.one("background", "background: 20%", "background: {kind: markov, states: [{value: 10%, dwell: 30s}, {value: 0.9, dwell: 10s}]}",
			"background: {kind: ou, mean: 0.4MB/s, sigma: 0.5, tau: 60s, step: 10s}")
}

// contracts are what takes slots away.
var contracts = []string{
	"{kind: on-demand, node_mtbf: 300s}", "{kind: on-demand, node_mtbf: 200s, repair: {kind: exponential, mean: 20s}}",
	"{kind: spot, up: {kind: weibull, shape: 0.6, scale: 120s}, down: {kind: constant, value: 15s}}",
	"{kind: recorded, points: [[0s, 100%], [50s, 50%], [80s, 0%], [110s, 100%]], unit: share, then: loop, period: 200s}",
	"{kind: maintenance, every: 150s, length: 20s, notice: 10s}",
}

// pool is what a pool may have.
func (s storm) pool() string {
	if !s.weather {
		return ""
	}
	return s.one("interruptions", "interruptions: on-demand", "interruptions: "+contracts[0], "interruptions: "+contracts[1], "interruptions: "+contracts[2],
		"interruptions: "+contracts[3], "interruptions: ["+contracts[1]+", "+contracts[4]+"]") +
		s.one("node", "per_node: 2") +
		s.one("held", "held: {kind: recorded, points: [[0s, 0.25], [60s, 0], [100s, 50%]], then: loop, period: 130s}", "held: 1")
}

// scenario is what a scenario may have.
func (s storm) scenario(rooms []string, reservable bool) string {
	if !s.weather {
		return ""
	}
	var b strings.Builder
	line := func(name string, of ...string) {
		if text := s.one(name, of...); text != "" {
			b.WriteString(text[2:] + "\n")
		}
	}
	line("network", "network: {on_outage: restart}", "network: {on_outage: chunk, chunk: 7MB}", "network: {loss: 0.1%, rtt_bias: 1, startup_rtts: 1}")
	line("recovery", "recovery: {limit: 3}", "recovery: {cooldown: 30s, final_save: true}", "recovery: {final_save: true, limit: 5}")
	line("training", "training: {overlap: 0%}", "training: {overlap: 50%, local_steps: 4, penalty: 1.1}")
	from, to := s.pick("from", rooms...), s.pick("to", rooms...)
	b.WriteString("#")
	if reservable && from != to {
		line("reservations",
			fmt.Sprintf("\nreservations: [{name: r, from: %s, to: %s, rate: 0.3MB/s, window: [30s, 90s], classes: [batch]}, {name: each, classes: [batch, transfer], rate: 0.2MB/s, price: 0.1 CNY/GB}]", from, to),
			fmt.Sprintf("\nreservations: [{name: v, from: %s, to: %s, volume: 20MB, start: 10s, deadline: 100s, rent: 2 CNY/Mbit/s/month}]", from, to))
	}
	b.WriteString("\n")
	return b.String()
}

// columns, class, cells and blank are what a trace has of it.
func (s storm) columns() string {
	if !s.weather {
		return ""
	}
	return ",state_bytes,checkpoint_s,resumable,sync_bytes,syncs,span"
}

func (s storm) blank() string { return strings.Repeat(",", strings.Count(s.columns(), ",")) }

func (s storm) class() string {
	if !s.weather {
		return "batch"
	}
	return s.pick("class", "batch", "training-parallel", "training-tight")
}

func (s storm) cells() string {
	if !s.weather {
		return ""
	}
	return "," + strings.Join([]string{
		s.pick("state", "", "20e6", "80e6"), s.pick("interval", "", "auto", "15", "2"), s.pick("resumable", "", "false"),
		s.pick("sync", "", "1e6"), s.pick("syncs", "", "20"), s.pick("span", "", "room", "city", "hub"),
	}, ",")
}
