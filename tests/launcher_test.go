package tests

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestWrongUse checks the messages of the launchers to the user: one line with place and reason, and
// status 2. The complete table is in internal/launch.
func TestWrongUse(t *testing.T) {
	for _, c := range []struct {
		name    string
		input   string // inputfile, if not ""
		args    []string
		message string
	}{
		{"unknown option", "", []string{"acprun", "-nq", "2", "true"}, `acprun: option -nq: unknown to acprun; did you mean -np?\?`},
		{"no program", "", []string{"acprun", "-np", "2"}, `acprun: no program given; usage: .*`},
		{"zero processes", "", []string{"acprun", "-np", "0", "true"}, `acprun: option -np: .*`},
		{"no number", "", []string{"macprun", "--acp-np=many"}, `macprun: option --acp-np: .*many.*`},
		{"unknown network", "", []string{"acprun", "-net", "ethernet", "true"}, `acprun: option -net: .*ethernet.*`},
		{"no nodefile", "", []string{"acprun", "-nodefile", "missing", "true"}, `acprun: missing: cannot be read: no such file or directory`},
		{"count", "two\n", []string{"macprun", "inputfile"}, `macprun: inputfile:1: .*"two".*`},
		{"size", "# jobs\n1\nacprun\n\n-3\ntrue\n", []string{"macprun", "inputfile"}, `macprun: inputfile:5: .*-3.*`},
		{"too short", "2\nacprun\nacprun\n1\n1\ntrue\n", []string{"macprun", "inputfile"}, `macprun: inputfile:\d+: .*`},
		{"sum", "1\nacprun\n2\ntrue\n", []string{"macprun", "-np", "3", "inputfile"}, `macprun: .*\b2\b.*\b3\b.*|macprun: .*\b3\b.*\b2\b.*`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			if c.input != "" {
				sandbox.Write("inputfile", c.input)
			}
			r := sandbox.Run("", c.args...)
			if ok, err := regexp.MatchString(`^(`+c.message+`)\n$`, r.Stderr); err != nil || !ok || r.Status != 2 || r.Stdout != "" {
				t.Errorf("expected status 2 and %q: %v", c.message, r)
			}
		})
	}
}

// TestWrongLauncher starts a program of one MPI by the launcher of another MPI. MPI then gives each
// process a separate world.
func TestWrongLauncher(t *testing.T) {
	t.Parallel()
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	sandbox := suite.Sandbox(t)
	// Open MPI may leave files behind when a program ends so early; the test does not check that.
	dir := t.TempDir()
	sandbox.Env = append(sandbox.Env, "TMPDIR="+dir, "OMPI_MCA_btl_sm_backing_directory="+dir)
	for _, c := range []struct{ mpirun, program string }{
		{sandbox.Mpirun(openmpi), suite.CMPI(t, "initorder", mpich)},
		{sandbox.Mpirun(mpich), suite.CMPI(t, "initorder", openmpi)},
	} {
		r := sandbox.Run("", "/bin/sh", "-c", c.mpirun+" -np 2 "+c.program+" before acp")
		if r.Status == 0 || !strings.Contains(r.Stderr, "Open MPI") || !strings.Contains(r.Stderr, "MPICH") {
			t.Errorf("expected a message that names both: %v", r)
		}
	}
}

// TestExitStatus expects the exit status of the first process that fails.
func TestExitStatus(t *testing.T) {
	sandbox := suite.Sandbox(t)
	if r := sandbox.Run("", "acprun", "-np", "3", "sh", "-c", `test $ACP_JOB_RANK != 1 || exit 7`); r.Status != 7 {
		t.Errorf("expected status 7: %v", r)
	}
	if r := sandbox.Run(jobs(job{"acprun", 2, "true"}, job{"acprun", 1, "sh -c 'exit 9'"}), "macprun"); r.Status != 9 {
		t.Errorf("expected status 9: %v", r)
	}
}

// TestArguments expects that words arrive as they were written, here and on another
// host, where a remote shell handles them.
func TestArguments(t *testing.T) {
	words := []string{"", "a b", "'single'", `"double"`, "$HOME", "*", `back\slash`, "semi;colon", "-np", "ä\tö"}
	want := fmt.Sprintf("%d", len(words))
	for _, w := range words {
		want += "|" + w
	}
	command := append([]string{"sh", "-c", `printf '%s' $#; printf '|%s' "$@"; echo`, "name"}, words...)
	t.Run("here", func(t *testing.T) {
		lines(t, suite.Sandbox(t).Must(append([]string{"acprun", "-np", "1"}, command...)...), regexp.QuoteMeta(want)+"$")
	})
	t.Run("on another host", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		lines(t, sandbox.Must(append([]string{"acprun", "-np", "1", "-host", "host1"}, command...)...), regexp.QuoteMeta(want)+"$")
	})
}

