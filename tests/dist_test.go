package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDist: the archive of make dist is the same each time, and its source builds without a network and without modules
// of the user.
func TestDist(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	sandbox.Limit = 4 * time.Minute
	sandbox.UseGoCaches()
	first, second := filepath.Join(sandbox.Dir, "first.tar.gz"), filepath.Join(sandbox.Dir, "second.tar.gz")
	for _, archive := range []string{first, second} {
		sandbox.Must("/bin/sh", "-c", `cd "$0" && make --no-print-directory -o config.mk dist DIST="$1"`, suite.Source(), archive)
	}
	sandbox.Must("/bin/sh", "-c", `cmp "$0" "$1"`, first, second)
	for line := range strings.Lines(sandbox.Must("/bin/tar", "-tzf", first)) {
		if name := strings.TrimSpace(line); !strings.HasPrefix(name, "goacp-") || strings.Contains(name, "/build/") || strings.Contains(name, "/.git/") {
			t.Errorf("the archive has %s", name)
		}
	}
	sandbox.Must("/bin/tar", "-xzf", first)
	folders, err := filepath.Glob(filepath.Join(sandbox.Dir, "goacp-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %q, %v", folders, err)
	}
	sandbox.Env = append(sandbox.Env, "GOPROXY=off", "GOFLAGS=-trimpath", "GOMODCACHE="+filepath.Join(sandbox.Dir, "no-modules"))
	sandbox.Must("/bin/sh", "-c", `cd "$0" && ./configure --without-mpi --without-fortran && make --no-print-directory commands wrappers manual`, folders[0])
	if out := sandbox.Must(filepath.Join(folders[0], "build", "bin", "acprun"), "-version"); !strings.HasPrefix(out, "acprun (GoACP)") {
		t.Errorf("acprun prints %q", out)
	}
	if err := os.RemoveAll(folders[0]); err != nil {
		t.Fatal(err)
	}
}
