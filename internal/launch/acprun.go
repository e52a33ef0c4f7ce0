package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/remote"
	"github.com/goacp/goacp/internal/launch/rendezvous"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// Acprun is the program acprun: it starts the processes of one job, waits until all of them
// have ended, and returns the exit status. The process must not have other children.
func Acprun(std StdIO) int { return startJob(config.Acprun, std) }

// Dmimw is the program dmimw: acprun for programs with DMI, with options of its own.
func Dmimw(std StdIO) int { return startJob(config.Dmimw, std) }

// startJob is the program p, which starts one job.
func startJob(p config.Program, std StdIO) int {
	switch {
	case slices.Equal(std.Args, []string{process.CleanerArg}):
		return process.CleanerMain(std.Stdin)
	case slices.Equal(std.Args, []string{remote.ProxyArg}):
		return remote.Proxy(std.Stdin, std.Stdout, std.Stderr)
	}
	if run, ok := remote.RelayTarget(std.Args); ok {
		return relayMain(std, run)
	}
	return runCommand(p, std, (*command).acprun)
}

// acprun plans and runs.
func (c *command) acprun() (int, error) {
	if err := c.checkAttach(); err != nil {
		return 0, err
	}
	if c.opts.Resizes() {
		return c.resize()
	}
	if c.opts.List {
		return Acpstat(StdIO{Stdout: c.std.Stdout, Stderr: c.std.Stderr}), nil
	}
	limitsGiven := c.opts.Hook.Idle()
	hosts, local, err := c.surroundings()
	if err != nil {
		return 0, err
	}
	if c.program == config.Dmimw {
		if err := c.opts.CompleteDMI(hosts); err != nil {
			return 0, err
		}
	}
	if limitsGiven && c.opts.Hook.Idle() {
		c.say("warning: -mhooklow and -mhookhigh switch nothing on, as -mhooksmall, -mhooklarge and -mhookhuge do; they are limits for programs that are linked with libacphook")
	}
	job := &acprunJob{slurmJobs: map[int]string{}, variables: map[int][]string{}}
	p := plan.NewAcprun(c.opts, hosts)
	if c.opts.SlurmJob != "" {
		for rank := range p.Total {
			job.slurmJobs[rank] = c.opts.SlurmJob
		}
	}
	if p.Jobs[0].Hook {
		if job.hook, err = findHook(c.opts); err != nil {
			return 0, err
		}
	}
	if c.opts.Multirun {
		if job.part, err = c.partOfRun(); err != nil {
			return 0, err
		}
		p.BecomePart(plan.Origin{Job: job.part.Job, Rank: c.opts.OffsetRank, Process: max(job.part.JobRank, 0)}, job.part.JobName)
	}
	if job.runner, err = newRunner(c, local); err != nil {
		return 0, err
	}
	if c.opts.Attaches() {
		origin, names, err := job.runner.attach(p, func(int) string { return "" })
		if err != nil {
			return 0, job.runner.cancel(err)
		}
		p.BecomePart(origin, names[0])
	}
	job.runner.follow(p)
	return job.runner.run(job), nil
}

// findHook returns the path of the library that the options for malloc need.
func findHook(opts *config.Options) (string, error) {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	var path string
	if err == nil {
		path, err = process.FindHook(exe)
	}
	if err != nil {
		return "", fmt.Errorf("option %s: %w", opts.Hook.Options(), err)
	}
	return path, nil
}

// partOfRun returns the place in the run that macprun has given to this acprun.
func (c *command) partOfRun() (bridge.Env, error) {
	env, set, err := bridge.EnvFromOS(func(name string) string { v, _ := envvar.Lookup(c.std.Environ, name); return v })
	if err == nil && !set {
		err = &config.UsageError{Option: "-multirun", Err: fmt.Errorf("is for acprun as a part of macprun only, but %s is not set", envvar.Rendezvous)}
	}
	return env, err
}

