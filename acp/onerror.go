package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// OnError says what a call that fails does beside returning its error.
type OnError uint8

const (
	// ReturnErrors: nothing. The program checks what calls return, as the specification
	// has it.
	ReturnErrors OnError = iota
	// ReportErrors: it writes one line with the function, its arguments, the rank and the
	// reason to standard error.
	ReportErrors
	// AbortOnError: it writes that line and ends the run, as acp_abort does.
	AbortOnError
)

var onErrorNames = [...]string{ReturnErrors: "return", ReportErrors: "report", AbortOnError: "abort"}

// String returns the word by which ParseOnError knows the setting.
func (o OnError) String() string {
	if int(o) >= len(onErrorNames) {
		return fmt.Sprintf("OnError(%d)", uint8(o))
	}
	return onErrorNames[o]
}

// ParseOnError reads return, report or abort. Pure.
func ParseOnError(text string) (OnError, error) {
	for o, name := range onErrorNames {
		if text == name {
			return OnError(o), nil
		}
	}
	return ReturnErrors, fmt.Errorf("%q: expected return, report or abort", text)
}

// abortStatus is the exit status of a process that ends its run.
//
//goacp:c GOACP_
const abortStatus = 255

// fail does with the error of a call what Config.OnError asks for, and returns it. All
// errors that calls return come this way once, when they are made.
func (p *Process) fail(e *OpError) error {
	var told *OpError
	if !errors.As(e.Err, &told) {
		p.Fail(p.cfg.OnError, e, e.Error)
	}
	return e
}

// Fail is for bindings of other languages. They open the Process with ReturnErrors, since the
// lines about calls of this package would not name their functions, and pass Fail what one of
// those has failed with: it does what on asks for, with the line that line returns. If the
// run is to end, it does not return. Local. Does not block.
func (p *Process) Fail(on OnError, err error, line func() string) {
	if on != ReturnErrors && p.isFailure(err) {
		p.tellUser(on, line())
	}
}

// isFailure reports whether err is to be told: not if it says that the caller may try again,
// or if the run is over, of which the launcher tells.
func (p *Process) isFailure(err error) bool {
	if p.life.Load() == lifeLost {
		return false
	}
	for _, expected := range []error{ErrPeerDead, ErrFull, ErrEmpty, ErrNotConnected, io.EOF, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, expected) {
			return false
		}
	}
	return true
}

// tellUser writes line to standard error and ends the run if on asks for that.
func (p *Process) tellUser(on OnError, line string) {
	line = strings.ReplaceAll(line, "\n", "; ") + "\n"
	// In one write, so that lines of several processes do not mix. If it fails, nothing is
	// left to tell it to.
	_, _ = os.Stderr.WriteString(line)
	if on != AbortOnError {
		return
	}
	// The end of the run must not be told to OnLost, which may end the process first.
	p.life.CompareAndSwap(lifeOpen, lifeLost)
	p.boot.Abort(strings.TrimSuffix(line, "\n"))
	os.Exit(abortStatus)
}
