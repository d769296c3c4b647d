// Command tiersim replays workload traces over rooms, cities and hubs, to find
// when it pays to move a task, to move its data, or to wait.
//
// Results go to stdout, everything else to stderr. It exits with 0 when done, 1
// when a run failed, 2 on wrong usage, 3 on a fault in a named file, 130 when it
// was interrupted.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the command: its arguments, where it writes, its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	return report(stderr, err)
}
