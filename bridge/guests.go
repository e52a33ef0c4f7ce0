package bridge

import (
	"errors"
	"fmt"
)

// Guests are the processes of jobs that have attached to a run. They are a cohort of their own. Its methods may
// be called by several goroutines at once.
type Guests struct {
	server *Server
	cohort *cohort
}

// GuestJob is a job that attaches to a run.
type GuestJob struct {
	Job
	// Derived: the launcher has chosen the name. [Server.Attach] puts a number behind it if another job has it.
	Derived bool
}

// ErrStarting says that a run takes no guests yet, because its own processes have not all joined.
var ErrStarting = errors.New("the ranks of the run have not all joined yet")

// Attach gives seats to the processes of further jobs, which then join by [Dial]. They exchange blobs with
// each other, and end without the run: the death of one ends these jobs alone. They end with the run.
//
// Events is called for each event of these processes, as ServerConfig.Events is for those of the
// beginning. Fails with [ErrStarting], and if there are not seats enough, a name is that of another job, or
// the run is over. Does not block. Safe for concurrent use.
func (s *Server) Attach(guests []GuestJob, events func(Event)) (*Guests, error) {
	jobs := make([]Job, len(guests))
	for i := range guests {
		if jobs[i] = guests[i].Job; jobs[i].Max > 0 {
			return nil, fmt.Errorf("job %s: guests have a fixed number of processes", jobs[i].Name)
		}
	}
	if err := checkJobs(jobs); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.running(); err != nil {
		return nil, err
	}
	// Seats for processes of the run's own jobs that come later are reserved, and no guest gets one.
	switch left := s.members.seats - s.members.size(); {
	case s.members.windows:
		return nil, errors.New("the ranks of the run reach each other by windows of MPI (-net rma), which guests cannot have")
	case total(jobs) > left:
		return nil, fmt.Errorf("no seats for %d processes: %d of the %d seats for guests can still be given out, and none is given twice",
			total(jobs), left, s.members.seats-s.members.residents)
	}
	jobs, err := s.members.nameGuests(guests)
	if err != nil {
		return nil, err
	}
	c := s.members.add(jobs)
	c.events = newEventQueue(events)
	return &Guests{s, c}, nil
}

// running returns nil if processes may join the run now, and otherwise why not; [ErrStarting] if they may later. The
// caller holds mu.
func (s *Server) running() error {
	switch residents := s.residents(); {
	case s.closed:
		return errors.New("the launcher is ending")
	case residents.aborted != "":
		return fmt.Errorf("the run was aborted: %s", residents.aborted)
	case residents.left == residents.size():
		return errors.New("the run has ended")
	case len(s.members.arrivals) == 0:
		return ErrStarting
	case s.members.renumbered:
		return errRenumbered
	}
	return nil
}

// errRenumbered is the error of a process that cannot join, since it would not know the ranks of the run.
var errRenumbered = errors.New("its ranks have other numbers since acp_reset")

// renumber records that the members of the beginning have other ranks. Processes that have come later are ended.
func (s *Server) renumber(member int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.members.cohortOf(member) != s.residents() {
		return fmt.Errorf("%w: guest %d gives ranks other numbers", ErrProtocol, member)
	}
	s.members.renumbered = true
	reason := "the run takes no processes: " + errRenumbered.Error()
	s.endGuests(reason)
	s.endNewcomers(reason)
	return nil
}

// Job returns the number of the first of the jobs, which is that of [Env.Job] in their processes. The numbers
// of the others follow.
func (g *Guests) Job() int { return g.cohort.job }

// Names returns the names of the jobs, in order.
func (g *Guests) Names() []string {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	var names []string
	for j, job := range g.server.members.jobs[g.cohort.job:] {
		if g.server.members.cohortOfJob(g.cohort.job+j) == g.cohort {
			names = append(names, job.Name)
		}
	}
	return names
}

// Number returns the number of the cohort of the jobs.
func (g *Guests) Number() int { return g.cohort.number }

// First returns the first member of the jobs.
func (g *Guests) First() int { return g.cohort.first() }

// Abort ends the jobs, for a reason that their processes get. Only the first reason counts. Does not block.
func (g *Guests) Abort(reason string) {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	g.server.abort(g.cohort, reason)
}

// Close ends the connections of the processes that have not left, and admits no more of them. Returns when all
// events have been delivered. The function of [Server.Attach] must not call it. Further calls do nothing.
func (g *Guests) Close() {
	s, c := g.server, g.cohort
	s.mu.Lock()
	s.abort(c, "its launcher has ended")
	for _, member := range c.members {
		if record := s.members.records.at(member); record.state == memberPresent {
			record.link.close()
		}
	}
	s.mu.Unlock()
	c.events.close()
}

// arrive announces a cohort whose members have exchanged their contacts. The caller holds mu.
func (s *Server) arrive(c *cohort) error {
	change, err := s.members.arrive(c)
	if c == s.residents() {
		return nil // each member has the contacts, and ends the run if one is malformed
	}
	if err != nil {
		return err
	}
	frame, err := changeFrame(change)
	if err != nil {
		return err
	}
	if !c.newcomer {
		s.sendOthers(c, frame)
		s.sendEarlyEnds(c)
	}
	change.Contacts = nil
	if frame, err = changeFrame(change); err == nil {
		s.send(c, frame)
	}
	return err
}

// announceEnd announces the end of a member to the members of other cohorts. The caller holds mu.
func (s *Server) announceEnd(c *cohort, change Change) {
	switch {
	case c != s.residents():
		if frame, err := changeFrame(change); err == nil && c.arrived && !s.closed {
			s.sendOthers(c, frame)
		}
	case c.left == c.size():
		s.endGuests("the run to which they have attached has ended")
		s.endNewcomers("the run has ended before it has adopted this rank")
	}
}

// sendEarlyEnds announces the ends of members of a cohort that have given their contacts, and have ended before the cohort has
// arrived. The caller holds mu.
func (s *Server) sendEarlyEnds(c *cohort) {
	for _, member := range c.members {
		if s.members.records.at(member).ended() {
			s.announceEnd(c, s.members.endOf(member))
		}
	}
}

// sendOthers sends a frame to all members of cohorts other than c. The caller holds mu.
func (s *Server) sendOthers(c *cohort, frame []byte) {
	for _, cohorts := range [...][]*cohort{s.members.cohorts, s.members.lone} {
		for _, other := range cohorts {
			if other != c {
				s.send(other, frame)
			}
		}
	}
}

// sendAll sends a change to all members. The caller holds mu.
func (s *Server) sendAll(change Change) {
	if frame, err := changeFrame(change); err == nil {
		s.sendOthers(nil, frame)
	}
}

// sendPast sends the changes so far to a process that joins cohort c. Processes that have arrived together and have all
// ended have no place in them. The caller holds mu.
func (s *Server) sendPast(c *cohort, l *link) {
	if c == s.residents() {
		return
	}
	for _, a := range s.members.arrivals {
		if s.members.present(a) {
			l.sendChange(a.change)
		}
	}
	if s.members.changed {
		l.sendChange(s.members.epochChange())
	}
	for _, a := range s.members.arrivals {
		if !s.members.present(a) {
			continue
		}
		for member := a.change.Member; member < a.end; member++ {
			record := s.members.records.at(member)
			announced := record.cohort != s.residents() // if it has ended
			switch {
			case record.cohort.departed || announced && record.ended():
				l.sendChange(s.members.endOf(member))
			case record.asked:
				l.sendChange(Change{Kind: MemberAsked, Member: member})
			}
		}
	}
}
