package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/liveness"
)

// This file decides how the end of a member's connection affects the run.

// informed records that the end of the run has reached a member.
func (s *Server) informed(member int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members.cohortOf(member).events.put(s.members.event(Informed, member, ""))
}

// memberLost handles the report of a member that has lost another one.
func (s *Server) memberLost(member int, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	peer, how, err := decodeLost(payload, s.members.size())
	if err != nil {
		return err
	}
	if s.members.cohortOf(peer) == nil {
		return fmt.Errorf("%w: no process can be rank %d yet, which is lost", ErrProtocol, peer)
	}
	s.members.reportLost(member, peer)
	s.members.cohortOf(member).events.put(s.members.event(Informed, member, ""))
	if how == ProcessEnded {
		// Earlier frames of the process, such as an abort, arrive on its own connection.
		time.AfterFunc(lossLimit, func() { s.memberEnded(peer) })
	}
	return nil
}

// memberEnded ends the run because another member has reported the end of a member's process. The connection
// of the ended process is still open: the network has not delivered its end yet.
func (s *Server) memberEnded(member int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.members.cohortOf(member).aborted == "" && !s.closed && s.members.records.at(member).state == memberPresent {
		s.declareDead(member, "")
	}
}

// declareDead ends the cohort of a member because the member has died. text describes the death further. The
// caller holds mu.
func (s *Server) declareDead(member int, text string) {
	c := s.members.cohortOf(member)
	c.died = true
	c.events.put(s.members.event(Died, member, text))
	s.abort(c, s.members.where(member)+" died")
}

// lossLimit is how long the server waits when a member ends because it has lost another one. The end of the
// lost member comes on another connection and may arrive later.
const lossLimit = time.Second

// unlessLost calls end, which ends the cohort of a member because of the member. If a report of a loss may explain that,
// the server first waits for the end of the lost member, and ends the cohort with the report. reporter is
// the member that has reported the loss; noMember = none has. Another member explains nothing if it goes on. The caller holds mu.
func (s *Server) unlessLost(member, reporter int, end func()) {
	c := s.members.cohortOf(member)
	if c.aborted != "" || s.closed {
		return
	}
	if reporter == noMember {
		end()
		return
	}
	time.AfterFunc(lossLimit, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.aborted != "" || s.closed {
			return
		}
		if reporter != member && s.members.records.at(reporter).state == memberPresent {
			end()
			return
		}
		by, peer := s.members.lostFirst(reporter)
		text := "lost its connection to " + s.members.where(peer)
		s.members.cohortOf(by).events.put(s.members.event(Lost, by, text))
		s.abort(c, s.members.where(by)+" "+text)
	})
}

// depart removes a member. err is nil if the member has left in order. If its cohort is over already, depart
// reports nothing to the launcher of the cohort.
func (s *Server) depart(member int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, record := s.members.cohortOf(member), s.members.records.at(member)
	if err == nil {
		record.state = memberLeft
		c.left++
		record.link.sendLast(emptyFrame(frameBye))
		s.confirmsNothing(member)
		if c.aborted == "" && !s.closed {
			c.events.put(s.members.event(Left, member, ""))
			s.checkStuck(c)
		}
		s.announceEnd(c, s.members.endOf(member))
		s.checkJoin(c, member, "left")
		return
	}
	record.state = memberDead
	record.link.close()
	s.confirmsNothing(member)
	s.unlessLost(member, s.members.reporter(member), func() { s.declareDead(member, reasonOf(err)) })
	s.announceEnd(c, s.members.endOf(member))
	s.checkJoin(c, member, "died")
}

// checkJoin is failJoin if a process that has departed was to join, and has not arrived. The caller holds mu.
func (s *Server) checkJoin(c *cohort, member int, how string) {
	if c.newcomer && !c.arrived {
		s.failJoin(member, cmp.Or(c.aborted, s.members.where(member)+" "+how))
	}
}

// FailJoin announces to the members of the run that a process which was to join does not come, and why. member is its seat, -1
// if it has none. Does nothing if the process has joined. Does not block. Safe for concurrent use.
func (s *Server) FailJoin(member int, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
	case member < 0:
		s.failJoin(0, reason)
	case member < s.members.size() && s.members.records.at(member).state == memberAwaited:
		s.members.records.at(member).state = memberDead
		s.failJoin(member, reason)
	}
}

// failJoin is FailJoin for a process that may have joined, but has not arrived. The caller holds mu.
func (s *Server) failJoin(member int, reason string) {
	s.sendAll(Change{Kind: JoinFailed, Member: member, Reason: reason})
}

// reasonOf returns why the connection of a member counts as lost although its process has not ended it;
// "" = the process or its host has ended it.
func reasonOf(err error) string {
	vanished := (*liveness.VanishedError)(nil)
	switch {
	case errors.Is(err, ErrProtocol), errors.As(err, &vanished):
		return err.Error()
	case errors.Is(err, syscall.ETIMEDOUT):
		return "its host does not answer"
	}
	return ""
}
