package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStatText(t *testing.T) {
	const rest = " S 7 42 42 34816 42 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2 3"
	for _, name := range []string{"sh", "a b", ") S 1 2", "x\ny", "("} {
		p, err := parseStat("42 (" + name + ")" + rest)
		if want := (Info{Identity: Identity{42, 98765}, Parent: 7, session: 42}); err != nil || p != want {
			t.Errorf("name %q: %+v, %v; expected %+v", name, p, err, want)
		}
	}
	const ended = " Z 7 42 42 0 -1 4228172 232 0 0 0 0 0 0 0 20 0 1 0 98765 0 0 18446744073709551615 0 0 0 0 0 0 0 16781312 2 1 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 9"
	want := Info{Identity: Identity{42, 98765}, Parent: 7, session: 42, Zombie: true, waitStatus: 9}
	if p, err := parseStat("42 (sh)" + ended); err != nil || p != want {
		t.Errorf("zombie: %+v, %v; expected %+v", p, err, want)
	}
	const kernel = " I 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 20 0 1 0 14 0 0 18446744073709551615 0"
	want = Info{Identity: Identity{9, 14}, Parent: 2, kernel: true}
	if p, err := parseStat("9 (kworker/0:1-events)" + kernel); err != nil || p != want {
		t.Errorf("thread of the kernel: %+v, %v; expected %+v", p, err, want)
	}
	for _, text := range []string{"", "42", "42 (sh)", "42 (sh)" + ended + "x", "42 (sh) S 1", "x (sh)" + rest, ")("} {
		if p, err := parseStat(text); err == nil {
			t.Errorf("%q: %+v; expected an error", text, p)
		}
	}
}

// fakeProc makes a /proc. Every line describes a process: number, start time, parent,
// session, state, and NAME=VALUE in its environment if there is any.
func fakeProc(t *testing.T, lines ...string) ProcFS {
	t.Helper()
	fs := ProcFS(t.TempDir())
	for _, line := range lines {
		fs.add(t, line)
	}
	return fs
}

