package launch

import (
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Status is how a process ended.
type Status struct {
	Code   int // exit status; meaningless if Signal is not 0
	Signal int // number of the signal that killed the process, or 0
}

// statusOf converts what wait returned.
func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: int(ws.Signal())}
	}
	return Status{Code: ws.ExitStatus()}
}

// ExitStatus is the number that a shell would report: the exit status, or 128 +
// the number of the signal.
func (s Status) ExitStatus() int {
	if s.Signal != 0 {
		return 128 + s.Signal
	}
	return s.Code
}

// ok reports whether the process ended well.
func (s Status) ok() bool { return s == Status{} }

// String says how the process ended, as a part of a sentence.
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("killed by %s", signalName(s.Signal))
	}
	return fmt.Sprintf("ended with status %d", s.Code)
}

// signalName is the number and the usual description of a signal.
func signalName(number int) string {
	name := unix.Signal(number).String()
	if name == "" {
		return fmt.Sprintf("signal %d", number)
	}
	return fmt.Sprintf("signal %d (%s)", number, strings.ToUpper(name[:1])+name[1:])
}
