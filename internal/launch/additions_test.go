package launch

import (
	"fmt"
	"testing"

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
	if !isOver(first) || len(a) != 0 {
		t.Errorf("after all ranks: %v, %d requests left", isOver(first), len(a))
	}
	if !isOver(a.add([]int{6}, func(int) bool { return true })) {
		t.Error("the ranks of a request have ended before, and it is not over")
	}
}
