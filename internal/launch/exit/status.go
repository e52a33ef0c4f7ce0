// Package exit says how processes end: their statuses, and those that the launchers choose
// themselves.
package exit

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

// StatusOf converts what wait returned.
func StatusOf(ws syscall.WaitStatus) Status {
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

// maxSignal is the largest number of a signal.
const maxSignal = 64

// Valid reports whether a process can have ended like this. Callers check with it what
// comes from another process.
func (s Status) Valid() bool {
	return s.Code >= 0 && s.Code <= 255 && s.Signal >= 0 && s.Signal <= maxSignal
}

// Ok reports whether the process ended well.
func (s Status) Ok() bool { return s == Status{} }

// String says how the process ended, as a part of a sentence.
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("killed by %s", SignalName(s.Signal))
	}
	return fmt.Sprintf("ended with status %d", s.Code)
}

// SignalName is the number and the usual description of a signal.
func SignalName(number int) string {
	name := unix.Signal(number).String()
	if name == "" {
		return fmt.Sprintf("signal %d", number)
	}
	return fmt.Sprintf("signal %d (%s)", number, strings.ToUpper(name[:1])+name[1:])
}

// Exit statuses of the launchers themselves.
const (
	Failure = 1 // the run could not be started
	Usage   = 2 // the command line or a file is wrong
	// Abort is that of a run in which a rank has called acp_abort, as of that
	// rank. The program of a rank may choose another one for itself.
	Abort   = 255
	Timeout = 124 // -timeout has ended the run
)
