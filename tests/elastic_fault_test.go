package tests

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/tests/harness"
)

// This file brings a process to each step at which it joins a run, is adopted, stays or leaves. There it kills or stops the process, rank 0 or a
// launcher, or cuts the connection of the process to the rendezvous.

// scene is a run with a process that is at a step.
type scene struct {
	sandbox *harness.Sandbox
	relay   *relay
	run     *harness.Command // the launcher of the run
	guests  *harness.Command // the launcher of guests; nil if there are none
	root    int              // the process of rank 0
	pid     int              // the process at the step
	rank    int              // its rank
	member  bool             // the process belongs to an epoch
	goOn    func(t *testing.T, lines ...string)
	finish  func(t *testing.T)
}

// way is a way of a process into a run or out of it. Its steps are in their order. start brings a process to one of them. goOn of the
// scene checks that everything else goes on without the process, and that the launcher of the run prints lines, and finish that nothing was disturbed.
type way struct {
	name  string
	steps []step
	start func(t *testing.T, at step) *scene
}

// waiting is the step of a newcomer that waits for its adoption.
const waiting = "waits for adoption"

// asking is the steps of rank 0 when the next epoch has the ranks of the last one.
var asking = []step{{"question", catchUpFrame, 1}, {"answer", caughtUpFrame, 1}}

var ways = []way{
	{"join", []step{
		{"hello", helloFrame, 1}, {"welcome", welcomeFrame, 1}, {"host", exchangeFrame, 1}, {"hosts", resultFrame, 1},
		{"contact", exchangeFrame, 2}, {"contacts", resultFrame, 2}, {"vote", adoptFrame, 1}, {waiting, 0, 0},
		{"confirmation", confirmFrame, 1}, {"epoch", adoptedFrame, 1}, {"groups", exchangeFrame, 3}, {"groups of others", resultFrame, 3},
	}, join},
	{"stay", []step{
		{"vote", adoptFrame, 1}, {"confirmation", confirmFrame, 1}, {"epoch", adoptedFrame, 1}, {"groups", exchangeFrame, 4}, {"groups of others", resultFrame, 4},
	}, stay},
	{"ask", asking, ask},
	{"await", asking, await},
	{"leave", []step{
		{"vote", adoptFrame, 1}, {"epoch", adoptedFrame, 1}, {"goodbye", leaveFrame, 1}, {"answer", byeFrame, 1},
	}, leave},
	{"attach", []step{
		{"hello", helloFrame, 1}, {"welcome", welcomeFrame, 1}, {"host", exchangeFrame, 1}, {"hosts", resultFrame, 1},
		{"contact", exchangeFrame, 2}, {"contacts", resultFrame, 2}, {"groups", exchangeFrame, 3}, {"groups of others", resultFrame, 3},
		{"goodbye", leaveFrame, 1}, {"answer", byeFrame, 1},
	}, attach},
}

// keep waits until the process is at the step.
func (s *scene) keep(t *testing.T) *scene {
	t.Helper()
	s.relay.wait(t, s.run)
	s.pid = s.relay.process()
	return s
}

// apart is the line of a launcher about a rank without which the run goes on.
func apart(rank, pid int) string {
	return "(?m)^acprun: " + killed(rank, 0, pid) + ` \(Killed\); the run goes on$`
}

// startKept starts a run of the program epochs, in which the relay keeps a process.
func startKept(t *testing.T, at step, rank int) (*scene, *elastic) {
	t.Helper()
	sandbox := suite.Sandbox(t)
	relay, program := startRelay(t, sandbox, at, rank, suite.C(t, "epochs"))
	e := startElasticAs(t, sandbox, program)
	return &scene{sandbox: sandbox, relay: relay, run: e.run, root: e.pid(t, 0), rank: rank}, e
}

