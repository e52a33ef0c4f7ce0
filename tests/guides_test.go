package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestGuides follows the guides of the manual: it writes their files, executes their commands, and compares what they print.
// TestStart and TestTutorial follow the other pages with commands.
func TestGuides(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		page     string
		commands int  // at least
		mpi      bool // needs Open MPI
		python   bool
		fortran  bool
	}{
		{page: "launching.md", commands: 12, mpi: true},
		{page: "couple-c.md", commands: 5},
		{page: "weights.md", commands: 6, python: true},
		{page: "couple-time.md", commands: 1, python: true},
		{page: "joining.md", commands: 2, mpi: true},
		{page: "elastic.md", commands: 12},
		{page: "live-picture.md", commands: 5, python: true, fortran: true},
		{page: "dmi.md", commands: 6},
	} {
		if test.fortran && !suite.HasFortran() {
			continue
		}
		t.Run(test.page, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			if test.mpi {
				r.useMPI(t, suite.NeedMPI(t, "openmpi"))
			}
			if test.python {
				r.usePython(t)
			}
			r.follow(t, actions(t, test.page, ""))
			if r.commands < test.commands {
				t.Errorf("the page has %d commands, expected at least %d", r.commands, test.commands)
			}
		})
	}
}

// newReader returns a reader of pages, whose shell finds commands in the folder bin of its sandbox first.
func newReader(t *testing.T) *reader {
	t.Helper()
	suite.Bin(t, "acpcc")
	sandbox := suite.Sandbox(t)
	bin := filepath.Join(sandbox.Dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	return &reader{sandbox: sandbox, setup: "PATH=" + bin + ":$PATH; "}
}

// command makes a command of the shell.
func (r *reader) command(name, line string) {
	r.sandbox.Script(filepath.Join("bin", name), "exec "+line+" \"$@\"\n")
}

// useMPI makes the commands mpirun, mpicc and mpifort those of an MPI, and lets macpcc and macpfc compile for it.
func (r *reader) useMPI(t *testing.T, mpi harness.MPI) {
	t.Helper()
	r.command("mpirun", r.sandbox.Mpirun(mpi))
	for _, compiler := range []string{"mpicc", "mpifort"} {
		r.command(compiler, strings.Replace(mpi.Mpirun, "mpirun", compiler, 1))
	}
	for _, wrapper := range []string{"macpcc", "macpfc"} {
		r.command(wrapper, suite.Bin(t, wrapper)+" -mpi "+mpi.Flavor)
	}
}

// usePython makes the command python3 one that has numpy and finds package goacp.
func (r *reader) usePython(t *testing.T) {
	t.Helper()
	r.command("python3", suite.NeedPython(t))
	r.sandbox.Env = append(r.sandbox.Env, "PYTHONPATH="+suite.Source("python"), "PYTHONDONTWRITEBYTECODE=1",
		"GOACP_LIBDIR="+filepath.Dir(suite.Library(harness.MPI{}, "libacp.so")))
}
