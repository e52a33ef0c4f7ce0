package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSpawn runs the example that starts further processes. MPICH over UCX cannot start processes,
// and each of the two jobs reports that.
func TestSpawn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			text, err := os.ReadFile(suite.Source("examples", "mixed", "spawn", "spawn.inputfile"))
			if err != nil {
				t.Fatal(err)
			}
			text = regexp.MustCompile(`(?m)^mpirun$`).ReplaceAll(text, []byte(mpi.Mpirun))
			text = regexp.MustCompile(`(?m)^\./spawn_go$`).ReplaceAll(text, []byte(suite.GoExampleMPI(t, "spawn", mpi)))
			out := sandbox.MustRead(string(text), "macprun")
			if name == "mpich" && strings.Contains(out, "alone: ") {
				lines(t, out, `alone: MPI_Comm_spawn: .*maxprocs=1`, `alone: MPI_Comm_spawn: .*maxprocs=2`,
					`pi is 3\.141592654, by 3 ranks of ACP and 0 processes that they started$`)
				return
			}
			lines(t, out, `pi is 3\.141592654, by 3 ranks of ACP and 3 processes that they started$`)
		})
	}
}
