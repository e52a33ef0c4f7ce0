package tests

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// abortRuns is the number of runs that TestAbort aborts in each way: the behaviour of mpirun at its
// end depends on the moment at which a signal reaches it.
const abortRuns = 3

// TestAbort has a rank call acp_abort in a run of an MPI job and an ACP job, or all
// ranks at once. The run ends with the status of acp_abort. The reason is the last line, below
// the messages of the MPI launchers.
func TestAbort(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		for _, c := range []struct{ victim, way, rank string }{
			{"1", "sync", "1"}, {"2", "compute", "2"}, {"0", "self", "[0-2]"},
		} {
			t.Run(fmt.Sprintf("%s/rank %s/%s", name, c.victim, c.way), func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				sandbox := suite.Sandbox(t)
				args := " " + c.victim + " " + c.way
				input := jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "giveup", mpi) + args}, job{"acprun", 1, suite.C(t, "giveup") + args})
				last := regexp.MustCompile(`^macprun: rank ` + c.rank + ` \(job [01] \S+, host \S+, pid \d+\) aborted: .*no ice$`)
				for range abortRuns {
					r := sandbox.Run(input, "macprun")
					lines := strings.Split(strings.TrimRight(r.Stderr, "\n"), "\n")
					if r.Status != 255 || !last.MatchString(lines[len(lines)-1]) {
						t.Errorf("expected status 255, and a last line that matches %v: %v", last, r)
					}
					if strings.Contains(r.Stderr, "in progress") || strings.Contains(r.Stderr, "Segmentation") {
						t.Errorf("mpirun was disturbed: %v", r)
					}
				}
			})
		}
	}
}
