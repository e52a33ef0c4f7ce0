//go:build cgo

package libacp

import (
	"path/filepath"
	"testing"
)

// TestFloats: no exception of real numbers traps in the library, in a program that lets them trap, and the program has its
// environment back after each call.
func TestFloats(t *testing.T) {
	path := program(t, "floats", "-lm")
	for _, net := range []string{"shm", "tcp"} {
		for _, when := range []string{"before", "after"} {
			t.Run(net+"/"+when, func(t *testing.T) {
				allWell(t, together(t, 2, []string{"ACP_NET=" + net}, path, when), "")
			})
		}
	}
}

// TestFortranFloats: the same in Fortran, whose compiler lets exceptions trap.
func TestFortranFloats(t *testing.T) {
	objects := fortranObjects(t, "checks")
	object := filepath.Join(t.TempDir(), "floats.o")
	fortran(t, "-ffpe-trap=invalid,zero,overflow", "-c", filepath.Join("testdata", "fortran", "floats.f90"), "-o", object)
	path := fortranProgram(t, append(objects, object)...)
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			allWell(t, together(t, 2, []string{"ACP_NET=" + net}, path), "")
		})
	}
}
