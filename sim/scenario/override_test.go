package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tiersim/sim/fault"
	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// print writes everything in a world that a replay could see.
func (w *World) print() string {
	var b strings.Builder
	t := w.Topology
	fmt.Fprintf(&b, "%v %v\n%+v\n%+v\n%+v\n%+v\n%+v\n%v %v\n", t.Name, t.Currency, t.Hubs, t.Cities, t.Rooms, t.Pools, t.Links, t.Kinds, t.Jurisdictions)
	for l := range t.Links {
		law := w.CapacityOf(topo.LinkID(l))
		if law == nil {
			continue
		}
		p := law.Begin(rng.New(1, 1), "link")
		fmt.Fprint(&b, l, p.Value())
		for range 5 {
			next, v, ok := p.Next()
			if !ok {
				break
			}
			fmt.Fprint(&b, " ", next, v)
		}
		b.WriteByte('\n')
	}
	for _, s := range w.Trace.Sources {
		s.Open, s.File = nil, ""
		fmt.Fprintf(&b, "%+v\n", s)
	}
	for _, r := range w.Trace.Fill {
		fmt.Fprintf(&b, "%+v", r.When)
		for _, a := range r.Set {
			fmt.Fprintf(&b, " %v=%+v", a.Column, a.Value)
		}
	}
	fmt.Fprintf(&b, "\n%+v %+v %v %+v %+v %v", w.Parameters, w.Estimates, w.StageInside, w.Network, w.Horizon, w.FillRandom)
	return b.String()
}

// printAll writes the scenario and its first world.
func printAll(t failer, s *Scenario) string {
	t.Helper()
	w, err := s.World(0)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%v %v %+v %v %v\n%s", s.Policies, s.Baseline, s.Replications, s.Seed, s.Tables, w.print())
}

// Each path sets the value that it names, and no other.
func TestPaths(t *testing.T) {
	link := func(name string) func(*World) any {
		return func(w *World) any {
			i := slices.IndexFunc(w.Topology.Links, func(l topo.Link) bool { return l.Name == name })
			l := w.Topology.Links[i]
			return fmt.Sprint(unit.Rate(float64(l.Capacity)/0.48), " ", l.Latency)
		}
	}
	slots := func(pool string) func(*World) any {
		return func(w *World) any { id, _ := w.Topology.Pool(pool); return w.Topology.Pools[id].Slots }
	}
	for _, c := range []struct {
		set  string
		get  func(*World) any
		want string
	}{
		{"topology.wuhu-1.a100.slots=300", slots("wuhu-1/a100"), "300"},
		{"topology.wuhu-1.a100.slots=x0.5", slots("wuhu-1/a100"), "128"},
		{"topology.east/wuhu-1/a100.slots=300", slots("wuhu-1/a100"), "300"},
		{"topology.wuhu-1/a100.slots=300", slots("wuhu-1/a100"), "300"},
		{"topology.cpu.slots=300", slots("wuhu-1/cpu"), "300"},
		{"topology.wuhu-1.pools.1.slots=300", slots("wuhu-1/cpu"), "300"},
		{"topology.hubs[1].cities[0].rooms[0].pools[0].slots=300", slots("guian-1/a100"), "300"},
		{"topology.hubs.west.guian.guian-1.a100.slots=300", slots("guian-1/a100"), "300"},
		{"topology.wuhu-1.a100.held=x2", func(w *World) any { return w.Topology.Pools[0].Held }, "51"},
		{"topology.wuhu-1.a100.queue=fcfs", func(w *World) any { return w.Topology.Pools[0].Queue }, "0"},
		{"topology.guian-1.a100.queue.kind=easy", func(w *World) any { return w.Topology.Pools[2].Queue }, "1"},
		{"topology.guian-1.a100.speed=x2", func(w *World) any { return w.Topology.Pools[2].Speed }, "2"},
		{"topology.links.east-west.latency=x2", link("east>west"), "10Gbit/s 36ms"},
		{"topology.east-west.latency=20ms", link("west>east"), "10Gbit/s 20ms"},
		{"topology.east>west.capacity=x0.5", link("east>west"), "5Gbit/s 18ms"},
		{"topology.east>west.capacity=x0.5", link("west>east"), "10Gbit/s 18ms"},
		{"topology.links.west>east.capacity=4Gbit/s", link("west>east"), "4Gbit/s 18ms"},
		{"topology.links[1].capacity=4Gbit/s", link("west>east"), "4Gbit/s 18ms"},
		{"topology.guian-1.link.capacity=x0.5", func(w *World) any { return w.Topology.Links[w.Topology.Rooms[1].Up].Capacity }, "50Gbit/s"},
		{"topology.tiers.room.capacity=x0.5", func(w *World) any { return w.Topology.Links[w.Topology.Rooms[1].Up].Capacity }, "50Gbit/s"},
		{"topology.profiles.shared.value=x0.5", func(w *World) any { return w.Topology.Links[len(w.Topology.Links)-1].Capacity }, "2.4Gbit/s"},
		{"topology.wuhu-1.storage.read=x0.5", func(w *World) any { return w.Topology.Links[w.Topology.Rooms[0].Storage.Read].Capacity }, "160Gbit/s"},
		{"trace.batch.load=1.4", func(w *World) any { return w.Trace.Sources[0].Load }, "1.4"},
		{"trace.batch.load=x1.4", func(w *World) any { return w.Trace.Sources[0].Load }, "1.4"},
		{"trace.train.load=x0.5", func(w *World) any { return w.Trace.Sources[1].Load }, "0.6"},
		{"trace.train.load.by=time", func(w *World) any { return w.Trace.Sources[1].LoadBy }, "1"},
		{"trace.0.length=x0.5", func(w *World) any { return w.Trace.Sources[0].Length }, "12h"},
		{"fill.0.set.work_s.rate=x2", func(w *World) any { return w.Trace.Fill[0].Set[0].Value.Rate }, "2e+07"},
		{"fill[1].set.slots=4", func(w *World) any { return w.Trace.Fill[1].Set[0].Value.Cell.Num }, "4"},
		{"fill.0.set.output_bytes.median=x0.1", func(w *World) any { return w.Trace.Fill[0].Set[2].Value.Median }, "2e+08"},
		{"fill.1.set.class=render", func(w *World) any { return len(w.Trace.Fill[1].Set) }, "2"},
		{"parameters.value_of_time=x0.5", func(w *World) any { return w.Parameters.ValueOfTime }, "0.3"},
		{"estimates=exact", func(w *World) any { return w.Estimates.Kind }, "0"},
		{"estimates={kind: factor, sigma: 0.1}", func(w *World) any { return w.Estimates.Sigma }, "0.1"},
		{"network.window=none", func(w *World) any { return w.Network.Window }, "0B"},
		{"horizon=x0.5", func(w *World) any { return w.Horizon }, "arrivals+1d"},
		{"horizon=none", func(w *World) any { return w.Horizon }, "none"},
	} {
		s, err := load(t, nil, c.set)
		if err != nil {
			t.Errorf("%s: %v", c.set, err)
			continue
		}
		w, err := s.World(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.get(w)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.set, got, c.want)
		}
	}
}

