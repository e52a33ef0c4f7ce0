package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gaSources are the two libraries under Global Arrays in samples of bench/ga.sh.
var gaSources = [2]string{"goacp", "armci-mpi"}

// gaLines returns the table of bench/ga.sh: the wall times of programs of Global Arrays. A figure is named
// after the run and the program, with a slash between. Below the programs of a run there is the sum over
// those that both libraries ran.
func gaLines(s figures) [][]string {
	lines := [][]string{{"run", "program", "GoACP", "ARMCI-MPI", "ratio", "not above"}}
	programs := map[string][]string{}
	for _, name := range s.names() {
		if run, program, ok := strings.Cut(name, "/"); ok {
			programs[run] = append(programs[run], program)
		}
	}
	for _, run := range slices.Sorted(maps.Keys(programs)) {
		var sums [2]float64
		for _, program := range programs[run] {
			ours, ok1 := s.median(gaSources[0], run+"/"+program)
			theirs, ok2 := s.median(gaSources[1], run+"/"+program)
			if ok1 && ok2 {
				sums[0], sums[1] = sums[0]+ours, sums[1]+theirs
			}
			lines = append(lines, gaLine(run, program, ours, ok1, theirs, ok2))
		}
		if sums[1] > 0 {
			lines = append(lines, gaLine(run, "all", sums[0], true, sums[1], true))
		}
	}
	return lines
}

// gaLine returns the texts of a line about a program. Without a time of both there is no verdict.
func gaLine(run, program string, ours float64, ok1 bool, theirs float64, ok2 bool) []string {
	line := []string{run, program, "-", "-", "-", "?"}
	if ok1 {
		line[2] = seconds(ours)
	}
	if ok2 {
		line[3] = seconds(theirs)
	}
	if ok1 && ok2 {
		line[4] = fmt.Sprintf("%.2f", ours/theirs)
		line[5] = times(1).verdict(ours, true, theirs, true)
	}
	return line
}

func seconds(ns float64) string { return fmt.Sprintf("%.2f s", ns/1e9) }

// names returns the sorted names of all figures.
func (s figures) names() []string {
	names := map[string]bool{}
	for k := range s {
		_, name, _ := strings.Cut(k, "\t")
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}
