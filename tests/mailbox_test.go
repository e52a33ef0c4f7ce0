package tests

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// TestMailing changes registered memory of a rank that computes and sleeps in turns, with a processor for each
// rank and with fewer, and where no memory is shared.
func TestMailing(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		for _, np := range []int{2, 3, 6} {
			t.Run(fmt.Sprintf("%s/%d", net, np), func(t *testing.T) {
				suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, suite.C(t, "mailing"), "30")
			})
		}
	}
	t.Run("one processor", func(t *testing.T) {
		suite.Sandbox(t).Must("/bin/sh", "-c", "exec taskset -c 0 acprun -np 3 -net shm "+suite.C(t, "mailing")+" 10")
	})
}

// TestKilledMailing kills the owner of the memory while other ranks change it, and one of these ranks.
func TestKilledMailing(t *testing.T) {
	const np = 3
	for victim := range np {
		t.Run(strconv.Itoa(victim), func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			run := mailing(t, sandbox, np)
			pids := ready(t, run, np)
			time.Sleep(20 * time.Millisecond) // in the middle of the changes
			fault(t, sandbox, run, pids[victim], afterRank, killed(victim, 0, pids[victim]))
		})
	}
}

func mailing(t *testing.T, sandbox *harness.Sandbox, np int) *harness.Command {
	t.Helper()
	return sandbox.Start("acprun", "-np", strconv.Itoa(np), "-net", "shm", suite.C(t, "mailing"), "0")
}

// TestUnregisterMailing unregisters memory that other ranks use by small operations, while the agent polls.
func TestUnregisterMailing(t *testing.T) {
	for _, np := range []int{2, 3} {
		t.Run(strconv.Itoa(np), func(t *testing.T) {
			suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", "shm", "-smemsize", "6m", suite.Go(t, "unregister"), "-small")
		})
	}
}
