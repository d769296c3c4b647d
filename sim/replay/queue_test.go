package replay_test

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tiersim/sim/rng"
)

// Queues are checked in two steps. A recursion that is the queue's definition
// (Lindley; Kiefer and Wolfowitz; processor sharing by virtual time) is run over
// millions of customers against the closed form. A replay of the first thousands
// of the same customers, through scenario files, must then give each of them
// what the recursion gives, to rounding. So the replay's means are those of the
// closed form without a replay of millions.

// A law draws sizes of mean 1.
type law struct {
	name string
	draw func(*rng.Stream) float64
}

var (
	exponential   = law{"exponential", func(s *rng.Stream) float64 { return s.Exp() }}
	deterministic = law{"deterministic", func(*rng.Stream) float64 { return 1 }}
)

// hyper is a balanced two-phase hyperexponential law of squared coefficient of
// variation c2: with p = (1 + √((c2−1)/(c2+1)))/2, mean 1/(2p), else 1/(2(1−p)).
func hyper(c2 float64) law {
	p := (1 + math.Sqrt((c2-1)/(c2+1))) / 2
	return law{fmt.Sprintf("hyperexponential, cv² %v", c2), func(s *rng.Stream) float64 {
		if s.Float64() < p {
			return s.Exp() / (2 * p)
		}
		return s.Exp() / (2 * (1 - p))
	}}
}

// A stream of customers: Poisson arrivals, sizes of a law times a mean.
type customers struct {
	arrivals, sizes rng.Stream
	law             law
	gap, mean       float64
	now             float64
}

func newCustomers(name string, gap, mean float64, l law, replication int) *customers {
	s := rng.New(20261201, replication)
	return &customers{arrivals: s.Stream(name + "/arrivals"), sizes: s.Stream(name + "/sizes"), law: l, gap: gap, mean: mean}
}

func (c *customers) next() (at, size float64) {
	c.now += c.arrivals.Exp() * c.gap
	return c.now, c.law.draw(&c.sizes) * c.mean
}

// servers is Kiefer and Wolfowitz's recursion for c servers, first come first
// served: free holds when each server is free, in order.
type servers struct{ free []float64 }

func (s *servers) wait(at, size float64) float64 {
	start := max(at, s.free[0])
	end := start + size
	i := 0
	for i+1 < len(s.free) && s.free[i+1] < end {
		s.free[i] = s.free[i+1]
		i++
	}
	s.free[i] = end
	return start - at
}

// An estimate is a mean over independent replications, with the half-width of
// its interval at level 1 − 0.01/20 (20 such tests in this file; Bonferroni):
// Student's t with 29 degrees of freedom, 3.92.
type estimate struct{ mean, half float64 }

const (
	replications = 30
	student      = 3.92
)

func estimateOf(values []float64) estimate {
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	n := float64(len(values))
	return estimate{mean, student * math.Sqrt(squares/(n-1)/n)}
}

// agrees fails where the closed form is outside the interval, or the interval is
// too wide to tell anything.
func (e estimate) agrees(t *testing.T, what string, want float64) {
	t.Helper()
	if math.Abs(e.mean-want) > e.half {
		t.Errorf("%s: %.6g ± %.2g, want %.6g", what, e.mean, e.half, want)
	}
	if e.half > 0.02*want {
		t.Errorf("%s: half-width %.2g of %.6g tells too little", what, e.half, want)
	}
}

// pool is a topology of one pool.
func onePool(slots int, queue string) string {
	return fmt.Sprintf("name: q\ncurrency: CNY\nhubs: [{name: h, cities: [{name: c, rooms: [{name: r, pools: [{name: p, slots: %d, queue: %s}]}]}]}]\n", slots, queue)
}

