package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/tests/harness"
)

// stuckRun is a run of the program stuck. It ends with the test.
type stuckRun struct {
	sandbox *harness.Sandbox
	run     *harness.Command
	name    string // of the run, for acpstat
}

// startStuck starts a run and waits until its ranks are in the expected states.
func startStuck(t *testing.T, sandbox *harness.Sandbox, ranks int, input string, argv ...string) *stuckRun {
	t.Helper()
	s := &stuckRun{sandbox: sandbox, run: sandbox.StartRead(strings.NewReader(input), argv...)}
	t.Cleanup(s.end)
	ready(t, s.run, ranks)
	s.name = runName(t, sandbox)
	return s
}

// end ends the run.
func (s *stuckRun) end() {
	s.run.Signal(syscall.SIGTERM)
	for _, process := range s.sandbox.Processes() { // ranks to be stopped get the signal now
		_ = syscall.Kill(process.PID, syscall.SIGCONT)
	}
	s.run.Wait()
}

// runName returns the name of the run of the sandbox. acpstat also finds others of this machine, but not from a
// host of the sandbox, which has process numbers of its own.
func runName(t *testing.T, sandbox *harness.Sandbox) string {
	t.Helper()
	var runs []survey.Run
	decode(t, sandbox.Must("acpstat", "-json"), &runs)
	ours := map[int]bool{}
	for _, process := range sandbox.Processes() {
		ours[process.PID] = true
	}
	runs = slices.DeleteFunc(runs, func(r survey.Run) bool {
		launcher, _ := strconv.Atoi(r.Name)
		return len(runs) > 1 && !ours[launcher] && !slices.ContainsFunc(r.Ranks, func(x survey.Rank) bool { return ours[x.PID] })
	})
	if len(runs) != 1 {
		t.Fatalf("acpstat finds %d runs, expected 1", len(runs))
	}
	return runs[0].Name
}

