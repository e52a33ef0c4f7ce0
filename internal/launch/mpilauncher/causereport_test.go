package mpilauncher

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

// Reports of launchers.
const (
	openMPIAbort = `--------------------------------------------------------------------------
MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
with errorcode 7.

NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.`
	openMPI5Abort = `MPI_ABORT was invoked on rank 0 in communicator MPI COMMUNICATOR 3 SPLIT FROM 0
  Proc: [[57036,1],2]
  Errorcode: -1

NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.`
	openMPIExit = `Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
--------------------------------------------------------------------------
mpirun.openmpi detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[8507,1],1]
  Exit code:    3`
	openMPIImproper = `mpirun.openmpi has exited due to process rank 1 with PID 0 on
node vm exiting improperly. There are three reasons this could occur:`
	openMPIFatal = `[vm:20446] *** An error occurred in MPI_Send
[vm:20446] *** reported by process [589692929,1]
[vm:20446] *** on communicator MPI_COMM_WORLD
[vm:20446] *** MPI_ERR_RANK: invalid rank
[vm:20446] *** MPI_ERRORS_ARE_FATAL (processes in this communicator will now abort,
[vm:20446] ***    and potentially your MPI job)`
	hydraAbort = `Abort(7) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1`
	hydraFatal = `Abort(940198406) on node 2 (rank 1 in comm 496): Fatal error in internal_Send: Invalid rank, error stack:
internal_Send(120): MPI_Send(buf=(nil), count=0, MPI_INT, 1000000, 0, MPI_COMM_WORLD) failed`
	hydraBad = `
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 14674 RUNNING AT vm
=   EXIT CODE: SIGNAL
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Words (signal SIGNAL)
This typically refers to a problem with your application.`
)

