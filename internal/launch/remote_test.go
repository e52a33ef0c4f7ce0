package launch

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/shell"
)

// farShell is a remote shell whose other hosts are this one. It prints text like that of a remote login, and
// fails for the host nowhere. The environment of the launcher is not there, but the option of the race detector is.
const farShell = `#!/bin/sh
[ "$1" = nowhere ] && { echo "no such host" >&2; exit 255; }
echo "Welcome to $1."
shift
exec env -i PATH="$PATH" GORACE="$GORACE" sh -c "exec $*"
`

// newFarSandbox is a sandbox with a remote shell.
func newFarSandbox(t *testing.T) *sandbox {
	s := newSandbox(t)
	s.file("far", farShell)
	s.env = append(s.env, "ACP_RSH="+s.dir+"/far")
	return s
}

func TestRemoteRanks(t *testing.T) {
	s := newFarSandbox(t)
	p := s.start("", "acprun", "-np", "5", "-host", "localhost,far1,far2", "-tag-output", "--verbose", "./member", "join", "hello", "leave")
	if status := p.wait(); status != 0 {
		t.Fatalf("status %d\n%v\n%v", status, p.out, p.err)
	}
	for rank := range p.ranks(5) {
		if want := fmt.Sprintf("[%d] rank %d of 5", rank, rank); !strings.Contains(p.out.String(), want) {
			t.Errorf("no %q in\n%v", want, p.out)
		}
	}
	if strings.Contains(p.out.String(), "Welcome") {
		t.Errorf("the greeting of the login is in the output:\n%v", p.out)
	}
}

