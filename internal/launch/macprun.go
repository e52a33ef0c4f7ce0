package launch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/ranges"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/mpilauncher"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/remote"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// Macprun is the program macprun: it reads the description of a run, starts its jobs, waits
// until all of them have ended, and returns the exit status. The process must not have other
// children.
func Macprun(std StdIO) int {
	if slices.Equal(std.Args, []string{process.CleanerArg}) {
		return process.CleanerMain(std.Stdin)
	}
	return runCommand(config.Macprun, std, (*command).macprun)
}

// macprun plans and runs.
func (c *command) macprun() (int, error) {
	if err := c.checkAttach(); err != nil {
		return 0, err
	}
	if c.opts.Resizes() {
		return c.resize()
	}
	input, fromStdin, err := c.description()
	if err != nil {
		return 0, err
	}
	for _, warning := range input.Warnings {
		c.say("warning: " + warning)
	}
	*c.opts = config.Merge(*c.opts, input.Defaults)
	hosts, local, err := c.surroundings()
	if err != nil {
		return 0, err
	}
	if hosts, err = c.placeJobs(input, hosts); err != nil {
		return 0, err
	}
	facts := plan.Facts{Environ: c.std.Environ, Root: os.Geteuid() == 0, Host: local.Host, IsLocal: local.IsLocal, Srun: c.allocation.Srun, Components: c.components()}
	if facts.RDMA, err = c.rdma(); err != nil {
		return 0, err
	}
	// A mistake in the description is an error before any launcher is asked for its MPI.
	if err := checkSyntax(input); err != nil {
		return 0, err
	}
	first, err := plan.New(input, c.opts, hosts, facts)
	if err != nil {
		return 0, err
	}
	if facts.MPIs, err = mpilauncher.Ask(input, c.jobEnviron); err != nil {
		return 0, err
	}
	r, err := newRunner(c, local)
	if err != nil {
		return 0, err
	}
	facts.RunDir = r.runDir
	if c.opts.Attaches() {
		origin, names, err := r.attach(first, func(job int) string { return input.Jobs[job].Name })
		if err != nil {
			return 0, r.cancel(err)
		}
		for j := range input.Jobs {
			input.Jobs[j].Name = names[j]
		}
		facts.InRun = origin
	}
	p, err := plan.New(input, c.opts, hosts, facts)
	if err == nil {
		err = writeMachineFiles(p)
	}
	if err != nil {
		return 0, r.cancel(err)
	}
	for _, warning := range p.MPIWarnings(input) {
		r.console.Say("warning: %s", warning)
	}
	if fromStdin {
		r.console.TakeStdin()
	}
	r.follow(p)
	m := &macprunJobs{command: c, runner: r}
	m.servers = &mpilauncher.JoinServers{Plan: p, Environ: r.environ, JobEnviron: c.jobEnviron,
		Console: r.console, Children: r.children, Post: r.loop.post, Run: m, Signals: r.signals.c, HandleSignal: r.handleSignal}
	return r.run(m), nil
}

// macprunJobs are the jobs of a macprun. Their leaders are their launchers, and the acpruns of processes that have come later.
type macprunJobs struct {
	command *command
	runner  *runner
	servers *mpilauncher.JoinServers
}

// leaders implements jobs.
func (m *macprunJobs) leaders() int { return m.runner.plan.Launchers() }

// endsItself implements jobs.
func (m *macprunJobs) endsItself(number int) bool { return m.runner.sup.EndsItself(number) }

// leaderOf implements jobs.
func (m *macprunJobs) leaderOf(member int) int { return m.runner.sup.JobOf(member) }

// endServers implements jobs. It does not end the DVMs if the launcher of a job in one is spared.
func (m *macprunJobs) endServers(spared map[int]bool) {
	for number := range m.runner.leaders.ids {
		if spared[number] && m.runner.plan.Launched(number).DVM != "" {
			return
		}
	}
	m.servers.EndDVMs()
}

// start implements jobs.
func (m *macprunJobs) start() error {
	r := m.runner
	if err := r.checkFiles(m.leaders(), r.plan.Total); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	if err := m.holdToken(); err != nil {
		return err
	}
	if err := m.servers.Start(); err != nil {
		return err
	}
	if err := r.watches.listen(r.plan, r.runDir, r.children.Scope.RunVariable(), r.environ); err != nil {
		return err
	}
	r.watches.search(r.plan, r.local.IsLocal, r.children.Scope.RunVariable(), r.environ)
	for j := range r.plan.Jobs {
		if err := m.startJob(&r.plan.Jobs[j]); err != nil {
			return fmt.Errorf("%v: %w", &r.plan.Jobs[j], err)
		}
	}
	return nil
}

