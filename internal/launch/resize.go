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
	type answer struct {
		text string
		stay *control.Stay
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		a.text, a.stay, a.err = control.Ask(conn, q)
		answers <- a
	}()
	for {
		select {
		case a := <-answers:
			switch {
			case a.err != nil:
				return 0, a.err
			case q.Nodes:
				_, err := io.WriteString(list, a.text)
				return 0, err
			}
			r.console.Say("%s", a.text)
			if a.stay != nil {
				return r.awaitAdded(a.stay), nil
			}
			return 0, nil
		case sig := <-r.signals.c:
			if reason := endBefore(sig); reason != "" {
				r.console.Say("%s before the launcher of run %v has answered", reason, r.opts.To)
				return statusOf(sig), nil
			}
		}
	}
}

// Resize implements control.Run.
func (c controlledRun) Resize(q *control.Resize) (resized control.Resized, err error) {
	if q.Nodes {
		var text strings.Builder
		err := c.r.survey().WriteNodes(&text, c.r.rendezvous.Asked)
		return control.Resized{Answer: text.String()}, err
	}
	done := make(chan struct{})
	c.r.loop.post(func() {
		defer close(done)
		resized, err = c.r.resizeRun(q)
	})
	<-done
	return resized, err
}

// resizeRun asks ranks to leave and starts further ones.
func (r *runner) resizeRun(q *control.Resize) (control.Resized, error) {
	if len(q.Leave) > 0 {
		if err := r.rendezvous.AskLeave(q.Leave); err != nil {
			return control.Resized{}, err
		}
		r.console.Verbose("%s: asked to leave", ranges.Of(q.Leave))
		if q.Add == 0 {
			return control.Resized{Answer: ranges.Of(q.Leave) + ": asked to leave"}, nil
		}
	}
	add := newcomers{count: q.Add, heapSize: uint64(q.Heap), places: r.placesOf(q)}
	ranks, err := r.grow(q.Job, add)
	switch {
	case err != nil && len(q.Leave) > 0:
		return control.Resized{}, fmt.Errorf("%s: asked to leave, but no process was started: %w", ranges.Of(q.Leave), err)
	case err != nil:
		return control.Resized{}, err
	}
	resized := control.Resized{Answer: ranges.Of(ranks) + ": started", Ranks: ranks}
	if add.foreign {
		resized.Ended = r.added.add(ranks, func(rank int) bool { return r.sup.Member(rank).Ended })
		resized.Notified = r.added.notified
	}
	return resized, nil
}

// grow starts more processes of a job of the run; "" = the only job that can grow.
func (r *runner) grow(name string, add newcomers) ([]int, error) {
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

// neverStarted records that a process of acprun which was to join is not started.
func (r *runner) neverStarted(rank int, err error) {
	r.rendezvous.FailJoin(rank, err.Error())
	r.sup.NeverStarted(rank)
}

// grow implements jobs.
func (a *acprunJob) grow(job *plan.Job, add newcomers) ([]int, error) {
	r := a.runner
	ranks, err := r.rendezvous.Grow(job.InRun.Job, add.count)
	if err != nil {
		return nil, err
	}
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
			r.console.Say("%v; the run goes on", err)
			r.neverStarted(rank, err)
		}
	}
	a.startElsewhere(elsewhere, func(numbers []int, err error) {
		r.console.Say("%s: %v; the run goes on", ranges.Of(numbers), err)
		for _, rank := range numbers {
			r.neverStarted(rank, err)
		}
	})
	return ranks, nil
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
func (m *macprunJobs) grow(job *plan.Job, add newcomers) ([]int, error) {
	r := m.runner
	ranks, err := r.rendezvous.Grow(job.InRun.Job, add.count)
	if err != nil {
		return nil, err
	}
	added := r.plan.Extend(job, plan.Addition{Count: add.count, Hosts: add.hosts, SlurmJob: add.slurmJobOfAll(), HeapSize: add.heapSize})
	r.sup.Extend(added)
	r.trace.extend(added, r.plan)
	if err = writeFiles(added.MachineFiles()); err == nil {
		err = m.startJob(added)
	}
	if err != nil {
		r.console.Say("%s of %v: %v; the run goes on", ranges.Of(ranks), added, err)
		r.sup.NeverStarted(added.Number)
	}
	return ranks, nil
}
