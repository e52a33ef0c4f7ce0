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

// This file brings a process of DMI to each step at which it joins, is let in, moves its part of the directory and its pages, and
// leaves. There it kills or stops the process, process 0 or dmimw.

// dmiScene is a run of dmi_malleable in which a process is at a step.
type dmiScene struct {
	*malleable
	relay   *relay
	id      int    // of the process
	pid     int    // of it
	member  bool   // the run cannot go on without the process
	line    string // the program carries it out
	held    int    // a process that is stopped so that the other one stays at the step; 0: the relay keeps it there
	refusal string // what the program says if the process is killed and the run goes on
	rest    string // the processes then
	after   string // the processes if nothing happens to it
}

// dmiWay is a way of a process into the run or out of it. start brings a process to one of the steps.
type dmiWay struct {
	name  string
	steps []step
	start func(t *testing.T, at step) *dmiScene
}

// noFrame is the kind of steps that no frame of the rendezvous belongs to: another process is stopped with which the process talks there.
const noFrame = 0

var dmiWays = []dmiWay{
	{"join", []step{
		{"hello", helloFrame, 1}, {"welcome", welcomeFrame, 1}, {"host", exchangeFrame, 1}, {"hosts", resultFrame, 1},
		{"contact", exchangeFrame, 2}, {"contacts", resultFrame, 2}, {"vote", adoptFrame, 1},
		{"epoch", adoptedFrame, 1}, {"groups", exchangeFrame, 3}, {"groups of others", resultFrame, 3},
	}, dmiJoin},
	{"welcome", []step{{"directory", noFrame, 0}}, dmiWelcome},
	{"goodbye", []step{{"directory", noFrame, 0}, {"pages", noFrame, 1}}, dmiEvacuate},
	{"leave", []step{{"vote", adoptFrame, 1}, {"epoch", adoptedFrame, 1}, {"goodbye", leaveFrame, 1}, {"answer", byeFrame, 1}}, dmiLeave},
}

// startScene starts a run of so many processes, which take part. The relay keeps one of them.
func startScene(t *testing.T, at step, id, processes int, arguments ...string) *dmiScene {
	t.Helper()
	sandbox := suite.Sandbox(t)
	s := &dmiScene{id: id, member: true}
	program := suite.DMI(t, "tests/programs/dmi_malleable")
	if at.kind != noFrame {
		s.relay, program = startRelay(t, sandbox, at, id, program)
	}
	argv := append([]string{"dmimw", "-n", fmt.Sprint(processes), "-pool", "64m", program}, arguments...)
	s.malleable = startMalleable(t, sandbox, argv...)
	if len(arguments) > 0 {
		s.say(t, "fill 1", "ok") // more than process 0 has room for
	}
	s.say(t, fmt.Sprintf("phase %d 2", processes), "right")
	return s
}

// process returns the process with an id.
func (s *dmiScene) process(t *testing.T, id int) int {
	t.Helper()
	for _, p := range s.sandbox.Processes() {
		if strings.HasSuffix(p.Executable(), "/dmi_malleable") && p.Environ("ACP_JOB_RANK") == fmt.Sprint(id) {
			return p.PID
		}
	}
	t.Fatalf("there is no process %d", id)
	return 0
}

// begin lets the program carry out the line, and returns when the process is at the step.
func (s *dmiScene) begin(t *testing.T, line string) *dmiScene {
	t.Helper()
	s.line = line
	if s.held != 0 {
		halt(t, s.held)
	}
	s.send(line)
	if s.relay != nil {
		s.relay.wait(t, s.run)
		s.pid = s.relay.process()
	} else {
		s.pid = s.process(t, s.id)
	}
	return s
}

