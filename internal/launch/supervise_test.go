package launch

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSupervisor plays events to the state machine and compares verdict, its
// exit status, and whether its text is settled. The clock is a number of
// milliseconds.
func TestSupervisor(t *testing.T) {
	type S = supervisor
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	killed := Status{Signal: 9}
	// Job 0: acprun with rank 0; job 1: Open MPI with ranks 1 and 2; job 2: acprun
	// with ranks 3 to 5.
	joinAll := func(s *S) {
		for i := range 3 {
			s.memberJoined(i, 100+i, "pc", at(0))
		}
	}
	for _, test := range []struct {
		name    string
		play    func(*S)
		text    string
		status  int
		settled bool
	}{
		{"all is well", func(s *S) {
			joinAll(s)
			for i := range 3 {
				s.memberLeft(i)
			}
			s.processEnded(0, Status{}, at(5))
			s.launcherEnded(0, Status{}, 0, at(5))
			s.launcherEnded(1, Status{}, 0, at(6))
			s.tick(at(9000))
		}, "", 0, true},
		{"plain programs, first failure counts", func(s *S) {
			s.launcherEnded(1, Status{Code: 3}, 0, at(5))
			s.processEnded(0, Status{Code: 4}, at(6))
			s.launcherEnded(0, Status{Code: 4}, 0, at(6))
			s.tick(at(9000))
		}, "", 3, true},
		{"lost, status unknown", func(s *S) { joinAll(s); s.memberDied(2) }, "rank 2 (job 1, host pc, pid 102) died", 1, false},
		{"gave up, having lost another one", func(s *S) {
			joinAll(s)
			s.memberLost(1, "lost its connection to rank 2")
			s.processEnded(1, Status{Code: 1}, at(9))
			s.processEnded(2, Status{Signal: 15}, at(9))
		}, "rank 1 (job 1, host pc, pid 101) lost its connection to rank 2", 1, true},
		{"lost, then its status", func(s *S) { joinAll(s); s.memberDied(2); s.processEnded(2, killed, at(9)) },
			"rank 2 (job 1, host pc, pid 102) killed by signal 9 (Killed)", 137, true},
		{"lost, then the status of mpirun", func(s *S) { joinAll(s); s.memberDied(1); s.launcherEnded(1, Status{Code: 139}, 11, at(9)) },
			"rank 1 (job 1, host pc, pid 101) killed by signal 11 (Segmentation fault)", 139, true},
		{"status of mpirun, then lost", func(s *S) { joinAll(s); s.launcherEnded(1, Status{Code: 6}, 0, at(9)); s.memberDied(1) },
			"rank 1 (job 1, host pc, pid 101) ended with status 6 without acp_finalize", 6, true},
		{"lost, but mpirun itself was killed", func(s *S) { joinAll(s); s.memberDied(1); s.launcherEnded(1, killed, 0, at(9)) },
			"mpirun of job 1 (ranks 1-2, host here, pid 77) killed by signal 9 (Killed)", 137, true},
		{"lost, mpirun's status before its own", func(s *S) {
			joinAll(s)
			s.statusAsked(1)
			s.memberDied(1)
			s.launcherEnded(1, Status{Code: 1}, 0, at(9))
			s.processEnded(1, killed, at(10))
		}, "rank 1 (job 1, host pc, pid 101) killed by signal 9 (Killed)", 137, true},
		{"lost, and mpirun is killed because it does not end", func(s *S) {
			joinAll(s)
			s.memberDied(1)
			s.leaderSignalled(1, unix.SIGKILL)
			s.launcherEnded(1, killed, 0, at(9))
		}, "rank 1 (job 1, host pc, pid 101) died", 1, false},
		{"lost, and the shell above mpirun ends after the kill", func(s *S) {
			joinAll(s)
			s.memberDied(1)
			s.leaderSignalled(1, unix.SIGKILL)
			s.launcherEnded(1, Status{Code: 137}, 9, at(9))
		}, "rank 1 (job 1, host pc, pid 101) died", 1, false},
		{"lost, and mpirun kills its ranks after a signal of the run", func(s *S) {
			joinAll(s)
			s.memberDied(1)
			s.leaderSignalled(1, unix.SIGTERM)
			s.launcherEnded(1, Status{Code: 143}, 15, at(9))
		}, "rank 1 (job 1, host pc, pid 101) died", 1, false},
		{"lost, its status comes after mpirun was killed", func(s *S) {
			joinAll(s)
			s.statusAsked(1)
			s.memberDied(1)
			s.leaderSignalled(1, unix.SIGKILL)
			s.launcherEnded(1, killed, 0, at(9))
			s.processEnded(1, Status{Signal: 11}, at(10))
		}, "rank 1 (job 1, host pc, pid 101) killed by signal 11 (Segmentation fault)", 139, true},
		{"lost, and the rest of acprun's job is killed", func(s *S) {
			for i := range 3 {
				s.memberJoined(3+i, 103+i, "pc", at(0))
			}
			s.memberDied(3)
			s.leaderSignalled(2, unix.SIGTERM)
			s.leaderSignalled(2, unix.SIGKILL)
			s.processEnded(4, killed, at(9))
			s.processEnded(3, killed, at(9))
			s.launcherEnded(2, killed, 0, at(9))
		}, "rank 3 (job 2, host pc, pid 103) died", 1, false},
		{"one that was ended is seen first", func(s *S) {
			for i := range 3 {
				s.memberJoined(3+i, 103+i, "pc", at(0))
			}
			s.memberDied(3)
			s.processEnded(5, Status{Signal: 15}, at(8))
			s.processEnded(4, killed, at(9))
			s.processEnded(3, Status{Signal: 15}, at(9))
		}, "rank 4 (job 2, host pc, pid 104) killed by signal 9 (Killed)", 137, true},
		{"lost, its own status stays unknown", func(s *S) {
			joinAll(s)
			s.statusAsked(1)
			s.memberDied(1)
			s.launcherEnded(1, Status{Code: 6}, 0, at(9))
			s.statusUnknown(1)
		}, "rank 1 (job 1, host pc, pid 101) ended with status 6 without acp_finalize", 6, true},
		{"collateral does not change the verdict", func(s *S) {
			joinAll(s)
			s.memberDied(2)
			s.memberDied(1)
			s.processEnded(0, Status{Code: 3}, at(8))
			s.processEnded(2, Status{Signal: 11}, at(9))
		}, "rank 2 (job 1, host pc, pid 102) killed by signal 11 (Segmentation fault)", 139, true},
		{"lost, and a status of mpirun that may mean anything", func(s *S) { joinAll(s); s.memberDied(1); s.launcherEnded(1, Status{Code: 137}, 0, at(9)) },
			"rank 1 (job 1, host pc, pid 101) died, and mpirun of job 1 (ranks 1-2, host here, pid 77) ended with status 137", 137, true},
		{"lost, and the launcher fails over it", func(s *S) { joinAll(s); s.memberDied(1); s.launcherEnded(1, Status{Code: 255}, 0, at(9)) },
			"rank 1 (job 1, host pc, pid 101) died, and mpirun of job 1 (ranks 1-2, host here, pid 77) ended with status 255", 255, true},
		{"mpirun fails with a status that looks like a signal", func(s *S) { s.launcherEnded(1, Status{Code: 132}, 0, at(9)); s.tick(at(9000)) },
			"", 132, true},
		{"the same while another rank waits", func(s *S) {
			s.memberJoined(0, 100, "pc", at(0))
			s.launcherEnded(1, Status{Code: 132}, 0, at(9))
			s.tick(at(9000))
		}, "mpirun of job 1 (ranks 1-2, host here, pid 77) ended with status 132 before all its processes had called acp_init", 132, true},
		{"abort below mpirun, which kills the rest and is killed", func(s *S) {
			joinAll(s)
			s.memberAborted(1, "no ice")
			s.processEnded(2, killed, at(8))
			s.launcherEnded(1, killed, 0, at(9))
		}, "rank 1 (job 1, host pc, pid 101) aborted: no ice", 255, true},
		{"abort below mpirun, one that it kills is seen first", func(s *S) {
			joinAll(s)
			s.memberDied(2)
			s.processEnded(2, killed, at(8))
			s.memberAborted(1, "no ice")
			s.launcherEnded(1, Status{Code: 137}, 9, at(9))
		}, "rank 1 (job 1, host pc, pid 101) aborted: no ice", 255, true},
		{"abort, and a crash in the same job is seen first", func(s *S) {
			joinAll(s)
			s.memberDied(2)
			s.processEnded(2, Status{Signal: 11}, at(8))
			s.memberAborted(1, "no ice")
		}, "rank 2 (job 1, host pc, pid 102) killed by signal 11 (Segmentation fault)", 139, true},
		{"abort, and a loss in another job is seen first", func(s *S) {
			joinAll(s)
			s.memberDied(2)
			s.memberAborted(0, "no ice")
		}, "rank 2 (job 1, host pc, pid 102) died", 1, false},
		{"abort, and killed before it could end", func(s *S) { joinAll(s); s.memberAborted(0, "no ice"); s.processEnded(0, killed, at(9)) },
			"rank 0 (job 0, host pc, pid 100) aborted: no ice", 255, true},
		{"abort, then its status", func(s *S) { joinAll(s); s.memberAborted(0, "no ice"); s.processEnded(0, Status{Code: 8}, at(9)) },
			"rank 0 (job 0, host pc, pid 100) aborted: no ice", 8, true},
		{"abort, status before", func(s *S) { joinAll(s); s.processEnded(0, Status{Code: 8}, at(9)); s.memberAborted(0, "") },
			"rank 0 (job 0, host pc, pid 100) aborted", 8, true},
		{"fails after acp_finalize", func(s *S) {
			joinAll(s)
			s.memberLeft(0)
			s.processEnded(0, Status{Code: 8}, at(9))
			s.launcherEnded(0, Status{Code: 8}, 0, at(9))
			s.tick(at(9000))
		}, "", 8, true},
		{"killed after acp_finalize", func(s *S) { joinAll(s); s.memberLeft(0); s.processEnded(0, killed, at(9)) },
			"rank 0 (job 0, host pc, pid 100) killed by signal 9 (Killed)", 137, true},
		{"ends early while another waits", func(s *S) { s.memberJoined(1, 101, "pc", at(0)); s.processEnded(0, Status{}, at(9)); s.tick(at(9000)) },
			"rank 0 (job 0) ended with status 0 before acp_init", 1, true},
		{"ended early as it seems, until a stopped launcher reads on", func(s *S) {
			s.memberJoined(1, 101, "pc", at(0))
			s.processEnded(0, Status{}, at(9))
			s.postpone(9000 * time.Millisecond)
			s.tick(at(9000))
			s.memberJoined(0, 100, "pc", at(9001))
			s.tick(at(20000))
		}, "", 0, true},
		{"ended early, then another waits", func(s *S) { s.processEnded(0, Status{}, at(0)); s.memberJoined(1, 101, "pc", at(9)); s.tick(at(9000)) },
			"rank 0 (job 0) ended with status 0 before acp_init", 1, true},
		{"ends early, but had joined", func(s *S) {
			s.memberJoined(1, 101, "pc", at(0))
			s.processEnded(0, Status{}, at(9))
			s.memberJoined(0, 100, "pc", at(10))
			s.tick(at(9000))
		}, "", 0, true},
		{"job ends early", func(s *S) {
			s.memberJoined(0, 100, "pc", at(0))
			s.launcherEnded(1, Status{Code: 2}, 0, at(9))
			s.tick(at(9000))
		},
			"mpirun of job 1 (ranks 1-2, host here, pid 77) ended with status 2 before all its processes had called acp_init", 2, true},
		{"a plain MPI process is killed", func(s *S) { s.launcherEnded(1, Status{Code: 137}, 9, at(9)); s.tick(at(9000)) },
			"a process of mpirun of job 1 (ranks 1-2, host here, pid 77) was killed by signal 9 (Killed)", 137, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := &Plan{Total: 6, Jobs: []Job{
				{Number: 0, First: 0, Size: 1, Acprun: true, Name: "acprun"},
				{Number: 1, First: 1, Size: 2, Name: "mpirun", MPI: Flavour{OpenMPI, "4.1.4"}},
				{Number: 2, First: 3, Size: 3, Acprun: true, Name: "acprun"},
			}}
			s := newSupervisor(plan, false, "here")
			s.launcherStarted(1, 77)
			test.play(s)
			text, settled := "", true
			if s.verdict != nil {
				text, settled = s.verdict.text, s.verdict.settled()
			}
			if text != test.text || s.exitStatus() != test.status || settled != test.settled {
				t.Errorf("verdict %q, status %d, settled %v; expected %q, %d, %v", text, s.exitStatus(), settled, test.text, test.status, test.settled)
			}
		})
	}
}
