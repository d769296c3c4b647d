// Package rng gives every random quantity of a replication a stream of its own,
// found by name.
//
// # Model
//
// A stream is PCG-DXSM (math/rand/v2), seeded by a hash of the run's seed, the
// replication and the stream's name, such as "outage/room-3". Two policies that
// ask for the same name get the same numbers: common random numbers. A stream
// is a value: copying it copies its future.
//
// A single number that belongs to an entity and not to a moment (what a fill
// rule draws for a task) is U01, a pure function of the same names.
//
// Source: O'Neill, PCG, HMC-CS-2014-0905; substreams by entity and purpose as in
// Law, Simulation Modeling and Analysis, section 11.2 (common random numbers).
package rng

import (
	"math"
	"math/rand/v2"
)

// Streams names the streams of one replication.
type Streams struct {
	seed        uint64
	replication uint64
}

// New returns the streams of a replication under a seed.
func New(seed uint64, replication int) Streams {
	return Streams{seed: seed, replication: uint64(replication)}
}

// A Stream is a source of random numbers; it implements math/rand/v2's Source.
// Its zero value is not useful.
type Stream struct{ pcg rand.PCG }

// Stream returns the stream of that name, at its beginning.
func (s Streams) Stream(name string) Stream {
	h := s.hash(name)
	return Stream{pcg: *rand.NewPCG(h, mix(h+golden))}
}

// U01 returns the one number in (0, 1) that belongs to the names.
func (s Streams) U01(names ...string) float64 {
	h := s.hash(names...)
	return (float64(h>>12) + 0.5) * 0x1p-52
}

// Uint64 returns the next 64 random bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 returns the next number in (0, 1), both ends excluded.
func (s *Stream) Float64() float64 { return (float64(s.pcg.Uint64()>>12) + 0.5) * 0x1p-52 }

// Exp returns the next exponential number of mean 1.
func (s *Stream) Exp() float64 { return -math.Log(s.Float64()) }

const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ over the golden ratio, as in SplitMix64

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hash folds seed, replication and names; names are told apart by their lengths.
func (s Streams) hash(names ...string) uint64 {
	h := mix(s.seed + golden)
	h = mix(h ^ s.replication + golden)
	for _, n := range names {
		h = mix(h ^ uint64(len(n)) + golden)
		for len(n) >= 8 {
			h = mix(h ^ le64(n) + golden)
			n = n[8:]
		}
		var tail uint64
		for i := 0; i < len(n); i++ {
			tail |= uint64(n[i]) << (8 * i)
		}
		h = mix(h ^ tail + golden)
	}
	return h
}

func le64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