// acprunJob is the one job of an acprun. Its leaders are its ranks.
type acprunJob struct {
	runner *runner
	part   bridge.Env // the place that macprun has given to the job, if it is a part of a run
	hook   string     // path of libacphook; "" = not preloaded
	// slurmJobs has the job of Slurm of each rank that runs in another one than this launcher.
	slurmJobs map[int]string
	// variables has, for each rank that came later, variables of its own in addition to those of the job.
	variables map[int][]string
}

// job returns the job in the plan.
func (a *acprunJob) job() *plan.Job { return &a.runner.plan.Jobs[0] }

// leaders implements jobs.
func (a *acprunJob) leaders() int { return a.job().Size }

// endsItself implements jobs: acprun has to ask its ranks to end.
func (a *acprunJob) endsItself(int) bool { return false }

// leaderOf implements jobs: every rank is a leader.
func (a *acprunJob) leaderOf(member int) int { return member }

// endServers implements jobs: acprun has no servers.
func (a *acprunJob) endServers(map[int]bool) {}

// start implements jobs. It starts the ranks on this host directly, and the others through one
// proxy for each host.
func (a *acprunJob) start() error {
	r := a.runner
	var err error
	connections := r.plan.Total
	if r.opts.Multirun {
		connections = 0
		r.rendezvous = rendezvous.OfPart(a.part)
		r.report, err = message.NewReporter(r.environ)
		r.openPartSurvey(filepath.Dir(a.part.TokenFile), a.job().InRun.Rank)
	}
	if err == nil {
		err = r.checkFiles(a.ranksHere(), connections)
	}
	if err == nil && !r.opts.Multirun {
		err = r.open()
	}
	if err != nil {
		return err
	}
	var elsewhere []int
	for rank := range a.job().Size {
		if !a.isHere(rank) {
			elsewhere = append(elsewhere, rank)
			continue
		}
		if err := a.startHere(rank); err != nil {
			return fmt.Errorf("rank %d: %w", a.job().InRun.Rank+rank, err)
		}
	}
	a.startElsewhere(elsewhere, func(_ []int, failed error) {
		if err == nil {
			err = failed
		}
	})
	return err
}

// hostOf returns the host of a rank; "" = this one.
func (a *acprunJob) hostOf(rank int) string {
	if hosts := a.job().Hosts; hosts != nil {
		return hosts[rank]
	}
	return ""
}

// placeOf implements jobs.
func (a *acprunJob) placeOf(member int) (host, slurmJob string) {
	return a.hostOf(member), a.slurmJobs[member]
}

// isHere reports whether this launcher itself starts a rank: it runs on this host and in the allocation of the launcher.
func (a *acprunJob) isHere(rank int) bool {
	host := a.hostOf(rank)
	return a.slurmJobs[rank] == "" && (host == "" || a.runner.local.IsLocal(host))
}

// ranksHere returns how many ranks run on this host.
func (a *acprunJob) ranksHere() int {
	n := 0
	for rank := range a.job().Size {
		if a.isHere(rank) {
			n++
		}
	}
	return n
}

// environ returns the environment of a rank.
func (a *acprunJob) environ(rank int) []string {
	env := slices.DeleteFunc(slices.Clone(a.runner.environ), func(entry string) bool {
		return strings.HasPrefix(entry, envvar.Report+"=")
	})
	env = envvar.With(env, a.job().Env...)
	env = envvar.With(env, a.variables[rank]...)
	if a.hook != "" {
		env = process.WithHook(env, a.hook)
	}
	return envvar.With(env, a.runner.rendezvous.Environ(a.job().InRun.Job, a.job().Name, a.job().InRun.Process+rank)...)
}

// tag returns the tag for the output of a rank, or nil without -tag-output.
func (a *acprunJob) tag(rank int) func([]byte) (string, []byte) {
	if !a.runner.opts.TagOutput {
		return nil
	}
	name := ""
	if a.runner.opts.Multirun {
		name = a.job().Name
	}
	return stdio.RankTag(a.job().InRun.Rank+rank, name)
}

