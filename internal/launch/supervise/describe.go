package supervise

import (
	"fmt"

	"github.com/goacp/goacp/internal/launch/plan"
)

// Describe names a member by rank, job, host and pid, as far as they are known.
func (s *Supervisor) Describe(member int) string {
	m := &s.members[member]
	job := s.jobs[m.job].job
	text := fmt.Sprintf("rank %d (%s", job.InRun.Rank+member-job.First, job.RankString(member-job.First))
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
	return fmt.Sprintf("%s of %s (%s, host %s, pid %d)", job.job.LauncherName, job.job, plan.RankRange(job.job), job.host, job.pid)
}
