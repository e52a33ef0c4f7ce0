package main

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/wrappers/toolchain"
)

// TestLinksFixed: one compiler without the option suffices to leave it out. Compilers that are not there are not asked.
func TestLinksFixed(t *testing.T) {
	d := &toolchain.Data{CC: []string{"ccache", "gcc"}, FC: []string{"gfortran"}, MPI: []toolchain.MPI{{MPICC: "/mpi/mpicc", MPIFC: "/mpi/mpifort"}}}
	all := []string{"ccache gcc fixed.c", "gfortran fixed.f90", "/mpi/mpicc fixed.c", "/mpi/mpifort fixed.f90"}
	for refuses := range len(all) + 1 {
		var asked, lines []string
		p := &prober{scratch: t.TempDir(), log: func(format string, args ...any) { lines = append(lines, format) }}
		p.run = func(command string, args ...string) (string, error) {
			words := []string{command}
			for _, a := range args[:slices.Index(args, "-o")] {
				if a != "-no-pie" {
					words = append(words, filepath.Base(a))
				}
			}
			if !slices.Contains(args, "-no-pie") {
				t.Errorf("%s %v: without the option", command, args)
			}
			asked = append(asked, strings.Join(words, " "))
			if len(asked) == refuses+1 {
				return "", errors.New("unknown switch")
			}
			return "", nil
		}
		want := all[:min(refuses+1, len(all))]
		fixed := refuses == len(all)
		if got := p.linksFixed(d); got != fixed || !slices.Equal(asked, want) || (len(lines) == 0) != fixed {
			t.Errorf("%d compilers know the option: %v, asked %q, said %q; expected %v, %q", refuses, got, asked, lines, fixed, want)
		}
	}
}
