package tests

import (
	"fmt"
	"strings"
	"testing"
)

// TestEqualAddresses: the ranks of a host use each other's memory by the addresses of its owners,
// except where these addresses are in use already, where address space is limited, and where
// agents serve ranks. In these cases they translate addresses.
func TestEqualAddresses(t *testing.T) {
	program := suite.Go(t, "equal")
	for name, c := range map[string]struct {
		script string // run by the shell of each rank before the program, if it is not empty
		launch string
		args   string
	}{
		"shm":           {"", "acprun -np 6", ""},
		"crowd":         {"", "acprun -np 48", ""},
		"one rank":      {"", "acprun -np 1", ""},
		"blocked":       {"", "acprun -np 5", "-blocked 2"},
		"tcp":           {"", "acprun -np 3 -net tcp", "-apart"},
		"address space": {"ulimit -v 6000000", "acprun -np 5", "-apart"},
		"little":        {"ulimit -v 3500000", "acprun -np 5", "-apart"},
		"file size":     {"ulimit -f 2000000", "acprun -np 3", ""},
		"stack":         {"ulimit -s unlimited", "acprun -np 3", ""},
	} {
		t.Run(name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			script := sandbox.Script("equal", fmt.Sprintf("%s\nexec %s %s\n", c.script, program, c.args))
			sandbox.MustRead("", append(strings.Fields(c.launch), script)...)
		})
	}
}

// TestEqualAddressesInMPI: so do the ranks of jobs of MPI, unless their memory is MPI's.
func TestEqualAddressesInMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		for net, args := range map[string]string{"auto": "", "rma": " -apart"} {
			t.Run(name+"/"+net, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				program := suite.GoMPI(t, "equal", mpi)
				suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 3, program + args}), "macprun", "-net", net)
			})
		}
	}
}
