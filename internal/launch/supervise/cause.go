package supervise

import (
	"fmt"
	"slices"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"golang.org/x/sys/unix"
)

// One failure in a job of MPI ends all its processes: the launcher of the job kills the others. This file
// decides which process has failed first, from the following evidence about all processes:
//
//  1. the status of the process that ended first, unless the launcher of the job may have killed it. If
//     all processes of the job have announced themselves, their order is certain. Otherwise the
//     process whose connection broke first comes before;
//  2. the words of the launcher, which name a process, unless the order is certain and the first was killed by
//     a signal that the launcher does not send at first;
//  3. the status of another process that the launcher cannot have killed. The launcher may kill the
//     others while the process that fails still runs its exit handlers. If the order is certain, this
//     counts only if the status of the launcher does not agree with the signal;
//  4. the exit status of the launcher, if it does not agree with the signal that has killed the
//     process which ended first and is not that of a failure of the launcher, or if nothing is known about a
//     process;
//  5. the process that ended first.
//
// A process that has been informed of the end of the run is not to blame, however it ends. Neither is one that the
// launcher may have killed after the end of such a process.

// processEnd is the end of a process of an MPI job. at is the time at which this launcher has noticed the
// end.
type processEnd struct {
	member int
	at     time.Time
}

// causeWindow is the longest time after the first failure in which a launcher of MPI kills the other
// processes of its job.
const causeWindow = time.Second

// noteEnd records that a process of an MPI job has ended, in the order of the ends.
func (s *Supervisor) noteEnd(member int, now time.Time) {
	m := &s.members[member]
	job := &s.jobs[m.job]
	if job.job.Acprun {
		return
	}
	i := slices.IndexFunc(job.ends, func(e processEnd) bool { return e.member == member })
	if i >= 0 && now.Sub(job.ends[i].at) > causeWindow {
		// The process had only closed its files and has continued since.
		job.ends = slices.Delete(job.ends, i, i+1)
		m.spared, i = false, -1
	}
	m.spared = m.spared || job.signalled == 0
	if i < 0 {
		job.ends = append(job.ends, processEnd{member, now})
	}
}

// ordered reports whether the order is certain in which the processes of a job have ended. It is not certain
// if a process ends without EndBegan: a forked child still holds the connection to this launcher.
func (s *Supervisor) ordered(number int) bool {
	return !slices.ContainsFunc(s.membersOf(number), func(m memberState) bool {
		return !m.announced || (m.asked || m.ended) && !m.began
	})
}

// firstJob returns the MPI job in which a process has begun to end first, before the time at, of the
// processes that have joined the run and have not been informed of its end. It returns number, the job of a
// process that is lost at that time, if none is known. Processes of other jobs end because of the first, and
// their launchers kill the rest.
//
// A process that ends because of the loss may be seen to end before the loss is. Its information of the end
// of the run follows, and firstJob returns another job from then on.
func (s *Supervisor) firstJob(number int, at time.Time) int {
	for _, e := range s.began {
		if e.at.After(at) {
			break
		}
		m := &s.members[e.member]
		gone := m.ended || at.Sub(e.at) < causeWindow // and has not only closed its files
		if gone && m.joined && !m.left && !s.follows(e.member) && !(m.ended && s.killedHere(m)) {
			return m.job
		}
	}
	return number
}

// firstEnd returns the process of a job whose end was the first that may have caused the ends of other
// processes. It returns -1 if there is none.
func (s *Supervisor) firstEnd(number int) int {
	job := &s.jobs[number]
	for i, e := range job.ends {
		m := &s.members[e.member]
		switch {
		case m.left || s.follows(e.member) || m.ended && s.killedHere(m):
		case m.joined || !m.ended || m.status.Signal != 0:
			return e.member
		case s.killsFollow(job.ends[i+1:], e.at):
			return e.member
		}
	}
	return job.died - 1
}

// follows reports whether the end of a process of an MPI job follows from the end of the run: the process was informed of
// that, or the launcher of the job may have killed it because a process that was informed had ended before.
func (s *Supervisor) follows(member int) bool {
	m := &s.members[member]
	if m.informed || m.ended && !m.status.KilledByLauncher() {
		return m.informed
	}
	for _, e := range s.jobs[m.job].ends {
		if e.member == member {
			break
		}
		if s.members[e.member].informed {
			return true
		}
	}
	return false
}