// TestOutput lets many processes write long lines at once. All lines arrive whole, and each has the
// tag of its rank.
func TestOutput(t *testing.T) {
	const np, count, width = 7, 200, 3000
	script := fmt.Sprintf(`line=$(head -c %d /dev/zero | tr '\0' $ACP_JOB_RANK); i=0; while [ $i -lt %d ]; do echo "$line"; i=$((i+1)); done`, width, count)
	out := suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-tag-output", "sh", "-c", script)
	seen := make([]int, np)
	for line := range strings.Lines(out) {
		for rank := range np {
			if line == fmt.Sprintf("[%d] %s\n", rank, strings.Repeat(strconv.Itoa(rank), width)) {
				seen[rank]++
			}
		}
	}
	for rank, n := range seen {
		if n != count {
			t.Errorf("%d whole lines of rank %d, expected %d", n, rank, count)
		}
	}
}

// TestInput expects that standard input goes to rank 0 alone.
func TestInput(t *testing.T) {
	out := suite.Sandbox(t).MustRead("one\ntwo\n", "acprun", "-np", "3", "-tag-output", "sh", "-c", "cat; echo end")
	lines(t, out, `\[0\] one$`, `\[0\] two$`, `\[0\] end$`, `\[1\] end$`, `\[2\] end$`)
}

// TestTimeout ends a run that lasts too long with status 124.
func TestTimeout(t *testing.T) {
	sandbox := suite.Sandbox(t)
	r := sandbox.Run(jobs(job{"acprun", 2, suite.C(t, "waiting")}), "macprun", "-timeout", "1")
	if r.Status != 124 {
		t.Errorf("expected status 124: %v", r)
	}
}

// TestSignals expects that a signal to the launcher reaches the program, and that the second Ctrl-C
// ends a program that ignores the first.
func TestSignals(t *testing.T) {
	t.Run("forwarded", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		script := sandbox.Script("script", `trap 'echo got it; exit 3' USR1; echo rank $ACP_JOB_RANK pid $$; while :; do sleep 0.05; done`)
		run := sandbox.Start("acprun", "-np", "2", script)
		ready(t, run, 2)
		run.Signal(syscall.SIGUSR1)
		if r := run.Wait(); strings.Count(r.Stdout, "got it\n") != 2 || r.Status != 3 {
			t.Errorf("expected that both got it, and status 3: %v", r)
		}
	})
	t.Run("Ctrl-C twice", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		run := sandbox.StartRead(strings.NewReader(jobs(
			job{"acprun", 2, `sh -c 'trap "" INT TERM; echo rank $ACP_JOB_RANK pid $$; while :; do sleep 0.05; done'`})), "macprun")
		ready(t, run, 2)
		sandbox.Processes()
		run.Signal(syscall.SIGINT)
		time.Sleep(100 * time.Millisecond) // the kernel would merge two equal signals
		since := time.Now()
		run.Signal(syscall.SIGINT)
		sandbox.GoneWithin(since, afterRank)
		if r := run.Wait(); r.Status == 0 {
			t.Errorf("ended with status 0: %v", r)
		}
	})
}

// TestDescription runs jobs described in YAML.
func TestDescription(t *testing.T) {
	sandbox := suite.Sandbox(t)
	program := suite.Example(t, "hello_world_acp")
	if err := os.Mkdir(sandbox.Dir+"/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	sandbox.Write("jobs.yaml", fmt.Sprintf(`startermemsize: 16k
jobs:
  - launcher: acprun
    np: 1
    command: %[1]s
  - launcher: acprun
    np: 2
    env:
      GREETING: good morning
    dir: sub
    command: sh -c 'echo "$GREETING from ${PWD##*/}"; exec %[1]s'
`, program))
	out := sandbox.Must("macprun", "jobs.yaml")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(lines)
	want := []string{"good morning from sub", "good morning from sub"}
	if len(lines) != 5 || !slices.Equal(lines[:2], want) {
		t.Errorf("expected two greetings from sub and three ranks:\n%s", out)
	}
}

// TestVerbose checks that macprun prints the fabric of each pair of jobs.
func TestVerbose(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	program := suite.Example(t, "hello_world_acp")
	r := sandbox.Run(jobs(job{"acprun", 2, program}, job{"acprun", 1, program}), "macprun", "-verbose", "-nodefile", sandbox.Nodefile(0, 0, 1))
	if r.Status != 0 || !strings.Contains(r.Stderr, "shm") || !strings.Contains(r.Stderr, "tcp") {
		t.Errorf("expected that shm and tcp are named: %v", r)
	}
}
