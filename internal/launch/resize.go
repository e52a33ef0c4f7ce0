package launch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/ground/ranges"
	"github.com/goacp/goacp/internal/launch/control"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/remote"
)

// resize is acprun as a command that asks for other ranks of a run. It returns the exit status.
func (c *command) resize() (int, error) {
	_, local, err := c.surroundings()
	if err != nil {
		return 0, err
	}
	r, err := newRunner(c, local)
	if err != nil {
		return 0, err
	}
	answer, err := r.requestResize()
	if err != nil {
		err = fmt.Errorf("option -to %v: %w", c.opts.To, err)
	}
	r.hosts.Close()
	if err := r.cancel(err); err != nil {
		return 0, err
	}
	c.say(answer)
	return 0, nil
}

// requestResize sends the request to the launcher of the run, and returns its answer.
func (r *runner) requestResize() (string, error) {
	conn, err := r.dialRun(r.opts.To)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	return control.Ask(conn, control.Resize{Add: r.opts.Add, Leave: r.opts.Leave})
}

// Resize implements control.Run.
func (c controlledRun) Resize(q *control.Resize) (answer string, err error) {
	done := make(chan struct{})
	c.r.loop.post(func() {
		defer close(done)
		answer, err = c.r.resizeRun(q)
	})
	<-done
	return answer, err
}

// resizeRun asks ranks to leave and starts further ones.
func (r *runner) resizeRun(q *control.Resize) (string, error) {
	if len(q.Leave) > 0 {
		if err := r.rendezvous.AskLeave(q.Leave); err != nil {
			return "", err
		}
		r.console.Verbose("%s: asked to leave", ranges.Of(q.Leave))
		if q.Add == 0 {
			return ranges.Of(q.Leave) + ": asked to leave", nil
		}
	}
	ranks, err := r.grow(q.Add)
	switch {
	case err != nil && len(q.Leave) > 0:
		return "", fmt.Errorf("%s: asked to leave, but no process was started: %w", ranges.Of(q.Leave), err)
	case err != nil:
		return "", err
	}
	return ranges.Of(ranks) + ": started", nil
}

// grow starts so many more processes of the run.
func (r *runner) grow(count int) ([]int, error) {
	if r.sup.Outcome() != nil || r.sup.Finished() {
		return nil, errors.New("the run is ending")
	}
	return r.jobs.grow(count)
}

// growFor is grow for a rank of the run.
func (r *runner) growFor(member, count int) {
	if _, err := r.grow(count); err != nil {
		r.console.Say("%s has asked for %d more processes: %v", r.sup.Describe(member), count, err)
	}
}

// noteApart reports the end of a process without which the run goes on, unless it has joined and ended well. If the run has ended
// before, the process has printed that.
func (r *runner) noteApart(member int, status exit.Status) {
	if m := r.sup.Member(member); r.sup.Apart(member) && (!status.OK() || !m.Joined) && r.sup.Outcome() == nil && r.sup.GoesOn() {
		r.console.Say("%s %v; the run goes on", r.sup.Describe(member), status)
	}
}

// grow implements jobs.
func (a *acprunJob) grow(count int) ([]int, error) {
	r, job := a.runner, a.job()
	ranks, err := r.rendezvous.Grow(job.InRun.Job, count)
	if err != nil {
		return nil, err
	}
	first := job.Size
	r.plan.Grow(count)
	r.sup.Grow(count)
	var elsewhere []int
	for rank := first; rank < job.Size; rank++ {
		if !a.isHere(rank) {
			elsewhere = append(elsewhere, rank)
			continue
		}
		if err := a.startHere(rank); err != nil {
			r.console.Say("%v; the run goes on", err)
			r.sup.NeverStarted(rank)
		}
	}
	a.startElsewhere(elsewhere, func(numbers []int, err error) {
		r.console.Say("%s: %v; the run goes on", ranges.Of(numbers), err)
		for _, rank := range numbers {
			r.sup.NeverStarted(rank)
		}
	})
	return ranks, nil
}

// startElsewhere starts ranks on other hosts, through one new proxy for each host. It passes those that cannot be started
// to failed.
func (a *acprunJob) startElsewhere(numbers []int, failed func(numbers []int, err error)) {
	r := a.runner
	byHost := map[string][]int{}
	var order []string
	for _, rank := range numbers {
		host := a.hostOf(rank)
		if !slices.Contains(order, host) {
			order = append(order, host)
		}
		byHost[host] = append(byHost[host], rank)
	}
	for _, host := range order {
		err := r.hosts.StartRanks(host, remote.Ranks{Numbers: byHost[host], Argv: a.job().Argv, Environ: a.environ,
			Tag: a.tag, Token: r.rendezvous.Token(), Events: a})
		if err != nil {
			failed(byHost[host], err)
		}
	}
}

// errFixed is the error of a run that cannot grow.
var errFixed = errors.New("the run cannot grow: it was started without -max")

// grow implements jobs.
func (m *macprunJobs) grow(int) ([]int, error) { return nil, errFixed }
