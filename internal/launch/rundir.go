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
// there. The file with the token of the run is there too.
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

// removeUnused removes the private directory of a run that does not start, if there
// is one, and returns why it does not.
func removeUnused(dir string, why error) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("%w; and %w", why, err)
	}
	return why
}
