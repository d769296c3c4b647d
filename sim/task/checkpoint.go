package task

import (
	"fmt"
	"math"

	"tiersim/sim/unit"
)

// A Plan is one attempt as it goes if nothing cuts it: it loads for Restart,
// then computes Left, and stands still for Save after each Interval of work.
//
// No save follows a last piece of work that is an Interval or shorter: the task
// is done. Final asks for one there too. Where Saves is false nothing is ever
// saved, whatever the other fields say.
//
// Interval is +Inf for no regular saves. Interval 0 and Save 0 is saving all
// the time: nothing is ever lost. Interval 0 with a Save above 0 would never
// come to work; it counts as an Interval as long as a Save, so that at most
// half of the time goes into saves.
type Plan struct {
	Restart, Left, Interval, Save unit.Seconds
	Final, Saves                  bool
}

// A Split says what became of the time since an attempt began. The parts add
// up to it, and Kept is never more than the work that was left.
type Split struct {
	Restart unit.Seconds // loading
	Kept    unit.Seconds // work that a finished save holds
	Save    unit.Seconds // saves, an unfinished one too
	Lost    unit.Seconds // work since the last finished save
}

// Sum returns the time that is split.
func (s Split) Sum() unit.Seconds { return s.Restart + s.Kept + s.Save + s.Lost }

const (
	// sliver is the share of an interval below which what is left is no piece
	// of its own: 36000.001 s at an interval of 7200 s are five pieces. Chosen:
	// far above rounding, far below what any result shows.
	sliver = 1e-6
	// grain is what may be missing of a save that counts as finished. Chosen:
	// instants up to 10⁹ s (30 years) are rounded to 1.2·10⁻⁷ s.
	grain unit.Seconds = 1e-6
)

// times returns n·s, 0 where n is 0 and s without limit.
func times(n float64, s unit.Seconds) unit.Seconds {
	if n == 0 {
		return 0
	}
	return unit.Seconds(n * float64(s))
}

// continuous reports whether saving never interrupts work.
func (p Plan) continuous() bool { return p.Saves && p.Interval <= 0 && p.Save <= 0 }

// interval returns the work between saves, +Inf for none.
func (p Plan) interval() unit.Seconds {
	switch {
	case !p.Saves:
		return unit.Seconds(math.Inf(1))
	case p.Interval <= 0:
		return p.Save
	}
	return p.Interval
}

// regular returns how many saves have work after them. It is not asked of a
// continuous plan.
func (p Plan) regular() float64 {
	pieces := math.Ceil(float64(p.Left)/float64(p.interval()) - sliver)
	return max(pieces-1, 0)
}

// final reports whether a save follows the last piece.
func (p Plan) final() bool { return p.Final && p.Saves && p.Left > 0 }

// Count returns the number of saves in the whole attempt; 0 where saving is
// continuous, for then it has no parts.
func (p Plan) Count() float64 {
	if p.continuous() {
		return 0
	}
	n := p.regular()
	if p.final() {
		n++
	}
	return n
}

// Length returns how long the attempt stays if nothing cuts it.
func (p Plan) Length() unit.Seconds { return p.Restart + p.Left + times(p.Count(), p.Save) }

// Done splits the whole attempt, at its end: all work is kept, for it is done.
func (p Plan) Done() Split {
	return Split{Restart: p.Restart, Kept: p.Left, Save: times(p.Count(), p.Save)}
}

// A place is where an attempt stands between two saves.
type place struct {
	held  unit.Seconds // work in the finished saves that have work after them
	since unit.Seconds // time since the last of those
	piece unit.Seconds // work from there to the next save, or to the end
	due   bool         // whether a save follows the piece
	last  bool         // whether the work ends with the piece
}

// at returns the place after busy of work and saves.
func (p Plan) at(busy unit.Seconds) place {
	all, piece := p.regular(), p.interval()
	cycle := piece + p.Save
	saves := min(math.Floor(float64((busy+grain)/cycle)), all)
	at := place{
		held:  min(times(saves, piece), busy),
		since: max(busy-times(saves, cycle), 0),
		piece: piece, due: true, last: saves == all,
	}
	if at.last {
		at.piece, at.due = p.Left-times(all, piece), p.final()
	}
	return at
}

// At splits an attempt that is cut, without a word before, when elapsed has
// passed since it began; elapsed is in [0, Length]. A cut at the instant at
// which a save ends finds it finished. A cut while loading leaves what was
// kept before as it was.
func (p Plan) At(elapsed unit.Seconds) Split {
	if length := p.Length(); !(elapsed >= 0 && elapsed <= length+grain+length*1e-12) {
		panic(fmt.Sprintf("task: cut %v after the begin of an attempt of %v", float64(elapsed), float64(length)))
	}
	if elapsed <= p.Restart {
		return Split{Restart: elapsed}
	}
	s := Split{Restart: p.Restart}
	busy := elapsed - p.Restart
	if p.continuous() {
		s.Kept = min(p.Left, busy)
		s.Lost = busy - s.Kept
		return s
	}
	at := p.at(busy)
	switch {
	case !at.due:
		s.Kept, s.Lost = at.held, at.since
	case at.last && at.since+grain >= at.piece+p.Save: // the final save is finished
		s.Kept = min(p.Left, busy)
	default:
		s.Kept, s.Lost = at.held, min(at.since, at.piece)
	}
	s.Save = max(busy-s.Kept-s.Lost, 0)
	return s
}

// Noticed splits an attempt that is cut when elapsed has passed since it began,
// and that knew of it notice before. If a save fits into the notice, work goes
// on until one more save must begin so that it ends with the cut, and nothing is
// lost. If a regular save is under way at that instant, it goes on to its end
// instead, and the work between it and the cut, less than Save, is lost: a second
// save no longer fits. A notice of 0 is none, even for saves that take no time.
func (p Plan) Noticed(elapsed, notice unit.Seconds) Split {
	cut := p.At(elapsed)
	begin := elapsed - p.Save
	if !p.Saves || notice <= 0 || notice < p.Save || begin <= p.Restart || p.continuous() {
		return cut
	}
	if at := p.at(begin - p.Restart); at.due && at.since > at.piece {
		return cut
	}
	s := p.At(begin)
	work := s.Kept + s.Lost
	s.Kept = min(p.Left, work)
	s.Lost = work - s.Kept // rounding
	s.Save += p.Save
	return s
}
