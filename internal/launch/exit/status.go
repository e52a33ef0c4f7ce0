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

// StatusOf converts a status that wait has returned.
func StatusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: int(ws.Signal())}
	}
	return Status{Code: ws.ExitStatus()}
}

// ExitStatus returns the number that a shell reports: the exit status, or 128 + the number of
// the signal.
func (s Status) ExitStatus() int {
	if s.Signal != 0 {
		return 128 + s.Signal
	}
	return s.Code
}

// maxSignal is the largest number of a signal.
const maxSignal = 64

// Valid reports whether a process can have ended like this. Use it for statuses that come from
// another process.
func (s Status) Valid() bool {
	return s.Code >= 0 && s.Code <= 255 && s.Signal >= 0 && s.Signal <= maxSignal
}

// OK reports whether the process has ended with status 0.
func (s Status) OK() bool { return s == Status{} }

// String returns how the process has ended, as a part of a sentence.
func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("killed by %s", SignalName(s.Signal))
	}
	return fmt.Sprintf("ended with status %d", s.Code)
}

// SignalName returns the number and the usual name of a signal.
func SignalName(number int) string {
	name := unix.Signal(number).String()
	if name == "" {
		return fmt.Sprintf("signal %d", number)
	}
	return fmt.Sprintf("signal %d (%s)", number, strings.ToUpper(name[:1])+name[1:])
}

// Exit statuses that the launchers choose themselves.
const (
	Failure = 1 // the run could not be started, or its output cannot be written
	Usage   = 2 // the command line or a file is wrong
	// Abort is the status of a rank that calls acp_abort, and of a run that ends by it. The
	// program of a rank may choose another one for itself.
	Abort   = 255
	Timeout = 124 // -timeout has ended the run
)
