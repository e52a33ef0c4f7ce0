package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/control"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/explain"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/remote"
	"github.com/goacp/goacp/internal/launch/rendezvous"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
	"github.com/goacp/goacp/internal/launch/survey"
	"golang.org/x/sys/unix"
)

const (
	// signalLimit is how long processes may take to end by themselves after a signal of
	// the user.
	signalLimit = 5 * time.Second
	// stoppedAfter is how late a timer must fire for the launcher to conclude that it was
	// stopped meanwhile, for example by Ctrl-Z.
	stoppedAfter = time.Second
)

// jobs has the operations that differ between acprun and macprun. Numbers of leaders are those of ranks
// (acprun) or jobs (macprun). The methods are called on the goroutine of the run.
type jobs interface {
	// start starts the run. If it fails, a part may have been started.
	start() error
	// leaders returns how many leaders the run has, and those on other hosts.
	leaders() int
	// endsItself reports whether a leader ends by itself after its ranks have ended because the run is over.
	endsItself(number int) bool
	// leaderOf returns the number of the leader whose status shows how a member has ended.
	leaderOf(member int) int
	// placeOf returns the host of a member as the plan names it, and its job of Slurm; "" = this host, and none or that around
	// this launcher.
	placeOf(member int) (host, slurmJob string)
	// grow begins to start so many more processes of a job that can grow. It fails if the run has no ranks for them, and
	// reports processes that cannot be started.
	grow(job *plan.Job, add newcomers) (*starting, error)
	// endServers asks servers of the run to end their processes, unless a spared leader needs the servers.
	endServers(spared map[int]bool)
}

// runner runs one plan. It belongs to the goroutine that has called run. Other goroutines post
// functions to its event loop.
type runner struct {
	program config.Program
	opts    *config.Options
	plan    *plan.Plan
	args    []string // of the launcher
	environ []string
	local   *rendezvous.LocalNames
	runDir  string // "" in a part of a run, whose macprun has one
	jobs    jobs

	allocation *control.Allocation // around this launcher; nil = none

	loop     *eventLoop
	signals  signalQueue
	console  *stdio.Console
	stderr   *os.File // of the launcher
	sup      *supervise.Supervisor
	children *process.Children
	leaders  leaders
	hosts    *remote.Hosts
	watches  exitWatches
	routes   routeReport
	ending   ending
	finished time.Time // when all started processes had ended
	surveyor *surveyor
	guests   guests
	starts   starts
	added    additions
	notes    []*apartNote
	stalls   stallWatch
	trace    traceWatch

	rendezvous *rendezvous.Rendezvous
	report     *message.Reporter // of a part of a run to its macprun; nil = none
	reported   bool              // the failure of the job has been reported to macprun
	announced  bool              // the line about the end has been printed
	cutShort   bool              // a signal or the time limit ends the run: the end does not wait for a reader that pauses
}

// newRunner begins a run that has no plan yet: it catches signals, starts the cleaner and makes the
// private directory, in this order. A part of a run has neither of the last two. The caller calls follow
// and run, or cancel.
func newRunner(c *command, local *rendezvous.LocalNames) (*runner, error) {
	r := &runner{program: c.program, opts: c.opts, args: c.std.Args, environ: c.std.Environ, local: local, allocation: c.around(),
		loop: newEventLoop(), added: additions{unwanted: map[int]string{}}, surveyor: newSurveyor(), stalls: newStallWatch(c.opts), signals: newSignalInbox(c.opts.Timeout),
		console: stdio.NewConsole(c.program.String(), c.opts.Verbose, c.std.Stdin, c.std.Stdout, c.std.Stderr), stderr: c.std.Stderr}
	var err error
	// If orphans of a part of a run were adopted by its acprun, macprun could not find them.
	if r.children, err = process.NewChildren(!c.opts.Multirun); err != nil {
		r.signals.stop()
		return nil, err
	}
	if !c.opts.Multirun {
		if err = r.children.StartCleaner(); err == nil {
			process.RemoveDeadRuns(r.sayRemoved)
			r.runDir, err = r.children.MakeRunDir(r.noteRefused)
		}
		if err != nil {
			return nil, r.cancel(err)
		}
	}
	r.hosts = &remote.Hosts{Shell: c.opts.RemoteShell, Srun: c.allocation.Srun, Environ: c.std.Environ, Debug: c.opts.Debug,
		Log:       debuglog.Config{Layers: c.opts.DebugLayers, File: c.opts.DebugFile},
		SignLimit: signLimit(c.opts), Console: r.console, Children: r.children, Post: r.loop.post, Transferred: r.saveTransfers}
	return r, nil
}