// TestCauseReport reads reports of launchers about the process that has failed first, and turns their exit
// statuses into those of their jobs.
func TestCauseReport(t *testing.T) {
	unsaid := exit.Unsaid
	rank := func(rank int, status exit.Status) exit.Cause {
		return exit.Cause{Rank: rank, Status: status, Known: true}
	}
	signal := func(n int) exit.Status { return exit.Status{Signal: n} }
	code := func(n int) exit.Status { return exit.Status{Code: n} }
	killed := func(n string) string { return strings.ReplaceAll(hydraBad, "SIGNAL", n) }
	for _, test := range []struct {
		name   string
		mpi    plan.Family
		output string
		cause  exit.Cause
		status int // of the launcher
		want   int // of the job
	}{
		{"Open MPI: MPI_Abort", plan.OpenMPI, openMPIAbort, exit.Cause{Rank: 1, Status: code(7), Known: true, Aborted: true,
			Message: "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD with errorcode 7"}, 7, 7},
		{"Open MPI: MPI_Abort, and what follows", plan.OpenMPI, openMPIExit + "\n" + openMPIAbort, exit.Cause{Rank: 1, Status: code(7), Known: true, Aborted: true,
			Message: "MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD with errorcode 7"}, 7, 7},
		{"Open MPI 5: MPI_Abort of another communicator", plan.OpenMPI, openMPI5Abort, exit.Cause{Rank: 2, Status: code(255), Known: true, Aborted: true,
			Message: "MPI_ABORT was invoked on rank 0 in communicator MPI COMMUNICATOR 3 SPLIT FROM 0 with errorcode -1"}, 255, 255},
		{"Open MPI: exit status", plan.OpenMPI, openMPIExit, rank(1, code(3)), 3, 3},
		{"Open MPI 5: exit status", plan.OpenMPI, "prterun detected that one or more processes exited with non-zero status, thus causing\n\n   Process name: [prterun-pc-77@1,12]\n   Exit code:    3",
			rank(12, code(3)), 3, 3},
		{"Open MPI: no MPI_Finalize", plan.OpenMPI, openMPIImproper, exit.Cause{Rank: 1}, 1, 1},
		{"Open MPI: fatal error", plan.OpenMPI, openMPIFatal, exit.Cause{Rank: 1, Aborted: true, Message: "An error occurred in MPI_Send: MPI_ERR_RANK: invalid rank"}, 6, 6},
		{"Open MPI 4: signal", plan.OpenMPI, "mpirun noticed that process rank 3 with PID 0 on node pc exited on signal 11 (Segmentation fault).", rank(3, signal(11)), 139, 139},
		{"Open MPI 4: signal without a name", plan.OpenMPI, "mpirun noticed that process rank 1 with PID 0 on node pc exited on signal 40.", rank(1, signal(40)), 168, 168},
		{"Open MPI 5: signal", plan.OpenMPI, "prterun noticed that process rank 12 with PID 77 on node pc exited on\nsignal 9 (Killed).", rank(12, signal(9)), 137, 137},
		{"Open MPI: tags", plan.OpenMPI, "[1,2]<stderr>:[vm:1] *** An error occurred in MPI_Send\n[1,2]<stderr>:[vm:1] *** reported by process [5,2]\n[1,2]<stderr>:[vm:1] *** MPI_ERRORS_ARE_FATAL (x",
			exit.Cause{Rank: 2, Aborted: true, Message: "An error occurred in MPI_Send"}, 6, 6},
		{"Open MPI: no program", plan.OpenMPI, "mpirun was unable to find the specified executable file", unsaid, 132, 132},
		{"Open MPI: words of a program", plan.OpenMPI, "signal 9 (Killed).\nit noticed signal 9\n  Exit code: 5\nwith errorcode 3.", unsaid, 137, 137},
		{"Open MPI: the first counts", plan.OpenMPI, "a noticed that process rank 1 with PID 2 on node b exited on signal 6 (Aborted).\na noticed that process rank 0 with PID 2 on node b exited on signal 9 (Killed).", rank(1, signal(6)), 134, 134},
		{"Open MPI: a number that is no rank", plan.OpenMPI, "a noticed that process rank 99999999999 with PID 2 on node b exited on signal 6 (Aborted).", rank(-1, signal(6)), 134, 134},
		{"MPICH: MPI_Abort", plan.MPICH, hydraAbort, exit.Cause{Rank: 1, Status: code(7), Known: true, Aborted: true, Message: "application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1"}, 7, 7},
		{"MPICH: MPI_Abort, the status is lost", plan.MPICH, hydraAbort, exit.Cause{Rank: 1, Status: code(7), Known: true, Aborted: true, Message: "application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1"}, 0, 7},
		{"MPICH: MPI_Abort, with tags", plan.MPICH, "[1] " + hydraAbort, exit.Cause{Rank: 1, Status: code(7), Known: true, Aborted: true, Message: "application called MPI_Abort(MPI_COMM_WORLD, 7) - process 1"}, 7, 7},
		{"MPICH 3: MPI_Abort", plan.MPICH, "application called MPI_Abort(MPI_COMM_WORLD, 7) - process 3", exit.Cause{Rank: 3, Status: code(7), Known: true, Aborted: true, Message: "application called MPI_Abort(MPI_COMM_WORLD, 7) - process 3"}, 7, 7},
		{"MPICH: fatal error", plan.MPICH, hydraFatal, exit.Cause{Rank: 2, Status: code(6), Known: true, Aborted: true, Message: "Fatal error in internal_Send: Invalid rank"}, 6, 6},
		{"Hydra: after exit(9)", plan.MPICH, "", unsaid, 9, 9},
		{"Hydra: signal 11", plan.MPICH, killed("11"), exit.Cause{Rank: -1, PID: 14674, Host: "vm", Status: signal(11), Known: true}, 11, 139},
		{"Hydra: signal 9, which may be its own", plan.MPICH, "x\n" + killed("9"), exit.Cause{Rank: -1, Host: "vm", Status: signal(9), Known: true}, 9, 137},
		{"Hydra: signal 9, and another status", plan.MPICH, killed("9"), exit.Cause{Rank: -1, Host: "vm", Status: signal(9), Known: true}, 3, 3},
		{"Hydra: the connection of a process has ended", plan.MPICH, killed("1"), exit.Cause{Rank: -1, PID: 14674, Host: "vm"}, 1, 1},
		{"Hydra: the last line alone", plan.MPICH, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)", rank(-1, signal(9)), 9, 137},
		{"Hydra of others", plan.MPICH, "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 3 PID 1234 RUNNING AT c1\n=   KILLED BY SIGNAL: 11 (Segmentation fault)", exit.Cause{Rank: -1, PID: 1234, Host: "c1", Status: signal(11), Known: true}, 139, 139},
		{"Hydra: a number that is no signal", plan.MPICH, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ? (signal 99999999999999999999)", unsaid, 9, 9},
		{"other launchers", plan.UnknownMPI, killed("9"), unsaid, 9, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := &CauseReport{}
			if read := report.Reader(test.mpi); read != nil {
				for _, line := range strings.Split(test.output, "\n") {
					read([]byte(line))
				}
			}
			if c := report.Cause(); c != test.cause {
				t.Errorf("cause %+v, expected %+v", c, test.cause)
			}
			if got := report.Explain(exit.Status{Code: test.status}); got != (exit.Status{Code: test.want}) {
				t.Errorf("%v, expected status %d", got, test.want)
			}
		})
	}
}
