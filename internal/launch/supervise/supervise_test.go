package supervise

import (
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"golang.org/x/sys/unix"
)

// TestSupervisor plays events to the state machine and compares verdict, its
// exit status, and whether its text is settled. The clock is a number of
// milliseconds.
func TestSupervisor(t *testing.T) {
	type S = Supervisor
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	killed := exit.Status{Signal: 9}
	// Job 0: acprun with rank 0; job 1: Open MPI with ranks 1 and 2; job 2: acprun
	// with ranks 3 to 5.
	joinAll := func(s *S) {
		for i := range 3 {
			s.MemberJoined(i, 100+i, "pc", at(0))
		}
	}
	for _, test := range []struct {
		name    string
		events  func(*S)
		text    string
		status  int
		settled bool
	}{
		{"all is well", func(s *S) {
			joinAll(s)
			for i := range 3 {
				s.MemberLeft(i)
			}
			s.ProcessEnded(0, exit.Status{}, at(5))
			s.LauncherEnded(0, exit.Status{}, exit.Unsaid, at(5))
			s.LauncherEnded(1, exit.Status{}, exit.Unsaid, at(6))
			s.Tick(at(9000))
		}, "", 0, true},
		{"plain programs, first failure counts", func(s *S) {
			s.LauncherEnded(1, exit.Status{Code: 3}, exit.Unsaid, at(5))
			s.ProcessEnded(0, exit.Status{Code: 4}, at(6))
			s.LauncherEnded(0, exit.Status{Code: 4}, exit.Unsaid, at(6))
			s.Tick(at(9000))
		}, "", 3, true},
		{"lost, status unknown", func(s *S) { joinAll(s); s.MemberDied(2, "", at(1)) }, "rank 2 (job 1 ocean, host pc, pid 102) died", 1, false},
		{"its host is silent, and its own end follows from that", func(s *S) {
			joinAll(s)
			s.MemberDied(2, "the host has not answered for 8s", at(1))
			s.ProcessEnded(2, exit.Status{Signal: 15}, at(9))
		}, "rank 2 (job 1 ocean, host pc, pid 102) is lost: the host has not answered for 8s", 1, true},
		{"gave up, having lost another one", func(s *S) {
			joinAll(s)
			s.MemberLost(1, "lost its connection to rank 2")
			s.ProcessEnded(1, exit.Status{Code: 1}, at(9))
			s.ProcessEnded(2, exit.Status{Signal: 15}, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) lost its connection to rank 2", 1, true},
		{"lost, and acprun says that its job fails", func(s *S) {
			joinAll(s)
			s.MemberDied(0, "", at(1))
			s.JobFailed(0, "a host is lost", 7)
			s.ProcessEnded(0, exit.Status{Signal: 15}, at(9))
		}, "a host is lost", 7, true},
		{"ended by acprun, which says that its job fails", func(s *S) {
			joinAll(s)
			s.MemberDied(0, "", at(1))
			s.ProcessEnded(0, exit.Status{Signal: 15}, at(9))
			s.JobFailed(0, "a host is lost", 7)
		}, "a host is lost", 7, true},
		{"crashed, and acprun says that its job fails", func(s *S) {
			joinAll(s)
			s.MemberDied(0, "", at(1))
			s.ProcessEnded(0, exit.Status{Signal: 11}, at(9))
			s.JobFailed(0, "a host is lost", 7)
		}, "rank 0 (job 0 watch, host pc, pid 100) killed by signal 11 (Segmentation fault)", 139, true},
		{"lost, and another job fails", func(s *S) {
			joinAll(s)
			s.MemberDied(0, "", at(1))
			s.JobFailed(2, "a host is lost", 7)
			s.ProcessEnded(0, killed, at(9))
		}, "rank 0 (job 0 watch, host pc, pid 100) killed by signal 9 (Killed)", 137, true},
		{"lost after an end that follows from the loss, because of which acprun was asked to end", func(s *S) {
			joinAll(s)
			s.Announced(1)
			s.EndBegan(1, at(1))
			s.MemberDied(0, "", at(2)) // the verdict blames rank 1
			s.LeaderSignalled(0, unix.SIGTERM)
			s.MemberInformed(1)
			s.JobFailed(0, "signal 15 (Terminated) received, ending the run", 143)
			s.ProcessEnded(0, killed, at(9))
		}, "rank 0 (job 0 watch, host pc, pid 100) killed by signal 9 (Killed)", 137, true},
		{"lost, of which one MPI process was informed, and its launcher has killed another one", func(s *S) {
			joinAll(s)
			s.Announced(1)
			s.Announced(2)
			s.MemberInformed(1)
			s.EndBegan(1, at(1))
			s.EndBegan(2, at(2))
			s.ProcessEnded(2, killed, at(3))
			s.MemberDied(0, "", at(4))
			s.ProcessEnded(0, killed, at(9))
		}, "rank 0 (job 0 watch, host pc, pid 100) killed by signal 9 (Killed)", 137, true},
		{"lost, then its status", func(s *S) { joinAll(s); s.MemberDied(2, "", at(1)); s.ProcessEnded(2, killed, at(9)) },
			"rank 2 (job 1 ocean, host pc, pid 102) killed by signal 9 (Killed)", 137, false},
		{"lost, then the status of mpirun", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 139}, exit.Cause{Rank: -1, Status: exit.Status{Signal: 11}, Known: true}, at(9))
		},
			"rank 1 (job 1 ocean, host pc, pid 101) killed by signal 11 (Segmentation fault)", 139, true},
		{"status of mpirun, then lost", func(s *S) {
			joinAll(s)
			s.LauncherEnded(1, exit.Status{Code: 6}, exit.Unsaid, at(9))
			s.MemberDied(1, "", at(1))
		},
			"rank 1 (job 1 ocean, host pc, pid 101) ended with status 6 without acp_finalize", 6, true},
		{"lost, and mpirun says that another process was killed first", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: 1, Status: exit.Status{Signal: 9}, Known: true}, at(9))
		}, "rank 2 (job 1 ocean, host pc, pid 102) killed by signal 9 (Killed)", 137, true},
		{"mpirun says which process was killed first, then another one is lost", func(s *S) {
			joinAll(s)
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: 1, Status: exit.Status{Signal: 9}, Known: true}, at(9))
			s.MemberDied(1, "", at(1))
		}, "rank 2 (job 1 ocean, host pc, pid 102) killed by signal 9 (Killed)", 137, true},
		{"lost with a status of its own, whatever mpirun says", func(s *S) {
			joinAll(s)
			s.ProcessEnded(1, exit.Status{Signal: 11}, at(5))
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: 1, Status: exit.Status{Signal: 9}, Known: true}, at(9))
			s.MemberDied(1, "", at(1))
		}, "rank 1 (job 1 ocean, host pc, pid 101) killed by signal 11 (Segmentation fault)", 139, true},
		{"mpirun names a process that its job does not have", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: 2, Status: exit.Status{Signal: 9}, Known: true}, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) killed by signal 9 (Killed)", 137, true},
		{"lost, but mpirun itself was killed", func(s *S) { joinAll(s); s.MemberDied(1, "", at(1)); s.LauncherEnded(1, killed, exit.Unsaid, at(9)) },
			"mpirun of job 1 ocean (ranks 1-2, host here, pid 77) killed by signal 9 (Killed)", 137, true},
		{"lost, mpirun's status before its own", func(s *S) {
			joinAll(s)
			s.StatusAsked(1, at(1))
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Unsaid, at(9))
			s.ProcessEnded(1, killed, at(10))
		}, "rank 1 (job 1 ocean, host pc, pid 101) killed by signal 9 (Killed)", 137, true},
		{"lost, and mpirun is killed because it does not end", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LeaderSignalled(1, unix.SIGKILL)
			s.LauncherEnded(1, killed, exit.Unsaid, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) died", 1, false},
		{"lost, and the shell above mpirun ends after the kill", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LeaderSignalled(1, unix.SIGKILL)
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: -1, Status: exit.Status{Signal: 9}, Known: true}, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) died", 1, false},
		{"lost, and mpirun kills its ranks after a signal of the run", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LeaderSignalled(1, unix.SIGTERM)
			s.LauncherEnded(1, exit.Status{Code: 143}, exit.Cause{Rank: -1, Status: exit.Status{Signal: 15}, Known: true}, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) died", 1, false},
		{"lost, its status comes after mpirun was killed", func(s *S) {
			joinAll(s)
			s.StatusAsked(1, at(1))
			s.MemberDied(1, "", at(1))
			s.LeaderSignalled(1, unix.SIGKILL)
			s.LauncherEnded(1, killed, exit.Unsaid, at(9))
			s.ProcessEnded(1, exit.Status{Signal: 11}, at(10))
		}, "rank 1 (job 1 ocean, host pc, pid 101) killed by signal 11 (Segmentation fault)", 139, false},
		{"lost, and the rest of acprun's job is killed", func(s *S) {
			for i := range 3 {
				s.MemberJoined(3+i, 103+i, "pc", at(0))
			}
			s.MemberDied(3, "", at(1))
			s.LeaderSignalled(2, unix.SIGTERM)
			s.LeaderSignalled(2, unix.SIGKILL)
			s.ProcessEnded(4, killed, at(9))
			s.ProcessEnded(3, killed, at(9))
			s.LauncherEnded(2, killed, exit.Unsaid, at(9))
		}, "rank 3 (job 2 ice, host pc, pid 103) died", 1, false},
		{"one that was ended is seen first", func(s *S) {
			for i := range 3 {
				s.MemberJoined(3+i, 103+i, "pc", at(0))
			}
			s.MemberDied(3, "", at(1))
			s.ProcessEnded(5, exit.Status{Signal: 15}, at(8))
			s.ProcessEnded(4, killed, at(9))
			s.ProcessEnded(3, exit.Status{Signal: 15}, at(9))
		}, "rank 4 (job 2 ice, host pc, pid 104) killed by signal 9 (Killed)", 137, true},
		{"lost, its own status stays unknown", func(s *S) {
			joinAll(s)
			s.StatusAsked(1, at(1))
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 6}, exit.Unsaid, at(9))
			s.StatusUnknown(1)
		}, "rank 1 (job 1 ocean, host pc, pid 101) ended with status 6 without acp_finalize", 6, true},
		{"collateral does not change the verdict", func(s *S) {
			joinAll(s)
			s.MemberDied(2, "", at(1))
			s.MemberDied(1, "", at(1))
			s.ProcessEnded(0, exit.Status{Code: 3}, at(8))
			s.ProcessEnded(2, exit.Status{Signal: 11}, at(9))
		}, "rank 2 (job 1 ocean, host pc, pid 102) killed by signal 11 (Segmentation fault)", 139, false},
		{"lost, and a status of mpirun that may mean anything", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Unsaid, at(9))
		},
			"rank 1 (job 1 ocean, host pc, pid 101) died, and mpirun of job 1 ocean (ranks 1-2, host here, pid 77) ended with status 137", 137, true},
		{"lost, and the launcher fails over it", func(s *S) {
			joinAll(s)
			s.MemberDied(1, "", at(1))
			s.LauncherEnded(1, exit.Status{Code: 255}, exit.Unsaid, at(9))
		},
			"rank 1 (job 1 ocean, host pc, pid 101) died, and mpirun of job 1 ocean (ranks 1-2, host here, pid 77) ended with status 255", 255, true},
		{"mpirun fails with a status that looks like a signal", func(s *S) { s.LauncherEnded(1, exit.Status{Code: 132}, exit.Unsaid, at(9)); s.Tick(at(9000)) },
			"", 132, true},
		{"the same while another rank waits", func(s *S) {
			s.MemberJoined(0, 100, "pc", at(0))
			s.LauncherEnded(1, exit.Status{Code: 132}, exit.Unsaid, at(9))
			s.Tick(at(9000))
		}, "mpirun of job 1 ocean (ranks 1-2, host here, pid 77) ended with status 132 before all its processes had called acp_init", 132, true},
		{"abort below mpirun, which kills the rest and is killed", func(s *S) {
			joinAll(s)
			s.MemberAborted(1, "no ice")
			s.ProcessEnded(2, killed, at(8))
			s.LauncherEnded(1, killed, exit.Unsaid, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) aborted: no ice", 255, true},
		{"abort below mpirun, one that it kills is seen first", func(s *S) {
			joinAll(s)
			s.MemberDied(2, "", at(1))
			s.ProcessEnded(2, killed, at(8))
			s.MemberAborted(1, "no ice")
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: -1, Status: exit.Status{Signal: 9}, Known: true}, at(9))
		}, "rank 1 (job 1 ocean, host pc, pid 101) aborted: no ice", 255, true},
		{"abort, and a crash in the same job is seen first", func(s *S) {
			joinAll(s)
			s.MemberDied(2, "", at(1))
			s.ProcessEnded(2, exit.Status{Signal: 11}, at(8))
			s.MemberAborted(1, "no ice")
		}, "rank 2 (job 1 ocean, host pc, pid 102) killed by signal 11 (Segmentation fault)", 139, false},
		{"abort, and a loss in another job is seen first", func(s *S) {
			joinAll(s)
			s.MemberDied(2, "", at(1))
			s.MemberAborted(0, "no ice")
		}, "rank 2 (job 1 ocean, host pc, pid 102) died", 1, false},
		{"abort, and killed before it could end", func(s *S) { joinAll(s); s.MemberAborted(0, "no ice"); s.ProcessEnded(0, killed, at(9)) },
			"rank 0 (job 0 watch, host pc, pid 100) aborted: no ice", 255, true},
		{"abort, then its status", func(s *S) { joinAll(s); s.MemberAborted(0, "no ice"); s.ProcessEnded(0, exit.Status{Code: 8}, at(9)) },
			"rank 0 (job 0 watch, host pc, pid 100) aborted: no ice", 8, true},
		{"abort, status before", func(s *S) { joinAll(s); s.ProcessEnded(0, exit.Status{Code: 8}, at(9)); s.MemberAborted(0, "") },
			"rank 0 (job 0 watch, host pc, pid 100) aborted", 8, true},
		{"fails after acp_finalize", func(s *S) {
			joinAll(s)
			s.MemberLeft(0)
			s.ProcessEnded(0, exit.Status{Code: 8}, at(9))
			s.LauncherEnded(0, exit.Status{Code: 8}, exit.Unsaid, at(9))
			s.Tick(at(9000))
		}, "", 8, true},
		{"killed after acp_finalize", func(s *S) { joinAll(s); s.MemberLeft(0); s.ProcessEnded(0, killed, at(9)) },
			"rank 0 (job 0 watch, host pc, pid 100) killed by signal 9 (Killed)", 137, true},
		{"ends early while another waits", func(s *S) {
			s.MemberJoined(1, 101, "pc", at(0))
			s.ProcessEnded(0, exit.Status{}, at(9))
			s.Tick(at(9000))
		},
			"rank 0 (job 0 watch) ended with status 0 before acp_init", 1, true},
		{"ended early as it seems, until a stopped launcher reads on", func(s *S) {
			s.MemberJoined(1, 101, "pc", at(0))
			s.ProcessEnded(0, exit.Status{}, at(9))
			s.Postpone(9000 * time.Millisecond)
			s.Tick(at(9000))
			s.MemberJoined(0, 100, "pc", at(9001))
			s.Tick(at(20000))
		}, "", 0, true},
		{"ended early, then another waits", func(s *S) {
			s.ProcessEnded(0, exit.Status{}, at(0))
			s.MemberJoined(1, 101, "pc", at(9))
			s.Tick(at(9000))
		},
			"rank 0 (job 0 watch) ended with status 0 before acp_init", 1, true},
		{"ends early, but had joined", func(s *S) {
			s.MemberJoined(1, 101, "pc", at(0))
			s.ProcessEnded(0, exit.Status{}, at(9))
			s.MemberJoined(0, 100, "pc", at(10))
			s.Tick(at(9000))
		}, "", 0, true},
		{"job ends early", func(s *S) {
			s.MemberJoined(0, 100, "pc", at(0))
			s.LauncherEnded(1, exit.Status{Code: 2}, exit.Unsaid, at(9))
			s.Tick(at(9000))
		},
			"mpirun of job 1 ocean (ranks 1-2, host here, pid 77) ended with status 2 before all its processes had called acp_init", 2, true},
		{"a plain MPI process is killed", func(s *S) {
			s.LauncherEnded(1, exit.Status{Code: 137}, exit.Cause{Rank: -1, Status: exit.Status{Signal: 9}, Known: true}, at(9))
			s.Tick(at(9000))
		},
			"a process of mpirun of job 1 ocean (ranks 1-2, host here, pid 77) was killed by signal 9 (Killed)", 137, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := &plan.Plan{Total: 6, Jobs: []plan.Job{
				{Number: 0, First: 0, Size: 1, Acprun: true, Name: "watch", LauncherName: "acprun"},
				{Number: 1, First: 1, InRun: plan.Origin{Job: 1, Rank: 1}, Size: 2, Name: "ocean", LauncherName: "mpirun", MPI: plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}},
				{Number: 2, First: 3, InRun: plan.Origin{Job: 2, Rank: 3}, Size: 3, Acprun: true, Name: "ice", LauncherName: "acprun"},
			}}
			s := New(plan, false, "here")
			s.LauncherStarted(1, 77)
			test.events(s)
			text, settled := "", true
			if s.verdict != nil {
				text, settled = s.verdict.Text, s.verdict.Settled()
			}
			if text != test.text || s.ExitStatus() != test.status || settled != test.settled {
				t.Errorf("verdict %q, status %d, settled %v; expected %q, %d, %v", text, s.ExitStatus(), settled, test.text, test.status, test.settled)
			}
		})
	}
}

