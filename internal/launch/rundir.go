package launch

import (
	"fmt"
	"os"
)

// memoryDir is where shared memory lives on Linux.
const memoryDir = "/dev/shm"

// runDirPrefix begins the name of every such directory.
const runDirPrefix = "goacp-"

// makeRunDir makes the private directory of a run: mode 0700, in memory if the
// host has such a place, because MPI puts the files behind its shared memory
// there.
func makeRunDir() (string, error) {
	dir, err := os.MkdirTemp(memoryDir, runDirPrefix)
	if err != nil {
		dir, err = os.MkdirTemp("", runDirPrefix)
	}
	if err != nil {
		return "", fmt.Errorf("private directory of the run: %w", err)
	}
	return dir, nil
}
