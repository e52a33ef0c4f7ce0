package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// pythonSandbox returns a sandbox whose programs in Python use the package in the source tree, the interpreter, and the path of
// a test program.
func pythonSandbox(t *testing.T, name string) (sandbox *harness.Sandbox, python, program string) {
	t.Helper()
	python = suite.NeedPython(t)
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox = suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "PYTHONPATH="+suite.Source("python"), "PYTHONDONTWRITEBYTECODE=1",
		"GOACP_LIBDIR="+filepath.Dir(suite.Library(harness.MPI{}, "libacp.so")))
	return sandbox, python, suite.Source("tests", "programs", "python", name+".py")
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
		{"timed", []int{2, 4}}, {"implicit", []int{2, 3}}, {"grids", []int{2, 3}},
		{"interrupts", []int{2}},
	} {
		for _, net := range []string{"shm", "tcp"} {
			for _, n := range test.ranks {
				t.Run(fmt.Sprintf("%s/%s/%d", test.program, net, n), func(t *testing.T) {
					sandbox, python, program := pythonSandbox(t, test.program)
					out := sandbox.Must("acprun", "-net", net, "-np", fmt.Sprint(n), python, program)
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

// TestPythonEpochs: a run of a program in Python grows and shrinks.
func TestPythonEpochs(t *testing.T) {
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox, python, program := pythonSandbox(t, "epochs")
			out := sandbox.Must("acprun", "-net", net, "-max", "5", "-np", "1", python, program)
			lines(t, out, "rank 0 is done$", "rank 1 is done$", "rank 2 is done$")
			cleaned(t, sandbox)
		})
	}
}

// pythonProgram is a program on the page about Python, the ranks that run it, and what it prints.
var pythonProgram = regexp.MustCompile("(?s)```python\n(import goacp\n.*?)```\n\n```\n\\$ acprun -np (\\d) python3 program.py\n(.*?)```")

// TestPythonPage runs the programs on the page about Python.
func TestPythonPage(t *testing.T) {
	page, err := os.ReadFile(suite.Source("docs", "python.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs := pythonProgram.FindAllStringSubmatch(string(page), -1)
	if len(programs) != strings.Count(string(page), "```python\nimport goacp\n") || len(programs) < 3 {
		t.Errorf("the page has %d programs with what they print", len(programs))
	}
	for i, m := range programs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			sandbox, python, _ := pythonSandbox(t, "memory")
			if got := sandbox.Must("acprun", "-np", m[2], python, sandbox.Write("program.py", m[1])); got != m[3] {
				t.Errorf("it prints %q, and the page shows %q", got, m[3])
			}
		})
	}
}

// TestPythonException: an exception in one rank ends the run, and the launcher names it.
func TestPythonException(t *testing.T) {
	sandbox, python, _ := pythonSandbox(t, "memory")
	program := sandbox.Write("fails.py", "import goacp\nwith goacp.run() as run:\n    if run.rank == 1:\n"+
		"        raise ValueError('no such ocean')\n    run.sync()\n")
	r := sandbox.Run("", "acprun", "-np", "3", python, program)
	if r.Status == 0 || !strings.Contains(r.Stderr, "rank 1 (job 0") || strings.Count(r.Stderr, "ValueError: no such ocean") < 2 {
		t.Errorf("%v, expected the exception of rank 1", r)
	}
}

// TestPythonWaitsForLostGuest kills a guest while a resident receives from it: that is no end of the channel.
func TestPythonWaitsForLostGuest(t *testing.T) {
	sandbox, python, program := pythonSandbox(t, "partner")
	losesGuest(t, sandbox, python, program, "receive")
}

// TestPythonDescribed couples three jobs of one program by the description of the run.
func TestPythonDescribed(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox, python, program := pythonSandbox(t, "described")
			text := "jobs:\n"
			for i, name := range []string{"sea", "air", "viewer"} {
				text += fmt.Sprintf("  - {name: %s, launcher: acprun, np: %d, command: [%s, %s]}\n", name, 2-i/2, python, program)
			}
			text += "couple:\n  - {from: sea.f, to: air.f}\n  - {from: sea.f, to: viewer.f, watch: true}\n"
			out := sandbox.Must("macprun", "-net", net, sandbox.Write("described.yaml", text))
			lines(t, out, "rank 0 is done$", "rank 1 is done$", "rank 2 is done$", "rank 3 is done$", "rank 4 is done$")
		})
	}
}

// TestPythonExample runs the ocean in Python with the air in C.
func TestPythonExample(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox, python, _ := pythonSandbox(t, "memory")
			text, err := os.ReadFile(suite.Source("examples", "python", "coupled.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			commands := strings.NewReplacer("python3 ocean.py", python+" "+suite.Source("examples", "python", "ocean.py"),
				"./air", suite.CAt(t, "examples/python/air"))
			file := sandbox.Write("coupled.yaml", commands.Replace(string(text)))
			lines(t, sandbox.Must("macprun", "-net", net, file),
				`ocean in Python, 2 ranks, and air in C, 2 ranks: 200 steps, heat 48000\.000 before and 48000\.000 after$`)
		})
	}
}

// TestPythonWithMPI: the ranks of a job of MPI with mpi4py are those of a run, with both launchers.
func TestPythonWithMPI(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	sandbox, python, program := pythonSandbox(t, "with_mpi")
	if sandbox.Run("", python, "-c", "from mpi4py import MPI; assert MPI.get_vendor()[0] == 'Open MPI'").Status != 0 {
		t.Skip("there is no mpi4py for Open MPI")
	}
	out := sandbox.MustRead(jobs(job{mpi.Mpirun, 3, python + " " + program}), "macprun")
	lines(t, out, "rank 0 is done$", "rank 1 is done$", "rank 2 is done$")
}
