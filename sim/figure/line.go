package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Step is a value from an instant on.
type Step struct {
	Hour  float64
	Value float64
}

// A Course is a figure: a value that changes in steps, over hours.
type Course struct {
	Title string
	Note  string // one line under it
	Unit  string // of the values
	Steps []Step
	End   float64 // hour
}

// SVG returns the figure as an SVG file.
func (f *Course) SVG() ([]byte, error) { return svg(f) }

// PNG returns the figure as a PNG file.
func (f *Course) PNG() ([]byte, error) { return png(f) }

func (f *Course) size() (width, height vg.Length) { return 7.6 * vg.Inch, 3.2 * vg.Inch }

func (f *Course) draw(c draw.Canvas) error {
	const margin = 10
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := c.Max.Y
	title, note := sans(12, true), sans(9, false)
	top -= title.Height(f.Title)
	c.FillText(title, vg.Point{X: c.Min.X, Y: top}, f.Title)
	if f.Note != "" {
		top -= note.Height(f.Note) + 4
		c.FillText(note, vg.Point{X: c.Min.X, Y: top}, f.Note)
	}
	p, err := f.plot()
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(c, 0, 0, 0, top-c.Max.Y-8))
	return nil
}

func (f *Course) plot() (*plot.Plot, error) {
	most := 0.0
	var line plotter.XYs
	for i, s := range f.Steps {
		if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
			return nil, fmt.Errorf("at hour %v: a value of %v", s.Hour, s.Value)
		}
		end := f.End
		if i+1 < len(f.Steps) {
			end = f.Steps[i+1].Hour
		}
		line = append(line, plotter.XY{X: s.Hour, Y: s.Value}, plotter.XY{X: end, Y: s.Value})
		most = max(most, s.Value)
	}
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle, a.Tick.Label = sans(10, false), sans(9.5, false)
		a.LineStyle.Width, a.Tick.LineStyle.Width = 0.8, 0.5
		a.Label.TextStyle.XAlign = text.XCenter
	}
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XCenter, text.YTop
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = text.XRight, text.YCenter
	p.X.Label.Text, p.Y.Label.Text = "hour", f.Unit
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: color.Gray{225}, Width: 0.4}
	grid.Horizontal = grid.Vertical
	p.Add(grid)
	if len(line) > 0 {
		l, err := plotter.NewLine(line)
		if err != nil {
			return nil, err
		}
		l.LineStyle = draw.LineStyle{Color: color.RGBA{0x00, 0x72, 0xB2, 255}, Width: 1}
		p.Add(l)
		p.X.Min, p.X.Max = f.Steps[0].Hour, f.End
	}
	p.Y.Min, p.Y.Max = 0, max(most*1.05, 1e-9)
	return p, nil
}
