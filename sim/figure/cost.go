package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"
)

// terms are the parts that a cost is made of, in the order in which they stack.
var terms = [...]struct {
	name string
	fill fill
}{
	{"transfer fee", fill{color.RGBA{0xE6, 0x9F, 0x00, 255}, black, rising}},
	{"compute", fill{color.RGBA{0x00, 0x72, 0xB2, 255}, black, noHatch}},
	{"storage", fill{color.RGBA{0x00, 0x9E, 0x73, 255}, black, crossed}},
	{"time", fill{color.RGBA{0xE8, 0xE8, 0xE8, 255}, color.RGBA{0x55, 0x55, 0x55, 255}, dotted}},
}

// A CostBar is the cost under one policy: means over replications, in the
// topology's currency.
type CostBar struct {
	Policy                           string
	Transfer, Compute, Storage, Time float64
	// Low and High are the ends of the 95 % interval of the total; equal to it
	// where there is none.
	Low, High float64
	// Difference is the total's mean paired difference to the baseline.
	Difference    float64
	HasDifference bool
}

// Total returns the sum of the terms.
func (b *CostBar) Total() float64 { return b.Transfer + b.Compute + b.Storage + b.Time }

// Costs is a figure: what each policy costs, by term.
type Costs struct {
	Title    string // what was run
	Note     string // one line under it: how to read it, what to beware of
	Currency string
	Baseline string
	Bars     []CostBar
}

// Write makes base.svg and base.png.
func (f *Costs) Write(base string) error { return write(f, base) }

// SVG returns the figure as an SVG file.
func (f *Costs) SVG() ([]byte, error) { return svg(f) }

// PNG returns the figure as a PNG file.
func (f *Costs) PNG() ([]byte, error) { return png(f) }

func (f *Costs) size() (width, height vg.Length) {
	return 7.6 * vg.Inch, 1.55*vg.Inch + 0.36*vg.Inch*vg.Length(len(f.Bars))
}

func sans(size float64, bold bool) text.Style {
	w := xfont.WeightNormal
	if bold {
		w = xfont.WeightBold
	}
	return text.Style{
		Color:   black,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: w, Size: font.Length(size)},
		YAlign:  text.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

// A scale divides amounts so that an axis has few digits.
type scale struct {
	by   float64
	word string
}

func scaleFor(most float64) scale {
	switch {
	case most >= 2e6:
		return scale{1e6, "million "}
	case most >= 2e3:
		return scale{1e3, "thousand "}
	}
	return scale{1, ""}
}

func (f *Costs) draw(c draw.Canvas) error {
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
	top -= 22
	legend(c, top)
	p, err := f.plot()
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(c, 0, 0, 0, top-c.Max.Y-8))
	return nil
}

// legend draws the terms in a row, from the left edge, on the line y.
func legend(c draw.Canvas, y vg.Length) {
	style := sans(10, false)
	x := c.Min.X
	for _, t := range terms {
		rectangle(c, vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + 24, Y: y + 12}}, t.fill)
		x += 30
		c.FillText(style, vg.Point{X: x, Y: y + 1}, t.name)
		x += style.Width(t.name) + 20
	}
	whisker(c, x, x+20, y+6)
	c.FillText(style, vg.Point{X: x + 26, Y: y + 1}, "95 % interval of the total")
}

// whisker draws an interval at height y.
func whisker(c draw.Canvas, from, to, y vg.Length) {
	for _, s := range []draw.LineStyle{{Color: color.White, Width: 3.2}, {Color: black, Width: 1.2}} {
		c.StrokeLines(s, []vg.Point{{X: from, Y: y}, {X: to, Y: y}},
			[]vg.Point{{X: from, Y: y - 4}, {X: from, Y: y + 4}}, []vg.Point{{X: to, Y: y - 4}, {X: to, Y: y + 4}})
	}
}