// halt stops a process.
func halt(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

func dmiJoin(t *testing.T, at step) *dmiScene {
	s := startScene(t, at, 2, 2)
	s.member = at.kind == adoptedFrame || at.n == 3
	s.refusal, s.rest, s.after = "wrong state: the process does not come: rank 2 .*", "0:2 1:2", "0:2 1:2 2:2"
	return s.begin(t, "fork 0")
}

func dmiWelcome(t *testing.T, at step) *dmiScene {
	s := startScene(t, at, 2, 2)
	s.say(t, "fork 0", "2:1")
	s.held, s.after = s.process(t, 1), "0:2 1:2 2:2"
	return s.begin(t, "welcome 2")
}

// dmiEvacuate lets process 1 leave. The directory moves to process 2, too. Pages move to process 2 alone, since the other ones have no room.
func dmiEvacuate(t *testing.T, at step) *dmiScene {
	if at.n == 0 {
		s := startScene(t, at, 1, 3)
		s.held, s.after = s.process(t, 2), "0:2 2:2"
		return s.begin(t, "goodbye 1")
	}
	s := startScene(t, at, 1, 2, "80", "1000000")
	s.say(t, "fork 0", "2:1")
	s.held, s.after = s.process(t, 2), "0:2 2:2" // the last phase lets it in
	return s.begin(t, "goodbye 1")
}

func dmiLeave(t *testing.T, at step) *dmiScene {
	s := startScene(t, at, 1, 3)
	s.member = at.kind == adoptFrame
	s.refusal, s.rest, s.after = "ok", "0:2 2:2", "0:2 2:2"
	return s.begin(t, "goodbye 1")
}

// goOn checks that the run goes on with these processes, and ends it. It may print lines that match.
func (s *dmiScene) goOn(t *testing.T, nodes, line string) {
	t.Helper()
	s.say(t, "phase all 2", "right")
	s.say(t, "nodes", nodes)
	s.send("end")
	r := s.run.Wait()
	if ok, _ := regexp.MatchString("^"+line+"$", strings.TrimSpace(r.Stderr)); r.Status != 0 || !ok {
		t.Errorf("expected a line that matches %q: %v", line, r)
	}
	cleaned(t, s.sandbox)
}

// dmiVictims are the processes that a test kills, and what must follow.
var dmiVictims = map[string]func(t *testing.T, s *dmiScene){
	"the process": func(t *testing.T, s *dmiScene) {
		if s.member {
			fault(t, s.sandbox, s.run, s.pid, afterRank, killed(s.id, 0, s.pid))
			return
		}
		if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s.expect(t, regexp.QuoteMeta(s.line)+": "+s.refusal)
		line := "dmimw: " + killed(s.id, 0, s.pid) + ` \(Killed\); the run goes on`
		s.run.Errors(regexp.MustCompile(line).MatchString)
		s.goOn(t, s.rest, line)
	},
	"process 0": func(t *testing.T, s *dmiScene) {
		root := s.process(t, 0)
		fault(t, s.sandbox, s.run, root, afterRank, killed(0, 0, root))
	},
	"dmimw": func(t *testing.T, s *dmiScene) { fault(t, s.sandbox, s.run, s.run.PID(), afterLauncher, "") },
	"the other process": func(t *testing.T, s *dmiScene) {
		other := 3 - s.id
		fault(t, s.sandbox, s.run, s.held, afterRank, killed(other, 0, s.held))
	},
}

// TestDMIKilledAtSteps kills processes at each step of processes that come and go.
func TestDMIKilledAtSteps(t *testing.T) {
	for _, way := range dmiWays {
		for _, at := range way.steps {
			for name, kill := range dmiVictims {
				if dmiPossible(at, name) {
					t.Run(way.name+"/"+at.name+"/"+name, func(t *testing.T) {
						t.Parallel()
						kill(t, way.start(t, at))
					})
				}
			}
		}
	}
}

// dmiPossible reports whether a test can do something to a victim at a step. A process that has sent its goodbye does not wait long for
// the answer, so nothing is done to others meanwhile.
func dmiPossible(at step, victim string) bool {
	return victim == "the process" || at.kind != byeFrame && (victim != "the other process" || at.kind == noFrame)
}

// TestDMIStoppedAtSteps stops processes at random steps of processes that come and go, for some time. No stop may disturb a run.
func TestDMIStoppedAtSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a stop lasts")
	}
	const count = 8 // the stops are at the same time
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	type halted struct {
		*dmiScene
		name string
		pid  int
	}
	var begin []func() halted
	for _, way := range dmiWays {
		for _, at := range way.steps {
			for _, name := range []string{"the process", "process 0", "dmimw"} {
				if dmiPossible(at, name) {
					begin = append(begin, func() halted {
						s := way.start(t, at)
						x := halted{s, way.name + "/" + at.name + "/" + name, map[string]int{"the process": s.pid, "process 0": s.process(t, 0), "dmimw": s.run.PID()}[name]}
						halt(t, x.pid)
						s.proceed(x.pid != s.pid)
						return x
					})
				}
			}
		}
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	rnd.Shuffle(len(begin), func(i, j int) { begin[i], begin[j] = begin[j], begin[i] })
	var stops []halted
	for _, start := range begin[:count] {
		stops = append(stops, start())
	}
	time.Sleep(stopTime)
	for _, x := range stops {
		if err := syscall.Kill(x.pid, syscall.SIGCONT); err != nil {
			t.Errorf("%s has ended while it was stopped", x.name)
		}
		x.proceed(true)
	}
	for _, x := range stops {
		if x.finish(t); t.Failed() {
			t.Fatalf("disturbed by the stop of %s", x.name)
		}
	}
}

// proceed lets the process go on from the step. If other is false, it does so only if what comes next is sent to the process.
func (s *dmiScene) proceed(other bool) {
	switch {
	case s.held != 0:
		_ = syscall.Kill(s.held, syscall.SIGCONT) // it is there as long as the run
	case other || s.relay.at.toProcess():
		s.relay.release()
	}
}

// finish checks that nothing has disturbed the run.
func (s *dmiScene) finish(t *testing.T) {
	t.Helper()
	s.expect(t, regexp.QuoteMeta(s.line)+": (ok|[0-9]+:1)")
	s.goOn(t, s.after, "")
}
