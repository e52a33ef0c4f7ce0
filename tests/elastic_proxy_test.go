package tests

import (
	"syscall"
	"testing"
)

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
