package launch

import (
	"fmt"
	"os"
)

// memoryDir is where shared memory lives on Linux.
const memoryDir = "/dev/shm"

// runDirPrefix begins the name of every such directory; the process id of the
// launcher follows.
const runDirPrefix = "goacp-"

// makeRunDir makes the private directory of a run: mode 0700, in memory if the
// host has such a place, because MPI puts the files behind its shared memory
// there.
func makeRunDir() (string, error) {
	pattern := fmt.Sprintf("%s%d-*", runDirPrefix, os.Getpid())
	dir, err := os.MkdirTemp(memoryDir, pattern)
	if err != nil {
		dir, err = os.MkdirTemp("", pattern)
	}
	if err != nil {
		return "", fmt.Errorf("private directory of the run: %w", err)
	}
	return dir, nil
}
