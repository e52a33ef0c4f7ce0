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

// OnError selects what a failing call does besides returning its error.
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

// String returns the word that ParseOnError accepts for the setting.
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

// fail completes the error of a call, reports it as Config.OnError demands, and returns it. Every error that
// a call returns passes through fail once, when it is made.
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

// report handles err as ReportErrors does, or as AbortOnError does if abort is true. It is Report of package
// binding.
func (p *Process) report(abort bool, err error, line func() string) {
	if p.isFailure(err) {
		p.writeLine(abort, line())
	}
}

// isFailure reports whether a line is written for err. None is if the caller may just try again, or if the
// run is over: the launcher writes a line about that.
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
	p.cfg.Bootstrap.Abort(bridge.Abort{Reason: strings.TrimSuffix(line, "\n"), Reported: true})
	os.Exit(abortStatus)
}
