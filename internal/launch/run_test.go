package launch

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAcprunExitStatus(t *testing.T) {
	for _, test := range []struct {
		name   string
		words  []string
		status int
		stderr string // in the launcher's line; "" = no line
	}{
		{"all join and leave", []string{"join", "leave"}, 0, ""},
		{"none joins", []string{"exit=0"}, 0, ""},
		{"one of the plain programs fails", []string{"1:exit=5"}, 5, ""},
		{"fails after acp_finalize", []string{"join", "leave", "2:exit=9"}, 9, ""},
		{"killed after acp_finalize", []string{"join", "leave", "2:kill=15", "hang"}, 143, "killed by signal 15 (Terminated)"},
		{"plain program killed", []string{"0:kill=9", "hang"}, 137, "rank 0 (job 0"},
		{"ends without acp_finalize", []string{"join", "1:exit=0", "wait"}, 1, "ended with status 0 without acp_finalize"},
		{"fails without acp_finalize", []string{"join", "1:exit=8", "wait"}, 8, "ended with status 8 without acp_finalize"},
		{"aborts", []string{"join", "2:abort", "wait"}, 7, "aborted: told to"},
		{"killed while others wait", []string{"join", "0:kill=15", "wait"}, 143, "killed by signal 15 (Terminated)"},
		{"killed while others compute", []string{"join", "1:kill=9", "stubborn", "hang"}, 137, "killed by signal 9 (Killed)"},
		{"ends before acp_init", []string{"1:exit=0", "join", "wait"}, 1, "ended with status 0 before acp_init"},
		{"fails before acp_init", []string{"1:exit=8", "join", "wait"}, 8, "ended with status 8 before acp_init"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			status, stdout, stderr := s.run("", "acprun", append([]string{"-np", "3", "./member"}, test.words...)...)
			if status != test.status || stdout != "" {
				t.Errorf("status %d, stdout %q; expected status %d and nothing\n%s", status, stdout, test.status, stderr)
			}
			if test.stderr == "" {
				if stderr != "" {
					t.Errorf("stderr %q; expected nothing", stderr)
				}
				return
			}
			if line := oneLine(t, stderr, "acprun:"); !strings.Contains(line, test.stderr) || !strings.Contains(line, "rank ") {
				t.Errorf("stderr %q; expected a line with %q", line, test.stderr)
			}
		})
	}
}

func TestAcprunArguments(t *testing.T) {
	s := newSandbox(t)
	args := []string{"", "a b", "$HOME", "'", "--acp-size-smem", "4096", "*", "\\", "-np", "7", "#"}
	s.file("show", "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\necho\n")
	status, stdout, stderr := s.run("", "acprun", append([]string{"-np", "1", "./show"}, args...)...)
	if want := "<" + strings.Join(args, "><") + ">\n"; status != 0 || stdout != want {
		t.Errorf("status %d, stdout %q, stderr %q; expected %q", status, stdout, stderr, want)
	}
}

func TestEnvironmentOfProcesses(t *testing.T) {
	s := newSandbox(t)
	s.env = append(s.env, "ACP_STARTER_MEMSIZE=1", "ACP_JOB=7", "ACP_STARTER_SIZE=3")
	status, stdout, stderr := s.run("", "acprun", "-np", "1", "-smemsize", "8k", "--acp-smemsize-dl=1m", "-net", "udp",
		"sh", "-c", `env | grep ^ACP_ | sort; test $(stat -c %a,%s "$ACP_TOKEN_FILE") = 600,65`)
	var lines []string
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "ACP_TOKEN_FILE=/dev/shm/goacp-") && !strings.HasPrefix(line, "ACP_RENDEZVOUS=127.0.0.1:") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	want := "ACP_JOB=0 ACP_JOB_NAME=sh ACP_JOB_RANK=0 ACP_NET=tcp ACP_STARTER_MEMSIZE=8192 ACP_STARTER_MEMSIZE_DL=1048576 ACP_STARTER_SIZE=3"
	if got := strings.Join(lines, " "); got != want || status != 0 {
		t.Errorf("status %d, environment %s; expected %s", status, got, want)
	}
	if line := oneLine(t, stderr, "acprun: warning"); !strings.Contains(line, "ACP_STARTER_SIZE") || !strings.Contains(line, "did you mean ACP_STARTER_MEMSIZE?") {
		t.Errorf("warning %q; expected one about ACP_STARTER_SIZE", line)
	}
}

