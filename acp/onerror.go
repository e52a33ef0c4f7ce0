package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goacp/goacp/bridge"
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
const abortStatus = bridge.AbortStatus

// fail completes the error of a call, does with it what Config.OnError asks for, and returns
// it. All errors that calls return come this way once, when they are made.
func (p *Process) fail(e *OpError) error {
	if e.Fabric == "" {
		e.Fabric = fabricOf(e.Err)
	}
	if p.mem != nil {
		e.Err = p.mem.Explain(e.Err)
	}
	var reported *OpError
	if on := p.cfg.OnError; on != ReturnErrors && !errors.As(e.Err, &reported) {
		p.report(on == AbortOnError, e, e.Error)
	}
	return e
}

// report does with err what ReportErrors asks for, or AbortOnError if abort is true. It is
// Report of package binding.
func (p *Process) report(abort bool, err error, line func() string) {
	if p.isFailure(err) {
		p.writeLine(abort, line())
	}
}

// isFailure reports whether err is worth a line. It is not if it says that the caller may try
// again, or if the run is over, about which the launcher writes a line.
func (p *Process) isFailure(err error) bool {
	if errors.Is(p.alive(), ErrPeerDead) {
		return false
	}
	for _, expected := range []error{ErrPeerDead, ErrFull, ErrEmpty, ErrNotConnected, ErrConnected, io.EOF, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, expected) {
			return false
		}
	}
	return true
}

// writeLine writes line to standard error and ends the run if abort is true.
func (p *Process) writeLine(abort bool, line string) {
	line = strings.ReplaceAll(line, "\n", "; ") + "\n"
	// In one write, so that lines of several processes do not mix. If it fails, there is no
	// other place for the line.
	_, _ = os.Stderr.WriteString(line)
	if !abort {
		return
	}
	// OnLost must not be called: it may end the process first.
	p.lifecycle.Exit()
	p.cfg.Bootstrap.Abort(bridge.Abort{Reason: strings.TrimSuffix(line, "\n"), Told: true})
	os.Exit(abortStatus)
}
