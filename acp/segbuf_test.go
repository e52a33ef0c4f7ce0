package acp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestSegBufErrors takes two ends through all their states and makes the forbidden calls in each.
func TestSegBufErrors(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			other := 1 - p.Rank()
			if err := badSegBufs(p, other); err != nil {
				return err
			}
			e, err := joinLate(p, other)
			if err != nil {
				return err
			}
			if err := errors.Join(atEnd(e, p.Rank() == 0), p.Sync()); err != nil {
				return err
			}
			if err := errors.Join(expect(acp.ErrConnected, e.Close()), e.Disconnect()); err != nil {
				return err
			}
			if err := errors.Join(expect(acp.ErrDisconnected, e.Disconnect()), expect(acp.ErrDisconnected, e.Connect()),
				expect(acp.ErrDisconnected, last(e.Head())), e.Close(), expect(acp.ErrDestroyed, e.Close())); err != nil {
				return err
			}
			return differentShapes(p, other)
		})
	})
}

// badSegBufs makes ends with invalid ranks and shapes. They take no number.
func badSegBufs(p *member, other acp.Rank) error {
	mem := make([]byte, 64)
	for _, c := range []struct {
		rank    acp.Rank
		mem     []byte
		segment int
		want    error
	}{
		{-1, mem, 8, acp.ErrBadRank}, {2, mem, 8, acp.ErrBadRank}, {other, nil, 8, acp.ErrBadSize},
		{other, mem, 0, acp.ErrBadSize}, {other, mem, -8, acp.ErrBadSize}, {other, mem, 7, acp.ErrBadSize},
	} {
		source, destination := last(p.NewSegBufSource(c.rank, c.mem, c.segment)), last(p.NewSegBufDestination(c.rank, c.mem, c.segment))
		if err := errors.Join(expect(c.want, source), expect(c.want, destination)); err != nil {
			return fmt.Errorf("%+v: %w", c, err)
		}
	}
	return nil
}

// joinLate makes a source at rank 0 and, when the source has found no other end, a destination
// at rank 1. It returns the end of this rank when both are connected.
func joinLate(p *member, other acp.Rank) (e *acp.SegBuf, err error) {
	mem := make([]byte, 64)
	if p.Rank() == 0 {
		if e, err = p.NewSegBufSource(other, mem, 16); err == nil {
			err = lonely(e)
		}
	}
	if err := errors.Join(err, p.Sync()); err != nil {
		return nil, err
	}
	if p.Rank() == 1 {
		if e, err = p.NewSegBufDestination(other, mem, 16); err != nil {
			return nil, err
		}
	}
	return e, e.Connect()
}

// lonely uses an end whose other end does not exist.
func lonely(e *acp.SegBuf) error {
	if ok, err := e.Connected(); ok || err != nil {
		return fmt.Errorf("connected too early: %v, %v", ok, err)
	}
	limited, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	return errors.Join(expect(acp.ErrNotConnected, e.Ack()), expect(acp.ErrNotConnected, e.Disconnect()),
		expect(acp.ErrNotConnected, e.Close()), expect(context.DeadlineExceeded, e.WithContext(limited).Connect()))
}

// atEnd makes the calls that are forbidden at this end, and fills the buffer.
func atEnd(e *acp.SegBuf, source bool) error {
	if !source {
		return errors.Join(expect(acp.ErrNotEndpoint, e.Ack()), expect(acp.ErrNotEndpoint, last(e.Sent())))
	}
	var list []error
	for range 4 {
		list = append(list, e.Ack())
	}
	ready, err := e.IsReady()
	if ready {
		err = errors.New("ready although full")
	}
	return errors.Join(append(list, err, expect(acp.ErrFull, e.Ack()), expect(acp.ErrNotEndpoint, e.Ready()))...)
}

// differentShapes makes two ends that do not fit.
func differentShapes(p *member, other acp.Rank) error {
	open := p.NewSegBufSource
	if p.Rank() == 1 {
		open = p.NewSegBufDestination
	}
	e, err := open(other, make([]byte, 64), 16+int(p.Rank())*16)
	if err != nil {
		return err
	}
	if err := expect(acp.ErrDisagree, e.Connect()); err != nil {
		return err
	}
	return expect(acp.ErrDisagree, last(e.IsAcked()))
}
