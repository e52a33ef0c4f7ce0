package launch

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Times of the supervisor. Together with the time that processes get to end by
// themselves (see graceAfterFailure) they stay within the two seconds that a run
// may live after the loss of a process.
const (
	// graceForStatus is how long the report of a lost member waits for the exit
	// status that explains it. mpirun needs more than a second to end after one of
	// its processes was killed.
	graceForStatus = 1300 * time.Millisecond
	// graceForNews is how long an exit status waits for news of the rendezvous
	// that was sent before it, but on another connection.
	graceForNews = 250 * time.Millisecond
)

// verdict is why a run must end before its time.
type verdict struct {
	text   string
	status int  // exit status of the launcher
	member int  // who is to blame; -1 if nobody is
	final  bool // the status is that of the culprit, and nothing better will come
	loss   bool // the text depends on the status of the culprit as well
}

// settled reports whether the text is what the user should read.
func (v *verdict) settled() bool { return v.final || !v.loss }

// supervisor decides from what happens to processes whether the run goes on and
// how it ended. It is a state machine without clock: every event carries the time.
//
// Invariants: verdict is set at most once; counts of a job equal what the
// entries of members say.
type supervisor struct {
	jobs    []jobState
	members []memberState
	joined  int // members that have called acp_init
	verdict *verdict
	failure int // first non-zero exit status
	pending []suspicion
}

type jobState struct {
	job    *Job
	direct bool // acprun itself: its processes are known one by one, and there is no launcher
	pid    int  // of the launcher
	host   string
	ended  bool
	status Status
	killed int // signal that killed a process, as the launcher says; 0 if it does not
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
	status       Status
}

// suspicion becomes the verdict when its time has come, if no better explanation
// has been found by then.
type suspicion struct {
	at      time.Time
	member  int // -1: of the job as a whole
	job     int
	holds   func() bool
	verdict func() verdict
}

// newSupervisor watches the jobs of a plan. direct says that the one job's
// processes are children of this process or of proxies.
func newSupervisor(plan *Plan, direct bool, host string) *supervisor {
	s := &supervisor{}
	for j := range plan.Jobs {
		s.jobs = append(s.jobs, jobState{job: &plan.Jobs[j], direct: direct, host: host})
		for range plan.Jobs[j].Size {
			s.members = append(s.members, memberState{job: j})
		}
	}
	return s
}

// launcherStarted records the process id of a job's launcher.
func (s *supervisor) launcherStarted(job, pid int) { s.jobs[job].pid = pid }

