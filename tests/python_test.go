package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// pythonPlace returns a place whose programs in Python use the package in the source tree, the interpreter, and the path of
// a test program.
func pythonPlace(t *testing.T, name string) (place *harness.Place, python, program string) {
	t.Helper()
	python = suite.NeedPython(t)
	suite.C(t, "allgather") // skips if the tree is not built
	place = suite.Place(t)
	place.Env = append(place.Env, "PYTHONPATH="+suite.Source("python"), "PYTHONDONTWRITEBYTECODE=1",
		"GOACP_LIBDIR="+filepath.Dir(suite.Library(harness.MPI{}, "libacp.so")))
	return place, python, suite.Source("tests", "programs", "python", name+".py")
}

// TestPython runs the test programs of the Python package.
func TestPython(t *testing.T) {
	for _, test := range []struct {
		program string
		ranks   []int
	}{
		{"memory", []int{1, 2, 4}},
		{"messages", []int{1, 2, 3}},
		{"coupled", []int{2, 4}},
		{"interrupts", []int{2}},
	} {
		for _, net := range []string{"shm", "tcp"} {
			for _, n := range test.ranks {
				t.Run(fmt.Sprintf("%s/%s/%d", test.program, net, n), func(t *testing.T) {
					place, python, program := pythonPlace(t, test.program)
					out := place.Must("acprun", "-net", net, "-np", fmt.Sprint(n), python, program)
					want := make([]string, n)
					for r := range want {
						want[r] = fmt.Sprintf("rank %d is done$", r)
					}
					lines(t, out, want...)
				})
			}
		}
	}
}

// TestPythonException: an exception in one rank ends the run, and the launcher names it.
func TestPythonException(t *testing.T) {
	place, python, _ := pythonPlace(t, "memory")
	program := place.Write("fails.py", "import goacp\nwith goacp.run() as run:\n    if run.rank == 1:\n"+
		"        raise ValueError('no such ocean')\n    run.sync()\n")
	r := place.Run("", "acprun", "-np", "3", python, program)
	if r.Status == 0 || !strings.Contains(r.Stderr, "rank 1 (job 0") || strings.Count(r.Stderr, "ValueError: no such ocean") < 2 {
		t.Errorf("%v, expected the exception of rank 1", r)
	}
}
