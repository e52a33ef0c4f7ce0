package tests

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestAddressSpace: the address space of six ranks is too small for the memory of all. They map the memory that
// they use, as far as possible, and agents serve the rest.
func TestAddressSpace(t *testing.T) {
	program := suite.C(t, "narrow")
	for _, kibibytes := range []int{6_000_000, 3_500_000} {
		t.Run(fmt.Sprint(kibibytes), func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			limited := sandbox.Script("limited", fmt.Sprintf("ulimit -v %d\nexec %s\n", kibibytes, program))
			sandbox.MustRead("", "acprun", "-np", "6", limited)
		})
	}
}

// TestAddressSpaceTooSmall: a limit of address space leaves no room for the heap. A message names the limit and
// the option that helps, and the option helps.
func TestAddressSpaceTooSmall(t *testing.T) {
	sandbox := suite.Sandbox(t)
	limited := sandbox.Script("limited", fmt.Sprintf("ulimit -v 2300000\nexec %s\n", suite.C(t, "allgather")))
	r := sandbox.Run("", "acprun", "-np", "2", limited)
	if r.Status == 0 {
		t.Fatal(r)
	}
	mustPrint(t, r, "the limit of address space is 2300000 KiB (ulimit -v)", "-smemsize-dl 64m")
	sandbox.Must("acprun", "-np", "2", "-smemsize", "64k", "-smemsize-dl", "64m", limited)
	// The whole run, with its launcher, which works with less than its ranks.
	whole := sandbox.Script("whole", "ulimit -v $1\nshift\nexec \"$@\"\n")
	sandbox.Must(whole, "1500000", "acprun", "-np", "8", "true")
	r = sandbox.Run("", whole, "1200000", "acprun", "-np", "8", "true")
	if r.Status != 1 {
		t.Error(r)
	}
	mustPrint(t, r, "the limit of address space is 1200000 KiB (ulimit -v)")
}

// TestHiddenProcesses: the kernel does not let other processes access two of four ranks. So of two ranks often
// only one maps the memory of the other.
func TestHiddenProcesses(t *testing.T) {
	program := suite.C(t, "narrow")
	sandbox := suite.Sandbox(t)
	start := "exec"
	if os.Geteuid() == 0 { // root may access all processes, unless it drops that right
		if _, err := exec.LookPath("setpriv"); err != nil {
			t.Skip("no setpriv")
		}
		start = "exec setpriv --bounding-set -sys_ptrace"
	}
	sandbox.MustRead("", "acprun", "-np", "4", sandbox.Script("hidden", fmt.Sprintf("%s %s hide\n", start, program)))
}

// TestWindowsBesideSharedMemory: a job whose memory is in windows of MPI, which no process of another job maps,
// runs together with a job that shares its memory.
func TestWindowsBesideSharedMemory(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	sandbox := suite.Sandbox(t)
	near, far := suite.C(t, "narrow"), suite.CMPI(t, "narrow", mpi)
	sandbox.MustRead(jobs(
		job{mpi.Mpirun, 2, far}, job{"acprun -net shm", 2, near},
	), "macprun", "-net", "rma")
}

// TestFileSizeLimit: if a limit of file sizes is too low for the memory of a rank, a message names
// it. No signal ends the process.
func TestFileSizeLimit(t *testing.T) {
	sandbox := suite.Sandbox(t)
	limited := sandbox.Script("limited", fmt.Sprintf("ulimit -f 1000\nexec %s\n", suite.C(t, "narrow")))
	r := sandbox.Run("", "acprun", "-np", "2", limited)
	if r.Status == 0 {
		t.Fatal(r)
	}
	mustPrint(t, r, "the limit of file sizes is", "ulimit -f")
}