func decode(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// look returns the output of acpstat about the run.
func (s *stuckRun) look(t *testing.T) *survey.Run {
	t.Helper()
	var r survey.Run
	decode(t, s.sandbox.Must("acpstat", "-json", s.name), &r)
	return &r
}

// becomes waits until acpstat explains each rank by a text that matches a pattern.
func (s *stuckRun) becomes(t *testing.T, patterns ...string) *survey.Run {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		r, wrong := s.look(t), ""
		if len(r.Ranks) != len(patterns) {
			t.Fatalf("%d ranks, expected %d", len(r.Ranks), len(patterns))
		}
		for i, pattern := range patterns {
			if text := r.Explain(i); !regexp.MustCompile("^(" + pattern + ")$").MatchString(text) {
				wrong += fmt.Sprintf("rank %d %s, expected %s\n", i, text, pattern)
			}
		}
		if wrong == "" {
			return r
		}
		if time.Now().After(end) {
			t.Fatalf("%s%s", wrong, s.sandbox.Must("acpstat", s.name))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// since is the time that a wait has lasted, as a pattern. inC is the place of the call before it.
const (
	since = ` since [0-9.]+ s`
	inC   = ` \((stuck\.c|program\.h):\d+\)`
)

// TestStat checks acpstat with the ranks of a job on one host.
func TestStat(t *testing.T) {
	s := startStuck(t, suite.Sandbox(t), 6, "", "acprun", "-np", "6", suite.C(t, "stuck"),
		"sync", "receive:2", "send:3", "compute", "stop", "sleep")
	r := s.becomes(t,
		"waits in acp_sync"+inC+since+": ranks 1-5 have not come",
		"waits in acp_wait_ch"+inC+since+": a message from rank 2",
		"waits in acp_wait_ch"+inC+since+": a message is not taken yet by rank 3",
		"computes", "is stopped", "sleeps outside the library")
	host, _ := os.Hostname()
	for i, x := range r.Ranks {
		if x.Rank != i || x.Job != 0 || x.Host != host || x.PID == 0 || x.Seen.Memory < 1<<20 || x.Seen.Barriers == 0 {
			t.Errorf("rank %d: %+v, %+v", i, x, *x.Seen)
		}
	}
	text := s.sandbox.Must("acpstat", s.name)
	for _, part := range []string{"run " + s.name + ", 6 ranks, since ", ": acprun -np 6 ", "\nrank ", " stopped"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	if list := s.sandbox.Must("acpstat"); !regexp.MustCompile(`(?m)^` + s.name + ` +6 +[0-9.]+ s +acprun -np 6 `).MatchString(list) {
		t.Errorf("the list of runs is\n%s", list)
	}
	if w := s.sandbox.Run("", "acpstat", "1"); w.Status != 1 || !strings.Contains(w.Stderr, "no such run") {
		t.Errorf("a run that does not exist: %v", w)
	}
}

// TestStatOfJobs checks acpstat with ranks of two MPIs and of a job without MPI, on two hosts.
func TestStatOfJobs(t *testing.T) {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	sandbox := suite.Sandbox(t)
	hosts := sandbox.Hosts(2)
	const states = " sync receive:2 send:3 compute stop sleep malloc:4 copy:4 connect:0 free:1"
	at := []int{0, 0, 0, 1, 1, 1, 0, 0, 1, 1}
	s := startStuck(t, sandbox, 10, jobs(job{openmpi.Mpirun, 3, suite.CMPI(t, "stuck", openmpi) + states},
		job{mpich.Mpirun, 3, suite.CMPI(t, "stuck", mpich) + states}, job{"acprun", 4, suite.C(t, "stuck") + states}),
		"macprun", "-nodefile", sandbox.Nodefile(at...))
	r := s.becomes(t,
		"waits in acp_sync"+inC+since+": ranks 1-9 have not come",
		"waits in acp_wait_ch"+inC+since+": a message from rank 2",
		"waits in acp_wait_ch"+inC+since+": a message is not taken yet by rank 3",
		"computes", "is stopped", "sleeps outside the library",
		"waits in acp_malloc"+inC+since+": an answer from rank 4",
		"waits in acp_complete"+inC+since+": a copy or atomic in flight with rank 4",
		"waits in acp_connect_segbuf"+inC+since+": the other end of the segmented buffer is not connected yet, at rank 0",
		"waits in acp_free_ch"+inC+since+": the other end of the channel is not free yet, at rank 1")
	for i, x := range r.Ranks {
		if job := []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 2}[i]; x.Job != job || x.Host != hosts[at[i]].Name || x.PID == 0 || x.Seen.Memory == 0 {
			t.Errorf("rank %d: %+v", i, x)
		}
	}
	if len(r.Jobs) != 3 || r.Jobs[1].First != 3 || !strings.Contains(r.Jobs[1].Command, "stuck") || len(r.Unheard) > 0 {
		t.Errorf("jobs %+v, unheard %q", r.Jobs, r.Unheard)
	}
}

// TestStatOfHosts checks acpstat with the ranks of a run of acprun on two hosts.
func TestStatOfHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	hosts := sandbox.Hosts(2)
	at := []int{0, 1, 1}
	s := startStuck(t, sandbox, len(at), "", "acprun", "-np", "3", "-nodefile", sandbox.Nodefile(at...), suite.C(t, "stuck"), "sync", "compute", "sleep")
	r := s.becomes(t, "waits in acp_sync"+inC+since+": ranks 1-2 have not come", "computes", "sleeps outside the library")
	for i, x := range r.Ranks {
		if x.Host != hosts[at[i]].Name || x.PID == 0 || x.Seen.Memory == 0 {
			t.Errorf("rank %d: %+v", i, x)
		}
	}
	if len(r.Unheard) > 0 {
		t.Errorf("unheard %q", r.Unheard)
	}
}

// TestStatOfStart checks acpstat with ranks that wait for a rank that has not called acp_init.
func TestStatOfStart(t *testing.T) {
	sandbox := suite.Sandbox(t)
	s := &stuckRun{sandbox: sandbox, run: sandbox.Start("acprun", "-np", "3", "sh", "-c",
		`echo "rank $ACP_JOB_RANK"; if [ $ACP_JOB_RANK = 1 ]; then exec sleep 1000; fi; exec `+suite.C(t, "stuck"))}
	t.Cleanup(s.end)
	s.run.Output(func(text string) bool { return strings.Count(text, "rank ") == 3 })
	s.name = runName(t, sandbox)
	s.becomes(t, "waits in acp_init"+inC+since+": rank 1 has not come", "has not called acp_init",
		"waits in acp_init"+inC+since+": rank 1 has not come")
}

// TestStatOfOthers: another user sees nothing of a run.
func TestStatOfOthers(t *testing.T) {
	harness.NeedRoot(t)
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Fatal(err)
	}
	s := startStuck(t, suite.Sandbox(t), 2, "", "acprun", "-np", "2", suite.C(t, "stuck"), "sync")
	acpstat := forAllUsers(t, suite.Bin(t, "acpstat"))
	const nobody = "65534"
	for _, args := range [][]string{{}, {"-json"}, {s.name}} {
		argv := append([]string{setpriv, "--reuid", nobody, "--regid", nobody, "--clear-groups", acpstat}, args...)
		r := s.sandbox.Run("", argv...)
		if strings.Contains(r.Stdout, s.name) || strings.Contains(r.Stdout, "acp_sync") || strings.Contains(r.Stdout, "rank ") {
			t.Errorf("%v shows another user %q", argv, r.Stdout)
		}
		if found := r.Status == 0; found != (len(args) == 0 || args[0] == "-json") {
			t.Errorf("%v: %v", argv, r)
		}
	}
}

// forAllUsers returns the path of a copy of a program that every user can run.
func forAllUsers(t *testing.T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "acptest-all-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.Base(program))
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(path, data, 0o755)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStatCostsNothing: a rank that works hard does not notice that it is looked at.
func TestStatCostsNothing(t *testing.T) {
	s := startStuck(t, suite.Sandbox(t), 2, "", "acprun", "-np", "2", suite.C(t, "stuck"))
	pid := s.look(t).Ranks[1].PID
	before := switches(t, pid)
	for range 20 {
		s.look(t)
	}
	if after := switches(t, pid); after != before {
		t.Errorf("the rank went to sleep %d times while it was looked at", after-before)
	}
}

// switches returns how often the first thread of a process has waited for something.
func switches(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/status", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStall: macprun prints once the ranks of two jobs that wait for each other, and on SIGQUIT the states of
// all ranks. The run continues.
func TestStall(t *testing.T) {
	openmpi := suite.NeedMPI(t, "openmpi")
	const states = " receive:1 receive:2 sync"
	s := startStuck(t, suite.Sandbox(t), 3, jobs(job{"acprun", 1, suite.C(t, "stuck") + states}, job{openmpi.Mpirun, 2, suite.CMPI(t, "stuck", openmpi) + states}),
		"macprun", "-stall", "1")
	line := regexp.MustCompile(`(?m)^macprun: all ranks have been waiting for 1\.0 s: rank 0 \(job 0\) waits in acp_wait_ch \(stuck\.c:\d+\) for rank 1, ` +
		`rank 1 \(job 1\) waits in acp_wait_ch \(stuck\.c:\d+\) for rank 2, rank 2 \(job 1\) waits in acp_sync \(program\.h:\d+\) for rank 0$`)
	s.run.Errors(func(text string) bool { return line.MatchString(text) })
	s.run.Signal(syscall.SIGQUIT)
	table := regexp.MustCompile(`(?s)macprun: run \d+, 3 ranks, .*\nmacprun: rank  job .*\nmacprun: 1 +stuck-openmpi .* waits in acp_wait_ch \(stuck\.c:\d+\) since .*: a message from rank 2\n.*` +
		`macprun: rank 0 \(job 0\) waits in acp_wait_ch \(stuck\.c:\d+\) for rank 1, `)
	text := s.run.Errors(func(text string) bool { return table.MatchString(text) })
	if n := len(line.FindAllString(text, -1)); n != 1 {
		t.Errorf("the line about the stall is there %d times:\n%s", n, text)
	}
	s.becomes(t, "waits .*", "waits .*", "waits .*")
}

// TestStatOfLinks: acpstat shows the steps of both sides of a link. The ocean has sent its first step and waits for the ice, which
// computes for the rest of the test.
func TestStatOfLinks(t *testing.T) {
	program := suite.C(t, "balance")
	sandbox := suite.Sandbox(t)
	s := startStuck(t, sandbox, 4, jobs(job{"acprun", 2, program + " 0 #name=ocean"}, job{"acprun", 2, program + " 600000 #name=ice"}), "macprun")
	waits := `waits in acp_receive_link .*: the other end of the link with ice\.out, at rank [23].*`
	s.becomes(t, waits, waits, ".*", ".*")
	const want = `(?m)^link +sent by +step +received by +step *
ice\.out>ocean\.in +ranks 2-3 +none +ranks 0-1 +none *
ocean\.out>ice\.in +ranks 0-1 +0 +ranks 2-3 +none *$`
	if out := sandbox.Must("acpstat", s.name); !regexp.MustCompile(want).MatchString(out) {
		t.Errorf("no such links in %s", out)
	}
}
