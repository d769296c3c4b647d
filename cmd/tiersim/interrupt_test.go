package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// longWorld writes a scenario whose runs together take a second or so: what is
// killed in the first half of a second is killed in the middle.
func longWorld(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var jobs strings.Builder
	jobs.WriteString("task,submit_s,class,slots,work_s,home,input_bytes,data_home\n")
	random := rand.New(rand.NewPCG(1, 2))
	at := 0.0
	for i := range 6000 {
		at += 60 * random.ExpFloat64()
		rooms := []string{"wuhu-1", "guian-1"}
		fmt.Fprintf(&jobs, "t%d,%.3f,batch,%d,%.3f,%s,%.0f,%s\n", i, at, 1+random.IntN(4), 100*random.ExpFloat64(),
			rooms[random.IntN(2)], 1e9*random.ExpFloat64(), rooms[random.IntN(2)])
	}
	for name, text := range map[string]string{
		"jobs.csv": jobs.String(),
		"two.yaml": `name: two
currency: CNY
tiers: {hub: {capacity: 1Gbit/s, latency: 15ms, price: 0.48 CNY/GB}}
hubs:
  - {name: east, cities: [{name: wuhu, rooms: [{name: wuhu-1, pools: [{name: cpu, kind: cpu, slots: 16, price: 1 CNY/h}]}]}]}
  - {name: west, cities: [{name: guian, rooms: [{name: guian-1, pools: [{name: cpu, kind: cpu, slots: 16, price: 0.5 CNY/h}]}]}]}
links: [{between: [east, west]}]
`,
		"long.yaml": `name: long
topology: two
trace: {file: jobs.csv}
fill: [{set: {output_bytes: {kind: lognormal, median: 1MB, sigma: 1}}}]
policies: [at-data, three-way]
replications: {from: 4, to: 4, over: [fill]}
seed: 3
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// command prepares the built command, in dir.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("tiersim", args...) // put in the path by TestMain
	cmd.Dir = dir
	return cmd
}

func runLong(t *testing.T, dir, out string) {
	t.Helper()
	if text, err := command(dir, "run", "long.yaml", "--out", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// disturb starts the run, sends it a signal after a while, and returns its exit
// code (-1 where the signal ended it).
func disturb(t *testing.T, dir string, after time.Duration, s os.Signal) int {
	t.Helper()
	cmd := command(dir, "run", "long.yaml", "--out", "disturbed")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Signal(s) // it may have ended by itself
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// Killed or interrupted at random moments, a run goes on, and ends with the same
// bytes as an undisturbed one, and nothing else.
func TestDisturbedRunEndsAlike(t *testing.T) {
	dir := longWorld(t)
	runLong(t, dir, "whole")
	want, err := readTree(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, s := range []os.Signal{os.Kill, os.Interrupt, os.Kill, os.Interrupt} {
		after := time.Duration(20+random.IntN(400)) * time.Millisecond
		code := disturb(t, dir, after, s)
		t.Logf("%v after %v: exit code %d", s, after, code)
		if s == os.Interrupt && code != exitInterrupted && code != exitDone && code != -1 {
			t.Errorf("exit code %d after an interrupt, want %d", code, exitInterrupted)
		}
	}
	runLong(t, dir, "disturbed")
	got, err := readTree(filepath.Join(dir, "disturbed"))
	if err != nil {
		t.Fatal(err)
	}
	if difference := compareTrees(want, got); difference != "" {
		t.Errorf("%s differs from that of an undisturbed run", difference)
	}
}
