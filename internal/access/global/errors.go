package global

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// Errors that users of structures may test for.
var (
	// ErrBadAddress: a null address, or one that names no memory of its rank.
	ErrBadAddress = errors.New("bad global address")
	// ErrBadRank: a rank that the run does not have.
	ErrBadRank = errors.New("no such rank")
	// ErrRankGone: a guest that has left the run or is lost.
	ErrRankGone = fabric.ErrMemberGone
	// ErrBadSize: an impossible size.
	ErrBadSize = errors.New("bad size")
	// ErrOutOfRange: bytes outside of what is accessed.
	ErrOutOfRange = errors.New("out of range")
	// ErrEmpty: nothing is there to be taken.
	ErrEmpty = errors.New("empty")
	// ErrNotEndpoint: this rank, or this end, is not the one that the operation is for.
	ErrNotEndpoint = errors.New("the operation is for the other end")
	// ErrProtocol: another process has sent or written what this version of the library never
	// does.
	ErrProtocol = errors.New("a message that this version of the library does not send")
	// ErrDestroyed: what is used has been destroyed, or Reset has forgotten it.
	ErrDestroyed = errors.New("destroyed")
	// ErrFinalized: the process has left the run, or never was in it.
	ErrFinalized = errors.New("finalized")
)

// Cause wraps an error of a transport, of a heap view or of an operation in the one above for
// which users may test. It returns all other errors as they are.
func Cause(err error) error {
	if err == nil {
		return nil
	}
	return causeOf(err)
}

func causeOf(err error) error {
	var outside *fabric.RangeError
	switch {
	case errors.As(err, &outside), errors.Is(err, heapview.ErrBadAddress), errors.Is(err, fabric.ErrGone):
		return fmt.Errorf("%w: %w", ErrBadAddress, err)
	case errors.Is(err, am.ErrGone):
		return fmt.Errorf("%w: %w", ErrDestroyed, err)
	case errors.Is(err, fabric.ErrClosed):
		return fmt.Errorf("%w: %w", ErrFinalized, err)
	}
	return err
}
