package tests

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// side is a job of TestAtomicsOfAllNetworks: its MPI, if it has one, and its network.
type side struct{ mpi, net string }

func (s side) String() string {
	if s.mpi == "" {
		return "acp-" + s.net
	}
	return s.mpi + "-" + s.net
}

// job returns the job with procs ranks, which count on integers of rank 0.
func (s side) job(t *testing.T, np int) job {
	t.Helper()
	const arguments = " 500 acp"
	if s.mpi == "" {
		return job{"acprun", np, "env ACP_NET=" + s.net + " " + suite.C(t, "counter") + arguments}
	}
	mpi := suite.NeedMPI(t, s.mpi)
	return job{mpi.Mpirun, np, "env ACP_NET=" + s.net + " " + suite.CMPI(t, "counter", mpi) + arguments}
}

// unconnected reports whether no network connects two jobs on one host: one job requires windows of
// MPI, the other permits them, and they do not have the same MPI.
func unconnected(a, b side) bool {
	windows := a.net == "rma" && (b.net == "rma" || b.net == "auto") || b.net == "rma" && a.net == "auto"
	return windows && a.mpi != b.mpi
}

// TestAtomicsOfAllNetworks counts on the memory of one job from that job and from another, for
// networks of both. No atomic may get lost, on either side. If a pair of ranks has no network, the run
// must report this before it counts.
func TestAtomicsOfAllNetworks(t *testing.T) {
	t.Parallel()
	sides := []side{
		{"openmpi", "rma"}, {"openmpi", "tcp"}, {"openmpi", "shm"}, {"openmpi", "auto"},
		{"mpich", "rma"}, {"", "tcp"}, {"", "shm"}, {"", "auto"},
	}
	for _, owner := range sides {
		for _, other := range sides {
			if owner.net != "rma" && other.net != "rma" || owner.mpi == "mpich" && other.mpi == "mpich" {
				continue // other tests do the first; jobs of MPICH are not joined
			}
			t.Run(owner.String()+"+"+other.String(), func(t *testing.T) {
				t.Parallel()
				exactOrRefused(t, count(t, []int{2, 2}, owner, other), unconnected(owner, other))
			})
		}
	}
}

// TestAtomicsOfThreeJobs has ranks outside of a universe of two jobs, before, between and after them,
// and jobs of two MPIs that no network connects.
func TestAtomicsOfThreeJobs(t *testing.T) {
	t.Parallel()
	openmpi, mpich, outside := side{"openmpi", "rma"}, side{"mpich", "rma"}, side{"", "tcp"}
	for _, list := range [][]side{{openmpi, openmpi, outside}, {openmpi, outside, openmpi}, {outside, openmpi, openmpi}} {
		exactOrRefused(t, count(t, []int{1, 1, 1}, list...), false)
	}
	exactOrRefused(t, count(t, []int{1, 1, 1}, openmpi, outside, mpich), true)
}

// count runs jobs with these numbers of ranks. The network in the command of a job overrides the
// option of macprun. Because of the option, macprun prepares the jobs of Open MPI for joining.
func count(t *testing.T, sizes []int, sides ...side) *harness.Result {
	t.Helper()
	var all []job
	for i, s := range sides {
		all = append(all, s.job(t, sizes[i]))
	}
	return suite.Sandbox(t).Run(jobs(all...), "macprun", "-net", "rma")
}

func exactOrRefused(t *testing.T, r *harness.Result, refused bool) {
	t.Helper()
	if !refused {
		if r.Status != 0 {
			t.Error(r)
		}
		return
	}
	if r.Status == 0 || !strings.Contains(r.Stderr, "network rma cannot connect rank") || !strings.Contains(r.Stderr, "-net tcp") {
		t.Errorf("not refused as expected: %v", r)
	}
}
