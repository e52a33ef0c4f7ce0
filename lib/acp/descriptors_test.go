//go:build cgo

package libacp

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// checkUntouched checks that nothing has been written to the files in dir.
func checkUntouched(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err != nil || len(text) != 0 {
			t.Errorf("file %s: %q, %v", e.Name(), text, err)
		}
	}
}

// TestClosedDescriptors: a process that closes the descriptors of the library ends, and the files
// that it opens under their numbers do not change.
func TestClosedDescriptors(t *testing.T) {
	path := program(t, "descriptors")
	line := []string{"acp: the program has closed descriptors of the library, which cannot go on"}
	for _, run := range []struct {
		net   string
		ranks int
	}{{"shm", 1}, {"shm", 2}, {"tcp", 2}} {
		env := []string{"ACP_NET=" + run.net}
		t.Run(fmt.Sprintf("quiet/%s/%d", run.net, run.ranks), func(t *testing.T) {
			dir := t.TempDir()
			results := together(t, run.ranks, env, path, "quiet", dir)
			checkLine(t, results[run.ranks-1], "", abortStatus, line)
			checkOthers(t, results[:run.ranks-1])
			checkUntouched(t, dir)
		})
		// While other threads are busy, the Go runtime may be the first to notice.
		t.Run(fmt.Sprintf("busy/%s/%d", run.net, run.ranks), func(t *testing.T) {
			dir := t.TempDir()
			results := together(t, run.ranks, env, path, "busy", dir)
			if e := results[run.ranks-1]; e.status <= 0 {
				t.Errorf("%v", e)
			}
			checkOthers(t, results[:run.ranks-1])
			checkUntouched(t, dir)
		})
	}
	t.Run("again", func(t *testing.T) {
		allWell(t, []ended{alone(t, nil, path, "again", t.TempDir())}, "")
	})
}
