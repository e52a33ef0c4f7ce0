package supervise

import (
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
	"golang.org/x/sys/unix"
)

// TestCauseInOtherJob: a process ends. Because of that, the launcher of another job kills a process, whose
// end is seen first.
func TestCauseInOtherJob(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	for _, lost := range []func(s *Supervisor){
		func(s *Supervisor) { s.ProcessEnded(3, exit.Status{Signal: 9}, at(3)) },
		func(s *Supervisor) { s.MemberDied(3, "", at(3)) },
	} {
		s := New(&plan.Plan{Total: 4, Jobs: []plan.Job{{Size: 2, Name: "ocean"}, {Number: 1, First: 2, InRun: plan.Origin{Job: 1, Rank: 2}, Size: 2, Name: "air"}}}, false, "here")
		for i := range 4 {
			s.Announced(i)
			s.Watched(i)
			s.MemberJoined(i, 100+i, "pc", at(0))
		}
		s.EndBegan(1, at(1))
		s.EndBegan(3, at(2))
		lost(s)
		s.ProcessEnded(1, exit.Status{}, at(4))
		if want := "rank 1 (job 0 ocean, host pc, pid 101) ended with status 0 without acp_finalize"; s.Outcome().Text != want || s.ExitStatus() != 1 {
			t.Errorf("verdict %q, status %d; expected %q, 1", s.Outcome().Text, s.ExitStatus(), want)
		}
	}
}

// TestAskingForWords: a process has ended with the status of acp_abort. Asking returns true until the text of
// the abort comes.
func TestAskingForWords(t *testing.T) {
	s := New(&plan.Plan{Total: 2, Jobs: []plan.Job{{Size: 2, Name: "ocean", LauncherName: "mpirun"}}}, false, "here")
	for i := range 2 {
		s.MemberJoined(i, 100+i, "pc", time.UnixMilli(0))
	}
	s.MemberDied(1, "", time.UnixMilli(1))
	s.ProcessEnded(1, exit.Status{Code: exit.Abort}, time.UnixMilli(2))
	s.LauncherEnded(0, exit.Status{Code: exit.Abort}, exit.Unsaid, time.UnixMilli(3))
	if !s.Asking() {
		t.Errorf("the words are not asked for: %+v", s.Outcome())
	}
	s.MemberAborted(1, "no ice")
	if s.Asking() || s.Outcome().Text != "rank 1 (job 0 ocean, host pc, pid 101) aborted: no ice" {
		t.Errorf("asking %v, verdict %q", s.Asking(), s.Outcome().Text)
	}
}

