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
	place := suite.Place(t)
	place.Limit = 4 * time.Minute
	place.UseGoCaches()
	first, second := filepath.Join(place.Dir, "first.tar.gz"), filepath.Join(place.Dir, "second.tar.gz")
	for _, archive := range []string{first, second} {
		place.Must("/bin/sh", "-c", `cd "$0" && make --no-print-directory -o config.mk dist DIST="$1"`, suite.Source(), archive)
	}
	place.Must("/bin/sh", "-c", `cmp "$0" "$1"`, first, second)
	for line := range strings.Lines(place.Must("/bin/tar", "-tzf", first)) {
		if name := strings.TrimSpace(line); !strings.HasPrefix(name, "goacp-") || strings.Contains(name, "/build/") || strings.Contains(name, "/.git/") {
			t.Errorf("the archive has %s", name)
		}
	}
	place.Must("/bin/tar", "-xzf", first)
	folders, err := filepath.Glob(filepath.Join(place.Dir, "goacp-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %q, %v", folders, err)
	}
	place.Env = append(place.Env, "GOPROXY=off", "GOFLAGS=-trimpath", "GOMODCACHE="+filepath.Join(place.Dir, "no-modules"))
	place.Must("/bin/sh", "-c", `cd "$0" && ./configure --without-mpi --without-fortran && make --no-print-directory commands wrappers manual`, folders[0])
	if out := place.Must(filepath.Join(folders[0], "build", "bin", "acprun"), "-version"); !strings.HasPrefix(out, "acprun (GoACP)") {
		t.Errorf("acprun prints %q", out)
	}
	if err := os.RemoveAll(folders[0]); err != nil {
		t.Fatal(err)
	}
}
