package topo_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// hubs builds a topology of one city and one room in each hub, with hub links
// given as from, to, latency in ms and price.
func hubs(t testing.TB, names []string, links []link) *topo.Topology {
	t.Helper()
	spec := topo.Spec{Name: "t", Currency: "CNY"}
	for _, n := range names {
		spec.Hubs = append(spec.Hubs, topo.HubSpec{Name: n, Cities: []topo.CitySpec{
			{Name: n + "-city", Rooms: []topo.RoomSpec{{Name: n + "-room"}}},
		}})
	}
	for _, l := range links {
		for _, d := range [][2]string{{l.a, l.b}, {l.b, l.a}} {
			spec.Links = append(spec.Links, topo.HubLinkSpec{From: d[0], To: d[1],
				LinkSpec: topo.LinkSpec{Latency: unit.Seconds(l.ms / 1000), Price: unit.PerGB(l.price)}})
		}
	}
	topology, err := topo.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

type link struct {
	a, b      string
	ms, price float64
}

func path(t *topo.Topology, a, b string) []string {
	var names []string
	from, _ := t.Room(a + "-room")
	to, _ := t.Room(b + "-room")
	ids, ok := t.HubPath(t.Rooms[from].Hub, t.Rooms[to].Hub)
	if !ok {
		return nil
	}
	for _, h := range ids {
		names = append(names, t.Hubs[h].Name)
	}
	return names
}

// Routes among hubs: latency, then price, then number of links, then names.
func TestRouteOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		links []link
		want  []string
	}{
		{"a relay of less latency", []link{{"a", "d", 30, 0}, {"a", "b", 10, 0}, {"b", "d", 10, 0}}, []string{"a", "b", "d"}},
		// 0.1 + 0.2 ms is 0.3 ms although the floats differ: the price decides.
		{"equal latency: price", []link{{"a", "d", 0.3, 1}, {"a", "b", 0.1, 0.2}, {"b", "d", 0.2, 0.2}}, []string{"a", "b", "d"}},
		{"equal price: fewer links", []link{{"a", "d", 20, 0.4}, {"a", "b", 10, 0.2}, {"b", "d", 10, 0.2}}, []string{"a", "d"}},
		{"then the names in order", []link{{"a", "c", 10, 0}, {"c", "d", 10, 0}, {"a", "b", 10, 0}, {"b", "d", 10, 0}}, []string{"a", "b", "d"}},
		{"no route", []link{{"a", "b", 10, 0}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			topology := hubs(t, []string{"a", "b", "c", "d"}, c.links)
			if diff := cmp.Diff(c.want, path(topology, "a", "d")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// two is a topology with two rooms in one city, a second city, and a second hub.
func two(t testing.TB) *topo.Topology {
	t.Helper()
	l := func(ms, price float64) topo.LinkSpec {
		return topo.LinkSpec{Capacity: 1e9, Latency: unit.Seconds(ms / 1000), Price: unit.PerGB(price)}
	}
	room := func(name string, pools ...string) topo.RoomSpec {
		r := topo.RoomSpec{Name: name, Link: l(1, 0.01), Jurisdiction: "cn"}
		for _, p := range pools {
			r.Pools = append(r.Pools, topo.PoolSpec{Name: p, Kind: "gpu", Pool: topo.Pool{Slots: 8, Speed: 1}})
		}
		return r
	}
	topology, err := topo.New(topo.Spec{Currency: "CNY", Hubs: []topo.HubSpec{
		{Name: "east", Cities: []topo.CitySpec{
			{Name: "c1", Link: l(2, 0.02), Rooms: []topo.RoomSpec{room("r1", "gpu"), room("r2", "gpu")}},
			{Name: "c2", Link: l(2, 0.02), Rooms: []topo.RoomSpec{room("r3", "only")}},
		}},
		{Name: "west", Cities: []topo.CitySpec{{Name: "c3", Link: l(2, 0.02), Rooms: []topo.RoomSpec{room("r4")}}}},
	}, Links: []topo.HubLinkSpec{{From: "east", To: "west", LinkSpec: l(10, 0.5)}}})
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

// A route leaves out the parts that its ends share; its latency and price are
// the sums over its links: 2·1 in a city, + 2·2 in a hub, + 10 between hubs.
func TestRoutes(t *testing.T) {
	topology := two(t)
	id := func(n string) topo.RoomID { r, _ := topology.Room(n); return r }
	for _, c := range []struct {
		from, to string
		links    []string
		ms       float64
		price    float64
		ok       bool
	}{
		{"r1", "r1", nil, 0, 0, true},
		{"r1", "r2", []string{"r1>c1", "c1>r2"}, 2, 0.02, true},
		{"r1", "r3", []string{"r1>c1", "c1>east", "east>c2", "c2>r3"}, 6, 0.06, true},
		{"r1", "r4", []string{"r1>c1", "c1>east", "east>west", "west>c3", "c3>r4"}, 16, 0.56, true},
		{"r4", "r1", nil, 0, 0, false},
	} {
		ids, ok := topology.AppendRoute(nil, id(c.from), id(c.to))
		var names []string
		for _, l := range ids {
			names = append(names, topology.Links[l].Name)
		}
		latency, price, ok2 := topology.Between(id(c.from), id(c.to))
		if diff := cmp.Diff(c.links, names); diff != "" || ok != c.ok || ok2 != c.ok {
			t.Errorf("%s to %s: ok %v %v %s", c.from, c.to, ok, ok2, diff)
		}
		if c.ok && (fmt.Sprintf("%.9f", float64(latency)*1000) != fmt.Sprintf("%.9f", c.ms) || fmt.Sprintf("%.9f", float64(price)) != fmt.Sprintf("%.9f", c.price)) {
			t.Errorf("%s to %s: %v at %v, want %v ms at %v", c.from, c.to, latency, price, c.ms, c.price)
		}
	}
}

// Names address entities: a pool by its own name only where one pool has it.
func TestNames(t *testing.T) {
	topology := two(t)
	for name, want := range map[string]bool{"r1/gpu": true, "east/r2/gpu": true, "gpu": false, "only": true, "r3/only": true, "nope": false} {
		if _, ok := topology.Pool(name); ok != want {
			t.Errorf("pool %s: found %v, want %v", name, ok, want)
		}
	}
	for name, want := range map[string]bool{"r1": true, "east/r1": true, "west/r1": false} {
		if _, ok := topology.Room(name); ok != want {
			t.Errorf("room %s: found %v, want %v", name, ok, want)
		}
	}
}

func TestBrokenSpecs(t *testing.T) {
	one := topo.HubSpec{Name: "a", Cities: []topo.CitySpec{{Name: "c", Rooms: []topo.RoomSpec{{Name: "r"}}}}}
	for _, c := range []struct {
		spec topo.Spec
		want string
	}{
		{topo.Spec{Hubs: []topo.HubSpec{one, one}}, `hub "a" stands twice`},
		{topo.Spec{Hubs: []topo.HubSpec{one, {Name: "b", Cities: one.Cities}}}, `city "c" stands twice`},
		{topo.Spec{Hubs: []topo.HubSpec{one}, Links: []topo.HubLinkSpec{{From: "a", To: "z"}}}, `link a>z does not join two hubs`},
	} {
		if _, err := topo.New(c.spec); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// An Example: where data goes from one room to another.
func ExampleTopology_AppendRoute() {
	topology, _ := topo.New(topo.Spec{Hubs: []topo.HubSpec{{Name: "east", Cities: []topo.CitySpec{
		{Name: "wuhu", Rooms: []topo.RoomSpec{{Name: "wuhu-1"}}},
		{Name: "qingpu", Rooms: []topo.RoomSpec{{Name: "qingpu-1"}}},
	}}}})
	from, _ := topology.Room("wuhu-1")
	to, _ := topology.Room("qingpu-1")
	route, _ := topology.AppendRoute(nil, from, to)
	for _, l := range route {
		fmt.Println(topology.Links[l].Name)
	}
	// Output:
	// wuhu-1>wuhu
	// wuhu>east
	// east>qingpu
	// qingpu>qingpu-1
}
