package network

import (
	"fmt"
	"math"
	"slices"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// A ChannelID names a channel from Open to ReleaseChannel. 0 names none.
type ChannelID int32

// A channel is a rate that is reserved on links. In the allocator it is a link of
// its own, and its flows cross that in place of the links that it covers.
type channel struct {
	route   []topo.LinkID
	rate    unit.Rate // asked
	granted unit.Rate
	anchor  unit.Time  // instant of asked and got
	asked   unit.Bytes // what the rate would have carried up to then
	got     unit.Bytes // what was granted would have
	own     int32      // its link in the allocator
	flows   int32      // in it that are neither done nor canceled
	open    bool
}

// channels is all of a network. Where none was opened, on is empty.
type channels struct {
	all   []channel // by id; 0 is none
	free  []ChannelID
	links []int32       // of the allocator, that no channel uses
	on    [][]ChannelID // by link: open channels that cover it
	share []float64     // by link: the part of what they ask for that it has, at most 1
	dirty []topo.LinkID
}

// Open reserves a rate on links from now on: the flows in it share what is
// granted, max-min fair and with nobody else. Best effort gets what is left of a
// link when all its channels have their rate, whether they use it or not. Where a
// link has less than its channels ask for, each gets the same part of its rate; a
// channel gets the least part of its links. The rate may be 0, and changed later.
func (n *Network) Open(route []topo.LinkID, rate unit.Rate) ChannelID {
	n.mustBeReservable(rate)
	c := &n.channels
	if len(c.all) == 0 {
		c.on = append(c.on, make([][]ChannelID, len(n.raw))...)
		c.share = append(c.share, make([]float64, len(n.raw))...)
		c.all = append(c.all, channel{})
	}
	var id ChannelID
	if k := len(c.free); k > 0 {
		id, c.free = c.free[k-1], c.free[:k-1]
	} else {
		id = ChannelID(len(c.all))
		c.all = append(c.all, channel{})
	}
	x := &c.all[id]
	*x = channel{route: append(x.route[:0], route...), rate: rate, anchor: n.list.Now(), own: n.takeLink(), open: true}
	for _, l := range route {
		if slices.Contains(c.on[l], id) {
			panic(fmt.Sprintf("network: at %v s: a channel crosses link %d twice", float64(n.list.Now()), l))
		}
		c.on[l] = append(c.on[l], id)
	}
	n.grant(x.route)
	n.give(id) // where it covers no link
	n.finish()
	return id
}

// SetChannelRate changes the rate of a channel from now on.
func (n *Network) SetChannelRate(id ChannelID, rate unit.Rate) {
	n.mustBeReservable(rate)
	x := n.mustBeOpen(id)
	n.account(x)
	x.rate = rate
	n.grant(x.route)
	n.give(id)
	n.finish()
}

// Close ends a channel. Flows that are in it go on as best effort. It can be asked
// how it was honoured until it is released.
func (n *Network) Close(id ChannelID) {
	x := n.mustBeOpen(id)
	n.account(x)
	x.open, x.granted = false, 0
	for _, l := range x.route {
		on := n.channels.on[l]
		i := slices.Index(on, id)
		n.channels.on[l] = slices.Delete(on, i, i+1)
	}
	n.grant(x.route)
	n.evict(id)
	n.channels.links = append(n.channels.links, x.own)
	n.finish()
}

// ReleaseChannel forgets a channel that is closed; its id is given out again.
func (n *Network) ReleaseChannel(id ChannelID) {
	if x := n.channel(id); x == nil || x.open || x.own < 0 {
		panic(fmt.Sprintf("network: at %v s: channel %d cannot be released", float64(n.list.Now()), id))
	}
	n.channels.all[id].own = -1
	n.channels.free = append(n.channels.free, id)
}

// Granted returns the rate that a channel has now; 0 when it is closed.
func (n *Network) Granted(id ChannelID) unit.Rate { return n.channels.all[id].granted }

// Honoured returns what was granted to a channel as a part of what it asked for,
// both as bytes over the time it has been open; 1 where it asked for nothing.
func (n *Network) Honoured(id ChannelID) float64 {
	x := n.channels.all[id] // a copy: asking changes nothing
	if x.open {
		n.account(&x)
	}
	if x.asked == 0 {
		return 1
	}
	return float64(x.got / x.asked)
}

// account brings the books of a channel up to now.
func (n *Network) account(x *channel) {
	since := n.list.Now().Sub(x.anchor)
	x.asked += x.rate.For(since)
	x.got += x.granted.For(since)
	x.anchor = n.list.Now()
}

// grant finds what channels get and what is left for best effort, after the
// capacity of links, or what is asked of them, has changed.
func (n *Network) grant(links []topo.LinkID) {
	c := &n.channels
	c.dirty = append(c.dirty[:0], links...)
	for _, l := range links {
		c.share[l] = n.shareOf(l)
	}
	for _, l := range links {
		for _, id := range c.on[l] {
			if n.give(id) {
				c.dirty = append(c.dirty, c.all[id].route...)
			}
		}
	}
	for _, l := range c.dirty {
		n.alloc.SetCapacity(int32(l), float64(n.bestEffort(l)))
		n.update(n.alloc.Changed())
	}
}

// shareOf returns the part that a link has of what its channels ask for.
func (n *Network) shareOf(l topo.LinkID) float64 {
	asked := unit.Rate(0)
	for _, id := range n.channels.on[l] {
		asked += n.channels.all[id].rate
	}
	if c := n.Capacity(l); asked > c {
		return float64(c / asked)
	}
	return 1
}

// partOf returns the part that a channel gets of its rate: the least of its links.
func (n *Network) partOf(x *channel) float64 {
	part := 1.0
	for _, l := range x.route {
		part = min(part, n.channels.share[l])
	}
	return part
}

// give grants a channel its part, and reports whether that is another than before.
func (n *Network) give(id ChannelID) bool {
	x := &n.channels.all[id]
	granted := unit.Rate(float64(x.rate) * n.partOf(x))
	if granted == x.granted {
		return false
	}
	n.account(x)
	x.granted = granted
	n.alloc.SetCapacity(x.own, float64(granted))
	n.update(n.alloc.Changed())
	return true
}

// bestEffort returns what channels leave of a link: nothing where they are granted
// all of it, up to the rounding of their sum, with which no flow should crawl.
func (n *Network) bestEffort(l topo.LinkID) unit.Rate {
	c, granted := n.Capacity(l), unit.Rate(0)
	for _, id := range n.channels.on[l] {
		granted += n.channels.all[id].granted
	}
	rounding := unit.Rate(tolerance * float64(granted))
	switch left := c - granted; {
	case left > rounding:
		return left
	case left >= -rounding:
		return 0
	}
	panic(fmt.Sprintf("network: at %v s: channels are granted %v of link %d of %v", float64(n.list.Now()), float64(granted), l, float64(c)))
}

// evict makes the flows of a channel best effort.
func (n *Network) evict(id ChannelID) {
	x := &n.channels.all[id]
	n.scratch = n.alloc.AppendFlows(n.scratch[:0], x.own)
	slices.Sort(n.scratch)
	for k, i := range n.scratch {
		f := &n.flows[i]
		n.alloc.Remove(i)
		n.update(n.alloc.Changed())
		f.channel = 0
		x.flows--
		n.alloc.Add(i, n.route(FlowID(i)), f.weight, float64(f.cap))
		n.update(n.alloc.Changed())
		n.update(n.scratch[k : k+1]) // which Add does not report where it gets nothing
	}
	for i := 0; x.flows > 0; i++ { // those that wait their delay
		if f := &n.flows[i]; f.channel == id && f.phase == waiting {
			f.channel = 0
			x.flows--
		}
	}
}

// takeLink finds a link of the allocator for a channel.
func (n *Network) takeLink() int32 {
	c := &n.channels
	if k := len(c.links); k > 0 {
		l := c.links[k-1]
		c.links = c.links[:k-1]
		n.alloc.SetCapacity(l, 0)
		return l
	}
	return n.alloc.AddLink(0)
}

// shared returns the links of the allocator that a flow crosses: in a channel, that
// and what the channel does not cover of its route. Valid until the next call.
func (n *Network) shared(route []int32, in ChannelID) []int32 {
	if in == 0 {
		return route
	}
	x := &n.channels.all[in]
	n.hops = append(n.hops[:0], x.own)
	for _, l := range route {
		if !slices.Contains(x.route, topo.LinkID(l)) {
			n.hops = append(n.hops, l)
		}
	}
	return n.hops
}

// reserved reports whether channels cover a link.
func (n *Network) reserved(l topo.LinkID) bool {
	return len(n.channels.on) > 0 && len(n.channels.on[l]) > 0
}

// appendInChannels appends the flows that are sending on a link through channels.
func (n *Network) appendInChannels(dst []int32, l topo.LinkID) []int32 {
	for _, id := range n.channels.on[l] {
		k := len(dst)
		dst = n.alloc.AppendFlows(dst, n.channels.all[id].own)
		kept := dst[:k]
		for _, f := range dst[k:] {
			if slices.Contains(n.route(FlowID(f)), int32(l)) {
				kept = append(kept, f)
			}
		}
		dst = kept
	}
	return dst
}

// channel returns a channel of that id, nil where there never was one.
func (n *Network) channel(id ChannelID) *channel {
	if id <= 0 || int(id) >= len(n.channels.all) {
		return nil
	}
	return &n.channels.all[id]
}

func (n *Network) mustBeOpen(id ChannelID) *channel {
	x := n.channel(id)
	if x == nil || !x.open {
		panic(fmt.Sprintf("network: at %v s: channel %d is not open", float64(n.list.Now()), id))
	}
	return x
}

func (n *Network) mustBeReservable(rate unit.Rate) {
	if !(rate >= 0) || math.IsInf(float64(rate), 1) {
		panic(fmt.Sprintf("network: at %v s: a channel of rate %v", float64(n.list.Now()), float64(rate)))
	}
}

// copyFrom makes c an independent copy of o, in the storage that c has.
func (c *channels) copyFrom(o *channels) {
	all := slices.Grow(c.all[:0], len(o.all))[:len(o.all)]
	for i := range o.all {
		route := all[i].route
		all[i] = o.all[i]
		all[i].route = append(route[:0], o.all[i].route...)
	}
	on := slices.Grow(c.on[:0], len(o.on))[:len(o.on)]
	for i := range o.on {
		on[i] = append(on[i][:0], o.on[i]...)
	}
	c.all, c.on = all, on
	c.free = append(c.free[:0], o.free...)
	c.links = append(c.links[:0], o.links...)
	c.share = append(c.share[:0], o.share...)
}
