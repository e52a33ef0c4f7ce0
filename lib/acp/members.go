//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"

	"github.com/goacp/goacp/acp"
)

//export goacp_seats
func goacp_seats() C.int {
	return call(-1, func(p *acp.Process) (C.int, error) { return C.int(p.Seats()), nil })
}

//export goacp_state
func goacp_state(rank C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		s, err := p.State(acp.Rank(rank))
		return C.int(s), err
	})
}

//export goacp_cohort
func goacp_cohort(rank C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		n, err := p.Cohort(acp.Rank(rank))
		return C.int(n), err
	})
}

//export goacp_await_change
func goacp_await_change(seen C.int64_t, seconds C.double) C.int64_t {
	return call(-1, func(p *acp.Process) (C.int64_t, error) {
		ctx, cancel, err := limited(seconds)
		if err != nil {
			return -1, err
		}
		defer cancel()
		n, err := p.WithContext(ctx).AwaitChange(int64(seen))
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
		return C.int64_t(n), err
	})
}
