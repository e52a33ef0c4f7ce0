package bridge

import (
	"fmt"
	"os"
)

// Identity describes a member in the launcher's messages.
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
