package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A hatch is the pattern of lines over a fill.
type hatch uint8

const (
	noHatch hatch = iota
	rising        // ///
	crossed       // both diagonals
	dotted        // · · ·
)

// A fill tells a term from the others by colour, grey level and hatch.
type fill struct {
	color color.RGBA
	ink   color.RGBA // of the hatch
	hatch hatch
}

var black = color.RGBA{A: 255}

// hatchGap is the distance between the lines of a hatch. Chosen: wide enough to
// be told from a grey on a printed page.
const hatchGap = 6 * vg.Length(1)

// rectangle fills r and draws its hatch and its border.
func rectangle(c draw.Canvas, r vg.Rectangle, f fill) {
	corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
	c.FillPolygon(f.color, corners)
	ink := draw.LineStyle{Color: f.ink, Width: vg.Points(0.8)}
	var lines [][]vg.Point
	switch f.hatch {
	case rising:
		lines = diagonals(nil, r, 1)
	case crossed:
		lines = diagonals(diagonals(nil, r, 1), r, -1)
	case dotted:
		lines, ink.Width = dots(r), vg.Points(1.1)
	}
	stroke(c, ink, lines)
	c.StrokeLines(draw.LineStyle{Color: black, Width: vg.Points(0.5)}, append(corners, r.Min))
}

// stroke draws lines as one path: each stroke costs a pass over the picture.
func stroke(c draw.Canvas, ink draw.LineStyle, lines [][]vg.Point) {
	var path vg.Path
	for _, l := range lines {
		path.Move(l[0])
		path.Line(l[1])
	}
	if len(path) > 0 {
		c.SetLineStyle(ink)
		c.Stroke(path)
	}
}

// diagonals appends parallel lines of slope 1 or -1 inside r. They stand on a
// grid of the page, so that neighbouring rectangles look alike.
func diagonals(lines [][]vg.Point, r vg.Rectangle, slope vg.Length) [][]vg.Point {
	// A line of slope s is y = s·x + b; b runs over the multiples of the gap
	// that meet the rectangle.
	low, high := r.Min.Y-slope*r.Max.X, r.Max.Y-slope*r.Min.X
	if slope < 0 {
		low, high = r.Min.Y-slope*r.Min.X, r.Max.Y-slope*r.Max.X
	}
	for b := hatchGap * vg.Length(int(low/hatchGap)-1); b <= high; b += hatchGap {
		from, to := r.Min.X, r.Max.X
		at := func(y vg.Length) vg.Length { return (y - b) / slope }
		enter, leave := at(r.Min.Y), at(r.Max.Y)
		if enter > leave {
			enter, leave = leave, enter
		}
		from, to = max(from, enter), min(to, leave)
		if from < to {
			lines = append(lines, []vg.Point{{X: from, Y: slope*from + b}, {X: to, Y: slope*to + b}})
		}
	}
	return lines
}

// dots returns short strokes on a grid of the page, those that lie inside r.
func dots(r vg.Rectangle) (lines [][]vg.Point) {
	const half = 0.55 * vg.Length(1)
	for row := int(r.Min.Y/hatchGap) + 1; ; row++ {
		y := hatchGap * vg.Length(row)
		if y+half >= r.Max.Y {
			return lines
		}
		shift := hatchGap / 2 * vg.Length(row%2)
		for column := int((r.Min.X-shift)/hatchGap) + 1; ; column++ {
			x := hatchGap*vg.Length(column) + shift
			if x+half >= r.Max.X {
				break
			}
			if x-half > r.Min.X {
				lines = append(lines, []vg.Point{{X: x - half, Y: y}, {X: x + half, Y: y}})
			}
		}
	}
}
