package tests

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// malleable is a run of the program dmi_malleable, which executes the commands of its input and checks the pages.
type malleable struct {
	sandbox *harness.Sandbox
	run     *harness.Command
	input   *os.File
	answers int // so many lines have been answered
}

// startMalleable starts a run with a command line.
func startMalleable(t *testing.T, sandbox *harness.Sandbox, argv ...string) *malleable {
	t.Helper()
	m := &malleable{sandbox: sandbox}
	m.run, m.input = startWithInput(t, sandbox, argv...)
	m.expect(t, "begun: right")
	return m
}

// expect waits for the next line of the program, which must match a pattern.
func (m *malleable) expect(t *testing.T, pattern string) {
	t.Helper()
	m.answers++
	var line string
	m.run.Output(func(text string) bool {
		lines := strings.Split(text, "\n")
		if len(lines) <= m.answers {
			return false
		}
		line = lines[m.answers-1]
		return true
	})
	if !regexp.MustCompile("^" + pattern + "$").MatchString(line) {
		t.Fatalf("the program says %q, expected %q", line, pattern)
	}
}

// say passes a line to the program, and waits for the answer.
func (m *malleable) say(t *testing.T, line, pattern string) {
	t.Helper()
	m.send(line)
	m.expect(t, regexp.QuoteMeta(line)+": "+pattern)
}

// send passes a line to the program.
func (m *malleable) send(line string) { fmt.Fprintln(m.input, line) }

// change lets another dmimw change the processes of the run.
func (m *malleable) change(t *testing.T, options ...string) {
	t.Helper()
	m.sandbox.Must(append([]string{"dmimw", "-to", runName(t, m.sandbox)}, options...)...)
}

// end ends the run, and checks that it was in order.
func (m *malleable) end(t *testing.T) {
	t.Helper()
	m.send("end")
	if r := m.run.Wait(); r.Status != 0 || r.Stderr != "" {
		t.Errorf("the run: %v", r)
	}
	cleaned(t, m.sandbox)
}

// eachMalleable runs f with two processes and the pages that the arguments choose: on one host, by sockets, and on two hosts.
func eachMalleable(t *testing.T, arguments []string, f func(t *testing.T, m *malleable)) {
	program := suite.DMI(t, "tests/programs/dmi_malleable")
	for _, where := range []string{"auto", "tcp", "hosts"} {
		t.Run(where, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			options := []string{"-n", "2", "-net", where}
			if where == "hosts" {
				sandbox.Hosts(2)
				options = []string{"-f", sandbox.Nodefile(0, 1)}
			}
			argv := append(append([]string{"dmimw", "-pool", "64m"}, options...), program)
			f(t, startMalleable(t, sandbox, append(argv, arguments...)...))
		})
	}
}

// TestDMIStartLeaves: a process of the start leaves, and its pages are kept. Threads change the pages while another process joins, and
// parts of the directory move to it.
func TestDMIStartLeaves(t *testing.T) {
	eachMalleable(t, nil, func(t *testing.T, m *malleable) {
		m.say(t, "phase 2 2", "right")
		for _, line := range []string{"create 0", "create 1"} {
			m.say(t, line, "ok")
		}
		m.say(t, "fork 0", "2:1")
		m.say(t, "await 2 1", "ok")
		m.say(t, "create 2", "ok")
		m.say(t, "kill 1", "ok")
		m.say(t, "await 1 3", "ok")
		m.say(t, "join", "right")
		m.say(t, "phase 3 2", "right")
		m.say(t, "phase 2 2", "right")
		m.say(t, "phase all 2", "right")
		m.say(t, "nodes", "0:2 2:2")
		m.end(t)
	})
}

