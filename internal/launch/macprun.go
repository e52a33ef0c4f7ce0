package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// Macprun is the program macprun: it reads the description of a run, starts its
// jobs and returns the exit status when all of them have ended. The process must
// not have other children. Blocks until the end of the run.
func Macprun(std StdIO) int {
	if slices.Equal(std.Args, []string{process.CleanerArg}) {
		return process.CleanerMain(std.Stdin)
	}
	c, status, done := begin(config.Macprun, std)
	if done {
		return status
	}
	status, err := c.macprun()
	if err != nil {
		return c.fail(err)
	}
	return status
}

// macprun plans and runs.
func (c *command) macprun() (int, error) {
	input, fromStdin, err := c.description()
	if err != nil {
		return 0, err
	}
	*c.opts = config.Merge(*c.opts, input.Defaults)
	if err := c.opts.AdoptEnvironment(c.program, c.std.Environ); err != nil {
		return 0, err
	}
	hosts, err := c.hosts()
	if err != nil {
		return 0, err
	}
	local, err := newLocalNames()
	if err != nil {
		return 0, err
	}
	world := plan.Facts{Environ: c.std.Environ, Root: os.Geteuid() == 0, Host: local.host, IsLocal: local.isLocal}
	if world.RDMA, err = c.rdma(); err != nil {
		return 0, err
	}
	// A mistake in the description is told before a launcher is asked.
	if _, err := plan.New(input, c.opts, hosts, world); err != nil {
		return 0, err
	}
	if world.MPIs, err = askLaunchers(input, c.jobEnviron); err != nil {
		return 0, err
	}
	if world.RunDir, err = process.MakeRunDir(); err != nil {
		return 0, err
	}
	plan, err := plan.New(input, c.opts, hosts, world)
	if err == nil {
		err = writeMachineFiles(plan)
	}
	var r *runner
	if err == nil {
		r, err = newRunner(c, local, world.RunDir, plan)
	}
	if err != nil {
		return 0, removeUnused(world.RunDir, err)
	}
	r.stdinTaken = fromStdin
	return r.run(r.startJobs), nil
}

// rdma reports whether MPI has RDMA hardware between hosts, as far as this host
// shows.
func (c *command) rdma() (bool, error) {
	found, err := bridge.DetectRDMA(func(name string) string {
		if name == envvar.RDMA && c.opts.RDMA != "" {
			return c.opts.RDMA
		}
		value, _ := envvar.Lookup(c.std.Environ, name)
		return value
	}, os.DirFS(bridge.RDMADevices))
	return found.Usable(), err
}

// description reads the inputfile or YAML description.
func (c *command) description() (input *config.Inputfile, fromStdin bool, err error) {
	if len(c.opts.Args) == 0 || c.opts.Args[0] == "-" {
		if stdio.IsTerminal(c.std.Stdin) {
			return nil, true, &config.UsageError{Err: errNoDescription}
		}
		text, err := config.ReadAll("(standard input)", c.std.Stdin)
		if err != nil {
			return nil, true, err
		}
		input, err := config.ParseInputfile("(standard input)", text)
		return input, true, err
	}
	name := c.opts.Args[0]
	text, err := config.ReadFile(name)
	if err != nil {
		return nil, false, err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		input, err = config.ParseYAML(name, text)
	default:
		input, err = config.ParseInputfile(name, text)
	}
	return input, false, err
}