// Q1 to Q4: M/M/1, M/M/4, M/M/16 against two M/M/8, and M/G/1.
func TestQueues(t *testing.T) {
	for _, c := range []struct {
		name      string
		servers   int
		gap, mean float64
		law       law
		n         int // customers a replication
		wait      float64
		beyond    float64 // P(wait > beyond) = tail
		tail      float64
	}{
		{"Q1 M/M/1", 1, 1 / 0.8, 1, exponential, 200_000, 4, 0, 0.8},
		{"Q2 M/M/4", 4, 1 / 3.2, 1, exponential, 1_000_000, 0.745540589734, 2, 0.120417639},
		{"Q3 M/M/16", 16, 1 / (0.9 * 16 * 0.5), 2, exponential, 1_200_000, 0.739179242, 1, 0.265707715},
		{"Q3 M/M/8", 8, 1 / (0.9 * 8 * 0.5), 2, exponential, 1_000_000, 1.753832475, 0, 0.701532990},
		{"Q4 M/H2/1", 1, 2, 1, hyper(4), 200_000, 2.5, 0, 0.5},
		{"Q4 M/M/1", 1, 2, 1, exponential, 100_000, 1, 0, 0.5},
		{"Q4 M/D/1", 1, 2, 1, deterministic, 100_000, 0.5, 0, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			replayed(t, c.name, c.servers, c.gap, c.mean, c.law)
			skipStochastic(t)
			waits, tails := make([]float64, replications), make([]float64, replications)
			for k := range replications {
				in := newCustomers(c.name, c.gap, c.mean, c.law, k)
				s := servers{free: make([]float64, c.servers)}
				warm := c.n / 20 // the queue begins empty
				for i := range c.n + warm {
					w := s.wait(in.next())
					if i < warm {
						continue
					}
					waits[k] += w / float64(c.n)
					if w > c.beyond {
						tails[k] += 1 / float64(c.n)
					}
				}
			}
			estimateOf(waits).agrees(t, "mean wait", c.wait)
			estimateOf(tails).agrees(t, fmt.Sprintf("P(wait > %v)", c.beyond), c.tail)
		})
	}
}

// replayed plays the first customers of replication 0 and compares each wait
// with the recursion.
func replayed(t *testing.T, name string, slots int, gap, mean float64, l law) {
	t.Helper()
	const n = 3000
	in := newCustomers(name, gap, mean, l, 0)
	s := servers{free: make([]float64, slots)}
	var trace strings.Builder
	trace.WriteString("task,submit_s,work_s\n")
	want := make([]float64, n)
	for i := range n {
		at, size := in.next()
		want[i] = s.wait(at, size)
		fmt.Fprintf(&trace, "t%d,%v,%v\n", i, at, size)
	}
	for _, queue := range []string{"fcfs", "{kind: easy, estimates: exact}"} { // gangs of 1: the same
		rows := play(t, "stay", map[string]string{"t.yaml": onePool(slots, queue), "s.yaml": scenarioOf, "t.csv": trace.String()})
		for i := range n {
			r := rows[fmt.Sprintf("t%d", i)]
			if math.Abs(r.Queue-want[i]) > 1e-9*r.Finish {
				t.Fatalf("%s: customer %d waits %v, want %v", queue, i, r.Queue, want[i])
			}
		}
	}
}

