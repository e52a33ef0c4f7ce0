package launch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/control"
)

// TestPlacesOf: processes come to the hosts of the request, unless these are those of the allocation of the run. Hosts of another
// job of Slurm are reached through that job.
func TestPlacesOf(t *testing.T) {
	slurm := func(job string) *control.Allocation {
		return &control.Allocation{System: "Slurm", Job: job, Hosts: []string{"n1", "n2"}}
	}
	hosts := []string{"n1", "n3"}
	for _, test := range []struct {
		name  string
		run   *control.Allocation
		q     control.Resize
		hosts string
		jobs  string // of Slurm of n1 and n3
	}{
		{"no hosts", slurm("7"), control.Resize{Allocation: slurm("8")}, "[]", " "},
		{"hosts without an allocation", nil, control.Resize{Hosts: hosts, Named: true}, "[n1 n3]", " "},
		{"hosts of another job", slurm("7"), control.Resize{Hosts: hosts, Allocation: slurm("8")}, "[n1 n3]", "8 "},
		{"hosts of a job, the run has none", nil, control.Resize{Hosts: hosts, Allocation: slurm("8")}, "[n1 n3]", "8 "},
		{"hosts of the job of the run", slurm("7"), control.Resize{Hosts: hosts, Allocation: slurm("7")}, "[]", " "},
		{"named hosts in the job of the run", slurm("7"), control.Resize{Hosts: hosts, Named: true, Allocation: slurm("7")}, "[n1 n3]", " "},
		{"hosts outside the other job", slurm("7"), control.Resize{Hosts: []string{"n3"}, Named: true, Allocation: slurm("8")}, "[n3]", " "},
		{"another system", slurm("7"), control.Resize{Hosts: hosts, Allocation: &control.Allocation{System: "PBS", Job: "7", Hosts: hosts}}, "[n1 n3]", " "},
	} {
		r := &runner{allocation: test.run}
		where := r.placesOf(&test.q)
		if got := fmt.Sprint(where.hosts); got != test.hosts {
			t.Errorf("%s: hosts %s, expected %s", test.name, got, test.hosts)
		}
		if got := where.slurmJob("n1") + " " + where.slurmJob("n3"); got != test.jobs {
			t.Errorf("%s: jobs %q, expected %q", test.name, got, test.jobs)
		}
	}
}

// TestAdditions: the channel of a request is closed with the last of its ranks.
func TestAdditions(t *testing.T) {
	var a additions
	isOver := func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	never := func(int) bool { return false }
	first, second := a.add([]int{2, 3}, never), a.add([]int{4, 5}, func(rank int) bool { return rank == 4 })
	a.ended(2)
	a.ended(5)
	if isOver(first) || !isOver(second) {
		t.Errorf("after ranks 2 and 5: %v, %v, expected only the second request to be over", isOver(first), isOver(second))
	}
	a.ended(3)
	if !isOver(first) || len(a.parts) != 0 {
		t.Errorf("after all ranks: %v, %d requests left", isOver(first), len(a.parts))
	}
	if !isOver(a.add([]int{6}, func(int) bool { return true })) {
		t.Error("the ranks of a request have ended before, and it is not over")
	}
}

// TestAddedProcesses: a launcher in an allocation adds a process to a run and waits for it. It gets the last message when the run ends, fails if the
// launcher of the run is killed, and the launcher of the run reports if it is killed itself.
func TestAddedProcesses(t *testing.T) {
	s := newFarSandbox(t)
	s.file("nodes", "far1\n")
	begin := func(t *testing.T) (run, adder *launcherRun) {
		s := *s
		s.t = t
		run = s.start("", "acprun", "-max", "3", "-np", "1", "-join", "network", "./member", "0:arrive", "await=10")
		run.await("awaits", 1)
		s.env = append(slices.Clone(s.env), "PBS_JOBID=7", "PBS_NODEFILE="+filepath.Join(s.dir, "nodes"))
		adder = s.start("", "acprun", "-to", strconv.Itoa(run.cmd.Process.Pid), "-np", "+1")
		run.await("awaits", 2)
		adder.awaitLine("acprun: rank 1: started\n")
		return run, adder
	}
	t.Run("the run ends", func(t *testing.T) {
		run, adder := begin(t)
		_ = run.cmd.Process.Signal(syscall.SIGTERM)
		<-adder.done
		if run.wait() != 143 || adder.status != 0 || strings.Contains(adder.err.String(), "lost") {
			t.Errorf("status %d of the launcher that waits, and %d of the run\n%v\n%v", adder.status, run.status, adder.err, run.err)
		}
	})
	t.Run("the launcher of the run is killed", func(t *testing.T) {
		run, adder := begin(t)
		run.kill(run.cmd.Process.Pid)
		<-adder.done
		want := fmt.Sprintf("acprun: connection to run %d lost: the other side has closed it\n", run.cmd.Process.Pid)
		if adder.status != 1 || !strings.Contains(adder.err.String(), want) {
			t.Errorf("status %d, %v; expected 1 and %s", adder.status, adder.err, want)
		}
		run.awaitNothing(time.Now())
	})
	t.Run("the launcher that waits is killed", func(t *testing.T) {
		run, adder := begin(t)
		adder.kill(adder.cmd.Process.Pid)
		const want = "acprun: the connection to the launcher that has added rank 1 is lost; the run goes on\n"
		for deadline := time.Now().Add(testLimit); !strings.Contains(run.err.String(), want); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%v; expected %s", run.err, want)
			}
		}
		_ = run.cmd.Process.Signal(syscall.SIGTERM)
		run.wait()
	})
}
