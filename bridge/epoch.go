package bridge

import (
	"errors"
	"fmt"
	"slices"
)

// This file has the epochs of the cohort of the beginning: processes join it later, and members leave it.

// epochChange returns the change with which the epoch has begun.
func (m *membership) epochChange() Change {
	return Change{Kind: EpochBegan, Epoch: m.epoch, Members: m.cohorts[0].members}
}

// grow admits processes of a job, and returns their members.
func (m *membership) grow(job, count int, events *eventQueue) ([]int, error) {
	seats := &m.seatsOf[job]
	switch left := m.jobs[job].reserve() - len(seats.later); {
	case m.jobs[job].Max == 0:
		return nil, fmt.Errorf("%s cannot grow: it was started without -max or the key max", JobText(job, m.jobs[job].Name))
	case m.windows:
		return nil, errors.New("the ranks of the run reach each other by windows of MPI (-net rma), which processes that come later cannot have")
	case count > left:
		return nil, fmt.Errorf("%s has no seats for %d processes: %d of its %d seats have been given out, and none is given twice",
			JobText(job, m.jobs[job].Name), count, m.jobs[job].Size+len(seats.later), m.jobs[job].Max)
	}
	members := make([]int, count)
	for i := range members {
		members[i] = m.later + i
		c := &cohort{members: []int{members[i]}, newcomer: true, events: events}
		m.records.at(members[i]).cohort = c
		m.lone = append(m.lone, c)
	}
	m.later += count
	seats.later = append(seats.later, members...)
	return members, nil
}

// voteOn records whether a member of epoch last stays in the next one, and reports whether all members have voted. The members
// may have begun epochs without a vote.
func (m *membership) voteOn(member, last int, stays bool) (all bool, err error) {
	c, record := m.cohortOf(member), m.records.at(member)
	switch {
	case c != m.cohorts[0] || record.vote != notVoted:
		return false, fmt.Errorf("%w: rank %d votes on an epoch", ErrProtocol, member)
	case last < m.epoch || c.voted > 0 && last != m.epoch:
		return false, fmt.Errorf("%w: rank %d votes behind epoch %d, expected epoch %d", ErrProtocol, member, last, m.epoch)
	case !stays && !m.mayLeave(member):
		return false, fmt.Errorf("%w: rank %d leaves", ErrProtocol, member)
	}
	record.vote = votedToLeave
	if stays {
		record.vote = votedToStay
	}
	c.voted++
	m.epoch = last
	return c.voted == c.size(), nil
}

// beginEpoch begins the next epoch: the members that stay, and all processes that wait. It returns those that join and
// those that leave. Without these the members stay the same.
func (m *membership) beginEpoch() (joining, leaving []int) {
	c := m.cohorts[0]
	var stay []int
	for _, member := range c.members {
		record := m.records.at(member)
		if record.vote == votedToLeave {
			leaving = append(leaving, member)
		} else {
			stay = append(stay, member)
		}
		record.vote = notVoted
	}
	m.lone = slices.DeleteFunc(m.lone, func(lone *cohort) bool {
		if !lone.newcomer || !lone.arrived || lone.aborted != "" || m.records.at(lone.first()).state != memberPresent {
			return false
		}
		joining = append(joining, lone.first())
		return true
	})
	c.voted, c.seq = 0, 0
	m.epoch++
	if len(joining)+len(leaving) == 0 {
		return nil, nil
	}
	m.changed = true
	for _, member := range joining {
		m.records.at(member).cohort = c
	}
	for _, member := range leaving {
		lone := &cohort{members: []int{member}, departed: true, arrived: true, events: c.events}
		m.records.at(member).cohort = lone
		m.lone = append(m.lone, lone)
	}
	c.members = slices.Sorted(slices.Values(append(stay, joining...)))
	c.joined, c.left = c.size(), 0
	return joining, leaving
}

// adopt takes the vote of a member on the next epoch. With the last vote the epoch begins.
func (s *Server) adopt(member int, payload []byte) error {
	var stays, last int
	if err := decodeNumbers("vote", payload, &stays, &last); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.members.cohortOf(member)
	if c.newcomer {
		return s.ready(c)
	}
	all, err := s.members.voteOn(member, last, stays != 0)
	if err != nil {
		return err
	}
	if !all {
		s.checkStuck(c)
		return nil
	}
	joining, leaving := s.members.beginEpoch()
	if len(joining)+len(leaving) > 0 {
		s.sendAll(s.members.epochChange())
	}
	s.send(c, numberFrame(frameAdopted, uint32(s.members.epoch), uint32(c.size())))
	for _, member := range leaving {
		c.events.put(s.members.event(Departed, member, ""))
	}
	if len(leaving) > 0 {
		s.leave(leaving)
	}
	for _, member := range joining {
		c.events.put(s.members.event(Adopted, member, ""))
	}
	return nil
}

