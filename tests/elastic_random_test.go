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
		next := regexp.MustCompile(`(?m)^epoch 1: 0 1 [23]$`)
		text, begun := e.run.OutputUnlessEnded(next.MatchString)
		e.send("end")
		r := e.run.Wait()
		lines := regexp.MustCompile(`(?m)^acprun: .*$`).FindAllString(r.Stderr, -1)
		named := len(lines) == 1 && regexp.MustCompile(`rank 2|host1`).MatchString(lines[0])
		outcome := ""
		switch {
		case !hit:
			outcome = "nothing to kill yet"
		case r.Status == 0 && begun && strings.HasSuffix(next.FindString(text), "3") && named && strings.HasSuffix(lines[0], "; the run goes on"):
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

// TestKilledProxyOfWaiting kills the proxy that has started a process which waits for its adoption. The run goes on without the process.
func TestKilledProxyOfWaiting(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	e := startElastic(t, sandbox, "-nodefile", sandbox.Nodefile(0, 0, 1, 1, 1, 1))
	e.resize(t, "rank 2: started", "-np", "+1")
	e.send("waits 1")
	e.await(t, "1 wait\n")
	for _, p := range sandbox.Processes() {
		if sandbox.On(p, 1) && p.Name() == "acprun" {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	e.send("lost 2")
	e.resize(t, "rank 3: started", "-np", "+1")
	e.send("adopt 1")
	e.await(t, `epoch 1: 0 1 3\n`)
	e.end(t, `(?m)^acprun: (rank 2|host host1 is lost: ).*; the run goes on$`, `(?m)^Killed$`) // the shell on the other host prints that
}