// join lets ranks 2 and 3 join.
func join(t *testing.T, at step) *scene {
	t.Helper()
	s, e := startKept(t, at, 2)
	s.member = at.kind == confirmFrame || at.kind == adoptedFrame || at.n == 3
	e.resize(t, "ranks 2-3: started", "-np", "+2")
	switch {
	case s.member:
		e.send("adopt 2")
		s.keep(t)
	case at.name == waiting:
		e.send("waits 2")
		e.await(t, "2 wait\n")
		s.pid = s.relay.process()
	default:
		s.keep(t)
	}
	s.goOn = func(t *testing.T, lines ...string) {
		for _, line := range lines {
			e.run.Errors(regexp.MustCompile(line).MatchString)
		}
		if at.name == waiting {
			e.send("lost 2")
		}
		e.send("adopt 1")
		e.await(t, `epoch 1: 0 1 3\n`)
		e.resize(t, "rank 4: started", "-np", "+1")
		e.send("adopt 1")
		e.await(t, `epoch 2: 0 1 3 4\n`)
		e.end(t, lines...)
	}
	s.finish = func(t *testing.T) {
		if !s.member {
			e.send("adopt 2")
		}
		e.await(t, `epoch 1: 0 1 2 3\n`)
		e.end(t)
	}
	return s
}

// stay lets rank 2 join. Rank 1 is kept, and stays.
func stay(t *testing.T, at step) *scene {
	t.Helper()
	s, e := startKept(t, at, 1)
	s.member = true
	e.resize(t, "rank 2: started", "-np", "+1")
	e.send("adopt 1")
	s.finish = func(t *testing.T) {
		e.await(t, `epoch 1: 0 1 2\n`)
		e.end(t)
	}
	return s.keep(t)
}

// ask begins an epoch without a change. Rank 0 is kept.
func ask(t *testing.T, at step) *scene {
	t.Helper()
	s, _ := asks(t, at)
	return s
}

// await is ask for what is done to rank 1, which waits for rank 0.
func await(t *testing.T, at step) *scene {
	t.Helper()
	s, e := asks(t, at)
	s.rank, s.pid = 1, e.pid(t, 1)
	return s
}

func asks(t *testing.T, at step) (*scene, *elastic) {
	t.Helper()
	s, e := startKept(t, at, 0)
	s.member = true
	e.send("adopt")
	s.finish = func(t *testing.T) {
		e.await(t, `epoch 1: 0 1\n`)
		e.end(t)
	}
	return s.keep(t), e
}

// leave lets rank 1 leave while rank 2 joins.
func leave(t *testing.T, at step) *scene {
	t.Helper()
	s, e := startKept(t, at, 1)
	s.member = at.kind == adoptFrame
	e.resize(t, "rank 2: started", "-leave", "1", "-np", "+1")
	e.send("asked 1", "adopt 1")
	ends := func(t *testing.T, lines ...string) {
		e.await(t, `epoch 1: 0 2\n`)
		e.send("adopt")
		e.await(t, `epoch 2: 0 2\n`)
		e.end(t, lines...)
	}
	s.goOn = func(t *testing.T, lines ...string) {
		for _, line := range lines {
			e.run.Errors(regexp.MustCompile(line).MatchString)
		}
		ends(t, lines...)
	}
	s.finish = func(t *testing.T) { ends(t) }
	return s.keep(t)
}

// attach attaches ranks 3 and 4 as guests.
func attach(t *testing.T, at step) *scene {
	t.Helper()
	sandbox := suite.Sandbox(t)
	r := startResidents(t, sandbox)
	relay, program := startRelay(t, sandbox, at, 1, suite.C(t, "visit"))
	s := &scene{sandbox: sandbox, relay: relay, run: r.run, root: ready(t, r.run, 3)[0], rank: 4}
	s.guests = sandbox.Start("acprun", "-to", r.name, "-np", "2", program, "guest", "3", "leave", "1")
	s.goOn = func(t *testing.T, _ ...string) {
		if again := sandbox.Run("", r.guests(t, 1, "leave")...); again.Status != 0 || again.Stderr != "" {
			t.Errorf("the next guests: %v", again)
		}
		fmt.Fprintln(r.input)
		if result := r.run.Wait(); result.Status != 0 || result.Stderr != "" {
			t.Errorf("guests have disturbed the run: %v", result)
		}
		cleaned(t, sandbox)
	}
	s.finish = func(t *testing.T) {
		if g := s.guests.Wait(); g.Status != 0 || g.Stderr != "" {
			t.Errorf("guests: %v", g)
		}
		r.finish(t, 2)
	}
	return s.keep(t)
}