// killsFollow reports whether ends are those of processes that a launcher has killed because another process
// ended at the time at. A process without ACP may also end by itself at any time.
func (s *Supervisor) killsFollow(ends []processEnd, at time.Time) bool {
	for _, e := range ends {
		if m := &s.members[e.member]; m.ended && m.status.KilledByLauncher() && e.at.Sub(at) < causeWindow {
			return true
		}
	}
	return false
}

// killedAny reports whether a process of a job is known to have been killed.
func (s *Supervisor) killedAny(number int) bool {
	return slices.ContainsFunc(s.jobs[number].ends, func(e processEnd) bool {
		m := &s.members[e.member]
		return m.ended && m.status.Signal != 0 && !s.killedHere(m)
	})
}

// ownStatus returns the status of a process, unless the launcher of its job or this one may have killed
// it. ok is false then, and if the status is not known.
func (s *Supervisor) ownStatus(member int) (status exit.Status, ok bool) {
	if member < 0 {
		return exit.Status{}, false
	}
	m := &s.members[member]
	return m.status, m.ended && !m.informed && !m.status.KilledByLauncher()
}

// causeIn returns the verdict about an MPI job of which at least one process is lost. It is
// final when the launcher of the job has ended by itself and no status is still to come.
func (s *Supervisor) causeIn(number int) Verdict {
	job := &s.jobs[number]
	v := s.firstFailure(number)
	v.loss, v.job = true, number
	v.Final = job.explains() && !s.pendingIn(number)
	return v
}

// pendingIn reports whether the status of a process of a job is still to come.
func (s *Supervisor) pendingIn(number int) bool {
	return slices.ContainsFunc(s.membersOf(number), func(m memberState) bool { return m.pending() && !m.left })
}

// notKilled returns a process of an MPI job that has ended within the causeWindow of another one, and
// that the launcher has not killed. It returns -1 if there is none.
func (s *Supervisor) notKilled(number, other int) int {
	ends := s.jobs[number].ends
	i := slices.IndexFunc(ends, func(e processEnd) bool { return e.member == other })
	for _, e := range ends[max(i, 0):] {
		if _, ok := s.ownStatus(e.member); ok && !s.members[e.member].left && e.at.Sub(ends[i].at) < causeWindow {
			return e.member
		}
	}
	return -1
}

// firstFailure is causeIn without the part that is the same for all jobs.
func (s *Supervisor) firstFailure(number int) Verdict {
	job := &s.jobs[number]
	if job.explains() && job.status.Signal != 0 {
		return s.launcherFailure(number)
	}
	named, isNamed := s.namedBy(number)
	first, ordered := s.firstEnd(number), s.ordered(number)
	candidates := []int{job.died - 1, first}
	if ordered {
		candidates = candidates[1:]
	}
	for _, member := range candidates {
		if _, ok := s.ownStatus(member); ok {
			if isNamed && named == member {
				return s.saidFailure(number, member)
			}
			return s.lossOf(member)
		}
	}
	signal := 0
	if first >= 0 && s.members[first].ended && !s.killedHere(&s.members[first]) {
		signal = s.members[first].status.Signal
	}
	if ordered && signal == int(unix.SIGKILL) && job.job.MPI.Family == plan.OpenMPI {
		return s.lossOf(first) // mpirun asks processes to end before it kills them
	}
	agrees := signal == 0 || s.informedWith(number, job.status) || job.status.OK() || job.status.Code == signal || job.status.Code == 128+signal
	switch {
	case isNamed && !(job.said.Aborted && signal != 0 && agrees && job.status.Code != job.said.Status.Code):
		return s.saidFailure(number, named)
	case signal != 0 && !(ordered && agrees) && s.notKilled(number, first) >= 0:
		return s.lossOf(s.notKilled(number, first))
	case first < 0 && job.said.Status.Signal != 0:
		return s.unknownKilled(number)
	case first < 0 || job.explains() && !agrees && !job.failedItself():
		return s.launcherFailure(number)
	case job.explains() && s.unseenIn(number):
		if s.joined == 0 && job.said.Status.Signal != 0 {
			return s.unknownKilled(number)
		}
		return s.absentFrom(number)
	}
	return s.lossOf(first)
}

