package process

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
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
// are told in their order, although nothing reads them until all have ended.
func TestExitQueue(t *testing.T) {
	const mark = "GOACP_TEST=exitqueue"
	q, err := NewExitQueue()
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	const n, removed = 5, 3
	order := []int{4, 1, removed, 0, 2}
	told := make(chan int, n)
	hold := make(chan struct{})
	cmds, inputs, watches := make([]*exec.Cmd, n), make([]io.Closer, n), make([]*ExitWatch, n)
	for i := range n {
		cmds[i], inputs[i] = waiter(t, "echo ready; read x", mark)
		if watches[i] = WatchExit(cmds[i].Process.Pid, mark); watches[i] == nil {
			t.Fatal("the process is not watched")
		}
		defer watches[i].Close()
		if err := q.Add(watches[i], func() { <-hold; told <- i }); err != nil {
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
		got = append(got, <-told)
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
