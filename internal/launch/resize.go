package launch

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/ranges"
	"github.com/goacp/goacp/internal/launch/control"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/remote"
)

// resize is acprun or macprun as a command that asks for other ranks of a run. It returns the exit status.
func (c *command) resize() (int, error) {
	hosts, local, err := c.surroundings()
	if err != nil {
		return 0, err
	}
	q, err := c.resizeRequest(hosts, local)
	if err != nil {
		return 0, err
	}
	r, err := newRunner(c, local)
	if err != nil {
		return 0, err
	}
	status, err := r.requestResize(q, c.std.Stdout)
	if err != nil {
		err = fmt.Errorf("option -to %v: %w", c.opts.To, err)
	}
	r.hosts.Close()
	return status, r.cancel(err)
}

// requestResize sends the request to the launcher of the run, and prints its answer, which goes to list if it is one. If the processes run in the allocation of
// this launcher, it waits until they have ended. A signal that asks for the end ends the wait for the answer. It returns the exit
// status.
func (r *runner) requestResize(q control.Resize, list io.Writer) (int, error) {
	conn, err := r.dialRun(r.opts.To)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	answers := make(chan resizeAnswer, 1)
	go func() {
		var a resizeAnswer
		a.text, a.stay, a.err = control.Ask(conn, q)
		answers <- a
	}()
	for {
		select {
		case a := <-answers:
			if q.Nodes && a.err == nil {
				_, err := io.WriteString(list, a.text)
				return 0, err
			}
			return r.takeAnswer(a)
		case sig := <-r.signals.c:
			if reason := endBefore(sig); reason != "" {
				giveUp(r.opts.To, func() error { return control.GiveUp(conn, reason) }, answers)
				r.console.Say("%s before the launcher of run %v has answered", reason, r.opts.To)
				return statusOf(sig), nil
			}
		}
	}
}

// resizeAnswer is the answer of the launcher of the run, as [control.Ask] returns it.
type resizeAnswer struct {
	text string
	stay *control.Stay
	err  error
}

// takeAnswer prints the answer, and waits for processes in the allocation of this launcher. It returns the exit status.
func (r *runner) takeAnswer(a resizeAnswer) (int, error) {
	if a.text != "" {
		r.console.Say("%s", a.text)
	}
	if a.stay == nil {
		return 0, a.err
	}
	if a.err != nil {
		r.console.Say("option -to %v: %v", r.opts.To, a.err)
	}
	status := r.awaitAdded(a.stay)
	if status == 0 && a.err != nil {
		status = exit.Failure
	}
	return status, nil
}

// Resize implements control.Run.
func (c controlledRun) Resize(q *control.Resize) (resized control.Resized, err error) {
	if q.Nodes {
		var text strings.Builder
		err := c.r.survey().WriteNodes(&text, c.r.rendezvous.Asked)
		return control.Resized{Answer: text.String()}, err
	}
	var begun *starting
	done := make(chan struct{})
	c.r.loop.post(func() {
		defer close(done)
		resized, begun, err = c.r.resizeRun(q)
	})
	<-done
	if begun == nil {
		return resized, err
	}
	<-begun.known
	resized.Ranks, resized.Failed = begun.result()
	if len(resized.Ranks) > 0 {
		resized.Answer = ranges.Of(resized.Ranks) + ": started"
		return resized, nil
	}
	resized.Ended = nil
	if len(q.Leave) > 0 {
		resized.Failed = butNone(q.Leave) + resized.Failed
	}
	return resized, nil
}

// butNone begins the message about a request whose ranks are asked to leave, but that has started no process.
func butNone(leave []int) string {
	return ranges.Of(leave) + ": asked to leave, but no process was started: "
}

// resizeRun asks ranks to leave and begins to start further ones, for which the launcher that asks waits. begun is nil if there are none.
func (r *runner) resizeRun(q *control.Resize) (resized control.Resized, begun *starting, err error) {
	if len(q.Leave) > 0 {
		if err := r.rendezvous.AskLeave(q.Leave); err != nil {
			return resized, nil, err
		}
		r.console.Verbose("%s: asked to leave", ranges.Of(q.Leave))
		if q.Add == 0 {
			return control.Resized{Answer: ranges.Of(q.Leave) + ": asked to leave"}, nil, nil
		}
	}
	add := newcomers{count: q.Add, heapSize: uint64(q.Heap), places: r.placesOf(q)}
	begun, err = r.grow(q.Job, add)
	switch {
	case err != nil && len(q.Leave) > 0:
		return resized, nil, fmt.Errorf("%s%w", butNone(q.Leave), err)
	case err != nil:
		return resized, nil, err
	}
	resized.Notified = r.added.notified
	ended := r.added.add(begun.ranks, func(rank int) bool { return r.sup.Member(rank).Ended })
	if add.foreign {
		resized.Ended = ended
	}
	return resized, begun, nil
}