// neverStarted records that a job's launcher will not be started, or, of acprun itself,
// that process of its job.
func (s *supervisor) neverStarted(number int) {
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

// leaderSignalled records that this launcher has sent a signal to the launcher of a job,
// which was running, or, of acprun itself, to that process of its job. An end that this
// signal may have caused follows from the verdict and does not explain it.
func (s *supervisor) leaderSignalled(number int, sig unix.Signal) {
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
func (s *supervisor) killedHere(m *memberState) bool {
	return m.status.Signal == int(unix.SIGKILL) && (m.killing || s.jobs[m.job].told == unix.SIGKILL)
}

// processStarted records a process that acprun has started.
func (s *supervisor) processStarted(member, pid int, host string) {
	s.members[member].pid, s.members[member].host = pid, host
}

// memberJoined records that a member has called acp_init.
func (s *supervisor) memberJoined(member, pid int, host string, now time.Time) {
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

// memberLeft records that a member has called acp_finalize.
func (s *supervisor) memberLeft(member int) { s.members[member].left = true }

// memberDied records that the connection of a member was lost. How it died is
// known from its own status, or from that of its launcher, sooner or later.
func (s *supervisor) memberDied(member int) { s.conclude(s.lossOf(member)) }

// memberAborted records that a member has called acp_abort.
func (s *supervisor) memberAborted(member int, text string) {
	if text != "" {
		text = ": " + text
	}
	v := verdict{text: fmt.Sprintf("%s aborted%s", s.describe(member), text), status: statusAbort, member: member}
	if s.followsFrom(member) {
		*s.verdict = v
	}
	s.conclude(v)
	s.refine(member)
}

// followsFrom reports whether the verdict is a loss that follows from the end of a member
// which has called acp_abort: launchers of MPI kill the other processes of a job in which one
// fails, and the connection of one of those may be seen to break first.
func (s *supervisor) followsFrom(member int) bool {
	v := s.verdict
	if v == nil || !v.loss || v.member < 0 || v.member == member {
		return false
	}
	lost := &s.members[v.member]
	sig := unix.Signal(lost.status.Signal)
	return lost.job == s.members[member].job && !s.jobs[lost.job].job.Acprun &&
		(!lost.ended || sig == unix.SIGKILL || sig == unix.SIGTERM)
}

// memberLost records that a member has given up because it had lost another one, which
// text names.
func (s *supervisor) memberLost(member int, text string) {
	s.conclude(verdict{text: s.describe(member) + " " + text, status: 1, member: member, final: true})
}

// processEnded records the status of one process of acprun.
func (s *supervisor) processEnded(member int, status Status, now time.Time) {
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
	s.accuse(member)
	switch {
	case status.Signal != 0:
		s.conclude(verdict{text: fmt.Sprintf("%s %v", s.describe(member), status), status: status.ExitStatus(), member: member, final: true})
	case !m.joined:
		s.suspectEarly(member, now)
	}
}

// launcherEnded records the status of a job's launcher, and the signal that killed one
// of its processes if the launcher has said so, or 0.
func (s *supervisor) launcherEnded(number int, status Status, killed int, now time.Time) {
	job := &s.jobs[number]
	job.ended, job.status, job.killed = true, status, killed
	s.noteFailure(status)
	if s.verdict != nil {
		if m := s.verdict.member; m >= 0 && s.members[m].job == number {
			s.refine(m)
		}
		return
	}
	if status.Signal != 0 {
		s.conclude(verdict{text: fmt.Sprintf("%s %v", s.describeLauncher(number), status), status: status.ExitStatus(), member: -1})
		return
	}
	if killed != 0 && job.exited < job.job.Size {
		s.suspect(suspicion{at: now.Add(graceForNews), member: -1, job: number,
			holds: func() bool { return true },
			verdict: func() verdict {
				return verdict{text: fmt.Sprintf("a process of %s was %v", s.describeLauncher(number), Status{Signal: killed}), status: 128 + killed, member: -1}
			}})
	}
	if s.joined > 0 {
		s.suspectAbsent(now)
	}
}

// suspectAbsent finds what has ended without joining although others wait in
// acp_init for it.
func (s *supervisor) suspectAbsent(now time.Time) {
	for j := range s.jobs {
		job := &s.jobs[j]
		if job.ended && !job.direct && job.exited == 0 && job.joined < job.job.Size {
			s.suspect(suspicion{at: now.Add(graceForNews), member: -1, job: j,
				holds: func() bool { return job.joined < job.job.Size },
				verdict: func() verdict {
					return verdict{text: fmt.Sprintf("%s %v before all its processes had called acp_init", s.describeLauncher(j), job.status),
						status: max(job.status.ExitStatus(), 1), member: -1}
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
func (s *supervisor) suspectEarly(member int, now time.Time) {
	if s.joined == 0 {
		return
	}
	m := &s.members[member]
	s.suspect(suspicion{at: now.Add(graceForNews), member: member, job: m.job,
		holds: func() bool { return !m.joined },
		verdict: func() verdict {
			return verdict{text: fmt.Sprintf("%s %v before acp_init", s.describe(member), m.status),
				status: max(m.status.ExitStatus(), 1), member: member, final: true}
		}})
}

func (s *supervisor) suspect(p suspicion) { s.pending = append(s.pending, p) }

// deadline is when tick must be called next; ok is false if never.
func (s *supervisor) deadline() (at time.Time, ok bool) {
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

// postpone gives all suspicions more time: the launcher itself was stopped for so long,
// and what explains them may be waiting to be read.
func (s *supervisor) postpone(d time.Duration) {
	for i := range s.pending {
		s.pending[i].at = s.pending[i].at.Add(d)
	}
}

// tick turns suspicions whose time has come into the verdict.
func (s *supervisor) tick(now time.Time) {
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

// statusAsked records that the own status of a lost member will come, or
// statusUnknown.
func (s *supervisor) statusAsked(member int) { s.members[member].asked = true }

// statusUnknown records that nothing more will be known of a member than what its
// launcher's status says.
func (s *supervisor) statusUnknown(member int) {
	s.members[member].asked = false
	s.refine(member)
}

// endsItself reports whether the launcher of a job ends when its ranks are told that the
// run is over: if it is one of an MPI, and all ranks have called acp_init.
func (s *supervisor) endsItself(number int) bool {
	job := &s.jobs[number]
	return !job.job.Acprun && job.joined == job.job.Size
}

// asking reports whether the status of the culprit is still to come.
func (s *supervisor) asking() bool {
	v := s.verdict
	return v != nil && v.member >= 0 && !v.settled() && s.members[v.member].asked
}

// statusOf is the status of a member: its own, or what its launcher says about it.
func (s *supervisor) statusOf(member int) (status Status, known bool) {
	m := &s.members[member]
	if job := &s.jobs[m.job]; !m.ended && !m.asked && job.explains() {
		if job.killed != 0 {
			return Status{Signal: job.killed}, true
		}
		return job.status, true
	}
	return m.status, m.ended && !s.killedHere(m)
}

// lossOf explains the loss of a member by what is known about it and its job.
func (s *supervisor) lossOf(member int) verdict {
	job := &s.jobs[s.members[member].job]
	if job.explains() && job.status.Signal != 0 {
		return verdict{text: fmt.Sprintf("%s %v", s.describeLauncher(s.members[member].job), job.status),
			status: job.status.ExitStatus(), member: -1, final: true}
	}
	status, known := s.statusOf(member)
	v := verdict{member: member, status: 1, final: known, loss: true}
	switch {
	case !known:
		v.text = s.describe(member) + " died"
	case status.Signal != 0:
		v.text = fmt.Sprintf("%s %v", s.describe(member), status)
		v.status = status.ExitStatus()
	case !s.members[member].ended && status.Code > 128:
		// The launcher may mean a signal by that, or something else.
		v.text = fmt.Sprintf("%s died, and %s %v", s.describe(member), s.describeLauncher(s.members[member].job), status)
		v.status = status.Code
	default:
		v.text = fmt.Sprintf("%s %v without acp_finalize", s.describe(member), status)
		v.status = max(status.Code, 1)
	}
	return v
}

// conclude sets the verdict unless there is one already.
func (s *supervisor) conclude(v verdict) {
	if s.verdict == nil {
		s.verdict = &v
		s.pending = nil
	}
}

// refine makes the verdict about a member more precise when its status is known.
func (s *supervisor) refine(member int) {
	v := s.verdict
	if v == nil || v.member != member || v.final {
		return
	}
	if v.loss {
		*v = s.lossOf(member)
		return
	}
	// A process that has given up is perhaps killed before it can end, and its launcher
	// has a status of its own for that.
	if m := &s.members[member]; m.ended {
		if v.final = true; m.status.Signal == 0 && !m.status.ok() {
			v.status = m.status.Code
		}
	}
}

// accuse moves the blame to a process that acprun knows to have been killed. acprun
// reports in the order of death and ends its other processes after it, but the
// connection of one of those may be seen to break first.
func (s *supervisor) accuse(member int) {
	v, m := s.verdict, &s.members[member]
	if v == nil || v.member < 0 || v.settled() || !s.jobs[m.job].job.Acprun || s.members[v.member].job != m.job {
		return
	}
	// SIGTERM is what processes get because of the verdict.
	if sig := m.status.Signal; m.joined && sig != 0 && sig != int(unix.SIGTERM) && !s.killedHere(m) && !s.members[v.member].ended {
		*v = s.lossOf(member)
	}
}

func (s *supervisor) noteFailure(status Status) {
	if s.failure == 0 && s.verdict == nil {
		s.failure = status.ExitStatus()
	}
}

// finished reports whether nothing of the run is left to wait for.
func (s *supervisor) finished() bool {
	for j := range s.jobs {
		if !s.jobs[j].ended {
			return false
		}
	}
	return true
}

// exitStatus is what the launcher returns once the run is over.
func (s *supervisor) exitStatus() int {
	if s.verdict != nil {
		return s.verdict.status
	}
	return s.failure
}

// describe names a member: rank, job, host and pid, as far as they are known.
func (s *supervisor) describe(member int) string {
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
func (s *supervisor) describeLauncher(number int) string {
	job := &s.jobs[number]
	return fmt.Sprintf("%s of job %d (%s, host %s, pid %d)", job.job.Name, job.job.Number, rankRange(job.job), job.host, job.pid)
}

// rankRange names the ranks of a job.
func rankRange(job *Job) string {
	if job.Size == 1 {
		return fmt.Sprintf("rank %d", job.First)
	}
	return fmt.Sprintf("ranks %d-%d", job.First, job.First+job.Size-1)
}
