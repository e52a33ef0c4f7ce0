package mpilauncher

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/stdio"
)

func TestFindBeside(t *testing.T) {
	dir := t.TempDir()
	program := func(parts ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	inPath, besideLink, besideFile := program("path", "server"), program("links", "server"), program("mpi", "bin", "server")
	mpirun := program("mpi", "bin", "mpirun")
	link := filepath.Join(dir, "links", "mpirun")
	if err := os.Symlink(mpirun, link); err != nil {
		t.Fatal(err)
	}
	alone := program("alone", "mpirun")
	env := []string{"PATH=" + filepath.Dir(inPath) + ":" + filepath.Dir(link)}
	for launcher, want := range map[string]string{
		mpirun: besideFile, link: besideLink, "mpirun": besideLink, alone: inPath, "missing": inPath,
	} {
		if got, err := findBeside(launcher, "server", env); err != nil || got != want {
			t.Errorf("beside %s: %s, %v; expected %s", launcher, got, err, want)
		}
	}
	if err := os.Remove(besideLink); err != nil {
		t.Fatal(err)
	}
	if got, err := findBeside(link, "server", env); err != nil || got != besideFile {
		t.Errorf("beside the file behind a link: %s, %v", got, err)
	}
	if _, err := findBeside(alone, "server", nil); err == nil || !strings.Contains(err.Error(), "no server beside") {
		t.Errorf("nowhere: %v", err)
	}
}

// TestJoinServers starts servers, some of which fail.
func TestJoinServers(t *testing.T) {
	for _, c := range []struct {
		name, script, mode string
		limit              time.Duration
		want               string // of the error, or nothing
		address            string
	}{
		{"good version", "case $1 in --version) echo 'serve (PRRTE) 2.0.1';; *) echo at 1; exec sleep 60;; esac", "rma", time.Minute, "", "1"},
		{"bad version", "case $1 in --version) echo 'serve (PRRTE) 1.0.1';; *) echo at 1; exec sleep 60;; esac", "rma", time.Minute, "1.0.1 is bad", ""},
		{"bad version not needed", "case $1 in --version) echo 'serve (PRRTE) 1.0.1';; *) echo at 1; exec sleep 60;; esac", "auto", time.Minute, "", ""},
		{"ready", "echo waiting; echo at 1234; exec sleep 60", "rma", time.Minute, "", "1234"},
		{"not needed", "echo ----; echo no room; exit 3", "auto", time.Minute, "", ""},
		{"it fails", "echo ----; echo; echo no room; echo for all >&2; exit 3", "rma", time.Minute, "ended before it was ready: no room for all", ""},
		{"it is silent", "exit 3", "rma", time.Minute, "ended before it was ready", ""},
		{"it hangs", "exec sleep 60", "rma", 50 * time.Millisecond, "was not ready within 50ms", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			mode, err := bridge.ParseMode(c.mode)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "serve"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			alone := plan.Job{Line: "alone"}
			servers := serving(t, []plan.Job{{Launcher: filepath.Join(dir, "mpirun"), Line: "in DVM", WithoutDVM: &alone, Mode: mode}})
			s := &joinServer{kind: "server", program: "serve", release: "Open MPI 6", jobs: []int{0}, limit: c.limit,
				announces: func(line string) (string, bool) { return strings.CutPrefix(line, "at ") }}
			if strings.Contains(c.name, "version") {
				s.refuses = func(version string) error {
					if strings.HasPrefix(version, "1.") {
						return errors.New(version + " is bad")
					}
					return nil
				}
			}
			err = servers.startAll([]*joinServer{s})
			if (err == nil) != (c.want == "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v; expected %q", err, c.want)
			}
			if s.address != c.address || slices.Contains(servers.servers, s) != (c.address != "") {
				t.Errorf("address %q, servers %v", s.address, servers.servers)
			}
			if started := servers.Plan.Jobs[0].Line == "in DVM"; started != (c.address != "" || c.want != "") {
				t.Errorf("the job's line is %q", servers.Plan.Jobs[0].Line)
			}
		})
	}
}

// TestSignalEndsStartOfJoinServer sends two signals while a server starts. The first does not end
// the run. The second does, also if the jobs could do without the server.
func TestSignalEndsStartOfJoinServer(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "serve"), []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	servers := serving(t, []plan.Job{{Launcher: filepath.Join(dir, "mpirun")}})
	signals := make(chan os.Signal, 2)
	signals <- syscall.SIGUSR1
	signals <- syscall.SIGTERM
	ended := errors.New("the run ends")
	servers.Signals, servers.HandleSignal = signals, func(sig os.Signal) error {
		if sig == syscall.SIGTERM {
			return ended
		}
		return nil
	}
	s := &joinServer{kind: "server", program: "serve", jobs: []int{0}, limit: time.Hour,
		announces: func(string) (string, bool) { return "", false }}
	if err := servers.startAll([]*joinServer{s}); err != ended {
		t.Errorf("%v; expected %v", err, ended)
	}
}

// serving returns the join servers of a run, and ends them with the test.
func serving(t *testing.T, jobs []plan.Job) *JoinServers {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	children, err := process.NewChildren(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left := children.Scope.EndAll(0, 5*time.Second); left != 0 {
			t.Errorf("%d processes are left", left)
		}
		children.Stop()
		null.Close()
	})
	return &JoinServers{Plan: &plan.Plan{Jobs: jobs}, Environ: os.Environ(), JobEnviron: func(bool) []string { return os.Environ() },
		Console: stdio.NewConsole("macprun", false, null, null, null), Children: children, Post: func(func()) {}}
}
