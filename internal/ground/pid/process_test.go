package pid

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestParseStartTime(t *testing.T) {
	const rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20 21"
	for _, name := range []string{"(sh)", "(a b)", "(a) S 1 (b)", "())"} {
		if got, err := parseStartTime([]byte("17 " + name + rest)); err != nil || got != 4242 {
			t.Errorf("%s: %d, %v", name, got, err)
		}
	}
	for _, stat := range []string{"", "17 sh S 1", "17 (sh) S 1 2", "17 (sh" + rest + ")"} {
		if got, err := parseStartTime([]byte(stat)); err == nil {
			t.Errorf("%q: %d", stat, got)
		}
	}
}

func TestStartTime(t *testing.T) {
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	own, err := StartTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	later, err := StartTime(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if own == 0 || later < own {
		t.Errorf("this process started at %d, its child at %d", own, later)
	}
	child.Process.Kill()
	child.Wait()
	if _, err := StartTime(child.Process.Pid); err == nil {
		t.Error("no error for a process that is gone")
	}
}

// TestOpen: a process is found by its id and the time of its start, and known to be dead
// when it has ended, also while its parent has not taken notice.
func TestOpen(t *testing.T) {
	child := exec.Command("cat")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	id := child.Process.Pid
	started, err := StartTime(id)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Open(id, started+1); !errors.Is(err, ErrOther) {
		t.Errorf("a process that started later: %v, %v", p, err)
	}
	if p, err := Open(1<<30, started); err == nil {
		t.Errorf("no process: %v", p)
	}
	p, err := Open(id, started)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	without := &Process{id: id, started: started, fd: -1} // as where kernels give none
	if p.ID() != id || !p.Alive() || !without.Alive() {
		t.Errorf("process %d is %d, alive %v, %v", id, p.ID(), p.Alive(), without.Alive())
	}
	if !p.HasID() || !without.HasID() {
		t.Error("a living process does not have its id")
	}
	if without.opened = time.Now().Add(-time.Hour); !without.HasID() || without.seen.Load() == 0 {
		t.Error("a process that has been alive for long does not have its id")
	}
	stdin.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if p.Alive() || without.Alive() {
		t.Error("a process that has ended is alive")
	}
	if p.opened = p.opened.Add(-time.Hour); p.HasID() {
		t.Error("a process that ended long ago has its id")
	}
}
