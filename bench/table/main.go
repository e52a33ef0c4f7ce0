// Table makes the table of bench/run.sh out of samples; with -languages, that of its part languages; with -armci,
// that of bench/armci.sh; with -ga, that of bench/ga.sh. With -against, it makes a table of two runs of bench/run.sh side
// by side, the earlier one with the samples in a file.
//
//	table [-languages | -armci | -ga | -against SAMPLES] [-tsv FILE] < SAMPLES
//
// A line of SAMPLES is a source, the name of a figure and its value, separated by
// tabs. The table has medians, prints to standard output, and goes to FILE with one
// line per row and tabs in between.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	file := flag.String("tsv", "", "also write the rows to `FILE`, separated by tabs")
	armci := flag.Bool("armci", false, "make the table of ARMCI")
	ga := flag.Bool("ga", false, "make the table of Global Arrays")
	languages := flag.Bool("languages", false, "make the table of languages")
	against := flag.String("against", "", "compare with earlier samples of bench/run.sh in `FILE`")
	flag.Parse()
	table := lines
	switch {
	case *armci:
		table = armciLines
	case *languages:
		table = languageLines
	case *ga:
		table = gaLines
	}
	err := error(nil)
	if *against != "" {
		table, err = sideBySide(*against)
	}
	if err == nil {
		err = run(*file, table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(file string, table func(figures) [][]string) error {
	s, err := read(os.Stdin)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	var tsv strings.Builder
	for _, l := range table(s) {
		text := strings.Join(l, "\t") + "\n"
		tsv.WriteString(text)
		fmt.Fprint(w, text)
	}
	if err := w.Flush(); err != nil || file == "" {
		return err
	}
	return os.WriteFile(file, []byte(tsv.String()), 0o666)
}

// lines returns the table of bench/run.sh.
func lines(s figures) [][]string {
	addFurtherRank(s)
	lines := [][]string{{"what", "reference", "", "C", "Go", "C ratio", "Go ratio", "target", "met"}}
	for _, r := range allRows() {
		lines = append(lines, r.cells(s))
	}
	return lines
}

// allRows returns the rows of the table of bench/run.sh.
func allRows() []row { return slices.Concat(rows, pointerRows, coupleRows, elasticRows, dmiRows) }

// addFurtherRank adds how much memory each further rank takes.
func addFurtherRank(s figures) {
	for _, api := range []string{"c", "go"} {
		few, ok1 := s.median(api, "memory32")
		many, ok2 := s.median(api, "memory128")
		if ok1 && ok2 {
			s[key(api, "furtherrank")] = []float64{(many - few) / (128 - 32)}
		}
	}
}

// figures are the samples of a run by source and name.
type figures map[string][]float64

func key(source, name string) string { return source + "\t" + name }

// read reads samples.
func read(in io.Reader) (figures, error) {
	s := figures{}
	scan := bufio.NewScanner(in)
	for n := 1; scan.Scan(); n++ {
		f := strings.Split(scan.Text(), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("line %d: expected source, name and value, found %q", n, scan.Text())
		}
		v, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		s[key(f[0], f[1])] = append(s[key(f[0], f[1])], v)
	}
	return s, scan.Err()
}

// median returns the median of a figure; ok is false if there is none.
func (s figures) median(source, name string) (m float64, ok bool) {
	v := slices.Sorted(slices.Values(s[key(source, name)]))
	switch n := len(v); {
	case n == 0:
		return 0, false
	case n%2 == 1:
		return v[n/2], true
	default:
		return (v[n/2-1] + v[n/2]) / 2, true
	}
}

// best returns the smallest median among sources.
func (s figures) best(sources []string, name string) (source string, m float64, ok bool) {
	for _, one := range sources {
		if v, found := s.median(one, name); found && (!ok || v < m) {
			source, m, ok = one, v, true
		}
	}
	return source, m, ok
}