// TestDMIRequests: processes come by dmimw -to and go by -leave and SIGINT, each as the program asks about it.
func TestDMIRequests(t *testing.T) {
	eachMalleable(t, nil, func(t *testing.T, m *malleable) {
		m.say(t, "poll", "1:1") // it has been there from the start
		m.say(t, "peek", "none")
		m.say(t, "phase all 2", "right")
		m.change(t, "-n", "2")
		m.say(t, "poll", "[23]:1")
		m.say(t, "poll", "[23]:1")
		m.say(t, "welcome 3", "ok")
		m.say(t, "nodes", "0:2 1:2 2:1 3:2")
		m.say(t, "phase all 2", "right")
		m.change(t, "-leave", "1,3")
		m.say(t, "await 1 3", "ok")
		m.say(t, "await 3 3", "ok")
		m.say(t, "create 3", `wrong state: process 3 asks to leave`)
		m.say(t, "nodes", "0:2 1:3 2:2 3:3")
		m.say(t, "phase all 2", "right")
		m.say(t, "nodes", "0:2 2:2")
		m.say(t, "create 2", "ok")
		interrupt(t, m.sandbox, "dmi_malleable", 2)
		m.say(t, "await 2 3", "ok")
		m.say(t, "goodbye 2", `wrong state: threads run on process 2`)
		m.say(t, "goodbye 0", `wrong state: process 0 stays until the end of the run`)
		m.say(t, "goodbye 1", `no such process: 1`)
		m.say(t, "join", "right")
		m.say(t, "goodbye 2", "ok")
		m.say(t, "nodes", "0:2")
		m.say(t, "phase all 2", "right")
		m.end(t)
	})
}

// TestDMINodes: dmimw -nodes lists the processes with their states, hosts, pools and the bytes of pages in them.
func TestDMINodes(t *testing.T) {
	eachMalleable(t, []string{"10", "1048576"}, func(t *testing.T, m *malleable) {
		list := func(lines ...string) {
			t.Helper()
			pattern := "id +state +host +processors +pool +used\n"
			for id, line := range lines {
				if line != "" {
					pattern += fmt.Sprintf(`%d +%s\n`, id, line)
				}
			}
			out := m.sandbox.Must("dmimw", "-to", runName(t, m.sandbox), "-nodes")
			if !regexp.MustCompile("^" + pattern + "$").MatchString(out) {
				t.Errorf("%q, expected %q", out, pattern)
			}
		}
		const owner, empty = `10 MiB`, `[0-9.]+ (B|KiB)`
		list(`takes part +\S+ +\d+ +64 MiB +`+empty, `asks to join +\S+ +\d+ +64 MiB +`+empty)
		m.say(t, "fill 1", "ok")
		list(`takes part +\S+ +\d+ +64 MiB +`+empty, `takes part +\S+ +\d+ +64 MiB +`+owner)
		m.change(t, "-leave", "1")
		list(`takes part +\S+ +\d+ +64 MiB +`+empty, `asks to leave +\S+ +\d+ +64 MiB +`+owner)
		m.say(t, "goodbye 1", "ok")
		list(`takes part +\S+ +\d+ +64 MiB +` + owner)
		m.end(t)
	})
}

