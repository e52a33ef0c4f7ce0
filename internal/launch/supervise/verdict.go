package supervise

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// Verdict is the reason why a run must end early.
type Verdict struct {
	Text   string
	Status int  // exit status of the launcher
	Member int  // to blame; -1 = none is
	Final  bool // the status is that of the member to blame and will not become more precise
	loss   bool // the text depends on the status of the member as well
	job    int  // that has lost a process, if loss
	// lost is 1 + the member whose broken connection has led to the verdict, noticed at the time
	// at; 0 = none has.
	lost int
	at   time.Time
}

// Settled reports whether the text is final.
func (v *Verdict) Settled() bool { return v.Final || !v.loss }

// statusOf returns the status of a member: its own, or else the one from its launcher.
func (s *Supervisor) statusOf(member int) (status exit.Status, known bool) {
	m := &s.members[member]
	if job := &s.jobs[m.job]; !m.ended && !m.pending() && job.explains() && !job.failedItself() && !s.informedWith(m.job, job.status) {
		if job.said.Known && job.said.Status.Signal != 0 {
			return job.said.Status, true
		}
		return job.status, true
	}
	return m.status, m.ended && !m.unknown && !s.killedHere(m)
}

// lossSince explains the loss of a member, noticed at the time at, by the job in which a process has failed
// first.
func (s *Supervisor) lossSince(member int, at time.Time) Verdict {
	v := Verdict{}
	if own := s.members[member].job; s.firstJob(own, at) != own {
		v = s.causeIn(s.firstJob(own, at))
	} else {
		v = s.lossIn(member)
	}
	v.lost, v.at = member+1, at
	return v
}

// lossIn explains the loss of a member by the evidence about the member and its job.
func (s *Supervisor) lossIn(member int) Verdict {
	number := s.members[member].job
	if !s.jobs[number].job.Acprun {
		return s.causeIn(number)
	}
	if s.jobs[number].explains() && s.jobs[number].status.Signal != 0 {
		v := s.launcherFailure(number)
		v.Final = true
		return v
	}
	v := s.lossOf(member)
	_, v.Final = s.statusOf(member)
	v.loss, v.job = true, number
	return v
}

// lossOf explains the loss of a member by its own status, or by that of its launcher.
func (s *Supervisor) lossOf(member int) Verdict {
	status, known := s.statusOf(member)
	switch {
	case !known:
		return Verdict{Text: s.Describe(member) + " died", Status: 1, Member: member}
	case !s.members[member].ended && status.Code > 128:
		// The status of the launcher may stand for a signal or for another failure.
		return Verdict{Text: fmt.Sprintf("%s died, and %s %v", s.Describe(member), s.describeLauncher(s.members[member].job), status),
			Status: status.Code, Member: member}
	}
	return s.failureOf(member, status)
}

// Stop ends the run for a reason that no rank is to blame for, unless it ends already. status
// is the exit status of the launcher.
func (s *Supervisor) Stop(reason string, status int) {
	s.conclude(Verdict{Text: reason, Status: status, Member: -1})
}

// JobFailed ends the run because an acprun has reported that its job fails as a whole, unless the run ends
// already. That acprun asks its ranks to end. If the loss of one of these ranks is seen first, the loss is no
// separate reason. If this launcher has asked that acprun to end, the failure follows from the verdict, even if
// the verdict has moved to a rank of that job since.
func (s *Supervisor) JobFailed(number int, reason string, status int) {
	if s.jobs[number].signalled != 0 {
		return
	}
	if v := s.verdict; v != nil && v.loss && v.Member >= 0 && s.members[v.Member].job == number && s.endedByOthers(v.Member) {
		s.verdict = nil
	}
	s.Stop(reason, status)
}

// endedByOthers reports whether a member that was lost may have been ended by its launcher.
func (s *Supervisor) endedByOthers(member int) bool {
	m := &s.members[member]
	return !m.ended || m.status.KilledByLauncher()
}

// conclude sets the verdict if there is none.
func (s *Supervisor) conclude(v Verdict) {
	if s.verdict == nil {
		s.verdict = &v
		s.pending = nil
	}
}

// refine makes the verdict about a member more precise when the status of the member is known.
func (s *Supervisor) refine(member int) {
	v := s.verdict
	if v == nil || v.Final {
		return
	}
	if v.loss && !s.jobs[v.job].job.Acprun {
		switch {
		case s.members[member].job != v.job:
		case v.lost > 0:
			*v = s.lossSince(v.lost-1, v.at)
		default:
			*v = s.causeIn(v.job)
		}
		return
	}
	if v.Member != member {
		return
	}
	if v.loss {
		*v = s.lossIn(member)
		return
	}
	// A process that ends because of a loss may be killed before it can end. Its launcher has a separate
	// status for that.
	if m := &s.members[member]; m.ended {
		if v.Final = true; m.status.Signal == 0 && !m.status.OK() {
			v.Status = m.status.Code
		}
	}
}

// moveBlame makes the verdict blame a process that acprun has reported as killed. acprun reports processes in
// the order of their death, and then ends the remaining ones. But the rendezvous may see the connection of a
// remaining process break first.
func (s *Supervisor) moveBlame(member int) {
	v, m := s.verdict, &s.members[member]
	if v == nil || v.Member < 0 || v.Settled() || !s.jobs[m.job].job.Acprun || s.members[v.Member].job != m.job {
		return
	}
	// Processes get SIGTERM because of the verdict.
	if sig := m.status.Signal; m.joined && sig != 0 && sig != int(unix.SIGTERM) && !s.killedHere(m) && !s.members[v.Member].ended {
		*v = s.lossIn(member)
	}
}

// followsFrom reports whether the verdict is a loss that a call of acp_abort by a member has
// caused: launchers of MPI kill the other processes of a job in which one fails, and the
// rendezvous may see the connection of one of those break first.
func (s *Supervisor) followsFrom(member int) bool {
	v := s.verdict
	if v == nil || !v.loss || v.Member < 0 || v.Member == member {
		return false
	}
	job := s.members[v.Member].job
	return job == s.members[member].job && !s.jobs[job].job.Acprun && s.endedByOthers(v.Member)
}

// KilledHere reports whether a process that has ended with a status was killed by a signal of this launcher.
func (s *Supervisor) KilledHere(member int, status exit.Status) bool {
	m := s.members[member]
	m.status = status
	return s.killedHere(&m)
}

// killedHere reports whether a process was killed by a signal of this launcher, or of a launcher of MPI that
// this launcher has asked to end.
func (s *Supervisor) killedHere(m *memberState) bool {
	job := &s.jobs[m.job]
	if !job.job.Acprun {
		return !m.spared && m.status.KilledByLauncher()
	}
	if m.status.Signal == int(unix.SIGTERM) && m.asking {
		return true
	}
	return m.status.Signal == int(unix.SIGKILL) && (m.killing || job.signalled == unix.SIGKILL)
}

// explains reports whether the status of a launcher shows how its processes have ended: the launcher has
// ended by itself.
func (j *jobState) explains() bool { return j.ended && j.signalled == 0 }
