// Package supervise decides from what happens to the processes of a run whether the run
// goes on, why it ends, and with which exit status. It opens no file, starts no process and
// reads no clock: every event carries its time.
package supervise

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"golang.org/x/sys/unix"
)

// Times of the supervisor. Together with the time that processes get to end by
// themselves (see graceAfterFailure) they stay within the two seconds that a run
// may live after the loss of a process.
const (
	// GraceForStatus is how long the report of a lost member waits for the exit
	// status that explains it. mpirun needs more than a second to end after one of
	// its processes was killed.
	GraceForStatus = 1300 * time.Millisecond
	// GraceForNews is how long an exit status waits for news of the rendezvous
	// that was sent before it, but on another connection.
	GraceForNews = 250 * time.Millisecond
)

// Verdict is why a run must end before its time.
type Verdict struct {
	Text   string
	Status int  // exit status of the launcher
	Member int  // who is to blame; -1 if nobody is
	Final  bool // the status is that of the culprit, and nothing better will come
	loss   bool // the text depends on the status of the culprit as well
}

// Settled reports whether the text is what the user should read.
func (v *Verdict) Settled() bool { return v.Final || !v.loss }

// Supervisor decides from what happens to processes whether the run goes on and
// how it ended. It is a state machine without clock: every event carries the time.
//
// Invariants: verdict is set at most once; counts of a job equal what the
// entries of members say.
type Supervisor struct {
	jobs    []jobState
	members []memberState
	joined  int // members that have called acp_init
	verdict *Verdict
	failure int // first non-zero exit status
	pending []suspicion
}

type jobState struct {
	job    *plan.Job
	direct bool // acprun itself: its processes are known one by one, and there is no launcher
	pid    int  // of the launcher
	host   string
	ended  bool
	status exit.Status
	killed int // signal that killed a process, as the launcher says; 0 if it does not
	named  int // 1 + the member that the launcher says was killed first; 0 if it does not
	// told is the signal that this launcher has sent the other one to end it, SIGKILL if
	// it was one of several; 0 = none.
	told   unix.Signal
	joined int
	exited int // processes known to have ended
}

type memberState struct {
	job          int
	pid          int
	host         string
	joined, left bool
	ended        bool
	asked        bool // its own status will be known soon
	killing      bool // this launcher has sent it SIGKILL
	status       exit.Status
}

// suspicion becomes the verdict when its time has come, if no better explanation
// has been found by then.
type suspicion struct {
	at      time.Time
	member  int // -1: of the job as a whole
	job     int
	holds   func() bool
	verdict func() Verdict
}

// New watches the jobs of a plan. direct says that the one job's
// processes are children of this process or of proxies.
func New(plan *plan.Plan, direct bool, host string) *Supervisor {
	s := &Supervisor{}
	for j := range plan.Jobs {
		s.jobs = append(s.jobs, jobState{job: &plan.Jobs[j], direct: direct, host: host})
		for range plan.Jobs[j].Size {
			s.members = append(s.members, memberState{job: j})
		}
	}
	return s
}

// LauncherStarted records the process id of a job's launcher.
func (s *Supervisor) LauncherStarted(job, pid int) { s.jobs[job].pid = pid }

// NeverStarted records that a job's launcher will not be started, or, of acprun itself,
// that process of its job.
func (s *Supervisor) NeverStarted(number int) {
	job := &s.jobs[0]
	if !job.direct {
		s.jobs[number].ended = true
		return
	}
	if m := &s.members[number]; !m.ended {
		m.ended = true
		job.exited++
		job.ended = job.exited == job.job.Size
	}
}

// LeaderSignalled records that this launcher has sent a signal to the launcher of a job,
// which was running, or, of acprun itself, to that process of its job. An end that this
// signal may have caused follows from the verdict and does not explain it.
func (s *Supervisor) LeaderSignalled(number int, sig unix.Signal) {
	if job := &s.jobs[0]; job.direct {
		m := &s.members[number]
		m.killing = m.killing || sig == unix.SIGKILL
		return
	}
	if job := &s.jobs[number]; job.told != unix.SIGKILL {
		job.told = sig
	}
}

