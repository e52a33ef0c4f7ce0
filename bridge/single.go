package bridge

import (
	"context"
	"crypto/rand"
	"net/netip"
	"sync"

	"github.com/goacp/goacp/mpi"
)

// Single returns the bootstrap of a process that no launcher has started: member 0 of 1. It
// uses no network. Does not block.
func Single() Bootstrap {
	s := &single{lost: make(chan struct{})}
	rand.Read(s.token[:])
	return s
}

type single struct {
	lost  chan struct{}
	token Token

	mu     sync.Mutex
	err    error
	closed bool
}

func (s *single) Member() int                   { return 0 }
func (s *single) Cohort() Cohort                { return beginning(1) }
func (s *single) Seats() int                    { return 1 }
func (s *single) CatchUp(context.Context) error { return nil }
func (s *single) Lost() <-chan struct{}         { return s.lost }
func (s *single) JobRank() (int, int)           { return 0, 0 }
func (s *single) JobName() string               { return ownJobName() }
func (s *single) JobComm() mpi.Comm             { return mpi.World() }
func (s *single) Token() Token                  { return s.token }
func (s *single) Address() netip.Addr           { return netip.Addr{} }

// Follow does nothing: no member comes later.
func (s *single) Follow(func(Change) error) error { return nil }

func (s *single) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return nil, s.err
	case s.closed:
		return nil, ErrClosed
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if err := checkBlob(blob); err != nil {
		return nil, err
	}
	return [][]byte{append([]byte{}, blob...)}, nil
}

func (s *single) Abort(a Abort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && !s.closed {
		s.err = &AbortError{Reason: a.Reason}
		close(s.lost)
	}
}

// ReportLost does nothing: there is no other member.
func (s *single) ReportLost(int, Loss) {}

func (s *single) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *single) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