// A path that leads nowhere is told, with the one that was probably meant.
func TestUnknownPaths(t *testing.T) {
	for set, want := range map[string]string{
		"topology.wuhu-2.a100.slots=3":      `there is no "wuhu-2" in the topology; write wuhu-1`,
		"topology.a100.slots=3":             `there are several "a100" in the topology; write the names above it too, as in hub/room/pool`,
		"topology.wuhu-1.a100.slot=3":       `there is no "slot" in the pool; write slots`,
		"topology.wuhu-1.a100.slots.3=3":    `there is no "3" below a value; end the path before it`,
		"topology.hubs.7=3":                 `there is no item 7; the last is 2`,
		"topology.tiers.hub.capacity=":      `got no value, want KEY=VALUE such as topology.tiers.hub.capacity=20Gbit/s`,
		"topology.tiers.hub.capacity=10Gb":  `got "10Gb", want a rate such as 10Gbit/s; write 10Gbit/s`,
		"topology.tiers.city.price=x2":      `got "x2", a factor, and there is no number to scale; write a value`,
		"topology.east>wets.capacity=x2":    `there is no "east>wets" in the topology; write east-west`,
		"topology.tiers.hub.jitter={a: b}":  `topology.tiers.hub.jitter.a: no such key in a jitter`,
		"trace.trains.load=2":               `there is no "trains"; write train`,
		"parameter.domain=city":             `there is no "parameter" in the scenario; write parameters`,
		"fill.0.set.work.rate=2":            `there is no "work"; write work_s`,
		"seed":                              `want KEY=VALUE such as topology.tiers.hub.capacity=20Gbit/s`,
		"policies=[stay, three-wy]":         `got "three-wy"`,
		"policies=[stay":                    `got "[stay", want a value as in a file: a word, [a list] or {a: mapping}`,
		"seed=x":                            `got "x", want a whole number from 0 on, such as 1`,
		"topology.links.east-west.capacity": `want KEY=VALUE`,
	} {
		_, err := load(t, nil, set)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--set "+set) {
			t.Errorf("%s: got %v, want %s", set, err, want)
		}
	}
}

