package profile_test

import (
	"math"
	"testing"

	"tiersim/sim/profile"
)

// The law of a value at any instant: mean 1, and X = ln C + σ²/2 has mean 0, standard deviation
// σ, and after a step of 60 s at τ = 1800 s the correlation φ = 0.967216100, so that
// X' − X has the standard deviation σ√(2(1−φ)).
func TestOUIsStationary(t *testing.T) {
	const sigma, n = 0.25, 30_000
	near(t, "φ", math.Exp(-60.0/1800), 0.967216100, 1e-9)
	near(t, "√(1−φ²)", math.Sqrt(-math.Expm1(-120.0/1800)), 0.253954750, 1e-8)
	law := must(profile.NewOU(1, sigma, 1800, 60))
	first, tenth, log, difference := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		all := follow(begin(law, i), 10)
		if all[10].at != 600 {
			t.Fatalf("step 10 comes at %v s", float64(all[10].at))
		}
		first[i], tenth[i] = all[0].value, all[10].value
		log[i] = math.Log(tenth[i]) + sigma*sigma/2 + 1 // so that the mean is not 0
		difference[i] = math.Log(all[1].value / all[0].value)
	}
	meanIs(t, "C at 0 s", first, 1)
	meanIs(t, "C at 600 s", tenth, 1)
	meanIs(t, "1 + X", log, 1)
	sdIs(t, "X", log, 1, sigma)
	shareIs(t, "X", log, 1+1.281551566*sigma, 0.9) // P90 of the normal law
	shareIs(t, "X", log, 1, 0.5)
	sdIs(t, "X' − X", difference, 0, sigma*math.Sqrt(2*(1-0.967216100)))
}

// N19: data moved in T = 3600 s by a capacity of mean 5 and standard deviation 1
// Gbit/s that fluctuates with τ = 1800 s. The variance is the double integral of
// the covariance r(u) of the capacity at instants u apart, which for steps of Δ is
// a sum:
//
//	Δ²·Σⱼₖ r(|j−k|Δ) ≈ 2·∫₀ᵀ (T−u)·r(u) du
//
// A normal process has r = e^(−u/τ), which gives 2τ(T − τ(1 − e^(−T/τ))). Ours is
// log-normal: r = m²(e^(σ²e^(−u/τ)) − 1) with σ² = ln(1 + 1/m²). The normal one is
// within it: m + X, and X = ln C + 1/2 of a process of mean 1 and σ 1.
func TestDataMovedByOU(t *testing.T) {
	const m, end, tau, step, n = 5.0, 3600.0, 1800.0, 60.0, 20_000
	sd := func(r func(u float64) float64) float64 {
		sum := 0.0
		for j := range int(end / step) {
			for k := range int(end / step) {
				sum += r(math.Abs(float64(j-k)) * step)
			}
		}
		return step * math.Sqrt(sum)
	}
	normal := sd(func(u float64) float64 { return math.Exp(-u / tau) })
	formula := math.Sqrt(2 * tau * (end - tau*(1-math.Exp(-end/tau))))
	near(t, "the formula of N19", formula, 2712.373985, 1e-9)
	near(t, "steps of 60 s", normal, formula, 2e-4) // steps: Δ²/6 more of variance, 600 of 7.4·10⁶
	sigma := math.Sqrt(math.Log(1 + 1/(m*m)))
	logNormal := sd(func(u float64) float64 { return m * m * math.Expm1(sigma*sigma*math.Exp(-u/tau)) })

	law := must(profile.NewOU(m, sigma, tau, step))
	x := must(profile.NewOU(1, 1, tau, step))
	data, plain := make([]float64, n), make([]float64, n)
	for i := range n {
		data[i] = moved(begin(law, i), end)
		for _, s := range follow(begin(x, i), int(end/step)-1) {
			plain[i] += step * (m + math.Log(s.value) + 0.5)
		}
	}
	meanIs(t, "log-normal", data, 18000)
	sdIs(t, "log-normal", data, 18000, logNormal)
	meanIs(t, "normal", plain, 18000)
	sdIs(t, "normal", plain, 18000, formula)
}

// N20: a capacity that is drawn once and stays. 1/C is log-normal too, with mean
// e^(−μ+σ²/2) = e^(σ²)/E[C] (Jensen); P95/median of the time is e^(1.644853627·σ).
func TestFrozenCapacity(t *testing.T) {
	const sigma, n = 0.3, 40_000
	near(t, "Jensen", math.Exp(sigma*sigma), 1.094174284, 1e-9)
	near(t, "P95/median", math.Exp(1.644853627*sigma), 1.637967408, 1e-9)
	law := must(profile.NewOU(10, sigma, 1e15, 1e12))
	times := make([]float64, n)
	for i := range times {
		times[i] = timeToMove(begin(law, i), 8000)
	}
	meanIs(t, "time", times, 800*1.094174284)
	median := 800 * math.Exp(sigma*sigma/2)
	shareIs(t, "time", times, median, 0.5)
	shareIs(t, "time", times, median*1.637967408, 0.95)
}