// TestCause plays the events of an MPI job in which rank 1 has failed first, for each kind of end and each
// part of the evidence that may be missing. The launcher of the job ends ranks 0 and 2. Their ends are seen
// first where that is possible.
func TestCause(t *testing.T) {
	type S = Supervisor
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	code := func(n int) exit.Status { return exit.Status{Code: n} }
	signal := func(n int) exit.Status { return exit.Status{Signal: n} }
	says := func(rank int, status exit.Status) exit.Cause {
		return exit.Cause{Rank: rank, Status: status, Known: true}
	}
	aborts := func(rank, n int) exit.Cause {
		return exit.Cause{Rank: rank, Status: code(n), Known: true, Aborted: true, Message: "words"}
	}
	join := func(s *S, ranks ...int) {
		for _, i := range ranks {
			s.MemberJoined(i, 100+i, "pc", at(0))
		}
	}
	watch := func(s *S, ranks ...int) {
		for _, i := range ranks {
			s.Watched(i)
		}
	}
	announce := func(s *S, ranks ...int) {
		for _, i := range ranks {
			s.Announced(i)
			s.Watched(i)
		}
	}
	endsUnseen := func(s *S, ms, rank int, status exit.Status) {
		s.StatusAsked(rank, at(ms))
		s.ProcessEnded(rank, status, at(ms))
	}
	ends := func(s *S, ms, rank int, status exit.Status) {
		if m := &s.members[rank]; m.announced && !m.began {
			s.EndBegan(rank, at(ms))
		}
		endsUnseen(s, ms, rank, status)
	}
	const one = "rank 1 (job 0 ocean, host pc, pid 101) "
	const early = "rank 1 (job 0 ocean) "
	for _, test := range []struct {
		name   string
		events func(*S)
		text   string
		status int
	}{
		{"MPI_Abort of MPICH: all are killed", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(0, "", at(1))
			ends(s, 2, 0, signal(9))
			ends(s, 3, 1, signal(9))
			s.LauncherEnded(0, code(7), aborts(1, 7), at(9))
		}, one + "ended the job with status 7: words", 7},
		{"MPI_Abort of MPICH with status 9", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(9), aborts(1, 9), at(9))
		}, one + "ended the job with status 9: words", 9},
		{"MPI_Abort of Open MPI: it ends by itself, and last", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(2, "", at(1))
			ends(s, 2, 2, signal(15))
			ends(s, 3, 1, code(7))
			s.LauncherEnded(0, code(7), aborts(1, 7), at(9))
		}, one + "ended the job with status 7: words", 7},
		{"MPI_Abort, no words", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(2, "", at(1))
			ends(s, 2, 2, signal(15))
			s.LauncherEnded(0, code(7), exit.Unsaid, at(9))
		}, "mpirun of job 0 ocean (ranks 0-2, host here, pid 77) ended with status 7", 7},
		{"MPI_Abort on another host", func(s *S) {
			join(s, 0, 1, 2)
			s.MemberDied(2, "", at(1))
			s.LauncherEnded(0, code(7), aborts(1, 7), at(9))
		}, one + "ended the job with status 7: words", 7},
		{"MPI_Abort with status 0", func(s *S) {
			join(s, 0, 1, 2)
			s.MemberDied(2, "", at(1))
			s.LauncherEnded(0, code(0), aborts(1, 0), at(9))
		}, one + "ended the job with status 1: words", 1},
		{"MPI_Abort before acp_init while others wait there", func(s *S) {
			join(s, 0)
			watch(s, 0)
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(7), aborts(1, 7), at(9))
		}, early + "ended the job with status 7: words", 7},
		{"a fatal error, of which only the launcher knows the status", func(s *S) {
			join(s, 0, 1, 2)
			s.MemberDied(2, "", at(1))
			s.LauncherEnded(0, code(6), exit.Cause{Rank: 1, Aborted: true, Message: "words"}, at(9))
		}, one + "ended the job with status 6: words", 6},
		{"MPI_Abort by a rank that sees another one killed", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			ends(s, 2, 1, signal(9))
			s.LauncherEnded(0, code(137), aborts(2, 1), at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"status before acp_init, others are seen first", func(s *S) {
			join(s, 0, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(0, "", at(1))
			ends(s, 1, 1, code(3))
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, early + "ended with status 3 before acp_init", 3},
		{"status 0 before acp_init, others are seen first", func(s *S) {
			join(s, 0)
			watch(s, 0, 1, 2)
			s.MemberDied(0, "", at(1))
			ends(s, 1, 1, code(0))
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, early + "ended with status 0 before acp_init", 1},
		{"status 0 before acp_init, before any other joins", func(s *S) {
			watch(s, 0, 1, 2)
			ends(s, 1, 1, code(0))
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
			s.Tick(at(9000))
		}, early + "ended with status 0 before acp_init", 1},
		{"status before acp_init by the words alone", func(s *S) {
			join(s, 0, 2)
			s.MemberDied(2, "", at(1))
			s.LauncherEnded(0, code(3), says(1, code(3)), at(9))
		}, early + "ended with status 3 before acp_init", 3},
		{"an end before acp_init by the words alone, without its status", func(s *S) {
			join(s, 0, 2)
			s.MemberDied(2, "", at(1))
			s.LauncherEnded(0, code(1), exit.Cause{Rank: 1}, at(9))
		}, early + "ended before acp_init", 1},
		{"status before acp_init while others wait, and none is lost", func(s *S) {
			join(s, 0, 2)
			s.LauncherEnded(0, code(3), says(1, code(3)), at(9))
			s.Tick(at(9000))
		}, early + "ended with status 3 before acp_init", 3},
		{"status before acp_init, and it ends after those that are killed because of it", func(s *S) {
			join(s, 0, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(2, "", at(1))
			ends(s, 1, 2, signal(9))
			s.StatusAsked(1, at(2))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(3))
			s.ProcessEnded(1, code(3), at(4))
		}, early + "ended with status 3 before acp_init", 3},
		{"status before acp_init, of a process that was not seen, and what others do because of it", func(s *S) {
			join(s, 0, 2)
			watch(s, 0, 2)
			s.MemberDied(0, "", at(1))
			s.MemberInformed(2)
			ends(s, 1, 2, code(1))
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, "mpirun of job 0 ocean (ranks 0-2, host here, pid 77) ended with status 137 before all its processes had called acp_init", 137},
		{"signal, and what another one does because of it", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(1, "", at(1))
			ends(s, 1, 2, code(1))
			ends(s, 2, 1, signal(9))
			s.MemberInformed(2)
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"signal, and the launcher ends with the status of another one that knows of it", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(1, "", at(1))
			ends(s, 1, 1, signal(9))
			s.MemberInformed(2)
			ends(s, 2, 2, code(1))
			s.LauncherEnded(0, code(1), exit.Unsaid, at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"status after acp_init", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(0, "", at(1))
			ends(s, 1, 1, code(3))
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, one + "ended with status 3 without acp_finalize", 3},
		{"return, and another one ends because of that", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(1, "", at(1))
			ends(s, 1, 1, code(0))
			ends(s, 2, 2, code(1))
			s.LauncherEnded(0, code(1), says(2, code(1)), at(9))
		}, one + "ended with status 0 without acp_finalize", 1},
		{"the same, seen in the other order", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(1, "", at(1))
			ends(s, 2, 2, code(1))
			ends(s, 2, 1, code(0))
			s.LauncherEnded(0, code(1), says(2, code(1)), at(9))
		}, one + "ended with status 0 without acp_finalize", 1},
		{"status after acp_finalize, for which mpirun kills others", func(s *S) {
			join(s, 0, 1, 2)
			s.MemberLeft(1)
			s.MemberDied(0, "", at(1))
			s.LauncherEnded(0, code(3), says(1, code(3)), at(9))
		}, one + "ended with status 3 after acp_finalize", 3},
		{"signal, others are seen first", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(0, "", at(1))
			ends(s, 1, 1, signal(9))
			ends(s, 2, 0, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"signal, and the launcher says of which process", func(s *S) {
			join(s, 0, 1, 2)
			s.MemberDied(0, "", at(1))
			s.LauncherEnded(0, code(139), exit.Cause{Rank: -1, PID: 101, Host: "pc", Status: signal(11), Known: true}, at(9))
		}, one + "killed by signal 11 (Segmentation fault)", 139},
		{"signal of a plain MPI process, which the launcher names", func(s *S) {
			s.LauncherEnded(0, code(139), says(1, signal(11)), at(9))
			s.Tick(at(9000))
		}, early + "killed by signal 11 (Segmentation fault)", 139},
		{"signal to a plain MPI process long after another one has ended", func(s *S) {
			watch(s, 0, 1, 2)
			ends(s, 1, 0, code(0))
			ends(s, 5000, 1, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(5009))
			s.Tick(at(9000))
		}, early + "killed by signal 9 (Killed)", 137},
		{"status of a plain MPI process, for which others are killed", func(s *S) {
			watch(s, 0, 1, 2)
			ends(s, 1, 1, code(3))
			ends(s, 2, 0, signal(15))
			s.LauncherEnded(0, code(3), says(1, code(3)), at(9))
		}, early + "ended with status 3 before acp_init", 3},
		{"signal to a plain MPI process that was not seen, and the other one is killed because of that", func(s *S) {
			watch(s, 0, 2)
			ends(s, 1, 0, signal(9))
			ends(s, 1, 2, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(3))
		}, "a process of mpirun of job 0 ocean (ranks 0-2, host here, pid 77) was killed by signal 9 (Killed)", 137},
		{"status 0 before acp_init, and mpirun ends with 0", func(s *S) {
			watch(s, 0, 1, 2)
			ends(s, 1, 1, code(0))
			s.StatusAsked(0, at(2))
			s.LauncherEnded(0, code(0), exit.Unsaid, at(3))
			s.ProcessEnded(0, signal(9), at(4))
		}, early + "ended with status 0 before acp_init", 1},
		{"the launcher ends before its processes are seen to be killed, and says nothing", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.LauncherEnded(0, code(7), exit.Unsaid, at(3))
			s.MemberDied(2, "", at(4))
			ends(s, 5, 0, signal(9))
		}, "mpirun of job 0 ocean (ranks 0-2, host here, pid 77) ended with status 7", 7},
		{"signal, it begins to end first and ends last", func(s *S) {
			announce(s, 0, 1, 2)
			join(s, 0, 1, 2)
			s.EndBegan(1, at(1))
			s.MemberDied(0, "", at(2))
			ends(s, 2, 0, signal(9))
			ends(s, 2, 2, signal(9))
			ends(s, 3, 1, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"signal, and another one gives up because of that before it is killed", func(s *S) {
			announce(s, 0, 1, 2)
			join(s, 0, 1, 2)
			s.EndBegan(1, at(1))
			s.EndBegan(0, at(1))
			s.MemberDied(0, "", at(2))
			ends(s, 2, 0, code(1))
			ends(s, 3, 1, signal(9))
			ends(s, 3, 2, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"signal, and the launcher names another one that has given up because of that", func(s *S) {
			announce(s, 0, 1, 2)
			join(s, 0, 1, 2)
			s.EndBegan(1, at(1))
			s.EndBegan(0, at(1))
			s.MemberDied(0, "", at(2))
			ends(s, 2, 0, code(1))
			ends(s, 3, 1, signal(9))
			ends(s, 3, 2, signal(15))
			s.LauncherEnded(0, code(1), says(0, code(1)), at(9))
		}, one + "killed by signal 9 (Killed)", 137},
		{"MPI_Abort of Open MPI, no words, and it ends last", func(s *S) {
			announce(s, 0, 1, 2)
			join(s, 0, 1, 2)
			s.EndBegan(2, at(1))
			ends(s, 2, 2, signal(15))
			ends(s, 2, 0, signal(15))
			ends(s, 3, 1, code(7))
			s.LauncherEnded(0, code(7), exit.Unsaid, at(9))
		}, one + "ended with status 7 without acp_finalize", 7},
		{"signal to a process whose child holds its connection: the order is not certain", func(s *S) {
			announce(s, 0, 1, 2)
			join(s, 0, 1, 2)
			s.MemberDied(1, "", at(1))
			ends(s, 2, 0, code(1))
			endsUnseen(s, 3, 1, signal(11))
			ends(s, 3, 2, signal(9))
			s.LauncherEnded(0, code(139), says(1, signal(11)), at(9))
		}, one + "killed by signal 11 (Segmentation fault)", 139},
		{"signal to a process that had closed its files long before", func(s *S) {
			announce(s, 0, 1, 2)
			join(s, 0, 1, 2)
			s.EndBegan(0, at(1))
			s.EndBegan(1, at(5000))
			ends(s, 5001, 0, signal(9))
			ends(s, 5001, 1, signal(9))
			ends(s, 5001, 2, signal(9))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(5009))
		}, one + "killed by signal 9 (Killed)", 137},
		{"status before acp_init, and the launcher ends before the others are seen to be killed", func(s *S) {
			announce(s, 0, 1, 2)
			s.EndBegan(1, at(1))
			ends(s, 1, 1, code(3))
			s.LauncherEnded(0, code(137), says(-1, signal(9)), at(2))
			ends(s, 3, 0, signal(9))
			ends(s, 3, 2, signal(9))
		}, early + "ended with status 3 before acp_init", 3},
		{"acp_abort", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberAborted(1, "no ice")
			ends(s, 1, 2, code(1))
			s.LauncherEnded(0, code(1), says(2, code(1)), at(9))
		}, one + "aborted: no ice", 255},
		{"all are killed by this launcher, which has asked mpirun to end", func(s *S) {
			join(s, 0, 1, 2)
			watch(s, 0, 1, 2)
			s.MemberDied(1, "", at(1))
			s.LeaderSignalled(0, unix.SIGKILL)
			ends(s, 2, 0, signal(9))
			ends(s, 2, 1, signal(9))
			s.LauncherEnded(0, signal(9), exit.Unsaid, at(9))
		}, one + "died", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := &plan.Plan{Total: 3, Jobs: []plan.Job{
				{Number: 0, First: 0, Size: 3, Name: "ocean", LauncherName: "mpirun", MPI: plan.MPI{Family: plan.OpenMPI, Version: "4.1.4"}}}}
			s := New(plan, false, "here")
			s.LauncherStarted(0, 77)
			test.events(s)
			text := ""
			if s.verdict != nil {
				text = s.verdict.Text
			}
			if text != test.text || s.ExitStatus() != test.status {
				t.Errorf("verdict %q, status %d; expected %q, %d", text, s.ExitStatus(), test.text, test.status)
			}
		})
	}
}

// TestLauncherFailsItself kills a rank whose mpirun then ends with status 255. Hydra uses that status if one
// of its proxies fails, but mpirun of Open MPI only if a process has ended with that status.
func TestLauncherFailsItself(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	for _, test := range []struct {
		family plan.Family
		text   string
		status int
	}{
		{plan.MPICH, "rank 1 (job 0 ocean, host pc, pid 101) killed by signal 9 (Killed)", 137},
		{plan.OpenMPI, "mpirun of job 0 ocean (ranks 0-1, host here, pid 77) ended with status 255", 255},
	} {
		s := New(&plan.Plan{Total: 2, Jobs: []plan.Job{{Size: 2, Name: "ocean", LauncherName: "mpirun", MPI: plan.MPI{Family: test.family}}}}, false, "here")
		s.LauncherStarted(0, 77)
		for i := range 2 {
			s.MemberJoined(i, 100+i, "pc", at(0))
			s.Watched(i)
		}
		s.MemberDied(1, "", at(1))
		s.StatusAsked(1, at(2))
		s.ProcessEnded(1, exit.Status{Signal: 9}, at(2))
		s.LauncherEnded(0, exit.Status{Code: 255}, exit.Unsaid, at(3))
		s.Tick(at(5000))
		if v := s.Outcome(); v == nil || v.Text != test.text || s.ExitStatus() != test.status {
			t.Errorf("%v: %+v, status %d; expected %q, %d", test.family, v, s.ExitStatus(), test.text, test.status)
		}
	}
}

// TestUnreportedCause kills a rank of another host, which only the rendezvous reports. Before, a rank of this host has
// reported the loss of its connection to that rank, and Hydra, which has failed itself, has killed it. The
// death of the first rank is the cause. Without news of it the launcher is to blame.
func TestUnreportedCause(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	for _, test := range []struct {
		known bool
		text  string
	}{
		{true, "rank 1 (job 0 ocean, host pc, pid 101) died"},
		{false, "mpirun of job 0 ocean (ranks 0-1, host here, pid 77) ended with status 255"},
	} {
		s := New(&plan.Plan{Total: 2, Jobs: []plan.Job{{Size: 2, Name: "ocean", LauncherName: "mpirun", MPI: plan.MPI{Family: plan.MPICH}}}}, false, "here")
		s.LauncherStarted(0, 77)
		for i, host := range []string{"here", "pc"} {
			s.MemberJoined(i, 100+i, host, at(0))
		}
		s.Watched(0)
		s.MemberInformed(0)
		s.StatusAsked(0, at(1))
		s.ProcessEnded(0, exit.Status{Signal: 9}, at(1))
		s.LauncherEnded(0, exit.Status{Code: 255}, exit.Unsaid, at(2))
		if v := s.Outcome(); v != nil || !s.Asking() {
			t.Errorf("verdict %+v, asking %v before the cause is known", v, s.Asking())
		}
		if test.known {
			s.MemberDied(1, "", at(3))
		}
		s.Tick(at(5000))
		if v := s.Outcome(); v == nil || v.Text != test.text || s.Asking() {
			t.Errorf("%+v, asking %v; expected %q", v, s.Asking(), test.text)
		}
	}
}

// TestNamedAfterwards kills a rank of another host. A rank of this host learns of that and ends with status 1, which mpirun
// then names with its own status. The rank that has died is the cause, and the status is not its own.
func TestNamedAfterwards(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	for _, family := range []plan.Family{plan.OpenMPI, plan.MPICH} {
		s := New(&plan.Plan{Total: 2, Jobs: []plan.Job{{Size: 2, Name: "ocean", LauncherName: "mpirun", MPI: plan.MPI{Family: family}}}}, false, "here")
		s.LauncherStarted(0, 77)
		for i, host := range []string{"here", "pc"} {
			s.MemberJoined(i, 100+i, host, at(0))
		}
		s.Watched(0)
		s.MemberInformed(0)
		s.MemberDied(1, "", at(1))
		s.StatusAsked(0, at(2))
		s.ProcessEnded(0, exit.Status{Code: 1}, at(2))
		s.LauncherEnded(0, exit.Status{Code: 1}, exit.Cause{Rank: 0, Status: exit.Status{Code: 1}, Known: true}, at(3))
		const want = "rank 1 (job 0 ocean, host pc, pid 101) died"
		if v := s.Outcome(); v == nil || v.Text != want {
			t.Errorf("%v: %+v, expected %q", family, v, want)
		}
	}
}
