//go:build mpi

package mpi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/mpi/mpitest"
)

// TestManual builds the example of the manual and runs it.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../docs/mpi-binding.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(text)
	if code == nil {
		t.Fatal("the manual has no example")
	}
	source, program := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "ring")
	if err := os.WriteFile(source, code[1], 0o666); err != nil {
		t.Fatal(err)
	}
	// The flags for cgo are those with which this test was built.
	if out, err := exec.Command("go", "build", "-tags=mpi", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const np = 3
	out, err := mpitest.Program(t, np, program, mpitest.Windows()...)
	for r := range np {
		if want := fmt.Sprintf("rank %d: rank %d was here\n", r, (r+np-1)%np); !strings.Contains(out, want) {
			err = fmt.Errorf("no line %q", want)
		}
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
