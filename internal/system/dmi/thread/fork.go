package thread

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/process/startup"
)

// Fork starts one more process on the host of a process, and returns it when it asks to join. Its memory pool has so many bytes, 0 = as
// the launcher has it for the others. Fails without a launcher, and without a free seat.
func (s *System) Fork(id int, pool uint64) (Info, error) {
	if pool > 0 {
		pool = max(pool, startup.MinHeapSize)
	}
	answer, err := s.askFor(0, opFork, appendInt64(appendInt32(nil, int32(id)), int64(pool)), infoBytes, activity.For(activity.Coming))
	if err != nil {
		return Info{}, err
	}
	in := reader{b: answer}
	i := in.info()
	return i, in.end()
}

func (s *System) serveFork(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	id, pool := in.int32(), in.int64()
	if err := in.end(); err != nil {
		return 0, err
	}
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.there(int(id)) == nil:
		return refused(r.Reply, fmt.Errorf("%w: %d", ErrNoProcess, id))
	case !s.elastic():
		return refused(r.Reply, errFixed(int(id), "cannot be followed by another one"))
	case len(h.nodes)+len(h.forks) >= s.p.Ranks.Seats():
		return refused(r.Reply, fmt.Errorf("%w: all %d seats of the run are taken", ErrState, s.p.Ranks.Seats()))
	}
	h.forks = append(h.forks, fork{defers(r), forkRequest{int(id), pool}})
	s.askForks()
	return 0, nil
}

// fork is a Fork that waits for its process.
type fork struct {
	*later
	forkRequest
}

// forkRequest is the process for which a Fork asks.
type forkRequest struct {
	near int   // the process on whose host it runs
	pool int64 // bytes of its pool; 0 = any
}

// askForks asks the launcher for the processes of the oldest Forks that are alike. When a process comes or fails, it is not known which request it
// belongs to, so other Forks wait until these have ended. The caller holds the lock.
func (s *System) askForks() {
	h := &s.hosting
	for h.asked < len(h.forks) && h.forks[h.asked].forkRequest == h.forks[0].forkRequest {
		f := h.forks[h.asked]
		if err := s.cfg.Run.AskJoin(f.near, uint64(f.pool)); err != nil {
			f.answer(nil, err)
			h.forks = slices.Delete(h.forks, h.asked, h.asked+1)
			continue
		}
		h.asked++
	}
}

// endFork answers the oldest Fork. The caller holds the lock, and calls askForks afterwards.
func (h *host) endFork(answer []byte, why error) {
	h.forks[0].answer(answer, why)
	h.forks = h.forks[1:]
	h.asked--
}

// answerFork answers the oldest Fork with a process that has come, unless it has asked for another pool. The caller holds the lock.
func (s *System) answerFork(i Info) {
	h := &s.hosting
	if h.asked > 0 && (h.forks[0].pool == 0 || h.forks[0].pool == i.Memory) {
		h.endFork(encodeInfo(i), nil)
		s.askForks()
	}
}

// noteFailed answers a Fork for each process that was to join and does not come. A process for which no Fork has asked may be among them: the
// oldest Fork fails all the same.
func (s *System) noteFailed() {
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	failed := s.p.Roster.FailedJoins()
	for ; h.failed < failed.Count; h.failed++ {
		if h.asked > 0 {
			h.endFork(nil, fmt.Errorf("%w: the process does not come: %s", ErrState, failed.Reason))
		}
	}
	s.askForks()
}
