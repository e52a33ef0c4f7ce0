package supervise

import (
	"fmt"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// Verdict is why a run must end before its time.
type Verdict struct {
	Text   string
	Status int  // exit status of the launcher
	Member int  // to blame; -1 = none is
	Final  bool // the status is that of the member to blame and will not become more precise
	loss   bool // the text depends on the status of the member as well
}

// Settled reports whether the text is final.
func (v *Verdict) Settled() bool { return v.Final || !v.loss }

// statusOf returns the status of a member: its own, or what its launcher says about it.
func (s *Supervisor) statusOf(member int) (status exit.Status, known bool) {
	m := &s.members[member]
	if job := &s.jobs[m.job]; !m.ended && !m.asked && job.explains() {
		if job.killed != 0 {
			return exit.Status{Signal: job.killed}, true
		}
		return job.status, true
	}
	return m.status, m.ended && !s.killedHere(m)
}

// lossOf explains the loss of a member by what is known about the member and its job.
func (s *Supervisor) lossOf(member int) Verdict {
	job := &s.jobs[s.members[member].job]
	if job.explains() && job.status.Signal != 0 {
		return Verdict{Text: fmt.Sprintf("%s %v", s.describeLauncher(s.members[member].job), job.status),
			Status: job.status.ExitStatus(), Member: -1, Final: true}
	}
	status, known := s.statusOf(member)
	v := Verdict{Member: member, Status: 1, Final: known, loss: true}
	switch {
	case !known:
		v.Text = s.Describe(member) + " died"
	case status.Signal != 0:
		v.Text = fmt.Sprintf("%s %v", s.Describe(member), status)
		v.Status = status.ExitStatus()
	case !s.members[member].ended && status.Code > 128:
		// The launcher may mean a signal or something else.
		v.Text = fmt.Sprintf("%s died, and %s %v", s.Describe(member), s.describeLauncher(s.members[member].job), status)
		v.Status = status.Code
	default:
		v.Text = fmt.Sprintf("%s %v without acp_finalize", s.Describe(member), status)
		v.Status = max(status.Code, 1)
	}
	return v
}

// Stop ends the run for a reason that no rank is to blame for, unless it ends already. status
// is the exit status of the launcher.
func (s *Supervisor) Stop(reason string, status int) {
	s.conclude(Verdict{Text: reason, Status: status, Member: -1})
}

// JobFailed ends the run because a job fails as a whole, as its acprun says, unless the run
// ends already. acprun asks its ranks to end then. If the loss of one of them has been seen
// first, it is no reason of its own.
func (s *Supervisor) JobFailed(number int, reason string, status int) {
	if v := s.verdict; v != nil && v.loss && v.Member >= 0 && s.members[v.Member].job == number && s.endedByOthers(v.Member) {
		s.verdict = nil
	}
	s.Stop(reason, status)
}

// endedByOthers reports whether a member that was lost may have been ended by its launcher.
func (s *Supervisor) endedByOthers(member int) bool {
	m := &s.members[member]
	sig := unix.Signal(m.status.Signal)
	return !m.ended || sig == unix.SIGKILL || sig == unix.SIGTERM
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
	if v == nil || v.Member != member || v.Final {
		return
	}
	if v.loss {
		*v = s.lossOf(member)
		return
	}
	// A process that has given up may be killed before it can end. Its launcher has a status
	// of its own for that.
	if m := &s.members[member]; m.ended {
		if v.Final = true; m.status.Signal == 0 && !m.status.OK() {
			v.Status = m.status.Code
		}
	}
}

// moveBlame makes the verdict blame a process that acprun knows to have been killed. acprun
// reports processes in the order of their death, and then ends the others. But the rendezvous
// may see the connection of one of those others break first.
func (s *Supervisor) moveBlame(member int) {
	v, m := s.verdict, &s.members[member]
	if v == nil || v.Member < 0 || v.Settled() || !s.jobs[m.job].job.Acprun || s.members[v.Member].job != m.job {
		return
	}
	// Processes get SIGTERM because of the verdict.
	if sig := m.status.Signal; m.joined && sig != 0 && sig != int(unix.SIGTERM) && !s.killedHere(m) && !s.members[v.Member].ended {
		*v = s.lossOf(member)
	}
}

// diedFirst returns the member to blame for the loss of a member. After the first death a
// launcher of MPI kills the rest of the job, and the rendezvous may see the connection of one of
// those processes break first.
func (s *Supervisor) diedFirst(member int) int {
	m := &s.members[member]
	first := s.jobs[m.job].named - 1
	if first < 0 || first == member {
		return member
	}
	if !s.endedByOthers(member) {
		return member
	}
	return first
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

// killedHere reports whether a process was killed by a signal of this launcher.
func (s *Supervisor) killedHere(m *memberState) bool {
	return m.status.Signal == int(unix.SIGKILL) && (m.killing || s.jobs[m.job].told == unix.SIGKILL)
}

// explains reports whether the status of a launcher tells how its processes have ended: the
// launcher has ended by itself.
func (j *jobState) explains() bool { return j.ended && j.told == 0 }
