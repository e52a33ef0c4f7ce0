//go:build globalarrays

package globalarrays

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// suite has the build tree.
var suite *harness.Suite

// folder has a folder of compiled programs for each MPI.
var folder = flag.String("programs", "", "folder with the compiled programs, one folder for each MPI")

// limit bounds one run.
const limit = time.Minute

// programs are the names of the programs, without the ending of their source.
var programs = []string{"patches", "together", "ghosts", "groups", "whole", "object", "tasks", "coupled", "strided"}

// knownFailure returns why a program fails with every implementation of ARMCI, or "". On 5 processes
// the blocks of the array in strided are such that the addresses are right.
func knownFailure(program string, procs int) string {
	if program == "strided" && (procs == 2 || procs == 4) {
		return "Global Arrays passes wrong addresses"
	}
	return ""
}

// A mode is a way to run a program.
type mode struct {
	name    string
	plain   bool                      // by the launcher of the MPI alone
	options []string                  // of macprun
	procs   []int                     // processes of a job
	jobs    int                       // 0: one
	host    func(rank, procs int) int // 0 or 1; nil: all processes on this machine
}

var modes = []mode{
	{name: "mpirun", plain: true, procs: []int{1, 2, 4, 5}},
	{name: "macprun", procs: []int{1, 2, 4, 5}},
	{name: "macprun -net tcp", options: []string{"-net", "tcp"}, procs: []int{1, 2, 4, 5}},
	{name: "two jobs", procs: []int{1, 2}, jobs: 2},
	{name: "two hosts", procs: []int{2, 4, 5}, host: halves},
	{name: "two hosts, by turns", procs: []int{4}, host: turns},
	{name: "two hosts, -net tcp", options: []string{"-net", "tcp"}, procs: []int{2, 4, 5}, host: halves},
}

// halves puts the first half of the processes on the first host. So a host is a domain of ARMCI.
func halves(rank, procs int) int { return 2 * rank / procs }

// turns puts every other process on the first host. So each process is a domain of ARMCI.
func turns(rank, _ int) int { return rank % 2 }

// start runs a program to its end.
func (m *mode) start(sandbox *harness.Sandbox, mpi harness.MPI, procs int, program string) *harness.Result {
	if m.plain {
		return sandbox.Run("", "/bin/sh", "-c", fmt.Sprintf("exec %s -n %d %s", sandbox.Mpirun(mpi), procs, program))
	}
	command := append([]string{"macprun"}, m.options...)
	if m.host != nil {
		sandbox.Hosts(2)
		// Transports of MPI that use shared memory would treat the hosts as one.
		sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
		var hosts []int
		for rank := range procs {
			hosts = append(hosts, m.host(rank, procs))
		}
		command = append(command, "-nodefile", sandbox.Nodefile(hosts...))
	}
	n := max(m.jobs, 1)
	inputfile := fmt.Sprintln(n)
	for _, line := range []string{mpi.Mpirun, strconv.Itoa(procs), program} {
		inputfile += strings.Repeat(line+"\n", n)
	}
	return sandbox.Run(inputfile, command...)
}

const (
	passed     = "passed"
	failed     = "failed"
	skipped    = "skipped"
	known      = "failed as is known"
	unexpected = "passed, but is known to fail"
)

// counts are how many runs ended in which way.
var counts = map[string]int{}

func TestMain(m *testing.M) {
	status := harness.Main(m, &suite)
	for _, how := range []string{passed, known, unexpected, skipped, failed} {
		fmt.Printf("%d %s; ", counts[how], how)
	}
	fmt.Printf("status %d\n", status)
	os.Exit(status)
}

// TestGlobalArrays runs every program with every MPI in every mode, and prints a line about each run.
func TestGlobalArrays(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		for _, program := range programs {
			for _, mode := range modes {
				for _, procs := range mode.procs {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", name, program, mode.name, procs), func(t *testing.T) {
						runProgram(t, suite.NeedMPI(t, name), program, &mode, procs)
					})
				}
			}
		}
	}
}

// TestTwoMPIs joins a job of each MPI, whose processes read global arrays of the other job.
func TestTwoMPIs(t *testing.T) {
	const program = "coupled"
	how, begin := failed, time.Now()
	t.Cleanup(func() { report(t, "both", program, 4, "two jobs", how, "", begin) })
	sandbox := suite.Sandbox(t)
	sandbox.Limit = limit
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	r := sandbox.Run(fmt.Sprintf("2\n%s\n%s\n2\n2\n%s\n%s\n", openmpi.Mpirun, mpich.Mpirun,
		filepath.Join(*folder, openmpi.Name, program), filepath.Join(*folder, mpich.Name, program)), "macprun")
	if r.Status != 0 || strings.Count(r.Stdout, "2 processes agree\n") != 2 {
		t.Fatal(r)
	}
	how = passed
}

// report prints the line about a run and counts it.
func report(t *testing.T, mpi, program string, procs int, mode, how, reason string, begin time.Time) {
	switch {
	case t.Skipped():
		how = skipped // there are no rights for several hosts
	case t.Failed() && how == passed:
		how = failed // something is left behind
	}
	counts[how]++
	line := fmt.Sprintf("%-7s %-24s %d processes, %-19s %5.1f s: %s", mpi, program, procs, mode, time.Since(begin).Seconds(), how)
	if reason != "" {
		line += " (" + reason + ")"
	}
	fmt.Println(line)
}

// runProgram runs a program once, and compares how it ends with how it should.
func runProgram(t *testing.T, mpi harness.MPI, program string, mode *mode, procs int) {
	how, begin := failed, time.Now()
	reason := knownFailure(program, procs)
	t.Cleanup(func() { report(t, mpi.Name, program, procs, mode.name, how, reason, begin) })
	sandbox := suite.Sandbox(t)
	sandbox.Limit = limit
	r := mode.start(sandbox, mpi, procs, filepath.Join(*folder, mpi.Name, program))
	agree := r.Status == 0 && strings.Count(r.Stdout, fmt.Sprintf("%d processes agree\n", procs)) == max(mode.jobs, 1)
	switch {
	case agree && reason == "":
		how = passed
	case agree:
		how = unexpected
		t.Error("a program passes that knownFailure lists")
	case reason != "" && strings.Contains(r.Stderr, "wrong result"):
		how = known
	default:
		t.Error(r)
	}
}
