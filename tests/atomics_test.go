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

// job returns the job with so many ranks, which count on integers of rank 0.
func (s side) job(t *testing.T, np int) job {
	t.Helper()
	const arguments = " 500 acp"
	if s.mpi == "" {
		return job{"acprun", np, "env ACP_NET=" + s.net + " " + suite.C(t, "counter") + arguments}
	}
	mpi := suite.NeedMPI(t, s.mpi)
	return job{mpi.Mpirun, np, "env ACP_NET=" + s.net + " " + suite.CMPI(t, "counter", mpi) + arguments}
}

// unconnected reports whether no network connects two jobs on one host: one insists on windows
// of MPI, the other does not object, and they do not have the same MPI.
func unconnected(a, b side) bool {
	windows := a.net == "rma" && (b.net == "rma" || b.net == "auto") || b.net == "rma" && a.net == "auto"
	return windows && a.mpi != b.mpi
}

// TestAtomicsOfAllNetworks counts on the memory of one job from that job and from another,
// for networks of both. Whatever carries out the atomics, none may get lost; where there is
// no network for a pair of ranks, the run has to say so before it counts.
func TestAtomicsOfAllNetworks(t *testing.T) {
	sides := []side{
		{"openmpi", "rma"}, {"openmpi", "tcp"}, {"openmpi", "shm"}, {"openmpi", "auto"},
		{"mpich", "rma"}, {"", "tcp"}, {"", "shm"}, {"", "auto"},
	}
	for _, owner := range sides {
		for _, other := range sides {
			if owner.net != "rma" && other.net != "rma" || owner.mpi == "mpich" && other.mpi == "mpich" {
				continue // the first of which other tests do, while jobs of MPICH are not joined
			}
			t.Run(owner.String()+"+"+other.String(), func(t *testing.T) {
				r := suite.Place(t).Run(jobs(owner.job(t, 2), other.job(t, 2)), "macprun")
				exactOrRefused(t, r, unconnected(owner, other))
			})
		}
	}
}

// TestAtomicsOfTwoUniverses has jobs with windows of both MPIs, and ranks outside.
func TestAtomicsOfTwoUniverses(t *testing.T) {
	openmpi, mpich, outside := side{"openmpi", "rma"}, side{"mpich", "rma"}, side{"", "tcp"}
	for _, list := range [][]side{{openmpi, outside, openmpi}, {outside, openmpi, openmpi}} {
		var all []job
		for _, s := range list {
			all = append(all, s.job(t, 1))
		}
		exactOrRefused(t, suite.Place(t).Run(jobs(all...), "macprun"), false)
	}
	r := suite.Place(t).Run(jobs(openmpi.job(t, 1), outside.job(t, 1), mpich.job(t, 1)), "macprun")
	exactOrRefused(t, r, true)
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
