package trace

import (
	"io"
	"time"

	"tiersim/sim/rng"
	"tiersim/sim/topo"
	"tiersim/sim/unit"
)

// LoadBy says how a source's load is changed.
type LoadBy uint8

const (
	// Copies repeats whole tasks, or leaves some out: the rhythm stays.
	Copies LoadBy = iota
	// ByTime divides the instants of submission.
	ByTime
)

// A Source is one trace file and the part of it that is replayed.
//
// From and Length cut a window out of the file's time; the window begins at
// instant 0. Tasks of before the window that would still run at its beginning,
// had they started at their submission (or recorded_wait_s after it), are carried
// in with their remainder where Carry says so. Load then changes the arrivals.
//
// With As, the names of the source's tasks get "As/" before them; its `after`
// too. Names of data sets, images and groups stay as they are: two sources that
// name the same data set read the same data set.
type Source struct {
	File   string // as named, for faults
	Open   func() (io.ReadCloser, error)
	Format string // one of FormatNames; "": by content
	As     string

	From, Length unit.Seconds
	HasLength    bool
	Carry        bool

	Load   float64 // factor; 0 counts as 1
	LoadBy LoadBy

	// Starts is the date of the file's instant 0; the zero Time where it is not
	// known. It moves nothing: see Trace.Begins.
	Starts time.Time
}

// Options say what is prepared.
type Options struct {
	// Topology has the rooms, kinds and jurisdictions that rows may name. With
	// none, every name passes: a trace is checked for what it says by itself.
	Topology *topo.Topology
	Sources  []Source
	Fill     []Rule
	// Streams draw what fill rules and fractions of a load leave to chance.
	Streams rng.Streams
	// SkipBadRows drops and counts broken rows, which are faults otherwise.
	SkipBadRows bool
	// Dir is where the spool is kept; "" is the system's folder for such files.
	Dir string
}

// Random reports whether the prepared trace depends on Streams.
func (o *Options) Random() bool {
	for i := range o.Sources {
		s := &o.Sources[i]
		if f := s.load(); s.LoadBy == Copies && f != float64(int64(f)) {
			return true
		}
	}
	return Random(o.Fill)
}

func (s *Source) load() float64 {
	if s.Load == 0 {
		return 1
	}
	return s.Load
}