// explains reports whether the status of a launcher tells how its processes ended: it
// has ended by itself.
func (j *jobState) explains() bool { return j.ended && j.told == 0 }

// killedHere reports whether a process that a signal has killed got it from this
// launcher.
func (s *Supervisor) killedHere(m *memberState) bool {
	return m.status.Signal == int(unix.SIGKILL) && (m.killing || s.jobs[m.job].told == unix.SIGKILL)
}

// ProcessStarted records a process that acprun has started.
func (s *Supervisor) ProcessStarted(member, pid int, host string) {
	s.members[member].pid, s.members[member].host = pid, host
}

// MemberJoined records that a member has called acp_init.
func (s *Supervisor) MemberJoined(member, pid int, host string, now time.Time) {
	m := &s.members[member]
	if m.joined {
		return
	}
	m.joined, m.pid, m.host = true, pid, host
	s.jobs[m.job].joined++
	s.joined++
	if s.joined == 1 {
		s.suspectAbsent(now)
	}
}

// MemberLeft records that a member has called acp_finalize.
func (s *Supervisor) MemberLeft(member int) { s.members[member].left = true }

// MemberDied records that the connection of a member was lost. How it died is
// known from its own status, or from that of its launcher, sooner or later.
func (s *Supervisor) MemberDied(member int) { s.conclude(s.lossOf(s.diedFirst(member))) }

// diedFirst returns the member whose death is the reason for that of a member: a launcher of
// MPI kills the rest of a job after the first death, and the connection of another process
// may be seen to break first.
func (s *Supervisor) diedFirst(member int) int {
	m := &s.members[member]
	first := s.jobs[m.job].named - 1
	if first < 0 || first == member {
		return member
	}
	if sig := unix.Signal(m.status.Signal); m.ended && sig != unix.SIGKILL && sig != unix.SIGTERM {
		return member
	}
	return first
}

// MemberAborted records that a member has called acp_abort.
func (s *Supervisor) MemberAborted(member int, text string) {
	if text != "" {
		text = ": " + text
	}
	v := Verdict{Text: fmt.Sprintf("%s aborted%s", s.Describe(member), text), Status: exit.Abort, Member: member}
	if s.followsFrom(member) {
		*s.verdict = v
	}
	s.conclude(v)
	s.refine(member)
}

// followsFrom reports whether the verdict is a loss that follows from the end of a member
// which has called acp_abort: launchers of MPI kill the other processes of a job in which one
// fails, and the connection of one of those may be seen to break first.
func (s *Supervisor) followsFrom(member int) bool {
	v := s.verdict
	if v == nil || !v.loss || v.Member < 0 || v.Member == member {
		return false
	}
	lost := &s.members[v.Member]
	sig := unix.Signal(lost.status.Signal)
	return lost.job == s.members[member].job && !s.jobs[lost.job].job.Acprun &&
		(!lost.ended || sig == unix.SIGKILL || sig == unix.SIGTERM)
}

// MemberLost records that a member has given up because it had lost another one, which
// text names.
func (s *Supervisor) MemberLost(member int, text string) {
	s.conclude(Verdict{Text: s.Describe(member) + " " + text, Status: 1, Member: member, Final: true})
}

// ProcessEnded records the status of one process of acprun.
func (s *Supervisor) ProcessEnded(member int, status exit.Status, now time.Time) {
	m := &s.members[member]
	if m.ended {
		return
	}
	m.ended, m.asked, m.status = true, false, status
	job := &s.jobs[m.job]
	job.exited++
	if job.direct && job.exited == job.job.Size {
		job.ended = true
	}
	s.noteFailure(status)
	s.refine(member)
	s.moveBlame(member)
	switch {
	case status.Signal != 0:
		s.conclude(Verdict{Text: fmt.Sprintf("%s %v", s.Describe(member), status), Status: status.ExitStatus(), Member: member, Final: true})
	case !m.joined:
		s.suspectEarly(member, now)
	}
}

