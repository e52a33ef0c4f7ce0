package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/memlimit"
	"golang.org/x/sys/unix"
)

// TestMemoryLimit: of two ranks in a control group with a memory limit, one allocates more
// than the limit leaves in the heaps of both. It gets null addresses, and no rank is killed.
func TestMemoryLimit(t *testing.T) {
	withoutHugePages(t) // with them the processes use up to 50 MiB of the limit for themselves
	program := suite.C(t, "limited")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			inside := sandbox.Script("inside", fmt.Sprintf("echo $$ >'%s/cgroup.procs'\nexec \"$@\"\n", memoryGroup(t, 256<<20)))
			sandbox.Must(inside, "acprun", "-np", "2", "-net", net, "-smemsize", "1m", "-smemsize-dl", "512m", program)
		})
	}
}

// withoutHugePages starts processes without huge pages until the end of the test, whatever the kernel does by default.
func withoutHugePages(t *testing.T) {
	t.Helper()
	disable := func(yes uintptr) {
		if err := unix.Prctl(unix.PR_SET_THP_DISABLE, yes, 0, 0, 0); err != nil {
			t.Errorf("huge pages: %v", err)
		}
	}
	disable(1)
	t.Cleanup(func() { disable(0) })
}

// memoryGroup makes a control group with a memory limit and without swap space, for the
// time of the test.
func memoryGroup(t *testing.T, limit int64) string {
	t.Helper()
	groups := memlimit.Find(os.DirFS("/"), "self")
	if len(groups) == 0 {
		t.Skip("no control groups for memory")
	}
	var failed []error
	// In version 2 a group with processes cannot have children with a limit. So the test makes a
	// sibling of its own group.
	for _, parent := range groups[:min(2, len(groups))] {
		dir := filepath.Join("/", parent.Dir, fmt.Sprintf("acptest-%d", os.Getpid()))
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			if err = setLimit(dir, parent.Unified, limit); err == nil {
				t.Cleanup(func() { removeGroup(t, dir) })
				return dir
			}
			removeGroup(t, dir)
		}
		failed = append(failed, err)
	}
	t.Skipf("no control group with a memory limit: %v", errors.Join(failed...))
	return ""
}

func setLimit(dir string, unified bool, limit int64) error {
	memory, swap, most := "memory.max", "memory.swap.max", int64(0)
	if !unified {
		memory, swap, most = "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", limit
	}
	if err := os.WriteFile(filepath.Join(dir, memory), fmt.Append(nil, limit), 0); err != nil {
		return err
	}
	err := os.WriteFile(filepath.Join(dir, swap), fmt.Append(nil, most), 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) { // the kernel does not limit swap space
		return nil
	}
	return err
}

// removeGroup removes a group, which may take until its last process has ended.
func removeGroup(t *testing.T, dir string) {
	t.Helper()
	var err error
	for range 100 {
		if err = os.Remove(dir); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("control group left: %v", err)
}
