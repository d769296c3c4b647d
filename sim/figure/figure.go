// Package figure draws the plots of a result folder.
//
// # Model
//
// A figure is made of plain series: numbers that stand in summary.csv, never a
// model. It can therefore be drawn again from the files alone. The bytes of a
// figure are a function of its series: no date, no random name, fonts that are
// compiled in.
//
// # Look
//
// Every figure must be readable by eyes that see no red or green and on a black
// and white print: a term has a colour of its own (Okabe and Ito, Color
// Universal Design, 2008), a grey level of its own, and a hatch of its own.
// Labels are horizontal; every axis names its unit.
package figure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A drawing is anything that fills a canvas of the size it asks for.
type drawing interface {
	size() (width, height vg.Length)
	draw(draw.Canvas) error
}

// dotsPerInch of the PNG files. Chosen: 144, twice a screen's 72, so that they
// stay sharp where a page scales them.
const dotsPerInch = 144

// svg returns the drawing as an SVG file.
func svg(d drawing) ([]byte, error) {
	w, h := d.size()
	canvas := vgsvg.New(w, h)
	if err := d.draw(draw.New(canvas)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// A viewer without these fonts should take one of the same shape.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), nil
}

// png returns the drawing as a PNG file.
func png(d drawing) ([]byte, error) {
	w, h := d.size()
	canvas := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))
	if err := d.draw(draw.New(canvas)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&b)
	return b.Bytes(), err
}

// write makes base.svg and base.png; each appears whole or not at all.
func write(d drawing, base string) error {
	for _, f := range []struct {
		ext  string
		make func(drawing) ([]byte, error)
	}{{".svg", svg}, {".png", png}} {
		data, err := f.make(d)
		if err != nil {
			return fmt.Errorf("drawing %s: %w", filepath.Base(base)+f.ext, err)
		}
		if err := replaceFile(base+f.ext, data); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile writes data beside name and renames it.
func replaceFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	aside := name + ".partial"
	if err := os.WriteFile(aside, data, 0o644); err != nil {
		return err
	}
	return os.Rename(aside, name)
}