// Q5: one link under Poisson transfers is M/G/1-PS: mean sojourn S/(C(1−ρ)) for
// every law of sizes; 100 GB on 10 Gbit/s at ρ = 0.7: 80/0.3 s.
func TestProcessorSharing(t *testing.T) {
	const service, rho = 80.0, 0.7
	for _, c := range []struct {
		law law
		n   int // customers a replication
	}{{exponential, 150_000}, {deterministic, 100_000}, {hyper(10), 450_000}} {
		l := c.law
		t.Run(l.name, func(t *testing.T) {
			name := "Q5 " + l.name
			const n = 2000
			in := newCustomers(name, service/rho, 1, l, 0)
			var at, size []float64
			trace := []string{}
			for i := range n {
				a, s := in.next()
				at, size = append(at, a), append(size, s*service)
				trace = append(trace, fmt.Sprintf("t%d,%v,transfer,a,b,%v", i, a, s*100e9))
			}
			want := shareProcessor(at, size)
			rows := play(t, "stay", map[string]string{"t.yaml": line(fast), "s.yaml": scenarioOf, "t.csv": moves("", trace...)})
			for i := range n {
				if got := rows[fmt.Sprintf("t%d", i)].Finish; math.Abs(got-want[i]) > 1e-9*want[i] {
					t.Fatalf("transfer %d ends at %v, want %v", i, got, want[i])
				}
			}
			skipStochastic(t)
			means := make([]float64, replications)
			for k := range replications {
				n, warm := c.n, c.n/20
				in := newCustomers(name, service/rho, service, l, k)
				at, size := make([]float64, n+warm), make([]float64, n+warm)
				for i := range at {
					at[i], size[i] = in.next()
				}
				for i, end := range shareProcessor(at, size)[warm:] {
					means[k] += (end - at[warm+i]) / float64(n)
				}
			}
			estimateOf(means).agrees(t, "mean sojourn", service/(1-rho))
		})
	}
}

// shareProcessor returns when each customer leaves a server that all share
// alike: in virtual time, which runs at 1/n of real time while n are there, a
// customer leaves its size after it came.
func shareProcessor(at, size []float64) []float64 {
	ends := make([]float64, len(at))
	here := virtual{}
	now, passed := 0.0, 0.0
	leave := func(until float64) {
		for len(here) > 0 {
			next := now + (here[0].ends-passed)*float64(len(here))
			if next > until {
				break
			}
			now, passed = next, here[0].ends
			ends[heap.Pop(&here).(guest).index] = now
		}
		if len(here) > 0 {
			passed += (until - now) / float64(len(here))
		}
		now = until
	}
	for i := range at {
		leave(at[i])
		heap.Push(&here, guest{passed + size[i], i})
	}
	for len(here) > 0 {
		leave(now + (here[0].ends-passed)*float64(len(here)))
	}
	return ends
}

type guest struct {
	ends  float64 // in virtual time
	index int
}

type virtual []guest

func (v virtual) Len() int           { return len(v) }
func (v virtual) Less(a, b int) bool { return v[a].ends < v[b].ends }
func (v virtual) Swap(a, b int)      { v[a], v[b] = v[b], v[a] }
func (v *virtual) Push(x any)        { *v = append(*v, x.(guest)) }
func (v *virtual) Pop() any {
	last := (*v)[len(*v)-1]
	*v = (*v)[:len(*v)-1]
	return last
}

// Q10: EASY lets the third job, which ends at 62 s by its estimate, run before
// the second, which cannot start before 100 s; all else is as first come first
// served.
func TestBackfill(t *testing.T) {
	trace := "task,submit_s,slots,work_s\nJ1,0,2,100\nJ2,1,4,50\nJ3,2,2,60\nJ4,3,2,200\n"
	for queue, want := range map[string][]float64{
		"fcfs":                                   {0, 100, 150, 150},
		"{kind: easy, estimates: exact}":         {0, 100, 2, 150},
		"{kind: easy, estimates: user}":          {0, 100, 2, 150},
		"{kind: conservative, estimates: exact}": {0, 100, 2, 150},
	} {
		rows := play(t, "stay", map[string]string{"t.yaml": onePool(4, queue), "s.yaml": scenarioOf, "t.csv": trace})
		var starts []float64
		for _, j := range []string{"J1", "J2", "J3", "J4"} {
			starts = append(starts, rows[j].Start)
		}
		if !slices.Equal(starts, want) {
			t.Errorf("%s: starts %v, want %v", queue, starts, want)
		}
		if rows["J4"].Finish != 350 {
			t.Errorf("%s: ends at %v", queue, rows["J4"].Finish)
		}
	}
}
