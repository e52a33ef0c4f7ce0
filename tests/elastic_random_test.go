package tests

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestKilledWhileJoining kills a process that joins on another host, or the proxy that has started it, at random moments. If the process
// belongs to an epoch by then, the run ends with one line that names it. Otherwise the run goes on, and adopts the next process.
func TestKilledWhileJoining(t *testing.T) {
	const rounds, most = 20, 150 * time.Millisecond
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	// The report of another host may come when the run has ended.
	reported := regexp.MustCompile(`; the run goes on$|rank 2 .*killed by signal 9 \(Killed\)$`)
	program := suite.C(t, "epochs")
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	nodes := sandbox.Nodefile(0, 0, 1, 1, 1, 1)
	outcomes := map[string]int{}
	for round := range rounds {
		e := startElastic(t, sandbox, "-nodefile", nodes)
		e.send("adopt 1")
		grow := sandbox.Start("acprun", "-to", e.name, "-np", "+1")
		time.Sleep(time.Duration(rnd.Int64N(int64(most))))
		name := []string{"epochs", "acprun"}[rnd.IntN(2)]
		hit := false
		for _, p := range sandbox.Processes() {
			if sandbox.On(p, 1) && (p.Executable() == program || name == "acprun") && p.Name() == name && !hit {
				hit = syscall.Kill(p.PID, syscall.SIGKILL) == nil
			}
		}
		grow.Wait()
		again := sandbox.Run("", "acprun", "-to", e.name, "-np", "+1") // the run may have ended
		ranks := lastEpoch(e)
		e.send("end")
		r := e.run.Wait()
		lines := regexp.MustCompile(`(?m)^acprun: .*$`).FindAllString(r.Stderr, -1)
		named := len(lines) == 1 && regexp.MustCompile(`rank 2|host1`).MatchString(lines[0])
		outcome := ""
		switch {
		case !hit:
			outcome = "nothing to kill yet"
		case r.Status == 0 && ranks == "0 1 3" && named && reported.MatchString(lines[0]):
			outcome = "went on"
		case r.Status != 0 && named && !strings.Contains(lines[0], "goes on"):
			outcome = "ended"
		default:
			t.Fatalf("round %d, kill of %s: %v, and the next process: %v", round, name, r, again)
		}
		outcomes[fmt.Sprint(name, " ", outcome)]++
		cleaned(t, sandbox)
	}
	t.Log(outcomes)
}

// lastEpoch returns the ranks of the epoch in which another rank has joined the first two, or "" if the run ends before. If the
// process that waited for the epoch was killed before it began, the next one takes its place.
func lastEpoch(e *elastic) string {
	for number := 1; ; number++ {
		line := regexp.MustCompile(fmt.Sprintf(`(?m)^epoch %d: (.*)$`, number))
		text, begun := e.run.OutputUnlessEnded(line.MatchString)
		if !begun {
			return ""
		}
		if ranks := line.FindStringSubmatch(text)[1]; ranks != "0 1" {
			return ranks
		}
		e.send("adopt 1")
	}
}
