package bridge

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Identity is how a member presents itself to the launcher, for messages.
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

// StartTime returns when process pid started, in clock ticks after boot. With
// it a process is told from a later one that got the same pid. Fails if there
// is no such process. Safe for concurrent use.
func StartTime(pid int) (uint64, error) {
	name := fmt.Sprintf("/proc/%d/stat", pid)
	stat, err := os.ReadFile(name)
	if err != nil {
		return 0, fmt.Errorf("start time: %w", err)
	}
	t, err := parseStartTime(stat)
	if err != nil {
		return 0, fmt.Errorf("start time: %s: %w", name, err)
	}
	return t, nil
}

// parseStartTime finds field 22. The second field is the program's name in
// parentheses and may contain blanks and parentheses itself.
func parseStartTime(stat []byte) (uint64, error) {
	const afterName = 22 - 3
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, fmt.Errorf("no program name in %q", stat)
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) <= afterName {
		return 0, fmt.Errorf("only %d fields after the program name", len(fields))
	}
	return strconv.ParseUint(string(fields[afterName]), 10, 64)
}
