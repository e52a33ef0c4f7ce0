package tests

import (
	"regexp"
	"slices"
	"testing"
)

// route is the output of macprun about pairs of ranks.
var route = regexp.MustCompile(`(?m)^macprun: (jobs? .*): \d+ pairs? of ranks: (\w+)`)

// TestRoutes runs jobs of both MPIs on two hosts and checks that macprun names the fabric of every pair of
// ranks, in mode auto: windows of MPI within a job between hosts if the option is set, shared memory within a
// host, and sockets for all other pairs.
func TestRoutes(t *testing.T) {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	for _, test := range []struct{ rdma, far, why string }{
		{"no", "tcp", "host host0 has ACP_RDMA=no"},
		{"yes", "rma", "job 0 has Open MPI "},
	} {
		t.Run(test.rdma, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			// UCX would treat processes on both hosts as processes of one host, and not use the
			// network.
			sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self")
			r := sandbox.Run(jobs(
				job{openmpi.Mpirun, 2, suite.CMPI(t, "allgather", openmpi)},
				job{mpich.Mpirun, 2, suite.CMPI(t, "allgather", mpich)},
			), "macprun", "-rdma", test.rdma, "-verbose", "-nodefile", sandbox.Nodefile(0, 1))
			if r.Status != 0 {
				t.Fatal(r)
			}
			var routes []string
			for _, m := range route.FindAllStringSubmatch(r.Stderr, -1) {
				routes = append(routes, m[1]+" "+m[2])
			}
			want := []string{"job 0 " + test.far, "jobs 0 and 1 shm", "jobs 0 and 1 tcp", "jobs 0 and 1 tcp", "job 1 " + test.far}
			if !slices.Equal(routes, want) {
				t.Errorf("routes %q, expected %q: %v", routes, want, r)
			}
			mustPrint(t, r, "tcp (not shm: the ranks are on different hosts, ", "not rma: "+test.why)
		})
	}
}
