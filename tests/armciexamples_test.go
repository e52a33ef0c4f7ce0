package tests

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// The ARMCI examples compare their results with the results of one process.
const (
	matmulTasks  = 4 * 4 * 4 // of 100 rows, in blocks of 32
	matmulResult = `^100 x 100, processes: %d, tasks: 64: 0 elements differ from those of one process$`
	stencil      = `^97 x 128 points on \d x \d processes, 60 steps, last change \d\.\d{4}: 0 points differ from those of one process$`
)

// TestARMCIExamples runs the examples in C and in Go, in one job.
func TestARMCIExamples(t *testing.T) {
	inC, inGo := suite.CAt(t, "examples/armci/matmul", "-larmci"), suite.GoAt(t, "examples/armci", "matmul")
	plate := suite.CAt(t, "examples/armci/stencil", "-larmci")
	for _, net := range []string{"shm", "tcp"} {
		for _, np := range []int{1, 2, 4, 5} {
			t.Run(fmt.Sprintf("%s/%d", net, np), func(t *testing.T) {
				job := []string{"acprun", "-np", strconv.Itoa(np), "-net", net}
				for _, program := range [][]string{{inC, "100"}, {inGo, "-size", "100"}} {
					out := suite.Sandbox(t).Must(append(job, program...)...)
					wantLine(t, out, fmt.Sprintf(matmulResult, np))
					allTasks(t, out, `(?m)^process \d of \d: (\d+) tasks$`, np)
				}
				lines(t, suite.Sandbox(t).Must(append(job, plate, "60")...), stencil)
			})
		}
	}
}

// TestARMCIExamplesWithMPI runs them in two jobs of an MPI that are one world, and in a job of each MPI.
func TestARMCIExamplesWithMPI(t *testing.T) {
	t.Parallel()
	for _, names := range [][2]string{{"openmpi", "openmpi"}, {"mpich", "mpich"}, {"openmpi", "mpich"}} {
		t.Run(names[0]+"/"+names[1], func(t *testing.T) {
			two := func(source, arg string) string {
				var list []job
				for i, name := range names {
					mpi := suite.NeedMPI(t, name)
					command := "ARMCI_WORLD=run " + suite.CAtMPI(t, source, mpi, "-larmci") + " " + arg
					list = append(list, job{mpi.Mpirun, 1 + i, command})
				}
				return suite.Sandbox(t).MustRead(jobs(list...), "macprun")
			}
			out := two("examples/armci/matmul", "100")
			wantLine(t, out, fmt.Sprintf(matmulResult, 3))
			allTasks(t, out, `(?m)^job of \d processes: (\d+) tasks$`, 2)
			lines(t, two("examples/armci/stencil", "60"), stencil)
		})
	}
}

// wantLine checks that output has a line.
func wantLine(t *testing.T, out, pattern string) {
	t.Helper()
	if !regexp.MustCompile(`(?m)` + pattern).MatchString(out) {
		t.Errorf("no line %s:\n%s", pattern, out)
	}
}

// allTasks checks that count lines together report all tasks.
func allTasks(t *testing.T, out, pattern string, count int) {
	t.Helper()
	found, sum := regexp.MustCompile(pattern).FindAllStringSubmatch(out, -1), 0
	for _, m := range found {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	if len(found) != count || sum != matmulTasks {
		t.Errorf("%d tasks in %d lines, expected %d in %d:\n%s", sum, len(found), matmulTasks, count, out)
	}
}
