//go:build cgo

package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/goacp/goacp/acp"
)

// failOutside records that a function was called before acp_init or after acp_finalize,
// and does what ACP_ON_ERROR asks for: there is no process that could.
func failOutside() {
	fail(acp.ErrFinalized)
	// A wrong value is acp_init's to tell.
	on, _ := acp.ParseOnError(getenv(acp.EnvOnError))
	if on == acp.ReturnErrors {
		return
	}
	message := fmt.Sprintf("acp: %s: not initialised, or finalised", calledFunction())
	if on == acp.AbortOnError {
		end(message)
	}
	report(message)
}

// calledFunction returns the name of the function that C has called. Most functions of Go
// that C calls are named for one of acp.h.
func calledFunction() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if _, name, found := strings.Cut(frame.Function, "main.goacp_"); found {
			return "acp_" + name
		}
	}
	return "a function"
}
