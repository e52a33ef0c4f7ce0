package mpilauncher

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// joinServer is a program through which jobs of Open MPI join each other: a name server or a DVM. Without it,
// jobs that were started by different launchers cannot join. macprun starts it before the jobs, and it ends
// with the run.
type joinServer struct {
	kind    string   // name server or DVM, for messages
	program string   // name of the program
	args    []string // its arguments
	release string   // to which the program belongs, for messages
	env     []string // its variables besides the environment of macprun
	jobs    []int    // numbers of the jobs that join by it
	limit   time.Duration
	// refuses returns the reason why this version of the program cannot be used, or nil; nil = any version
	// can be used.
	refuses func(version string) error
	// announces reports whether a line of the program's output announces that the program is ready, and
	// returns the address in that line, if any.
	announces func(line string) (address string, ready bool)

	address string
	id      process.Identity
}

// Run is the run whose jobs join each other. Its methods are called on the goroutine of the run.
type Run interface {
	Over() bool                         // the run ends or has ended
	MayStillJoin() bool                 // jobs may still be about to join each other
	Conclude(reason string, status int) // ends the run
}

// JoinServers are the join servers of a run. It belongs to the goroutine of the run.
type JoinServers struct {
	Plan       *plan.Plan
	Environ    []string                   // of macprun
	JobEnviron func(acprun bool) []string // environment of the jobs
	Console    *stdio.Console
	Children   *process.Children
	Post       func(func()) // has a function called on the goroutine of the run; does not block
	Run        Run
	// Signals are the signals that the launcher receives, and the end of its time limit.
	// HandleSignal acts on one. It returns an error if the run ends because of it.
	Signals      <-chan os.Signal
	HandleSignal func(os.Signal) error

	servers     []*joinServer // those that are ready
	interrupted error         // a signal has ended the run while a server was starting
}

// Start starts the join servers that the plan needs, and waits until they are ready. If one
// cannot be started, its jobs use other fabrics than rma. That is an error if they ask for rma. A
// signal that ends the run ends the wait, and is an error.
func (s *JoinServers) Start() error {
	servers := s.dvms()
	if server := s.nameServer(); server != nil {
		servers = append(servers, server)
	}
	return s.startAll(servers)
}

// startAll starts servers.
func (s *JoinServers) startAll(servers []*joinServer) error {
	for _, server := range servers {
		path, err := s.start(server)
		switch {
		case err == nil:
			s.servers = append(s.servers, server)
			s.Console.Verbose("%s of Open MPI for jobs %s: %s (pid %d)", server.kind, plan.List(server.jobs), path, server.id.PID)
		case s.interrupted != nil:
			return s.interrupted
		case slices.ContainsFunc(server.jobs, func(j int) bool { return s.Plan.Jobs[j].Mode.NeedsWindows() }):
			return fmt.Errorf("network rma: jobs %s cannot be joined: %w", plan.List(server.jobs), err)
		default:
			s.Console.Verbose("jobs %s cannot be joined and use other networks than rma: %v", plan.List(server.jobs), err)
			s.planWithoutDVM(server.jobs)
		}
	}
	return nil
}

// start finds the program of a server beside the launcher of its first job, and starts it.
func (s *JoinServers) start(server *joinServer) (path string, err error) {
	first := &s.Plan.Jobs[server.jobs[0]]
	env := envvar.With(s.JobEnviron(false), append(server.env, s.Children.Scope.RunVariable())...)
	if path, err = findBeside(first.Launcher, server.program, envvar.With(env, first.Env...)); err != nil {
		return "", fmt.Errorf("%w; it belongs to %s (package openmpi-bin)", err, server.release)
	}
	if server.refuses != nil {
		var answer plan.MPI
		s.Children.WithoutReaping(func() { answer, err = askLauncher(shell.Quote(path), "/", env, false) })
		if err == nil {
			err = server.refuses(answer.Version)
		}
		if err != nil {
			return "", err
		}
	}
	return path, s.run(server, path, env)
}

// findBeside returns the path of a program: in the directory of another program, or else in
// the PATH of env.
func findBeside(neighbour, name string, env []string) (string, error) {
	if path, err := process.FindProgram(neighbour, "", env); err == nil {
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
	path, err := process.FindProgram(name, "", env)
	if err != nil {
		return "", fmt.Errorf("there is no %s beside %s or in PATH", name, neighbour)
	}
	return path, nil
}

// run starts a server in a session of its own, and waits until it is ready.
func (s *JoinServers) run(server *joinServer, path string, env []string) error {
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
	server.id, err = s.Children.Start(path, append([]string{server.program}, server.args...),
		&os.ProcAttr{Dir: "/", Env: env, Files: []*os.File{null, write, write}, Sys: &syscall.SysProcAttr{Setsid: true}},
		func(status exit.Status) { s.Post(func() { s.ended(server, status) }) })
	if err != nil {
		read.Close()
		return fmt.Errorf("%s: %w", path, process.PathCause(err))
	}
	write.Close()
	ready, said := make(chan string, 1), make(chan string, 1)
	s.Console.Go(func() { s.read(server, read, ready, said) })
	limit := time.After(server.limit)
	for {
		select {
		case server.address = <-ready:
			return nil
		case text := <-said:
			return fmt.Errorf("%s ended before it was ready%s", path, text)
		case <-limit:
			return fmt.Errorf("%s was not ready within %v", path, server.limit)
		case sig := <-s.Signals:
			if s.interrupted = s.HandleSignal(sig); s.interrupted != nil {
				return s.interrupted
			}
		}
	}
}

// read reads the output of a server: first the line that announces it is ready, and then possible complaints.
// If the server ends before it is ready, said gets its output.
func (s *JoinServers) read(server *joinServer, from *os.File, ready, said chan<- string) {
	defer from.Close()
	found := false
	var complaints strings.Builder
	text := bufio.NewScanner(from)
	for text.Scan() {
		line := strings.TrimSpace(text.Text())
		if !found {
			var address string
			if address, found = server.announces(line); found {
				ready <- address
				continue
			}
			if strings.Trim(line, "-") != "" && complaints.Len() < maxComplaints {
				complaints.WriteString(" " + line)
			}
		}
		s.Post(func() { s.Console.Verbose("%s: %s", server.kind, line) })
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

// maxComplaints is the number of bytes of complaints after which the message about a server
// that fails takes no further line.
const maxComplaints = 400

// ended handles the end of a server. Jobs that have joined do not need a name server any more. Jobs that have
// not joined would wait for each other forever.
func (s *JoinServers) ended(server *joinServer, status exit.Status) {
	if !slices.Contains(s.servers, server) || s.Run.Over() {
		return
	}
	text := fmt.Sprintf("%s %s (pid %d) of jobs %s %v", server.kind, server.program, server.id.PID, plan.List(server.jobs), status)
	switch {
	case server.kind == kindDVM:
		s.Run.Conclude(text+", and the jobs with it", max(status.ExitStatus(), 1))
	case s.Run.MayStillJoin():
		s.Run.Conclude(text+" before they were joined", max(status.ExitStatus(), 1))
	default:
		s.Console.Verbose("%s; it is not needed any more", text)
	}
}
