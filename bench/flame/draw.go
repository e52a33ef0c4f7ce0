package main

import (
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
)

// In pixels.
const (
	width     = 1200
	rowHeight = 16
	top       = 28  // above the graph
	narrowest = 2   // a box that is drawn
	letter    = 6.5 // the width of one
)

// draw writes the graph as SVG.
func draw(w io.Writer, root *frame, title string) {
	rows := root.depth(1)
	height := top + rows*rowHeight + 4
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="monospace" font-size="11">`+"\n", width, height, width, height)
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" fill="#ffffff"/><text x="4" y="18" font-size="14">%s</text>`+"\n", html.EscapeString(title))
	box(w, root, root.samples, 0, height-4-rowHeight)
	fmt.Fprintln(w, "</svg>")
}

// depth returns how many rows a tree has of which boxes are drawn, if one sample is scale of the width.
func (f *frame) depth(all int) int {
	if all == 1 {
		all = f.samples
	}
	deepest := 0
	for _, c := range f.callees {
		if pixels(c.samples, all) >= narrowest {
			deepest = max(deepest, c.depth(all))
		}
	}
	return 1 + deepest
}

// pixels returns the width of a box.
func pixels(samples, all int) float64 { return float64(samples) / float64(all) * width }

// box draws a function and, above it, its callees.
func box(w io.Writer, f *frame, all int, x float64, y int) {
	wide := pixels(f.samples, all)
	if wide < narrowest {
		return
	}
	name := html.EscapeString(f.name)
	fmt.Fprintf(w, `<g><title>%s: %.1f %%</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="#ffffff" stroke-width="0.5"/>`,
		name, 100*float64(f.samples)/float64(all), x, y, wide, rowHeight-1, colour(f.name))
	if room := int((wide - 4) / letter); room >= 3 {
		text := f.name
		if len(text) > room {
			text = text[:room-1] + "."
		}
		fmt.Fprintf(w, `<text x="%.1f" y="%d">%s</text>`, x+2, y+rowHeight-5, html.EscapeString(text))
	}
	fmt.Fprintln(w, "</g>")
	for _, name := range slices.Sorted(maps.Keys(f.callees)) {
		c := f.callees[name]
		box(w, c, all, x, y-rowHeight)
		x += pixels(c.samples, all)
	}
}

// colour returns a warm colour that depends on the name alone.
func colour(name string) string {
	sum := uint32(2166136261)
	for i := range len(name) {
		sum = (sum ^ uint32(name[i])) * 16777619
	}
	return fmt.Sprintf("rgb(%d,%d,%d)", 215+sum%40, 110+sum>>8%110, 60+sum>>16%50)
}