// checkEnd checks that a launcher has failed, and that it has printed one line, which matches.
func checkEnd(t *testing.T, c *harness.Command, line string) {
	t.Helper()
	r := c.Wait()
	lines := regexp.MustCompile(`(?m)^acprun: .*$`).FindAllString(r.Stderr, -1)
	if ok, _ := regexp.MatchString(`^acprun: `+line, strings.Join(lines, "\n")); r.Status == 0 || len(lines) != 1 || !ok {
		t.Errorf("expected one line of acprun, which matches %s: %v", line, r)
	}
}

// ends kills a process. Everything must end. The launcher of the run prints one line, which matches; "" if it has been killed.
func (s *scene) ends(t *testing.T, pid int, limit time.Duration, line string) {
	t.Helper()
	fault(t, s.sandbox, s.run, pid, limit, line)
	guests := `the run to which they have attached is over: rank 0 \(job 0 visit, host \S+, pid \d+\) `
	if line != "" {
		checkEnd(t, s.run, line)
	} else {
		guests = `the launcher of run \d+, to which the processes have attached, has ended`
	}
	if s.guests != nil {
		checkEnd(t, s.guests, guests)
	}
}

// victims are the processes that a test kills, and what must follow.
var victims = map[string]func(t *testing.T, s *scene){
	"the process": func(t *testing.T, s *scene) {
		if s.member {
			s.ends(t, s.pid, afterRank, killed(s.rank, 0, s.pid))
			return
		}
		if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if s.guests != nil {
			checkEnd(t, s.guests, killed(s.rank, 1, s.pid))
		}
		s.goOn(t, apart(s.rank, s.pid))
	},
	"the connection": func(t *testing.T, s *scene) {
		close(s.relay.cut)
		rank, pid := s.rank, s.pid
		if kind := s.relay.at.kind; kind == catchUpFrame || kind == caughtUpFrame {
			rank, pid = 0, s.root // rank 0 asks for all ranks, so the connection is its own
		}
		ended := fmt.Sprintf(`rank %d \(job \d \S+, host \S+, pid %d\) (died|ended with status \d+)`, rank, pid)
		switch {
		case s.member:
			checkEnd(t, s.run, ended)
			cleaned(t, s.sandbox)
		case s.relay.at.kind == leaveFrame: // the process has called acp_finalize, and waits for no other process
			if s.guests != nil {
				s.guests.Wait()
			}
			s.goOn(t)
		case s.guests != nil:
			checkEnd(t, s.guests, ended)
			s.goOn(t)
		default:
			s.goOn(t, "(?m)^acprun: "+ended+"; the run goes on$",
				// The process may try to join once more.
				`(?m)^(acp|rank \d+): .*connection|^acp: init: rendezvous |^acprun: process \d+ on host \S+ \(job 0 epochs\) was not let in: `)
		}
	},
	"rank 0":       func(t *testing.T, s *scene) { s.ends(t, s.root, afterRank, killed(0, 0, s.root)) },
	"the launcher": func(t *testing.T, s *scene) { s.ends(t, s.run.PID(), afterLauncher, "") },
	"the launcher of guests": func(t *testing.T, s *scene) {
		if err := syscall.Kill(s.guests.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s.guests.Wait()
		s.goOn(t)
	},
}

// TestKilledAtSteps kills processes and launchers at each step of ranks that come and go.
func TestKilledAtSteps(t *testing.T) {
	for _, way := range ways {
		for _, at := range way.steps {
			for name, kill := range victims {
				if possible(way, at, name) {
					t.Run(way.name+"/"+at.name+"/"+name, func(t *testing.T) {
						t.Parallel()
						kill(t, way.start(t, at))
					})
				}
			}
		}
	}
}

// TestKilledDuringVotes kills a process that waits when rank 0 has found out that it waits, and rank 1 has not voted. The epoch then has
// the ranks of the last one, and the next epochs begin.
func TestKilledDuringVotes(t *testing.T) {
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			relay, program := startRelay(t, sandbox, step{"vote", adoptFrame, 1}, 1, suite.C(t, "epochs"))
			e := startElasticAs(t, sandbox, program, "-net", net)
			e.resize(t, "rank 2: started", "-np", "+1")
			e.send("adopt 1")
			relay.wait(t, e.run)
			var run survey.Run
			decode(t, sandbox.Must("acpstat", "-json", e.name), &run)
			pid := run.Ranks[2].PID
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			relay.awaitLoss(t)
			relay.release()
			e.await(t, `epoch 1: 0 1\n`)
			e.send("adopt")
			e.await(t, `epoch 2: 0 1\n`)
			e.resize(t, "rank 3: started", "-np", "+1")
			e.send("adopt 1")
			e.await(t, `epoch 3: 0 1 3\n`)
			e.end(t, apart(2, pid))
		})
	}
}

