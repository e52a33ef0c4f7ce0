package launch

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
	"golang.org/x/sys/unix"
)

// Times of the end of a run.
const (
	// graceAfterFailure is what processes get to end by themselves after one of
	// them has failed.
	graceAfterFailure = 700 * time.Millisecond
	// graceAfterSignal is what they get after a signal of the user.
	graceAfterSignal = 5 * time.Second
	// killLimit is how long the launcher waits for killed processes. Only one
	// that hangs in the kernel needs longer.
	killLimit = 3 * time.Second
	// outputLimit is how long the launcher waits for the rest of the output.
	outputLimit = 2 * time.Second
	// stopNoticed is how late a timer must fire for the launcher to conclude that it was
	// stopped meanwhile, by Ctrl-Z for example.
	stopNoticed = time.Second
)

// StdIO is how a launcher talks to its surroundings.
type StdIO struct {
	Args                  []string // without the program's name
	Environ               []string
	Stdin, Stdout, Stderr *os.File
}

// OS returns the standard input, output and error, arguments and environment
// of this process.
func OS() StdIO {
	return StdIO{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
}

// runner runs one plan. All its fields belong to the goroutine that called run;
// other goroutines post what they have to say to the event loop.
type runner struct {
	std     StdIO
	program config.Program
	opts    *config.Options
	plan    *plan.Plan
	runDir  string // "" in a part of a run, whose whole has one
	local   *localNames
	out     *stdio.Sink
	err     *stdio.Sink

	loop    *eventLoop
	signals signalInbox
	reaper  *process.ChildReaper
	janitor *process.Cleaner
	server  *bridge.Server // nil in a part of a run
	token   bridge.Token
	secure  bool // connections of the run are encrypted
	// tokenFile holds the token on this host, and on those where keepers are.
	tokenFile string
	rdv       []string // addresses of the rendezvous
	sup       *supervise.Supervisor
	belong    *process.Scope
	relays    sync.WaitGroup
	proxies   []*proxyClient
	leaders   []process.Identity // what was started on this host, by job (macprun) or rank (acprun); zero = ended
	services  []*service         // by which jobs meet
	report    *message.Reporter
	routes    routeReport
	watched   map[int]*process.ExitWatch // processes of MPI jobs on this host, by member

	stdinTaken bool
	ending     bool
	announced  bool // the user has read why the run ends
	reported   bool // the macprun above has been told
	killAt     time.Time
	giveUpAt   time.Time
	killing    bool
}

// partOfRun reports whether this launcher is acprun under macprun, which then
// owns rendezvous, janitor and messages.
func (r *runner) partOfRun() bool { return r.opts.Multirun }

// say writes one line of the launcher itself.
func (r *runner) say(format string, args ...any) {
	// If standard error is gone there is nobody left to tell.
	_ = r.err.Message(r.program.String() + ": " + fmt.Sprintf(format, args...))
}

// verbose writes a line if the user asked for it.
func (r *runner) verbose(format string, args ...any) {
	if r.opts.Verbose {
		r.say(format, args...)
	}
}

// run starts the plan, waits for its end and returns the exit status.
func (r *runner) run(start func() error) int {
	r.signals = r.notify()
	defer r.signals.stop()
	r.out.Failed = func() {
		r.loop.post(func() {
			r.conclude(supervise.Verdict{Text: "standard output was closed", Status: 128 + int(unix.SIGPIPE), Member: -1})
		})
	}
	if err := start(); err != nil {
		r.conclude(supervise.Verdict{Text: err.Error(), Status: 1, Member: -1})
		r.waitForStarted()
	}
	var limit <-chan time.Time
	if r.opts.Timeout > 0 {
		limit = time.After(r.opts.Timeout)
	}
	for !r.over() {
		r.act(time.Now())
		due := r.due(time.Now())
		select {
		case <-r.loop.wake:
			r.loop.drain()
		case now := <-time.After(max(time.Until(due), 0)):
			if late := now.Sub(due); late > stopNoticed {
				r.sup.Postpone(late + supervise.GraceForNews)
			}
			r.sup.Tick(now)
			r.routes.look(r)
		case sig := <-r.signals.c:
			r.signal(sig)
		case <-limit:
			r.conclude(supervise.Verdict{Text: fmt.Sprintf("time limit of %v reached, ending the run", r.opts.Timeout), Status: exit.Timeout, Member: -1})
		}
	}
	r.act(time.Now())
	r.finish()
	return r.sup.ExitStatus()
}

// waitForStarted forgets what has not been started, so that the run ends without waiting
// for it.
func (r *runner) waitForStarted() {
	number := len(r.plan.Jobs)
	if r.program == config.Acprun {
		number = r.plan.Total
	}
	for i := range number {
		here := i < len(r.leaders) && r.leaders[i] != (process.Identity{})
		elsewhere := r.program == config.Acprun && slices.ContainsFunc(r.proxies, func(p *proxyClient) bool { return slices.Contains(p.ranks, i) })
		if !here && !elsewhere {
			r.sup.NeverStarted(i)
		}
	}
}

func (r *runner) conclude(v supervise.Verdict) { r.sup.Conclude(v) }

// over reports whether everything that was started has ended, or will not.
func (r *runner) over() bool {
	return (r.sup.Finished() && !r.sup.Asking()) || (!r.giveUpAt.IsZero() && time.Now().After(r.giveUpAt))
}

// due is when something is to be done at the latest.
func (r *runner) due(now time.Time) time.Time {
	due := now.Add(time.Hour)
	if at, ok := r.sup.Deadline(); ok && at.Before(due) {
		due = at
	}
	for _, at := range []time.Time{r.killAt, r.giveUpAt} {
		if !at.IsZero() && at.After(now) && at.Before(due) {
			due = at
		}
	}
	if r.killing && due.After(now.Add(20*time.Millisecond)) {
		due = now.Add(20 * time.Millisecond)
	}
	if r.routes.waiting && due.After(now.Add(50*time.Millisecond)) {
		due = now.Add(50 * time.Millisecond)
	}
	return due
}

// act carries out what the verdict demands.
func (r *runner) act(now time.Time) {
	v := r.sup.Outcome()
	if v == nil {
		return
	}
	if r.report != nil && v.Member >= 0 && !r.ending {
		// macprun knows, and ends the run. To end other processes from here could
		// make one of them seem to be the first that died.
		return
	}
	if !r.ending {
		r.ending = true
		r.killAt = now.Add(r.end(v))
	}
	if r.report != nil && !r.reported && (v.Settled() || !now.Before(r.killAt)) {
		r.reported = true
		// The macprun above knows of the processes already.
		if v.Member < 0 {
			r.report.Tell(message.RankNote{Failure: v.Text, Status: v.Status})
		}
	}
	if !r.killing && !now.Before(r.killAt) {
		r.killing = true
		r.giveUpAt = now.Add(killLimit)
	}
	if r.killing {
		r.kill()
	}
}

// end asks everything that runs to end, and returns how long that may take.
func (r *runner) end(v *supervise.Verdict) time.Duration {
	patience := graceAfterFailure
	if !v.Settled() {
		patience = supervise.GraceForStatus
	}
	// The rendezvous ends all ranks that have joined, and an MPI launcher ends with its
	// ranks. A signal that reaches it while it does would have it complain, or crash:
	// mpirun of Open MPI 4 does.
	spared := map[int]bool{r.culprit(): true}
	for number, leader := range r.leaders {
		if r.program == config.Macprun && leader != (process.Identity{}) && r.sup.EndsItself(number) {
			spared[number] = true
			patience = supervise.GraceForStatus
		}
	}
	if r.server != nil {
		r.server.Abort(v.Text)
	}
	r.forward(unix.SIGTERM, spared)
	return patience
}

// culprit is the number of the leader that is left to end by itself, because
// its status is still to tell how the process ended that is to blame; -1 if none is.
func (r *runner) culprit() int {
	v := r.sup.Outcome()
	switch {
	case v.Final || v.Member < 0:
		return -1
	case r.program == config.Macprun:
		return r.sup.JobOf(v.Member)
	}
	return v.Member
}

// kill ends everything that is left, here and on other hosts.
func (r *runner) kill() {
	for number, leader := range r.leaders {
		if process.HostProc.Running(leader) {
			r.sup.LeaderSignalled(number, unix.SIGKILL)
		}
	}
	// If /proc cannot be read there is nothing better to be done than to go on.
	_, _ = r.belong.SignalAll(unix.SIGKILL)
	for _, p := range r.proxies {
		p.close()
	}
}

// finish removes what the run leaves behind and waits for its last output.
func (r *runner) finish() {
	patience := graceAfterFailure
	if r.sup.Outcome() != nil {
		patience = 0
	}
	r.belong.EndAll(patience, killLimit)
	for _, p := range r.proxies {
		p.close()
	}
	r.waitOutput()
	for _, p := range r.proxies {
		r.belong.Include(p.id)
	}
	left := r.belong.EndAll(patience, killLimit)
	if r.server != nil {
		// All members are gone; what closing their connections says is of no interest.
		_ = r.server.Close()
	}
	r.loop.drain()
	if r.runDir != "" {
		if err := os.RemoveAll(r.runDir); err != nil {
			r.say("cannot remove %s: %v", r.runDir, err)
		}
	}
	r.janitor.Dismiss()
	r.reaper.Stop()
	if left > 0 {
		r.say("%d processes of the run could not be ended", left)
	}
	// The reason stands below everything that the run has caused others to say.
	if v := r.sup.Outcome(); v != nil && r.report == nil && !r.announced {
		r.say("%s", v.Text)
	}
}

// waitOutput waits until all output has been passed on, but not for ever: a
// process that left the run may hold its end of a pipe open.
func (r *runner) waitOutput() {
	done := make(chan struct{})
	go func() {
		r.relays.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(outputLimit):
	}
}

// forward sends a signal to what was started on this host and on others, but for
// the leaders whose numbers are spared.
func (r *runner) forward(sig unix.Signal, spared map[int]bool) {
	ends := sig == unix.SIGTERM || sig == unix.SIGINT || sig == unix.SIGHUP || sig == unix.SIGQUIT
	dvms := ends
	for number, leader := range r.leaders {
		if leader == (process.Identity{}) {
			continue
		}
		if spared[number] {
			dvms = dvms && !r.beneathDVM(number)
			continue
		}
		if ends && process.HostProc.Running(leader) {
			r.sup.LeaderSignalled(number, sig)
		}
		for _, target := range process.HostProc.SignalTargets(leader) {
			// The process may have ended meanwhile.
			_ = process.HostProc.Signal(target, sig)
		}
	}
	if dvms {
		r.endDVMs()
	}
	for _, p := range r.proxies {
		p.signal(sig)
	}
}

// output is a pipe whose other end a child writes to, relayed by lines. The
// caller closes the file when the child has it. done, which may be nil, counts
// the relay until the output has ended.
func (r *runner) output(relay *stdio.LineForwarder, done *sync.WaitGroup) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r.relays.Add(1)
	if done != nil {
		done.Add(1)
	}
	go func() {
		defer r.relays.Done()
		if done != nil {
			defer done.Done()
		}
		defer read.Close()
		relay.CopyFrom(read)
	}()
	return write, nil
}

// stdinFile is what a child reads: the run's standard input for the first that
// asks, nothing for all others.
func (r *runner) stdinFile(first bool) (*os.File, error) {
	if !first || r.stdinTaken {
		return os.Open(os.DevNull)
	}
	return stdio.ChildStdin(r.std.Stdin)
}

// sessionLeft tells the janitor what is left of a session whose leader has ended: its
// number means something else when the last of these processes is gone. All of them
// are descendants of this process, which needs no numbers to find them.
func (r *runner) sessionLeft(leader process.Identity) {
	if r.partOfRun() || leader == (process.Identity{}) {
		return
	}
	if left, err := r.belong.Remaining(leader.PID); err == nil {
		r.janitor.TellSession(leader.PID, left...)
	}
}
