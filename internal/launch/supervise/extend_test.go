package supervise

import (
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

// extended returns the supervisor of a run of macprun: rank 0 of job 0, which is fixed, rank 1 of job 1, and ranks 2 and 3, which have
// come later to job 1.
func extended() *Supervisor {
	s := New(&plan.Plan{Total: 2, Jobs: []plan.Job{
		{Name: "sea", Size: 1, Acprun: true, LauncherName: "acprun"},
		{Number: 1, First: 1, InRun: plan.Origin{Job: 1, Rank: 1}, Name: "air", Size: 1, Max: 4, Acprun: true, LauncherName: "acprun"},
	}}, false, "pc")
	s.Extend(&plan.Job{Number: 2, First: 2, InRun: plan.Origin{Job: 1, Rank: 2, Process: 1}, Name: "air", Size: 2, Acprun: true, LauncherName: "acprun"})
	for number := range 3 {
		s.LauncherStarted(number, 50+number)
	}
	for member := range 4 {
		s.ProcessStarted(member, 100+member, "pc")
		s.MemberJoined(member, 100+member, "pc", time.UnixMilli(0))
	}
	return s
}

// TestExtend: the run of macprun goes on without processes that are not adopted or have left, also when their acprun ends, and ends
// with others.
func TestExtend(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	killed := exit.Status{Signal: 9}
	for _, test := range []struct {
		name   string
		events func(*Supervisor)
		text   string // of the verdict; "" = the run goes on, and ends well
		status int
	}{
		{"a process that waits is killed", func(s *Supervisor) {
			s.MemberDied(2, "", at(1))
			s.ProcessEnded(2, killed, at(2))
			s.ProcessEnded(3, exit.Status{}, at(3))
			s.LauncherEnded(2, exit.Status{Code: 137}, exit.Unsaid, at(4))
		}, "", 0},
		{"the acprun of processes that wait is killed", func(s *Supervisor) {
			s.LauncherEnded(2, killed, exit.Unsaid, at(1))
			s.MemberDied(2, "", at(2))
			s.MemberDied(3, "", at(2))
		}, "", 0},
		{"an acprun starts nothing", func(s *Supervisor) {
			s.Extend(&plan.Job{Number: 3, First: 4, InRun: plan.Origin{Job: 1, Rank: 4, Process: 3}, Name: "air", Size: 1, Acprun: true})
			s.LauncherEnded(3, exit.Status{Code: 127}, exit.Unsaid, at(1))
			s.LauncherEnded(2, exit.Status{}, exit.Unsaid, at(2))
		}, "", 0},
		{"a host is lost on which a process waits", func(s *Supervisor) {
			s.Adopted(3)
			s.Gone(2)
			s.ProcessEnded(2, exit.Status{Code: 255}, at(1))
			s.MemberLeft(3)
			s.ProcessEnded(3, exit.Status{}, at(2))
			s.LauncherEnded(2, exit.Status{}, exit.Unsaid, at(3))
		}, "", 0},
		{"a rank of the beginning leaves and fails", func(s *Supervisor) {
			s.Departed(1)
			s.ProcessEnded(1, exit.Status{Code: 5}, at(1))
			s.LauncherEnded(1, exit.Status{Code: 5}, exit.Unsaid, at(2))
			s.LauncherEnded(2, exit.Status{}, exit.Unsaid, at(3))
		}, "", 0},
		{"one of two leaves and fails", func(s *Supervisor) {
			s.Adopted(2)
			s.Adopted(3)
			s.Departed(2)
			s.ProcessEnded(2, exit.Status{Code: 5}, at(1))
			s.MemberLeft(3)
			s.ProcessEnded(3, exit.Status{}, at(2))
			s.LauncherEnded(2, exit.Status{Code: 5}, exit.Unsaid, at(3))
		}, "", 0},
		{"one of two fails", func(s *Supervisor) {
			s.Adopted(2)
			s.Adopted(3)
			for member := 2; member < 4; member++ {
				s.MemberLeft(member)
			}
			s.ProcessEnded(2, exit.Status{Code: 5}, at(1))
			s.ProcessEnded(3, exit.Status{}, at(2))
			s.LauncherEnded(2, exit.Status{Code: 5}, exit.Unsaid, at(3))
		}, "", 5},
		{"an adopted process is killed", func(s *Supervisor) {
			s.Adopted(2)
			s.MemberDied(2, "", at(1))
			s.ProcessEnded(2, killed, at(2))
		}, "rank 2 (job 1 air, host pc, pid 102) killed by signal 9 (Killed)", 137},
		{"the acprun of an adopted process is killed", func(s *Supervisor) {
			s.Adopted(3)
			s.LauncherEnded(2, killed, exit.Unsaid, at(1))
		}, "acprun of job 1 air (ranks 2-3, host pc, pid 52) killed by signal 9 (Killed)", 137},
		{"an acprun with an adopted process fails", func(s *Supervisor) {
			s.Adopted(2)
			s.JobFailed(2, "acprun of job 1 air (ranks 2-3): host pc2 is lost", 255)
		}, "acprun of job 1 air (ranks 2-3): host pc2 is lost", 255},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := extended()
			test.events(s)
			s.Tick(at(9000))
			if v := s.Outcome(); v == nil && test.text != "" || v != nil && v.Text != test.text {
				t.Fatalf("%+v, expected %q", v, test.text)
			}
			if test.text == "" {
				if s.Finished() || !s.GoesOn() {
					t.Errorf("finished %v, goes on %v", s.Finished(), s.GoesOn())
				}
				for member := range 2 {
					s.MemberLeft(member)
					s.ProcessEnded(member, exit.Status{}, at(9001))
					s.LauncherEnded(member, exit.Status{}, exit.Unsaid, at(9002))
				}
				if !s.Finished() || s.GoesOn() {
					t.Errorf("at the end: finished %v, goes on %v", s.Finished(), s.GoesOn())
				}
			}
			if s.ExitStatus() != test.status {
				t.Errorf("status %d, expected %d", s.ExitStatus(), test.status)
			}
		})
	}
}