// TestNothingIsAwaitedThatWasNotStarted checks that the supervisor waits for no leader that was never
// started.
func TestNothingIsAwaitedThatWasNotStarted(t *testing.T) {
	for _, direct := range []bool{true, false} {
		plan := &plan.Plan{Total: 2, Jobs: []plan.Job{{Size: 2, Acprun: true}}}
		s := New(plan, direct, "here")
		s.NeverStarted(0)
		if s.Finished() == direct {
			t.Errorf("direct %v: finished %v after the first", direct, s.Finished())
		}
		if direct {
			s.NeverStarted(1)
			s.NeverStarted(1)
		}
		if !s.Finished() {
			t.Errorf("direct %v: not finished", direct)
		}
	}
}

// TestPartOfRun: the acprun of a job whose first rank is not 0 asks for nothing when its processes have ended.
func TestPartOfRun(t *testing.T) {
	s := New(&plan.Plan{Total: 1, Jobs: []plan.Job{{InRun: plan.Origin{Rank: 5}, Size: 1, Acprun: true}}}, true, "here")
	s.ProcessEnded(0, exit.Status{}, time.UnixMilli(1))
	if s.Asking() || !s.Finished() {
		t.Errorf("asking %v, finished %v", s.Asking(), s.Finished())
	}
}