// possible reports whether a test can do something to a victim at a step. A process that has sent its goodbye does not wait long for the
// answer, so nothing is done to others meanwhile.
func possible(w way, at step, victim string) bool {
	return victim == "the process" || at.kind != byeFrame && (victim != "the launcher of guests" || w.name == "attach")
}

// stoppable are the processes that a test stops.
var stoppable = map[string]func(s *scene) int{
	"the process":            func(s *scene) int { return s.pid },
	"rank 0":                 func(s *scene) int { return s.root },
	"the launcher":           func(s *scene) int { return s.run.PID() },
	"the launcher of guests": func(s *scene) int { return s.guests.PID() },
}

// TestStoppedAtSteps stops processes and launchers at random steps of ranks that come and go. No stop may disturb a run. The stops last
// long, so they are at the same time.
func TestStoppedAtSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a stop lasts")
	}
	const count = 12 // each needs four or five processes until all stops are over
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var begin []func() *stop
	for _, way := range ways {
		for _, at := range way.steps {
			for _, name := range slices.Sorted(maps.Keys(stoppable)) { // the same order for each seed
				if pid := stoppable[name]; possible(way, at, name) {
					begin = append(begin, func() *stop {
						s := way.start(t, at)
						return s.stop(t, way.name+"/"+at.name+"/"+name, pid(s))
					})
				}
			}
		}
	}
	rnd.Shuffle(len(begin), func(i, j int) { begin[i], begin[j] = begin[j], begin[i] })
	var stops []*stop
	for _, start := range begin[:count] {
		stops = append(stops, start())
	}
	time.Sleep(stopTime)
	for _, stop := range stops {
		if err := syscall.Kill(stop.pid, syscall.SIGCONT); err != nil {
			t.Errorf("%s has ended while it was stopped", stop.name)
		}
		stop.relay.release()
	}
	for _, stop := range stops {
		if stop.finish(t); t.Failed() {
			t.Fatalf("disturbed by the stop of %s", stop.name)
		}
	}
}

// stop is a process of a scene that is stopped.
type stop struct {
	*scene
	name string
	pid  int
}

// stop stops a process. What the rendezvous sends to the process at the step, and what others send, arrives meanwhile.
func (s *scene) stop(t *testing.T, name string, pid int) *stop {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if pid != s.pid || s.relay.at.toProcess() {
		s.relay.release()
	}
	return &stop{s, name, pid}
}
