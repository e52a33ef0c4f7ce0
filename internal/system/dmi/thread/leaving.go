package thread

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// Goodbye lets a process leave, whether it has asked or not. Its pages move to others. Fails for process 0, while threads run on the process,
// and if the others have no room for its pages: then it stays. Blocks until it has left.
func (s *System) Goodbye(id int) error {
	_, err := s.askFor(0, opGoodbye, appendInt32(nil, int32(id)), 0, activity.On(activity.Leaving, id))
	return err
}

func (s *System) serveGoodbye(r fabric.Request) (int, error) {
	id, err := oneNumber(r.Body)
	if err != nil {
		return 0, err
	}
	l := defers(r)
	s.whenAll(func() { go func() { l.answer(nil, s.goodbye(int(id))) }() })
	return 0, nil
}

// goodbye is Goodbye at process 0.
func (s *System) goodbye(id int) error {
	h := &s.hosting
	h.mu.Lock()
	n := h.there(id)
	var err error
	switch {
	case n == nil:
		err = fmt.Errorf("%w: %d", ErrNoProcess, id)
	case id == 0:
		err = fmt.Errorf("%w: process 0 stays until the end of the run", ErrState)
	case !s.elastic():
		err = errFixed(id, "cannot leave it")
	case n.leaving:
		err = fmt.Errorf("%w: process %d is about to leave", ErrState, id)
	default:
		n.leaving = true
	}
	h.mu.Unlock()
	if err != nil {
		return err
	}
	err = s.letGo(id)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nodes[id].leaving = false
	if err == nil {
		h.nodes[id].State = Closed
		h.polls = slices.DeleteFunc(h.polls, func(p poll) bool { return p.from == id })
	}
	h.change()
	h.report()
	return err
}

// letGo moves what a process holds to others, and lets it leave. If that fails, the process stays.
func (s *System) letGo(id int) error {
	if _, err := s.ask(id, opClear, nil, 0); err != nil {
		return err
	}
	err := s.share()
	if err == nil {
		_, err = s.ask(id, opEvacuate, nil, 0)
	}
	if err == nil {
		err = s.nextEpoch(id)
	}
	if err == nil && s.p.Roster.State(s.p.Ranks.Member(id)) == bridge.MemberHasLeft {
		return nil
	}
	if s.p.Lifecycle.Alive() == nil {
		if _, stays := s.ask(id, opStay, nil, 0); err == nil {
			err = stays
		}
	}
	return err
}

// serveClear keeps new threads away from this process, which is about to leave. It refuses while threads run.
func (s *System) serveClear(r fabric.Request) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	runs := s.phase != nil // its threads may not be there yet
	for _, t := range s.threads {
		runs = runs || !t.ended
	}
	if runs {
		return refused(r.Reply, fmt.Errorf("%w: threads run on process %d", ErrState, s.ID()))
	}
	s.leaving = true
	return done(r.Reply, nil)
}

// serveEvacuate moves the pages of this process to others.
func (s *System) serveEvacuate(r fabric.Request) (int, error) {
	if s.cfg.Memory == nil {
		return done(r.Reply, nil)
	}
	l := defers(r)
	go func() { l.answer(nil, s.cfg.Memory.Evacuate()) }()
	return 0, nil
}

// serveStay undoes serveClear and serveEvacuate: the process could not leave. The answer has the reason, if there is one.
func (s *System) serveStay(r fabric.Request) (int, error) {
	s.mu.Lock()
	why := s.stays
	s.leaving, s.stays = false, nil
	s.mu.Unlock()
	if s.cfg.Memory != nil {
		s.cfg.Memory.Stay()
	}
	if why != nil {
		why = fmt.Errorf("%w: process %d stays: %w", ErrState, s.ID(), why)
	}
	return either(r.Reply, nil, why)
}

// Kill makes a process ask to leave. Process 0 ends the run, as an interrupt does. Blocks until the process makes no threads of Create any more.
func (s *System) Kill(id int) error {
	_, err := s.ask(0, opKill, appendInt32(nil, int32(id)), 0)
	return err
}

func (s *System) serveKill(r fabric.Request) (int, error) {
	number, err := oneNumber(r.Body)
	if err != nil {
		return 0, err
	}
	id := int(number)
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.there(id)
	switch {
	case n == nil:
		return refused(r.Reply, fmt.Errorf("%w: %d", ErrNoProcess, id))
	case id == 0 && s.cfg.Run != nil:
		s.cfg.Run.Abort(fmt.Sprintf("DMI_kill of process 0, by process %d", s.p.Ranks.Rank(r.From)))
		return done(r.Reply, nil)
	case !s.elastic():
		return refused(r.Reply, errFixed(id, "cannot be asked to leave it"))
	}
	asks := n.State != Close
	l := defers(r)
	go func() { l.answer(nil, s.kill(id, asks)) }()
	return 0, nil
}

// kill is Kill at process 0. asks says that the process is not asked to leave yet.
func (s *System) kill(id int, asks bool) error {
	if asks {
		if err := s.cfg.Run.AskLeave(id); err != nil {
			return err
		}
	}
	h := &s.hosting
	if _, err := s.ask(id, opAsked, nil, 0); err != nil && !h.leaves([]int{id}) {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asks(id)
	return nil
}

// serveAsked notes that this process is asked to leave: it may learn that from the launcher later.
func (s *System) serveAsked(r fabric.Request) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	return done(r.Reply, nil)
}
