package acp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestEndOfValues: the end of a sender's values is not reported as a failure, and ends an iteration without
// an error.
func TestEndOfValues(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		got := captured(t, func() {
			run(t, n, acp.Config{Mode: mode, OnError: acp.AbortOnError}, func(p *member) error {
				if p.Rank() == 0 {
					s := must(acp.NewSender[uint32](p.Process, 1))
					return errors.Join(s.Send(1), s.Send(2), s.Close())
				}
				r := must(acp.NewReceiver[uint32](p.Process, 0, acp.ChannelOptions{}))
				sum := uint32(0)
				for v := range r.All() {
					sum += v
				}
				if _, err := r.Recv(); !errors.Is(err, acp.ErrClosed) {
					return fmt.Errorf("behind the last value: %v", err)
				}
				if sum != 3 || r.Err() != nil {
					return fmt.Errorf("the sum of the values is %d, %w", sum, r.Err())
				}
				return r.Close()
			})
		})
		if got != "" {
			t.Errorf("written: %q", got)
		}
	})
}

// TestIterationEndsByReset: an iteration that Reset ends has an error, since the sender has not
// closed its end.
func TestIterationEndsByReset(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 0 {
				s := must(acp.NewSender[uint32](p.Process, 1))
				return errors.Join(s.Send(1), p.Sync(), p.Reset(0))
			}
			r := must(acp.NewReceiver[uint32](p.Process, 0, acp.ChannelOptions{}))
			first, ended := make(chan bool), make(chan error)
			go func() {
				for range r.All() {
					first <- true
				}
				ended <- r.Err()
			}()
			<-first
			if err := errors.Join(p.Sync(), p.Reset(1)); err != nil {
				return err
			}
			return expect(acp.ErrClosed, <-ended)
		})
	})
}

// TestReceiverDropsLostValue: if one message of a long value is wrong, its other messages are not taken for
// values.
func TestReceiverDropsLostValue(t *testing.T) {
	const front, chunk = 1024 - 8, 1 << 20 // as a Sender divides values
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 0 {
				c := must(p.NewChannel(0, 1, acp.ChannelOptions{}))
				head := binary.LittleEndian.AppendUint64(nil, front+2*chunk+8)
				for _, m := range [][]byte{
					append(head, make([]byte, front)...), make([]byte, chunk-1), make([]byte, chunk), make([]byte, 8),
					append(binary.LittleEndian.AppendUint64(nil, 2), "ok"...),
				} {
					if err := send(c, m); err != nil {
						return err
					}
				}
				return c.Close()
			}
			r := must(acp.NewReceiver[[]byte](p.Process, 0, acp.ChannelOptions{}))
			if _, err := r.Recv(); !errors.Is(err, acp.ErrBadSize) {
				return fmt.Errorf("a value with a message that is too short: %v", err)
			}
			if v, err := r.Recv(); err != nil || !bytes.Equal(v, []byte("ok")) {
				return fmt.Errorf("the value behind it: %d bytes, %v", len(v), err)
			}
			return r.Close()
		})
	})
}
