package process

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// LimitAdvice returns the end of a message about an error that a limit of this process may have caused:
// the limit, and the command of the shell that raises it. It returns "" for other errors.
func LimitAdvice(err error) string {
	switch {
	case errors.Is(err, unix.EMFILE):
		return limitText(unix.RLIMIT_NOFILE, "open files", "ulimit -n", 1)
	case errors.Is(err, unix.EAGAIN):
		return limitText(unix.RLIMIT_NPROC, "processes and threads of the user", "ulimit -u", 1)
	case errors.Is(err, unix.ENOMEM):
		return limitText(unix.RLIMIT_AS, "address space", "ulimit -v", 1<<10)
	}
	return ""
}

// limitText describes a limit in the unit of the shell's command. It returns "" if there is no limit.
func limitText(resource int, of, command string, unit uint64) string {
	var limit unix.Rlimit
	if unix.Getrlimit(resource, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return ""
	}
	return fmt.Sprintf("; the limit of %s is %d (%s)", of, limit.Cur/unit, command)
}
