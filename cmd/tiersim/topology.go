package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"tiersim/sim/fault"
	"tiersim/sim/scenario"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

func newTopology() *cobra.Command {
	return parent("topology", "look at places and routes", newTopologyShow(), newTopologyRoute())
}

func newTopologyShow() *cobra.Command {
	var f peekFlags
	cmd := &cobra.Command{
		Use: "show TOPOLOGY", Short: "the places as a tree, and how far the hubs are apart",
		Long: `Shows the places of a topology, or of a scenario, as a tree, and how far the hubs are apart.
With --profile it draws what a link's capacity does over a day instead: that which a run
of the same seed and replication meets.`,
		Example: `  tiersim topology show eight-hubs
  tiersim topology show eight-hubs-weather --point weather --profile "gansu>ningxia"
  tiersim topology show my.yaml --profile "east>west" --out line.svg`,
		Args: between(1, 1, "a topology"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			w, seed, err := scenario.Peek(args[0], f.point, f.set)
			if err != nil {
				return err
			}
			if f.link == "" {
				return showTopology(cmd.OutOrStdout(), w.Topology)
			}
			if !cmd.Flags().Changed("seed") {
				f.seed = seed
			}
			return f.show(cmd, args[0], w)
		},
	}
	f.add(cmd)
	return cmd
}

func showTopology(w io.Writer, t *topo.Topology) error {
	slots := 0
	for i := range t.Pools {
		slots += int(t.Pools[i].Slots)
	}
	fmt.Fprintf(w, "%s: %d hubs, %d cities, %d rooms, %d pools with %s slots, %d links; prices in %s\n\n",
		t.Name, len(t.Hubs), len(t.Cities), len(t.Rooms), len(t.Pools), grouped(float64(slots)), len(t.Links), t.Currency)
	for i := range t.Hubs {
		fmt.Fprintln(w, t.Hubs[i].Name)
		cities := t.Hubs[i].Cities
		for j, c := range cities {
			showCity(w, t, c, j == len(cities)-1)
		}
	}
	if len(t.Hubs) < 2 {
		return nil
	}
	fmt.Fprintln(w)
	if err := showHubs(w, t); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return showHubLinks(w, t)
}

// twig returns what stands before a place of the tree and before what is in it.
func twig(last bool) (here, below string) {
	if last {
		return "└─ ", "   "
	}
	return "├─ ", "│  "
}

func showCity(w io.Writer, t *topo.Topology, c topo.CityID, last bool) {
	city := &t.Cities[c]
	here, below := twig(last)
	fmt.Fprintf(w, "%s%s  (uplink %s)\n", here, city.Name, linkText(t, city.Up))
	for i, r := range city.Rooms {
		showRoom(w, t, r, below, i == len(city.Rooms)-1)
	}
}

func showRoom(w io.Writer, t *topo.Topology, r topo.RoomID, indent string, last bool) {
	room := &t.Rooms[r]
	here, below := twig(last)
	about := []string{"uplink " + linkText(t, room.Up)}
	if j := t.Jurisdictions[room.Jurisdiction]; j != "" {
		about = append(about, "jurisdiction "+j)
	}
	if len(room.Environments) > 0 {
		about = append(about, "environments "+strings.Join(room.Environments, " "))
	}
	fmt.Fprintf(w, "%s%s%s  (%s)\n", indent, here, room.Name, strings.Join(about, "; "))
	var things []string
	if s := room.Storage; s.Limited {
		text := fmt.Sprintf("storage: %s, read %v, write %v", amount(s.Capacity), t.Links[s.Read].Capacity, t.Links[s.Write].Capacity)
		if s.Price > 0 {
			text += fmt.Sprintf(", %v %s/GB/month", float64(s.Price), t.Currency)
		}
		things = append(things, text)
	}
	for _, p := range room.Pools {
		things = append(things, poolText(t, &t.Pools[p]))
	}
	for i, text := range things {
		twig, _ := twig(i == len(things)-1)
		fmt.Fprintf(w, "%s%s%s%s\n", indent, below, twig, text)
	}
}

