package tests

import (
	"strings"
	"syscall"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// This file brings a process that acprun has started on another host to a step at which it joins a run or leaves it. There it kills or stops the
// proxy that has started the process.

// startedByProxy is a run on two hosts. Rank 2 is on the second host, and at a step. Rank 3, which has been asked for with it, is on the first.
type startedByProxy struct {
	*elastic
	relay *relay
	proxy int // the proxy of rank 2
}

// proxyStep is a step of rank 2.
type proxyStep struct {
	step
	member bool // rank 2 belongs to an epoch
	leaves bool // rank 2 leaves
}

var proxySteps = []proxyStep{
	{step: step{"hello", helloFrame, 1}}, {step: step{"hosts", resultFrame, 1}}, {step: step{"vote", adoptFrame, 1}}, {step: step{waiting, 0, 0}},
	{step: step{"epoch", adoptedFrame, 1}, member: true}, {step: step{"groups", exchangeFrame, 3}, member: true}, {step: step{"groups of others", resultFrame, 3}, member: true},
	{step: step{"vote to leave", adoptFrame, 2}, member: true, leaves: true}, {step: step{"goodbye", leaveFrame, 1}, leaves: true}, {step: step{"answer", byeFrame, 1}, leaves: true},
}

// proxyOn returns the proxy on a host.
func proxyOn(t *testing.T, sandbox *harness.Sandbox, host int) int {
	t.Helper()
	for _, p := range sandbox.Processes() {
		if sandbox.On(p, host) && p.Name() == "acprun" {
			return p.PID
		}
	}
	t.Fatalf("there is no proxy on host %d", host)
	return 0
}

// signalTo sends a signal to a process.
func signalTo(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

// startByProxy brings rank 2 to a step.
func startByProxy(t *testing.T, at proxyStep) *startedByProxy {
	t.Helper()
	sandbox := suite.Sandbox(t)
	hosts := sandbox.Hosts(2)
	within := func(f func() error) error { return sandbox.InNetwork(0, f) }
	relay, program := startRelayIn(t, sandbox, within, hosts[0].Addr, at.step, 2, suite.C(t, "epochs"))
	e := startElasticAs(t, sandbox, program, "-nodefile", sandbox.Nodefile(0, 0, 1, 0, 1, 0))
	e.resize(t, "ranks 2-3: started", "-np", "+2")
	s := &startedByProxy{elastic: e, relay: relay, proxy: proxyOn(t, sandbox, 1)}
	switch {
	case at.name == waiting:
		e.send("waits 2")
		e.await(t, "2 wait\n")
		return s
	case at.leaves:
		e.send("adopt 2")
		e.await(t, `epoch 1: 0 1 2 3\n`)
		e.resize(t, "rank 2: asked to leave", "-leave", "2")
		e.send("asked 2", "adopt")
	case at.member:
		e.send("adopt 2")
	}
	relay.wait(t, e.run)
	return s
}

// goesOn checks that the run goes on with ranks, lets a process on the second host join, and ends the run, whose launcher prints lines.
func (s *startedByProxy) goesOn(t *testing.T, ranks string, lines ...string) {
	t.Helper()
	s.await(t, `epoch \d: `+ranks+`\n`)
	s.resize(t, "rank 4: started", "-np", "+1")
	s.send("adopt 1")
	s.await(t, `epoch \d: `+ranks+` 4\n`)
	s.end(t, lines...)
}

// TestKilledProxyAtSteps kills the proxy. A rank of an epoch ends the run, which goes on without any other.
func TestKilledProxyAtSteps(t *testing.T) {
	for _, at := range proxySteps {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			s := startByProxy(t, at)
			if at.member {
				line := `(rank 2 \(job 0 epochs, host host1, pid \d+\) |host host1 is lost: agent ended with status 137 while rank 2 )`
				fault(t, s.sandbox, s.run, s.proxy, afterRank, line)
				checkEnd(t, s.run, line)
				return
			}
			signalTo(t, s.proxy, syscall.SIGKILL)
			if !at.leaves {
				if at.name == waiting {
					s.send("lost 2")
				}
				s.send("adopt 1")
			}
			// The shell on the other host prints that its process was killed.
			s.goesOn(t, "0 1 3", `(?m)^acprun: rank 2.*; the run goes on$`, `(?m)^Killed$`)
		})
	}
}

// TestKilledProxyOfWaiting kills the proxy that has started a process which waits for its adoption. The run goes on without the process.
func TestKilledProxyOfWaiting(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	e := startElastic(t, sandbox, "-nodefile", sandbox.Nodefile(0, 0, 1, 1, 1, 1))
	e.resize(t, "rank 2: started", "-np", "+1")
	e.send("waits 1")
	e.await(t, "1 wait\n")
	signalTo(t, proxyOn(t, sandbox, 1), syscall.SIGKILL)
	e.send("lost 2")
	e.resize(t, "rank 3: started", "-np", "+1")
	e.send("adopt 1")
	e.await(t, `epoch 1: 0 1 3\n`)
	e.end(t, `(?m)^acprun: (rank 2|host host1 is lost: ).*; the run goes on$`, `(?m)^Killed$`) // the shell on the other host prints that
}

