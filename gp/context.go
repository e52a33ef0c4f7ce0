package gp

import (
	"bytes"
	"context"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/gp/array"
)

// WithContext returns the same array. When ctx ends, methods of the result that move elements or
// read sizes give up with an *OpError that wraps the error of ctx. The operation of such a call
// still runs to its end, and later operations of this rank on the same array follow it. Collective
// methods do not give up: Zero and Destroy wait for the end of such operations. A context that can
// end costs about a microsecond for each call, and a copy of the bytes. Local. Does not block.
func (a *Array) WithContext(ctx context.Context) *Array {
	view := *a
	view.mem = a.mem.WithContext(ctx)
	return &view
}

// detached returns the result of op, which uses no memory of the caller if that may give up.
func detached[T any](a *Array, op func() (T, error)) (T, error) {
	if !a.mem.Detaches() {
		return op()
	}
	return global.Detached(a.mem, []uint64{a.a.Address()}, func(*global.Memory) (T, error) { return op() }, nil)
}

// settle waits until the calls on the array that were given up have finished.
func (a *Array) settle() error {
	mem := array.Of(a.p).Memory()
	if !mem.Detaches() {
		return nil
	}
	_, err := global.Detached(mem, []uint64{a.a.Address()}, func(*global.Memory) (struct{}, error) { return struct{}{}, nil }, nil)
	return err
}

// private returns memory for an operation with buffers of the caller: the buffers, or copies of
// them if the caller may give up.
func (a *Array) private(buffers [][]byte) (memory [][]byte, copied bool) {
	if !a.mem.Detaches() {
		return buffers, false
	}
	memory = make([][]byte, len(buffers))
	for i, b := range buffers {
		memory[i] = bytes.Clone(b)
	}
	return memory, true
}
