package launch

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/ranges"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/control"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/rendezvous"
)

// This file has the processes that a launcher in another allocation adds to a run.

// newcomers are further processes of a run. Without hosts and a size they start as the plan of the run has it.
type newcomers struct {
	count    int
	heapSize uint64 // bytes of the heap of each; 0 = as for the other processes of the job
	places
}

// environ returns the variables that these processes have in addition to those of their job.
func (n *newcomers) environ() []string {
	if n.heapSize == 0 {
		return nil
	}
	return []string{envvar.HeapSize + "=" + strconv.FormatUint(n.heapSize, 10)}
}

// places says where further processes of a run start. The zero value leaves that to the plan of the run.
type places struct {
	hosts []string // of each process
	// allocation is the one in which the launcher runs that asks for the processes; nil = none.
	allocation *control.Allocation
	// foreign: processes run in that allocation, which is not the one of the run.
	foreign bool
}

// slurmJob returns the job of Slurm to which a host belongs, unless it is the one of the run; "" = none.
func (p *places) slurmJob(host string) string {
	if p.foreign && p.allocation.System == "Slurm" && slices.Contains(p.allocation.Hosts, host) {
		return p.allocation.Job
	}
	return ""
}

// slurmJobOfAll returns the job of Slurm to which all hosts belong, unless it is the one of the run; "" = none.
func (p *places) slurmJobOfAll() string {
	if len(p.hosts) == 0 || slices.ContainsFunc(p.hosts, func(host string) bool { return p.slurmJob(host) == "" }) {
		return ""
	}
	return p.allocation.Job
}

// around returns the allocation around the launcher, nil if there is none.
func (c *command) around() *control.Allocation {
	if c.allocation == nil {
		return nil
	}
	return &control.Allocation{System: c.allocation.System, Job: c.allocation.Job, Hosts: slices.Compact(slices.Sorted(slices.Values(c.allocation.Slots)))}
}

// resizeRequest returns the request for other ranks of a run. Further processes come to hosts, which are those of surroundings;
// nil leaves them to the launcher of the run.
func (c *command) resizeRequest(hosts []string, local *rendezvous.LocalNames) (control.Resize, error) {
	q := control.Resize{Nodes: c.opts.Nodes, Add: c.opts.Add, Job: c.opts.Job, Heap: c.opts.StarterSizeDL.Bytes, Leave: c.opts.Leave, Named: c.opts.Hosts != nil || c.opts.Nodefile != "", Allocation: c.around()}
	if c.allocation != nil && len(c.allocation.Components) > 1 && q.Add > 0 {
		return q, fmt.Errorf("the heterogeneous job %s of Slurm cannot add processes to a run; expected a job with one component", c.allocation.Job)
	}
	for i := range q.Add {
		if len(hosts) == 0 {
			break
		}
		host := hosts[i%len(hosts)]
		if !c.allocation.Has(host) && local.IsLocal(host) {
			host = local.Host // for the launcher of the run, localhost is another host
		}
		q.Hosts = append(q.Hosts, host)
	}
	return q, nil
}

// placesOf returns where the processes of a request start. In the allocation of the run itself they come to its next hosts.
func (r *runner) placesOf(q *control.Resize) places {
	same := q.Allocation.Same(r.allocation)
	if len(q.Hosts) == 0 || same && !q.Named {
		return places{}
	}
	where := places{hosts: q.Hosts, allocation: q.Allocation}
	where.foreign = !same && q.Allocation != nil && slices.ContainsFunc(q.Hosts, func(host string) bool { return slices.Contains(q.Allocation.Hosts, host) })
	return where
}

// placesNear returns where so many processes start that run on the host of a rank; -1: where the plan has them.
func (r *runner) placesNear(rank, count int) (places, error) {
	switch {
	case rank < 0:
		return places{}, nil
	case rank >= r.plan.Total:
		return places{}, fmt.Errorf("rank %d has not been started", rank)
	}
	host, slurmJob := r.jobs.placeOf(rank)
	if host == "" {
		host = r.local.Host
	}
	where := places{hosts: slices.Repeat([]string{host}, count)}
	if slurmJob != "" {
		where.foreign, where.allocation = true, &control.Allocation{System: "Slurm", Job: slurmJob, Hosts: []string{host}}
	}
	return where, nil
}

// additions are processes for whose ends launchers in other allocations wait. It belongs to the goroutine of the run.
type additions struct {
	parts []*addition
	// unwanted has the ranks that are asked to leave as soon as they have joined, with the reasons.
	unwanted map[int]string
	waiting  sync.WaitGroup // launchers that have not received the last message
}

