//go:build mpi

package mpitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/mpi"
)

// NameServer starts what jobs with their own mpirun need to meet, until the test
// ends, and returns the options that tell an mpirun of it. The test is skipped if
// it cannot be had.
func NameServer(t *testing.T) []string {
	t.Helper()
	if mpi.Vendor().Name != "Open MPI" {
		return nil // the port is enough
	}
	path, err := exec.LookPath("ompi-server")
	if err != nil {
		t.Skip(err)
	}
	uri := filepath.Join(t.TempDir(), "uri")
	server := begin(t, []string{path, "--no-daemonize", "-r", uri}, environment())
	t.Cleanup(func() {
		server.signal(syscall.SIGTERM)
		if out, err := server.Wait(); t.Failed() {
			t.Logf("ompi-server: %v\n%s", err, out)
		}
	})
	for deadline := time.Now().Add(endLimit); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(uri); err == nil && info.Size() > 0 {
			return []string{"--ompi-server", "file:" + uri}
		}
		if time.Now().After(deadline) {
			t.Fatal("ompi-server did not say where it is")
		}
	}
}
