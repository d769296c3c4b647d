package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tiersim/scenarios"
	"tiersim/sim/fault"
	"tiersim/topologies"
)

// Default is the embedded scenario that runs where none is named.
const Default = "eight-hubs"

// A location is where a file is: on disk, or among the embedded ones.
type location struct {
	embedded fs.FS  // nil: on disk
	path     string // within embedded, or on disk
	shown    string // in faults
	given    string // as it was named: in the list of inputs
}

// A library is a folder of embedded files.
type library struct {
	files fs.FS
	name  string
	what  string
}

func topologyLibrary() library { return library{topologies.Files, "topologies", "topology"} }
func scenarioLibrary() library { return library{scenarios.Files, "scenarios", "scenario"} }

// names returns the names of the embedded YAML files.
func (l library) names() []string {
	files, _ := fs.Glob(l.files, "*.yaml")
	for i := range files {
		files[i] = strings.TrimSuffix(files[i], ".yaml")
	}
	return files
}

// beside returns the location of a path that is written in file l.
func (l *location) beside(name string) *location {
	if l.embedded != nil {
		p := path.Join(path.Dir(l.path), filepath.ToSlash(name))
		return &location{embedded: l.embedded, path: p, shown: path.Join(path.Dir(l.shown), filepath.ToSlash(name)), given: name}
	}
	if filepath.IsAbs(name) {
		return &location{path: name, shown: name, given: name}
	}
	p := filepath.Join(filepath.Dir(l.path), filepath.FromSlash(name))
	return &location{path: p, shown: p, given: name}
}

// open opens the file.
func (l *location) open() (io.ReadCloser, error) {
	if l.embedded != nil {
		return l.embedded.Open(l.path)
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: l.path, Err: errors.New("is a folder, want a file")}
	}
	return f, nil
}

func (l *location) exists() bool {
	f, err := l.open()
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// find looks for a YAML file that is named in file from: with .yaml it is a
// path; else it is looked for beside from, then among the embedded ones. The
// error says what was looked for and what there is.
func find(name string, from *location, lib library) (*location, error) {
	if name == "" {
		return nil, fmt.Errorf("got no name, want a %s such as %s", lib.what, example(lib.names()))
	}
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		l := from.beside(name)
		f, err := l.open()
		if err != nil {
			message := absent(l, err)
			if inside := strings.TrimSuffix(filepath.Base(name), ext); slices.Contains(lib.names(), inside) {
				message += "; write " + inside + " for the embedded one"
			}
			return nil, errors.New(message)
		}
		f.Close()
		return l, nil
	}
	near := from.beside(name + ".yaml")
	if near.exists() && !near.isOther(lib.what) {
		return near, nil
	}
	if inside := (&location{embedded: lib.files, path: name + ".yaml", shown: lib.name + "/" + name + ".yaml", given: name}); inside.exists() {
		return inside, nil
	}
	if other := from.beside(name); from.shown == "command line" || filepath.Ext(name) != "" {
		if info, err := os.Stat(other.path); err == nil && other.embedded == nil {
			is := "is a file, but its name does not end in .yaml"
			if info.IsDir() {
				is = "is a folder"
			}
			return nil, fmt.Errorf("%s, want a %s: a name such as %s, or a file such as my.yaml", is, lib.what, example(lib.names()))
		}
	}
	known := lib.names()
	if fix, ok := fault.Suggest(name, known); ok {
		return nil, fmt.Errorf("no file %s, and no embedded %s %q; write %s", near.shown, lib.what, clip(name), fix)
	}
	return nil, fmt.Errorf("no file %s, and no embedded %s %q; there are %s", near.shown, lib.what, clip(name), strings.Join(known, ", "))
}

// isOther reports whether a file is of another kind than what is looked for: a
// scenario may have the name of its topology. A file with faults is of any kind.
func (l *location) isOther(what string) bool {
	f, err := l.open()
	if err != nil {
		return false
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return false
	}
	root, _ := parse(l, content)
	return root != nil && kindOf(root) != what
}

func example(names []string) string {
	if len(names) == 0 {
		return "two-hubs"
	}
	return names[0]
}

// absent says why a file cannot be opened.
func absent(l *location, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("no file %s", l.shown)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprintf("%s cannot be read: %v", l.shown, err)
}

// workingFolder is what names on the command line are relative to.
func workingFolder(dir string) *location {
	return &location{path: filepath.Join(dir, "command line"), shown: "command line"}
}

// An Input is a file that a scenario is made of.
type Input struct {
	Path   string // as the scenario names it
	SHA256 string // of its content
}

// inputs lists every file that was read, once.
type inputs struct{ list []Input }

func (in *inputs) add(l *location, sum []byte) {
	name := filepath.ToSlash(l.given)
	if l.embedded != nil {
		name = "embedded/" + l.shown
	}
	x := Input{name, hex.EncodeToString(sum)}
	if !slices.Contains(in.list, x) {
		in.list = append(in.list, x)
	}
}

// read returns a whole file, up to a little more than a limit.
func (in *inputs) read(l *location, limit int64) ([]byte, error) {
	f, err := l.open()
	if err != nil {
		return nil, errors.New(absent(l, err))
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, errors.New(absent(l, err))
	}
	sum := sha256.Sum256(content)
	in.add(l, sum[:])
	return content, nil
}

// hash reads a file of any size for its hash alone.
func (in *inputs) hash(l *location) error {
	f, err := l.open()
	if err != nil {
		return errors.New(absent(l, err))
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return errors.New(absent(l, err))
	}
	in.add(l, h.Sum(nil))
	return nil
}