// TestOwnSignalIsNoCause: acprun has asked the processes on a host to end because one of them was lost.
func TestOwnSignalIsNoCause(t *testing.T) {
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		s := New(&plan.Plan{Total: 2, Jobs: []plan.Job{{Size: 2, Acprun: true, Name: "solver"}}}, true, "here")
		s.MemberJoined(1, 101, "pc", time.UnixMilli(0))
		s.MemberDied(1, "", time.UnixMilli(1))
		s.LeaderSignalled(1, sig)
		s.ProcessEnded(1, exit.Status{Signal: int(sig)}, time.UnixMilli(2))
		if s.verdict.Text != "rank 1 (job 0 solver, host pc, pid 101) died" || s.ExitStatus() != 1 {
			t.Errorf("%v: %q, status %d", sig, s.verdict.Text, s.ExitStatus())
		}
	}
}

// TestGrow: the run goes on without processes that are not adopted or have left, and ends with others.
func TestGrow(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	grown := func() (*Supervisor, *plan.Plan) {
		p := &plan.Plan{Total: 2, Jobs: []plan.Job{{Name: "solver", Size: 2, Max: 6, Acprun: true, LauncherName: "solver"}}}
		s := New(p, true, "pc")
		for i := range 2 {
			s.ProcessStarted(i, 100+i, "pc")
			s.MemberJoined(i, 100+i, "pc", at(0))
		}
		p.Grow(2, nil, "")
		s.Grow(2)
		for i := 2; i < 4; i++ {
			s.ProcessStarted(i, 100+i, "pc")
			s.MemberJoined(i, 100+i, "pc", at(1))
		}
		return s, p
	}
	s, _ := grown()
	s.MemberDied(2, "", at(2))
	s.ProcessEnded(2, exit.Status{Signal: 9}, at(3))
	s.MemberAborted(3, "it could not start")
	s.Adopted(3)
	s.MemberLeft(3)
	s.Departed(3)
	s.MemberLost(3, "lost its connection")
	s.ProcessEnded(3, exit.Status{Code: 5}, at(4))
	s.Tick(at(9000))
	if v := s.Outcome(); v != nil || s.Finished() || !s.GoesOn() || s.ExitStatus() != 0 {
		t.Errorf("%+v, finished %v, goes on %v, status %d", v, s.Finished(), s.GoesOn(), s.ExitStatus())
	}
	for i := range 2 {
		s.MemberLeft(i)
		s.ProcessEnded(i, exit.Status{}, at(5))
	}
	if !s.Finished() || s.GoesOn() || s.ExitStatus() != 0 {
		t.Errorf("finished %v, goes on %v, status %d", s.Finished(), s.GoesOn(), s.ExitStatus())
	}
	s, _ = grown()
	s.Adopted(2)
	s.ProcessEnded(2, exit.Status{Signal: 9}, at(3))
	want := "rank 2 (job 0 solver, host pc, pid 102) killed by signal 9 (Killed)"
	if v := s.Outcome(); v == nil || v.Text != want || v.Status != 137 {
		t.Errorf("%+v, expected %s", v, want)
	}
	s, _ = grown()
	s.NeverStarted(3)
	if s.Outcome() != nil || s.Finished() {
		t.Errorf("a process that could not be started: %+v", s.Outcome())
	}
	s, _ = grown()
	s.Adopted(2)
	s.MemberDied(2, "", at(3))
	s.Gone(2)
	s.ProcessEnded(2, exit.Status{Code: 1}, at(4)) // the launcher has made it up
	want = "rank 2 (job 0 solver, host pc, pid 102) died"
	if v := s.Outcome(); v == nil || v.Text != want || s.Member(2).Known {
		t.Errorf("a process whose host is lost: %+v, status known %v, expected %s", v, s.Member(2).Known, want)
	}
	s, _ = grown()
	killed := exit.Status{Signal: 9}
	if s.KilledHere(2, killed) {
		t.Error("a signal that this launcher has not sent")
	}
	s.LeaderSignalled(2, unix.SIGKILL)
	if !s.KilledHere(2, killed) || s.KilledHere(3, killed) || s.KilledHere(2, exit.Status{Signal: 11}) {
		t.Error("SIGKILL of this launcher to rank 2")
	}
}
