package scenario

import (
	"fmt"
	"strings"
	"testing"
)

// What would exhaust a parser's stack, memory or patience is refused before it
// gets there.
func TestLimits(t *testing.T) {
	repeat := func(s string, n int) string { return strings.Repeat(s, n) }
	stairs := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(repeat(" ", i) + "a:\n")
		}
		return b.String() + repeat(" ", n) + "b: 1\n"
	}
	aliases := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		aliases += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, repeat(fmt.Sprintf("*a%d, ", i-1), 9))
	}
	const deep = "nested deeper than 100"
	for name, c := range map[string]struct{ text, want string }{
		"brackets":       {repeat("[", 5000), deep},
		"braces":         {repeat("{a: ", 5000), deep},
		"stairs":         {stairs(150), deep},
		"dashes":         {repeat("- ", 5000), deep},
		"marks":          {repeat("? ", 5000), deep},
		"marks in flow":  {"{" + repeat("? ", 5000), deep},
		"tags":           {repeat("!a ", 5000), deep},
		"tags in lines":  {repeat("!a\n", 5000), deep},
		"anchors":        {repeat("&a ", 5000), deep},
		"keys in a line": {repeat("a: ", 5000), deep},
		"aliases":        {aliases, "aliases stand for more than 100000 values"},
		"keys":           {repeat("a: b\n", maxKeys+1), "more than 20000 keys in a mapping"},
		"parts":          {repeat("a,", maxTokens+1), "more than 1000000 parts"},
		"size":           {repeat("a", maxFile+1), "larger than 10 MB"},
	} {
		root, faults := parse(&location{shown: "x.yaml"}, []byte(c.text))
		if root != nil || len(faults) == 0 || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, faults, c.want)
		}
	}
	for name, text := range map[string]string{"stairs": stairs(95), "brackets": "a: " + repeat("[", 90) + repeat("]", 90)} {
		if root, faults := parse(&location{shown: "x.yaml"}, []byte(text)); root == nil {
			t.Errorf("%s that are allowed: got %v", name, faults)
		}
	}
}
