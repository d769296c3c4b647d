package scenario

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tiersim/sim/network"
	"tiersim/sim/pool"
	"tiersim/sim/profile"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// Sizes where none are written: parts of object stores are of tens of megabytes; a
// packet is that of Ethernet without options.
const (
	defaultChunk = unit.Bytes(64e6)
	defaultMSS   = unit.Bytes(1460)
)

func (w *networkValue) network() Network {
	n := Network{
		StartupRTTs: w.startupRTTs, Window: w.window, ParallelStreams: w.streams,
		OnOutage: network.OnOutage{Kind: w.onOutage},
		Loss:     w.loss, MSS: value(w.mss, defaultMSS), RTTBias: w.rttBias,
	}
	if w.onOutage == network.ToChunk {
		n.OnOutage.Chunk = value(w.chunk, defaultChunk)
	}
	return n
}

// begins is the date of the run's instant 0: that of the first trace that has one.
func (f *scenarioFile) begins() time.Time {
	for i := range f.traces {
		if t := &f.traces[i]; !t.starts.IsZero() {
			return t.starts.Add(time.Duration(float64(t.from) * float64(time.Second)))
		}
	}
	return time.Time{}
}

// weather gives a world what changes in time and what takes slots away.
func (b *built) weather(d *decoder, w *World, f *scenarioFile) {
	c := calendarOf(f.begins())
	b.lines(d, w, c)
	b.holds(d, w, c)
	b.hazards(d, w, f.interruptions)
	b.never(w)
	w.Reservations = f.reservationsOn(d, b.topology)
	if len(w.Reservations) > 0 && w.Reservable == nil {
		d.fault(f.reservations[0].node, "no link can be reserved; write reservable: 60%% for a tier or a link of the topology")
	}
	w.Weather = w.random()
}

// lines gives it what links have.
func (b *built) lines(d *decoder, w *World, c calendar) {
	n := len(b.links)
	for i := range b.links {
		l := &b.links[i]
		l.background.check(d)
		if law := l.capacityInTime(d, c); law != nil {
			w.Capacity = set(w.Capacity, n, i, law)
		}
		if l.jitter != nil {
			w.Jitter = set(w.Jitter, n, i, l.jitter.jitter())
		}
		if s := l.shaper; s != nil {
			w.Shapers = set(w.Shapers, n, i, network.Shaper{Burst: s.burst, Refill: s.refill, Size: s.size})
		}
		if r := l.reservable; r != nil && *r > 0 {
			w.Reservable = set(w.Reservable, n, i, *r)
		}
	}
}

// set sets an element of a list that is made when it gets its first.
func set[V any](all []V, n, i int, v V) []V {
	if all == nil {
		all = make([]V, n)
	}
	all[i] = v
	return all
}

// holds gives it the slots that are kept for services in time.
func (b *built) holds(d *decoder, w *World, c calendar) {
	for i := range b.pools {
		h := &b.pools[i].held
		if h.profile == nil {
			continue
		}
		law, err := h.profile.slots(b.pools[i].slots, c)
		if err != nil {
			d.fault(h.node, "%v", err)
			continue
		}
		w.Held = set(w.Held, len(b.pools), i, law)
	}
}

// slots returns a profile of slots: values up to 1 are shares of the pool's.
func (p *profileValue) slots(of int32, c calendar) (profile.Law, error) {
	if p.hasRate() {
		return nil, fmt.Errorf("got a rate, want shares (values up to 1) or numbers of slots")
	}
	most := 0.0
	for _, v := range p.values() {
		most = max(most, v.Number)
	}
	scale := 1.0
	if most <= 1 {
		scale = float64(of)
	} else if slices.ContainsFunc(p.values(), func(v profile.Value) bool { return v.Number > float64(of) }) {
		return nil, fmt.Errorf("got %v slots of %d; write at most %d", most, of, of)
	}
	law, err := p.law(1, c)
	if err != nil {
		return nil, err
	}
	return profile.Scaled(law, scale), nil
}

// hazards gives it the contracts of its pools.
func (b *built) hazards(d *decoder, w *World, all *interruptionsValue) {
	if all != nil {
		for i := range all.contracts {
			all.contracts[i].resolve(d, b.interruptions)
		}
	}
	for i := range b.pools {
		p := &b.pools[i]
		from := &p.interruptions
		if all != nil {
			from = all
		}
		var contracts []pool.Contract
		for k := range from.contracts {
			if from.contracts[k].whole { // else that is told
				contracts = append(contracts, from.contracts[k].contract(d, p))
			}
		}
		if contracts != nil {
			w.Interruptions = set(w.Interruptions, len(b.pools), i, contracts)
		}
	}
}

// never finds how many slots of each pool no task can ever have.
func (b *built) never(w *World) {
	for i := range b.topology.Pools {
		p := &b.topology.Pools[i]
		never := float64(p.Held)
		if w.Held != nil && w.Held[i] != nil {
			low, _ := profile.Levels(w.Held[i])
			never = math.Round(low)
		}
		if w.Interruptions != nil {
			for k := range w.Interruptions[i] {
				if c := &w.Interruptions[i][k]; c.Kind == pool.Recorded {
					_, high := profile.Levels(c.Available)
					never += max(0, float64(p.Slots)-math.Round(high))
				}
			}
		}
		p.Never = int32(min(never, float64(p.Slots)))
	}
}

// random reports whether anything in the world is drawn.
func (w *World) random() bool {
	for _, laws := range [][]profile.Law{w.Capacity, w.Held} {
		if slices.ContainsFunc(laws, func(l profile.Law) bool { return l != nil && l.Random() }) {
			return true
		}
	}
	if w.Jitter != nil {
		return true
	}
	for _, contracts := range w.Interruptions {
		for i := range contracts {
			if contracts[i].Kind != pool.Maintenance {
				return true // whom a recorded fall meets is drawn, too
			}
		}
	}
	return false
}

// CapacityOf returns the capacity of a link in time, nil where it is constant.
func (w *World) CapacityOf(l topo.LinkID) profile.Law {
	if w.Capacity == nil {
		return nil
	}
	return w.Capacity[l]
}
