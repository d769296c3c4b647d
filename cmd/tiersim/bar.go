package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"tiersim/sim/experiment"
)

// barEvery is how often the progress is drawn anew.
const barEvery = 200 * time.Millisecond

// terminal reports whether w is one that a person looks at.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// showProgress draws how far p is until stop is called, which clears it.
func showProgress(w io.Writer, p *experiment.Progress) (stop func()) {
	bar := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(10),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(barEvery/2),
	)
	began := time.Now()
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(barEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				drawProgress(bar, p.Snapshot(), time.Since(began))
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
		_ = bar.Clear() // a progress that cannot be drawn stops no run
	}
}

func drawProgress(bar *progressbar.ProgressBar, s experiment.Snapshot, took time.Duration) {
	if s.TasksExpected == 0 {
		bar.Describe("opening traces")
		_ = bar.Set(0)
		return
	}
	bar.Describe(progressText(s, took))
	bar.ChangeMax64(max(s.TasksExpected, s.Tasks+1))
	_ = bar.Set64(s.Tasks)
}

// progressText is the simulated time, tasks done, events per second, time left.
func progressText(s experiment.Snapshot, took time.Duration) string {
	text := fmt.Sprintf("run %d/%d, day %.1f/%.1f, %s tasks, %.0fk events/s",
		min(s.RunsDone+1, s.Runs), s.Runs, float64(s.Now)/86400, float64(s.End)/86400,
		grouped(float64(s.Tasks)), float64(s.Events)/1e3/max(took.Seconds(), 1e-3))
	if s.Tasks > 0 && took > time.Second {
		left := took.Seconds() * float64(max(s.TasksExpected-s.Tasks, 0)) / float64(s.Tasks)
		text += fmt.Sprintf(", %s left", time.Duration(left)*time.Second)
	}
	return text
}