// add adds a process to a fake, or replaces the one that has its number.
func (fs ProcFS) add(t *testing.T, line string) {
	t.Helper()
	f := append(strings.Fields(line), "")
	pid, err := strconv.Atoi(f[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(fs.file(pid, "x")), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"stat":    fmt.Sprintf("%d (p) %s %s 1 %s 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %s 0 0", pid, f[4], f[2], f[3], f[1]),
		"environ": "HOME=/\x00" + f[5] + "\x00", "comm": "p\n",
	} {
		if err := os.WriteFile(fs.file(pid, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScope finds the processes of a run in a /proc in which numbers have been
// given to other processes.
func TestScope(t *testing.T) {
	fs := fakeProc(t,
		"101 5 1 101 S", "102 6 101 101 S", "103 6 101 103 S", // the launcher, a child, a spared child
		"104 7 102 101 S", "105 7 103 103 S", "108 7 102 101 Z", "109 8 108 101 S", // their children
		"120 9 1 120 S", "121 9 1 120 S", // of a session whose leader is alive
		"131 9 1 130 S",                    // of one that only a witness holds
		"140 99 1 140 S", "141 99 1 140 S", // a stranger has the number of a session
		"151 9 1 150 S", // of a session of whose witness another process has the number
		"152 99 1 152 S",
		"160 9 1 160 S ACP_TOKEN_FILE=/x/token", "161 9 1 160 S ACP_TOKEN_FILE=/x/token2", "162 9 1 160 Z ACP_TOKEN_FILE=/x/token",
	)
	b := Scope{
		proc: fs, ancestor: Identity{101, 5}, dir: "/x",
		sessions: map[int][]Identity{120: {{120, 9}}, 130: {{130, 8}, {131, 9}}, 140: {{140, 9}}, 150: {{150, 9}, {152, 9}}, 170: nil},
		exempted: map[Identity]bool{{101, 5}: true, {103, 6}: true, {104, 99}: true},
	}
	check := func(want ...int) {
		t.Helper()
		members, err := b.Processes()
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, p := range members {
			got = append(got, p.PID)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("members %v; expected %v", got, want)
		}
	}
	check(102, 104, 109, 120, 121, 131, 160)

	// A process that has got the number of the ancestor has children of its own.
	fs.add(t, "101 50 1 101 S")
	check(120, 121, 131, 160)
	b.ancestor = Identity{}
	check(120, 121, 131, 160)
	// The last witness has left the session.
	fs.add(t, "131 9 1 131 S")
	fs.add(t, "132 9 1 130 S")
	check(120, 121, 160)
}

// TestDaemonsOfOpenMPI distinguishes the daemons of a run, which have no variable of it, from other processes
// that name the directory of the run.
func TestDaemonsOfOpenMPI(t *testing.T) {
	const dir = "/dev/shm/goacp-6-839"
	for cmdline, want := range map[string]bool{
		"/usr/bin/orted|-mca|ess|env|-mca|orte_tmpdir_base|" + dir + "|-mca|rmaps|seq": true,
		"orted|-mca|btl_vader_backing_directory|" + dir:                                true,
		"prted|--daemonize|--prtemca|prte_tmpdir_base|" + dir + "|--prtemca|plm|ssh":   true,
		"orted|-mca|orte_tmpdir_base|" + dir + "1":                                     false,
		"orted|-mca|orte_tmpdir_base|" + dir + "/a":                                    false,
		"orted|-mca|orte_tmpdir_base|/dev/shm|-mca|rmaps|seq":                          false,
		"sh|-c|orted -mca orte_tmpdir_base " + dir:                                     false,
		"ls|-l|" + dir:                   false,
		"vi|mca|orte_tmpdir_base|" + dir: false,
		"-mca|" + dir:                    false,
		dir:                              false,
		"":                               false,
	} {
		fs := fakeProc(t, "101 5 1 101 S")
		if err := os.WriteFile(fs.file(101, "cmdline"), []byte(strings.ReplaceAll(cmdline+"|", "|", "\x00")), 0o644); err != nil {
			t.Fatal(err)
		}
		b := Scope{proc: fs, dir: dir}
		if got := b.namesRunDir(101); got != want {
			t.Errorf("%q: %v; expected %v", cmdline, got, want)
		}
		if b.dir = ""; b.namesRunDir(101) {
			t.Errorf("%q belongs to a run without a directory", cmdline)
		}
		if b.dir = dir; want {
			b.exempted = map[Identity]bool{{101, 5}: true}
			if members, err := b.Processes(); err != nil || len(members) > 0 {
				t.Errorf("%q is spared, but members are %v, %v", cmdline, members, err)
			}
		}
		// The environment of another user's process is hidden, the command line is not.
		if err := os.Remove(fs.file(101, "environ")); err != nil {
			t.Fatal(err)
		}
		if b.namesRunDir(101) {
			t.Errorf("%q of another user belongs to the run", cmdline)
		}
	}
}

// TestRemainingOfSessions finds the processes that leaders have left behind in their sessions.
func TestRemainingOfSessions(t *testing.T) {
	fs := fakeProc(t, "101 5 1 101 S", "102 6 101 120 S", "103 7 102 120 S", "104 7 101 120 Z", "105 7 1 120 S", "106 7 101 101 S")
	b := Scope{proc: fs, ancestor: Identity{101, 5}, exempted: map[Identity]bool{{101, 5}: true}}
	all := map[int][]Identity{120: {{102, 6}, {103, 7}}, 101: {{106, 7}}, 7: nil}
	for _, sessions := range [][]int{nil, {7}, {101}, {120}, {7, 120}, {101, 120}, {120, 7, 101, 120}} {
		got, err := b.remaining(sessions)
		if err != nil {
			t.Errorf("sessions %v: %v", sessions, err)
		}
		for session, want := range all {
			if !slices.Contains(sessions, session) {
				want = nil
			}
			left := got[session]
			slices.SortFunc(left, func(a, b Identity) int { return a.PID - b.PID })
			if !slices.Equal(left, want) {
				t.Errorf("sessions %v: %v is left of %d; expected %v", sessions, left, session, want)
			}
		}
	}
}

// TestParentGivenAway lists a child whose parent has got its number meanwhile.
func TestParentGivenAway(t *testing.T) {
	fs := fakeProc(t, "101 5 1 101 S", "102 6 101 101 S", "103 7 102 101 S")
	b := Scope{proc: fs, ancestor: Identity{101, 5}, exempted: map[Identity]bool{}}
	all, err := fs.Processes()
	if err != nil {
		t.Fatal(err)
	}
	fs.add(t, "102 60 1 102 S")
	if ours := b.descendants(all); ours[Identity{103, 7}] {
		t.Error("the child of a process that has the number of another one is taken for its grandchild")
	}
}

// TestSignalReachesOneProcess signals a real process by a right identity and by those
// of processes that had its number before.
func TestSignalReachesOneProcess(t *testing.T) {
	cmd := exec.Command("sh", "-c", "trap 'echo caught' USR1; echo ready; read line; echo $line; while :; do sleep 0.05; done")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	expect := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("line %q; expected %q", lines.Text(), want)
		}
	}
	expect("ready")
	id, err := HostProc.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []Identity{{id.PID, id.Start - 1}, {id.PID, id.Start + 1}, {id.PID, 0}, {}, {1, id.Start}, {-1, id.Start}, {1 << 30, 1}} {
		if err := HostProc.Signal(other, unix.SIGUSR1); err == nil {
			t.Errorf("%v was signalled; the process is %v", other, id)
		}
	}
	fmt.Fprintln(in, "unharmed")
	expect("unharmed")
	if err := HostProc.Signal(id, unix.SIGUSR1); err != nil {
		t.Error(err)
	}
	expect("caught")
	if err := HostProc.Signal(id, unix.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	if err := HostProc.Signal(id, unix.SIGKILL); !errors.Is(err, unix.ESRCH) {
		t.Errorf("%v after the end of the process; expected ESRCH", err)
	}
}

// TestDaemonIsNotContinued sends signals to a process that looks like a daemon of Open MPI.
func TestDaemonIsNotContinued(t *testing.T) {
	b := Scope{proc: HostProc, dir: t.TempDir()}
	// The shell waits by itself: a child that it makes looks like the daemon until it executes its program.
	cmd := exec.Command("sh", "-c", "trap 'echo continued' CONT; trap 'echo signalled' WINCH; echo ready; while :; do read -r line; done",
		"orted", "-mca", "orte_tmpdir_base", b.dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("line %q; expected ready", lines.Text())
	}
	// If two signals wait, the shell takes that with the smaller number first.
	for _, sig := range []unix.Signal{unix.SIGCONT, unix.SIGWINCH} {
		if n, err := b.SignalAll(sig); n != 1 || err != nil {
			t.Errorf("%v: %d processes, %v; expected one", sig, n, err)
		}
	}
	if !lines.Scan() || lines.Text() != "signalled" {
		t.Errorf("line %q; expected signalled", lines.Text())
	}
}

// TestSignalLooksAtProc has a /proc that shows another process behind a number than a moment ago: no process
// may get the signal.
func TestSignalLooksAtProc(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := HostProc.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	fs := fakeProc(t, fmt.Sprintf("%d %d 1 1 S", id.PID, id.Start+7))
	b := Scope{proc: fs, sessions: map[int][]Identity{1: {id}}, exempted: map[Identity]bool{}}
	if n, err := b.SignalAll(unix.SIGKILL); n != 0 || err != nil {
		t.Errorf("%d processes, %v; expected none", n, err)
	}
	if err := fs.Signal(id, unix.SIGKILL); !errors.Is(err, unix.ESRCH) {
		t.Errorf("%v; expected ESRCH", err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process did not end by itself: %v", err)
	}
}

// TestStatOfThisHost reads the processes of the host as other code of package os would: none is cut off.
func TestStatOfThisHost(t *testing.T) {
	pids, err := HostProc.numbers()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		text, err := os.ReadFile(HostProc.file(pid, "stat"))
		if err != nil {
			continue
		}
		if len(text) >= statSize {
			t.Errorf("process %d: %d bytes", pid, len(text))
		}
	}
	self, err := HostProc.stat(os.Getpid())
	if err != nil || self.PID != os.Getpid() || self.Parent != os.Getppid() || self.kernel || self.Zombie {
		t.Errorf("this process: %+v, %v", self, err)
	}
}
