package pool

import (
	"math"
	"testing"

	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// gangs returns n Poisson arrivals at a load on that many slots: gangs of powers
// of two up to 128, log-normal run times of median 10 min and sigma 1.5, and
// estimates that exceed them by a factor between 1 and spread.
func gangs(n int, slots int32, load, spread float64) []arrival {
	const median, sigma = 600, 1.5
	meanRun := median * math.Exp(sigma*sigma/2)
	meanGang := 255.0 / 8 // 1 + 2 + … + 128 over 8
	gap := meanRun * meanGang / (float64(slots) * load)
	s := rng.New(1, 0).Stream("gangs")
	as := make([]arrival, n)
	now := 0.0
	for i := range as {
		now += gap * s.Exp()
		z := math.Sqrt2 * math.Erfinv(2*s.Float64()-1)
		run := unit.Seconds(median * math.Exp(sigma*z))
		factor := 1 + (spread-1)*s.Float64()
		as[i] = arrival{unit.Time(now), run, Job{
			Slots: 1 << int(8*s.Float64()), Priority: int32(3 * s.Float64()), Estimate: run * unit.Seconds(factor),
		}}
	}
	return as
}

// BenchmarkJobs is the time that a job costs: its submission, its share of the
// passes, its release, and the loop of the test around them. asked has every
// arrival first ask when it would start, as a decision does.
func BenchmarkJobs(b *testing.B) {
	for _, c := range []struct {
		name   string
		kind   topo.QueueKind
		n      int
		load   float64
		spread float64
		asked  bool
	}{
		{"fcfs/load=0.7", topo.FCFS, 1e6, 0.7, 1, false},
		{"easy/load=0.7", topo.EASY, 1e6, 0.7, 1, false},
		{"easy/load=0.95", topo.EASY, 1e6, 0.95, 1, false},
		{"easy/load=0.95/estimates=loose", topo.EASY, 1e6, 0.95, 5, false},
		{"easy/load=1.2/deep", topo.EASY, 1e5, 1.2, 1, false},
		{"priority/load=0.7", topo.Priority, 1e6, 0.7, 1, false},
		{"conservative/load=0.7", topo.Conservative, 1e6, 0.7, 1, false},
		{"conservative/load=0.7/estimates=loose", topo.Conservative, 1e5, 0.7, 5, false},
		{"fcfs/load=0.7/asked", topo.FCFS, 1e6, 0.7, 1, true},
		{"easy/load=0.7/asked", topo.EASY, 1e6, 0.7, 1, true},
		{"easy/load=0.7/estimates=loose/asked", topo.EASY, 1e6, 0.7, 5, true},
		{"easy/load=0.95/asked", topo.EASY, 1e5, 0.95, 1, true},
		{"easy/load=0.95/estimates=loose/asked", topo.EASY, 1e5, 0.95, 5, true},
		{"easy/load=1.2/deep/asked", topo.EASY, 1e4, 1.2, 1, true},
		{"fcfs/load=1.2/deep/asked", topo.FCFS, 1e4, 1.2, 5, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			const slots = 2000
			as := gangs(c.n, slots, c.load, c.spread)
			b.ReportAllocs()
			var deepest, waiting int
			for b.Loop() {
				p := New(topo.Pool{Slots: slots, Queue: c.kind})
				next := 0
				deepest, waiting = 0, 0
				run(p, as, func(now unit.Time, _ []int32) {
					waiting += p.Queued()
					deepest = max(deepest, p.Queued())
					for ; c.asked && next < len(as) && as[next].at <= now; next++ {
						j := &as[next].job
						p.EstimateStart(now, j.Slots, j.Priority, j.Estimate)
					}
				})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.n), "ns/job")
			b.ReportMetric(float64(deepest), "deepest")
			b.ReportMetric(float64(waiting)/float64(2*c.n), "queued")
		})
	}
}
