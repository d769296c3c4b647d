package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/pool"
	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// examples writes the two example files of FORMATS into a folder, with edits.
func examples(t *testing.T, edits ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"two-hubs.yaml", "two-hubs-mix.yaml"} {
		content, err := os.ReadFile(filepath.Join("testdata/formats", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		for i := 0; i < len(edits); i += 2 {
			text = strings.Replace(text, edits[i], edits[i+1], 1)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"batch.parquet", "train.parquet"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("not read"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The examples of FORMATS load as they stand, with their weather.
func TestFormatsExamplesWhole(t *testing.T) {
	s, err := Load("two-hubs-mix", Options{Dir: examples(t)})
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.World(0)
	if err != nil {
		t.Fatal(err)
	}
	if !w.Weather {
		t.Error("nothing in it is drawn")
	}
	last := len(w.Topology.Links) - 1
	c := w.Capacity[last].Begin(rng.New(1, 1), "link")
	before := c.Value()
	// Steps of a minute, around the 6 Gbit/s that others leave of 10.
	if at, v, ok := c.Next(); !ok || at != 60 || v == before || v > 10e9/8 || v < 1e9/8 {
		t.Errorf("capacity %v, then %v at %v", before*8, v*8, at)
	}
	if w.Reservable[last] != 0.6 {
		t.Errorf("reservable %v", w.Reservable[last])
	}
	for l := range w.Topology.Links {
		if city := w.Topology.Links[l].Tier == topo.CityTier; city != (w.Jitter[l].Law != nil) {
			t.Errorf("jitter of %s: %v", w.Topology.Links[l].Name, w.Jitter[l])
		} else if city && (w.Jitter[l].Mean() != 100e-6 || w.Jitter[l].Tau != 500) {
			t.Errorf("jitter %v", w.Jitter[l])
		}
	}
	wuhu, _ := w.Topology.Pool("wuhu-1/a100")
	if k := w.Interruptions[wuhu]; len(k) != 1 || k[0].Kind != pool.OnDemand || k[0].Up.Mean() != float64(6300*unit.Hour) || k[0].Down != nil {
		t.Errorf("interruptions %+v", k)
	}
}

// Without what changes in time the examples decode to what they say.
func TestFormatsExamples(t *testing.T) {
	dir := examples(t,
		", jitter: {kind: gamma, shape: 2, scale: 50us}", "",
		"    outages: {up: {kind: exponential, mean: 2000h}, down: {kind: lognormal, mean: 1h, sigma: 1}}\n", "",
		`{kind: ou, sigma: 0.25, tau: 30m, step: 60s, daily: {amplitude: 30%, peak: "21:00"}}`, "{kind: constant, value: 0.8}",
		"interruptions: on-demand, ", "")
	s, err := Load("two-hubs-mix", Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Points) != 4 || s.Points[3].Name != "gpus-west" || s.Points[3].ID != "p004" || s.Points[0].Varied[0] != (KV{"topology.tiers.hub.capacity", "x0.5"}) {
		t.Errorf("points %+v", s.Points)
	}
	w, err := s.World(0)
	if err != nil {
		t.Fatal(err)
	}
	wuhu, _ := w.Topology.Pool("wuhu-1/a100")
	p := w.Topology.Pools[wuhu]
	if p.Slots != 256 || p.Held != 26 || p.PerNode != 8 || p.Price != 12 || !p.HasCost || p.Cost != 9 || p.Queue != topo.EASY {
		t.Errorf("pool %+v", p)
	}
	guian, _ := w.Topology.Pool("guian-1/a100")
	if p := w.Topology.Pools[guian]; p.Kind != w.Topology.Pools[wuhu].Kind || p.Speed != 1 || p.Held != 0 || p.Queue != topo.FCFS {
		t.Errorf("pool without the rest: %+v", p)
	}
	// 10 Gbit/s of the link itself, of which 80 % are there and others use 40 %; the
	// price is the tier's. (The variation of the tier changes only what takes from it.)
	l := w.Topology.Links[len(w.Topology.Links)-1]
	if l.Name != "west>east" || l.Capacity.String() != "4.8Gbit/s" || l.Latency != 18e-3 || l.Price != 0.48 {
		t.Errorf("link %+v", l)
	}
	if up := w.Topology.Links[w.Topology.Rooms[0].Up]; up.Capacity.String() != "400Gbit/s" || up.Latency != 50e-6 {
		t.Errorf("uplink %+v", up)
	}
	src := w.Trace.Sources
	if len(src) != 2 || src[0].Length != 24*unit.Hour || src[1].From != 720*unit.Hour || !src[1].Carry || src[1].Load != 1.2 || src[0].Load != 1 || src[0].Starts.IsZero() {
		t.Errorf("sources %+v", src)
	}
	if len(w.Trace.Fill) != 1 || len(w.Trace.Fill[0].Set) != 3 || !w.FillRandom {
		t.Errorf("fill %+v", w.Trace.Fill)
	}
	if sigma, ok := w.EstimateError(); !ok || sigma != 0.5 {
		t.Errorf("estimates %+v", w.Estimates)
	}
	named, err := s.World(3)
	if err != nil {
		t.Fatal(err)
	}
	if named.Topology.Pools[guian].Slots != 2000 || named.Trace.Sources[1].Load != 1.4 {
		t.Errorf("gpus-west: %+v, load %v", named.Topology.Pools[guian], named.Trace.Sources[1].Load)
	}
	const later, untaken = ": not modeled by this version: has no effect", ": has no effect: no link of this tier takes it"
	notes := []string{
		// The one hub link has a capacity and a latency of its own.
		"two-hubs-mix.yaml:23:33: vary.topology.tiers.hub.capacity[0]" + untaken + " (nor in 2 more places)",
		"two-hubs.yaml:7:15: tiers.hub.capacity" + untaken, "two-hubs.yaml:8:14: tiers.hub.latency" + untaken,
		"two-hubs.yaml:26:102: hubs[0].cities[0].rooms[0].pools[0].cost" + later,
	}
	if diff := cmp.Diff(notes, strings.Split(strings.ReplaceAll(strings.Join(s.Notes, "\n"), dir+string(os.PathSeparator), ""), "\n")); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
}
