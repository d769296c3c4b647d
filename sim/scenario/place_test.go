package scenario

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scalars returns every scalar of a tree.
func (n *node) scalars() []*node {
	var all []*node
	if n.kind == scalar {
		all = append(all, n)
	}
	for _, e := range n.entries {
		all = append(all, e.value.scalars()...)
	}
	for _, x := range n.items {
		all = append(all, x.scalars()...)
	}
	return all
}

// checkPlaces fails where a scalar does not stand at its place. Columns count
// characters.
func checkPlaces(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	root, faults := parse(&location{shown: "x.yaml"}, []byte(text))
	if root == nil {
		t.Fatalf("%v in\n%s", faults, text)
	}
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	for _, n := range root.scalars() {
		if n.at.line < 1 || n.at.line > len(lines) {
			t.Fatalf("%s is said to stand in line %d of %d in\n%s", n.path, n.at.line, len(lines), text)
		}
		line := []rune(lines[n.at.line-1])
		if n.at.column < 1 || n.at.column > len(line) {
			t.Fatalf("%s is said to stand at %d:%d in\n%s", n.path, n.at.line, n.at.column, text)
		}
		rest := string(line[n.at.column-1:])
		if !strings.HasPrefix(strings.TrimLeft(rest, `"'`), n.text) && rest[0] != '|' && rest[0] != '>' {
			t.Fatalf("%s, %q, is said to stand at %d:%d, where %q stands, in\n%s", n.path, n.text, n.at.line, n.at.column, rest, text)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, text := range []string{
		baseTopology, baseScenario,
		strings.ReplaceAll(baseTopology, "\n", "\r\n"),
		"\ufeff" + baseTopology,
		"# 芜湖\nname: 芜湖\nhubs: [{name: 芜湖, cities: [{name: 贵安}]}] # 贵安\nlinks:\n  - {between: [芜湖, \"贵安\"], capacity: 'a'}\n",
		"a: \"x\"\nb:\n  - 'y'\n  -   z\n\n\nc:   [1,   2,\n  3, {d: 4}]\n",
		"a:\n# comment\n  b: 1 # more\n  c: |\n    text\n    text\nd: 5\n",
	} {
		checkPlaces(t, text)
	}
}

// Places are right in any layout.
func TestPlacesAnywhere(t *testing.T) {
	word := rapid.StringMatching(`[a-z芜][a-z0-9-]{0,5}`)
	var value func(t *rapid.T, depth int, flow bool, indent string) string
	value = func(t *rapid.T, depth int, flow bool, indent string) string {
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		if depth == 0 || kind == 0 {
			w := word.Draw(t, "word")
			return rapid.SampledFrom([]string{" " + w, "  " + w, ` "` + w + `"`, " '" + w + "'"}).Draw(t, "written")
		}
		n := rapid.IntRange(1, 3).Draw(t, "n")
		var b strings.Builder
		pad := rapid.SampledFrom([]string{"", " "}).Draw(t, "pad")
		switch {
		case flow || kind == 1:
			b.WriteString(" [" + pad)
			for range n {
				b.WriteString(strings.TrimLeft(value(t, depth-1, true, ""), " ") + pad + ", ")
			}
			return b.String() + "]"
		case kind == 2:
			for range n {
				b.WriteString("\n" + indent + "-" + value(t, depth-1, true, indent+"  "))
			}
		default:
			if rapid.Bool().Draw(t, "comment") {
				b.WriteString(" # 注")
			}
			for i := range n {
				b.WriteString("\n" + indent + string(rune('a'+i)) + word.Draw(t, "key") + ":" + value(t, depth-1, false, indent+"  "))
			}
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "keys") {
			b.WriteString(string(rune('a'+i)) + word.Draw(t, "key") + ":" + value(t, 3, false, "  ") + "\n")
		}
		checkPlaces(t, b.String())
	})
}
