package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sources of the Fortran programs, without .f90.
var (
	fortranHello      = []string{"examples/mixed/hello", "examples/mixed/hello_world_acp"}
	fortranMixed      = []string{"examples/mixed/hello", "examples/mixed/hello_world_macp"}
	fortranAtmosphere = []string{"examples/mixed/coupled/heat", "examples/mixed/coupled/halo", "examples/mixed/coupled/atmosphere"}
)

// TestFortran runs a program in Fortran alone, on one host and on two.
func TestFortran(t *testing.T) {
	program := suite.Fortran(t, fortranHello...)
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			greetings(t, suite.Sandbox(t).Must("acprun", "-np", "4", "-net", net, program), 4)
		})
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		greetings(t, sandbox.Must("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 0, 1), program), 3)
	})
}

// TestFortranExample runs the ocean and the air in Fortran on different grids, with other numbers of ranks, too.
func TestFortranExample(t *testing.T) {
	text, err := os.ReadFile(suite.Source("examples", "fortran", "coupled.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	program := func(name string) string {
		return suite.Fortran(t, "examples/fortran/grids", "examples/fortran/"+name)
	}
	commands := []string{"./ocean", program("ocean"), "./air", program("air")}
	for _, net := range []string{"shm", "tcp"} {
		for _, ranks := range [][]string{nil, {"np: 3", "np: 5"}, {"np: 2", "np: 1"}} {
			t.Run(fmt.Sprint(net, ranks), func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				description := strings.NewReplacer(append(ranks, commands...)...).Replace(string(text))
				lines(t, sandbox.Must("macprun", "-net", net, sandbox.Write("coupled.yaml", description)),
					`200 steps, heat 20\.000 before and 20\.000 after$`)
			})
		}
	}
}

// TestFortranWithMPI joins programs in C, in Go and in Fortran, of both MPIs and without MPI, to one
// run.
func TestFortranWithMPI(t *testing.T) {
	t.Parallel()
	plain := suite.Fortran(t, fortranHello...)
	inC, inGo := suite.Example(t, "hello_world_acp"), suite.GoExample(t, "hello_acp")
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			mixed := suite.FortranMPI(t, mpi, fortranMixed...)
			out := suite.Sandbox(t).MustRead(jobs(job{"acprun", 1, inGo}, job{mpi.Mpirun, 2, mixed}, job{"acprun", 1, inC},
				job{mpi.Mpirun, 1, suite.ExampleMPI(t, "hello_world_macp", mpi)}, job{"acprun", 1, plain}), "macprun")
			greetings(t, out, 6)
		})
	}
	t.Run("both", func(t *testing.T) {
		openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
		out := suite.Sandbox(t).MustRead(jobs(job{openmpi.Mpirun, 2, suite.FortranMPI(t, openmpi, fortranMixed...)},
			job{mpich.Mpirun, 2, suite.FortranMPI(t, mpich, fortranMixed...)}, job{"acprun", 1, inGo}), "macprun")
		greetings(t, out, 5)
	})
}

// TestFortranFormsOfMPI compiles programs that get MPI in each of its forms, the oldest in fixed form, and
// runs them.
func TestFortranFormsOfMPI(t *testing.T) {
	t.Parallel()
	suite.NeedFortran(t)
	begins := map[string]string{
		"f08.f90": "use mpi_f08\nuse acp\nimplicit none\n",
		"f90.f90": "use mpi\nuse acp\nimplicit none\n",
		"f77.f":   "      use acp\n      implicit none\n      include 'mpif.h'\n",
	}
	const rest = `      integer :: rank
      call MPI_Init(rank)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank)
      if (acp_init() /= 0) error stop
      print '(a, i0, a, i0)', 'MPI ', rank, ', ACP ', acp_rank()
      if (acp_finalize() /= 0) error stop
      call MPI_Finalize(rank)
      end
`
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi, sandbox := suite.NeedMPI(t, name), suite.Sandbox(t)
			for file, begin := range begins {
				calls := rest
				if file != "f08.f90" { // only this one has optional arguments
					calls = strings.Replace(rest, "rank)\n      if", "rank, ierr)\n      if", 1)
					calls = strings.Replace(calls, ":: rank", ":: rank, ierr", 1)
				}
				program := filepath.Join(sandbox.Dir, file+".exe")
				sandbox.Must("macpfc", "-mpi", mpi.Name, sandbox.Write(file, begin+calls), "-o", program)
				lines(t, sandbox.MustRead(jobs(job{mpi.Mpirun, 2, program}), "macprun"), "MPI 0, ACP 0$", "MPI 1, ACP 1$")
			}
		})
	}
}