func amount(b unit.Bytes) string {
	if math.IsInf(float64(b), 1) {
		return "no limit"
	}
	return b.String()
}

func poolText(t *topo.Topology, p *topo.Pool) string {
	text := fmt.Sprintf("%s: %d slots of %s", p.Name, p.Slots, t.Kinds[p.Kind])
	if p.PerNode > 1 {
		text += fmt.Sprintf(" (%d a node)", p.PerNode)
	}
	if p.Held > 0 {
		text += fmt.Sprintf(", %d of them held", p.Held)
	}
	if p.Speed != 1 {
		text += fmt.Sprintf(", speed %v", p.Speed)
	}
	text += fmt.Sprintf(", %v %s/h, queue %s", float64(p.Price), t.Currency, queueNames[p.Queue])
	if p.Queue == topo.EASY || p.Queue == topo.Conservative {
		text += " by " + estimateNames[p.Estimates] + " estimates"
	}
	return text
}

var (
	queueNames    = [...]string{topo.FCFS: "fcfs", topo.EASY: "easy", topo.Conservative: "conservative", topo.Priority: "priority"}
	estimateNames = [...]string{topo.UserEstimates: "user", topo.ExactEstimates: "exact"}
)

// linkText is a link's capacity, latency and price; what it has not is left out.
func linkText(t *topo.Topology, l topo.LinkID) string {
	k := &t.Links[l]
	text := k.Capacity.String()
	if k.Latency > 0 {
		text += ", " + k.Latency.String()
	}
	if k.Price > 0 {
		text += fmt.Sprintf(", %v %s/GB", float64(k.Price), t.Currency)
	}
	return text
}

// showHubs is a matrix of latencies between hubs.
func showHubs(w io.Writer, t *topo.Topology) error {
	g := grid{left: 1}
	head := []string{"latency, ms"}
	for i := range t.Hubs {
		head = append(head, t.Hubs[i].Name)
	}
	g.heads = [][]string{head}
	for a := range t.Hubs {
		row := []string{t.Hubs[a].Name}
		for b := range t.Hubs {
			row = append(row, hubLatency(t, topo.HubID(a), topo.HubID(b)))
		}
		g.add(row...)
	}
	return g.print(w)
}

func hubLatency(t *topo.Topology, a, b topo.HubID) string {
	if a == b {
		return "·"
	}
	hubs, ok := t.HubPath(a, b)
	if !ok {
		return "-"
	}
	var sum unit.Seconds
	for i := 1; i < len(hubs); i++ {
		sum += t.Links[hubLink(t, hubs[i-1], hubs[i])].Latency
	}
	return fmt.Sprintf("%.1f", 1e3*float64(sum))
}

// hubLink finds the link from one hub to the next of a route.
func hubLink(t *topo.Topology, a, b topo.HubID) topo.LinkID {
	for i := range t.Links {
		l := &t.Links[i]
		if l.Tier == topo.HubTier && l.From == t.Hubs[a].Name && l.To == t.Hubs[b].Name {
			return topo.LinkID(i)
		}
	}
	panic(fmt.Sprintf("no link from %s to %s, which a route crosses", t.Hubs[a].Name, t.Hubs[b].Name))
}

func showHubLinks(w io.Writer, t *topo.Topology) error {
	g := grid{left: 1, heads: [][]string{{"hub link", "capacity", "latency", t.Currency + "/GB"}}}
	for i := range t.Links {
		if l := &t.Links[i]; l.Tier == topo.HubTier {
			g.add(l.Name, l.Capacity.String(), l.Latency.String(), fmt.Sprint(float64(l.Price)))
		}
	}
	return g.print(w)
}

