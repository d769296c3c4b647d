package network_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"tiersim/sim/des"
	"tiersim/sim/network"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A world is links with shapers and a list of what is done to their network, in
// order of time. Flows and channels are numbered in the order in which they begin.
type world struct {
	capacity []unit.Rate
	shapers  []network.Shaper // by link; zero: none
	outage   network.OnOutage
	deeds    []deed
}

// A deed is done at an instant to a link, a flow or a channel.
type deed struct {
	at    unit.Time
	kind  deedKind
	index int       // of the link, flow or channel
	rate  unit.Rate // a capacity, a cap, a channel's rate
	route []topo.LinkID
	flow  network.Flow // its Channel is a number here, from 1
}

type deedKind uint8

const (
	start deedKind = iota
	cancel
	setCapacity
	setCap
	open
	setRate
	closeChannel
)

// What came of a world, by flow, link and channel.
type outcome struct {
	finish   []float64
	again    []float64
	carried  []float64
	honoured []float64
	turns    int     // events of shapers
	end      float64 // the instant of the last event
}

// player plays a world on a Network.
type player struct {
	l        *des.List
	n        *network.Network
	ids      []network.FlowID // by number
	channels []network.ChannelID
	over     []bool
	out      outcome
}

func (w *world) begin() *player {
	p := &player{l: new(des.List)}
	p.n = network.New(w.capacity, p.l, kinds)
	p.n.SetOnOutage(w.outage)
	for l, s := range w.shapers {
		if s.Size > 0 {
			p.n.Shape(topo.LinkID(l), s)
		}
	}
	for i := range w.deeds {
		p.l.Schedule(des.Event{At: w.deeds[i].at, Priority: des.Arrival, Kind: kindArrival, Index: int32(i)})
	}
	return p
}

// play plays a world to the end, and checks after each event all that must hold.
// From deed number copyAt on it plays on with a copy, in storage that was used.
func (w *world) play(t rapid.TB, copyAt int) outcome {
	t.Helper()
	p := w.begin()
	carried := make([]float64, len(w.capacity))
	for e, ok := p.l.Next(); ok; e, ok = p.l.Next() {
		if e.Kind == kindArrival {
			if int(e.Index) == copyAt {
				p.moveToCopy(w)
			}
			p.do(&w.deeds[e.Index])
		} else if id, done := p.n.Handle(e); done {
			p.end(id)
		} else if e.Kind == kindShaper {
			p.out.turns++
		}
		if err := p.n.Check(); err != nil {
			t.Fatal(err)
		}
		w.conserves(t, p, carried)
	}
	for i, over := range p.over {
		if !over {
			t.Fatalf("flow %d never ends", i)
		}
	}
	if p.n.Active() != 0 || p.n.Moves() {
		t.Fatalf("%d flows are active at the end, something moves: %v", p.n.Active(), p.n.Moves())
	}
	p.out.end = float64(p.l.Now())
	for l := range w.capacity {
		p.out.carried = append(p.out.carried, float64(p.n.Carried(topo.LinkID(l))))
	}
	return p.out
}

// moveToCopy goes on with a copy, made over a network that has been used; the
// first is spoiled.
func (p *player) moveToCopy(w *world) {
	used := w.begin()
	used.n.SetOnOutage(network.OnOutage{Kind: network.ToChunk, Chunk: 100})
	for range 10 {
		if e, ok := used.l.Next(); ok && e.Kind == kindArrival {
			used.do(&w.deeds[e.Index])
		} else if ok {
			if id, done := used.n.Handle(e); done {
				used.end(id)
			}
		}
	}
	used.l.CopyFrom(p.l)
	used.n.CopyFrom(p.n, used.l)
	for l := range w.capacity {
		p.n.SetCapacity(topo.LinkID(l), 0)
	}
	p.l, p.n = used.l, used.n
}

// do does a deed; to a flow that is over, nothing.
func (p *player) do(d *deed) {
	switch d.kind {
	case start:
		f := d.flow
		f.Owner = int32(len(p.ids))
		if f.Channel > 0 {
			f.Channel = p.channels[f.Channel-1]
		}
		p.ids = append(p.ids, p.n.Start(f))
		p.over = append(p.over, false)
		p.out.finish = append(p.out.finish, 0)
		p.out.again = append(p.out.again, 0)
	case cancel:
		if !p.over[d.index] {
			p.n.Cancel(p.ids[d.index])
			p.end(p.ids[d.index])
		}
	case setCap:
		if !p.over[d.index] {
			p.n.SetCap(p.ids[d.index], d.rate)
		}
	case setCapacity:
		p.n.SetCapacity(topo.LinkID(d.index), d.rate)
	case open:
		p.channels = append(p.channels, p.n.Open(d.route, d.rate))
		p.out.honoured = append(p.out.honoured, 0)
	case setRate:
		p.n.SetChannelRate(p.channels[d.index], d.rate)
	case closeChannel:
		id := p.channels[d.index]
		p.n.Close(id)
		p.out.honoured[d.index] = p.n.Honoured(id)
		if d.index%2 == 0 { // so that some ids and links are given out again
			p.n.ReleaseChannel(id)
		}
	}
}

