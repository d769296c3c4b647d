package network

import (
	"math"

	"tiersim/sim/unit"
)

// WindowCap returns the most that one stream carries which has at most window bytes
// on their way at once: window/rtt. Without a round-trip time nothing limits it.
func WindowCap(window unit.Bytes, rtt unit.Seconds) unit.Rate {
	if rtt == 0 {
		return unit.Unlimited()
	}
	return unit.Rate(float64(window) / float64(rtt))
}

// LossCap returns the mean rate of one stream of TCP Reno with segments of mss
// bytes, of which the share loss gets lost at random and each loss halves the
// window:
//
//	mss/rtt · √(3/2) / √loss
//
// (Mathis, Semke, Mahdavi and Ott, ACM SIGCOMM Computer Communication Review 27(3),
// 1997, doi:10.1145/263932.264023; an acknowledgment for each segment). It holds
// for small loss, without timeouts, and where the window is not the limit. Without
// loss nothing limits it.
func LossCap(mss unit.Bytes, rtt unit.Seconds, loss float64) unit.Rate {
	if rtt == 0 || loss == 0 {
		return unit.Unlimited()
	}
	return unit.Rate(float64(mss) / float64(rtt) * math.Sqrt(1.5) / math.Sqrt(loss))
}

// Pipelined returns how long equal chunks take through stages, each of which works
// on one chunk for its time while the next waits: the first chunk passes all, the
// others follow at the pace of the slowest, Σa + (chunks − 1)·max a.
func Pipelined(chunks int, stages []unit.Seconds) unit.Seconds {
	if chunks == 0 || len(stages) == 0 {
		return 0
	}
	sum, slowest := unit.Seconds(0), unit.Seconds(0)
	for _, a := range stages {
		sum += a
		slowest = max(slowest, a)
	}
	return sum + unit.Seconds(float64(chunks-1)*float64(slowest))
}

// Sequential returns how long they take where each stage begins when the one
// before has done all chunks: chunks·Σa (store and forward).
func Sequential(chunks int, stages []unit.Seconds) unit.Seconds {
	sum := unit.Seconds(0)
	for _, a := range stages {
		sum += a
	}
	return unit.Seconds(float64(chunks) * float64(sum))
}