// LauncherNamed records which process of a job its launcher says was killed first: its rank
// in the job, -1 if the launcher does not say. It is called before LauncherEnded.
func (s *Supervisor) LauncherNamed(number, rank int) {
	job := &s.jobs[number]
	if rank < 0 || rank >= job.job.Size {
		return
	}
	job.named = job.job.First + rank + 1
}

// LauncherEnded records the status of a job's launcher, and the signal that killed one
// of its processes if the launcher has said so, or 0.
func (s *Supervisor) LauncherEnded(number int, status exit.Status, killed int, now time.Time) {
	job := &s.jobs[number]
	job.ended, job.status, job.killed = true, status, killed
	s.noteFailure(status)
	if s.verdict != nil {
		if m := s.verdict.Member; m >= 0 && s.members[m].job == number {
			if first := s.diedFirst(m); first != m && s.verdict.loss && !s.verdict.Final {
				*s.verdict = s.lossOf(first)
			}
			s.refine(s.verdict.Member)
		}
		return
	}
	if status.Signal != 0 {
		s.conclude(Verdict{Text: fmt.Sprintf("%s %v", s.describeLauncher(number), status), Status: status.ExitStatus(), Member: -1})
		return
	}
	if killed != 0 && job.exited < job.job.Size {
		s.suspect(suspicion{at: now.Add(GraceForNews), member: -1, job: number,
			holds: func() bool { return true },
			verdict: func() Verdict {
				return Verdict{Text: fmt.Sprintf("a process of %s was %v", s.describeLauncher(number), exit.Status{Signal: killed}), Status: 128 + killed, Member: -1}
			}})
	}
	if s.joined > 0 {
		s.suspectAbsent(now)
	}
}

// suspectAbsent finds what has ended without joining although others wait in
// acp_init for it.
func (s *Supervisor) suspectAbsent(now time.Time) {
	for j := range s.jobs {
		job := &s.jobs[j]
		if job.ended && !job.direct && job.exited == 0 && job.joined < job.job.Size {
			s.suspect(suspicion{at: now.Add(GraceForNews), member: -1, job: j,
				holds: func() bool { return job.joined < job.job.Size },
				verdict: func() Verdict {
					return Verdict{Text: fmt.Sprintf("%s %v before all its processes had called acp_init", s.describeLauncher(j), job.status),
						Status: max(job.status.ExitStatus(), 1), Member: -1}
				}})
		}
	}
	for i := range s.members {
		if s.members[i].ended && !s.members[i].joined {
			s.suspectEarly(i, now)
		}
	}
}

// suspectEarly suspects a process that has ended without joining: if others have
// joined, they wait for it in vain.
func (s *Supervisor) suspectEarly(member int, now time.Time) {
	if s.joined == 0 {
		return
	}
	m := &s.members[member]
	s.suspect(suspicion{at: now.Add(GraceForNews), member: member, job: m.job,
		holds: func() bool { return !m.joined },
		verdict: func() Verdict {
			return Verdict{Text: fmt.Sprintf("%s %v before acp_init", s.Describe(member), m.status),
				Status: max(m.status.ExitStatus(), 1), Member: member, Final: true}
		}})
}

func (s *Supervisor) suspect(p suspicion) { s.pending = append(s.pending, p) }

// Deadline is when tick must be called next; ok is false if never.
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

// Postpone gives all suspicions more time: the launcher itself was stopped for so long,
// and what explains them may be waiting to be read.
func (s *Supervisor) Postpone(d time.Duration) {
	for i := range s.pending {
		s.pending[i].at = s.pending[i].at.Add(d)
	}
}

// Tick turns suspicions whose time has come into the verdict.
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

// StatusAsked records that the own status of a lost member will come, or
// StatusUnknown.
func (s *Supervisor) StatusAsked(member int) { s.members[member].asked = true }

