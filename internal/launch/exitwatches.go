package launch

import (
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// exitWatches detect how, and in which order, processes of MPI jobs on this host end. These are no children
// of the launcher. It belongs to the goroutine of the run.
type exitWatches struct {
	sup     *supervise.Supervisor
	post    func(func())
	queue   *process.ExitQueue              // nil: the kernel does not support it, and no process is watched
	watches map[int]*process.ExitWatch      // by member
	started map[int]*process.StartedProcess // by member: processes that have announced themselves
	listens *process.StartedListener        // nil: no process can announce itself
	found   chan struct{}                   // closed when no more processes are searched; nil = none are
}

// newExitWatches returns exitWatches without any watch.
func newExitWatches(sup *supervise.Supervisor, post func(func())) exitWatches {
	// Without a queue only the status of a launcher shows how its processes have ended.
	queue, _ := process.NewExitQueue()
	return exitWatches{sup: sup, post: post, queue: queue, watches: map[int]*process.ExitWatch{}, started: map[int]*process.StartedProcess{}}
}

// close ends all watches.
func (w *exitWatches) close() {
	w.endSearch()
	w.listens.Close()
	for member := range w.watches {
		w.stop(member)
	}
	for member := range w.started {
		w.forgetStarted(member)
	}
	if w.queue != nil {
		w.queue.Close()
	}
}

// start watches the process of a member, in place of the process that may have started it. mark is the
// variable that the processes of the run have in their environment.
func (w *exitWatches) start(member, pid int, mark string) {
	if w.queue == nil || w.watches[member].PID() == pid {
		return
	}
	watch := process.WatchExit(pid, mark)
	if watch == nil {
		return
	}
	w.stop(member)
	if w.queue.Add(watch, func() { w.post(func() { w.ended(member, watch) }) }) != nil {
		watch.Close()
		return
	}
	w.watches[member] = watch
	w.sup.Watched(member)
}

// memberOf returns the member whose process is watched, -1 if there is none.
func (w *exitWatches) memberOf(pid int) int {
	for member, watch := range w.watches {
		if watch.PID() == pid {
			return member
		}
	}
	return -1
}

// stop ends the watch over a member, such as one that has left the run in order.
func (w *exitWatches) stop(member int) {
	if watch := w.watches[member]; watch != nil {
		w.queue.Remove(watch)
		watch.Close()
		delete(w.watches, member)
	}
}

// ended reports the end of a process to the supervisor, and then its exit status. It does not block.
func (w *exitWatches) ended(member int, watch *process.ExitWatch) {
	if w.watches[member] != watch {
		return
	}
	delete(w.watches, member)
	w.sup.StatusAsked(member, time.Now())
	go func() {
		defer watch.Close()
		status, known := watch.Status(supervise.StatusLimit)
		w.post(func() {
			debuglog.Liveness.Printf("rank %d, process %d: %v, known %v", member, watch.PID(), status, known)
			if known {
				w.sup.ProcessEnded(member, status, time.Now())
			} else {
				w.sup.StatusUnknown(member)
			}
		})
	}()
}

// listen watches processes of MPI jobs on this host as soon as they announce themselves. dir is the private
// directory of the run. mark and environ are those of search.
func (w *exitWatches) listen(p *plan.Plan, dir, mark string, environ []string) (err error) {
	if w.queue == nil || len(plan.MPIJobs(p)) == 0 {
		return nil
	}
	w.listens, err = process.ListenStarted(dir, mark, environ, func(s *process.StartedProcess) {
		w.post(func() { w.hasStarted(p, s, mark) })
	})
	return err
}

// hasStarted watches a process that has announced itself, and lets it continue.
func (w *exitWatches) hasStarted(p *plan.Plan, s *process.StartedProcess, mark string) {
	number := s.Job - p.Jobs[0].InRun.Job
	if number < 0 || number >= len(p.Jobs) || s.Rank >= p.Jobs[number].Size || p.Jobs[number].Acprun {
		s.Close()
		return
	}
	member := p.Jobs[number].First + s.Rank
	w.startFound(member, s.PID, mark)
	w.forgetStarted(member) // of an earlier program of the rank
	if w.queue.AddStarted(s, func() { w.post(func() { w.connectionEnded(member, s) }) }) != nil {
		s.Close()
		return
	}
	w.started[member] = s
	w.sup.Announced(member)
	s.Answer()
}

// connectionEnded reports to the supervisor that a process which has announced itself is about to end.
func (w *exitWatches) connectionEnded(member int, s *process.StartedProcess) {
	if w.started[member] != s {
		return
	}
	w.forgetStarted(member)
	debuglog.Liveness.Printf("rank %d, process %d: it is about to end", member, s.PID)
	w.sup.EndBegan(member, time.Now())
}

// forgetStarted closes the connection of a process that has announced itself.
func (w *exitWatches) forgetStarted(member int) {
	if s := w.started[member]; s != nil {
		w.queue.RemoveStarted(s)
		s.Close()
		delete(w.started, member)
	}
}

// search watches the processes of MPI jobs on this host before they join the run, as soon as their launchers
// have started them. environ is the environment of the launchers. It does not block.
func (w *exitWatches) search(p *plan.Plan, isLocal func(host string) bool, mark string, environ []string) {
	left := map[process.StartedRank]int{} // members that have not been found, by job and rank
	for j := range p.Jobs {
		job := &p.Jobs[j]
		for rank := range job.Size {
			if !job.Acprun && (job.Hosts == nil || isLocal(job.Hosts[rank])) {
				left[process.StartedRank{Job: job.InRun.Job, Rank: rank}] = job.First + rank
			}
		}
	}
	if w.queue == nil || mark == "" || len(left) == 0 {
		return
	}
	done := make(chan struct{})
	w.found = done
	finder := process.NewRankFinder(mark, environ)
	go func() {
		pause, end := searchPause, time.Now().Add(searchLimit)
		for begin := time.Now(); len(left) > 0 && begin.Before(end); begin = time.Now() {
			ranks, err := finder.Find()
			if err != nil {
				return
			}
			for _, r := range ranks {
				key := process.StartedRank{Job: r.Job, Rank: r.Rank}
				if member, ok := left[key]; ok {
					delete(left, key)
					w.post(func() { w.startFound(member, r.PID, mark) })
				}
			}
			select {
			case <-done:
				return
			case <-time.After(max(pause, searchShare*time.Since(begin))):
			}
			if begin.After(end.Add(searchOften - searchLimit)) {
				pause = maxSearchPause
			}
		}
	}()
}

// startFound watches a process that was found, unless the member's process has joined and is already watched.
func (w *exitWatches) startFound(member, pid int, mark string) {
	if w.watches[member] == nil && !w.sup.Member(member).Joined {
		w.start(member, pid, mark)
	}
}

// endSearch ends the search.
func (w *exitWatches) endSearch() {
	if w.found != nil {
		close(w.found)
		w.found = nil
	}
}

// The search looks often at first, because a process may fail soon, and takes no more than one part in
// searchShare of a processor.
const (
	searchPause    = 10 * time.Millisecond
	searchOften    = 5 * time.Second // how long it looks often
	maxSearchPause = 200 * time.Millisecond
	searchLimit    = time.Minute
	searchShare    = 2
)
