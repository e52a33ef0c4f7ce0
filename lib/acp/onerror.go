//go:build cgo

package libacp

import (
	"fmt"

	"github.com/goacp/goacp/acp"
)

// failed records the error of the function that C has called, and does what ACP_ON_ERROR
// asks for.
func (l *library) failed(p *acp.Process, err error) {
	fail(err)
	if l.onError != acp.ReturnErrors {
		hidden.Report(p, l.onError == acp.AbortOnError, err, func() string { return failure(calledFunction(), p.Rank(), err) })
	}
}

// failOutside records that a function was called before acp_init or after acp_finalize. There is no
// Process then, so it does itself what ACP_ON_ERROR asks for.
func failOutside() {
	fail(acp.ErrFinalized)
	// acp_init reports a wrong value.
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

// failure returns the line about a call that has failed.
func failure(call string, rank acp.Rank, err error) string {
	return fmt.Sprintf("acp: %s by rank %d: %v", call, rank, reason(err))
}