// failedItself reports whether the launcher of a job has ended because of its own failure. Hydra ends with
// status 255 if one of its proxies fails, such as when many processes of a host end at once. Then the status
// is not that of a process.
func (j *jobState) failedItself() bool {
	return j.explains() && j.job.MPI.Family == plan.MPICH && j.status.Code == hydraFailure
}

// hydraFailure is the status of mpiexec of MPICH if it has failed itself.
const hydraFailure = 255

// namedBy returns the process that the launcher of a job, after its end, has reported as the first to fail.
// If another launcher has made it kill its job, its report does not name the cause. A process
// that had learned of the end of the run is not the cause, either.
func (s *Supervisor) namedBy(number int) (member int, ok bool) {
	job := &s.jobs[number]
	if !job.explains() {
		return -1, false
	}
	member, ok = s.saidOf(job)
	return member, ok && !s.members[member].informed
}

// saidOf returns the process that the launcher of a job has named.
func (s *Supervisor) saidOf(job *jobState) (member int, ok bool) {
	if rank := job.said.Rank; rank >= 0 {
		return job.job.First + rank, rank < job.job.Size
	}
	member = -1
	for i := job.job.First; i < job.job.First+job.job.Size; i++ {
		if job.said.PID == 0 || s.members[i].pid != job.said.PID {
			continue
		}
		if member >= 0 {
			return -1, false // on two hosts
		}
		member = i
	}
	return member, member >= 0
}

// informedWith reports whether a process that has been informed of the end of the run has ended with the same
// status as the launcher of its job. The launcher may have taken its status from that process.
func (s *Supervisor) informedWith(number int, status exit.Status) bool {
	return slices.ContainsFunc(s.membersOf(number), func(m memberState) bool { return m.informed && m.ended && m.status == status })
}

// unseenIn reports whether a job has a process without any event.
func (s *Supervisor) unseenIn(number int) bool {
	return slices.ContainsFunc(s.membersOf(number), func(m memberState) bool { return !m.joined && !m.watched && !m.ended })
}

// launcherFailure returns the verdict that a launcher has failed, and no process is to blame.
func (s *Supervisor) launcherFailure(number int) Verdict {
	status := s.jobs[number].status
	return Verdict{Text: fmt.Sprintf("%s %v", s.describeLauncher(number), status), Status: max(status.ExitStatus(), 1), Member: -1}
}

// saidFailure returns the verdict about a process that the launcher of its job has named.
func (s *Supervisor) saidFailure(number, member int) Verdict {
	job := &s.jobs[number]
	status, known := job.said.Status, job.said.Known
	if own, ok := s.ownStatus(member); ok && !known {
		status, known = own, true
	}
	if job.said.Aborted {
		if !known {
			status = job.status
		}
		status.Code = max(status.Code, 1)
		return Verdict{Text: fmt.Sprintf("%s ended the job with status %d: %s", s.Describe(member), status.ExitStatus(), job.said.Message),
			Status: status.ExitStatus(), Member: member}
	}
	if !known {
		return Verdict{Text: s.Describe(member) + " ended" + s.missing(member), Status: 1, Member: member}
	}
	return s.failureOf(member, status)
}

// failureOf returns the verdict about a process of an MPI job that has ended with a status.
func (s *Supervisor) failureOf(member int, status exit.Status) Verdict {
	text := fmt.Sprintf("%s %v", s.Describe(member), status)
	if status.Signal == 0 {
		text += s.missing(member)
	}
	return Verdict{Text: text, Status: max(status.ExitStatus(), 1), Member: member}
}

// missing returns the call that a process has not made before its end, as a part of a sentence.
func (s *Supervisor) missing(member int) string {
	switch m := &s.members[member]; {
	case !m.joined:
		return " before acp_init"
	case m.left:
		return " after acp_finalize"
	}
	return " without acp_finalize"
}
