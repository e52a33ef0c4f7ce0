package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// logged returns the contents of the files of a log, by the end of the names.
func logged(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(entry.Name(), "log-")] = string(text)
	}
	return files
}

// checkLog compares the names of the files of a log with the keys of a map, and the contents of each with its
// pattern.
func checkLog(t *testing.T, files, want map[string]string) {
	t.Helper()
	for name, pattern := range want {
		if !regexp.MustCompile(pattern).MatchString(files[name]) {
			t.Errorf("the file of %s does not match %q: %q", name, pattern, files[name])
		}
	}
	if len(files) != len(want) {
		t.Errorf("%d files, expected %d: %v", len(files), len(want), files)
	}
}

// TestDebugFiles: each rank and each launcher has a file with the lines of exactly the selected layers. Standard
// error has none of them.
func TestDebugFiles(t *testing.T) {
	sandbox := suite.Sandbox(t)
	dir := t.TempDir()
	r := sandbox.Run("", "acprun", "-debug-layers", "rendezvous,route", "-debug-file", dir+"/log-%r", "-net", "tcp", "-np", "2", suite.Example(t, "hello_world_acp"))
	if r.Status != 0 || strings.Contains(r.Stderr, "route:") {
		t.Error(r)
	}
	files := logged(t, dir)
	rank := func(own, other string) string {
		return `^\S+ \S+:\d+: rendezvous: started by a launcher of ACP(?s:.*) rank ` + own + `: route: to rank ` + other + `: tcp, by network tcp\n`
	}
	checkLog(t, files, map[string]string{
		"acprun": `^\S+ acprun: rendezvous: listens at 127\.0\.0\.1:\d+(?s:.*) rank 1 has left in order\n`, "0": rank("0", "1"), "1": rank("1", "0"),
	})
	for name, text := range files {
		if regexp.MustCompile(`: (launch|tcp|shm|liveness|bridge): `).MatchString(text) {
			t.Errorf("the file of %s has lines of other layers: %s", name, text)
		}
	}
}

// TestDebugHosts: variables select the log of ranks and proxies on other hosts, and their lines arrive through
// the launcher.
func TestDebugHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	sandbox.Env = append([]string{"ACP_DEBUG=all"}, sandbox.Env...)
	r := sandbox.Run("", "acprun", "-nodefile", sandbox.Nodefile(0, 1), "-np", "2", suite.Example(t, "hello_world_acp"))
	if r.Status != 0 {
		t.Fatal(r)
	}
	for _, line := range []string{
		`acprun: remote: host host1: the remote shell is .*: the user has chosen it`,
		`proxy on \S+: remote: started rank 1 of the job: pid \d+: `,
		`rank 1: route: to rank 0: tcp, by network auto, not shm: the ranks are on different hosts`,
		`rank [01]: tcp: connected with rank [01]: `,
	} {
		if !regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{6} ` + line).MatchString(r.Stderr) {
			t.Errorf("no line %q in\n%s", line, r.Stderr)
		}
	}
}

// TestDebugUnknown: a layer that does not exist is an error that names all layers, of launchers and of programs
// that they have not started.
func TestDebugUnknown(t *testing.T) {
	sandbox := suite.Sandbox(t)
	program := suite.Example(t, "hello_world_acp")
	const want = `there is no layer "rout"; expected some of launch, remote, rendezvous, bridge, route, tcp, shm, rma, liveness, couple`
	if r := sandbox.Run("", "acprun", "-debug-layers", "route,rout", "-np", "2", program); r.Status != 2 || !strings.Contains(r.Stderr, want) {
		t.Error(r)
	}
	sandbox.Env = append(sandbox.Env, "ACP_DEBUG=rout")
	if r := sandbox.Run("", program); r.Status == 0 || !strings.Contains(r.Stderr, "ACP_DEBUG: "+want) {
		t.Error(r)
	}
}