// TestRemoteShellGetsQuotedWords starts acprun from a directory whose name is full of shell syntax, by a
// remote shell with such a name.
func TestRemoteShellGetsQuotedWords(t *testing.T) {
	s := newFarSandbox(t)
	dir := "a b; touch pwned; $(touch pwned) 'q"
	if err := os.Mkdir(filepath.Join(s.dir, dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"acprun", "macprun", "far"} {
		if err := os.Rename(filepath.Join(s.dir, name), filepath.Join(s.dir, dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.file("launcher", "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\nshift 4\nPMI_RANK=0 PMI_SIZE=1 exec \"$@\"\n")
	s.file("in", "2\nacprun\n./launcher\n1\n1\n./member join hello leave\n./member join leave\n")
	s.env = append(s.env, "ACP_RSH="+shell.Quote(filepath.Join(s.dir, dir, "far")))
	for _, args := range [][]string{
		{"acprun", "-np", "1", "-host", "far1", "./member", "join", "hello", "leave"},
		{"macprun", "-host", "far1", "-np", "2", "in"},
	} {
		p := s.start("", filepath.Join(dir, args[0]), args[1:]...)
		if status := p.wait(); status != 0 || !strings.Contains(p.out.String(), "rank 0 of ") {
			t.Errorf("%v: status %d\n%v\n%v", args, status, p.out, p.err)
		}
	}
	for _, place := range []string{s.dir, filepath.Join(s.dir, dir), "/"} {
		if _, err := os.Stat(filepath.Join(place, "pwned")); err == nil {
			t.Errorf("a part of the path of acprun was carried out in %s", place)
		}
	}
}

func TestRemoteOutputIsComplete(t *testing.T) {
	s := newFarSandbox(t)
	const size = 3 << 20
	s.file("write", fmt.Sprintf("#!/bin/sh\nhead -c %d /dev/zero | tr '\\0' \"$ACP_JOB_RANK\"\nprintf 'end\\n' >&2\n", size))
	status, stdout, stderr := s.run("", "acprun", "-np", "3", "-host", "far1,far2", "./write")
	if status != 0 || stderr != "end\nend\nend\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	var runs []string
	for line := range strings.Lines(stdout) {
		runs = append(runs, fmt.Sprintf("%c %d", line[0], len(bytes.TrimRight([]byte(line), "\n"))))
	}
	sort.Strings(runs)
	if want := fmt.Sprintf("[0 %d 1 %d 2 %d]", size, size, size); fmt.Sprint(runs) != want {
		t.Errorf("lines %v; expected %s", runs, want)
	}
}

func TestRemoteSurroundings(t *testing.T) {
	s := newFarSandbox(t)
	s.env = append(s.env, "COLOUR=blue", "SSH_SECRET=x", "ACP_STARTER_MEMSIZE=77")
	status, stdout, _ := s.run("one\ntwo\n", "acprun", "-np", "2", "-host", "far1", "-net", "tcp",
		"sh", "-c", `echo $ACP_JOB_RANK "$0" "$1" $COLOUR $SSH_SECRET $ACP_NET $ACP_STARTER_MEMSIZE $(pwd); cat`, "a  b", "$x'")
	want := []string{"0 a  b $x' blue tcp 77 " + s.dir, "1 a  b $x' blue tcp 77 " + s.dir, "one", "two"}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	sort.Strings(lines)
	if status != 0 || fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("status %d, lines %q; expected %q", status, lines, want)
	}
}

// TestRemoteFailures: if a rank fails on another host, or cannot run there, one line says why. The hosts are one, where a launcher that
// begins reports what a killed proxy has left and its own launcher has not removed yet. So the runs are one after the other.
func TestRemoteFailures(t *testing.T) {
	for _, test := range []struct {
		name   string
		hosts  string
		args   []string
		status int
		line   string
	}{
		{"killed", "far1,far2", []string{"./member", "join", "1:kill=9", "stubborn", "hang"}, 137, "rank 1 (job 0 member, host HOST, pid PID) killed by signal 9 (Killed)"},
		{"exit status", "far1,localhost", []string{"./member", "join", "leave", "0:exit=5"}, 5, ""},
		{"no such program", "localhost,far2", []string{"./missing"}, 1, "rank 0: cannot start ./missing: no such file or directory"},
		{"no such program there", "far1", []string{"./missing"}, 1, "rank 0 on host far1: cannot start ./missing: no such file or directory"},
		{"no such host", "far1,nowhere", []string{"./member", "stubborn", "hang"}, 255, "host nowhere is lost: far ended with status 255 while rank 1 ran there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newFarSandbox(t)
			status, _, stderr := s.run("", "acprun", append([]string{"-np", "2", "-host", test.hosts}, test.args...)...)
			if status != test.status {
				t.Errorf("status %d; expected %d\n%s", status, test.status, stderr)
			}
			if test.line == "" {
				return
			}
			if line := oneLineOf(t, anonymous(stderr), test.line); line != "acprun: "+test.line {
				t.Errorf("line %q; expected %q", line, test.line)
			}
		})
	}
}

// oneLineOf is oneLine for launchers that may report two ranks with the same
// mistake: the first counts.
func oneLineOf(t *testing.T, text, want string) string {
	t.Helper()
	if lines := strings.Split(text, "\n"); strings.HasPrefix(want, "rank 0 on") {
		return lines[0]
	}
	return oneLine(t, text, "acprun:")
}

func TestLauncherOfRemoteRanksKilled(t *testing.T) {
	s := newFarSandbox(t)
	p := s.start("", "acprun", "-np", "3", "-host", "far1,far2", "./member", "stubborn", "join", "hello", "hang")
	p.ranks(3)
	begin := p.kill(p.cmd.Process.Pid)
	<-p.done
	p.awaitNothing(begin)
	t.Logf("all gone after %v", time.Since(begin))
}

// TestProxyKilledAfterRank kills a proxy when a rank has ended that has left a process behind. The launcher,
// whose descendant the process is in this test, cannot end it, because the launcher is stopped.
func TestProxyKilledAfterRank(t *testing.T) {
	s := newFarSandbox(t)
	p := s.startLeaving("-np", "2", "-host", "far1")
	launcher := p.cmd.Process.Pid
	if err := syscall.Kill(launcher, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awaitState(t, launcher, "T")
	find := func(word string) (pids []int) {
		for _, line := range s.leftovers() {
			if pid, command, _ := strings.Cut(line, " "); strings.Contains(command, word) {
				n, err := strconv.Atoi(pid)
				if err != nil {
					t.Fatal(err)
				}
				pids = append(pids, n)
			}
		}
		return pids
	}
	begin := time.Now()
	for len(find(`"sleep\x00600\x00"`)) != 1 { // rank 0 may end before env has executed it
		if time.Since(begin) > testLimit {
			t.Fatalf("no sleep: %v", s.leftovers())
		}
		time.Sleep(5 * time.Millisecond)
	}
	proxies := find(`/acprun\x00-proxy\x00"`)
	if len(proxies) != 1 {
		t.Fatalf("proxies %v; %v", proxies, s.leftovers())
	}
	begin = p.kill(proxies[0])
	for len(find(`"sleep\x00600\x00"`)) > 0 {
		if time.Since(begin) > testLimit {
			t.Fatalf("left behind: %v", s.leftovers())
		}
		time.Sleep(5 * time.Millisecond)
	}
	begin = p.kill(launcher)
	<-p.done
	p.awaitNothing(begin)
}

// TestSignalBehindInput: the launcher has more standard input than pipes hold, and the rank on another host
// does not read it. A signal still reaches the rank.
func TestSignalBehindInput(t *testing.T) {
	s := newFarSandbox(t)
	p := s.start(strings.Repeat("a line that is not read\n", 1<<18), "acprun", "-np", "1", "-host", "far1",
		"./member", fmt.Sprintf("await=%d", syscall.SIGUSR1), "exit=3")
	p.await("awaits", 1)
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(); status != 3 {
		t.Errorf("status %d\n%v\n%v", status, p.out, p.err)
	}
}

// TestInputIsComplete sends more standard input to another host than may be on its way.
func TestInputIsComplete(t *testing.T) {
	s := newFarSandbox(t)
	input := strings.Repeat("0123456789abcdef", 1<<17)
	status, stdout, stderr := s.run(input, "acprun", "-np", "1", "-host", "far1", "sh", "-c", "sleep 0.2; cat")
	if status != 0 || stdout != input {
		t.Errorf("status %d, %d of %d bytes came back\n%s", status, len(stdout), len(input), stderr)
	}
}

// TestTokenHolders checks that jobs of MPI launchers find the run's directory on other
// hosts, and that it is gone afterwards.
func TestTokenHolders(t *testing.T) {
	s := newFarSandbox(t)
	s.file("launcher", `#!/bin/sh
[ "$1" = --version ] && echo HYDRA && exit 0
test "$1 $2 $3" = "-np 2 -machinefile" || exit 64
tr '\n' ' ' <"$4"
test -d "$UCX_POSIX_DIR" && echo kept
`)
	s.file("in", "1\n./launcher #mpi=other\n2\ntrue\n")
	status, stdout, stderr := s.run("", "macprun", "-host", "far1,far2", "--verbose", "in")
	if status != 0 || stdout != "far1 far2 kept\n" || strings.Count(stderr, "far1: ") != 1 {
		t.Errorf("status %d, stdout %q, stderr:\n%s", status, stdout, stderr)
	}
	status, stdout, stderr = s.run("", "macprun", "-host", "far1,nowhere", "--verbose", "in")
	want := "macprun: host nowhere cannot be given the token of the run: " + s.dir + "/far nowhere " + s.dir + "/acprun -proxy ended without an answer"
	if status != 1 || stdout != "" || !strings.Contains(stderr, want+"\n") {
		t.Errorf("status %d, stdout %q, stderr:\n%s\nexpected %q", status, stdout, stderr, want)
	}
}

// TestTimeoutOfTokenHolders: a silent remote shell does not delay the time limit.
func TestTimeoutOfTokenHolders(t *testing.T) {
	s := newSandbox(t)
	s.file("silent", "#!/bin/sh\nexec sleep 60\n")
	s.file("launcher", "#!/bin/sh\n")
	s.file("in", "1\n./launcher #mpi=other\n1\ntrue\n")
	status, _, stderr := s.run("", "macprun", "-timeout", "300ms", "-rsh", s.dir+"/silent", "-host", "far1", "in")
	const want = "macprun: time limit of 300ms reached, ending the run"
	if line := oneLine(t, stderr, "macprun:"); status != 124 || line != want {
		t.Errorf("status %d, line %q, expected %q", status, line, want)
	}
}

// TestTokenHolderLost kills the remote shell of a token holder. The launcher of the job outlives the clean-up
// of the token holder.
func TestTokenHolderLost(t *testing.T) {
	s := newFarSandbox(t)
	s.file("launcher", `#!/bin/sh
[ "$1" = --version ] && exit 0
trap '' TERM
echo started
sleep 60
`)
	s.file("in", "1\n./launcher #mpi=other\n1\ntrue\n")
	p := s.start("", "macprun", "-host", "far1", "in")
	p.await("started", 1)
	p.kill(childOf(t, p.cmd.Process.Pid, "acprun"))
	const want = "macprun: host far1 is lost: far killed by signal 9 (Killed) while MPI jobs ran there"
	if status := p.wait(); status != 137 || oneLine(t, p.err.String(), "macprun:") != want {
		t.Errorf("status %d, stderr:\n%v\nexpected %q", status, p.err, want)
	}
}

// TestProxyRefusesFrames: a proxy that cannot read a frame prints the reason and fails. The end of its input within a frame is the end of a launcher
// that was killed.
func TestProxyRefusesFrames(t *testing.T) {
	s := newSandbox(t)
	for input, want := range map[string]string{
		"J\x00\x00\x00\x00\xff\xff\xff\xff":     "malformed frame: payload of 4294967295 bytes",
		"J\x00\x00\x00\x00\x02\x00\x00\x00{}\n": "malformed message: no program or no ranks",
		"x\x00\x00\x00\x00\x00\x00\x00\x00\n":   "malformed frame: kind 'x'",
		"J\x00\x00\x00\x00\x02\x00\x00\x00{":    "",
	} {
		status, _, stderr := s.run(input, "acprun", "-proxy")
		if wrong := want != ""; wrong != (status != 0) || wrong != strings.HasPrefix(stderr, "acprun: the proxy on host ") || !strings.Contains(stderr, want) {
			t.Errorf("%q: status %d, %q; expected %q", input, status, stderr, want)
		}
	}
}

// TestRemoteRelativePath: relative entries of PATH mean the directory of the run, also on another host, where the proxy begins in another
// one.
func TestRemoteRelativePath(t *testing.T) {
	s := newFarSandbox(t)
	s.file("far", strings.Replace(farShell, "exec env -i", "cd /; exec env -i", 1))
	if err := os.Mkdir(filepath.Join(s.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.file("bin/show", "#!/bin/sh\necho shown\n")
	s.file("bin/data", "text\n")
	if err := os.Chmod(filepath.Join(s.dir, "bin/data"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"bin", "./bin", "no:bin"} {
		p := s.startShell("PATH=" + path + ":$PATH exec ./acprun -np 1 -host far1 show")
		if status := p.wait(); status != 0 || p.out.String() != "shown\n" {
			t.Errorf("PATH %s: status %d, %v%v", path, status, p.out, p.err)
		}
	}
	p := s.startShell("cd bin; PATH=:$PATH exec ../acprun -np 1 -host far1 show")
	if status := p.wait(); status != 0 || p.out.String() != "shown\n" {
		t.Errorf("an empty entry of PATH: status %d, %v%v", status, p.out, p.err)
	}
	for program, want := range map[string]string{"data": "no such executable in PATH; did you mean ./data?", "./data": "it is not executable (chmod +x " + s.dir + "/bin/data)"} {
		p := s.startShell("cd bin; exec ../acprun -np 1 -host far1 " + program)
		if status := p.wait(); status != 1 || !strings.Contains(p.err.String(), want) {
			t.Errorf("%s: status %d, %v; expected %q", program, status, p.err, want)
		}
	}
}