// sayRemoved prints the removed directory of a run whose launcher and cleaner were killed.
func (r *runner) sayRemoved(dir string, err error) {
	if err != nil {
		r.console.Say("warning: %s stays, which a run has left whose launcher was killed: %v", dir, err)
		return
	}
	r.console.Say("removed %s, which a run has left whose launcher was killed", dir)
}

// noteRefused logs a place that was refused for the private directory of the run, and the reason.
func (r *runner) noteRefused(place string, err error) {
	debuglog.Launch.Printf("the private directory of the run is not in %s: %v", place, err)
	r.console.Verbose("the private directory of the run is not in %s: %v", place, err)
}

// cancel ends a run that has not started any process of its plan. It returns err.
func (r *runner) cancel(err error) error {
	if failed := r.children.RemoveRunDir(); failed != nil {
		err = fmt.Errorf("%w; and %w", err, failed)
	}
	r.children.DismissCleaner()
	r.children.Stop()
	r.signals.stop()
	// Signals end this process now. So it may wait for a reader that pauses.
	<-r.console.Said()
	return err
}

// follow makes p the plan of the run.
func (r *runner) follow(p *plan.Plan) {
	r.plan = p
	for i := range p.Jobs {
		debuglog.Launch.Printf("plan: %s", describePlan(&p.Jobs[i]))
	}
	r.sup = supervise.New(p, r.program.OneJob(), r.local.Host)
	r.leaders = newLeaders(r.children, r.sup)
	r.watches = newExitWatches(r.sup, r.loop.post)
}

// describePlan returns the plan of a job as text, for the log.
func describePlan(job *plan.Job) string {
	where, what := "this host", "acprun starts its processes"
	if job.Hosts != nil {
		where = strings.Join(job.Hosts, ",")
	}
	if !job.Acprun {
		what = fmt.Sprintf("%s of %v starts its processes", job.LauncherName, job.MPI)
	}
	return fmt.Sprintf("%v is %s on %s, network %v; %s: %s", job, plan.RankRange(job), where, job.Mode, what, commandOf(job))
}

// checkFiles returns an error if this process may not open the files that it needs for so many leaders
// on this host, and for so many connections of ranks. Without a file for its connection a rank would
// wait without end.
func (r *runner) checkFiles(leaders, connections int) error {
	return process.CheckOpenFiles(filesToBegin + filesOfLeader*leaders + connections)
}

// open starts the rendezvous of a whole run. That of guests is there already.
func (r *runner) open() error {
	c := rendezvous.Config{RunDir: r.runDir, Secure: r.opts.Secure, Interface: r.opts.Interface, PortRange: r.opts.PortRange,
		RemoteHosts: plan.RemoteHosts(r.plan, r.local.IsLocal),
		Events:      func(e bridge.Event) { r.loop.post(func() { r.memberEvent(e) }) }}
	for _, job := range r.plan.Jobs {
		c.Jobs = append(c.Jobs, bridge.Job{Name: job.Name, Size: job.Size, Max: job.Max})
	}
	c.Guests, c.Network = r.opts.Guests.Seats(r.plan.Limit()), r.opts.Join == config.JoinNetwork
	var err error
	if !r.opts.Attaches() {
		r.rendezvous, err = rendezvous.Open(c)
	}
	if err != nil {
		return err
	}
	r.openSurvey(filepath.Join(r.runDir, survey.SocketName), func() any { return r.survey() })
	if (c.Guests > 0 || r.plan.Elastic()) && !r.opts.Attaches() {
		r.openControl(filepath.Join(r.runDir, control.SocketName))
	}
	return nil
}

// Numbers of files that a launcher opens for a run.
const (
	filesToBegin  = 12 // the rendezvous, the socket for acpstat, a process that is being started
	filesOfLeader = 2  // its standard output and error
)

