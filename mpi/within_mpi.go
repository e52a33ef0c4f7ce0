//go:build mpi

package mpi

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Within makes a call that can hang, such as one that waits for a process that
// has died. It returns the outcome of the call, or an [*AbandonedError] with the name
// op if ctx ends first. MPI has no means to end a call, so an abandoned call stays on its
// thread until it returns, perhaps forever. The program must not use the memory that call
// writes, nor the communicator or window of the call. [Finalize] fails as long as the call
// lasts, because MPI would crash. The process can still end without Finalize.
//
// If ctx can end, the call needs [ThreadMultiple]; Within fails with [ErrThreads] if
// MPI has another level. If ctx cannot end, the call is made on the calling thread.
// Local. Blocks until the call returns or ctx ends. MPI 12.4.
func Within(ctx context.Context, op string, call func() error) error {
	_, err := within(ctx, op, busy, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// A limit determines whether MPI_Finalize is possible during an abandoned call.
type limit bool

const (
	busy limit = true  // it makes MPI's communication progress, which must go on
	idle limit = false // it sleeps until a message of the launcher comes
)

// within is Within for a call with a result.
func within[T any](ctx context.Context, op string, kind limit, call func() (T, error)) (T, error) {
	var none T
	if ctx.Done() == nil {
		return call()
	}
	if ctx.Err() != nil {
		return none, fmt.Errorf("%s: not called: %w", op, context.Cause(ctx))
	}
	if level, err := QueryThread(); err != nil {
		return none, err
	} else if level < ThreadMultiple {
		return none, fmt.Errorf("%s: %w", op, ErrThreads)
	}
	type outcome struct {
		result T
		err    error
	}
	returned := make(chan outcome, 1)
	var decided atomic.Bool // by the first of return and abandonment
	go func() {
		result, err := call()
		if decided.CompareAndSwap(false, true) {
			returned <- outcome{result, err}
		} else if kind == busy {
			C.goacp_mpi_abandoned(-1)
		}
	}()
	select {
	case o := <-returned:
		return o.result, o.err
	case <-ctx.Done():
	}
	if !decided.CompareAndSwap(false, true) {
		o := <-returned
		return o.result, o.err
	}
	if kind == busy {
		C.goacp_mpi_abandoned(1)
	}
	return none, &AbandonedError{Op: op, Cause: context.Cause(ctx)}
}

// abandonedCalls returns how many abandoned calls still make MPI communicate.
func abandonedCalls() int { return int(C.goacp_mpi_abandoned(0)) }
