package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStarts: a request is answered when each of its ranks was started or has failed, and has the causes, each once.
func TestStarts(t *testing.T) {
	var s starts
	first, second := s.begin([]int{2, 3, 4, 5}), s.begin([]int{6, 7})
	known := func(one *starting) bool {
		select {
		case <-one.known:
			return true
		default:
			return false
		}
	}
	s.fail(4, "host a: no")
	s.started(3)
	s.fail(3, "it has ended") // after its start
	s.fail(2, "host a: no")
	if known(first) || known(second) {
		t.Error("a request is answered before all its ranks are known")
	}
	s.fail(5, "host b: no")
	if started, causes := first.result(); !known(first) || fmt.Sprint(started) != "[3]" || causes != "rank 5: host b: no; ranks 2, 4: host a: no" {
		t.Errorf("known %v, started %v, %q", known(first), started, causes)
	}
	s.started(7)
	s.finish("the end")
	if started, causes := second.result(); !known(second) || fmt.Sprint(started) != "[7]" || causes != "rank 6: the end" || len(s.open) != 0 {
		t.Errorf("known %v, started %v, %q, %d requests are left", known(second), started, causes, len(s.open))
	}
}

// growing is a run that can grow to nine ranks, whose rank 0 prints the processes that do not join.
type growing struct {
	*launcherRun
	launcher string
}

// startGrowing starts such a run of acprun or macprun. It runs ./program, which is the member of a run at first.
func startGrowing(s *sandbox, launcher string) *growing {
	s.t.Helper()
	s.file("program", "#!/bin/sh\nexec "+s.dir+"/member \"$@\"\n")
	words := []string{"./program", "arrive", "0:follow", "hello", "await=10"}
	g := &growing{launcher: launcher}
	if launcher == "acprun" {
		g.launcherRun = s.start("", "acprun", append([]string{"-max", "9", "-np", "1", "-join", "network"}, words...)...)
	} else {
		s.file("jobs.yaml", "jobs:\n  - {name: air, launcher: acprun, np: 1, max: 9, command: "+strings.Join(words, " ")+"}\n")
		g.launcherRun = s.start("", "macprun", "-join", "network", "jobs.yaml")
	}
	g.await("awaits", 1)
	return g
}

// add asks for processes, and checks the status and what the launcher that asks prints.
func (g *growing) add(status int, pattern string, options ...string) {
	t := g.s.t
	t.Helper()
	adder := g.s.start("", g.launcher, append([]string{"-to", strconv.Itoa(g.cmd.Process.Pid)}, options...)...)
	adder.awaitEnd()
	got, stderr := adder.status, adder.err.String()
	pattern = strings.ReplaceAll(pattern, "RUN", fmt.Sprintf("%s: option -to %d", g.launcher, g.cmd.Process.Pid))
	if ok, _ := regexp.MatchString(`\A(no such host\n|.*not found.*\n)*`+pattern+`\n\z`, stderr); !ok || got != status {
		t.Errorf("%v: status %d, %q; expected %d, %q", options, got, stderr, status, pattern)
	}
}

// end ends the run.
func (g *growing) end() {
	g.s.t.Helper()
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	if status := g.wait(); status != 143 {
		g.s.t.Errorf("status %d of the run\n%v\n%v", status, g.out, g.err)
	}
}

// TestStartFails asks for processes that are not started. The launcher that asks prints the host and the cause, and so does that of the
// run, the ranks of the run hear of it, and the run goes on.
func TestStartFails(t *testing.T) {
	for _, launcher := range []string{"acprun", "macprun"} {
		t.Run(launcher, func(t *testing.T) {
			s := newFarSandbox(t)
			g := startGrowing(s, launcher)
			lost := `host nowhere is lost: far ended with status 255`
			g.add(1, `RUN: ranks 1-2: `+lost, "-np", "+2", "-host", "nowhere")
			g.await(`(?m)^rank [12] does not come: `+lost+`$`, 2)
			g.add(1, launcher+`: rank 3: started\nRUN: rank 4: `+lost, "-np", "+2", "-host", "far1,nowhere")
			g.await(`(?m)^rank 4 does not come: `+lost+`$`, 1)
			g.await(`awaits`, 2)
			if err := os.Rename(filepath.Join(s.dir, "program"), filepath.Join(s.dir, "away")); err != nil {
				t.Fatal(err)
			}
			g.add(1, `RUN: rank 5: .*host far1: .*\./program.*`, "-np", "+1", "-host", "far1")
			g.await(`(?m)^rank 5 does not come: .*host far1: .*\./program.*$`, 1)
			g.add(1, `RUN: rank 6: .*\./program.*`, "-np", "+1")
			g.await(`(?m)^rank 6 does not come: .*\./program.*$`, 1)
			for rank := 1; rank < 7; rank++ {
				if line := fmt.Sprintf(`(?m)^%s: .*ranks? (1-)?%d[ :)].*; the run goes on$`, launcher, rank); rank != 3 && rank != 1 && !regexp.MustCompile(line).MatchString(g.err.String()) {
					t.Errorf("the run has no line %s: %v", line, g.err)
				}
			}
			g.end()
		})
	}
}

// TestRemoteShellMissing asks for a process on another host when the remote shell is not there.
func TestRemoteShellMissing(t *testing.T) {
	for _, launcher := range []string{"acprun", "macprun"} {
		t.Run(launcher, func(t *testing.T) {
			s := newFarSandbox(t)
			g := startGrowing(s, launcher)
			if err := os.Remove(filepath.Join(s.dir, "far")); err != nil {
				t.Fatal(err)
			}
			g.add(1, `RUN: ranks 1-2: host far1: remote shell .*/far: .*`, "-np", "+2", "-host", "far1")
			g.await(`(?m)^rank [12] does not come: host far1: remote shell .*/far: .*$`, 2)
			g.end()
		})
	}
}

