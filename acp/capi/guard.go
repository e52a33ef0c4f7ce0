//go:build cgo

package main

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
		end(panicMessage(cause, panicPlace()))
	}
}

// panicMessage is the line for a panic at place. Faults of memory know their address.
func panicMessage(cause any, place string) string {
	if fault, ok := cause.(interface{ Addr() uintptr }); ok {
		return fmt.Sprintf("acp: no memory at address %#x, in %s: an argument leads there, or the library is at fault", fault.Addr(), place)
	}
	return fmt.Sprintf("acp: internal error in %s: %v", place, cause)
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
