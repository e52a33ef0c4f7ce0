package plan

import "testing"

func TestWhoNeedsANameServer(t *testing.T) {
	four, five, hydra := MPI{OpenMPI, "4.1.4"}, MPI{OpenMPI, "5.0.3"}, MPI{MPICH, "4.0.2"}
	for _, c := range []struct {
		name string
		jobs []Job
		want string
	}{
		{"two jobs", []Job{{MPI: four, Windows: true}, {MPI: four, Windows: true}}, "0 and 1"},
		{"three of four", []Job{{MPI: four, Windows: true}, {MPI: hydra, Windows: true}, {MPI: four, Windows: true}, {MPI: four, Windows: true}}, "0, 2 and 3"},
		{"one job", []Job{{MPI: four, Windows: true}}, ""},
		{"no windows", []Job{{MPI: four}, {MPI: four}}, ""},
		{"different releases", []Job{{MPI: four, Windows: true}, {MPI: MPI{OpenMPI, "4.1.5"}, Windows: true}}, ""},
		{"Open MPI 5", []Job{{MPI: five, Windows: true}, {MPI: five, Windows: true}}, ""},
		{"MPICH", []Job{{MPI: hydra, Windows: true}, {MPI: hydra, Windows: true}}, ""},
		{"acprun", []Job{{Acprun: true, Windows: true}, {Acprun: true, Windows: true}}, ""},
	} {
		for i := range c.jobs {
			c.jobs[i].Number = i
		}
		jobs, needed := (&Plan{Jobs: c.jobs}).NeedsNameServer()
		if got := List(jobs); got != c.want || needed != (c.want != "") {
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
