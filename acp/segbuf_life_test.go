package acp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestSegBufAfterReset: a reset drops all ends and restarts their numbers.
func TestSegBufAfterReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for life := range uint64(3) {
				next, before := acp.Rank((int(p.Rank())+1)%n), acp.Rank((int(p.Rank())+2)%n)
				out, err := p.NewSegBufSource(next, binary.NativeEndian.AppendUint64(nil, life), 8)
				if err != nil {
					return err
				}
				mem := foreign(t, 8)
				in, err := p.NewSegBufDestination(before, mem, 8)
				if err != nil {
					return err
				}
				// The other end of this one is never made.
				if _, err := p.NewSegBufSource(next, mem, 8); err != nil {
					return err
				}
				if err := errors.Join(out.Connect(), in.Connect(), out.Ack()); err != nil {
					return err
				}
				for ok := false; !ok; runtime.Gosched() {
					if ok, err = in.IsAcked(); err != nil {
						return err
					}
				}
				if got := binary.NativeEndian.Uint64(mem); got != life {
					return fmt.Errorf("got %d in life %d", got, life)
				}
				if err := p.Reset(next); err != nil {
					return err
				}
				if err := errors.Join(expect(acp.ErrDestroyed, out.Ack()), expect(acp.ErrDestroyed, in.Disconnect())); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// TestLostRunEndsSegBuf ends the run while ranks wait for other ends.
func TestLostRunEndsSegBuf(t *testing.T) {
	loseRun(t, func(ctx context.Context, p *acp.Process) (func() error, error) {
		e, err := lonelyEnd(p.WithContext(ctx))
		if p.Rank() == 1 {
			return func() error { return e.Connect() }, err
		}
		return func() error { return e.Close() }, err
	})
}

// lonelyEnd makes an end whose other end rank 0 never makes or never disconnects.
func lonelyEnd(p *acp.Process) (*acp.SegBuf, error) {
	switch p.Rank() {
	case 0:
		return p.NewSegBufSource(2, make([]byte, 8), 8)
	case 1:
		return p.NewSegBufSource(0, make([]byte, 8), 8)
	}
	e, err := p.NewSegBufDestination(0, make([]byte, 8), 8)
	if err != nil {
		return nil, err
	}
	return e, errors.Join(e.Connect(), e.Disconnect())
}