func (p *player) end(id network.FlowID) {
	i := p.n.Owner(id)
	p.over[i] = true
	p.out.finish[i], p.out.again[i] = float64(p.l.Now()), float64(p.n.Again(id))
	p.n.Release(id)
}

// conserves checks that no link carries more than it can, that its load is that of
// the flows that it lists, and that what it has carried never falls.
func (w *world) conserves(t rapid.TB, p *player, carried []float64) {
	t.Helper()
	for l := range w.capacity {
		link := topo.LinkID(l)
		load, c := p.n.Load(link), p.n.Capacity(link)
		if float64(load) > float64(c)*(1+1e-12) {
			t.Fatalf("at %v s: link %d carries %v of %v", float64(p.l.Now()), l, float64(load), float64(c))
		}
		sum := unit.Rate(0)
		for _, id := range p.n.AppendFlows(nil, link) {
			sum += p.n.Rate(id)
		}
		if !near(float64(sum), float64(load)) {
			t.Fatalf("at %v s: link %d carries %v, its flows %v", float64(p.l.Now()), l, float64(load), float64(sum))
		}
		now := float64(p.n.Carried(link))
		if now < carried[l]*(1-1e-12) {
			t.Fatalf("at %v s: link %d has carried %v, before it was %v", float64(p.l.Now()), l, now, carried[l])
		}
		carried[l] = now
		if s := w.shapers[l]; s.Size > 0 && c > s.Burst {
			t.Fatalf("at %v s: link %d has %v, its shaper %v", float64(p.l.Now()), l, float64(c), float64(s.Burst))
		}
	}
}

// drawWorld draws a world. Instants and sizes are irrational, so that no two
// things happen at one instant: which comes first would be up to rounding.
func drawWorld(t *rapid.T) *world {
	w := &world{}
	for l := range rapid.IntRange(1, 6).Draw(t, "links") {
		w.capacity = append(w.capacity, unit.Rate(rapid.IntRange(1, 4).Draw(t, "capacity")))
		s := network.Shaper{}
		if rapid.IntRange(0, 2).Draw(t, "shaped") == 0 {
			odd := math.Log(float64(10+l)) / 9
			s.Refill = unit.Rate(odd * float64(rapid.IntRange(1, 4).Draw(t, "refill")))
			s.Burst = s.Refill + unit.Rate(rapid.IntRange(0, 12).Draw(t, "burst"))/4
			s.Size = unit.Bytes(s.Refill) * unit.Bytes(math.Sqrt(odd)*rapid.Float64Range(0.5, 1).Draw(t, "size"))
			if l == 0 {
				s.Size *= 9
			}
		}
		w.shapers = append(w.shapers, s)
	}
	w.outage = rapid.SampledFrom([]network.OnOutage{{}, {Kind: network.Restart}, {Kind: network.ToChunk, Chunk: 0.7}, {Kind: network.ToChunk, Chunk: math.Pi}}).Draw(t, "outage")
	g := worldMaker{w: w, t: t}
	for range rapid.IntRange(1, 50).Draw(t, "deeds") {
		g.add()
	}
	g.restore()
	return w
}

// A worldMaker knows what it has made, so that it asks for nothing impossible.
type worldMaker struct {
	w     *world
	t     *rapid.T
	now   float64
	flows int
	open  []bool // by channel
}

func (g *worldMaker) route(what string, least int) []topo.LinkID {
	link := rapid.Map(rapid.IntRange(0, len(g.w.capacity)-1), func(i int) topo.LinkID { return topo.LinkID(i) })
	return rapid.SliceOfNDistinct(link, least, min(4, len(g.w.capacity)), rapid.ID[topo.LinkID]).Draw(g.t, what)
}

func (g *worldMaker) do(d deed) {
	d.at = unit.Time(g.now)
	g.w.deeds = append(g.w.deeds, d)
}