// writeMachineFiles writes the files that tell launchers their hosts.
func writeMachineFiles(plan *plan.Plan) error {
	files := map[string]string{}
	for _, job := range plan.Jobs {
		files[job.MachineFile] = job.MachineText
	}
	for _, dvm := range plan.DVMs {
		files[dvm.MachineFile] = dvm.MachineText
	}
	delete(files, "")
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// jobEnviron is the environment of the jobs. Launchers that lie beside macprun
// are found without being in PATH: the acprun that belongs to it before any other,
// an mpirun only if there is no other.
func (c *command) jobEnviron(acprun bool) []string {
	exe, err := os.Executable()
	if err != nil {
		return c.std.Environ
	}
	dir := filepath.Dir(exe)
	path, set := envvar.Lookup(c.std.Environ, "PATH")
	switch {
	case !set || path == "":
		path = dir + ":/usr/local/bin:/usr/bin:/bin"
	case acprun:
		path = dir + ":" + path
	default:
		path += ":" + dir
	}
	return envvar.With(c.std.Environ, "PATH="+path)
}

// startJobs starts the launchers of all jobs.
func (r *runner) startJobs() error {
	if err := r.open(); err != nil {
		return err
	}
	if err := r.startKeepers(); err != nil {
		return err
	}
	if err := r.startServices(); err != nil {
		return err
	}
	r.leaders = make([]process.Identity, len(r.plan.Jobs))
	for j := range r.plan.Jobs {
		if err := r.startJob(&r.plan.Jobs[j]); err != nil {
			return fmt.Errorf("job %d: %w", j, err)
		}
	}
	return nil
}

// startJob starts the launcher of one job, in a session of its own, through the
// shell.
func (r *runner) startJob(job *plan.Job) (err error) {
	c := command{std: r.std, program: r.program, opts: r.opts}
	env := envvar.With(c.jobEnviron(job.Acprun || job.RemoteLauncher), job.Env...)
	env = envvar.With(env, r.memberEnv(job.Number, -1)...)
	env = envvar.With(env, r.nameServerEnv(job)...)
	stdin, err := r.stdinFile(job.Number == 0)
	if err != nil {
		return err
	}
	files := []*os.File{stdin}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	watch, said := &lastWords{}, &sync.WaitGroup{}
	for _, sink := range []*stdio.Sink{r.out, r.err} {
		out, err := r.output(r.jobRelay(job, sink, watch), said)
		if err != nil {
			return err
		}
		files = append(files, out)
	}
	if job.Acprun {
		write, err := r.followReport(job, said)
		if err != nil {
			return err
		}
		files = append(files, write)
		env = envvar.With(env, envvar.Report+"=3")
	}
	if r.opts.Debug {
		r.say("job %d: /bin/sh -c %s", job.Number, shell.Quote(job.Line))
	}
	number := job.Number
	id, err := r.reaper.Start("/bin/sh", []string{"sh", "-c", job.Line},
		&os.ProcAttr{Dir: job.Dir, Env: env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}},
		func(status exit.Status) { go r.launcherEnded(number, status, watch, said) })
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", job.Name, err)
	}
	r.janitor.TellSession(id.PID, id)
	r.leaders[job.Number] = id
	r.sup.LauncherStarted(job.Number, id.PID)
	r.describeStart(job, id.PID)
	return nil
}

// describeStart says what was started where, for --verbose.
func (r *runner) describeStart(job *plan.Job, pid int) {
	kind := job.Name
	if !job.Acprun {
		kind += ", " + job.MPI.String()
	}
	where := "this host"
	if job.Hosts != nil {
		where = strings.Join(job.Hosts, ",")
	}
	r.verbose("job %d: %s on %s: %s (%s, pid %d)", job.Number, plan.RankRange(job), where, job.Line, kind, pid)
}

// jobRelay is the relay for one stream of a job.
func (r *runner) jobRelay(job *plan.Job, sink *stdio.Sink, watch *lastWords) *stdio.LineForwarder {
	relay := &stdio.LineForwarder{Sink: sink}
	if r.opts.TagOutput && !job.Acprun {
		relay.Tag = jobTag(job)
	}
	relay.See = watch.reader(job.MPI.Family)
	return relay
}

// LauncherEnded posts the end of a job's launcher when everything that it has
// said before has been read: output that explains the status, and reports. If it
// was killed itself, nothing explains that better, and the end of its processes
// follows from it.
func (r *runner) launcherEnded(job int, status exit.Status, watch *lastWords, said *sync.WaitGroup) {
	if status.Signal == 0 {
		select {
		case <-closedAfter(said):
		case <-time.After(supervise.GraceForNews):
		}
		status = watch.explain(status)
	}
	r.loop.post(func() {
		r.sup.LauncherNamed(job, watch.named())
		r.sup.LauncherEnded(job, status, watch.killed(), time.Now())
		leader := r.leaders[job]
		r.leaders[job] = process.Identity{}
		r.sessionLeft(leader)
		r.verbose("job %d: %s %v", job, r.plan.Jobs[job].Name, status)
	})
}

// followReport reads what the acprun of a job reports about its processes.
func (r *runner) followReport(job *plan.Job, done *sync.WaitGroup) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	first, size := job.First, job.Size
	done.Add(1)
	go func() {
		defer done.Done()
		defer read.Close()
		message.ReadReport(read, size, func(n message.RankNote) {
			r.loop.post(func() { r.rankNote(first+n.Rank, n) })
		})
	}()
	return write, nil
}

// RankNote takes what acprun reports about one process.
func (r *runner) rankNote(member int, n message.RankNote) {
	if n.Failure != "" {
		job := r.plan.Jobs[r.sup.JobOf(member)]
		r.conclude(supervise.Verdict{Text: fmt.Sprintf("acprun of job %d (%s): %s", job.Number, plan.RankRange(&job), n.Failure), Status: n.Status, Member: -1})
		return
	}
	if n.Ended != nil {
		r.sup.ProcessEnded(member, *n.Ended, time.Now())
		return
	}
	r.sup.ProcessStarted(member, n.PID, n.Host)
	r.verbose("%s started", r.sup.Describe(member))
}

// errNoDescription says that standard input held no description.
var errNoDescription = errors.New("no inputfile named and standard input is a terminal; macprun -help says more")
