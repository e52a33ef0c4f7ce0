package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindDVMs(t *testing.T) {
	five, other, four := MPI{OpenMPI, "5.0.3"}, MPI{OpenMPI, "5.0.7"}, MPI{OpenMPI, "4.1.4"}
	job := func(mpi MPI, line string) Job { return Job{MPI: mpi, Line: line, Windows: true} }
	for _, c := range []struct {
		name string
		jobs []Job
		want string
	}{
		{"two jobs", []Job{job(five, "mpirun ./a"), job(five, "mpirun ./a")}, "[[0 1]]"},
		{"one job", []Job{job(five, "mpirun ./a")}, "[]"},
		{"no windows", []Job{{MPI: five}, {MPI: five}}, "[]"},
		{"Open MPI 4", []Job{job(four, "mpirun ./a"), job(four, "mpirun ./a")}, "[]"},
		{"two releases", []Job{job(five, "mpirun ./a"), job(other, "mpirun ./a"), job(other, "mpirun ./a"), job(five, "mpirun ./a"), job(four, "mpirun ./a")}, "[[0 3] [1 2]]"},
		{"one names another DVM", []Job{job(five, "mpirun --dvm file:x ./a"), job(five, "mpirun ./a"), job(five, "mpirun ./a")}, "[[1 2]]"},
		{"all but one are", []Job{job(five, "mpirun -dvm-uri x ./a"), job(five, "mpirun ./dvm")}, "[]"},
	} {
		for i := range c.jobs {
			c.jobs[i].Number = i
		}
		if got := fmt.Sprint((&Plan{Jobs: c.jobs}).findDVMs()); got != c.want {
			t.Errorf("%s: %s; expected %s", c.name, got, c.want)
		}
	}
}

func TestBeneathDVM(t *testing.T) {
	for line, want := range map[string]string{
		"mpirun": "",
		"OMP_NUM_THREADS=4 A='x y' mpirun -x B=1":    " OMP_NUM_THREADS A",
		". ./env.sh; export A=1 B=2; C=3 mpirun --x": " A B C",
	} {
		if got, want := strings.Join(dvmVariables(line), " "), "PATH LD_LIBRARY_PATH"+want; got != want {
			t.Errorf("%s: %s; expected %s", line, got, want)
		}
	}
}
