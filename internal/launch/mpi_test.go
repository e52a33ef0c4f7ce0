package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/process"
)

// mpis are the MPI launchers that the tests look for.
var mpis = []string{"mpirun.openmpi", "mpirun.mpich"}

// needMPI skips a test if a launcher is not installed.
func needMPI(t *testing.T, launcher string) {
	t.Helper()
	if _, err := exec.LookPath(launcher); err != nil {
		t.Skipf("%s is not installed", launcher)
	}
}

// descendants returns the processes that a process has started, and those that they have started. A
// parent comes before its children.
func descendants(t *testing.T, parent int) []int {
	t.Helper()
	all, err := process.HostProc.Processes()
	if err != nil {
		t.Fatal(err)
	}
	family := []int{parent}
	for i := 0; i < len(family); i++ {
		for _, p := range all {
			if p.Parent == family[i] {
				family = append(family, p.PID)
			}
		}
	}
	return family[1:]
}

// childOf returns a descendant of a process by the name of its program.
func childOf(t *testing.T, parent int, program string) int {
	t.Helper()
	for _, pid := range descendants(t, parent) {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if name, _, _ := strings.Cut(string(line), "\x00"); err == nil && filepath.Base(name) == program {
			return pid
		}
	}
	t.Fatalf("process %d has no descendant %s", parent, program)
	return 0
}

// TestMPIJobs joins jobs of real MPI launchers and of acprun.
func TestMPIJobs(t *testing.T) {
	for _, mpi := range mpis {
		t.Run(mpi, func(t *testing.T) {
			needMPI(t, mpi)
			s := newSandbox(t)
			s.file("in", fmt.Sprintf("3\nacprun -smemsize 10240\n%s\n%s\n1\n2\n3\n./member join hello leave\n./member join hello leave\n./member join hello leave\n", mpi, mpi))
			p := s.start("", "macprun", "-np", "6", "-tag-output", "--verbose", "in")
			if status := p.wait(); status != 0 {
				t.Fatalf("status %d\n%v", status, p.err)
			}
			for rank := range p.ranks(6) {
				if want := fmt.Sprintf("[%d member-%d] rank %d of 6 ", rank, []int{1, 2, 2, 3, 3, 3}[rank], rank); !strings.Contains(p.out.String(), want) {
					t.Errorf("no line with %q in\n%v", want, p.out)
				}
			}
			for _, want := range []string{"all 6 ranks have joined", "exec " + mpi, "ranks 3-5"} {
				if !strings.Contains(p.err.String(), want) {
					t.Errorf("no %q in\n%v", want, p.err)
				}
			}
		})
	}
}

// anyOfJob is a line about any rank of the MPI job, or its launcher: Hydra kills the rest of a job with the
// same signal at once, so the first failure cannot always be determined.
var anyOfJob = regexp.MustCompile(`^macprun: (rank [12]|mpirun.mpich of job 1 member-2) \(?.*\) killed by signal 9 \(Killed\)$`)

// TestMPIFaults kills a rank of an MPI job, its launcher, or macprun itself while the other ranks wait in the
// library or outside of it.
func TestMPIFaults(t *testing.T) {
	for _, mpi := range mpis {
		for _, others := range []string{"wait", "hang"} {
			for _, victim := range []string{"rank", "launcher", "macprun"} {
				t.Run(strings.Join([]string{mpi, others, victim}, " "), func(t *testing.T) {
					needMPI(t, mpi)
					s := newSandbox(t)
					s.file("in", fmt.Sprintf("2\nacprun\n%s\n1\n2\n./member stubborn join hello %s\n./member join hello %s\n", mpi, others, others))
					p := s.start("", "macprun", "in")
					pids := p.ranks(3)
					pid, status, want := 0, 137, ""
					switch victim {
					case "rank":
						pid = pids[2]
						want = "macprun: rank 2 (job 1 member-2, host HOST, pid PID) killed by signal 9 (Killed)"
					case "launcher":
						pid = childOf(t, p.cmd.Process.Pid, mpi)
						want = "macprun: " + mpi + " of job 1 member-2 (ranks 1-2, host HOST, pid PID) killed by signal 9 (Killed)"
					case "macprun":
						pid = p.cmd.Process.Pid
					}
					begin := p.kill(pid)
					<-p.done
					p.awaitNothing(begin)
					t.Logf("all gone after %v", time.Since(begin))
					if p.status != status {
						t.Errorf("status %d; expected %d\n%v", p.status, status, p.err)
					}
					if want == "" {
						return
					}
					line := oneLine(t, p.err.String(), "macprun:")
					if mpi == "mpirun.mpich" && anyOfJob.MatchString(line) {
						return
					}
					if anonymous(line) != want || !strings.Contains(line, "pid "+strconv.Itoa(pid)+")") && victim == "rank" {
						t.Errorf("line %q; expected %q with pid %d", line, want, pid)
					}
				})
			}
		}
	}
}

// TestPlainMPIJobsEndTogether runs programs without ACP: one is killed, and the run must not wait for the
// other programs.
func TestPlainMPIJobsEndTogether(t *testing.T) {
	for _, mpi := range mpis {
		t.Run(mpi, func(t *testing.T) {
			needMPI(t, mpi)
			s := newSandbox(t)
			s.file("in", fmt.Sprintf("2\n%s\nacprun\n2\n1\n./member 1:kill=9 hang\n./member hang\n", mpi))
			p := s.start("", "macprun", "in")
			if status := p.wait(); status != 137 {
				t.Errorf("status %d; expected 137", status)
			}
			const want = "macprun: rank 1 (job 0 member-1) killed by signal 9 (Killed)"
			// Hydra does not report the rank, and the process may end before macprun has found it.
			unseen := "macprun: a process of " + mpi + " of job 0 member-1 (ranks 0-1, host HOST, pid PID) was killed by signal 9 (Killed)"
			if line := anonymous(oneLine(t, p.err.String(), "macprun:")); line != want && (mpi != "mpirun.mpich" || line != unseen) {
				t.Errorf("line %q; expected %q", line, want)
			}
		})
	}
}

// TestMPILauncherFails names a program that is not there. mpirun of Open MPI then ends
// with a status above 128, which is no signal.
func TestMPILauncherFails(t *testing.T) {
	for _, mpi := range mpis {
		t.Run(mpi, func(t *testing.T) {
			needMPI(t, mpi)
			s := newSandbox(t)
			s.file("in", fmt.Sprintf("1\n%s\n2\n./missing\n", mpi))
			p := s.start("", "macprun", "in")
			status := p.wait()
			if text := p.err.String() + p.out.String(); status == 0 || strings.Contains(text, "killed by") || !strings.Contains(text, "missing") {
				t.Errorf("status %d\n%s", status, text)
			}
		})
	}
}
