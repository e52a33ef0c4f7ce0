package mpilauncher

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"golang.org/x/sys/unix"
)

// askLimit is how long a launcher may take to print its version.
const askLimit = 10 * time.Second

// shellNotFound is the status of a shell whose command does not exist.
const shellNotFound = 127

// Ask determines the MPI of each runtime line. It asks each launcher once for its version. If a launcher does
// not exist, the error names the line. The family of a launcher is unknown if the launcher does not print a
// version, or if commands before it must not be carried out twice. A launcher that prints none may be a
// script; then Ask asks the launcher that the script names. Jobs whose MPI the description names are left
// out. environ returns the environment of the jobs.
//
// It blocks no longer than askLimit for each launcher.
func Ask(input *config.Inputfile, environ func(acprun bool) []string) (map[string]plan.MPI, error) {
	mpis := map[string]plan.MPI{}
	asked := map[string]plan.MPI{}
	for j, job := range input.Jobs {
		prefix := shell.Question(job.Launcher)
		if job.MPI != "" || shell.LauncherWord(job.Launcher) == "" || !shell.Repeatable(job.Launcher) {
			continue
		}
		mpi, known := asked[prefix]
		if !known {
			var err error
			if mpi, err = askLauncher(prefix, job.Dir, environ(shell.IsAcprun(job.Launcher)), shell.IsAcprun(job.Launcher)); err != nil {
				return nil, config.Errorf(input.File, job.Line, "launcher of job %d: %w", j, err)
			}
			if mpi.Family == plan.UnknownMPI && !shell.IsAcprun(job.Launcher) {
				mpi = askScript(shell.LauncherWord(job.Launcher), job.Dir, environ(false))
			}
			asked[prefix] = mpi
		}
		mpis[job.Launcher] = mpi
	}
	return mpis, nil
}

// askScript asks the launcher that a script starts.
func askScript(launcher, dir string, environ []string) plan.MPI {
	question := scriptQuestion(launcher, dir, environ)
	if question == "" {
		return plan.MPI{}
	}
	// A launcher that cannot be started counts as unknown: the script may never reach that line.
	mpi, _ := askLauncher(question, dir, environ, false)
	return mpi
}

// askLauncher asks one launcher. It only checks that acprun exists.
func askLauncher(prefix, dir string, environ []string, acprun bool) (plan.MPI, error) {
	question := " --version"
	if acprun {
		question = " -version"
	}
	cmd := exec.Command("/bin/sh", "-c", prefix+question)
	cmd.Dir, cmd.Env = dir, environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	expired, err := runWithin(cmd, askLimit)
	var exit *exec.ExitError
	switch {
	case expired:
		return plan.MPI{}, fmt.Errorf("%s%s did not answer within %v", prefix, question, askLimit)
	case errors.As(err, &exit) && (exit.ExitCode() == shellNotFound || exit.ExitCode() == shellNotFound-1):
		return plan.MPI{}, fmt.Errorf("%s cannot be started: %s", shell.LauncherWord(prefix), lastLine(output.Bytes()))
	case err != nil && exit == nil:
		return plan.MPI{}, fmt.Errorf("%s%s: %w", prefix, question, err)
	}
	return plan.ParseVersion(output.String()), nil
}

// runWithin runs a command in a new session. After limit it kills all processes of that session.
func runWithin(cmd *exec.Cmd, limit time.Duration) (expired bool, err error) {
	if err := cmd.Start(); err != nil {
		return false, err
	}
	scope, err := process.SessionScope(cmd.Process.Pid)
	if err != nil {
		_ = cmd.Process.Kill()
		return false, errors.Join(err, cmd.Wait())
	}
	timer := time.AfterFunc(limit, func() { _, _ = scope.SignalAll(unix.SIGKILL) })
	err = cmd.Wait()
	return !timer.Stop(), err
}

// lastLine returns the last line of output that is not empty.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
