package supervise

import (
	"fmt"
	"slices"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"golang.org/x/sys/unix"
)

// These times and process.EndLimit together stay within the two seconds that a run
// may live after the loss of a process.
const (
	// StatusLimit is how long the report of a lost member waits for the exit status that
	// explains the loss. When one of its processes is killed, mpirun needs more than a second
	// to end.
	StatusLimit = 1300 * time.Millisecond
	// EventLimit is how long an exit status waits for events of the rendezvous, which may have
	// been sent before on another connection.
	EventLimit = 250 * time.Millisecond
	// reasonLimit is how long the end of a process that was informed of the end of the run waits for the
	// event of the rendezvous that explains both. The rendezvous itself waits a second for it.
	reasonLimit = time.Second + EventLimit
)

// Supervisor decides from the events of processes whether the run continues and how it has ended. It is a
// state machine without a clock: every event carries its time. It is not safe for concurrent use.
//
// Invariants: the first verdict stays, but may become more precise. The counts of a job agree with the
// entries of its members.
type Supervisor struct {
	host    string // the name of this host
	jobs    []jobState
	members []memberState
	joined  int // members that have called acp_init
	verdict *Verdict
	failure int // first non-zero exit status
	pending []suspicion
	began   []processEnd // of MPI jobs, in the order in which their processes began to end
}

type jobState struct {
	job    *plan.Job
	direct bool // the job of acprun: each process is known, and there is no launcher
	pid    int  // of the launcher
	host   string
	ended  bool
	status exit.Status
	said   exit.Cause   // the report of an MPI job's launcher, when it has ended
	died   int          // 1 + the member of an MPI job whose connection broke first; 0 = none did
	ends   []processEnd // of an MPI job, in the order in which the processes ended
	// signalled is the signal by which this launcher has asked the job's launcher to end; SIGKILL
	// if it has sent several; 0 = none.
	signalled unix.Signal
	joined    int
	exited    int // processes known to have ended
}

type memberState struct {
	job          int
	pid          int
	host         string
	joined, left bool
	ended        bool
	watched      bool // the end of the process itself will be known
	announced    bool // EndBegan follows when the process begins to end
	began        bool // EndBegan has followed
	asked        bool // the status of the process itself will be known soon
	spared       bool // of an MPI job: it has ended before this launcher asked the job's launcher to end
	informed     bool // before its end it was informed that the run ends
	asking       bool // this launcher has sent SIGTERM to the process
	killing      bool // this launcher has sent SIGKILL to the process
	unknown      bool // it has ended, and its status will not be known
	apart        bool // it does not belong to the epoch of the run, which goes on without it
	status       exit.Status
}

// pending reports whether the status of the process itself is still to come.
func (m *memberState) pending() bool { return m.asked || m.watched && !m.ended }

// New returns the supervisor of a run. direct says that the plan is that of acprun: the
// processes of its one job are children of this process or of proxies. host is the name of
// this host.
func New(plan *plan.Plan, direct bool, host string) *Supervisor {
	s := &Supervisor{host: host}
	for j := range plan.Jobs {
		s.jobs = append(s.jobs, jobState{job: &plan.Jobs[j], direct: direct, host: host, said: exit.Unsaid})
		for range plan.Jobs[j].Size {
			s.members = append(s.members, memberState{job: j})
		}
	}
	return s
}

// Grow records that so many processes of the only job of acprun come later. The run goes on without them until they are
// adopted.
func (s *Supervisor) Grow(count int) {
	for range count {
		s.members = append(s.members, memberState{apart: true})
	}
	s.jobs[0].ended = false
}

// Extend records that the processes of another job come later, which macprun has added to its plan. The run goes on without them
// until they are adopted.
func (s *Supervisor) Extend(job *plan.Job) {
	for range job.Size {
		s.members = append(s.members, memberState{job: len(s.jobs), apart: true})
	}
	s.jobs = append(s.jobs, jobState{job: job, host: s.host, said: exit.Unsaid})
}

// Adopted records that a process that has come later belongs to the epoch of the run.
func (s *Supervisor) Adopted(member int) { s.members[member].apart = false }

// Departed records that a member has left the epoch of the run.
func (s *Supervisor) Departed(member int) { s.members[member].apart = true }

// Apart reports whether the run goes on without a member.
func (s *Supervisor) Apart(member int) bool { return s.members[member].apart }

// JobApart reports whether the run goes on without all members of a job.
func (s *Supervisor) JobApart(number int) bool {
	return !slices.ContainsFunc(s.membersOf(number), func(m memberState) bool { return !m.apart })
}

// membersOf returns the members of a job.
func (s *Supervisor) membersOf(number int) []memberState {
	job := s.jobs[number].job
	return s.members[job.First : job.First+job.Size]
}

