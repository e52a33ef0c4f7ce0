package process

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goacp/goacp/bridge"
)

// waiter starts a shell that waits for the end of its input, with more variables in its environment, and
// returns it when it runs.
func waiter(t *testing.T, script string, variables ...string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = append(os.Environ(), variables...)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd, input
}

// TestExitQueue ends processes one after the other, and removes the watch over one of them before. The ends
// are reported in their order, although they are read only after all processes have ended.
func TestExitQueue(t *testing.T) {
	const mark = "GOACP_TEST=exitqueue"
	q, err := NewExitQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	const n, removed = 5, 3
	order := []int{4, 1, removed, 0, 2}
	reported := make(chan int, n)
	hold := make(chan struct{})
	cmds, inputs, watches := make([]*exec.Cmd, n), make([]io.Closer, n), make([]*ExitWatch, n)
	for i := range n {
		cmds[i], inputs[i] = waiter(t, "echo ready; read x", mark)
		if watches[i] = WatchExit(cmds[i].Process.Pid, mark); watches[i] == nil {
			t.Fatal("the process is not watched")
		}
		defer watches[i].Close()
		if err := q.Add(watches[i], func() { <-hold; reported <- i }); err != nil {
			t.Fatal(err)
		}
	}
	q.Remove(watches[removed])
	for _, i := range order {
		inputs[i].Close()
		_ = cmds[i].Wait()
	}
	close(hold)
	var got []int
	for range n - 1 {
		got = append(got, <-reported)
	}
	if want := []int{4, 1, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("order %v, expected %v", got, want)
	}
}

// TestRankFinder finds a rank by its environment once, and not the program that it has started, nor
// a process of another run.
func TestRankFinder(t *testing.T) {
	const mark = "GOACP_TEST=rankfinder"
	f := NewRankFinder(mark, []string{"PMIX_RANK=0"})
	find := func() []StartedRank {
		t.Helper()
		found, err := f.Find()
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	waiter(t, "echo ready; read x", mark+"x", "ACP_JOB=1", "PMI_RANK=0")
	waiter(t, "echo ready; read x", mark, "ACP_JOB=1", "PMIX_RANK=0")
	waiter(t, "echo ready; read x", mark, "PMI_RANK=0")
	if found := find(); found != nil {
		t.Errorf("found %v", found)
	}
	rank, _ := waiter(t, `sh -c "echo ready; read x"; true`, mark, "ACP_JOB=1", "PMI_RANK=2")
	if found, want := find(), (StartedRank{Job: 1, Rank: 2, PID: rank.Process.Pid}); len(found) != 1 || found[0] != want {
		t.Errorf("found %v, expected %v", found, want)
	}
	if found := find(); found != nil {
		t.Errorf("found %v again", found)
	}
}

// TestStartedProcess starts ranks that announce their start, and a process of another run. The end of a
// rank's connection comes before that of the rank, and the rank is the command that has started the process.
func TestStartedProcess(t *testing.T) {
	const mark = "GOACP_TEST=startedprocess"
	q, err := NewExitQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	dir := t.TempDir()
	started := make(chan *StartedProcess, 3)
	l, err := ListenStarted(dir, mark, nil, func(p *StartedProcess) { started <- p })
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// The shell waits for what it starts, so it is the rank.
	start := func(mark string) (*exec.Cmd, chan error) {
		cmd := exec.Command("/bin/sh", "-c", `"$0" -test.run '^TestTellStarted$'; exit 3`, os.Args[0])
		cmd.Env = append(os.Environ(), mark, "ACP_JOB=1", "PMI_RANK=2", "GOACP_TEST_TELL="+filepath.Join(dir, bridge.StartedSocketName))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd, done
	}
	_, other := start(mark + "x")
	<-other
	if len(started) != 0 {
		t.Fatalf("a process of another run is taken for rank %v", (<-started).StartedRank)
	}
	cmd, done := start(mark)
	p := <-started
	defer p.Close()
	if want := (StartedRank{Job: 1, Rank: 2, PID: cmd.Process.Pid}); p.StartedRank != want {
		t.Errorf("reported %v, expected %v", p.StartedRank, want)
	}
	w := WatchExit(p.PID, mark)
	if w == nil {
		t.Fatal("the process is not watched")
	}
	defer w.Close()
	reported := make(chan string, 2)
	if err := errors.Join(q.Add(w, func() { reported <- "process" }), q.AddStarted(p, func() { reported <- "connection" })); err != nil {
		t.Fatal(err)
	}
	select {
	case what := <-reported:
		t.Errorf("the end of the %s is reported before the answer", what)
	default:
	}
	p.Answer()
	<-done
	if first, second := <-reported, <-reported; first != "connection" || second != "process" {
		t.Errorf("reported the ends of %s and %s, expected connection and process", first, second)
	}
}

// TestTellStarted is the process that TestStartedProcess starts.
func TestTellStarted(t *testing.T) {
	path := os.Getenv("GOACP_TEST_TELL")
	if path == "" {
		return
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	// The process continues when it is answered, or when it is no rank.
	_, _ = conn.Read(make([]byte, 1))
}