// grow starts more processes of a job of the run; "" = the only job that can grow.
func (r *runner) grow(name string, add newcomers) (*starting, error) {
	if r.sup.Outcome() != nil || r.sup.Finished() {
		return nil, errors.New("the run is ending")
	}
	job, err := r.plan.Growing(name)
	if err != nil {
		return nil, err
	}
	if r.rendezvous.HostOnly() {
		for _, host := range add.hosts {
			if !r.local.IsLocal(host) {
				return nil, fmt.Errorf("host %s: the run is reached from its own host only; start it with -join network, so that processes on other hosts can join it", host)
			}
		}
	}
	if err := r.checkFiles(add.count, add.count); err != nil {
		return nil, err
	}
	return r.jobs.grow(job, add)
}

// growFor is grow for a rank of the run: its own job grows if it can, otherwise the only one that can.
func (r *runner) growFor(member int, q bridge.JoinRequest) {
	name := ""
	if job := &r.plan.Jobs[r.plan.JobOf(r.sup.JobOf(member))]; job.Max > 0 {
		name = job.Name
	}
	where, err := r.placesNear(q.Near, q.Count)
	if err == nil {
		_, err = r.grow(name, newcomers{count: q.Count, heapSize: q.HeapSize, places: where})
	}
	if err != nil {
		r.console.Say("%s has asked for %d more processes: %v", r.sup.Describe(member), q.Count, err)
		for range q.Count {
			r.rendezvous.FailJoin(-1, err.Error())
		}
	}
}

// grow implements jobs.
func (a *acprunJob) grow(job *plan.Job, add newcomers) (*starting, error) {
	r := a.runner
	ranks, err := r.rendezvous.Grow(job.InRun.Job, add.count)
	if err != nil {
		return nil, err
	}
	begun := r.starts.begin(ranks)
	first := job.Size
	r.plan.Grow(add.count, add.hosts, r.local.Host)
	for i, host := range add.hosts {
		if job := add.slurmJob(host); job != "" {
			a.slurmJobs[first+i] = job
		}
	}
	r.sup.Grow(add.count)
	var elsewhere []int
	for rank := first; rank < job.Size; rank++ {
		a.variables[rank] = add.environ()
		if !a.isHere(rank) {
			elsewhere = append(elsewhere, rank)
			continue
		}
		if err := a.startHere(rank); err != nil {
			r.gone(fmt.Sprintf("host %s: %v", r.local.Host, err), rank)
		}
	}
	a.startElsewhere(elsewhere, func(numbers []int, err error) {
		r.gone(err.Error(), numbers...)
	})
	return begun, nil
}

// placeOf implements jobs.
func (m *macprunJobs) placeOf(member int) (host, slurmJob string) {
	r := m.runner
	job := r.plan.Launched(r.sup.JobOf(member))
	switch {
	case job.Hosts != nil:
		return job.Hosts[member-job.First], job.SlurmJob
	case job.Acprun:
		return "", job.SlurmJob
	}
	return r.sup.Member(member).Host, job.SlurmJob // an MPI launcher has chosen it
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
		// Ranks that start together on a host are in the same job of Slurm.
		err := r.hosts.StartRanks(host, remote.Ranks{Numbers: byHost[host], Argv: a.job().Argv, Environ: a.environ,
			Tag: a.tag, Token: r.rendezvous.Token(), Job: a.slurmJobs[byHost[host][0]], Events: a})
		if err != nil {
			failed(byHost[host], err)
		}
	}
}

// grow implements jobs. An acprun of their own starts the processes.
func (m *macprunJobs) grow(job *plan.Job, add newcomers) (*starting, error) {
	r := m.runner
	ranks, err := r.rendezvous.Grow(job.InRun.Job, add.count)
	if err != nil {
		return nil, err
	}
	begun := r.starts.begin(ranks)
	added := r.plan.Extend(job, plan.Addition{Count: add.count, Hosts: add.hosts, SlurmJob: add.slurmJobOfAll(), HeapSize: add.heapSize})
	r.sup.Extend(added)
	r.trace.extend(added, r.plan)
	if err = writeFiles(added.MachineFiles()); err == nil {
		err = m.startJob(added)
	}
	if err != nil {
		r.gone(fmt.Sprintf("host %s: acprun of %v: %v", r.local.Host, added, err), ranks...)
		r.sup.NeverStarted(added.Number)
	}
	return begun, nil
}
