package tests

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestFightForKeys lets the ranks of a run insert, find and remove the same keys of a map
// and a set: on one host, on two, and while one of the ranks calls nothing.
func TestFightForKeys(t *testing.T) {
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	program := suite.Go(t, "keys")
	for _, test := range []struct {
		name  string
		hosts []int // by rank; none: all on this one
		net   string
		steps int
	}{
		{"one host", nil, "auto", 125_000},
		{"one host over tcp", nil, "tcp", 6000},
		{"two hosts", []int{0, 1, 0, 1, 0, 1, 0, 1}, "auto", 125_000},
	} {
		for _, sleeper := range []bool{false, true} {
			if sleeper {
				test.steps /= 10
			}
			t.Run(fmt.Sprintf("%s/sleeper=%v", test.name, sleeper), func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				command := []string{"acprun", "-np", "8", "-net", test.net, "-smemsize", "64k"}
				if test.hosts != nil {
					sandbox.Hosts(2)
					command = append(command, "-nodefile", sandbox.Nodefile(test.hosts...))
				}
				out := sandbox.Must(append(command, program, "-seed", seed,
					"-steps", strconv.Itoa(test.steps), "-sleeper="+strconv.FormatBool(sleeper))...)
				lines(t, out, `\d+ pairs and \d+ keys, as the ranks say$`)
			})
		}
	}
}

// TestKilledInMap kills a rank while it holds the lock of a slot for which other ranks wait,
// and ranks in the middle of random operations.
func TestKilledInMap(t *testing.T) {
	program := suite.Go(t, "keys")
	for _, test := range []struct {
		net, way string
		victim   int
	}{
		{"auto", "hold", 1}, {"tcp", "hold", 1},
		{"auto", "storm", 0}, {"auto", "storm", 2}, {"auto", "storm", 3}, {"tcp", "storm", 1},
	} {
		t.Run(fmt.Sprintf("%s/%s/%d", test.net, test.way, test.victim), func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			run := sandbox.Start("acprun", "-np", "4", "-net", test.net, "-smemsize", "64k", program, "-in", test.way)
			pids := ready(t, run, 4)
			fault(t, sandbox, run, pids[test.victim], afterRank, killed(test.victim, 0, pids[test.victim]))
		})
	}
}

// TestMapOfTwoLanguages lets a job of a C program fill a map that a job of a Go program
// reads and changes.
func TestMapOfTwoLanguages(t *testing.T) {
	c, inGo := suite.C(t, "fill"), suite.Go(t, "readmap")
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.MustRead(jobs(job{"acprun", 2, c + " 2"}, job{"acprun", 2, inGo}), "macprun", "-np", "4", "-net", net)
		})
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		out := sandbox.MustRead(jobs(job{"acprun", 2, c + " 2"}, job{"acprun", 2, inGo}),
			"macprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1))
		if strings.TrimSpace(out) != "" {
			t.Errorf("unexpected output %q", out)
		}
	})
}
