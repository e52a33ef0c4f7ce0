package supervise

import (
	"fmt"
	"time"
)

// suspicion is a reason to end the run that may turn out to be wrong. It becomes the verdict
// at its time if it still holds.
type suspicion struct {
	at      time.Time
	member  int // -1 = the job as a whole
	job     int
	awaited bool // the run does not end before
	holds   func() bool
	verdict func() Verdict
}

// suspectAbsent suspects jobs and processes that have ended without calling acp_init while other processes
// wait in acp_init for them.
func (s *Supervisor) suspectAbsent(now time.Time) {
	for j := range s.jobs {
		job := &s.jobs[j]
		if job.ended && !job.direct && (job.exited == 0 || !job.job.Acprun) && job.joined < job.job.Size && !s.JobApart(j) {
			s.suspect(suspicion{at: now.Add(EventLimit), member: -1, job: j,
				holds: func() bool { return s.jobs[j].joined < s.jobs[j].job.Size },
				verdict: func() Verdict {
					if s.knowsCause(j) {
						return s.causeIn(j)
					}
					return s.absentFrom(j)
				}})
		}
	}
	for i := range s.members {
		if m := &s.members[i]; m.ended && !m.joined && !m.apart {
			s.suspectEarly(i, now)
		}
	}
}

// suspectUnreported suspects a job of which a process was killed that was informed of the end of the run. The launcher
// of the job has killed it because of another process, about which the rendezvous has an event soon.
func (s *Supervisor) suspectUnreported(number int, now time.Time) {
	s.suspect(suspicion{at: now.Add(reasonLimit), member: -1, job: number, awaited: true,
		holds:   func() bool { return true },
		verdict: func() Verdict { return s.causeIn(number) }})
}

// absentFrom returns the verdict about a job whose launcher has ended although processes have not called
// acp_init.
func (s *Supervisor) absentFrom(number int) Verdict {
	status := s.jobs[number].status
	return Verdict{Text: fmt.Sprintf("%s %v before all its processes had called acp_init", s.describeLauncher(number), status),
		Status: max(status.ExitStatus(), 1), Member: -1}
}

// suspectEarly suspects a process that has ended without calling acp_init. Processes that have called it
// would wait for the suspect forever.
func (s *Supervisor) suspectEarly(member int, now time.Time) {
	if s.joined == 0 {
		return
	}
	s.suspect(suspicion{at: now.Add(EventLimit), member: member, job: s.members[member].job,
		holds: func() bool { return !s.members[member].joined },
		verdict: func() Verdict {
			v := s.failureOf(member, s.members[member].status)
			v.Final = true
			return v
		}})
}

// knowsCause reports whether there is any evidence about the processes of an MPI job that have failed.
func (s *Supervisor) knowsCause(number int) bool {
	_, named := s.namedBy(number)
	return named || s.firstEnd(number) >= 0
}

// unknownKilled returns the verdict about an MPI job whose launcher has reported that a signal killed a
// process, if the first killed process is not known.
func (s *Supervisor) unknownKilled(number int) Verdict {
	killed := s.jobs[number].said.Status
	return Verdict{Text: fmt.Sprintf("a process of %s was %v", s.describeLauncher(number), killed), Status: killed.ExitStatus(), Member: -1}
}

func (s *Supervisor) suspect(p suspicion) { s.pending = append(s.pending, p) }

// Deadline returns when Tick must be called next. ok is false if it need not be called.
func (s *Supervisor) Deadline() (at time.Time, ok bool) {
	if s.verdict != nil || len(s.pending) == 0 {
		return time.Time{}, false
	}
	at = s.pending[0].at
	for _, p := range s.pending {
		if p.at.Before(at) {
			at = p.at
		}
	}
	return at, true
}

// Postpone gives all suspicions d more time. The launcher was stopped for so long, and events
// that disprove the suspicions may be waiting to be read.
func (s *Supervisor) Postpone(d time.Duration) {
	for i := range s.pending {
		s.pending[i].at = s.pending[i].at.Add(d)
	}
}

// Tick makes the suspicions whose time has come the verdict.
func (s *Supervisor) Tick(now time.Time) {
	var later []suspicion
	for _, p := range s.pending {
		switch {
		case p.at.After(now):
			later = append(later, p)
		case p.holds():
			s.conclude(p.verdict())
		}
	}
	s.pending = later
}
