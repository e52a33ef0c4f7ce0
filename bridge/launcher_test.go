package bridge

import (
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/pmi/pmitest"
)

func TestMPILaunchers(t *testing.T) {
	ompi := []string{"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=3", "PMIX_RANK=2", "PMIX_NAMESPACE=x"}
	hydra := []string{"PMI_RANK=1", "PMI_SIZE=4", "PMI_FD=6"}
	for _, test := range []struct {
		name    string
		vars    []string
		want    []MPILauncher
		library string
		rank    int  // of the process in its job
		wrong   bool // the launcher of another MPI
	}{
		{"nothing", nil, nil, "Open MPI", -1, false},
		{"Open MPI", ompi, []MPILauncher{{"Open MPI", 2, 3}}, "Open MPI", 2, false},
		{"Open MPI without MPI", ompi, []MPILauncher{{"Open MPI", 2, 3}}, "", 2, true},
		{"Open MPI for MPICH", ompi, []MPILauncher{{"Open MPI", 2, 3}}, "MPICH", -1, true},
		{"MPICH", hydra, []MPILauncher{{"MPICH", 1, 4}}, "MPICH", 1, false},
		{"MPICH for Open MPI", hydra, []MPILauncher{{"MPICH", 1, 4}}, "Open MPI", -1, true},
		{"Open MPI has started MPICH", append(hydra, ompi...), []MPILauncher{{"Open MPI", 2, 3}, {"MPICH", 1, 4}}, "MPICH", 1, false},
		{"MPICH has started Open MPI", append(hydra, ompi...), []MPILauncher{{"Open MPI", 2, 3}, {"MPICH", 1, 4}}, "Open MPI", 2, false},
		{"one process of another MPI", []string{"PMI_RANK=0", "PMI_SIZE=1"}, []MPILauncher{{"MPICH", 0, 1}}, "Open MPI", -1, false},
		{"PMIx", []string{"PMIX_RANK=5"}, []MPILauncher{{"PMIx", 5, -1}}, "MPICH", 5, false},
		{"Slurm step", []string{"SLURM_PROCID=7", "SLURM_STEP_NUM_TASKS=8"}, []MPILauncher{{"Slurm", 7, 8}}, "Open MPI", 7, false},
		{"Slurm batch script", []string{"SLURM_PROCID=0", "SLURM_NTASKS=8"}, nil, "Open MPI", -1, false},
		{"mpirun in a Slurm step", append([]string{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=2"}, hydra...), []MPILauncher{{"MPICH", 1, 4}}, "MPICH", 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, err := MPILaunchers(environ(test.vars...))
			if err != nil || !reflect.DeepEqual(found, test.want) {
				t.Fatalf("found %+v, %v", found, err)
			}
			if rank := jobRank(test.library, found); rank != test.rank {
				t.Errorf("rank %d in the job, expected %d", rank, test.rank)
			}
			err = checkLauncher(test.library, found)
			if (err != nil) != test.wrong {
				t.Errorf("linked with %q: %v", test.library, err)
			}
			if err != nil && !(strings.Contains(err.Error(), test.library) && strings.Contains(err.Error(), found[0].Name)) {
				t.Errorf("does not name both: %v", err)
			}
		})
	}
}

func TestMPILaunchersMalformed(t *testing.T) {
	for _, vars := range [][]string{
		{"PMI_RANK=first"}, {"PMI_RANK=-1"}, {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=two"},
		{"PMI_RANK=3", "PMI_SIZE=3"},
	} {
		_, err := MPILaunchers(environ(vars...))
		name, _, _ := strings.Cut(vars[len(vars)-1], "=")
		if err == nil || !strings.Contains(err.Error(), name+"=") {
			t.Errorf("%v: %v", vars, err)
		}
	}
}

func TestPlaceInJob(t *testing.T) {
	mpich := []MPILauncher{{"MPICH", 1, 4}}
	for _, test := range []struct {
		name    string
		given   int // by acprun
		library string
		found   []MPILauncher
		want    int
		wrong   bool
	}{
		{"given by acprun", 3, "Open MPI", mpich, 3, false},
		{"given by its MPI", -1, "MPICH", mpich, 1, false},
		{"given by any mpirun", -1, "", mpich, 1, false},
		{"given by another MPI", -1, "Open MPI", mpich, -1, true},
		{"not given", -1, "Open MPI", nil, -1, false},
	} {
		got, err := placeInJob(Env{JobRank: test.given}, test.library, test.found)
		if got != test.want || (err != nil) != test.wrong {
			t.Errorf("%s: %d, %v", test.name, got, err)
		}
	}
}

// TestHostedBy: the socket of PMI takes precedence over variables of PMIx, and a process that is alone needs
// neither.
func TestHostedBy(t *testing.T) {
	pmix := []string{"PMIX_NAMESPACE=x", "PMIX_RANK=2", "PMIX_SERVER_URI2=x.0;tcp4://127.0.0.1:1"}
	pmi := pmitest.New(3).Connect(t, 1)
	for _, test := range []struct {
		name   string
		getenv func(string) string
		want   string
	}{
		{"nothing", environ(), ""},
		{"srun --mpi=pmix", environ(append(pmix, "SLURM_PROCID=2", "SLURM_STEP_NUM_TASKS=3")...), protocolPMIx},
		{"mpirun of Open MPI", environ(append(pmix, "OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=3")...), protocolPMIx},
		{"a launcher that does not tell the size", environ(pmix...), protocolPMIx},
		{"one process", environ(append(pmix[:1:1], pmix[2], "PMIX_RANK=0", "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1")...), ""},
		{"Open MPI without a server", environ("OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=3"), ""},
		{"mpiexec of MPICH", pmi, protocolPMI},
		{"mpiexec below mpirun", func(name string) string { return pmi(name) + environ(pmix...)(name) }, protocolPMI},
	} {
		found, err := MPILaunchers(test.getenv)
		if err != nil {
			t.Fatal(err)
		}
		if got := hostedBy(test.getenv, found); got != test.want {
			t.Errorf("%s: %q, expected %q", test.name, got, test.want)
		}
	}
}
