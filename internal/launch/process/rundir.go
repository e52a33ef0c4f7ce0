package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// MemoryDir is where Linux has files in memory.
const MemoryDir = "/dev/shm"

// RunDirPrefix begins the name of every private directory of a run. The process id of the
// launcher follows.
const RunDirPrefix = "goacp-"

// MakeRunDir makes the private directory of a run, with mode 0700. The token of the run is in
// it. The directory is in memory if the host has MemoryDir, because MPI puts the files of its
// shared memory into it.
func MakeRunDir() (string, error) {
	pattern := fmt.Sprintf("%s%d-*", RunDirPrefix, os.Getpid())
	dir, err := os.MkdirTemp(MemoryDir, pattern)
	if err != nil {
		dir, err = os.MkdirTemp("", pattern)
	}
	if err != nil {
		return "", fmt.Errorf("private directory of the run: %w", err)
	}
	return dir, nil
}

// IsRunDir reports whether a path can be that of the private directory of a run.
func IsRunDir(path string) bool {
	return filepath.IsAbs(path) && path == filepath.Clean(path) && strings.HasPrefix(filepath.Base(path), RunDirPrefix)
}

// RemoveRunDir removes the private directory of a run, and nothing that is not one. It
// returns the exit status of a process whose last work this is.
func RemoveRunDir(dir string) int {
	if dir == "" || !strings.HasPrefix(filepath.Base(dir), RunDirPrefix) {
		return 0
	}
	if os.RemoveAll(dir) != nil {
		return 1
	}
	return 0
}
