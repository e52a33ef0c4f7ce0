package thread

import (
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
)

// Run is what the system needs of the run so that processes join and leave it: functions of an *acp.Process.
type Run struct {
	// Adopt begins the next epoch, in which the processes are that pass true and those that wait. All processes call it together.
	Adopt func(stay bool) error
	// AwaitChange waits for a change of the processes after one that was seen, and returns the newest.
	AwaitChange func(seen int64) (int64, error)

	AskLeave func(id int) error              // asks a process to leave
	AskJoin  func(id int, pool uint64) error // asks the launcher for one more process with a pool of this size, 0 = any, on the host of another one
	Abort    func(reason string)             // ends the run
}

// Memory is what the system needs of global memory.
type Memory interface {
	Begin() error                   // a process begins to use it
	Distribute(holders []int) error // lets these processes hold the directory
	Evacuate() error                // moves the pages of this process to others
	Stay()                          // this process takes pages again
}

// elastic reports whether processes can join and leave this run.
func (s *System) elastic() bool { return s.cfg.Run != nil && s.p.Ranks.Elastic() }

// follow lets in the processes that come, and notes requests to leave, until the run or the use of the system ends. Process 0 calls it.
func (s *System) follow() {
	s.p.Budget.AddThreads(1) // it parks as a thread of the program does
	defer s.p.Budget.AddThreads(-1)
	for seen := int64(-1); ; {
		s.noteAsked()
		s.noteFailed()
		if s.p.Roster.Waiting() {
			if s.nextEpoch(-1) != nil {
				return
			}
			continue
		}
		var err error
		if seen, err = s.cfg.Run.AwaitChange(seen); err != nil {
			return
		}
	}
}

// noteAsked notes the processes that are asked to leave.
func (s *System) noteAsked() {
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.nodes {
		if h.there(id) != nil && s.p.Roster.Asked(s.p.Ranks.Member(id)) {
			h.asks(id)
		}
	}
}

// asks notes that a process asks to leave. The caller holds the lock.
func (h *host) asks(id int) {
	n := h.there(id)
	if n == nil || id == 0 || n.State == Close {
		return
	}
	n.State, n.reported = Close, false
	h.requests = append(h.requests, id)
	h.change()
	h.report()
}

// nextEpoch lets all processes begin the next epoch together. A process of the run may leave with it; -1 is none. Blocks until all have
// begun it.
func (s *System) nextEpoch(leaver int) error {
	s.epochs.Lock()
	defer s.epochs.Unlock()
	if s.ending {
		return fmt.Errorf("%w: the run ends", ErrState)
	}
	var others []int
	for _, member := range s.p.Ranks.Members() {
		if id := s.p.Ranks.Rank(member); id != s.ID() {
			others = append(others, id)
		}
	}
	err := s.each(others, func(id int) error {
		stay := int32(1)
		if id == leaver {
			stay = 0
		}
		_, err := s.ask(id, opAdopt, appendInt32(nil, stay), 0)
		return err
	})
	if err != nil {
		return err // the process has died, and the run is over
	}
	return s.cfg.Run.Adopt(true)
}

// serveAdopt begins the next epoch with the others, or leaves. A process that has just come does so when it has begun.
func (s *System) serveAdopt(r fabric.Request) (int, error) {
	stay, err := oneNumber(r.Body)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	fixed := s.cfg.Start != nil && s.cfg.Run == nil
	s.mu.Unlock()
	if fixed {
		return refused(r.Reply, errFixed(s.ID(), "begins no epoch"))
	}
	s.adopting.Add(1)
	s.adopts <- stay == 1
	return done(r.Reply, nil)
}

// adoptEach begins one epoch after the other with the others, until the process leaves or the run is over.
func (s *System) adoptEach() {
	for {
		select {
		case stay := <-s.adopts:
			if stay {
				_ = s.cfg.Run.Adopt(true) // it fails if the run is over, which ends all waiting of the process
			} else {
				s.depart()
			}
			s.adopting.Done()
		case <-s.over:
			return
		case <-s.ended:
			return
		}
	}
}

// depart leaves the run. If the process cannot leave, it stays, and stays has the reason.
func (s *System) depart() {
	s.departing.Store(true)
	err := s.cfg.Run.Adopt(false)
	if err != nil && s.p.Lifecycle.Alive() == nil {
		s.departing.Store(false)
		s.mu.Lock()
		s.stays = err
		s.mu.Unlock()
		err = s.cfg.Run.Adopt(true)
		if err == nil {
			return
		}
	}
	s.departed <- err
}

// share lets all processes that take part, and those of the start, hold the directory of global memory. Process 0 calls it when their
// set may have changed.
func (s *System) share() error {
	if s.cfg.Memory == nil {
		return nil
	}
	s.sharing.Lock()
	defer s.sharing.Unlock()
	h := &s.hosting
	h.mu.Lock()
	var list []int
	for id := range h.nodes {
		if n := h.there(id); n != nil && !n.leaving && (n.State != Open || h.holds(id)) {
			list = append(list, id)
		}
	}
	same := len(list) == len(h.holders)
	for i := range list {
		same = same && list[i] == h.holders[i]
	}
	h.mu.Unlock()
	if same {
		return nil
	}
	if err := s.cfg.Memory.Distribute(list); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holders = list
	return nil
}

// holds reports whether a process holds a part of the directory. The caller holds the lock.
func (h *host) holds(id int) bool {
	for _, holder := range h.holders {
		if holder == id {
			return true
		}
	}
	return false
}

// errFixed returns ErrFixed for a process.
func errFixed(id int, what string) error {
	return fmt.Errorf("%w: process %d %s; dmimw starts runs that change", ErrFixed, id, what)
}
