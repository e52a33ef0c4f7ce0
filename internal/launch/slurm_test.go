package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/process"
	"golang.org/x/sys/unix"
)

// fakeSrun is an srun whose hosts are this one. It passes output on by lines, as the real one does, and
// fails if the environment or the options would disturb the output.
const fakeSrun = `#!/bin/bash
[ "$SLURM_OVERLAP$SLURM_WHOLE" = 11 ] && [ -z "$SLURM_LABELIO" ] || { echo "srun: bad environment" >&2; exit 255; }
while [[ $1 == --* ]]; do options+="$1 "; shift; done
case $options in *--nodes=1\ --ntasks=1\ *--nodelist=node*) ;; *) echo "srun: bad options $options" >&2; exit 255 ;; esac
echo "$options" >>calls
exec "$@"
`

// newSlurmSandbox is a sandbox in an allocation of Slurm that has this host and two others.
func newSlurmSandbox(t *testing.T) *sandbox {
	s := newSandbox(t)
	s.file("srun", fakeSrun)
	s.env = append(s.env, "PATH="+s.dir+":"+os.Getenv("PATH"), "SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=localhost,node[1-2]",
		"SLURM_TASKS_PER_NODE=1(x2),2", "SLURM_LABELIO=1")
	return s
}

// TestAllocation: acprun starts as many ranks as the allocation has slots, on its hosts, by srun.
func TestAllocation(t *testing.T) {
	for _, test := range []struct {
		options []string
		ranks   int
		calls   []string // hosts
	}{
		{nil, 4, []string{"node1", "node2"}},
		{[]string{"-n", "2"}, 2, []string{"node1"}},
		{[]string{"-host", "localhost,node2"}, 1, nil},
		{[]string{"-host", "node2"}, 1, []string{"node2"}},
		{[]string{"-host", "node9", "-rsh", "./far"}, 1, nil},
	} {
		s := newSlurmSandbox(t)
		s.file("far", farShell)
		p := s.start("", "acprun", append(test.options, "./member", "join", "hello", "leave")...)
		if status := p.wait(); status != 0 {
			t.Errorf("%v: status %d\n%v\n%v", test.options, status, p.out, p.err)
			continue
		}
		p.ranks(test.ranks)
		text, _ := os.ReadFile(filepath.Join(s.dir, "calls"))
		var calls []string
		for line := range strings.Lines(string(text)) {
			_, host, _ := strings.Cut(strings.TrimSpace(line), "--nodelist=")
			calls = append(calls, host)
		}
		slices.Sort(calls)
		if !slices.Equal(calls, test.calls) {
			t.Errorf("%v: srun was called for %v, expected %v", test.options, calls, test.calls)
		}
	}
}

// TestBadAllocation: invalid variables are an error, unless the user names the hosts.
func TestBadAllocation(t *testing.T) {
	s := newSlurmSandbox(t)
	s.env = append(s.env, "SLURM_JOB_NODELIST=node[2-1]")
	status, _, stderr := s.run("", "acprun", "true")
	const want = `acprun: environment: SLURM_JOB_NODELIST="node[2-1]": expected a list of hosts such as gpu7,node[01-03,08], found "2-1"`
	if line := oneLine(t, stderr, "acprun:"); status == 0 || line != want {
		t.Errorf("status %d, line %q, expected %q", status, line, want)
	}
	if status, _, stderr := s.run("", "acprun", "-host", "localhost", "true"); status != 0 {
		t.Errorf("status %d: %s", status, stderr)
	}
}

// TestKilledProxyIsInherited kills a proxy with everything that it has started, as batch systems do. The
// launcher ends the remaining processes on its host.
func TestKilledProxyIsInherited(t *testing.T) {
	s := newFarSandbox(t)
	p := s.start("", "acprun", "-np", "2", "-host", "localhost,far1", "./member", "stubborn", "join", "hello", "hang")
	pids := p.ranks(2)
	proxy := parentOf(t, pids[1])
	dirs, err := filepath.Glob(fmt.Sprintf("/dev/shm/goacp-%d-*", proxy))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("the proxy has the directories %v, %v", dirs, err)
	}
	family := descendants(t, proxy)
	if len(family) < 2 {
		t.Fatalf("the proxy has the descendants %v, expected its cleaner and a rank", family)
	}
	for _, pid := range append(family, proxy) {
		_ = unix.Kill(pid, unix.SIGSTOP)
	}
	begin := time.Now()
	for _, pid := range append(family, proxy) {
		p.kill(pid)
	}
	if status := p.wait(); status == 0 {
		t.Errorf("status 0, stderr:\n%v", p.err)
	}
	p.awaitNothing(begin)
	if _, err := os.Stat(dirs[0]); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", dirs[0], err)
	}
}

// parentOf returns the parent of a process.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	all, err := process.HostProc.Processes()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(p process.Info) bool { return p.PID == pid })
	if at < 0 {
		t.Fatalf("there is no process %d", pid)
	}
	return all[at].Parent
}
