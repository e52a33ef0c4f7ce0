package gp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Errors that callers may test for with errors.Is. Functions also fail with errors of package acp:
// ErrPeerDead and ErrFinalized, ErrHeapFull and ErrDisagree.
var (
	// ErrShape: dimensions or blocks that no array has.
	ErrShape = grid.ErrShape
	// ErrBounds: a place or a section outside of the array.
	ErrBounds = array.ErrBounds
	// ErrNotOwner: the place is of another rank.
	ErrNotOwner = array.ErrNotOwner
	// ErrUnassigned: no element is assigned to the place.
	ErrUnassigned = array.ErrUnassigned
	// ErrSize: the size of a buffer does not match the size of the element, or the numbers of
	// buffers and places differ.
	ErrSize = array.ErrSize
	// ErrAssigned: the element is assigned to a place.
	ErrAssigned = array.ErrAssigned
	// ErrDestroyed: the array has been destroyed or the element freed, or Reset has ended both.
	ErrDestroyed = array.ErrDestroyed
	// ErrBadType: a type whose values cannot be stored in global memory.
	ErrBadType = acp.ErrBadType
)

// OpError is the error of a call.
type OpError struct {
	Op    string   // "get", "assign" …
	Rank  acp.Rank // the calling rank
	Array int      // number of the array, the same on all ranks; 0 if the call concerns none

	// The place of the error. Place is nil if the error does not concern a single place.
	Place []int
	Owner acp.Rank
	Want  uint64 // bytes of the buffer
	Have  uint64 // bytes of the element

	Err error // the cause
}

// Error implements the error interface, for example
// "gp: put on rank 2: array 3, place [4 17]: 96 bytes for an element of 80".
func (e *OpError) Error() string {
	s := fmt.Sprintf("gp: %s on rank %d", e.Op, e.Rank)
	if e.Array != 0 {
		s += fmt.Sprintf(": array %d", e.Array)
	}
	if e.Place != nil {
		s += fmt.Sprintf(", place %v", e.Place)
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

// Unwrap returns the cause.
func (e *OpError) Unwrap() error { return e.Err }

// failed returns the error of a call that concerns an array, or none if number is 0.
func failed(op string, p *acp.Process, number int, err error) error {
	if err == nil {
		return nil
	}
	e := &OpError{Op: op, Rank: p.Rank(), Array: number, Owner: -1, Err: err}
	var at *array.PlaceError
	if errors.As(err, &at) {
		e.Place, e.Owner, e.Want, e.Have, e.Err = at.Place, acp.Rank(at.Owner), at.Want, at.Have, at.Err
	}
	return e
}

// failed is the function of this name for a method of an array.
func (a *Array) failed(op string, err error) error { return failed(op, a.p, a.a.Number(), err) }
