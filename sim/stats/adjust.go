package stats

import "sort"

// Holm returns the p-values adjusted so that the chance of even one false
// finding in the family stays below the level: the i-th least is multiplied by
// m−i+1, and none is below one that is less. Order is kept.
func Holm(p []float64) []float64 {
	order, out := ascending(p), make([]float64, len(p))
	least := 0.0
	for i, k := range order {
		least = max(least, min(1, p[k]*float64(len(p)-i)))
		out[k] = least
	}
	return out
}

// BenjaminiHochberg returns the p-values adjusted so that the expected share of
// false findings among all findings stays below the level: the i-th least is
// multiplied by m/i, and none is above one that is more. Order is kept.
func BenjaminiHochberg(p []float64) []float64 {
	order, out := ascending(p), make([]float64, len(p))
	most := 1.0
	for i := len(order) - 1; i >= 0; i-- {
		k := order[i]
		most = min(most, p[k]*float64(len(p))/float64(i+1))
		out[k] = most
	}
	return out
}

func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return p[order[i]] < p[order[j]] })
	return order
}
