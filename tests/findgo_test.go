package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fakeGo makes a go command and returns its folder. The command has a version. In the folder of a
// module it has the version env, or "" if it cannot fetch that of go.mod.
func fakeGo(t *testing.T, version, env string) string {
	t.Helper()
	text := fmt.Sprintf(`#!/bin/sh
case $1 in
version) echo "go version go%s linux/amd64" ;;
env) echo 'go: download go9.9: toolchain not available' >&2; [ -n '%[2]s' ] && echo 'go%[2]s' ;;
esac
`, version, env)
	return stubs(t, text, "go")
}

// stubs makes commands that run a script, and returns their folder.
func stubs(t *testing.T, script string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// neededGo returns the version of Go that go.mod requires.
func neededGo(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(suite.Source("go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(text))[1]
}

// TestFindGo: findgo takes the first command of the search path that can build GoACP.
func TestFindGo(t *testing.T) {
	for _, c := range []struct {
		name, version, env string
		complaint          string // "" if the command is to be taken
	}{
		{"new", "9.9.1", "9.9.1", ""},
		{"exact", neededGo(t), neededGo(t), ""},
		{"fetches", "1.21.4", neededGo(t), ""},
		{"cannot fetch", "1.24.1", "", "version 1.24.1, which could not fetch a newer one"},
		{"fetches too old a version", "1.24.1", "1.25.0", "version 1.24.1, which could not fetch a newer one"},
		{"old", "1.19.8", "1.19.8", "version 1.19.8:"},
		{"unknown", "devel", "9.9.1", "which is no Go command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := fakeGo(t, c.version, c.env)
			cmd := exec.Command(suite.Source("build-aux", "findgo"), "no-such-go", "go")
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			out, err := cmd.Output()
			if c.complaint == "" {
				if want := filepath.Join(dir, "go") + "\n"; err != nil || string(out) != want {
					t.Errorf("found %q, %v; expected %q", out, err, want)
				}
				return
			}
			if err == nil {
				t.Errorf("took %s", out)
			}
			checkGoLine(t, string(out), c.complaint)
		})
	}
	t.Run("missing", func(t *testing.T) {
		out, err := exec.Command(suite.Source("build-aux", "findgo"), "no-such-go", "/nowhere/go").Output()
		if err == nil {
			t.Errorf("took %s", out)
		}
		checkGoLine(t, string(out), "found none (no-such-go /nowhere/go)")
	})
}

// checkGoLine: the text is one line with the version found, the version needed, and the remedy.
func checkGoLine(t *testing.T, text, found string) {
	t.Helper()
	for _, part := range []string{found, "Go " + neededGo(t) + " or later is needed", "unpack", "GO=/path/to/go"} {
		if !strings.Contains(text, part) {
			t.Errorf("found %q, expected that it says %q", text, part)
		}
	}
	if strings.Count(text, "\n") != 1 {
		t.Errorf("expected one line, found %q", text)
	}
}

// TestOldGo: configure, bootstrap and make stop at a Go command that is too old, with one line.
func TestOldGo(t *testing.T) {
	old := filepath.Join(fakeGo(t, "1.19.8", ""), "go")
	// Everything that bootstrap needs exists, so it installs nothing.
	there := stubs(t, "#!/bin/sh\n", "gcc", "g++", "mpicc.openmpi", "mpirun.openmpi", "mpicc.mpich", "mpirun.mpich", "ip", "ps", "unshare")
	for _, c := range []struct {
		name   string
		argv   []string
		prefix string
	}{
		{"configure", []string{"./configure"}, "configure: "},
		{"configure with an argument", []string{"./configure", "GO=" + old}, "configure: "},
		{"bootstrap", []string{"./bootstrap"}, "bootstrap: "},
		{"make", []string{"make", "--no-print-directory", "-o", "config.mk", "commands", "GO=" + old}, "make: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite.Bin(t, "acpcc") // make needs config.mk
			cmd := exec.Command(c.argv[0], c.argv[1:]...)
			cmd.Dir = suite.Source()
			cmd.Env = append(os.Environ(), "GO="+old, "PATH="+there+":"+os.Getenv("PATH"))
			var errors strings.Builder
			cmd.Stderr = &errors
			if err := cmd.Run(); err == nil {
				t.Error("expected that it fails")
			}
			// make adds which of its rules has failed.
			first, _, _ := strings.Cut(errors.String(), "\n")
			checkGoLine(t, first+"\n", c.prefix+"Go ")
			checkGoLine(t, first+"\n", "found "+old+", version 1.19.8:")
		})
	}
}