// Design points: every combination in order of writing, the first key slowest,
// then the named ones; a factor scales what the command line has set.
func TestPoints(t *testing.T) {
	ids := func(s *Scenario) (ids []string) {
		for i, p := range s.Points {
			w, err := s.World(i)
			if err != nil {
				t.Fatal(err)
			}
			l := w.Topology.Links[len(w.Topology.Links)-1]
			ids = append(ids, fmt.Sprintf("%s%s %v %v", p.ID, p.Name, unit.Rate(float64(l.Capacity)/0.48), w.Parameters.ValueOfTime))
		}
		return ids
	}
	vary := "vary: {topology.east-west.capacity: [x1, 5Gbit/s], parameters.value_of_time: [50%, x2, 10%]}\n"
	points := "points: {-near: {topology.east-west.capacity: x10}, -dear: {parameters.value_of_time: 1}}\n"
	for _, c := range []struct {
		add, set string
		want     []string
	}{
		{"", "seed=2", []string{"base 10Gbit/s 0.6"}},
		{vary, "seed=2", []string{"p001 10Gbit/s 0.5", "p002 10Gbit/s 1.2", "p003 10Gbit/s 0.1", "p004 5Gbit/s 0.5", "p005 5Gbit/s 1.2", "p006 5Gbit/s 0.1"}},
		{points, "seed=2", []string{"base 10Gbit/s 0.6", "p001-near 100Gbit/s 0.6", "p002-dear 10Gbit/s 1"}},
		{"vary: {topology.east-west.capacity: [x1]}\n" + points, "topology.east-west.capacity=2Gbit/s",
			[]string{"p001 2Gbit/s 0.6", "p002-near 20Gbit/s 0.6", "p003-dear 2Gbit/s 1"}},
	} {
		s := mustLoad(t, map[string]string{"s.yaml": baseScenario + c.add}, c.set)
		if diff := cmp.Diff(c.want, ids(s)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.add, diff)
		}
	}
	many := "vary: {seed: ["
	_, err := load(t, map[string]string{"s.yaml": baseScenario + "vary:\n  parameters.value_of_time: [" + strings.Repeat("1, ", 200) + "]\n  horizon: [" + strings.Repeat("1d, ", 200) + "]\n"})
	if err == nil || !strings.Contains(err.Error(), "makes more than 10000 design points") {
		t.Errorf("%s…: got %v", many, err)
	}
}

// A numeric leaf of the base files.
type leaf struct {
	path, text string
	file       string
}

// leaves are the paths of all numbers and quantities in the base files: TestPaths
// shows that paths of indices lead to the same as those of names.
func leaves(t failer) []leaf {
	t.Helper()
	var all []leaf
	for _, f := range []struct {
		file, text, prefix string
		shape              *shape
	}{{"t.yaml", baseTopology, "topology.", topologyObject().form().shape}, {"s.yaml", baseScenario, "", scenarioObject().form().shape}} {
		root, faults := parse(&location{shown: f.file}, []byte(f.text))
		if root == nil {
			t.Fatal(faults)
		}
		for _, n := range root.scalars() {
			path := n.path
			at, err := target{shape: f.shape, node: root}.walk(path)
			if err != nil {
				t.Fatal(path, err)
			}
			if m := quantityText.FindStringSubmatch(n.text); m != nil && at.shape.scalable() && !strings.Contains(path, "of.") {
				all = append(all, leaf{f.prefix + path, n.text, f.file})
			}
		}
	}
	return all
}

// Every number that a file may hold has an effect on what is replayed. (What has
// none is told: TestFormatsExamples.)
func TestEveryNumberHasAnEffect(t *testing.T) {
	dir := write(t, nil)
	print := func(set ...string) string {
		s, err := Load("s.yaml", Options{Dir: dir, Set: set})
		if err != nil {
			return ""
		}
		return printAll(t, s)
	}
	base := print()
	found := leaves(t)
	if len(found) < 40 {
		t.Errorf("only %d numbers found", len(found))
	}
	for _, l := range found {
		if l.text == "0s" {
			continue // any factor of it is 0
		}
		changes := slices.ContainsFunc([]string{"x0.5", "x2", "x4"}, func(factor string) bool {
			got := print(l.path + "=" + factor)
			return got != "" && got != base
		})
		if !changes {
			t.Errorf("%s in place of %s changes nothing", l.path, l.text)
		}
	}
}

// To scale a value is to write the scaled value; by 1 it changes nothing.
func TestScalingIsWriting(t *testing.T) {
	dir := write(t, nil)
	print := func(t *rapid.T, set ...string) string {
		s, err := Load("s.yaml", Options{Dir: dir, Set: set})
		if err != nil {
			list, _ := fault.Of(err)
			return list[0].Message
		}
		w, err := s.World(0)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(s.Replications, s.Seed, w.print())
	}
	found := leaves(t)
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(found).Draw(t, "leaf")
		factor := rapid.SampledFrom([]float64{1, 0.5, 2, 0.125, 3}).Draw(t, "factor")
		m := quantityText.FindStringSubmatch(l.text)
		v, _ := strconv.ParseFloat(m[2], 64)
		written := m[1] + strconv.FormatFloat(v*factor, 'g', -1, 64) + m[3]
		scaled := print(t, fmt.Sprintf("%s=x%v", l.path, factor))
		if set := print(t, l.path+"="+written); set != scaled {
			t.Fatalf("%s: x%v gives\n%s\nand %s gives\n%s", l.path, factor, scaled, written, set)
		}
		if factor == 1 && scaled != print(t) {
			t.Fatalf("%s=x1 changes something", l.path)
		}
	})
}