// holdToken places the token on the other hosts of MPI jobs.
func (m *macprunJobs) holdToken() error {
	r := m.runner
	return r.hosts.HoldToken(remote.TokenHolders{
		Hosts:  plan.RemoteHosts(&plan.Plan{Jobs: plan.MPIJobs(r.plan)}, r.local.IsLocal),
		RunDir: r.runDir,
		Token:  r.rendezvous.Token(),
		Lost: func(host, remoteShell string, status exit.Status) {
			r.sup.Stop(fmt.Sprintf("host %s is lost: %s %v while MPI jobs ran there", host, remoteShell, status), max(status.ExitStatus(), 1))
		},
		Signals: r.signals.c, HandleSignal: r.handleSignal,
	})
}

// Over implements mpilauncher.Run.
func (m *macprunJobs) Over() bool { return m.runner.sup.Outcome() != nil || m.runner.sup.Finished() }

// MayStillJoin implements mpilauncher.Run.
func (m *macprunJobs) MayStillJoin() bool { return m.runner.rendezvous.MayStillJoin() }

// Conclude implements mpilauncher.Run.
func (m *macprunJobs) Conclude(reason string, status int) { m.runner.sup.Stop(reason, status) }

// startJob starts the launcher of a job through the shell, as the leader of a session.
func (m *macprunJobs) startJob(job *plan.Job) (err error) {
	r := m.runner
	env := envvar.With(m.command.jobEnviron(job.Acprun || job.RemoteLauncher), job.Env...)
	process := -1
	if job.InRun.Process > 0 {
		process = job.InRun.Process
	}
	env = envvar.With(env, r.rendezvous.Environ(job.InRun.Job, job.Name, process)...)
	env = envvar.With(env, m.servers.Variables(job)...)
	causes, output := &mpilauncher.CauseReport{}, &sync.WaitGroup{}
	files, err := r.console.ChildFiles(job.Number == 0, func(sink *stdio.Sink) *stdio.LineForwarder {
		return m.forwarder(job, sink, causes)
	}, output)
	if err != nil {
		return err
	}
	defer func() { files.Close() }()
	if job.Acprun {
		write, err := m.readReport(job, output)
		if err != nil {
			return err
		}
		files = append(files, write)
		env = envvar.With(env, envvar.Report+"=3")
	}
	if r.opts.Debug {
		r.console.Say("%v: /bin/sh -c %s", job, shell.Quote(job.Line))
	}
	number := job.Number
	id, err := r.children.Start("/bin/sh", []string{"sh", "-c", job.Line},
		&os.ProcAttr{Dir: job.Dir, Env: env, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}},
		func(status exit.Status) { go m.launcherEnded(number, status, causes, output) })
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", job.LauncherName, err)
	}
	r.leaders.started(number, id)
	r.sup.LauncherStarted(number, id.PID)
	debuglog.Launch.Printf("%v: started pid %d: /bin/sh -c %s", job, id.PID, shell.Quote(job.Line))
	m.describeStart(job, id.PID)
	return nil
}

// describeStart prints which job was started on which hosts, for -verbose.
func (m *macprunJobs) describeStart(job *plan.Job, pid int) {
	kind := job.LauncherName
	if !job.Acprun {
		kind += ", " + job.MPI.String()
	}
	where := "this host"
	if job.Hosts != nil {
		where = strings.Join(job.Hosts, ",")
	}
	m.runner.console.Verbose("%v: %s on %s: %s (%s, pid %d)", job, plan.RankRange(job), where, job.Line, kind, pid)
}

// forwarder returns the line forwarder for one stream of a job.
func (m *macprunJobs) forwarder(job *plan.Job, sink *stdio.Sink, causes *mpilauncher.CauseReport) *stdio.LineForwarder {
	forwarder := &stdio.LineForwarder{Sink: sink, See: causes.Reader(job.MPI.Family)}
	if m.runner.opts.TagOutput && !job.Acprun {
		forwarder.Tag = mpilauncher.JobTag(job)
	}
	return forwarder
}

