package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A grid is a text table: words to the left, numbers to the right.
type grid struct {
	title string     // a line above all
	heads [][]string // lines above, a cell a column
	left  int        // how many columns stand left; the others right
	rows  [][]string
}

// add appends a row; cells that it lacks are empty.
func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// print writes the table, indented by two, with a line under its heads.
func (g *grid) print(w io.Writer) error {
	var widths []int
	for _, row := range append(append([][]string{}, g.heads...), g.rows...) {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	if g.title != "" {
		b.WriteString("  " + g.title + "\n")
	}
	for _, h := range g.heads {
		g.line(&b, h, widths)
	}
	if len(g.heads) > 0 {
		total := -2
		for _, w := range widths {
			total += w + 2
		}
		b.WriteString("  " + strings.Repeat("─", max(total, 0)) + "\n")
	}
	for _, r := range g.rows {
		g.line(&b, r, widths)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *grid) line(b *strings.Builder, row []string, widths []int) {
	var line strings.Builder
	for i, c := range row {
		line.WriteString("  ")
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
		if i < g.left {
			line.WriteString(c + pad)
		} else {
			line.WriteString(pad + c)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// wrap breaks text at spaces into lines of at most width, the first after
// prefix, the others indented as far.
func wrap(prefix, text string, width int) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(prefix))
	var b strings.Builder
	line := prefix
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return b.String() + line + "\n"
}

// grouped prints a whole number with its thousands apart.
func grouped(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
