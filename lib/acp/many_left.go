//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"errors"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// part says which keys or elements of a call Go does: C may have done others.
type part struct {
	count C.int   // of the call
	left  []C.int // the numbers of those that are left; nil: all of them
}

// leftOf returns what C has left of a call for count keys: the n numbers at left, or all if that is NULL.
func leftOf(count C.int, left *C.int, n C.int) part {
	if left == nil {
		return part{count: count}
	}
	return part{count, unsafe.Slice(left, n)}
}

// number returns the number that thing i of the part has in the call.
func (p part) number(i int) int {
	if p.left == nil {
		return i
	}
	return int(p.left[i])
}

// pick returns a copy of those things of an array that are in a part.
func pick[T, U any](p part, name string, array *T, of func(T) U) ([]U, error) {
	in, err := arrayAt(name, array, int64(p.count))
	n := len(in)
	if p.left != nil {
		n = len(p.left)
	}
	out := make([]U, n)
	for i := range out {
		out[i] = of(in[p.number(i)])
	}
	return out, err
}

// failed returns which keys of a part have failed. ok is false if the whole call has. The error of a call
// gets the numbers that its keys have for the program.
func (p part) failed(err error) (failed []int, ok bool) {
	var many *acp.ManyError
	if !errors.As(err, &many) {
		return nil, err == nil
	}
	failed = many.Failed
	many.Of, many.Failed = int(p.count), make([]int, len(failed))
	for j, i := range failed {
		many.Failed[j] = p.number(i)
	}
	return failed, true
}
