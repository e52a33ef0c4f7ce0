package tests

import (
	"strconv"
	"testing"
)

// TestARMCIAccumulates: accumulates of four processes to the same elements lose nothing. Each round of
// a process is 12000 of them: ten millions in shared memory.
func TestARMCIAccumulates(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/crowd", "-larmci")
	for net, rounds := range map[string]string{"shm": "210", "tcp": "60"} {
		t.Run(net, func(t *testing.T) {
			suite.Sandbox(t).Must("acprun", "-np", "4", "-net", net, program, "accumulate", rounds)
		})
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Must("acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1), program, "accumulate", "60")
	})
}

// TestARMCILocks: processes that wait for a mutex use no processor time, many more than there are
// processors.
func TestARMCILocks(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/crowd", "-larmci")
	for _, np := range []int{3, 64} {
		for _, net := range []string{"shm", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				t.Log(suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program, "lock", strconv.Itoa(3+18/np)))
			})
		}
	}
}