// ready announces a newcomer, which serves others and waits for its adoption from now on. The caller holds mu.
func (s *Server) ready(c *cohort) error {
	if c.aborted != "" {
		return nil // it does not know that yet
	}
	if c.arrival == nil || c.arrived {
		return fmt.Errorf("%w: rank %d waits for its adoption without a contact, or twice", ErrProtocol, c.first())
	}
	frame, err := changeFrame(*c.arrival)
	if err != nil {
		return err
	}
	s.members.announce(c, *c.arrival)
	s.sendOthers(c, frame)
	return nil
}

// endNewcomers ends the processes that wait to be adopted. The events that they are informed are queued before, and so before they
// end. The caller holds mu.
func (s *Server) endNewcomers(reason string) {
	for _, lone := range s.members.lone {
		if !lone.newcomer {
			continue
		}
		if member := lone.first(); lone.aborted == "" && s.members.records.at(member).state == memberPresent {
			lone.events.put(s.members.event(Informed, member, ""))
		}
		s.abort(lone, reason)
	}
}

// Grow admits count more processes of a job, which then join by [Dial] with the numbers behind those that the job has had.
// It returns their members, which are consecutive and follow those of all processes before. They wait until the members of the run adopt them. Fails with [ErrStarting], and if the job
// cannot grow or has no seats left, or the run is over. Does not block. Safe for concurrent use.
func (s *Server) Grow(job, count int) (members []int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.running(); err != nil {
		return nil, err
	}
	if count < 1 {
		return nil, fmt.Errorf("%d processes are to join", count)
	}
	if job < 0 || job >= len(s.members.jobs) || s.members.cohortOfJob(job) != s.residents() {
		return nil, fmt.Errorf("the run has no job %d of its own", job)
	}
	return s.members.grow(job, count, s.residents().events)
}

// memberAsks asks a member to leave because another one wants that.
func (s *Server) memberAsks(_ int, payload []byte) error {
	var asked int
	if err := decodeNumbers("request to leave", payload, &asked); err != nil {
		return err
	}
	// The member that asks has checked the rank. It may have ended meanwhile.
	_ = s.AskLeave(asked)
	return nil
}

// joinAsked passes the wish of a member for further processes on to the launcher.
func (s *Server) joinAsked(member int, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q, err := decodeJoinRequest(payload, s.members.residents)
	if err != nil {
		return err
	}
	e := s.members.event(JoinAsked, member, "")
	e.Asks = q
	s.members.cohortOf(member).events.put(e)
	return nil
}

// AskLeave asks members of the run to leave: they see it, and go when they have moved their data. A process that waits for its
// adoption has no data, so it ends. All of them get the request, or none. Fails with [ErrStarting], and if one of them does not
// belong to the run, or may not leave. Does not block. Safe for concurrent use.
func (s *Server) AskLeave(members ...int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.running(); err != nil {
		return err // a resident that joins later would not learn of the request
	}
	for _, member := range members {
		if err := s.members.mayBeAsked(member); err != nil {
			return err
		}
	}
	for _, member := range members {
		switch record := s.members.records.at(member); {
		case record.cohort.newcomer:
			s.abort(record.cohort, "it was asked to leave before the run had adopted it")
		case !record.asked:
			record.asked = true
			s.sendAll(Change{Kind: MemberAsked, Member: member})
		}
	}
	return nil
}

// Asked reports whether a member is asked to leave. Does not block. Safe for concurrent use.
func (s *Server) Asked(member int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return member >= 0 && member < s.members.size() && s.members.records.at(member).asked
}

// mayBeAsked returns why a member cannot be asked to leave, or nil.
func (m *membership) mayBeAsked(member int) error {
	var c *cohort
	if member >= 0 && member < m.residents {
		c = m.records.at(member).cohort
	}
	switch {
	case c != nil && c.newcomer && c.aborted == "" && !m.records.at(member).ended():
		return nil
	case c != m.cohorts[0] || m.records.at(member).state != memberPresent:
		return fmt.Errorf("rank %d does not belong to the run now", member)
	case member == 0:
		return errors.New("rank 0 stays until the end of the run")
	case !m.mayLeave(member):
		return fmt.Errorf("rank %d belongs to %s, which was started without -max or the key max and cannot shrink", member, JobText(int(m.records.at(member).hello.job), m.jobs[m.records.at(member).hello.job].Name))
	}
	return nil
}
