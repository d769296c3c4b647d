package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of testdata run the command as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tiersim": main})
}

// Every subcommand and the main faults, one script each. TIERSIM_GOLDEN=1
// rewrites what they expect (make golden).
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       os.Getenv("TIERSIM_GOLDEN") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"same":  sameTree,
			"exits": exits,
		},
	})
}

// exits CODE COMMAND... runs a command and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// same A B wants two folders with the same files of the same bytes; ! same
// wants a difference.
func sameTree(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] same A B")
	}
	a, err := readTree(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := readTree(ts.MkAbs(args[1]))
	ts.Check(err)
	if difference := compareTrees(a, b); (difference == "") == neg {
		ts.Fatalf("%s and %s: difference %q", args[0], args[1], difference)
	}
}

// readTree returns the files below root by their names.
func readTree(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	return files, err
}

// compareTrees names the first file that differs, "" where none does.
func compareTrees(a, b map[string][]byte) string {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if !bytes.Equal(a[name], b[name]) {
			return name
		}
	}
	return ""
}
