package soak

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// notStarted is true if MPI did not start in the run of this process. Nothing was tested then.
var notStarted bool

// statusNotStarted is the exit status of a process whose run ended because MPI did not start.
const statusNotStarted = 3

var (
	fatalMPI    = regexp.MustCompile(`Fatal error in (\w+): `)
	initMPI     = regexp.MustCompile(`^(internal_|P?MPI_)Init(_thread)?$`)
	ucxTimedOut = regexp.MustCompile(`ucx function returned with failed status\(\S+ \d+ \w+ Endpoint timeout\)`)
	roundDone   = regexp.MustCompile(`(?m)^seed \d+ round \d+: right`)
	programSays = regexp.MustCompile(`(?m)^(soak|acp): .*`)
)

// mpiNotStarted reports whether a run that ended before its ranks were ready did so because
// MPI_Init of MPICH failed, for the reason that startAgain gives. Everything else that a run prints is
// a fault of the run.
func mpiNotStarted(r *harness.Result) bool {
	text := r.Stdout + r.Stderr
	if r.Status <= 0 || !ucxTimedOut.MatchString(text) || roundDone.MatchString(text) || len(messages(r)) > 1 {
		return false
	}
	failed := fatalMPI.FindAllStringSubmatch(text, -1)
	other := slices.ContainsFunc(failed, func(m []string) bool { return !initMPI.MatchString(m[1]) })
	// acp_init fails in the other ranks because the launcher ends the run.
	unexplained := slices.ContainsFunc(programSays.FindAllString(text, -1), func(line string) bool {
		return !strings.HasPrefix(line, "acp: init by ") || !strings.Contains(line, ": the run was aborted: ")
	})
	return len(failed) > 0 && !other && !unexplained
}

// timedOutInit is what MPICH prints if UCX times out in MPI_Init.
const timedOutInit = `Abort(807024655) on node 3 (rank 3 in comm 0): Fatal error in internal_Init_thread: Other MPI error, error stack:
internal_Init_thread(60)...........: MPI_Init_thread(argc=(nil), argv=(nil), required=3, provided=0x7ffc) failed
MPII_Init_thread(234)..............:
MPID_Init(67)......................:
initial_address_exchange(83).......:  ucx function returned with failed status(ucx_init.c 83 initial_address_exchange Endpoint timeout)
`

func TestMPINotStarted(t *testing.T) {
	const launcher = "macprun: mpirun.mpich of job 0 soak-1 (ranks 0-4, host host0, pid 7) ended with status 143 before all its processes had called acp_init\n"
	for name, c := range map[string]struct {
		result harness.Result
		want   bool
	}{
		"MPI_Init_thread":     {harness.Result{Status: 143, Stderr: timedOutInit + launcher}, true},
		"MPI_Init":            {harness.Result{Status: 15, Stderr: strings.ReplaceAll(timedOutInit, "internal_Init_thread", "PMPI_Init")}, true},
		"on standard output":  {harness.Result{Status: 15, Stdout: timedOutInit, Stderr: launcher}, true},
		"with other ranks":    {harness.Result{Status: 143, Stderr: timedOutInit + "acp: init by rank 6: the run was aborted: " + launcher + launcher}, true},
		"success":             {harness.Result{Status: 0, Stderr: timedOutInit}, false},
		"killed launcher":     {harness.Result{Status: -1, Signal: 9, Stderr: timedOutInit}, false},
		"no message of MPI":   {harness.Result{Status: 143, Stderr: launcher}, false},
		"another reason":      {harness.Result{Status: 143, Stderr: strings.ReplaceAll(timedOutInit, "Endpoint timeout", "Input/output error")}, false},
		"another function":    {harness.Result{Status: 143, Stderr: strings.ReplaceAll(timedOutInit, "internal_Init_thread", "internal_Win_create")}, false},
		"one other function":  {harness.Result{Status: 143, Stderr: timedOutInit + "Fatal error in internal_Comm_dup: Other MPI error\n"}, false},
		"a round was done":    {harness.Result{Status: 143, Stdout: "seed 7 round 0: right after 1s\n", Stderr: timedOutInit}, false},
		"the program says so": {harness.Result{Status: 143, Stderr: timedOutInit + "soak: rank 2 is wrong\n"}, false},
		"another failed init": {harness.Result{Status: 143, Stderr: timedOutInit + "acp: init by rank 6: no memory\n"}, false},
		"an aborted copy":     {harness.Result{Status: 143, Stderr: timedOutInit + "acp: copy by rank 6: the run was aborted: rank 2 died\n"}, false},
		"two complaints":      {harness.Result{Status: 143, Stderr: timedOutInit + launcher + launcher}, false},
	} {
		if got := mpiNotStarted(&c.result); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
