package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// threeModels are three jobs, of two MPIs and without MPI, that find each other by their names.
func threeModels(t *testing.T, flag string) []job {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	return []job{
		{openmpi.Mpirun, 2, suite.CMPI(t, "partners", openmpi) + flag + " ocean ice air #name=ocean"},
		{mpich.Mpirun, 3, suite.CMPI(t, "partners", mpich) + flag + " air ocean ice # name=air the third model"},
		{"acprun", 1, suite.C(t, "partners") + flag + " ice air ocean #name=ice"},
	}
}

// met checks that all processes of the three models have met.
func met(t *testing.T, output string) {
	t.Helper()
	lines(t, output, "process 0 of ocean", "process 1 of ocean", "process 0 of air", "process 1 of air", "process 2 of air", "process 0 of ice")
}

// TestPartnersByName swaps the jobs in the inputfile, and puts a job between the others.
func TestPartnersByName(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"", " -reset"} {
		list := threeModels(t, flag)
		for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {1, 2, 0}} {
			t.Run(fmt.Sprint(order, flag), func(t *testing.T) {
				met(t, suite.Sandbox(t).MustRead(jobs(list[order[0]], list[order[1]], list[order[2]]), "macprun", "-np", "6"))
			})
		}
	}
}

// TestPartnersAcrossHosts: names reach the processes of all launchers on other hosts.
func TestPartnersAcrossHosts(t *testing.T) {
	list := threeModels(t, "")
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
	met(t, sandbox.MustRead(jobs(list...), "macprun", "-nodefile", sandbox.Nodefile(0, 1, 1, 0, 1, 1)))
}

// TestPartnersInYAML: YAML and an option give the names and the order.
func TestPartnersInYAML(t *testing.T) {
	sandbox, program := suite.Sandbox(t), suite.C(t, "partners")
	var text strings.Builder
	text.WriteString("jobs:\n")
	for _, name := range []string{"b", "a"} {
		fmt.Fprintf(&text, "  - {name: %s, launcher: acprun, np: 2, command: [%s, %s, %s]}\n", name, program, name, map[string]string{"a": "b", "b": "a"}[name])
	}
	lines(t, sandbox.Must("macprun", sandbox.Write("jobs.yaml", text.String())),
		"process 0 of a", "process 1 of a", "process 0 of b", "process 1 of b")
}

// TestDefaultNames: jobs without names have the names of their programs, with numbers if several have the same.
// So has the only job of acprun and of an mpirun without macprun.
func TestDefaultNames(t *testing.T) {
	t.Parallel()
	program := suite.C(t, "partners")
	name := program[strings.LastIndexByte(program, '/')+1:]
	t.Run("macprun", func(t *testing.T) {
		out := suite.Sandbox(t).MustRead(jobs(job{"acprun", 1, program}, job{"acprun", 1, program + "#name=x"}, job{"acprun", 1, program}), "macprun")
		lines(t, out, "process 0 of "+name+"-1, job 0 of 3", "process 0 of x, job 1 of 3", "process 0 of "+name+"-2, job 2 of 3")
	})
	t.Run("acprun", func(t *testing.T) {
		lines(t, suite.Sandbox(t).Must("acprun", "-np", "2", program), "process 0 of "+name+", job 0 of 1", "process 1 of "+name+", job 0 of 1")
	})
	t.Run("alone", func(t *testing.T) {
		lines(t, suite.Sandbox(t).Must(program), "process 0 of "+name+", job 0 of 1")
	})
	for _, library := range []string{"openmpi", "mpich"} {
		t.Run(library, func(t *testing.T) {
			mpi := suite.NeedMPI(t, library)
			program := suite.CMPI(t, "partners", mpi)
			name := program[strings.LastIndexByte(program, '/')+1:]
			sandbox := suite.Sandbox(t)
			out := sandbox.Must(append(strings.Fields(sandbox.Mpirun(mpi)), "-np", "2", program)...)
			lines(t, out, "process 0 of "+name+", job 0 of 1", "process 1 of "+name+", job 0 of 1")
		})
	}
}

// oceanAndAir returns the program of partners for an MPI under two names, and a command with both.
func oceanAndAir(t *testing.T, mpi harness.MPI, others string) string {
	program, dir := suite.CMPI(t, "partners", mpi), t.TempDir()
	for _, name := range []string{"ocean", "air"} {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("-np 2 %s/ocean ocean air%s : -np 3 %s/air air ocean%s", dir, others, dir, others)
}

// TestProgramsOfOneLauncher: the programs of one launcher are jobs that find each other by name, in a run of the
// launcher alone and together with another job of macprun.
func TestProgramsOfOneLauncher(t *testing.T) {
	t.Parallel()
	for _, library := range []string{"openmpi", "mpich"} {
		mpi := suite.NeedMPI(t, library)
		t.Run(library, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			out := sandbox.Must(append(strings.Fields(sandbox.Mpirun(mpi)), strings.Fields(oceanAndAir(t, mpi, ""))...)...)
			lines(t, out, "process 0 of ocean", "process 1 of ocean", "process 0 of air", "process 1 of air", "process 2 of air")
		})
		t.Run(library+" in macprun", func(t *testing.T) {
			list := jobs(job{mpi.Mpirun, 5, oceanAndAir(t, mpi, " ice")}, job{"acprun", 1, suite.C(t, "partners") + " ice air ocean #name=ice"})
			met(t, suite.Sandbox(t).MustRead(list, "macprun", "-np", "6"))
		})
	}
}

// TestProgramsOnHosts: the processes of several programs of a launcher are on the hosts that the nodefile has for
// their ranks.
func TestProgramsOnHosts(t *testing.T) {
	for _, library := range []string{"openmpi", "mpich"} {
		t.Run(library, func(t *testing.T) {
			mpi := suite.NeedMPI(t, library)
			sandbox := suite.Sandbox(t)
			hosts := sandbox.Hosts(3)
			list := jobs(job{mpi.Mpirun, 5, `-np 2 /bin/sh -c 'echo ocean on $(hostname)' : -np 3 /bin/sh -c 'echo air on $(hostname)'`})
			out := sandbox.MustRead(list, "macprun", "-nodefile", sandbox.Nodefile(0, 1, 2, 2, 1))
			got := strings.Split(strings.TrimSpace(out), "\n")
			want := []string{"ocean on " + hosts[0].Name, "ocean on " + hosts[1].Name, "air on " + hosts[1].Name, "air on " + hosts[2].Name, "air on " + hosts[2].Name}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q, expected %q", got, want)
			}
		})
	}
}

// TestMessagesNamePrograms: macprun names a rank by the program that its launcher has started as that rank.
func TestMessagesNamePrograms(t *testing.T) {
	t.Parallel()
	for _, library := range []string{"openmpi", "mpich"} {
		t.Run(library, func(t *testing.T) {
			mpi := suite.NeedMPI(t, library)
			program, dir := suite.CMPI(t, "failing", mpi), t.TempDir()
			for _, name := range []string{"ocean", "air"} {
				if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			list := jobs(job{mpi.Mpirun, 4, fmt.Sprintf("-np 2 %s/ocean 3 signal : -np 2 %s/air 3 signal", dir, dir)})
			r := suite.Sandbox(t).Run(list, "macprun")
			if want := "macprun: rank 3 (job 0 air, "; r.Status != 137 || !strings.Contains(r.Stderr, want) {
				t.Errorf("expected status 137 and %q: %v", want, r)
			}
		})
	}
}