// TestFortranCoupled couples the atmosphere in Fortran, under each MPI, with the ocean in C under the other
// MPI, and with the watcher in Go. Each model compares its result with a serial run.
func TestFortranCoupled(t *testing.T) {
	t.Parallel()
	watcher := suite.GoExample(t, "coupled/watcher")
	for name, other := range map[string]string{"openmpi": "mpich", "mpich": "openmpi"} {
		t.Run(name, func(t *testing.T) {
			mpi, others := suite.NeedMPI(t, name), suite.NeedMPI(t, other)
			air, ocean := suite.FortranMPI(t, mpi, fortranAtmosphere...), suite.ExampleMPI(t, "coupled/ocean", others)
			out := suite.Sandbox(t).MustRead(jobs(job{others.Mpirun, 2, ocean}, job{mpi.Mpirun, 2, air}, job{"acprun", 1, watcher}), "macprun")
			compared(t, out, 4)
		})
	}
}

// TestFortranShared links a program with the shared library, and in two steps.
func TestFortranShared(t *testing.T) {
	suite.Fortran(t, fortranHello...) // skips if there is no Fortran
	sandbox := suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "ACP_LINK=shared")
	var objects []string
	for _, source := range fortranHello {
		object := filepath.Join(sandbox.Dir, filepath.Base(source)+".o")
		sandbox.Must("acpfc", "-J", sandbox.Dir, "-c", suite.Source(source+".f90"), "-o", object)
		objects = append(objects, object)
	}
	program := filepath.Join(sandbox.Dir, "hello")
	sandbox.Must(append(append([]string{"acpfc"}, objects...), "-o", program)...)
	greetings(t, sandbox.Must("acprun", "-np", "3", program), 3)
}

// TestFortranFixedForm compiles a program in the older form of the language.
func TestFortranFixedForm(t *testing.T) {
	suite.NeedFortran(t)
	sandbox := suite.Sandbox(t)
	source := sandbox.Write("old.f", `      PROGRAM OLD
      USE ACP
      IMPLICIT NONE
      IF (ACP_INIT() .NE. 0) STOP 1
      PRINT '(A, I0, A, I0)', 'RANK ', ACP_RANK(), ' OF ',
     &      ACP_PROCS()
      IF (ACP_FINALIZE() .NE. 0) STOP 1
      END
`)
	program := filepath.Join(sandbox.Dir, "old")
	sandbox.Must("acpfc", source, "-o", program)
	lines(t, sandbox.Must("acprun", "-np", "2", program), "RANK 0 OF 2$", "RANK 1 OF 2$")
}

// TestFortranSites: acpstat prints the line in which a program in Fortran waits. Some functions of module acp
// call a C function themselves, in a line that is not a line of the program.
func TestFortranSites(t *testing.T) {
	program := suite.Fortran(t, "tests/programs/sites")
	line := linesOf(t, suite.Source("tests", "programs", "sites.f90"))["0"]
	t.Run("function of C", func(t *testing.T) {
		s := startStuck(t, suite.Sandbox(t), 2, "", "acprun", "-np", "2", program)
		s.becomes(t, fmt.Sprintf(`waits in acp_sync \(sites\.f90:%d\)`, line)+since+": rank 1 has not come", "sleeps outside the library")
	})
	t.Run("function of the module", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		s := &stuckRun{sandbox: sandbox, run: sandbox.Start("acprun", "-np", "2", "sh", "-c",
			`echo "rank $ACP_JOB_RANK"; if [ $ACP_JOB_RANK = 1 ]; then exec sleep 1000; fi; exec `+program)}
		t.Cleanup(s.end)
		s.run.Output(func(text string) bool { return strings.Count(text, "rank ") == 2 })
		s.name = runName(t, sandbox)
		s.becomes(t, "waits in acp_init"+since+": rank 1 has not come", "has not called acp_init")
	})
}