// run starts the run, waits for its end and returns the exit status.
func (r *runner) run(j jobs) int {
	r.jobs = j
	defer r.signals.stop()
	r.console.Out.Failed = func(err error) { r.loop.post(func() { r.outputFailed(err) }) }
	err := r.earlySignals()
	if err == nil {
		err = r.beginTrace()
	}
	if err == nil {
		err = j.start()
	}
	if err != nil {
		r.sup.Stop(err.Error()+process.LimitAdvice(err), exit.Failure)
		r.forgetNeverStarted()
	}
	for !r.over() {
		r.act(time.Now())
		due := r.due(time.Now())
		select {
		case <-r.loop.wake:
			r.drain()
		case now := <-time.After(max(time.Until(due), 0)):
			if late := now.Sub(due); late > stoppedAfter {
				r.sup.Postpone(late + supervise.EventLimit)
			}
			r.sup.Tick(now)
			r.lookForStall(now)
			r.takeSample(now)
			r.routes.look(r.rendezvous, r.console)
		case sig := <-r.signals.c:
			r.signal(sig)
		}
	}
	r.act(time.Now())
	r.finish()
	return r.sup.ExitStatus()
}

// outputFailed ends the run because standard output cannot be written. Its reader may have ended, as
// head does when it has enough.
func (r *runner) outputFailed(err error) {
	if errors.Is(err, unix.EPIPE) {
		r.sup.Stop("standard output was closed", 128+int(unix.SIGPIPE))
		return
	}
	r.sup.Stop(fmt.Sprintf("cannot write standard output: %v", process.PathCause(err)), exit.Failure)
}

// drain calls the posted functions. Then it reports the remaining processes of all ended leaders to the
// cleaner at once.
func (r *runner) drain() {
	r.loop.drain()
	r.children.TellRemaining()
}

// forgetNeverStarted tells the supervisor which leaders were not started, so that the run does not wait for
// their ends.
func (r *runner) forgetNeverStarted() {
	for i := range r.jobs.leaders() {
		if !r.leaders.has(i) && !r.hosts.Has(i) {
			r.sup.NeverStarted(i)
		}
	}
}

// over reports whether all started processes have ended, or the launcher stops waiting.
func (r *runner) over() bool {
	if !r.sup.Finished() {
		return r.ending.givesUp(time.Now())
	}
	if r.finished.IsZero() {
		r.finished = time.Now()
	}
	return !r.sup.Asking() && !r.awaitsRun() || time.Since(r.finished) > supervise.StatusLimit
}

// awaitsRun reports whether the end of the run to which the processes have attached may explain their failure: they
// may have ended before this launcher has received that.
func (r *runner) awaitsRun() bool {
	return r.rendezvous.Attached() != "" && r.sup.Outcome() == nil && r.sup.ExitStatus() != 0 && time.Since(r.finished) < supervise.EventLimit
}

// due returns when the run must act at the latest.
func (r *runner) due(now time.Time) time.Time {
	due := now.Add(time.Hour)
	if at, ok := r.sup.Deadline(); ok && at.Before(due) {
		due = at
	}
	due = r.ending.due(now, due)
	if at := r.finished.Add(supervise.StatusLimit + time.Millisecond); !r.finished.IsZero() && at.Before(due) {
		due = at
	}
	if at := r.finished.Add(supervise.EventLimit); r.awaitsRun() && at.Before(due) {
		due = at
	}
	due = r.stalls.due(due)
	due = r.trace.due(due)
	if again := now.Add(routeInterval); r.routes.waiting && due.After(again) {
		due = again
	}
	return due
}

// routeInterval is the time between two looks whether the routes are known.
const routeInterval = 50 * time.Millisecond

// act ends the run if there is a verdict.
func (r *runner) act(now time.Time) {
	v := r.sup.Outcome()
	if v == nil {
		return
	}
	if r.report != nil && v.Member >= 0 && !r.ending.begun {
		// macprun gets the end of this rank, and ends the run. If this acprun ended the other ranks now, one
		// of them might seem to have died first.
		return
	}
	r.reportFailure()
	r.starts.finish("the run is ending")
	if !r.ending.begun {
		limit := r.askToEnd(v)
		debuglog.Launch.Printf("the run ends: %s; what is left after %v is killed", v.Text, limit)
		r.ending.begin(now, limit)
	}
	if !r.ending.killing && r.ending.timeOver(now) {
		debuglog.Launch.Printf("what is left is killed: it has not ended in time")
	}
	if r.ending.kills(now, process.KillLimit) {
		r.kill()
	}
}

