package fabric

import (
	"errors"
	"fmt"
)

// ErrClosed is the outcome of an operation on a transport that has been closed.
var ErrClosed = errors.New("transport closed")

// ErrNoPath is the outcome of an operation that a transport cannot carry out on
// this memory, although it reaches the peer. Another transport may carry it out.
var ErrNoPath = errors.New("no path to this memory")

// ErrPeerDead is the outcome of an operation whose peer has died or whose
// connection broke.
var ErrPeerDead = errors.New("peer died")

// ErrNoMember is the outcome of an operation on a member that the run does not have, or not yet.
var ErrNoMember = errors.New("no such rank")

// ErrMemberGone is the outcome of an operation on a guest that has left the run or is lost. The run goes on.
var ErrMemberGone = errors.New("the rank is gone")

// ErrGone is the outcome of an operation whose memory in this process was unregistered or
// unmapped before the operation had ended.
var ErrGone = errors.New("memory was unregistered or unmapped while it was in use")

// ErrInvalid is the outcome of an atomic that is misaligned, or of an unknown kind
// or width.
var ErrInvalid = errors.New("invalid atomic operation")

// Ranks returns the rank that a member has now. Errors name ranks, because users know ranks and
// not members; acp_reset changes them. If it is nil, the rank of a member is its number. Must
// not block.
type Ranks func(member int) int

// Of returns the rank of member.
func (r Ranks) Of(member int) int {
	if r == nil {
		return member
	}
	return r(member)
}

// RankError says which rank an error is about, by the rank that it had at that time.
type RankError struct {
	Rank int
	Err  error
}

// Error implements the error interface.
func (e *RankError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, e.Err) }

// Unwrap returns the error without the rank.
func (e *RankError) Unwrap() error { return e.Err }

// OverError says over which fabric an operation has failed. Its text is that of Err alone:
// package acp, which names the ranks, names the fabric too.
type OverError struct {
	Fabric string // the Name of the Transport
	Err    error
}

// Error implements the error interface.
func (e *OverError) Error() string { return e.Err.Error() }

// Unwrap returns the error without the fabric.
func (e *OverError) Unwrap() error { return e.Err }

// Over returns the outcome of an operation over the named fabric: nil, or err as an
// *OverError.
func Over(name string, err error) error {
	if err == nil {
		return nil
	}
	return &OverError{Fabric: name, Err: err}
}

// RangeError says that not all of the bytes are memory that their owner publishes: the memory
// was never registered, was unregistered, or ends before.
type RangeError struct {
	Pos, Size uint64
}

// Error implements the error interface.
func (e *RangeError) Error() string {
	return fmt.Sprintf("%d bytes at position %#x are not registered memory", e.Size, e.Pos)
}

// IsGone reports whether an error says that there is no such member, or that it is gone while the run goes on.
func IsGone(err error) bool { return errors.Is(err, ErrMemberGone) || errors.Is(err, ErrNoMember) }
