package launch

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

// askLimit is how long a launcher may take to say which MPI it belongs to.
const askLimit = 10 * time.Second

// shellNotFound is the status by which a shell says that there is no such
// command.
const shellNotFound = 127

// askLaunchers finds out which MPI each runtime line belongs to by asking the
// launcher itself for its version. Each launcher is asked once. A launcher that
// does not exist is an error that names the line; one that does not know the
// question, or stands behind commands that must not be carried out twice, is of no
// known family. environ is that of the jobs.
//
// Blocks no longer than askLimit for each launcher.
func askLaunchers(input *config.Inputfile, environ func(acprun bool) []string) (map[string]plan.MPI, error) {
	flavours := map[string]plan.MPI{}
	asked := map[string]plan.MPI{}
	for j, job := range input.Jobs {
		prefix := shell.LauncherPrefix(job.Launcher)
		if shell.LauncherWord(job.Launcher) == "" || !shell.Repeatable(job.Launcher) {
			continue
		}
		flavour, known := asked[prefix]
		if !known {
			var err error
			if flavour, err = askLauncher(prefix, job.Dir, environ(shell.IsAcprun(job.Launcher)), shell.IsAcprun(job.Launcher)); err != nil {
				return nil, config.Errorf(input.File, job.Line, "launcher of job %d: %w", j, err)
			}
			asked[prefix] = flavour
		}
		flavours[job.Launcher] = flavour
	}
	return flavours, nil
}

// askLauncher asks one launcher; of acprun it only checks that it exists.
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

// runWithin runs a command that leads a session of its own, and kills it and all that
// it has started there when limit has passed.
func runWithin(cmd *exec.Cmd, limit time.Duration) (expired bool, err error) {
	if err := cmd.Start(); err != nil {
		return false, err
	}
	group, err := process.SessionScope(cmd.Process.Pid)
	if err != nil {
		_ = cmd.Process.Kill()
		return false, errors.Join(err, cmd.Wait())
	}
	timer := time.AfterFunc(limit, func() { _, _ = group.SignalAll(unix.SIGKILL) })
	err = cmd.Wait()
	return !timer.Stop(), err
}

// lastLine is the last line of a program's output that is not empty.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