// reportFailure reports to macprun why the job fails, unless a rank is to blame: the ends of ranks are
// reported anyway. It comes before all consequences of the failure.
func (r *runner) reportFailure() {
	v := r.sup.Outcome()
	if r.report == nil || r.reported || v == nil || v.Member >= 0 {
		return
	}
	r.reported = true
	r.report.Tell(message.RankNote{Failure: v.Text, Status: v.Status})
}

// askToEnd asks all running processes to end, and returns how long that may take.
func (r *runner) askToEnd(v *supervise.Verdict) time.Duration {
	limit := process.EndLimit
	spared := map[int]bool{}
	if !v.Settled() {
		limit = supervise.StatusLimit
	}
	if !v.Final && v.Member >= 0 {
		// The status of this leader is still needed to show how the rank has ended.
		spared[r.jobs.leaderOf(v.Member)] = true
	}
	// The rendezvous ends all ranks that have joined, and an MPI launcher ends with its ranks.
	// If a signal reached the launcher meanwhile, it would print an error, or crash as mpirun of
	// Open MPI 4 does.
	for number := range r.leaders.ids {
		if r.jobs.endsItself(number) {
			spared[number] = true
			limit = supervise.StatusLimit
		}
	}
	r.rendezvous.Abort(v.Text)
	r.forward(unix.SIGTERM, spared)
	return limit
}

// forward sends a signal to the leaders that are not spared, and to the processes on other
// hosts.
func (r *runner) forward(sig unix.Signal, spared map[int]bool) {
	r.leaders.signal(sig, spared)
	if asksToEnd(sig) {
		r.jobs.endServers(spared)
	}
	r.hosts.Signal(sig)
	r.noteSignalElsewhere(sig)
}

// noteSignalElsewhere records in the supervisor a signal to the ranks of acprun on other hosts.
func (r *runner) noteSignalElsewhere(sig unix.Signal) {
	for i := range r.jobs.leaders() {
		if r.program.OneJob() && r.hosts.Has(i) {
			r.sup.LeaderSignalled(i, sig)
		}
	}
}

// kill kills all remaining processes, on this host and on other hosts.
func (r *runner) kill() {
	r.leaders.noteKill()
	r.noteSignalElsewhere(unix.SIGKILL)
	// If /proc cannot be read, the launcher can only continue.
	_, _ = r.children.Scope.SignalAll(unix.SIGKILL)
	r.hosts.Close()
}

// finish removes the remains of the run and waits for the rest of the output.
func (r *runner) finish() {
	r.starts.finish("the run has ended")
	r.surveyor.close()
	r.guests.close()
	if r.rendezvous.Lost() { // the guests may have ended before the loop has heard of it
		r.runLost()
	}
	r.rendezvous.Detach() // before its remote shell ends, whose end would count as that of the run
	r.watches.close()
	limit := process.EndLimit
	if r.sup.Outcome() != nil {
		limit = 0
	}
	r.children.Scope.EndAll(limit, process.KillLimit)
	r.hosts.ClearLost(clearLimit)
	r.hosts.Close()
	if r.sup.Outcome() != nil {
		// Remote shells that hang hold the output open.
		_, _ = r.children.Scope.SignalAll(unix.SIGKILL)
	}
	r.awaitOutput(r.console.Passed())
	r.hosts.IncludeShells()
	left := r.children.Scope.EndAll(limit, process.KillLimit)
	r.rendezvous.Close()
	r.drain()
	r.sayRemaining()
	r.reportTransfers()
	if err := r.children.RemoveRunDir(); err != nil {
		r.console.Say("cannot remove the private directory of the run: %v", err)
	}
	r.children.DismissCleaner()
	r.children.Stop()
	r.added.finish() // launchers in other allocations have waited for the clean-up there, too
	if left > 0 {
		r.console.Say("%d processes of the run could not be ended", left)
	}
	// The reason is the last line, below the output of other programs.
	if v := r.sup.Outcome(); v != nil && r.report == nil && !r.announced {
		r.console.Say("%s", explain.Line(v.Text, r.stderr))
	}
	r.awaitOutput(r.console.Said())
}

// clearLimit is how long the end of a run waits for hosts whose proxies were killed.
const clearLimit = 2 * time.Second
