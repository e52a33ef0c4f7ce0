package tests

import (
	"fmt"
	"strings"
	"testing"
)

// compared checks that all parts of the coupled models have compared themselves with a serial run, and that the
// watcher has seen all steps. A part that differs ends its program with another status.
func compared(t *testing.T, out string, parts int) {
	t.Helper()
	if n := strings.Count(out, "differs from the serial run by"); n != parts || !strings.Contains(out, "watcher: in 1000 steps") {
		t.Errorf("%d of %d parts compared:\n%s", n, parts, out)
	}
}

// TestCoupledModels couples the ocean with the atmosphere, both in C under different MPIs, in several decompositions.
func TestCoupledModels(t *testing.T) {
	t.Parallel()
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	ocean, air := suite.ExampleMPI(t, "coupled/ocean", openmpi), suite.ExampleMPI(t, "coupled/atmosphere", mpich)
	watcher := suite.GoExample(t, "coupled/watcher")
	for _, c := range []struct{ oceans, airs, watchers int }{{1, 1, 1}, {2, 3, 1}, {3, 2, 2}} {
		t.Run(fmt.Sprintf("%d+%d+%d", c.oceans, c.airs, c.watchers), func(t *testing.T) {
			out := suite.Sandbox(t).MustRead(jobs(job{openmpi.Mpirun, c.oceans, ocean}, job{mpich.Mpirun, c.airs, air},
				job{"acprun", c.watchers, watcher}), "macprun")
			compared(t, out, c.oceans+c.airs)
		})
	}
}

// TestCoupledModelInGo couples the atmosphere in Go with the ocean in C.
func TestCoupledModelInGo(t *testing.T) {
	t.Parallel()
	openmpi := suite.NeedMPI(t, "openmpi")
	out := suite.Sandbox(t).MustRead(jobs(job{openmpi.Mpirun, 2, suite.ExampleMPI(t, "coupled/ocean", openmpi)},
		job{openmpi.Mpirun, 2, suite.GoExampleMPI(t, "coupled/atmosphere", openmpi)},
		job{"acprun", 1, suite.GoExample(t, "coupled/watcher")}), "macprun")
	compared(t, out, 4)
}
