package tcp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
)

// PeerError is the outcome of an operation whose peer cannot be reached any more. errors.Is reports it as
// fabric.ErrPeerDead, or as fabric.ErrMemberGone if the run goes on without the peer.
type PeerError struct {
	Peer     int   // the member that cannot be reached
	Rank     int   // the rank of the member at that time
	Survived bool  // the run goes on
	Err      error // the failure that showed this
}

// Error implements the error interface.
func (e *PeerError) Error() string {
	return fmt.Sprintf("rank %d: %v", e.Rank, e.Err)
}

// Unwrap makes fabric.ErrPeerDead or fabric.ErrMemberGone, and the cause, visible to errors.Is and errors.As.
func (e *PeerError) Unwrap() []error {
	if e.Survived {
		return []error{fabric.ErrMemberGone, e.Err}
	}
	return []error{fabric.ErrPeerDead, e.Err}
}

// Errors that end a link, besides errors of the socket.
var (
	errGoodbye = errors.New("the peer has closed its transport")
	errHungUp  = errors.New("connection closed without a goodbye")
)

// peerError is the outcome of operations on a dead peer.
func (t *Transport) peerError(peer int, err error) *PeerError {
	return &PeerError{Peer: peer, Rank: t.cfg.Ranks.Of(peer), Survived: t.survives(peer), Err: err}
}

// protocolError is the error of a peer that has sent data which no correct peer sends.
func protocolError(format string, args ...any) error {
	return fmt.Errorf("protocol violated: "+format, args...)
}

// remoteError makes the error of an operation from a reply that is not OK. peer
// sent it.
func (t *Transport) remoteError(peer int, h *header, text string) error {
	switch status(h.code) {
	case statusRange:
		return &fabric.RangeError{Pos: h.pos, Size: h.size}
	case statusInvalid:
		return fabric.ErrInvalid
	case statusNoPath:
		return fabric.ErrNoPath
	case statusPeerDead:
		if h.member >= uint32(t.cfg.Size) {
			return &fabric.RankError{Rank: t.cfg.Ranks.Of(peer), Err: t.noMember(int(h.member))}
		}
		return t.peerError(int(h.member), fmt.Errorf("as seen by rank %d: %s", t.cfg.Ranks.Of(peer), text))
	case statusClosed:
		return t.peerError(peer, errGoodbye)
	default:
		return &fabric.RankError{Rank: t.cfg.Ranks.Of(peer), Err: errors.New(text)}
	}
}

// survives reports whether the run goes on without a member.
func (t *Transport) survives(member int) bool { return t.cfg.Survives != nil && t.cfg.Survives(member) }

// report puts err into the reply h and returns the text that goes with it. dst is
// the third member of a copy, or -1.
func report(h *header, dst int, err error) string {
	var bad *fabric.RangeError
	switch {
	case errors.As(err, &bad):
		h.code, h.pos, h.size = uint8(statusRange), bad.Pos, bad.Size
		return ""
	case errors.Is(err, fabric.ErrInvalid):
		h.code = uint8(statusInvalid)
		return ""
	case errors.Is(err, fabric.ErrNoPath):
		h.code = uint8(statusNoPath)
		return ""
	case (errors.Is(err, fabric.ErrPeerDead) || errors.Is(err, fabric.ErrMemberGone)) && dst >= 0:
		h.code, h.member = uint8(statusPeerDead), uint32(dst)
	case errors.Is(err, fabric.ErrClosed):
		h.code = uint8(statusClosed)
		return ""
	default:
		h.code = uint8(statusOther)
	}
	var gone *PeerError
	if errors.As(err, &gone) && gone.Peer == dst {
		err = gone.Err // remoteError names the rank
	}
	text := err.Error()
	if len(text) > textMax {
		text = text[:textMax]
	}
	h.arg = uint64(len(text))
	return text
}
