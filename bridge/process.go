package bridge

import (
	"fmt"
	"os"

	"github.com/goacp/goacp/internal/pid"
)

// Identity is what a member tells the launcher about itself, for messages.
type Identity struct {
	PID  int
	Host string // host name
}

// LocalIdentity returns the identity of the calling process. It fails if the
// host has no name.
func LocalIdentity() (Identity, error) {
	host, err := os.Hostname()
	if err != nil {
		return Identity{}, fmt.Errorf("host name: %w", err)
	}
	return Identity{PID: os.Getpid(), Host: host}, nil
}

// StartTime returns when the process id started, in clock ticks after boot. The start time
// distinguishes it from a later process with the same id. Fails if there is no such process.
// Safe for concurrent use.
func StartTime(id int) (uint64, error) { return pid.StartTime(id) }
