package plan

import "testing"

func TestVersions(t *testing.T) {
	for text, want := range map[string]MPI{
		"mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n": {OpenMPI, "4.1.4"},
		"mpirun (Open MPI) 5.0.3\n": {OpenMPI, "5.0.3"},
		"HYDRA build details:\n    Version:                                 4.0.2\n    Release Date: x\n": {MPICH, "4.0.2"},
		"slurm 22.05.8\n":         {Family: AnyMPI},
		"launcher: no such thing": {},
		"":                        {},
	} {
		if got := ParseVersion(text); got != want {
			t.Errorf("parseVersion(%q) = %v; expected %v", text, got, want)
		}
	}
}
