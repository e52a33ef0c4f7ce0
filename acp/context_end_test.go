package acp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
)

// TestGiveUpBeforeEnd: after calls whose context had already ended, the ends of channels and segmented
// buffers are still open and no value is lost.
func TestGiveUpBeforeEnd(t *testing.T) {
	run(t, 2, acp.Config{}, func(p *member) error {
		if p.Rank() == 0 {
			s := must(acp.NewSender[int](p.Process, 1))
			ended := s.WithContext(cancelled())
			return errors.Join(
				opError(ended.Send(1)), expect(context.Canceled, ended.Close()), opError(ended.Close()),
				s.Send(2), p.Process.Sync(), s.Close(),
			)
		}
		r := must(acp.NewReceiver[int](p.Process, 0, acp.ChannelOptions{}))
		err := p.Process.Sync()
		for range 50 { // the value is there
			err = errors.Join(err, expect(context.Canceled, last(r.WithContext(cancelled()).Recv())))
		}
		err = errors.Join(err, expect(context.Canceled, r.WithContext(cancelled()).Close()))
		if n, failed := r.Recv(); failed != nil || n != 2 {
			err = errors.Join(err, failed, fmt.Errorf("received %d", n))
		}
		return errors.Join(err, r.Close())
	})
}

// TestGiveUpBeforeSegBufClose: an end that could be closed at once stays open if the context has
// ended.
func TestGiveUpBeforeSegBufClose(t *testing.T) {
	run(t, 2, acp.Config{}, func(p *member) error {
		buf := make([]byte, 64)
		var e *acp.SegBuf
		if p.Rank() == 0 {
			e = must(p.NewSegBufSource(1, buf, 16))
		} else {
			e = must(p.NewSegBufDestination(0, buf, 16))
		}
		err := errors.Join(e.Connect(), e.Disconnect(), p.Process.Sync())
		ended := e.WithContext(cancelled())
		for range 100 { // the other end has disconnected, and this end notices it
			failed := ended.Close()
			err = errors.Join(err, opError(failed), expect(context.Canceled, failed))
			err = errors.Join(err, last(p.Inquire(acp.HandleAll)))
		}
		return errors.Join(err, e.Close())
	})
}
