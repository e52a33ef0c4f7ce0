//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// stopPanic ends the process with one line if the caller panics: C programs cannot recover, and a
// trace of goroutines says nothing to their users. Functions that C calls defer it, and call
// [debug.SetPanicOnFault], so that an access to memory that a program passes but does not have is a
// panic as well.
func stopPanic() {
	if cause := recover(); cause != nil {
		end("acp: " + panicText(cause, panicPlace()))
	}
}

// stopPanicOfCall is stopPanic for functions of acp.h. The line names the function.
func stopPanicOfCall() {
	if cause := recover(); cause != nil {
		message := panicText(cause, panicPlace())
		if C.goacp_failed_call() != nil {
			message = calledFunction() + ": " + message
		}
		end("acp: " + message)
	}
}

// panicText says what a panic at place means to the user. Faults of memory know their address.
func panicText(cause any, place string) string {
	if fault, ok := cause.(interface{ Addr() uintptr }); ok {
		return fmt.Sprintf("no memory at address %#x, in %s: an argument leads there, or the library is at fault", fault.Addr(), place)
	}
	return fmt.Sprintf("internal error in %s: %v", place, cause)
}

// panicPlace returns the function and line that panicked. A deferred function calls it.
func panicPlace() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	panicking := false
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !inRuntime {
			return fmt.Sprintf("%s (%s:%d)", path.Base(frame.Function), path.Base(frame.File), frame.Line)
		}
		panicking = panicking || inRuntime
	}
	return "the library"
}
