package experiment

import (
	"math"
	"sync"

	"tiersim/sim/replay"
	"tiersim/sim/unit"
)

// A Progress tells a watcher in another goroutine how far an experiment is. Its
// zero value is ready.
type Progress struct {
	mu       sync.Mutex
	runs     int // to do
	done     int
	tasks    int64 // of the runs that are done
	events   int64
	expected int64 // tasks that the prepared traces hold, for all their runs
	prepared int   // runs whose traces were prepared
	active   []*activeRun
}

// An activeRun is a run that is being replayed.
type activeRun struct {
	replay.Progress
	end unit.Time // the trace's last arrival
}

// A Snapshot is how far an experiment is at one moment.
type Snapshot struct {
	Runs, RunsDone int
	// Tasks have ended, of some TasksExpected: what the traces hold that were
	// prepared so far, and for the runs after them the mean of these.
	Tasks, TasksExpected int64
	Events               int64
	// Now is the simulated time of the run that is farthest back among those
	// that are replayed, End its last arrival.
	Now, End unit.Time
}

// Snapshot returns how far the experiment is.
func (p *Progress) Snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Snapshot{Runs: p.runs, RunsDone: p.done, Tasks: p.tasks, Events: p.events, TasksExpected: p.expected}
	if p.prepared > 0 {
		s.TasksExpected += p.expected / int64(p.prepared) * int64(p.runs-p.prepared)
	}
	for i, a := range p.active {
		s.Tasks += a.Done.Load()
		s.Events += a.Events.Load()
		now := unit.Time(math.Float64frombits(a.Now.Load()))
		if i == 0 || now < s.Now {
			s.Now, s.End = now, a.end
		}
	}
	return s
}

// expect says how many runs there are to do.
func (p *Progress) expect(runs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs = runs
}

// prepare says that a trace of so many tasks is there, for so many runs.
func (p *Progress) prepare(tasks int64, runs int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected += tasks * int64(runs)
	p.prepared += runs
}

func (p *Progress) begin(a *activeRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active = append(p.active, a)
}

// end takes a run off the active ones, with what it came to.
func (p *Progress) end(a *activeRun, tasks, events int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.tasks += tasks
	p.events += events
	for i := range p.active {
		if p.active[i] == a {
			p.active = append(p.active[:i], p.active[i+1:]...)
			return
		}
	}
}
