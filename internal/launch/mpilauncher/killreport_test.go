package mpilauncher

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

func TestKillReport(t *testing.T) {
	const hydra = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)"
	for _, test := range []struct {
		name   string
		mpi    plan.Family
		output string
		status int // of the launcher
		killed int
		want   int
	}{
		{"Hydra after exit(9)", plan.MPICH, "", 9, 0, 9},
		{"Hydra after signal 9", plan.MPICH, "x\n" + hydra, 9, 9, 137},
		{"Hydra with another status", plan.MPICH, hydra, 3, 9, 3},
		{"Open MPI 4", plan.OpenMPI, "mpirun noticed that process rank 1 with PID 0 on node pc exited on signal 11 (Segmentation fault).", 139, 11, 139},
		{"Open MPI 4 without a name", plan.OpenMPI, "mpirun noticed that process rank 1 with PID 0 on node pc exited on signal 40.", 168, 40, 168},
		{"Open MPI 5", plan.OpenMPI, "prterun noticed that process rank 1 with PID 77 on node pc exited on\nsignal 9 (Killed).", 137, 9, 137},
		{"Open MPI without a program", plan.OpenMPI, "mpirun was unable to find the specified executable file", 132, 0, 132},
		{"words of a program", plan.OpenMPI, "signal 9 (Killed).\nit noticed signal 9", 137, 0, 137},
		{"the first counts", plan.OpenMPI, "a noticed that process rank 1 with PID 2 on node b exited on signal 6 (Aborted).\na noticed that process rank 0 with PID 2 on node b exited on signal 9 (Killed).", 134, 6, 134},
		{"a number that is none", plan.MPICH, "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ? (signal 99999999999999999999)", 9, 0, 9},
		{"other launchers", plan.UnknownMPI, hydra, 9, 0, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &KillReport{}
			if read := w.Reader(test.mpi); read != nil {
				for _, line := range strings.Split(test.output, "\n") {
					read([]byte(line))
				}
			}
			if got := w.Explain(exit.Status{Code: test.status}); w.Signal() != test.killed || got != (exit.Status{Code: test.want}) {
				t.Errorf("signal %d and %v; expected %d and status %d", w.Signal(), got, test.killed, test.want)
			}
		})
	}
}

// TestFirstKilled reads which process the launcher says was killed first.
func TestFirstKilled(t *testing.T) {
	for _, test := range []struct {
		name, output string
		mpi          plan.Family
		rank         int
	}{
		{"Open MPI 4", "mpirun noticed that process rank 3 with PID 0 on node pc exited on signal 9 (Killed).", plan.OpenMPI, 3},
		{"Open MPI 5", "prterun noticed that process rank 12 with PID 77 on node pc exited on\nsignal 9 (Killed).", plan.OpenMPI, 12},
		{"the first counts", "a noticed that process rank 1 with PID 2 on node b exited on signal 6 (Aborted).\na noticed that process rank 0 with PID 2 on node b exited on signal 9 (Killed).", plan.OpenMPI, 1},
		{"no rank", "mpirun was unable to find the specified executable file", plan.OpenMPI, -1},
		{"a number that is none", "a noticed that process rank 99999999999 with PID 2 on node b exited on signal 6 (Aborted).", plan.OpenMPI, -1},
		{"Hydra", "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)", plan.MPICH, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &KillReport{}
			read := w.Reader(test.mpi)
			for _, line := range strings.Split(test.output, "\n") {
				read([]byte(line))
			}
			if w.JobRank() != test.rank {
				t.Errorf("rank %d, expected %d", w.JobRank(), test.rank)
			}
		})
	}
}
