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
const abortStatus = 255

// fail does with the error of a call what Config.OnError asks for, and returns it. All
// errors that calls return come this way once, when they are made.
func (p *Process) fail(e *OpError) error {
	if p.cfg.OnError != ReturnErrors && p.isFailure(e) {
		p.tellUser(e.Error())
	}
	return e
}

// Fail is for bindings of other languages: it does with an error that they have found in
// the arguments of the function op what Config.OnError asks for, and returns it. What calls
// of this package have returned is left as it is. If the run is to end, it does not return.
// Local. Does not block.
func (p *Process) Fail(op string, err error) error {
	var known *OpError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return p.fail(&OpError{Op: op, Rank: p.Rank(), Err: err})
}

// isFailure reports whether e is to be told: not if it wraps an error that has been, if it
// says that the caller may try again, or if the run is over, of which the launcher tells.
func (p *Process) isFailure(e *OpError) bool {
	var told *OpError
	if errors.As(e.Err, &told) || p.life.Load() == lifeLost {
		return false
	}
	for _, expected := range []error{ErrPeerDead, ErrFull, ErrEmpty, ErrNotConnected, io.EOF, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(e.Err, expected) {
			return false
		}
	}
	return true
}

// tellUser writes line to standard error and ends the run if Config.OnError asks for that.
func (p *Process) tellUser(line string) {
	line = strings.ReplaceAll(line, "\n", "; ") + "\n"
	// In one write, so that lines of several processes do not mix. If it fails, nothing is
	// left to tell it to.
	_, _ = os.Stderr.WriteString(line)
	if p.cfg.OnError != AbortOnError {
		return
	}
	// The end of the run must not be told to OnLost, which may end the process first.
	p.life.CompareAndSwap(lifeOpen, lifeLost)
	p.boot.Abort(strings.TrimSuffix(line, "\n"))
	os.Exit(abortStatus)
}
