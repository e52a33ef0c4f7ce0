package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/control"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/rendezvous"
	"github.com/goacp/goacp/internal/launch/shell"
	"golang.org/x/sys/unix"
)

// runDirs returns where the private directories of runs are on this host.
func runDirs() control.RunDirs {
	return control.RunDirs{Directories: []string{process.MemoryDir, os.TempDir()}, Prefix: process.RunDirPrefix}
}

// checkAttach returns an error if options of the command line contradict -to.
func (c *command) checkAttach() error {
	if !c.opts.Attaches() {
		return nil
	}
	for option, given := range map[string]bool{"-guests": c.opts.Guests.Given, "-join": c.opts.Join != "", "-multirun": c.opts.Multirun, "-max": c.opts.Max > 0} {
		if given {
			return &config.UsageError{Option: option, Err: errors.New("is for a run of its own, and -to attaches the processes to another run")}
		}
	}
	return nil
}

// checkModes returns an error if processes cannot be guests because of their network.
func (r *runner) checkModes(p *plan.Plan) error {
	for _, job := range p.Jobs {
		if job.Mode == bridge.ModeRMA || r.opts.Net == bridge.ModeRMA.String() {
			return &config.UsageError{Option: "-net", Err: errors.New("rma: windows of MPI do not reach the processes of another run; expected auto, shm or tcp")}
		}
	}
	return nil
}

// attach attaches the jobs of a plan to the run of option -to. given has the names of the jobs that the user has given;
// "" = none. It returns the origin of the first job in the run, and the names of all jobs there. Blocks while the ranks
// of that run start. A signal that asks for the end, and the time limit, end the wait.
func (r *runner) attach(p *plan.Plan, given func(job int) string) (origin plan.Origin, names []string, err error) {
	if err := r.checkModes(p); err != nil {
		return origin, nil, err
	}
	conn, err := r.dialRun(r.opts.To)
	if err != nil {
		return origin, nil, fmt.Errorf("option -to %v: %w", r.opts.To, err)
	}
	q := control.Request{Secure: r.opts.Secure, PID: os.Getpid(), Host: r.local.Host,
		Command: shell.Join(append([]string{r.program.String()}, r.args...)),
		Remote:  r.opts.To.Host != "" && !r.local.IsLocal(r.opts.To.Host) || len(plan.RemoteHosts(p, r.local.IsLocal)) > 0}
	for j, job := range p.Jobs {
		q.Jobs = append(q.Jobs, bridge.GuestJob{Job: bridge.Job{Name: job.Name, Size: job.Size}, Derived: given(j) == ""})
	}
	type result struct {
		attachment *control.Attachment
		err        error
	}
	results := make(chan result, 1)
	go func() {
		a, err := control.Attach(conn, q,
			func(e bridge.Event) { r.loop.post(func() { r.guestEvent(e) }) },
			func(error) { r.loop.post(func() { r.runLost() }) })
		results <- result{a, err}
	}()
	for {
		select {
		case got := <-results:
			if got.err == nil {
				r.rendezvous, got.err = rendezvous.OfGuests(got.attachment, r.runDir)
			}
			if got.err != nil {
				return origin, nil, fmt.Errorf("option -to %v: %w", r.opts.To, got.err)
			}
			a := got.attachment
			r.console.Verbose("attached to run %s, from rank %d on", a.Run, a.Rank)
			return plan.Origin{Job: a.Job, Rank: a.Rank}, a.Names, nil
		case sig := <-r.signals.c:
			if reason := endBefore(sig); reason != "" {
				conn.Close()
				return origin, nil, fmt.Errorf("%s while the ranks of run %v start", reason, r.opts.To)
			}
		}
	}
}

// dialRun connects to the launcher of a run.
func (r *runner) dialRun(to config.Target) (io.ReadWriteCloser, error) {
	if to.Host == "" {
		return control.Dial(runDirs(), to.Run)
	}
	return r.hosts.Relay(to.Host, to.Run)
}

// guestEvent handles an event of the run to which the processes have attached. Its numbers are those of the run.
func (r *runner) guestEvent(e bridge.Event) {
	if e.Kind == bridge.RunEnded {
		r.sup.Stop(e.Text, exit.Failure)
		return
	}
	if e.Member >= 0 {
		e.Member -= r.plan.Rank(0)
	}
	e.Job -= r.plan.Jobs[0].InRun.Job
	if e.Member >= r.plan.Total || e.Member < 0 && e.Kind != bridge.Rejected && e.Kind != bridge.Ready {
		return // no launcher sends that
	}
	r.memberEvent(e)
}

// runLost ends the processes because the launcher of their run has ended.
func (r *runner) runLost() {
	r.sup.Stop(fmt.Sprintf("the launcher of run %s, to which the processes have attached, has ended", r.rendezvous.Attached()), exit.Failure)
}

// relayMain is acprun as the relay of a launcher on another host. It returns the exit status.
func relayMain(std StdIO, run string) int {
	signal.Ignore(unix.SIGPIPE)
	// The launcher on the other host notices the end of either side by itself.
	_ = control.Relay(runDirs(), run, std.Stdin, std.Stdout)
	return 0
}