// startHere starts a rank on this host.
func (a *acprunJob) startHere(rank int) error {
	r, job := a.runner, a.job()
	env := a.environ(rank)
	path, err := process.FindProgram(job.Argv[0], "", env)
	if err != nil {
		return err
	}
	files, err := r.console.ChildFiles(rank == 0, func(sink *stdio.Sink) *stdio.LineForwarder {
		return &stdio.LineForwarder{Sink: sink, Tag: a.tag(rank)}
	}, nil)
	if err != nil {
		return err
	}
	defer files.Close()
	if r.opts.Debug {
		r.console.Say("rank %d: %s", job.InRun.Rank+rank, shell.Join(job.Argv))
	}
	id, err := r.children.Start(path, job.Argv, &os.ProcAttr{Env: env, Files: files, Sys: a.sysAttr()},
		func(status exit.Status) { r.loop.post(func() { a.RankEnded(rank, status) }) })
	if err != nil {
		return process.StartError(job.Argv[0], path, err)
	}
	r.leaders.started(rank, id)
	a.RankStarted(rank, id.PID, r.local.Host)
	return nil
}

// sysAttr makes a rank the leader of a session. A rank of a part of a run stays in the session
// that macprun has made for the job, and leads a process group.
func (a *acprunJob) sysAttr() *syscall.SysProcAttr {
	whole := !a.runner.opts.Multirun
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: whole, Setpgid: !whole}
}

// RankStarted implements remote.RankEvents. It is called for ranks on this host as well.
func (a *acprunJob) RankStarted(rank, pid int, host string) {
	r := a.runner
	r.sup.ProcessStarted(rank, pid, host)
	r.starts.started(rank)
	r.report.Tell(message.RankNote{Rank: rank, PID: pid, Host: host})
	debuglog.Launch.Printf("%s started: %s", r.sup.Describe(rank), shell.Join(a.job().Argv))
	r.console.Verbose("%s started: %s", r.sup.Describe(rank), shell.Join(a.job().Argv))
}

// RankEnded implements remote.RankEvents. It is called for ranks on this host as well.
func (a *acprunJob) RankEnded(rank int, status exit.Status) {
	r := a.runner
	r.report.Tell(message.RankNote{Rank: rank, Ended: &status})
	r.noteApart(rank, status)
	r.sup.ProcessEnded(rank, status, time.Now())
	if r.sup.Outcome() == nil {
		// Otherwise the launcher in the other allocation waits for the end of this one, which may have to clean up there.
		r.added.ended(rank)
	}
	r.leaders.ended(rank)
	debuglog.Launch.Printf("%s %v", r.sup.Describe(rank), status)
	r.console.Verbose("%s %v", r.sup.Describe(rank), status)
}

// RankFailed implements remote.RankEvents.
func (a *acprunJob) RankFailed(rank int, host, reason string) {
	text := fmt.Sprintf("rank %d on host %s: %s", a.job().InRun.Rank+rank, host, reason)
	a.rankGone(rank, text, fmt.Sprintf("host %s: %s", host, reason), exit.Failure)
}

// HostLost implements remote.RankEvents.
func (a *acprunJob) HostLost(rank int, host, remoteShell string, status exit.Status) {
	cause := fmt.Sprintf("host %s is lost: %s %v", host, remoteShell, status)
	a.rankGone(rank, fmt.Sprintf("%s while rank %d ran there", cause, a.job().InRun.Rank+rank), cause, max(status.ExitStatus(), 1))
}

// rankGone handles a rank whose end no proxy can report: it ends the run, unless that goes on without the rank. cause does not name the rank, text does.
func (a *acprunJob) rankGone(rank int, text, cause string, status int) {
	r := a.runner
	switch {
	case r.sup.Apart(rank):
		r.gone(cause, rank)
		return
	case r.opts.Max > 0 && r.report != nil:
		// macprun knows whether the run goes on without the rank.
		r.report.Tell(message.RankNote{Rank: rank, Failure: cause, Status: status, Alone: true})
		r.sup.Gone(rank)
		return
	}
	r.sup.Stop(text, status)
	r.sup.Gone(rank)
	r.reportFailure()
}
