package sim_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers reads the packages' order from doc.go, so that there is one list.
func layers(t *testing.T) []string {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+) `).FindAllStringSubmatch(string(doc), -1) {
		names = append(names, m[1])
	}
	return names
}

// A package imports only packages above it in doc.go; figure only those it names.
func TestLayers(t *testing.T) {
	order := layers(t)
	mayFigure := []string{"unit", "stats", "record"}
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || path.Dir(file) == "." {
			return err
		}
		in := strings.Split(file, "/")[0]
		seen[in] = true
		at := slices.Index(order, in)
		if at < 0 {
			t.Errorf("package %s is not in the map of doc.go", in)
			return nil
		}
		if strings.HasSuffix(file, "_test.go") {
			return nil // a test may use any package as its oracle
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			of, inside := strings.CutPrefix(name, "tiersim/sim/")
			if strings.HasPrefix(name, "tiersim/cmd") {
				t.Errorf("%s imports %s", file, name)
			}
			if !inside || of == in {
				continue
			}
			if above := slices.Index(order, of); above > at || in == "figure" && !slices.Contains(mayFigure, of) {
				t.Errorf("%s imports %s, which does not stand above %s", file, of, in)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range order {
		if !seen[name] {
			t.Errorf("doc.go names package %s, which is not there", name)
		}
	}
}
