package launch

import (
	"testing"

	"github.com/goacp/goacp/bridge"
)

func TestWhoNeedsANameServer(t *testing.T) {
	four, five, hydra := Flavour{OpenMPI, "4.1.4"}, Flavour{OpenMPI, "5.0.3"}, Flavour{MPICH, "4.0.2"}
	for _, c := range []struct {
		name string
		jobs []Job
		want string
	}{
		{"two jobs", []Job{{MPI: four, Windows: true}, {MPI: four, Windows: true}}, "0 and 1"},
		{"three of four", []Job{{MPI: four, Windows: true}, {MPI: hydra, Windows: true}, {MPI: four, Windows: true}, {MPI: four, Windows: true}}, "0, 2 and 3"},
		{"one job", []Job{{MPI: four, Windows: true}}, ""},
		{"no windows", []Job{{MPI: four}, {MPI: four}}, ""},
		{"different releases", []Job{{MPI: four, Windows: true}, {MPI: Flavour{OpenMPI, "4.1.5"}, Windows: true}}, ""},
		{"Open MPI 5", []Job{{MPI: five, Windows: true}, {MPI: five, Windows: true}}, ""},
		{"MPICH", []Job{{MPI: hydra, Windows: true}, {MPI: hydra, Windows: true}}, ""},
		{"acprun", []Job{{Acprun: true, Windows: true}, {Acprun: true, Windows: true}}, ""},
	} {
		for i := range c.jobs {
			c.jobs[i].Number = i
		}
		jobs, needed := (&Plan{Jobs: c.jobs}).needsServer()
		if got := numberList(jobs); got != c.want || needed != (c.want != "") {
			t.Errorf("%s: jobs %q, needed: %v; expected %q", c.name, got, needed, c.want)
		}
	}
}

func TestWindows(t *testing.T) {
	for _, c := range []struct {
		env, environ []string
		asked, rdma  bool
		want         bool
	}{
		{nil, nil, false, false, false},
		{nil, nil, true, false, true},
		{nil, nil, false, true, true},
		{[]string{"ACP_NET=shm"}, nil, true, true, false},
		{[]string{"ACP_NET=rma"}, nil, false, false, true},
		{nil, []string{"ACP_NET=ib"}, false, false, true},
		{[]string{"ACP_NET=tcp"}, []string{"ACP_NET=rma"}, true, true, false},
		{[]string{"ACP_NET=nonsense"}, nil, false, false, false},
	} {
		if got := usesWindows(netMode(c.env, c.environ), c.asked, c.rdma); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestOwnNameServer(t *testing.T) {
	for line, want := range map[string]bool{
		"exec mpirun -np 2 ./a":                                       false,
		"exec mpirun --ompi-server file:uri -np 2 ./a":                true,
		"exec mpirun -ompi-server file:uri -np 2 ./a":                 true,
		"exec mpirun --mca pmix_server_uri file:uri -np 2 ./a":        true,
		"exec mpirun --mca pmix_server_max_wait 3 -np 2 ./a --server": false,
	} {
		r := &runner{plan: &Plan{Jobs: []Job{{Line: line}}}}
		if got := r.ownNameServer([]int{0}); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	r := &runner{plan: &Plan{Jobs: []Job{{Env: []string{envNameServer + "=x"}}, {}}}}
	if !r.ownNameServer([]int{0, 1}) {
		t.Error("a name server in the environment of a job was not seen")
	}
}

func TestUniversesAreDescribed(t *testing.T) {
	if lines := describeUniverses(membersOn(t, bridge.ModeAuto, []int{1}, []int{2})); lines != nil {
		t.Errorf("nobody needs a universe, but %q", lines)
	}
}
