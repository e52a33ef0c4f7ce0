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
// has died, and returns its outcome, or an [*AbandonedError] with the name op if
// ctx ends first. MPI has no means of ending a call, so the call then keeps its
// thread until it returns by itself, if ever: what call writes must not be used,
// nor the communicator or window it works on, and [Finalize] refuses to work as
// long as the call lasts, because MPI would crash under it. The process can
// still end without Finalize.
//
// If ctx can end, the call needs [ThreadMultiple], otherwise the outcome is
// [ErrThreads]. If it cannot, the call is made on the calling thread. Local.
// Blocks until the call returns or ctx ends. MPI 12.4.
func Within(ctx context.Context, op string, call func() error) error {
	_, err := within(ctx, op, busy, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// A limit says what an abandoned call does to MPI_Finalize.
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

// abandonedCalls returns how many abandoned calls still drive communication.
func abandonedCalls() int { return int(C.goacp_mpi_abandoned(0)) }