// failedApart reports whether the status of an acprun is that of one of its processes without which the run goes on.
func (s *Supervisor) failedApart(number int, status exit.Status) bool {
	return slices.ContainsFunc(s.membersOf(number), func(m memberState) bool {
		return m.apart && m.ended && m.status.ExitStatus() == status.ExitStatus()
	})
}

// GoesOn reports whether a process of the epoch of the run has not finalized or ended.
func (s *Supervisor) GoesOn() bool {
	return slices.ContainsFunc(s.members, func(m memberState) bool { return !m.apart && !m.left && !m.ended })
}

// LauncherStarted records the process id of a job's launcher.
func (s *Supervisor) LauncherStarted(job, pid int) { s.jobs[job].pid = pid }

// NeverStarted records that the launcher of a job will not be started. In acprun, number is
// that of a process of the job, which will not be started.
func (s *Supervisor) NeverStarted(number int) {
	job := &s.jobs[0]
	if !job.direct {
		s.jobs[number].ended = true
		return
	}
	s.Gone(number)
}

// Gone records that a member has ended whose status will not be known. It is no reason to end the run.
func (s *Supervisor) Gone(member int) {
	m := &s.members[member]
	if m.ended {
		return
	}
	m.ended, m.unknown = true, true
	job := &s.jobs[m.job]
	job.exited++
	job.ended = job.ended || job.direct && job.exited == job.job.Size
}