// TestStartEndsWithRun: a launcher that asks for processes gets an answer when the run ends before they were started.
func TestStartEndsWithRun(t *testing.T) {
	s := newFarSandbox(t)
	g := startGrowing(s, "acprun")
	s.file("far", "#!/bin/sh\ntouch begun\nexec sleep 60\n")
	adder := s.start("", "acprun", "-to", strconv.Itoa(g.cmd.Process.Pid), "-np", "+1", "-host", "far1")
	awaitFile(t, filepath.Join(s.dir, "begun"))
	g.end()
	adder.awaitEnd()
	if want := fmt.Sprintf("acprun: option -to %d: rank 1: the run is ending\n", g.cmd.Process.Pid); adder.status != 1 || adder.err.String() != want {
		t.Errorf("status %d, %q; expected 1, %q", adder.status, adder.err, want)
	}
}

// awaitFile waits until a file is there.
func awaitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(testLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s does not appear", path)
}

// TestAcprunOfJobEnds: macprun tells the ranks of the run when the acprun that has started a process ends before the process has joined.
func TestAcprunOfJobEnds(t *testing.T) {
	s := newFarSandbox(t)
	g := startGrowing(s, "macprun")
	s.file("program", "#!/bin/sh\necho $PPID >acprun.pid.new; mv acprun.pid.new acprun.pid\nexec sleep 60\n")
	g.add(0, "macprun: rank 1: started", "-np", "+1")
	awaitFile(t, filepath.Join(s.dir, "acprun.pid"))
	text, err := os.ReadFile(filepath.Join(s.dir, "acprun.pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	g.kill(pid)
	g.await(`(?m)^rank 1 does not come: acprun of job 0 air \(rank 1\) killed by signal 9 \(Killed\)$`, 1)
	g.end()
}

// quietShell is farShell without text of a login, which would disturb the connection to a launcher on another host.
var quietShell = strings.Replace(farShell, `echo "Welcome to $1."`, "", 1)

// TestInterruptedAdder interrupts a launcher that has added a process in its allocation, or that waits for its start. It ends with the status of the
// signal and without an error, the process is asked to leave, and the run goes on.
func TestInterruptedAdder(t *testing.T) {
	for _, where := range []string{"", "far0:"} {
		name := "this host"
		if where != "" {
			name = "another host"
		}
		begin := func(t *testing.T) (s *sandbox, g *growing, adder func() *launcherRun) {
			s = newFarSandbox(t)
			s.file("nodes", "far1\n")
			s.file("far", quietShell)
			g = startGrowing(s, "acprun")
			return s, g, func() *launcherRun {
				s.env = append(slices.Clone(s.env), "PBS_JOBID=7", "PBS_NODEFILE="+filepath.Join(s.dir, "nodes"))
				return s.start("", "acprun", "-to", where+strconv.Itoa(g.cmd.Process.Pid), "-np", "+1")
			}
		}
		interrupt := func(p *launcherRun) { _ = p.cmd.Process.Signal(syscall.SIGINT) }
		t.Run(name+"/twice while it waits for the end", func(t *testing.T) {
			s, g, add := begin(t)
			s.file("program", "#!/bin/sh\necho awaits\nexec sleep 60\n")
			adder := add()
			g.await("awaits", 2)
			adder.awaitLine("started")
			interrupt(adder)
			adder.awaitLine("are asked to leave")
			interrupt(adder)
			if adder.awaitEnd(); adder.status != 130 || strings.Contains(adder.err.String(), "lost") {
				t.Errorf("status %d, %v", adder.status, adder.err)
			}
			g.end()
			if strings.Contains(g.err.String(), "the connection") {
				t.Errorf("the run: %v", g.err)
			}
		})
		t.Run(name+"/while it waits for the start", func(t *testing.T) {
			s, g, add := begin(t)
			s.file("program", "#!/bin/sh\nexec "+s.dir+"/member arrive wait\n") // it may join before the request to leave comes
			s.file("slow", quietShell)
			s.file("far", "#!/bin/sh\n[ $1 = far1 ] && { touch begun; until [ -e go ]; do sleep 0.02; done; }\nexec ./slow \"$@\"\n")
			adder := add()
			awaitFile(t, filepath.Join(s.dir, "begun"))
			interrupt(adder)
			if adder.awaitEnd(); adder.status != 130 || strings.Contains(adder.err.String(), "lost") {
				t.Errorf("status %d, %v", adder.status, adder.err)
			}
			s.file("go", "")
			g.await(`(?m)^rank 1 does not come: it was asked to leave before the run had adopted it$`, 1)
			g.end()
			if strings.Contains(g.err.String(), "the connection") {
				t.Errorf("the run: %v", g.err)
			}
		})
	}
}

// awaitEnd waits until the launcher has ended.
func (p *launcherRun) awaitEnd() {
	p.s.t.Helper()
	select {
	case <-p.done:
	case <-time.After(testLimit):
		p.s.t.Fatalf("the launcher does not end\n%v\n%v", p.out, p.err)
	}
}

// awaitLine waits until the launcher has printed a text to standard error.
func (p *launcherRun) awaitLine(text string) {
	p.s.t.Helper()
	for end := time.Now().Add(testLimit); !strings.Contains(p.err.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.s.t.Fatalf("%v; expected %s", p.err, text)
		}
	}
}