// TestTokenIsInItsFileOnly looks for the token where others might read it, and in the
// environment, which MPI launchers send to other hosts.
func TestTokenIsInItsFileOnly(t *testing.T) {
	s := newSandbox(t)
	s.file("look", "#!/bin/sh\ncat $ACP_TOKEN_FILE\ncat /proc/[0-9]*/cmdline /proc/self/environ /proc/$PPID/environ >lines 2>/dev/null\nexit 0\n")
	s.file("in", "1\nacprun\n1\n./look marker\n")
	_, stdout, stderr := s.run("", "macprun", "in")
	lines, err := os.ReadFile(filepath.Join(s.dir, "lines"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(stdout)
	if len(token) != 64 || !bytes.Contains(lines, []byte("marker")) {
		t.Fatalf("stdout %q, stderr %q; expected a token, and command lines with the word marker", stdout, stderr)
	}
	if bytes.Contains(lines, []byte(token)) {
		t.Errorf("the token is on a command line or in an environment")
	}
}

func TestMacprunJoinsJobs(t *testing.T) {
	const ranks = 6
	in := "3\nacprun\n./launcher -x #mpi=other another launcher\nacprun -smemsize 4k\n1\n2\n3\n./member join hello leave\n./member join hello leave\n./member join hello leave\n"
	description := `jobs:
  - {launcher: acprun, np: 1, command: ./member join hello leave}
  - {launcher: ./launcher, options: [-x], mpi: other, np: 2, command: [./member, join, hello, leave]}
  - launcher: acprun
    options: -smemsize 4k
    np: 3
    command: ./member join hello leave
`
	for _, test := range []struct {
		name, stdin string
		args        []string
	}{
		{"inputfile", "", []string{"-np", "6", "in"}},
		{"inputfile without -np", "", []string{"in", "ignored"}},
		{"standard input", in, []string{"-np", "6"}},
		{"YAML", "", []string{"jobs.yaml"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.file("in", in)
			s.file("jobs.yaml", description)
			s.file("launcher", fakeLauncher)
			status, stdout, stderr := s.run(test.stdin, "macprun", test.args...)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d, stderr:\n%s", status, stderr)
			}
			lines := strings.Split(strings.TrimSpace(stdout), "\n")
			sort.Strings(lines)
			for i, line := range lines {
				if want := fmt.Sprintf("rank %d of %d ", i, ranks); len(lines) != ranks || !strings.HasPrefix(line, want) {
					t.Fatalf("output %q; expected each of %d ranks once", lines, ranks)
				}
			}
		})
	}
}

// fakeLauncher is a launcher of an unknown kind: launcher -x -np N command.
const fakeLauncher = `#!/bin/sh
[ "$1" = --version ] && exit 0
[ "$1 $2" = "-x -np" ] || { echo "launcher: wrong options $*" >&2; exit 64; }
n=$3; shift 3; i=0; kids=
while [ $i -lt $n ]; do PMI_RANK=$i PMI_SIZE=$n "$@" & kids="$kids $!"; i=$((i+1)); done
s=0; for k in $kids; do wait $k || s=$?; done
exit $s
`

func TestShellSyntax(t *testing.T) {
	s := newSandbox(t)
	s.file("in", "2\nacprun\nX=1 acprun -smemsize $SIZE\n1\n1\necho \"a  b\" $(echo c) | tr a-c A-C\nsh -c 'echo $ACP_STARTER_MEMSIZE $X' > out; cat out\n")
	s.env = append(s.env, "SIZE=4096")
	status, stdout, stderr := s.run("", "macprun", "in")
	if lines := strings.Split(stdout, "\n"); status != 0 || stderr != "" || len(lines) != 3 ||
		!strings.Contains(stdout, "A  B C\n") || !strings.Contains(stdout, "4096 1\n") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestStarterSizesOfJobs(t *testing.T) {
	s := newSandbox(t)
	s.file("in", "2\nacprun\nacprun -startermemsize 2k\n1\n1\nsh -c 'echo $ACP_JOB $ACP_STARTER_MEMSIZE $ACP_STARTER_MEMSIZE_DL'\nsh -c 'echo $ACP_JOB $ACP_STARTER_MEMSIZE $ACP_STARTER_MEMSIZE_DL'\n")
	_, stdout, stderr := s.run("", "macprun", "-smemsize", "1k", "-smemsize-dl", "0", "in")
	if !strings.Contains(stdout, "0 1024 0\n") || !strings.Contains(stdout, "1 2048 0\n") {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
}

func TestMacprunFailures(t *testing.T) {
	for _, test := range []struct {
		name, first, second string // commands of two acprun jobs of 2
		status              int
		line                string
	}{
		{"killed while others wait", "./member join wait", "./member join 1:kill=9 wait", 137, "macprun: rank 3 (job 1 member-2, host HOST, pid PID) killed by signal 9 (Killed)"},
		{"aborts", "./member join 0:abort wait", "./member join wait", 7, "macprun: rank 0 (job 0 member-1, host HOST, pid PID) aborted: told to"},
		{"ends before acp_init", "./member join wait", "./member 0:exit=0 join wait", 1, "macprun: rank 2 (job 1 member-2, host HOST, pid PID) ended with status 0 before acp_init"},
		{"program not found", "./member join wait", "./missing", 1, "macprun: acprun of job 1 missing (ranks 2-3): rank 2: cannot start ./missing: no such file or directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.file("in", "2\nacprun\nacprun\n2\n2\n"+test.first+"\n"+test.second+"\n")
			status, _, stderr := s.run("", "macprun", "in")
			line := anonymous(oneLine(t, stderr, "macprun:"))
			if status != test.status || line != test.line {
				t.Errorf("status %d, line %q; expected %d, %q\n%s", status, line, test.status, test.line, stderr)
			}
		})
	}
}

// TestProgramCannotBeStarted expects the reason, and that the run ends at once although a rank that has
// already started ignores requests to end.
func TestProgramCannotBeStarted(t *testing.T) {
	s := newSandbox(t)
	s.file("windows", "#!/bin/sh\r\necho hello\r\n")
	s.file("lost", "#!/opt/no/such/shell -e\n")
	s.file("text", "hello\n")
	s.file("data", "hello\n")
	s.file("loader", string(elfWithoutLoader(t)))
	if err := os.Chmod(filepath.Join(s.dir, "data"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ program, want string }{
		{"./missing", "cannot start ./missing: no such file or directory"},
		{"./windows", "cannot start ./windows: no such file or directory: the script has line ends of Windows (sed -i 's/\\r$//' ./windows)"},
		{"./lost", "cannot start ./lost: no such file or directory: its interpreter /opt/no/such/shell is missing"},
		{"./loader", "cannot start ./loader: no such file or directory: the loader or a library that it names is missing"},
		{"./data", "cannot start ./data: permission denied: it is not executable (chmod +x ./data)"},
		{"./text", "cannot start ./text: exec format error: it is no program of this machine, and no script that begins with #!"},
		{"/", "cannot start /: permission denied: it is a directory"},
		{"member", "program member: no such executable in PATH; did you mean ./member?"},
		{"4", "program 4: no such executable in PATH; the number of processes is -np 4"},
		{"cd", "program cd: no such executable in PATH; it is a command of the shell: sh -c 'cd …'"},
		{"A=/x", "program A=/x: no such executable in PATH; variables are set by env: env A=/x program …"},
	} {
		t.Run(test.program, func(t *testing.T) {
			s := *s
			s.t = t
			status, stdout, stderr := s.run("", "acprun", "-np", "2", test.program, "hello")
			if want := "acprun: rank 0: " + test.want + "\n"; status != 1 || stdout != "" || stderr != want {
				t.Errorf("status %d, stdout %q, stderr:\n%sexpected\n%s", status, stdout, stderr, want)
			}
		})
	}
}

// elfWithoutLoader is a program of this machine whose loader does not exist.
func elfWithoutLoader(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	program, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			path := text[part.Off:][:part.Filesz]
			copy(path, bytes.Replace(path, []byte("/l"), []byte("/x"), 1))
			return text
		}
	}
	t.Skip("/bin/sh needs no loader")
	return nil
}

// TestKilledByMacprunIsNotToBlame runs a job in which a process loses its connection and
// hangs, so that macprun kills it and its launcher.
func TestKilledByMacprunIsNotToBlame(t *testing.T) {
	s := newSandbox(t)
	s.file("launcher", fakeLauncher)
	s.file("in", "2\nacprun\n./launcher -x #mpi=other\n1\n1\n./member join wait\n./member stubborn join cut hang\n")
	status, _, stderr := s.run("", "macprun", "in")
	want := regexp.MustCompile(`^macprun: rank 1 \(job 1 \S+, host \S+, pid \d+\) died$`)
	if line := oneLine(t, stderr, "macprun:"); status != 1 || !want.MatchString(line) {
		t.Errorf("status %d, line %q", status, line)
	}
}

// TestAssignmentsBeforeCommands sets variables as a shell does, for every kind of
// launcher.
func TestAssignmentsBeforeCommands(t *testing.T) {
	s := newSandbox(t)
	s.file("launcher", fakeLauncher)
	s.file("show", "#!/bin/sh\necho $A $B\nexec ./member join leave\n")
	s.file("in", "2\nacprun\n./launcher -x #mpi=other\n1\n1\nA=one B='t w o' ./show\nA=1 B=\"$SIZE\" ./show\n")
	s.env = append(s.env, "SIZE=2 3")
	status, stdout, stderr := s.run("", "macprun", "in")
	if status != 0 || stderr != "" || !strings.Contains(stdout, "one t w o\n") || !strings.Contains(stdout, "1 2 3\n") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// TestUnknownLauncher starts a job by a launcher of no known MPI. macprun prints a line about that, and the
// processes get the variables of all MPIs.
func TestUnknownLauncher(t *testing.T) {
	s := newSandbox(t)
	s.file("launcher", fakeLauncher)
	s.file("show", "#!/bin/sh\necho $OMPI_MPI_THREAD_LEVEL $OMPI_MCA_hwloc_base_binding_policy $MPIR_CVAR_DEFAULT_THREAD_LEVEL\nexec ./member join leave\n")
	s.file("in", "1\nnice -n 5 ./launcher -x\n1\n./show\n")
	status, stdout, stderr := s.run("", "macprun", "in")
	line := oneLine(t, stderr, "macprun:")
	if status != 0 || stdout != "3 none MPI_THREAD_MULTIPLE\n" || !strings.Contains(line, "warning: in:2: job 0 show: launcher does not say which MPI it belongs to") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestTimeout(t *testing.T) {
	s := newSandbox(t)
	status, _, stderr := s.run("", "acprun", "--timeout=300ms", "-np", "2", "./member", "stubborn", "hang")
	if line := oneLine(t, stderr, "acprun:"); status != 124 || line != "acprun: time limit of 300ms reached, ending the run" {
		t.Errorf("status %d, line %q", status, line)
	}
}

func TestSignals(t *testing.T) {
	t.Run("interrupt", func(t *testing.T) {
		s := newSandbox(t)
		p := s.start("", "acprun", "-np", "2", "./member", "join", "hello", "wait")
		p.ranks(2)
		_ = p.cmd.Process.Signal(syscall.SIGINT)
		if status := p.wait(); status != 130 || oneLine(t, p.err.String(), "acprun:") != "acprun: signal 2 (Interrupt) received, ending the run" {
			t.Errorf("status %d, stderr %v", status, p.err)
		}
	})
	t.Run("interrupt twice", func(t *testing.T) {
		s := newSandbox(t)
		s.file("in", "2\nacprun\nacprun\n1\n1\n./member stubborn join hello hang\n./member stubborn join hello hang\n")
		p := s.start("", "macprun", "in")
		p.ranks(2)
		_ = p.cmd.Process.Signal(syscall.SIGINT)
		time.Sleep(50 * time.Millisecond) // two signals at once would be one
		begin := time.Now()
		_ = p.cmd.Process.Signal(syscall.SIGINT)
		if status := p.wait(); status != 130 || p.ended.Sub(begin) > signalLimit {
			t.Errorf("status %d after %v; stderr %v", status, p.ended.Sub(begin), p.err)
		}
	})
	t.Run("user signal reaches every process", func(t *testing.T) {
		s := newSandbox(t)
		s.file("catch", "#!/bin/sh\ntrap 'echo caught; exit 0' USR1\necho ready\nwhile :; do sleep 0.05; done\n")
		s.file("in", "2\nacprun\nacprun\n1\n2\n./catch\n./catch\n")
		p := s.start("", "macprun", "in")
		p.await("ready", 3)
		_ = p.cmd.Process.Signal(syscall.SIGUSR1)
		p.await("caught", 3)
		if status := p.wait(); status != 0 {
			t.Errorf("status %d, stderr %v", status, p.err)
		}
	})
	t.Run("stop and continue", func(t *testing.T) {
		s := newSandbox(t)
		p := s.start("", "acprun", "./member", "join", "hello", "wait")
		pid := p.ranks(1)[0]
		_ = p.cmd.Process.Signal(syscall.SIGTSTP)
		awaitState(t, pid, "T")
		awaitState(t, p.cmd.Process.Pid, "T")
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		awaitState(t, pid, "S")
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.wait()
	})
}

// awaitState waits until a process is in a state of /proc/PID/stat.
func awaitState(t *testing.T, pid int, state string) {
	t.Helper()
	deadline := time.Now().Add(testLimit)
	for {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		if fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]); string(fields[0]) == state {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not reach state %s", pid, state)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestLauncherKilled(t *testing.T) {
	for _, launcher := range []string{"acprun", "macprun"} {
		t.Run(launcher, func(t *testing.T) {
			s := newSandbox(t)
			s.file("in", "2\nacprun\nacprun\n1\n2\n./member stubborn join hello hang\n./member stubborn join hello hang\n")
			args := []string{"in"}
			if launcher == "acprun" {
				args = []string{"-np", "3", "./member", "stubborn", "join", "hello", "hang"}
			}
			p := s.start("", launcher, args...)
			p.ranks(3)
			begin := p.kill(p.cmd.Process.Pid)
			<-p.done
			p.awaitNothing(begin)
			t.Logf("all gone after %v", time.Since(begin))
		})
	}
}

// startLeaving starts two ranks, of which rank 0 ends and leaves a process behind without the environment of
// the run. Rank 1 prints a line for each SIGUSR1. It returns when the launcher has noticed the end.
func (s *sandbox) startLeaving(args ...string) *launcherRun {
	s.t.Helper()
	s.file("rank", `#!/bin/sh
if [ "$ACP_JOB_RANK" = 0 ]; then
	env -i sleep 600 &
	exit
fi
trap 'echo signalled' USR1
echo ready
while :; do sleep 0.02; done
`)
	p := s.start("", "acprun", append(args, "-verbose", "./rank")...)
	p.await("ready", 1)
	for deadline := time.Now().Add(testLimit); !strings.Contains(p.err.String(), ") ended with status 0"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("rank 0 has not ended\n%v", p.err)
		}
	}
	return p
}

// TestLauncherKilledAfterRank kills a launcher when a rank has ended that has left a process behind. Only the
// session of the rank shows that the process belongs to the run.
func TestLauncherKilledAfterRank(t *testing.T) {
	p := newSandbox(t).startLeaving("-np", "2")
	// The launcher passes the signal on after it has handled the end of the rank.
	if err := p.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	p.await("signalled", 1)
	begin := p.kill(p.cmd.Process.Pid)
	<-p.done
	p.awaitNothing(begin)
}

// anonymous replaces host name and process ids in a message.
func anonymous(line string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	line = strings.ReplaceAll(line, "host "+host, "host HOST")
	words := strings.SplitAfter(line, " ")
	for i := range words {
		if i > 0 && words[i-1] == "pid " {
			words[i] = "PID" + strings.TrimLeft(words[i], "0123456789")
		}
	}
	return strings.Join(words, "")
}
