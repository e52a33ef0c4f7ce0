package process

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestRemoveDeadRuns removes directories that no process locks, unless they may belong to runs that begin, or
// to earlier releases.
func TestRemoveDeadRuns(t *testing.T) {
	place := t.TempDir()
	t.Setenv("TMPDIR", place)
	if !lockedHere(place) {
		t.Skipf("%s is on a file system that other hosts may use", place)
	}
	long := time.Now().Add(-2 * lockingLimit)
	lock := func(dir string) { // until the end of the test
		f, err := lockRunDir(dir, unix.LOCK_SH)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
	}
	fill := func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "token"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age := func(dir string) {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{}
	for _, test := range []struct {
		name    string
		prepare []func(dir string)
		removed bool
	}{
		{"goacp-1-0123456789abcdef", []func(string){fill}, true},
		{"goacp-2-0123456789abcdef", []func(string){fill, lock}, false},
		{"goacp-3-0123456789abcdef", nil, false},
		{"goacp-4-0123456789abcdef", []func(string){age}, true},
		{"goacp-5-0123456789abcdef", []func(string){age, lock}, false},
		{"goacp-6-4294967295", []func(string){fill, age}, false},
		{"goacp-demo-pictures", []func(string){fill, age}, false},
	} {
		dir := filepath.Join(place, test.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, f := range test.prepare {
			f(dir)
		}
		want[dir] = test.removed
	}
	var reported []string
	RemoveDeadRuns(func(dir string, err error) {
		if err != nil {
			t.Error(err)
		}
		reported = append(reported, dir)
	})
	for dir, removed := range want {
		if _, err := os.Lstat(dir); os.IsNotExist(err) != removed || slices.Contains(reported, dir) != removed {
			t.Errorf("%s: %v, reported %v; expected removed: %v", filepath.Base(dir), err, slices.Contains(reported, dir), removed)
		}
	}
}
