package main

import (
	"fmt"
	"os"
)

// sideBySide returns what makes a table of the samples in a file and of later ones.
func sideBySide(file string) (func(figures) [][]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	before, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return func(now figures) [][]string { return againstLines(before, now) }, nil
}

// againstLines returns a table of two runs side by side: the medians of earlier samples and of later ones, and how many
// times as long the later ones take. Rows that have no
// figure in both are left out.
func againstLines(before, now figures) [][]string {
	lines := [][]string{{
		"what", "reference before", "now", "C before", "now", "ratio", "Go before", "now", "ratio",
	}}
	addFurtherRank(before)
	addFurtherRank(now)
	shown := map[string]bool{} // figures; several rows have the same one beside other references
	for _, r := range allRows() {
		_, _, compared := r.fastest(now)
		if cells, ok := r.against(before, now); ok && (compared || !shown[r.name]) {
			lines, shown[r.name] = append(lines, cells), true
		}
	}
	return lines
}

// against returns the cells of a row for two runs. ok is false if they have no figure in common.
func (r row) against(before, now figures) (cells []string, ok bool) {
	show := r.shows()
	_, refBefore, haveBefore := r.fastest(before)
	_, refNow, haveNow := r.fastest(now)
	cells = []string{r.what, text(show, refBefore, haveBefore), text(show, refNow, haveNow)}
	for _, api := range []string{"c", "go"} {
		was, haveWas := before.median(api, r.name)
		is, haveIs := now.median(api, r.name)
		ratio := "-"
		if haveWas && haveIs {
			ratio, ok = fmt.Sprintf("%.2f", is/was), true
		}
		cells = append(cells, text(show, was, haveWas), text(show, is, haveIs), ratio)
	}
	return cells, ok
}

// text returns what the table says of a figure.
func text(show func(float64) string, v float64, ok bool) string {
	if !ok {
		return "-"
	}
	return show(v)
}