// addition is the processes of one request.
type addition struct {
	running map[int]bool // by rank
	ended   chan struct{}
}

// add returns a channel that is closed when all these ranks have ended. over reports whether one has ended already.
func (a *additions) add(ranks []int, over func(rank int) bool) <-chan struct{} {
	a.waiting.Add(1)
	one := &addition{running: map[int]bool{}, ended: make(chan struct{})}
	for _, rank := range ranks {
		if !over(rank) {
			one.running[rank] = true
		}
	}
	if len(one.running) == 0 {
		close(one.ended)
		return one.ended
	}
	a.parts = append(a.parts, one)
	return one.ended
}

// notified records that the launcher of a request has received the last message, or has ended. Safe for concurrent use.
func (a *additions) notified() { a.waiting.Done() }

// ended records the end of a rank.
func (a *additions) ended(rank int) {
	a.parts = slices.DeleteFunc(a.parts, func(one *addition) bool {
		delete(one.running, rank)
		if len(one.running) == 0 {
			close(one.ended)
		}
		return len(one.running) == 0
	})
}

// finish records the end of all ranks, and waits until the launchers have the last message, but no longer than notifyLimit: one of them may be
// stopped.
func (a *additions) finish() {
	for _, one := range a.parts {
		close(one.ended)
	}
	a.parts = nil
	all := make(chan struct{})
	go func() {
		a.waiting.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(notifyLimit):
	}
}

// notifyLimit is how long the end of a run waits for launchers that have added processes, and such a launcher for that of the run when it gives
// up.
const notifyLimit = time.Second

// AdderLost implements control.Run.
func (c controlledRun) AdderLost(ranks []int) {
	c.r.loop.post(func() {
		c.r.console.Say("the connection to the launcher that has added %s is lost; the run goes on", ranges.Of(ranks))
	})
}

// AskLeave implements control.Run.
func (c controlledRun) AskLeave(ranks []int, reason string) {
	c.r.loop.post(func() {
		for _, rank := range ranks {
			switch m := c.r.sup.Member(rank); {
			case m.Ended:
			case c.r.sup.Apart(rank) && !m.Joined:
				c.r.added.unwanted[rank] = reason
			default:
				c.r.askLeave(rank, reason)
			}
		}
	})
}

// askLeave asks a rank to leave, for a reason.
func (r *runner) askLeave(rank int, reason string) {
	if err := r.rendezvous.AskLeave([]int{rank}); err != nil {
		r.console.Verbose("the allocation of rank %d: %s, but it is not asked to leave: %v", rank, reason, err)
	}
}

// askUnwanted asks a rank that has joined to leave if its launcher has asked for that before.
func (r *runner) askUnwanted(rank int) {
	if reason, unwanted := r.added.unwanted[rank]; unwanted {
		delete(r.added.unwanted, rank)
		r.askLeave(rank, reason)
	}
}

// awaitAdded waits until the processes have ended that this launcher has added to a run: the batch system ends them with the job
// around this launcher, whose script goes on when it returns. A signal that asks for the end asks the processes to
// leave, a second one ends the wait. So does the end of the connection to the run, which is an error. It returns the exit status.
func (r *runner) awaitAdded(stay *control.Stay) int {
	over := make(chan error, 1)
	go func() { over <- stay.Wait() }()
	for asked := false; ; {
		select {
		case err := <-over:
			if err != nil {
				r.console.Say("connection to run %v lost: %v", r.opts.To, err)
				return exit.Failure
			}
			return 0
		case sig := <-r.signals.c:
			reason := endBefore(sig)
			switch {
			case reason == "":
			case asked:
				giveUp(r.opts.To, stay.GiveUp, over)
				return statusOf(sig)
			default:
				asked = true
				r.console.Say("%s: the processes are asked to leave", reason)
				// If the connection has ended, the wait ends, too.
				_ = stay.AskLeave(reason)
			}
		}
	}
}

// giveUp tells the launcher of the run by tell that this one waits no longer. The end of the remote shell to another host might overtake that, so it
// waits until answered receives, which follows; but not for long, since the launcher of the run may be stopped.
func giveUp[T any](run config.Target, tell func() error, answered <-chan T) {
	limit, told := time.After(notifyLimit), make(chan struct{})
	go func() {
		// If the connection has ended, the launcher of the run knows that.
		_ = tell()
		if run.Host == "" {
			close(told)
		}
	}()
	select {
	case <-answered:
	case <-told:
	case <-limit:
	}
}

// statusOf returns the exit status of a launcher that a signal or the time limit ends.
func statusOf(sig os.Signal) int {
	if number, ok := sig.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return exit.Timeout
}
