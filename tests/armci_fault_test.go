package tests

import (
	"fmt"
	"testing"
)

// TestARMCIKilled kills the process for which all other processes wait, in each blocking kind of
// ARMCI call, and a process that may hold a lock.
func TestARMCIKilled(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/waiting", "-larmci")
	kill := func(net, way string, victim int) {
		t.Run(fmt.Sprintf("%s/%s/%d", net, way, victim), func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			run := sandbox.Start("acprun", "-np", "3", "-net", net, program, way)
			pids := ready(t, run, 3)
			fault(t, sandbox, run, pids[victim], afterRank, killed(victim, 0, pids[victim]))
		})
	}
	for _, net := range []string{"auto", "tcp"} {
		for _, way := range []string{
			"lock", "barrier", "receive", "any", "notified", "reduce", "broadcast", "allocate", "release", "end",
			"send", "group", "put", "get", "accumulate", "strided", "modify", "fence", "handles",
		} {
			kill(net, way, 0)
		}
		kill(net, "accumulate", 1)
		kill(net, "lock", 1) // in the queue
	}
}