// StatusUnknown records that nothing more will be known of a member than what its
// launcher's status says.
func (s *Supervisor) StatusUnknown(member int) {
	s.members[member].asked = false
	s.refine(member)
}

// EndsItself reports whether the launcher of a job ends when its ranks are told that the
// run is over: if it is one of an MPI, and all ranks have called acp_init.
func (s *Supervisor) EndsItself(number int) bool {
	job := &s.jobs[number]
	return !job.job.Acprun && job.joined == job.job.Size
}

// Asking reports whether the status of the culprit is still to come.
func (s *Supervisor) Asking() bool {
	v := s.verdict
	return v != nil && v.Member >= 0 && !v.Settled() && s.members[v.Member].asked
}

// StatusOf is the status of a member: its own, or what its launcher says about it.
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

// lossOf explains the loss of a member by what is known about it and its job.
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
		// The launcher may mean a signal by that, or something else.
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

// conclude sets the verdict unless there is one already.
func (s *Supervisor) conclude(v Verdict) {
	if s.verdict == nil {
		s.verdict = &v
		s.pending = nil
	}
}

// refine makes the verdict about a member more precise when its status is known.
func (s *Supervisor) refine(member int) {
	v := s.verdict
	if v == nil || v.Member != member || v.Final {
		return
	}
	if v.loss {
		*v = s.lossOf(member)
		return
	}
	// A process that has given up is perhaps killed before it can end, and its launcher
	// has a status of its own for that.
	if m := &s.members[member]; m.ended {
		if v.Final = true; m.status.Signal == 0 && !m.status.Ok() {
			v.Status = m.status.Code
		}
	}
}

// moveBlame moves the blame to a process that acprun knows to have been killed. acprun
// reports in the order of death and ends its other processes after it, but the
// connection of one of those may be seen to break first.
func (s *Supervisor) moveBlame(member int) {
	v, m := s.verdict, &s.members[member]
	if v == nil || v.Member < 0 || v.Settled() || !s.jobs[m.job].job.Acprun || s.members[v.Member].job != m.job {
		return
	}
	// SIGTERM is what processes get because of the verdict.
	if sig := m.status.Signal; m.joined && sig != 0 && sig != int(unix.SIGTERM) && !s.killedHere(m) && !s.members[v.Member].ended {
		*v = s.lossOf(member)
	}
}

func (s *Supervisor) noteFailure(status exit.Status) {
	if s.failure == 0 && s.verdict == nil {
		s.failure = status.ExitStatus()
	}
}

// JobOf returns the number of a member's job.
func (s *Supervisor) JobOf(member int) int { return s.members[member].job }

// Outcome returns why the run must end before its time, or nil while it need not.
func (s *Supervisor) Outcome() *Verdict { return s.verdict }

// Finished reports whether nothing of the run is left to wait for.
func (s *Supervisor) Finished() bool {
	for j := range s.jobs {
		if !s.jobs[j].ended {
			return false
		}
	}
	return true
}

// ExitStatus is what the launcher returns once the run is over.
func (s *Supervisor) ExitStatus() int {
	if s.verdict != nil {
		return s.verdict.Status
	}
	return s.failure
}

// Describe names a member: rank, job, host and pid, as far as they are known.
func (s *Supervisor) Describe(member int) string {
	m := &s.members[member]
	job := &s.jobs[m.job]
	text := fmt.Sprintf("rank %d (job %d", member, job.job.Number)
	if m.host != "" {
		text += ", host " + m.host
	}
	if m.pid != 0 {
		text += fmt.Sprintf(", pid %d", m.pid)
	}
	return text + ")"
}

// describeLauncher names the launcher of a job.
func (s *Supervisor) describeLauncher(number int) string {
	job := &s.jobs[number]
	return fmt.Sprintf("%s of job %d (%s, host %s, pid %d)", job.job.Name, job.job.Number, plan.RankRange(job.job), job.host, job.pid)
}
