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
)

// Jobs of Open MPI 4 that were started apart meet by a name server that all their
// launchers know. macprun starts one for the run, and it ends with the run.

// nameServerProgram is the name server of Open MPI 4.
const nameServerProgram = "ompi-server"

// envNameServer tells launchers and processes of Open MPI 4 the name server.
const envNameServer = "OMPI_MCA_pmix_server_uri"

// nameServerLimit is how long a name server may take to say where it is.
const nameServerLimit = 10 * time.Second

// nameServer is the name server of a run.
type nameServer struct {
	uri  string
	pid  int
	jobs []int // whose processes meet by it
}

// startNameServer starts a name server if the jobs need one and there is one.
func (r *runner) startNameServer() error {
	jobs, needed := r.plan.needsServer()
	if !needed || r.ownNameServer(jobs) {
		return nil
	}
	first := &r.plan.Jobs[jobs[0]]
	c := command{std: r.std, program: r.program, opts: r.opts}
	env := append(withEnv(c.jobEnviron(false), first.Env...), r.memberEnv(first.Number, -1)...)
	path, err := findBeside(first.Launcher, nameServerProgram, env)
	if err == nil {
		err = r.runNameServer(path, env, jobs)
	}
	switch {
	case err == nil:
		r.verbose("name server of Open MPI for jobs %s: %s (pid %d)", numberList(jobs), path, r.names.pid)
	case slices.ContainsFunc(jobs, func(j int) bool { return r.plan.Jobs[j].Mode == bridge.ModeRMA }):
		return fmt.Errorf("network rma: jobs %s cannot be joined: %w", numberList(jobs), err)
	default:
		r.verbose("jobs %s cannot be joined and use other networks than rma: %v", numberList(jobs), err)
	}
	return nil
}

// ownNameServer reports whether the user has named a name server himself.
func (r *runner) ownNameServer(jobs []int) bool {
	return slices.ContainsFunc(jobs, func(j int) bool {
		job := &r.plan.Jobs[j]
		_, inJob := lookupEnv(job.Env, envNameServer)
		_, around := lookupEnv(r.std.Environ, envNameServer)
		return inJob || around || strings.Contains(job.Line, "-ompi-server ") || strings.Contains(job.Line, "pmix_server_uri ")
	})
}

// findBeside finds a program in the directory of another, or else in the PATH of
// env.
func findBeside(neighbour, name string, env []string) (string, error) {
	if path, err := lookProgram(neighbour, env); err == nil {
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
	path, err := lookProgram(name, env)
	if err != nil {
		return "", fmt.Errorf("there is no %s beside %s or in PATH; it belongs to Open MPI 4 (package openmpi-bin)", name, neighbour)
	}
	return path, nil
}

// runNameServer starts the name server in a session of its own, and waits until it
// says where it is.
func (r *runner) runNameServer(path string, env []string, jobs []int) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	// Standard output would be flushed at the end only.
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	pid, err := r.reaper.start(path, []string{nameServerProgram, "--no-daemonize", "--report-uri", "+"},
		&os.ProcAttr{Dir: "/", Env: env, Files: []*os.File{null, null, write}, Sys: &syscall.SysProcAttr{Setsid: true}},
		func(status Status) { r.loop.post(func() { r.nameServerEnded(status) }) })
	if err != nil {
		read.Close()
		return fmt.Errorf("%s: %w", path, pathCause(err))
	}
	r.belong.sessions[pid] = true
	r.janitor.tell(note{Session: pid})
	write.Close()
	lines := make(chan string, 1)
	r.relays.Go(func() { r.readNameServer(read, lines) })
	select {
	case uri, open := <-lines:
		if !open {
			return fmt.Errorf("%s ended without saying where it is", path)
		}
		r.names = &nameServer{uri: uri, pid: pid, jobs: jobs}
		return nil
	case <-time.After(nameServerLimit):
		return fmt.Errorf("%s has not said within %v where it is", path, nameServerLimit)
	}
}

// readNameServer reads what the name server writes: first its address, a line that
// begins with a number, and then perhaps complaints.
func (r *runner) readNameServer(from *os.File, address chan<- string) {
	defer from.Close()
	found := false
	text := bufio.NewScanner(from)
	for text.Scan() {
		line := text.Text()
		if !found && strings.Contains(line, ";tcp") {
			address <- line
			found = true
			continue
		}
		r.loop.post(func() { r.verbose("name server: %s", line) })
	}
	if !found {
		close(address)
	}
}

// nameServerEnv tells a job its name server.
func (r *runner) nameServerEnv(job *Job) []string {
	if r.names == nil || !slices.Contains(r.names.jobs, job.Number) {
		return nil
	}
	return []string{envNameServer + "=" + r.names.uri}
}

// nameServerEnded takes note of the end of the name server. Jobs that have met do
// not need it any more; others would wait for each other for ever.
func (r *runner) nameServerEnded(status Status) {
	if r.names == nil || r.sup.verdict != nil || r.sup.finished() {
		return
	}
	who := fmt.Sprintf("name server %s (pid %d) of jobs %s %v", nameServerProgram, r.names.pid, numberList(r.names.jobs), status)
	if r.mayStillMeet() {
		r.conclude(verdict{text: who + " before they were joined", status: max(status.ExitStatus(), 1), member: -1})
		return
	}
	r.verbose("%s; it is not needed any more", who)
}

// mayStillMeet reports whether jobs may still be about to join each other.
func (r *runner) mayStillMeet() bool {
	members, err := r.settled()
	return members == nil && err == nil
}

// numberList is numbers as a reader expects them: 0, 1 and 2.
func numberList(numbers []int) string {
	var b strings.Builder
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}
