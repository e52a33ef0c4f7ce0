package launch

import (
	"fmt"
	"os"
	"slices"
	"strings"
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
)

// Acprun is the program acprun: it starts the processes of one job and returns
// the exit status when all of them have ended. The process must not have other
// children. Blocks until the end of the run.
func Acprun(std StdIO) int {
	switch {
	case slices.Equal(std.Args, []string{process.CleanerArg}):
		return process.CleanerMain(std.Stdin)
	case slices.Equal(std.Args, []string{proxyArg}):
		return proxyMain(std)
	}
	c, status, done := begin(config.Acprun, std)
	if done {
		return status
	}
	status, err := c.acprun()
	if err != nil {
		return c.fail(err)
	}
	return status
}

// acprun plans and runs.
func (c *command) acprun() (int, error) {
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
	plan := plan.NewAcprun(c.opts, hosts)
	var part bridge.Env
	if c.opts.Multirun {
		env, set, err := bridge.EnvFromOS(func(name string) string { v, _ := envvar.Lookup(c.std.Environ, name); return v })
		if err != nil {
			return 0, err
		}
		if !set {
			return 0, &config.UsageError{Option: "-multirun", Err: fmt.Errorf("is for acprun as a part of macprun only, but %s is not set", envvar.Rendezvous)}
		}
		part = env
	}
	dir := ""
	if !c.opts.Multirun {
		if dir, err = process.MakeRunDir(); err != nil {
			return 0, err
		}
	}
	r, err := newRunner(c, local, dir, plan)
	if err != nil {
		return 0, removeUnused(dir, err)
	}
	return r.run(func() error { return r.startRanks(part) }), nil
}

// startRanks starts the processes of acprun's one job: those on this host
// directly, the others through one proxy per host.
func (r *runner) startRanks(part bridge.Env) error {
	if r.partOfRun() {
		r.rdv, r.token, r.tokenFile, r.secure = part.Rendezvous, part.Token, part.TokenFile, part.Secure
		report, err := message.NewReporter(r.std.Environ)
		if err != nil {
			return err
		}
		r.report = report
	} else if err := r.open(); err != nil {
		return err
	}
	job := &r.plan.Jobs[0]
	remote := map[string][]int{}
	var order []string
	r.leaders = make([]process.Identity, job.Size)
	for rank := range job.Size {
		if host := hostOf(job, rank); host != "" && !r.local.isLocal(host) {
			if remote[host] == nil {
				order = append(order, host)
			}
			remote[host] = append(remote[host], rank)
			continue
		}
		if err := r.startRank(job, part.Job, rank); err != nil {
			return err
		}
	}
	for _, host := range order {
		if err := r.startRemote(job, part.Job, host, remote[host]); err != nil {
			return err
		}
	}
	return nil
}

// hostOf is the host of a process; "" for this one.
func hostOf(job *plan.Job, rank int) string {
	if job.Hosts == nil {
		return ""
	}
	return job.Hosts[rank]
}

// rankEnv is the environment of one process of acprun.
func (r *runner) rankEnv(job *plan.Job, jobNumber, rank int) []string {
	env := slices.DeleteFunc(slices.Clone(r.std.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, envvar.Report+"=")
	})
	env = envvar.With(env, job.Env...)
	return envvar.With(env, r.memberEnv(jobNumber, rank)...)
}

// rankTagger writes the rank before each line, if the user wants that.
func (r *runner) rankTagger(job *plan.Job, rank int) func([]byte) (string, []byte) {
	if !r.opts.TagOutput {
		return nil
	}
	return stdio.RankTag(job.First + rank)
}

// startRank starts one process on this host.
func (r *runner) startRank(job *plan.Job, jobNumber, rank int) error {
	env := r.rankEnv(job, jobNumber, rank)
	path, err := process.FindProgram(job.Argv[0], env)
	if err != nil {
		return fmt.Errorf("rank %d: %w", job.First+rank, err)
	}
	stdin, err := r.stdinFile(rank == 0)
	if err != nil {
		return err
	}
	files := []*os.File{stdin}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, sink := range []*stdio.Sink{r.out, r.err} {
		out, err := r.output(&stdio.LineForwarder{Sink: sink, Tag: r.rankTagger(job, rank)}, nil)
		if err != nil {
			return err
		}
		files = append(files, out)
	}
	if r.opts.Debug {
		r.say("rank %d: %s", job.First+rank, shell.Join(job.Argv))
	}
	id, err := r.reaper.Start(path, job.Argv, &os.ProcAttr{Env: env, Files: files, Sys: r.rankAttr()},
		func(status exit.Status) { r.loop.post(func() { r.rankEnded(rank, status) }) })
	if err != nil {
		return fmt.Errorf("rank %d: %w", job.First+rank, process.StartError(job.Argv[0], path, err))
	}
	r.leaders[rank] = id
	if !r.partOfRun() {
		r.janitor.TellSession(id.PID, id)
	}
	r.rankStarted(rank, id.PID, r.local.host)
	return nil
}

// rankAttr makes a process a group of its own. A part of a run stays in the
// session that macprun has made for it and knows.
func (r *runner) rankAttr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if r.partOfRun() {
		attr.Setpgid = true
	} else {
		attr.Setsid = true
	}
	return attr
}

// rankStarted records the start of a process, on whatever host.
func (r *runner) rankStarted(rank, pid int, host string) {
	r.sup.ProcessStarted(rank, pid, host)
	r.report.Tell(message.RankNote{Rank: rank, PID: pid, Host: host})
	r.verbose("%s started: %s", r.sup.Describe(rank), shell.Join(r.plan.Jobs[0].Argv))
}

// rankEnded records the end of a process, on whatever host.
func (r *runner) rankEnded(rank int, status exit.Status) {
	r.report.Tell(message.RankNote{Rank: rank, Ended: &status})
	leader := r.leaders[rank]
	r.leaders[rank] = process.Identity{}
	r.sup.ProcessEnded(rank, status, time.Now())
	r.sessionLeft(leader)
	r.verbose("%s %v", r.sup.Describe(rank), status)
}
