package main

import "fmt"

// figure is one line of the table of languages: the same operation by several of them.
type figure struct {
	what, name string
	most       limit // beside C
}

// languageFigures are the lines of the table. The targets of short operations of Python are absolute: the interpreter
// takes most of their time.
var languageFigures = []figure{
	{"one host: put 8 B of an allocation", "blockput8", noise},
	{"one host: get 8 B into an allocation", "blockget8", noise},
	{"map of 4 ranks, 8 B: insert", "mapput", noise},
	{"map of 4 ranks, 8 B: value of a key", "mapget", noise},
	{"one host: put 8 B of a slice", "put8", limit{absolute: 2000}},
	{"one host: put 1 MiB", "put1m", limit{times: 1.15, more: 5000}},
	{"coupling, one host: 8 B there and back, 1 + 1 ranks", "couple8", limit{absolute: 2000}},
	{"guest: a step of 8 MB of a field that it watches", "watch8m", limit{times: 1.1}},
}

// noise is by how much two measurements of the same call differ.
var noise = limit{times: 1.15}

// languageLines returns the table of the part languages of bench/run.sh. A figure is of C++ or of Python.
func languageLines(s figures) [][]string {
	lines := [][]string{{"what", "C", "C++", "Python", "ratio to C", "target", "met"}}
	for _, f := range languageFigures {
		c, haveC := s.median("c", f.name)
		cells := []string{f.what, "-", "-", "-", "-", f.most.words(duration), "?"}
		if haveC {
			cells[1] = duration(c)
		}
		for column, language := range []string{"cpp", "python"} {
			v, ok := s.median(language, f.name)
			if !ok {
				continue
			}
			cells[2+column], cells[6] = duration(v), f.most.verdict(v, ok, c, haveC)
			if haveC {
				cells[4] = fmt.Sprintf("%.2f", v/c)
			}
		}
		lines = append(lines, cells)
	}
	return lines
}
