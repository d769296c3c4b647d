package stats

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the p-quantile of x, which is not changed: type 7 of Hyndman
// and Fan, a straight line between the order statistics around (n−1)p, as R,
// NumPy and spreadsheets have it. It panics where x is empty or p is not within
// [0, 1].
func Quantile(x []float64, p float64) float64 {
	q := Quantiles{values: slices.Clone(x)}
	v, ok := q.At(p)
	if !ok {
		panic("stats: a quantile of no numbers")
	}
	return v
}

// Quantiles keeps numbers for exact quantiles: 8 bytes each. Its zero value is
// empty.
type Quantiles struct{ values []float64 }

// Add takes one number in. NaN has no place in an order: it panics.
func (q *Quantiles) Add(x float64) {
	if math.IsNaN(x) {
		panic("stats: a quantile of NaN")
	}
	q.values = append(q.values, x)
}

// Merge takes in all that the other has taken in.
func (q *Quantiles) Merge(o *Quantiles) { q.values = append(q.values, o.values...) }

// N returns how many numbers were added.
func (q *Quantiles) N() int { return len(q.values) }

// At returns the p-quantile, as Quantile; ok is false where there are no
// numbers. It reorders the numbers that it keeps, in time that grows with their
// count and not with its logarithm.
func (q *Quantiles) At(p float64) (v float64, ok bool) {
	if !(p >= 0 && p <= 1) {
		panic(fmt.Sprintf("stats: the %v-quantile", p))
	}
	n := len(q.values)
	if n == 0 {
		return 0, false
	}
	whole, part := math.Modf(float64(n-1) * p)
	k := int(whole)
	low := nth(q.values, k)
	if part == 0 {
		return low, true
	}
	high := slices.Min(q.values[k+1:]) // all of them are at least low
	return low + float64(part*(high-low)), true
}

// nth moves the k-th least number (from 0) to its place, with none larger before
// it and none less behind it, and returns it: Hoare's selection, with the median
// of three as pivot. After 2·log₂(n) rounds without an end it sorts.
func nth(x []float64, k int) float64 {
	lo, hi := 0, len(x)-1
	for rounds := 2 * math.Ilogb(float64(len(x))+1); hi-lo > 16 && rounds > 0; rounds-- {
		i, j := partition(x, lo, hi)
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	slices.Sort(x[lo : hi+1])
	return x[k]
}

// partition splits x[lo..hi] into numbers not above the pivot, up to j, numbers
// equal to it between, and numbers not below it, from i on.
func partition(x []float64, lo, hi int) (i, j int) {
	a, b, c := x[lo], x[lo+(hi-lo)/2], x[hi]
	pivot := max(min(a, b), min(max(a, b), c))
	i, j = lo, hi
	for i <= j {
		for x[i] < pivot {
			i++
		}
		for x[j] > pivot {
			j--
		}
		if i <= j {
			x[i], x[j] = x[j], x[i]
			i++
			j--
		}
	}
	return i, j
}