// TestStoppedProxyAtSteps stops the proxy until rank 2 has joined or left, and the next process has joined. Nothing is disturbed.
func TestStoppedProxyAtSteps(t *testing.T) {
	for _, at := range proxySteps {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			s := startByProxy(t, at)
			signalTo(t, s.proxy, syscall.SIGSTOP)
			s.relay.release()
			ranks := "0 1 2 3"
			if at.leaves {
				ranks = "0 1 3"
			} else if !at.member {
				s.send("adopt 2")
			}
			s.await(t, `epoch \d: `+ranks+`\n`)
			s.send("adopt")
			s.await(t, `epoch 2: `+ranks+`\n`)
			signalTo(t, s.proxy, syscall.SIGCONT)
			s.goesOn(t, ranks)
		})
	}
}

// TestRankEndsWhileProxyIsStopped kills rank 2 while its proxy is stopped. A rank of an epoch ends the run, and the proxy cleans up when it
// continues. Without a rank that waits the run goes on.
func TestRankEndsWhileProxyIsStopped(t *testing.T) {
	for _, adopted := range []bool{false, true} {
		name := "waits"
		if adopted {
			name = "adopted"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startByProxy(t, proxyStep{step: step{waiting, 0, 0}})
			if adopted {
				s.send("adopt 2")
				s.await(t, `epoch 1: 0 1 2 3\n`)
			}
			signalTo(t, s.proxy, syscall.SIGSTOP)
			for _, p := range s.sandbox.Processes() {
				if s.sandbox.On(p, 1) && p.Name() == "epochs" {
					signalTo(t, p.PID, syscall.SIGKILL)
				}
			}
			if adopted {
				checkEnd(t, s.run, `rank 2 \(job 0 epochs, host host1, pid \d+\) died$`)
				_ = syscall.Kill(s.proxy, syscall.SIGCONT) // it may have been killed
				cleaned(t, s.sandbox)
				return
			}
			s.send("lost 2", "adopt 1")
			s.await(t, `epoch 1: 0 1 3\n`)
			signalTo(t, s.proxy, syscall.SIGCONT)
			s.goesOn(t, "0 1 3", `(?m)^acprun: rank 2 \(job 0 epochs, host host1, pid \d+\) killed by signal 9 \(Killed\); the run goes on$`)
		})
	}
}

// TestKilledProxyOfJob kills the proxy of a process that macprun has added to a job. If the process belongs to an epoch, the run ends,
// otherwise it goes on.
func TestKilledProxyOfJob(t *testing.T) {
	begin := func(t *testing.T) *elastic {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		// The first process that comes later does not reach acp_init before there is a file.
		program := sandbox.Script("air", `if [ "$ACP_JOB_RANK" = 1 ]; then
	until [ -e go ]; do sleep 0.02; done
fi
exec '`+suite.C(t, "epochs")+"'\n")
		e := startJobs(t, sandbox, `sea: 0\nair: 1\nepoch 0: 0 1\n`, []string{"-nodefile", sandbox.Nodefile(0, 0, 1, 0, 0)},
			elasticJob{name: "sea", np: 1}, elasticJob{name: "air", np: 1, max: 4, program: program})
		e.resize(t, "ranks 2-3: started", "-np", "+2")
		return e
	}
	t.Run("before acp_init", func(t *testing.T) {
		t.Parallel()
		e := begin(t)
		signalTo(t, proxyOn(t, e.sandbox, 1), syscall.SIGKILL)
		e.send("adopt 1")
		e.await(t, `air: 1 3\nepoch 1: 0 1 3\n`)
		e.resize(t, "rank 4: started", "-np", "+1")
		e.send("adopt 1")
		e.await(t, `air: 1 3 4\nepoch 2: 0 1 3 4\n`)
		e.end(t, `(?m)^macprun: rank 2.*; the run goes on$`, `(?m)^Killed$`)
	})
	t.Run("in an epoch", func(t *testing.T) {
		t.Parallel()
		e := begin(t)
		e.sandbox.Write("go", "")
		e.send("adopt 2")
		e.await(t, `air: 1 2 3\nepoch 1: 0 1 2 3\n`)
		fault(t, e.sandbox, e.run, proxyOn(t, e.sandbox, 1), afterRank, `.*(rank 2 |rank 2:|host host1 is lost: )`)
		if r := e.run.Wait(); strings.Count(r.Stderr, "macprun: ") != 1 {
			t.Errorf("expected one line of macprun: %v", r)
		}
	})
}
