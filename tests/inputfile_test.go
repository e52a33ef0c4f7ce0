package tests

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// job is one job of an inputfile.
type job struct {
	runtime string
	np      int
	command string
}

// jobs returns an inputfile.
func jobs(list ...job) string {
	var b strings.Builder
	fmt.Fprintln(&b, len(list))
	for _, j := range list {
		fmt.Fprintln(&b, j.runtime)
	}
	for _, j := range list {
		fmt.Fprintln(&b, j.np)
	}
	for _, j := range list {
		fmt.Fprintln(&b, j.command)
	}
	return b.String()
}

// lines checks that the output has exactly one line that matches each pattern, and
// no other lines.
func lines(t *testing.T, output string, patterns ...string) {
	t.Helper()
	found := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	if len(found) != len(patterns) {
		t.Errorf("%d lines, expected %d", len(found), len(patterns))
	}
	for _, p := range patterns {
		re := regexp.MustCompile("^" + p)
		n := 0
		for _, line := range found {
			if re.MatchString(line) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d lines match %s, expected 1", n, re)
		}
	}
	if t.Failed() {
		t.Log(output)
	}
}

// TestInputfile runs the example of the specification with each MPI, and with the launcher line
// mpirun as it stands in the inputfile.
func TestInputfile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			out := sandbox.Must("macprun", "-np", "6", sandbox.Write("inputfile", fmt.Sprintf(`# Number of runtime environments
3
# Runtime environments
acprun -smemsize 10240          # options can be specified
%[1]s                           # options can be specified

	# a comment behind a tab
%[1]s
# Number of processes
1
2
3
# Commands
%[2]s                           # options can be specified
%[3]s  # options can be specified
%[3]s
surplus lines are ignored
`, mpi.Mpirun, suite.Example(t, "hello_world_acp"), suite.ExampleMPI(t, "hello_world_macp", mpi))))
			lines(t, out,
				`hello from ACP rank 0 of 6, without MPI; got "greetings from rank 5"`,
				`hello from ACP rank 1 of 6, MPI rank 0 of 2; got "greetings from rank 0"`,
				`hello from ACP rank 2 of 6, MPI rank 1 of 2; got "greetings from rank 1"`,
				`hello from ACP rank 3 of 6, MPI rank 0 of 3; got "greetings from rank 2"`,
				`hello from ACP rank 4 of 6, MPI rank 1 of 3; got "greetings from rank 3"`,
				`hello from ACP rank 5 of 6, MPI rank 2 of 3; got "greetings from rank 4"`)
		})
	}
}

// TestCoupling couples a job of each MPI and an ACP job in one run.
func TestCoupling(t *testing.T) {
	t.Parallel()
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	sandbox := suite.Sandbox(t)
	out := sandbox.MustRead(jobs(
		job{openmpi.Mpirun, 2, suite.ExampleMPI(t, "hello_world_macp", openmpi)},
		job{mpich.Mpirun, 3, suite.ExampleMPI(t, "hello_world_macp", mpich)},
		job{"acprun", 1, suite.Example(t, "hello_world_acp")},
	), "macprun", "-np", "6", "-tag-output")
	lines(t, out,
		`\[0 hello_world_macp\S*\] hello from ACP rank 0 of 6, MPI rank 0 of 2; got "greetings from rank 5"`,
		`\[1 hello_world_macp\S*\] hello from ACP rank 1 of 6, MPI rank 1 of 2; got "greetings from rank 0"`,
		`\[2 hello_world_macp\S*\] hello from ACP rank 2 of 6, MPI rank 0 of 3; got "greetings from rank 1"`,
		`\[3 hello_world_macp\S*\] hello from ACP rank 3 of 6, MPI rank 1 of 3; got "greetings from rank 2"`,
		`\[4 hello_world_macp\S*\] hello from ACP rank 4 of 6, MPI rank 2 of 3; got "greetings from rank 3"`,
		`\[5 hello_world_acp\] hello from ACP rank 5 of 6, without MPI; got "greetings from rank 4"`)
}

// TestCouplingAcrossHosts is TestCoupling with the jobs on two hosts; the job of
// each MPI spans both.
func TestCouplingAcrossHosts(t *testing.T) {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	// Transports of MPI that use shared memory would treat the hosts as one.
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
	out := sandbox.MustRead(jobs(
		job{openmpi.Mpirun, 2, suite.ExampleMPI(t, "hello_world_macp", openmpi)},
		job{mpich.Mpirun, 2, suite.ExampleMPI(t, "hello_world_macp", mpich)},
		job{"acprun", 2, suite.Example(t, "hello_world_acp")},
	), "macprun", "-np", "6", "-nodefile", sandbox.Nodefile(0, 1))
	lines(t, out,
		`hello from ACP rank 0 of 6, MPI rank 0 of 2; got "greetings from rank 5"`,
		`hello from ACP rank 1 of 6, MPI rank 1 of 2; got "greetings from rank 0"`,
		`hello from ACP rank 2 of 6, MPI rank 0 of 2; got "greetings from rank 1"`,
		`hello from ACP rank 3 of 6, MPI rank 1 of 2; got "greetings from rank 2"`,
		`hello from ACP rank 4 of 6, without MPI; got "greetings from rank 3"`,
		`hello from ACP rank 5 of 6, without MPI; got "greetings from rank 4"`)
}