// launcherEnded handles the end of a job's launcher, on a goroutine of its own. The output and the report of
// the launcher may explain its status, so launcherEnded waits until they have been read. It does not wait if
// a signal has killed the launcher itself: the signal explains the end of the job's processes.
func (m *macprunJobs) launcherEnded(job int, status exit.Status, causes *mpilauncher.CauseReport, output *sync.WaitGroup) {
	if status.Signal == 0 {
		done := make(chan struct{})
		go func() {
			output.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(supervise.EventLimit):
		}
		status = causes.Explain(status)
	}
	r := m.runner
	r.loop.post(func() {
		if status.OK() && m.startsNothing(job) {
			p := r.plan.Launched(job)
			r.sup.Stop(fmt.Sprintf("%v: %s %v, and none of its %d processes has called acp_init; macprun does not know this launcher", p, p.Launcher, status, p.Size), exit.Failure)
		}
		p := r.plan.Launched(job)
		if status.Signal != 0 && r.sup.JobApart(job) && r.sup.Outcome() == nil {
			r.console.Say("acprun of %v (%s) %v; the run goes on", p, plan.RankRange(p), status)
		}
		m.noneComes(p, fmt.Sprintf("acprun of %v (%s) %v", p, plan.RankRange(p), status))
		r.sup.LauncherEnded(job, status, causes.Cause(), time.Now())
		r.leaders.ended(job)
		if r.sup.Outcome() == nil {
			for rank := p.First; rank < p.First+p.Size; rank++ {
				r.added.ended(rank)
			}
		}
		debuglog.Launch.Printf("%v: %s %v", p, p.LauncherName, status)
		r.console.Verbose("%v: %s %v", p, p.LauncherName, status)
	})
}

// noneComes tells the ranks of the run and the launcher that has asked for the processes of a job why those do not join that have not joined.
// It does nothing about processes that belong to the run.
func (m *macprunJobs) noneComes(job *plan.Job, cause string) {
	for member := job.First; member < job.First+job.Size; member++ {
		if m.runner.sup.Apart(member) {
			m.runner.doesNotCome(member, cause)
		}
	}
}

// startsNothing reports whether there is no sign that the launcher of a job starts processes: it is no known
// launcher, and no process of the job has joined the run.
func (m *macprunJobs) startsNothing(number int) bool {
	job := m.runner.plan.Launched(number)
	if job.KnownLauncher() {
		return false
	}
	for member := job.First; member < job.First+job.Size; member++ {
		if m.runner.sup.Member(member).Joined {
			return false
		}
	}
	return true
}

// readReport returns the writing end of the pipe for the report of an acprun. done counts until
// the report has ended.
func (m *macprunJobs) readReport(job *plan.Job, done *sync.WaitGroup) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	first, size := job.First, job.Size
	done.Go(func() {
		defer read.Close()
		message.ReadReport(read, size, func(n message.RankNote) {
			m.runner.loop.post(func() { m.rankNote(first+n.Rank, n) })
		})
	})
	return write, nil
}

// rankNote handles the report of an acprun about one of its processes.
func (m *macprunJobs) rankNote(member int, n message.RankNote) {
	r := m.runner
	switch {
	case n.Failure != "":
		job := r.plan.Launched(r.sup.JobOf(member))
		text := fmt.Sprintf("acprun of %v (%s): %s", job, plan.RankRange(job), n.Failure)
		if n.Alone {
			text = fmt.Sprintf("acprun of %v: %s: %s", job, ranges.Of([]int{member}), n.Failure)
		}
		switch {
		case n.Alone && r.sup.Apart(member):
			r.gone(n.Failure, member)
		case r.sup.JobApart(job.Number):
			r.console.Say("%s; the run goes on", text)
			m.noneComes(job, n.Failure)
		default:
			r.sup.JobFailed(job.Number, text, n.Status)
			if n.Alone {
				r.sup.Gone(member)
			}
		}
	case n.Ended != nil:
		r.noteApart(member, *n.Ended)
		r.sup.ProcessEnded(member, *n.Ended, time.Now())
		if r.sup.Outcome() == nil {
			r.added.ended(member)
		}
	default:
		r.sup.ProcessStarted(member, n.PID, n.Host)
		r.starts.started(member)
		r.console.Verbose("%s started", r.sup.Describe(member))
	}
}
