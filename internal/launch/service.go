package launch

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// Jobs of Open MPI that were started apart meet only by a program that knows them
// all. macprun starts it before the jobs, and it ends with the run.

// service is such a program.
type service struct {
	kind    string   // what it is, for messages
	program string   // name of the program
	args    []string // its arguments
	release string   // whose it is, for messages
	env     []string // what it is told beside the environment of macprun
	jobs    []int    // whose processes meet by it
	limit   time.Duration
	// refuses says why the program in this version is not to be used; nil if any is.
	refuses func(version string) error
	// announces finds in a line of its output that it is ready, and its address if
	// that is told there.
	announces func(line string) (address string, ready bool)

	address string
	id      process.Identity
}

// startServices starts what jobs need to meet each other.
func (r *runner) startServices() error {
	services := r.dvms()
	if s := r.nameServer(); s != nil {
		services = append(services, s)
	}
	return r.startAll(services)
}

// startAll starts services. Without one of them its jobs use other networks, unless
// they ask for rma.
func (r *runner) startAll(services []*service) error {
	for _, s := range services {
		path, err := r.startService(s)
		switch {
		case err == nil:
			r.services = append(r.services, s)
			r.verbose("%s of Open MPI for jobs %s: %s (pid %d)", s.kind, plan.NumberList(s.jobs), path, s.id.PID)
		case slices.ContainsFunc(s.jobs, func(j int) bool { return r.plan.Jobs[j].Mode == bridge.ModeRMA }):
			return fmt.Errorf("network rma: jobs %s cannot be joined: %w", plan.NumberList(s.jobs), err)
		default:
			r.verbose("jobs %s cannot be joined and use other networks than rma: %v", plan.NumberList(s.jobs), err)
			r.apart(s.jobs)
		}
	}
	return nil
}

// startService finds a service beside the launcher of its first job and starts it.
func (r *runner) startService(s *service) (path string, err error) {
	first := &r.plan.Jobs[s.jobs[0]]
	c := command{std: r.std, program: r.program, opts: r.opts}
	env := envvar.With(c.jobEnviron(false), append(s.env, r.belong.RunVariable())...)
	if path, err = findBeside(first.Launcher, s.program, envvar.With(env, first.Env...)); err != nil {
		return "", fmt.Errorf("%w; it belongs to %s (package openmpi-bin)", err, s.release)
	}
	if s.refuses != nil {
		var said plan.MPI
		r.reaper.WithoutReaping(func() { said, err = askLauncher(shell.Quote(path), "/", env, false) })
		if err == nil {
			err = s.refuses(said.Version)
		}
		if err != nil {
			return "", err
		}
	}
	return path, r.runService(s, path, env)
}

// findBeside finds a program in the directory of another, or else in the PATH of
// env.
func findBeside(neighbour, name string, env []string) (string, error) {
	if path, err := process.FindProgram(neighbour, env); err == nil {
		dirs := []string{filepath.Dir(path)}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
		for _, dir := range dirs {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	path, err := process.FindProgram(name, env)
	if err != nil {
		return "", fmt.Errorf("there is no %s beside %s or in PATH", name, neighbour)
	}
	return path, nil
}

// runService starts a service in a session of its own, and waits until it is ready.
func (r *runner) runService(s *service, path string, env []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	s.id, err = r.reaper.Start(path, append([]string{s.program}, s.args...),
		&os.ProcAttr{Dir: "/", Env: env, Files: []*os.File{null, write, write}, Sys: &syscall.SysProcAttr{Setsid: true}},
		func(status exit.Status) { r.loop.post(func() { r.serviceEnded(s, status) }) })
	if err != nil {
		read.Close()
		return fmt.Errorf("%s: %w", path, process.PathCause(err))
	}
	r.janitor.TellSession(s.id.PID, s.id)
	write.Close()
	ready, said := make(chan string, 1), make(chan string, 1)
	r.relays.Go(func() { r.readService(s, read, ready, said) })
	select {
	case s.address = <-ready:
		return nil
	case text := <-said:
		return fmt.Errorf("%s ended before it was ready%s", path, text)
	case <-time.After(s.limit):
		return fmt.Errorf("%s was not ready within %v", path, s.limit)
	}
}

// readService reads what a service writes: first that it is ready, and then perhaps
// complaints. If it ends before, what it has said is the reason.
func (r *runner) readService(s *service, from *os.File, ready, said chan<- string) {
	defer from.Close()
	found := false
	var complaints strings.Builder
	text := bufio.NewScanner(from)
	for text.Scan() {
		line := strings.TrimSpace(text.Text())
		if !found {
			var address string
			if address, found = s.announces(line); found {
				ready <- address
				continue
			}
			if strings.Trim(line, "-") != "" && complaints.Len() < maxComplaints {
				complaints.WriteString(" " + line)
			}
		}
		r.loop.post(func() { r.verbose("%s: %s", s.kind, line) })
	}
	if found {
		return
	}
	if complaints.Len() > 0 {
		said <- ":" + complaints.String()
		return
	}
	said <- ""
}

// maxComplaints is after how many bytes no further line of a service that fails is
// taken into the message.
const maxComplaints = 400

// serviceEnded takes note of the end of a service. Jobs that have met do not need a
// name server any more; others would wait for each other for ever.
func (r *runner) serviceEnded(s *service, status exit.Status) {
	if !slices.Contains(r.services, s) || r.sup.Outcome() != nil || r.sup.Finished() {
		return
	}
	who := fmt.Sprintf("%s %s (pid %d) of jobs %s %v", s.kind, s.program, s.id.PID, plan.NumberList(s.jobs), status)
	switch {
	case s.kind == kindDVM:
		r.conclude(supervise.Verdict{Text: who + ", and the jobs with it", Status: max(status.ExitStatus(), 1), Member: -1})
	case r.mayStillMeet():
		r.conclude(supervise.Verdict{Text: who + " before they were joined", Status: max(status.ExitStatus(), 1), Member: -1})
	default:
		r.verbose("%s; it is not needed any more", who)
	}
}

// mayStillMeet reports whether jobs may still be about to join each other.
func (r *runner) mayStillMeet() bool {
	members, err := r.settled()
	return members == nil && err == nil
}
