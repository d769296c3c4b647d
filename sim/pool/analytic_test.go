package pool

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// erlangC returns the probability of waiting in M/M/c with a = λ/μ, from the
// recursion of Erlang B.
func erlangC(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return b / (1 - a/float64(c)*(1-b))
}

// cobham returns the mean waits of two classes of Poisson arrivals with exponential
// service of mean 1 at one server, the first before the second: the work found in
// service, λ₁ + λ₂, over 1 − λ₁ and over (1 − λ₁)(1 − λ₁ − λ₂) (Cobham, Operations
// Research 2(1), 1954, doi:10.1287/opre.2.1.70).
func cobham(first, second float64) [2]float64 {
	rho := first + second
	return [2]float64{rho / (1 - first), rho / (1 - first) / (1 - rho)}
}

// The formulas by which the stochastic test below is judged give the published
// numbers at the loads that are too dear to simulate here.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		c    int
		a    float64
		want float64
	}{{4, 3.2, 0.596432471787}, {16, 14.4, 0.591343394}, {8, 7.2, 0.701532990}, {1, 0.8, 0.8}} {
		if got := erlangC(c.c, c.a); math.Abs(got/c.want-1) > 1e-8 {
			t.Errorf("M/M/%d with a=%v: C = %v, want %v", c.c, c.a, got, c.want)
		}
	}
	if w := cobham(0.3, 0.4); math.Abs(w[0]-1) > 1e-12 || math.Abs(w[1]-10.0/3) > 1e-12 {
		t.Errorf("waits of two classes %v, want 1 and 10/3", w)
	}
}

// Mean waits of Poisson arrivals in steady state.
//
//   - M/M/2 with λ = μ = 1: C/(2 − 1), Erlang C as above.
//   - M/G/1 with λ = 1/2, mean 1 (Pollaczek-Khinchine): λ(1 + cv²)/2/(1 − ρ) =
//     2.5, 1, 0.5 for cv² = 4, 1, 0.
//   - Two priorities with λ₁ = 0.2, λ₂ = 0.3 (Cobham, as above).
//
// Every mean is of 30 independent replications. It must lie in the interval at
// level 1 − 0.01/6, for six means, and the interval must be within 2 %. The number
// of jobs gives intervals of about 1.6 %; for M/M/1 it follows from the variance
// of the mean wait, 29/n at ρ = 1/2 (Daley): 3.5·√(29/36,000/30) = 1.8 %. The first
// 1,000 jobs, many times what the queue remembers, are left out.
func TestMeanWaits(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("seven million jobs in one goroutine: too long for a short run, nothing for the race detector")
	}
	exp := func(s *rng.Stream) float64 { return s.Exp() }
	// Hyperexponential of balanced means with cv² = 4: the rates are 2p and 2(1−p),
	// with p = (1 + √((cv²−1)/(cv²+1)))/2.
	hyper := func(s *rng.Stream) float64 {
		p := (1 + math.Sqrt(3.0/5)) / 2
		if s.Float64() < p {
			return s.Exp() / (2 * p)
		}
		return s.Exp() / (2 * (1 - p))
	}
	for _, c := range []struct {
		name   string
		kind   topo.QueueKind
		slots  int32
		jobs   int
		lambda [2]float64 // of priorities 1 and 0
		draw   func(*rng.Stream) float64
		want   [2]float64
	}{
		{"M/M/2", topo.FCFS, 2, 80_000, [2]float64{0, 1}, exp, [2]float64{0, erlangC(2, 1)}},
		{"M/H2/1", topo.FCFS, 1, 110_000, [2]float64{0, 0.5}, hyper, [2]float64{0, 2.5}},
		{"M/M/1", topo.EASY, 1, 36_000, [2]float64{0, 0.5}, exp, [2]float64{0, 1}},
		{"M/D/1", topo.FCFS, 1, 20_000, [2]float64{0, 0.5}, func(*rng.Stream) float64 { return 1 }, [2]float64{0, 0.5}},
		{"priority", topo.Priority, 1, 40_000, [2]float64{0.2, 0.3}, exp, cobham(0.2, 0.3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			const replications = 30
			var means [2][]float64
			for r := range replications {
				s := rng.New(2026, r).Stream(c.name)
				as := make([]arrival, c.jobs)
				now, both := 0.0, c.lambda[0]+c.lambda[1]
				for i := range as {
					now += s.Exp() / both
					run := unit.Seconds(c.draw(&s))
					as[i] = arrival{unit.Time(now), run, Job{Slots: 1, Estimate: run}}
					if s.Float64()*both < c.lambda[0] {
						as[i].job.Priority = 1
					}
				}
				var sum, n [2]float64
				for i, at := range run(New(topo.Pool{Slots: c.slots, Queue: c.kind}), as, nil) {
					if i >= 1000 {
						class := 1 - as[i].job.Priority
						sum[class] += float64(at.Sub(as[i].at))
						n[class]++
					}
				}
				for class := range sum {
					means[class] = append(means[class], sum[class]/n[class])
				}
			}
			for class, want := range c.want {
				if want > 0 {
					agrees(t, fmt.Sprintf("class %d", class+1), means[class], want)
				}
			}
		})
	}
}

// agrees checks that want lies in the interval of the means, and that the
// interval tells something.
func agrees(t *testing.T, what string, means []float64, want float64) {
	t.Helper()
	n := float64(len(means))
	mean, sd := stat.MeanStdDev(means, nil)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1-0.01/6/2) * sd / math.Sqrt(n)
	if math.Abs(mean-want) > half || half > 0.02*mean {
		t.Errorf("%s: mean wait %v ± %v, want %v (seed 2026)", what, mean, half, want)
	}
}

// First come first served on c slots, one each, is the recursion of Kiefer and
// Wolfowitz: with the slots' free instants sorted, a job starts at the first of
// them or when it comes, whichever is later.
func TestKieferWolfowitz(t *testing.T) {
	for _, c := range []int{1, 4, 100} {
		s := rng.New(7, c).Stream("jobs")
		as := make([]arrival, 20_000)
		now := 0.0
		for i := range as {
			now += s.Exp() / float64(c) / 0.95
			run := unit.Seconds(s.Exp())
			as[i] = arrival{unit.Time(now), run, Job{Slots: 1, Estimate: run}}
		}
		var free ends
		for range c {
			free.push(end{})
		}
		for i, got := range run(New(topo.Pool{Slots: int32(c), Queue: topo.FCFS}), as, nil) {
			want := max(as[i].at, free.pop().at)
			if got != want {
				t.Fatalf("%d slots: job %d starts at %v, want %v", c, i, got, want)
			}
			free.push(end{at: want.Add(as[i].run)})
		}
	}
}
