//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/goacp/goacp/acp"
)

//export goacp_set_timeout
func goacp_set_timeout(seconds C.double) C.int {
	return perform(func(*acp.Process) error {
		switch s := float64(seconds); {
		case s == 0 || math.IsNaN(s):
			return fmt.Errorf("%w: a time limit of %v s", acp.ErrBadSize, s)
		case s < 0 || s >= mostSeconds:
			C.goacp_limit_time(0)
		default:
			C.goacp_limit_time(C.int64_t(max(s*float64(time.Second), 1)))
		}
		return nil
	})
}

// waitTime returns a context that ends when the time of acp_set_timeout is over for a call of the calling thread that
// begins now. It never ends if the thread has no limit.
func waitTime() (context.Context, context.CancelFunc) {
	if limit := C.goacp_time_limit(); limit != 0 {
		return context.WithTimeout(context.Background(), time.Duration(limit))
	}
	return context.Background(), func() {}
}

// await is call for functions that acp_set_timeout limits.
func await[T any](otherwise T, f func(*acp.Process) (T, error)) T {
	return call(otherwise, func(p *acp.Process) (T, error) {
		p, cancel := timed(p)
		defer cancel()
		return f(p)
	})
}

// timed returns p for a call that acp_set_timeout limits and that begins now.
func timed(p *acp.Process) (*acp.Process, context.CancelFunc) {
	ctx, cancel := waitTime()
	if ctx.Done() == nil {
		return p, cancel
	}
	return p.WithContext(ctx), cancel
}

// awaitDone is await for functions that return 0 or -1.
func awaitDone(f func(*acp.Process) error) C.int {
	return await(-1, func(p *acp.Process) (C.int, error) { return 0, f(p) })
}