func newTopologyRoute() *cobra.Command {
	var explain bool
	cmd := &cobra.Command{
		Use: "route TOPOLOGY FROM TO", Short: "route, latency and price between two rooms",
		Example: "  tiersim topology route eight-hubs zhangjiakou-1 guian-1 --explain",
		Args:    between(3, 3, "a topology and two rooms"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := scenario.LoadTopology(args[0])
			if err != nil {
				return err
			}
			from, err := findRoom(t, args[0], args[1])
			if err != nil {
				return err
			}
			to, err := findRoom(t, args[0], args[2])
			if err != nil {
				return err
			}
			return showRoute(cmd.OutOrStdout(), t, from, to, explain)
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "every link, and how a rate and a time come about")
	return cmd
}

func findRoom(t *topo.Topology, file, name string) (topo.RoomID, error) {
	if id, ok := t.Room(name); ok {
		return id, nil
	}
	var names []string
	for i := range t.Rooms {
		names = append(names, t.Rooms[i].Name)
	}
	message := fmt.Sprintf("no room %q; there are %s", name, strings.Join(names, ", "))
	if near, ok := fault.Suggest(name, names); ok {
		message = fmt.Sprintf("no room %q; write %s", name, near)
	}
	return 0, fault.Fault{File: file, Message: message}
}

func showRoute(w io.Writer, t *topo.Topology, from, to topo.RoomID, explain bool) error {
	links, ok := t.AppendRoute(nil, from, to)
	if !ok {
		return fmt.Errorf("there is no route from %s to %s: options that need one are not offered", t.Rooms[from].Name, t.Rooms[to].Name)
	}
	latency, price, _ := t.Between(from, to)
	narrowest := unit.Unlimited()
	places := []string{t.Rooms[from].Name}
	for _, s := range []struct {
		storage topo.Storage
		link    topo.LinkID
	}{{t.Rooms[from].Storage, t.Rooms[from].Storage.Read}, {t.Rooms[to].Storage, t.Rooms[to].Storage.Write}} {
		if s.storage.Limited {
			narrowest = min(narrowest, t.Links[s.link].Capacity)
		}
	}
	for _, l := range links {
		narrowest = min(narrowest, t.Links[l].Capacity)
		places = append(places, t.Links[l].To)
	}
	fmt.Fprintf(w, "%s\nlatency %s, price %v %s/GB, narrowest link %s\n", strings.Join(places, " > "), orZero(latency), float64(price), t.Currency, narrowest)
	if !explain {
		return nil
	}
	fmt.Fprintln(w)
	g := grid{left: 2, heads: [][]string{{"link", "tier", "capacity", "latency", t.Currency + "/GB"}}}
	row := func(l topo.LinkID) {
		k := &t.Links[l]
		g.add(k.Name, k.Tier.String(), k.Capacity.String(), orZero(k.Latency), fmt.Sprint(float64(k.Price)))
	}
	if s := t.Rooms[from].Storage; s.Limited {
		row(s.Read)
	}
	for _, l := range links {
		row(l)
	}
	if s := t.Rooms[to].Storage; s.Limited {
		row(s.Write)
	}
	if err := g.print(w); err != nil {
		return err
	}
	const sample = 1000 * unit.GB
	fmt.Fprintf(w, `
A transfer first waits the latency, %s, then drains at its max-min fair share of every link above,
storages included; alone: %s. 1 TB alone takes %s + %s = %.6g s and costs %.6g %s.
No other factor is applied: start-up round trips (network.startup_rtts) and windows
(network.window) are fields of a scenario, and off unless it sets them.
`, orZero(latency), narrowest, orZero(latency), orZero(sample.Over(narrowest)), float64(latency+sample.Over(narrowest)),
		float64(price.Times(sample)), t.Currency)
	return nil
}

// orZero prints a length of time, 0 as "0s".
func orZero(s unit.Seconds) string {
	if s == 0 {
		return "0s"
	}
	return s.String()
}
