package experiment

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"tiersim/sim/trace"
)

// A batch is the runs of one design point and replication: they read the same
// prepared trace.
type batch struct {
	point       *point
	replication int
	policies    []string // those that are missing
	begun       int      // how many of them were handed out
	running     int
	state       batchState
	trace       *trace.Trace
}

type batchState uint8

const (
	idle batchState = iota
	preparing
	ready
)

// A crew is the workers and what is left for them to do.
type crew struct {
	e       *experiment
	workers int

	mu      sync.Mutex
	changed sync.Cond
	batches []*batch // not yet over, in the order of the results
	open    int      // batches whose trace is being prepared or is prepared
	busy    int      // workers that are on a job
	err     error    // the first that occurred
	stopped bool
}

// work does all runs that are missing of the points that are this process's.
func (e *experiment) work(ctx context.Context) error {
	c := &crew{e: e, workers: max(e.Workers, 1)}
	c.changed.L = &c.mu
	for _, p := range e.points {
		if !p.mine {
			continue
		}
		if err := c.plan(p); err != nil {
			return err
		}
	}
	if e.Progress != nil {
		e.Progress.expect(e.result.Runs - e.result.Kept)
	}
	stop := context.AfterFunc(ctx, func() { c.fail(ctx.Err()) })
	defer stop()
	var all sync.WaitGroup
	for range c.workers {
		all.Go(func() { c.worker(ctx) })
	}
	all.Wait()
	c.closeTraces()
	return c.err
}

// plan adds the runs that are missing of a point's present round, which it
// advances to. The caller holds the lock or is alone.
func (c *crew) plan(p *point) error {
	before := p.planned
	missing, err := c.e.advance(p)
	if err != nil {
		return err
	}
	count := 0
	for i := range missing {
		count += len(missing[i].policies)
		c.batches = append(c.batches, &missing[i])
	}
	p.waiting = count
	runs := (p.planned - before) * len(c.e.policies)
	c.e.result.Runs += runs
	c.e.result.Kept += runs - count
	return nil
}

func (c *crew) worker(ctx context.Context) {
	for {
		job, ok := c.next()
		if !ok {
			return
		}
		err := job(ctx)
		c.mu.Lock()
		c.busy--
		c.mu.Unlock()
		if err != nil {
			c.fail(err)
		}
		c.changed.Broadcast()
	}
}

// fail stops the crew; errors that follow from that are not told.
func (c *crew) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil || errors.Is(c.err, context.Canceled) && !errors.Is(err, context.Canceled) {
		c.err = err
	}
	c.stopped = true
	c.changed.Broadcast()
}

// next waits for a job: a run whose trace is there, else a trace to prepare, of
// which no more are open than there are workers. ok is false where nothing is
// left.
func (c *crew) next() (job func(context.Context) error, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.stopped {
			return nil, false
		}
		for _, b := range c.batches {
			if b.state == ready && b.begun < len(b.policies) {
				policy := b.policies[b.begun]
				b.begun++
				b.running++
				c.busy++
				return func(ctx context.Context) error { return c.run(ctx, b, policy) }, true
			}
		}
		for _, b := range c.batches {
			if b.state == idle && c.open < c.workers {
				b.state = preparing
				c.open++
				c.busy++
				return func(context.Context) error { return c.prepare(b) }, true
			}
		}
		if c.busy == 0 {
			c.changed.Broadcast()
			return nil, false
		}
		c.changed.Wait()
	}
}

func (c *crew) prepare(b *batch) error {
	t, err := c.e.prepare(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("design point %s, replication %d: %w", b.point.ID, b.replication, err)
	}
	b.trace, b.state = t, ready
	return nil
}

// run replays one run of a batch; after the last one of a round, it looks
// whether the point needs another.
func (c *crew) run(ctx context.Context, b *batch, policy string) error {
	done, err := c.e.replayOne(ctx, b, policy)
	if err != nil {
		return fmt.Errorf("design point %s, policy %s, replication %d: %w", b.point.ID, policy, b.replication, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.e.result
	r.Done++
	r.Tasks += done.tasks
	r.Events += done.events
	r.Replayed += done.took
	b.running--
	if b.begun == len(b.policies) && b.running == 0 {
		c.over(b)
	}
	b.point.waiting--
	if b.point.waiting > 0 {
		return nil
	}
	if err := c.plan(b.point); err != nil {
		return err
	}
	if c.e.Progress != nil {
		c.e.Progress.expect(r.Runs - r.Kept)
	}
	return nil
}

// over forgets a batch whose runs are all there.
func (c *crew) over(b *batch) {
	b.trace.Close()
	b.trace = nil
	c.open--
	for i := range c.batches {
		if c.batches[i] == b {
			c.batches = append(c.batches[:i], c.batches[i+1:]...)
			return
		}
	}
}

// closeTraces removes what an early end left prepared.
func (c *crew) closeTraces() {
	for _, b := range c.batches {
		if b.trace != nil {
			b.trace.Close()
		}
	}
}
