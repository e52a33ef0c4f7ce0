package pid

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// StartTime returns when the process id started, in clock ticks after boot. The start time
// distinguishes it from a later process with the same id. Fails if there is no such process.
// Safe for concurrent use.
func StartTime(id int) (uint64, error) {
	name := fmt.Sprintf("/proc/%d/stat", id)
	stat, err := readStat(id)
	if err != nil {
		return 0, fmt.Errorf("start time: %w", err)
	}
	t, err := parseStartTime(stat)
	if err != nil {
		return 0, fmt.Errorf("start time: %s: %w", name, err)
	}
	return t, nil
}

// readStat returns the file stat of a process. It opens the file by way of the directory. If a process opens its own
// file by the path, QEMU's emulator of user programs answers with another one, in which each thread has a start time.
func readStat(id int) ([]byte, error) {
	process, err := os.OpenRoot(fmt.Sprintf("/proc/%d", id))
	if err != nil {
		return nil, err
	}
	defer process.Close()
	return process.ReadFile("stat")
}

// parseStartTime returns field 22. The second field is the name of the program in parentheses,
// which may contain blanks and parentheses.
func parseStartTime(stat []byte) (uint64, error) {
	const afterName = 22 - 3
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, fmt.Errorf("no program name in %q", stat)
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) <= afterName {
		return 0, fmt.Errorf("%d fields after the program name, expected more than %d", len(fields), afterName)
	}
	return strconv.ParseUint(string(fields[afterName]), 10, 64)
}