// plot makes the axes and puts the bars on them, the first one on top.
func (f *Costs) plot() (*plot.Plot, error) {
	most := 0.0
	for i := range f.Bars {
		b := &f.Bars[i]
		for _, v := range []float64{b.Transfer, b.Compute, b.Storage, b.Time, b.Low, b.High} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("policy %s: a cost is %v", b.Policy, v)
			}
		}
		most = max(most, b.Total(), b.High)
	}
	s := scaleFor(most)
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Label.Text = "cost, " + s.word + f.Currency
	p.X.Label.TextStyle = sans(10, false)
	p.X.Tick.Label = sans(9.5, false)
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XCenter, text.YTop
	p.X.Label.TextStyle.XAlign = text.XCenter
	names := make([]string, len(f.Bars))
	for i := range f.Bars {
		names[len(names)-1-i] = f.Bars[i].Policy
	}
	if len(names) > 0 {
		p.NominalY(names...)
	}
	p.Y.Tick.Label = sans(10, false)
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = text.XRight, text.YCenter
	p.Y.LineStyle.Width = 0.8
	p.X.LineStyle.Width = 0.8
	p.X.Tick.LineStyle.Width = 0.5
	p.Y.Min, p.Y.Max = -0.5, max(float64(len(f.Bars)), 1)-0.5
	// Chosen: 30 % beside the longest bar, for the numbers that stand there.
	p.X.Min, p.X.Max = 0, most*1.3
	if most == 0 {
		p.X.Max = 1
	}
	p.X.Tick.Marker = ticks{s}
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	grid.Vertical = draw.LineStyle{Color: color.Gray{200}, Width: 0.4}
	p.Add(grid, &bars{f, s})
	return p, nil
}

// bars draws the stacks, their intervals and their numbers.
type bars struct {
	f     *Costs
	scale scale
}

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i := range b.f.Bars {
		bar := &b.f.Bars[i]
		at := float64(len(b.f.Bars) - 1 - i)
		bottom, top := y(at-0.34), y(at+0.34)
		sum := 0.0
		for k, v := range [...]float64{bar.Transfer, bar.Compute, bar.Storage, bar.Time} {
			if v <= 0 {
				continue
			}
			r := vg.Rectangle{Min: vg.Point{X: x(sum), Y: bottom}, Max: vg.Point{X: x(sum + v), Y: top}}
			rectangle(c, r, terms[k].fill)
			sum += v
		}
		end := x(max(sum, bar.High))
		if bar.Low < bar.High {
			whisker(c, x(bar.Low), x(bar.High), y(at))
			end += 1
		}
		style := sans(9.5, false)
		style.YAlign = text.YCenter
		c.FillText(style, vg.Point{X: end + 5, Y: y(at) + 1}, b.label(bar))
	}
}

// label is the total with its half width, and its difference to the baseline.
func (b *bars) label(bar *CostBar) string {
	total := bar.Total()
	digits := decimals(total / b.scale.by)
	s := strconv.FormatFloat(total/b.scale.by, 'f', digits, 64)
	if bar.Low < bar.High {
		s += " ± " + strconv.FormatFloat((bar.High-bar.Low)/2/b.scale.by, 'f', digits, 64)
	}
	switch {
	case bar.Policy == b.f.Baseline:
		s += "  (baseline)"
	case bar.HasDifference && total-bar.Difference != 0:
		share := 100 * bar.Difference / (total - bar.Difference)
		s += "  (" + strings.Replace(strconv.FormatFloat(share, 'f', 1, 64), "-", "−", 1) + " %)"
		if share >= 0 {
			s = strings.Replace(s, "(", "(+", 1)
		}
	}
	return s
}

// decimals leaves three to four significant digits.
func decimals(v float64) int {
	if v == 0 {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(math.Abs(v)))), 0), 6)
}

// ticks stand at round amounts of the scale's unit.
type ticks struct{ scale scale }

// Ticks implements plot.Ticker: four to nine steps of 1, 2 or 5 times a power of
// ten.
func (t ticks) Ticks(_, high float64) []plot.Tick {
	span := high / t.scale.by
	power := math.Floor(math.Log10(span / 4))
	step := math.Pow(10, power)
	for _, m := range []float64{5, 2} {
		if m*step <= span/4 {
			step *= m
			break
		}
	}
	digits := max(-int(power), 0)
	var list []plot.Tick
	for i := 0; float64(i)*step <= span; i++ {
		v := float64(i) * step
		list = append(list, plot.Tick{Value: v * t.scale.by, Label: strconv.FormatFloat(v, 'f', digits, 64)})
	}
	return list
}
