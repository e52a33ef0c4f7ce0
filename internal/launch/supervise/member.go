package supervise

import "github.com/goacp/goacp/internal/launch/exit"

// Member is the state of a member in a launcher.
type Member struct {
	Job    int
	PID    int    // 0: not known
	Host   string // "": not known
	Joined bool   // it has called acp_init
	Left   bool   // it has called acp_finalize
	Ended  bool
	// Informed says that before its end it was informed that the run ends, or that another process is lost.
	Informed bool
	Status   exit.Status // how it has ended, if Known
	Known    bool
}

// Member returns the state of a member.
func (s *Supervisor) Member(member int) Member {
	m := &s.members[member]
	x := Member{Job: m.job, PID: m.pid, Host: m.host, Joined: m.joined, Left: m.left, Ended: m.ended, Informed: m.informed, Status: m.status, Known: m.ended && !m.unknown}
	// The processes of an MPI launcher that has ended have ended, too.
	x.Ended = x.Ended || s.jobs[m.job].ended
	return x
}
