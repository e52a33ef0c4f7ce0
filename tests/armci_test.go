package tests

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestARMCI runs programs of ARMCI in C, whose processes reach each other's memory by loads and
// stores and by sockets.
func TestARMCI(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/transfers", "-larmci")
	for _, net := range []string{"shm", "tcp"} {
		for _, np := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s/%d", net, np), func(t *testing.T) {
				out := suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program)
				if got := strings.Count(out, fmt.Sprintf(" of %d\n", np)); got != np {
					t.Errorf("%d processes of %d have come to the end:\n%s", got, np, out)
				}
			})
		}
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Must("acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1), program)
	})
}

// TestARMCIWithMPI runs the same with each MPI, by its launcher alone and together with a job without
// MPI, each of which has a world of its own.
func TestARMCIWithMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, "tests/programs/armci/transfers", mpi, "-larmci")
			sandbox := suite.Sandbox(t)
			if out := sandbox.Must("/bin/sh", "-c", sandbox.Mpirun(mpi)+" -n 2 "+program); strings.Count(out, " of 2\n") != 2 {
				t.Errorf("expected a world of 2:\n%s", out)
			}
			out := suite.Sandbox(t).MustRead(jobs(
				job{mpi.Mpirun, 2, program}, job{"acprun", 1, suite.CAt(t, "tests/programs/armci/transfers", "-larmci")},
			), "macprun")
			if strings.Count(out, " of 1\n") != 1 || strings.Count(out, " of 2\n") != 2 {
				t.Errorf("expected a world for each job:\n%s", out)
			}
		})
	}
}

// TestARMCIAggregate runs a program of ARMCI in C that collects transfers with aggregate handles.
func TestARMCIAggregate(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/aggregate", "-larmci")
	run := func(t *testing.T, sandbox *harness.Sandbox, np int, options ...string) {
		out := sandbox.Must(slices.Concat([]string{"acprun", "-np", strconv.Itoa(np)}, options, []string{program})...)
		if got := strings.Count(out, fmt.Sprintf(" of %d\n", np)); got != np {
			t.Errorf("%d processes of %d have come to the end:\n%s", got, np, out)
		}
	}
	for _, net := range []string{"shm", "tcp"} {
		for _, np := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s/%d", net, np), func(t *testing.T) { run(t, suite.Sandbox(t), np, "-net", net) })
		}
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		run(t, sandbox, 4, "-nodefile", sandbox.Nodefile(0, 0, 1, 1))
	})
}

// TestARMCIMessages runs a program of ARMCI in C that sends messages, makes groups and calls all
// collective functions.
func TestARMCIMessages(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/messages", "-larmci")
	run := func(t *testing.T, sandbox *harness.Sandbox, np int, options ...string) {
		out := sandbox.Must(slices.Concat([]string{"acprun", "-np", strconv.Itoa(np)}, options, []string{program})...)
		if want := fmt.Sprintf("%d processes agree\n", np); out != want {
			t.Errorf("got %q, expected %q", out, want)
		}
	}
	for _, net := range []string{"shm", "tcp"} {
		for _, np := range []int{1, 2, 3, 7} {
			t.Run(fmt.Sprintf("%s/%d", net, np), func(t *testing.T) { run(t, suite.Sandbox(t), np, "-net", net) })
		}
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		run(t, sandbox, 5, "-nodefile", sandbox.Nodefile(0, 0, 0, 1, 1))
	})
}

// TestARMCIMessagesWithMPI runs the same with each MPI, and a program that uses the communicators of
// groups.
func TestARMCIMessagesWithMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			for program, want := range map[string]string{"messages": "3 processes agree\n", "communicators": "3 communicators of the world\n"} {
				sandbox := suite.Sandbox(t)
				path := suite.CAtMPI(t, "tests/programs/armci/"+program, mpi, "-larmci")
				if out := sandbox.Must("/bin/sh", "-c", sandbox.Mpirun(mpi)+" -n 3 "+path); out != want {
					t.Errorf("%s: got %q, expected %q", program, out, want)
				}
			}
		})
	}
}

// TestARMCIVerbose: process 0 describes the world if the option is set.
func TestARMCIVerbose(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/transfers", "-larmci")
	run := func(verbose string) string {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Env = append(sandbox.Env, "ARMCI_VERBOSE="+verbose)
		r := sandbox.Run("", "acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 0, 1), program)
		if r.Status != 0 {
			t.Fatal(r)
		}
		return r.Stderr
	}
	text := run("1")
	for _, want := range []string{
		": 3 processes on 2 hosts, 2 domains\n", "armci: memory has the same addresses", ": processes [0 1], by shm\n", ": processes [2]\n", ", by tcp\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("expected %q once:\n%s", want, text)
		}
	}
	if text := run("0"); text != "" {
		t.Errorf("it was not asked to say anything:\n%s", text)
	}
}

// TestSharedARMCI runs programs in C and in Go as one world.
func TestSharedARMCI(t *testing.T) {
	inC, inGo := suite.CAt(t, "tests/programs/shared_armci", "-larmci"), suite.Go(t, "shared_armci")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Env = append(sandbox.Env, "ARMCI_WORLD=run")
			out := sandbox.MustRead(jobs(job{"acprun", 2, inC}, job{"acprun", 2, inGo}), "macprun", "-net", net)
			lines(t, out, "process 0 in C: 10$", "process 1 in C: 10$", "process 2 in Go: 10$", "process 3 in Go: 10$")
		})
	}
}
