//go:build mpi

package mpitest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/mpi"
)

const (
	caseVariable = "MPITEST_CASE"
	// timeLimit ends a job that hangs.
	timeLimit = 3 * time.Minute
	// endLimit is how long mpirun may take to end its processes before it is killed.
	endLimit = 5 * time.Second
)

// Main runs the tests of a package, or the one case for which the test binary
// was started under mpirun. Call it from TestMain. It does not return.
func Main(m *testing.M, cases map[string]func() error) {
	name := os.Getenv(caseVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	run, ok := cases[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "there is no case %q\n", name)
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "case %s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Run starts a case on np processes under the mpirun of the MPI in this build,
// with additional environment variables (NAME=VALUE), and fails the test if one
// of the processes fails or hangs.
func Run(t *testing.T, np int, name string, env ...string) {
	t.Helper()
	if out, err := Job(t, mpi.Vendor().Name, np, name, env...); err != nil {
		t.Fatalf("%d processes: %v\n%s", np, err, out)
	}
}

// Job starts a case on np processes under the mpirun of the MPI called vendor
// and returns what the processes printed and how mpirun ended. The test is
// skipped if there is no such mpirun.
func Job(t *testing.T, vendor string, np int, name string, env ...string) (output string, err error) {
	t.Helper()
	return start(t, append(launcher(t, vendor), "-np", strconv.Itoa(np)), name, env).Wait()
}

// Start is [Run] with additional options of mpirun, and does not wait.
func Start(t *testing.T, options []string, np int, name string, env ...string) *Started {
	t.Helper()
	command := append(launcher(t, mpi.Vendor().Name), options...)
	return start(t, append(command, "-np", strconv.Itoa(np)), name, env)
}

// Alone runs a case without a launcher.
func Alone(t *testing.T, name string, env ...string) (output string, err error) {
	t.Helper()
	return start(t, nil, name, env).Wait()
}

// Program runs a program other than the test binary on np processes.
func Program(t *testing.T, np int, program string, env ...string) (output string, err error) {
	t.Helper()
	command := append(launcher(t, mpi.Vendor().Name), "-np", strconv.Itoa(np), program)
	return begin(t, command, environment(env...)).Wait()
}

// launcher returns the command for an MPI, as distributions name it where
// several are installed.
func launcher(t *testing.T, vendor string) []string {
	t.Helper()
	name, options := "mpirun.mpich", []string(nil)
	if vendor == "Open MPI" {
		name, options = "mpirun.openmpi", []string{"--oversubscribe", "--bind-to", "none"}
	}
	path, err := exec.LookPath(name)
	if err != nil && vendor == mpi.Vendor().Name {
		path, err = exec.LookPath("mpirun")
	}
	if err != nil {
		t.Skipf("%s: %v", vendor, err)
	}
	return append([]string{path}, options...)
}

// environment is that of this process and what follows.
func environment(more ...string) []string {
	return append(append(os.Environ(),
		// Needed where tests run as root, ignored elsewhere.
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		// More processes than processors.
		"OMPI_MCA_mpi_yield_when_idle=1"), more...)
}

func start(t *testing.T, command []string, name string, env []string) *Started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command = append(command, self)
	return begin(t, command, environment(append([]string{caseVariable + "=" + name}, env...)...))
}

// Started is a command with a time limit.
type Started struct {
	cmd        *exec.Cmd
	out        bytes.Buffer
	hung, kill *time.Timer
}

func begin(t *testing.T, command, env []string) *Started {
	t.Helper()
	s := &Started{cmd: exec.Command(command[0], command[1:]...)}
	s.cmd.Env = env
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Output that a process left behind keeps open must not keep Wait.
	s.cmd.WaitDelay = endLimit
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// mpirun ends its processes when it is asked to, but not when it is killed.
	s.hung = time.AfterFunc(timeLimit, func() { s.signal(syscall.SIGTERM) })
	s.kill = time.AfterFunc(timeLimit+endLimit, func() { s.signal(syscall.SIGKILL) })
	return s
}

func (s *Started) signal(sig syscall.Signal) { _ = syscall.Kill(-s.cmd.Process.Pid, sig) }

// Wait waits for the end, and returns what was printed and how mpirun ended.
func (s *Started) Wait() (output string, err error) {
	err = s.cmd.Wait()
	s.kill.Stop()
	if !s.hung.Stop() {
		err = fmt.Errorf("ended after %v: %w", timeLimit, err)
	}
	return s.out.String(), err
}