func (g *worldMaker) add() {
	t := g.t
	g.now += math.Log(float64(rapid.IntRange(2, 1000).Draw(t, "after"))) / 4
	channel := 0 // an open one, from 1
	if k := len(g.open); k > 0 {
		if i := rapid.IntRange(0, k-1).Draw(t, "which"); g.open[i] {
			channel = i + 1
		}
	}
	switch kind := rapid.IntRange(0, 11).Draw(t, "deed"); {
	case kind < 5 || g.flows == 0:
		f := network.Flow{
			Route: g.route("route", 0), Bytes: unit.Bytes(math.Sqrt2 * math.Log(float64(rapid.IntRange(1, 1000).Draw(t, "bytes")))), Weight: float64(rapid.IntRange(1, 3).Draw(t, "weight")),
			Cap: unit.Unlimited(), Delay: unit.Seconds(rapid.IntRange(0, 2).Draw(t, "delay")) * 0.37,
		}
		if rapid.Bool().Draw(t, "capped") || len(f.Route) == 0 {
			f.Cap = unit.Rate(rapid.Float64Range(0.1, 2).Draw(t, "cap"))
		}
		if channel > 0 && rapid.Bool().Draw(t, "in channel") {
			f.Channel = network.ChannelID(channel)
		}
		g.do(deed{kind: start, flow: f})
		g.flows++
	case kind < 6:
		g.do(deed{kind: cancel, index: rapid.IntRange(0, g.flows-1).Draw(t, "canceled")})
	case kind < 7:
		g.do(deed{kind: setCap, index: rapid.IntRange(0, g.flows-1).Draw(t, "capped"), rate: unit.Rate(rapid.IntRange(0, 3).Draw(t, "new cap"))})
	case kind < 9:
		g.do(deed{kind: setCapacity, index: rapid.IntRange(0, len(g.w.capacity)-1).Draw(t, "changed"), rate: unit.Rate(rapid.IntRange(0, 3).Draw(t, "new capacity"))})
	case kind < 10 || channel == 0:
		g.do(deed{kind: open, route: g.route("channel", 1), rate: unit.Rate(rapid.IntRange(0, 5).Draw(t, "rate")) / 3})
		g.open = append(g.open, true)
	case kind < 11:
		g.do(deed{kind: setRate, index: channel - 1, rate: unit.Rate(rapid.IntRange(0, 5).Draw(t, "new rate")) / 3})
	default:
		g.do(deed{kind: closeChannel, index: channel - 1})
		g.open[channel-1] = false
	}
}

// restore lets everything end.
func (g *worldMaker) restore() {
	g.now += 10
	for i := range g.open {
		if g.open[i] {
			g.do(deed{kind: closeChannel, index: i})
		}
	}
	for l, c := range g.w.capacity {
		g.do(deed{kind: setCapacity, index: l, rate: c})
	}
	for i := range g.flows {
		g.do(deed{kind: setCap, index: i, rate: 2})
	}
}

// TestRandomDeeds compares with the plain model of the same world, by when flows
// end, what they sent twice, what each link carried and how channels were honoured;
// and with a run that goes on with a copy, to the bit.
func TestRandomDeeds(t *testing.T) {
	worlds := 10 // hundreds
	if testing.Short() {
		worlds = 1
	}
	for range worlds {
		rapid.Check(t, checkDeeds)
	}
}

func checkDeeds(t *rapid.T) {
	w := drawWorld(t)
	got, want := w.play(t, -1), w.playPlain()
	for _, c := range []struct {
		what string
		a, b []float64
	}{
		{"flow ends", got.finish, want.finish},
		{"flow sends twice", got.again, want.again},
		{"link carries", got.carried, want.carried},
		{"channel honoured", got.honoured, want.honoured},
	} {
		for i := range c.b {
			if math.Abs(c.a[i]-c.b[i]) > 1e-7*max(1, c.b[i]) {
				t.Errorf("%d: %s %v, plain model %v", i, c.what, c.a[i], c.b[i])
			}
		}
	}
	copied := w.play(t, rapid.IntRange(0, len(w.deeds)-1).Draw(t, "copied at"))
	if a, b := fmt.Sprint(got), fmt.Sprint(copied); a != b {
		t.Errorf("a copy plays on to\n%s\nnot\n%s", b, a)
	}
	// Smallest quantum and pause: half of √odd ≥ ½ seconds of refill.
	if most := 2 * float64(len(w.capacity)) * (1 + got.end/0.25); float64(got.turns) > most {
		t.Errorf("buckets turn %d times in %v s", got.turns, got.end)
	}
}
