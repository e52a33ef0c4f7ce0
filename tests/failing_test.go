package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// failure is a way in which a rank of tests/programs/failing.c fails, and how its run ends then.
type failure struct {
	way    string
	text   string // the last line after the rank
	status int
	byMPI  bool // only programs with MPI fail in this way
}

var failures = []failure{
	{"early0", `ended with status 0 before acp_init`, 1, false},
	{"early3", `ended with status 3 before acp_init`, 3, false},
	{"exit3", `ended with status 3 without acp_finalize`, 3, false},
	{"return", `ended with status 0 without acp_finalize`, 1, false},
	{"signal", `killed by signal 9 \(Killed\)`, 137, false},
	{"abort", `aborted: .*no ice`, 255, false},
	{"mpiabort", `(ended the job with status 7: .*MPI_A.*|ended with status 7 without acp_finalize)`, 7, true},
	{"mpierror", `(ended the job with status 6: .*MPI_Send.*|ended the job with status 6: Fatal error .*|ended with status 6 without acp_finalize)`, 6, true},
}

// TestFailing lets a rank of a job fail in each way, in jobs of each launcher alone and together. The other ranks
// wait for it, and launchers of MPI kill the ranks of their jobs. The last line names the rank that has failed first,
// and the status of the run is the status of this rank.
func TestFailing(t *testing.T) {
	t.Parallel()
	for _, launchers := range []string{"acprun", "openmpi", "mpich", "openmpi mpich", "mpich openmpi", "mpich acprun"} {
		for i, f := range failures {
			names := strings.Fields(launchers)
			if f.byMPI && names[0] == "acprun" {
				continue
			}
			t.Run(launchers+"/"+f.way, func(t *testing.T) {
				t.Parallel()
				sandbox := suite.Sandbox(t)
				victim := i % 3 % (4 - len(names)) // in the first job
				var list []job
				for number, name := range names {
					launcher, program := "acprun", ""
					if name == "acprun" {
						program = suite.C(t, "failing")
					} else {
						mpi := suite.NeedMPI(t, name)
						launcher, program = mpi.Mpirun, suite.CMPI(t, "failing", mpi)
					}
					of := victim
					if number > 0 {
						of = -1
					}
					list = append(list, job{launcher, 4 - len(names), fmt.Sprintf("%s %d %s", program, of, f.way)})
				}
				r := sandbox.Run(jobs(list...), "macprun")
				said := slices.DeleteFunc(strings.Split(r.Stderr, "\n"), func(line string) bool { return !strings.HasPrefix(line, "macprun: ") })
				last := regexp.MustCompile(fmt.Sprintf(`^macprun: rank %d \(job 0 [^)]*\) %s$`, victim, f.text))
				if f.byMPI {
					// The words of an MPI get lost if its launcher kills the process before it has read them.
					last = regexp.MustCompile(fmt.Sprintf(`%v|^macprun: mpirun\S* of job 0 .* ended with status %d$`, last, f.status))
				}
				if r.Status != f.status || len(said) != 1 || !last.MatchString(said[0]) {
					t.Errorf("expected status %d, and one line of macprun that matches %v: %v", f.status, last, r)
				}
			})
		}
	}
}
