package mpilauncher

import (
	"testing"

	"github.com/goacp/goacp/internal/launch/plan"
)

func TestJobTags(t *testing.T) {
	for _, test := range []struct {
		mpi        plan.MPI
		line, want string
	}{
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "[1,2]<stdout>:text", "[12 ocean] text"},
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "[37501,0]<stderr>: [1] x", "[10 ocean] [1] x"},
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "mpirun noticed", "[job 4 ocean] mpirun noticed"},
		{plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}, "[1,3]<stdout>:no such rank", "[job 4 ocean] [1,3]<stdout>:no such rank"},
		{plan.MPI{Family: plan.MPICH, Version: "4.0.2"}, "[1] text", "[11 ocean] text"},
		{plan.MPI{Family: plan.MPICH, Version: "4.0.2"}, "[99999999999999999999] text", "[job 4 ocean] [99999999999999999999] text"},
		{plan.MPI{}, "[1] text", "[job 4 ocean] [1] text"},
	} {
		tag := JobTag(&plan.Job{Number: 4, Name: "ocean", InRun: plan.Origin{Job: 4, Rank: 10}, Size: 3, MPI: test.mpi})
		prefix, rest := tag([]byte(test.line))
		if got := prefix + string(rest); got != test.want {
			t.Errorf("%v: %q becomes %q; expected %q", test.mpi, test.line, got, test.want)
		}
	}
}