// TestDMIForkOnHost: the process of DMI_fork runs on the host of the process that the program names, not where the plan of the run has it.
func TestDMIForkOnHost(t *testing.T) {
	sandbox := suite.Sandbox(t)
	hosts := sandbox.Hosts(2)
	m := startMalleable(t, sandbox, "dmimw", "-pool", "64m", "-f", sandbox.Nodefile(0, 1), suite.DMI(t, "tests/programs/dmi_malleable"))
	m.say(t, "poll", "1:1") // it has been there from the start
	at := []int{0, 1}
	for id, near := range []int{2: 1, 3: 1, 4: 0, 5: 2, 6: 0, 7: 4} {
		if id < len(at) {
			continue
		}
		m.say(t, fmt.Sprintf("fork %d", near), fmt.Sprintf("%d:1", id))
		at = append(at, at[near])
	}
	out := sandbox.Must("dmimw", "-to", runName(t, sandbox), "-nodes")
	for id, host := range at {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^%d .* %s `, id, hosts[host].Name)).MatchString(out) {
			t.Errorf("process %d is not on %s:\n%s", id, hosts[host].Name, out)
		}
	}
	m.end(t)
}

// TestDMIPools: processes that join have the pool of the run, or one of their own, by DMI_fork or by dmimw.
func TestDMIPools(t *testing.T) {
	eachMalleable(t, nil, func(t *testing.T, m *malleable) {
		m.say(t, "poll", "1:1") // it has been there from the start
		m.say(t, "fork 0 128", "2:1:128")
		m.say(t, "fork 1 96", "3:1:96")
		m.say(t, "fork 1", "4:1")
		m.say(t, "fork 0 1", "5:1:64")
		m.change(t, "-n", "1", "-pool", "160m")
		m.say(t, "await 6 1", "ok")
		for id := 1; id <= 6; id++ {
			m.say(t, fmt.Sprintf("welcome %d", id), "ok")
		}
		m.say(t, "phase all 1", "right")
		out := m.sandbox.Must("dmimw", "-to", runName(t, m.sandbox), "-nodes")
		for id, pool := range []int{64, 64, 128, 96, 64, 64, 160} {
			if !regexp.MustCompile(fmt.Sprintf(`(?m)^%d .* %d MiB `, id, pool)).MatchString(out) {
				t.Errorf("process %d has no pool of %d MiB:\n%s", id, pool, out)
			}
		}
		m.end(t)
	})
}

// TestDMIForkFails: a process whose pool cannot be made ends before it asks to join, and DMI_fork says why. The run goes on.
func TestDMIForkFails(t *testing.T) {
	eachMalleable(t, nil, func(t *testing.T, m *malleable) {
		m.say(t, "poll", "1:1")
		m.say(t, "fork 1 100000000", "wrong state: the process does not come: rank 2 .*could not start: heap of 104857600000000 bytes.*")
		m.say(t, "fork 1 96", "3:1:96")
		m.say(t, "phase all 1", "right")
		m.send("end")
		if r := m.run.Wait(); r.Status != 0 {
			t.Errorf("the run: %v", r)
		}
	})
}

// TestDMINoRoom: a process whose pages have no room elsewhere stays, and takes part as before. It leaves when there is room.
func TestDMINoRoom(t *testing.T) {
	eachMalleable(t, []string{"80", "1000000"}, func(t *testing.T, m *malleable) {
		m.say(t, "fill 1", "ok")
		m.say(t, "phase all 2", "right")
		m.say(t, "goodbye 1", "process 1 stays: no other process has room for a page of 1000000 bytes: heap full.*")
		m.say(t, "phase 2 2", "right")
		m.say(t, "fork 1", "2:1")
		m.say(t, "welcome 2", "ok")
		m.say(t, "goodbye 1", "ok")
		m.say(t, "phase all 2", "right")
		m.say(t, "nodes", "0:2 2:2")
		m.end(t)
	})
}

// TestDMIComeAndGo: processes join and leave while threads on those of the start change pages.
func TestDMIComeAndGo(t *testing.T) {
	const visits = 8
	eachMalleable(t, nil, func(t *testing.T, m *malleable) {
		m.say(t, "create 0", "ok")
		m.say(t, "create 1", "ok")
		for id := 2; id < 2+visits; id++ {
			m.say(t, fmt.Sprintf("fork %d", id%2), fmt.Sprintf("%d:1", id))
			m.say(t, fmt.Sprintf("welcome %d", id), "ok")
			if id%2 == 0 {
				m.say(t, fmt.Sprintf("visit %d", id), "ok")
			}
			m.say(t, fmt.Sprintf("goodbye %d", id), "ok")
		}
		m.say(t, "join", "right")
		m.say(t, "nodes", "0:2 1:2")
		m.say(t, "phase all 2", "right")
		m.end(t)
	})
}