// LeaderSignalled records that this launcher has sent a signal to the running launcher of a
// job. In acprun, number is that of a process of the job. If the signal may have caused the
// end of that process, the end follows from the verdict and does not explain it.
func (s *Supervisor) LeaderSignalled(number int, sig unix.Signal) {
	if job := &s.jobs[0]; job.direct {
		m := &s.members[number]
		m.killing = m.killing || sig == unix.SIGKILL
		m.asking = m.asking || sig == unix.SIGTERM
		return
	}
	if job := &s.jobs[number]; job.signalled != unix.SIGKILL {
		job.signalled = sig
	}
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

// MemberInformed records that a member has been informed of the end of the run. Its own end after that is no
// evidence for the reason.
func (s *Supervisor) MemberInformed(member int) {
	s.members[member].informed = true
	s.refine(member)
}

// MemberLeft records that a member has called acp_finalize.
func (s *Supervisor) MemberLeft(member int) { s.members[member].left = true }

// MemberDied records that the connection of a member was lost. The status of the process or of its launcher
// may show later how it has died, and which process of the job was the first. reason is why its connection
// counts as lost without having ended, such as the silence of its host; "" = its connection has ended.
func (s *Supervisor) MemberDied(member int, reason string, now time.Time) {
	m := &s.members[member]
	if m.apart {
		return
	}
	if reason != "" {
		s.conclude(Verdict{Text: s.Describe(member) + " is lost: " + reason, Status: 1, Member: member, Final: true})
		return
	}
	if job := &s.jobs[m.job]; job.died == 0 {
		job.died = member + 1
	}
	if !m.watched {
		s.noteEnd(member, now)
	}
	s.conclude(s.lossSince(member, now))
}

// MemberAborted records that a member has called acp_abort.
func (s *Supervisor) MemberAborted(member int, text string) {
	if s.members[member].apart {
		return
	}
	if text != "" {
		text = ": " + text
	}
	v := Verdict{Text: fmt.Sprintf("%s aborted%s", s.Describe(member), text), Status: exit.Abort, Member: member}
	// The end of the process may be seen before its abort.
	if s.followsFrom(member) || s.verdict != nil && s.verdict.Member == member {
		*s.verdict = v
	}
	s.conclude(v)
	s.refine(member)
}

// MemberLost records that a member ends because it has lost its connection to another member, which text
// names.
func (s *Supervisor) MemberLost(member int, text string) {
	if s.members[member].apart {
		return
	}
	s.conclude(Verdict{Text: s.Describe(member) + " " + text, Status: 1, Member: member, Final: true})
}

// ProcessEnded records the status of one process: of acprun, or of an MPI job on this host.
func (s *Supervisor) ProcessEnded(member int, status exit.Status, now time.Time) {
	m := &s.members[member]
	if m.ended {
		return
	}
	m.ended, m.asked, m.status = true, false, status
	s.noteEnd(member, now)
	job := &s.jobs[m.job]
	job.exited++
	if job.direct && job.exited == job.job.Size {
		job.ended = true
	}
	if m.apart {
		return
	}
	s.noteFailure(status)
	s.refine(member)
	s.moveBlame(member)
	switch {
	case status.Signal != 0 && !job.job.Acprun:
		number := s.firstJob(m.job, now)
		switch {
		case job.joined == 0 && (s.joined > 0 || !s.Finished()):
			// While no process of the job has called acp_init, other jobs may go on.
		case s.follows(member) && s.firstEnd(number) < 0:
			s.suspectUnreported(number, now)
		default:
			s.conclude(s.causeIn(number))
		}
	case status.Signal != 0:
		s.conclude(Verdict{Text: fmt.Sprintf("%s %v", s.Describe(member), status), Status: status.ExitStatus(), Member: member, Final: true})
	case !m.joined:
		s.suspectEarly(member, now)
	}
}

// LauncherEnded records the status of a job's launcher, and the launcher's report about the process that has
// failed first in its job.
func (s *Supervisor) LauncherEnded(number int, status exit.Status, said exit.Cause, now time.Time) {
	job := &s.jobs[number]
	job.ended, job.status, job.said = true, status, said
	if s.JobApart(number) {
		return
	}
	if !s.failedApart(number, status) {
		s.noteFailure(status)
	}
	if v := s.verdict; v != nil {
		switch {
		case v.loss && v.job == number && !job.job.Acprun:
			s.refine(job.job.First)
		case v.Member >= 0 && s.members[v.Member].job == number:
			s.refine(v.Member)
		}
		return
	}
	if status.Signal != 0 {
		s.conclude(s.launcherFailure(number))
		return
	}
	switch killed := said.Status.Signal != 0; {
	case s.joined == 0 && s.Finished() && (killed || s.killedAny(number)):
		s.conclude(s.causeIn(number))
		return
	case killed:
		s.suspect(suspicion{at: now.Add(EventLimit), member: -1, job: number,
			holds:   func() bool { return true },
			verdict: func() Verdict { return s.causeIn(number) }})
	}
	if s.joined > 0 {
		s.suspectAbsent(now)
	}
}

// Watched records that the end of a process of an MPI job will be known: StatusAsked follows it.
func (s *Supervisor) Watched(member int) { s.members[member].watched = true }

// Announced records that the process of a member of an MPI job has announced its start: EndBegan
// follows when it begins to end.
func (s *Supervisor) Announced(member int) {
	m := &s.members[member]
	m.announced, m.began = true, false
}

// EndBegan records that a process has begun to end: the kernel has closed its connection to this
// launcher, and closes that to the launcher of its job afterwards. The order of the calls is that in which the
// processes of a job have begun to end, before their launcher kills others because of them.
func (s *Supervisor) EndBegan(member int, now time.Time) {
	s.members[member].began = true
	s.began = append(s.began, processEnd{member, now})
	s.noteEnd(member, now)
	s.refine(member)
}

// StatusAsked records that a process has ended and its status is about to be known. ProcessEnded
// or StatusUnknown follows. The order of the calls is that of the ends.
func (s *Supervisor) StatusAsked(member int, now time.Time) {
	s.members[member].asked = true
	s.noteEnd(member, now)
	s.refine(member)
}

// StatusUnknown records that only the status of the launcher shows how a member has ended.
func (s *Supervisor) StatusUnknown(member int) {
	s.members[member].asked, s.members[member].watched = false, false
	s.refine(member)
}

// EndsItself reports whether the launcher of a job ends by itself after its ranks have ended because the run
// is over. An MPI launcher does if all its ranks have called acp_init.
func (s *Supervisor) EndsItself(number int) bool {
	job := &s.jobs[number]
	return !job.job.Acprun && job.joined == job.job.Size
}

// Asking reports whether the status of a process that may be to blame, or the text of its acp_abort, is still
// to come.
func (s *Supervisor) Asking() bool {
	for j := range s.jobs {
		// A launcher may end with status 0 although it has killed processes.
		job := &s.jobs[j]
		if job.job.Acprun {
			continue
		}
		if s.verdict == nil && job.explains() && (!job.status.OK() || job.joined < job.job.Size) && s.pendingIn(j) {
			return true
		}
	}
	v := s.verdict
	if v == nil {
		return slices.ContainsFunc(s.pending, func(p suspicion) bool { return p.awaited })
	}
	if v.loss && v.Member >= 0 && v.Status == exit.Abort && s.members[v.Member].joined {
		return true // the text of its acp_abort may still come
	}
	if v.Settled() {
		return false
	}
	if s.jobs[v.job].job.Acprun {
		return v.Member >= 0 && s.members[v.Member].pending()
	}
	return s.pendingIn(v.job)
}

func (s *Supervisor) noteFailure(status exit.Status) {
	if s.failure == 0 && s.verdict == nil {
		s.failure = status.ExitStatus()
	}
}

// JobOf returns the number of a member's job.
func (s *Supervisor) JobOf(member int) int { return s.members[member].job }

// Outcome returns the reason why the run must end early. It returns nil while the run continues.
func (s *Supervisor) Outcome() *Verdict { return s.verdict }

// Finished reports whether all launchers and processes have ended.
func (s *Supervisor) Finished() bool {
	for j := range s.jobs {
		if !s.jobs[j].ended {
			return false
		}
	}
	return true
}

// ExitStatus returns the exit status of the launcher when the run is over.
func (s *Supervisor) ExitStatus() int {
	if s.verdict != nil {
		return s.verdict.Status
	}
	return s.failure
}
