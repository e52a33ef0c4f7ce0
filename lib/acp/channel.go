//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ring"
	"github.com/goacp/goacp/internal/structure/channel"
)

//export goacp_create_ch
func goacp_create_ch(sender, receiver C.int) C.uint64_t {
	return call(0, func(p *acp.Process) (C.uint64_t, error) {
		c, err := p.NewChannel(acp.Rank(sender), acp.Rank(receiver), acp.ChannelOptions{})
		if err != nil {
			return 0, err
		}
		return C.uint64_t(hidden.ChannelHandle(c)), nil
	})
}

// onChannel makes a request on a channel and returns its handle, or 0.
func onChannel(ch C.uint64_t, f func(*channel.Channel) (*channel.Request, error)) C.uint64_t {
	return call(0, func(p *acp.Process) (C.uint64_t, error) {
		c, err := hidden.Channel(p, uint64(ch))
		if err != nil {
			return 0, err
		}
		r, err := f(c)
		if err != nil {
			return 0, err
		}
		return C.uint64_t(r.Handle()), nil
	})
}

// message returns the size bytes at buf. Fails for NULL, and for more than a process has.
func message(buf unsafe.Pointer, size uint64) ([]byte, error) {
	switch {
	case size > ring.MaxMessage || uintptr(buf) > ^uintptr(0)-uintptr(size):
		return nil, fmt.Errorf("%w: a message of %d bytes at %p", acp.ErrBadSize, size, buf)
	case buf == nil && size > 0:
		return nil, fmt.Errorf("%w: a message of %d bytes at NULL", acp.ErrBadAddress, size)
	}
	if err := fabric.CheckAddress(uintptr(buf)); err != nil {
		return nil, fmt.Errorf("%w: a message of %d bytes: %w", acp.ErrBadAddress, size, err)
	}
	return unsafe.Slice((*byte)(buf), size), nil
}

// goacp_nbsend_ch is acp_nbsend_ch where C does not do it itself.
//
//export goacp_nbsend_ch
func goacp_nbsend_ch(ch C.uint64_t, buf unsafe.Pointer, size C.size_t) C.uint64_t {
	return onChannel(ch, func(c *channel.Channel) (*channel.Request, error) {
		b, err := message(buf, uint64(size))
		if err != nil {
			return nil, err
		}
		return c.Send(b)
	})
}

// goacp_nbrecv_ch is acp_nbrecv_ch where C does not do it itself.
//
//export goacp_nbrecv_ch
func goacp_nbrecv_ch(ch C.uint64_t, buf unsafe.Pointer, size C.size_t) C.uint64_t {
	return onChannel(ch, func(c *channel.Channel) (*channel.Request, error) {
		b, err := message(buf, uint64(size))
		if err != nil {
			return nil, err
		}
		return c.Recv(b)
	})
}

//export goacp_nbfree_ch
func goacp_nbfree_ch(ch C.uint64_t) C.uint64_t { return onChannel(ch, (*channel.Channel).Free) }

// goacp_wait_ch is acp_wait_ch where C does not do it itself. acp_set_timeout limits it unless limited is 0.
//
//export goacp_wait_ch
func goacp_wait_ch(request C.uint64_t, limited C.int) C.size_t {
	return call(^C.size_t(0), func(p *acp.Process) (C.size_t, error) {
		r, err := hidden.Request(p, uint64(request))
		if err != nil {
			return 0, err
		}
		ctx := context.Background()
		if limited != 0 {
			timed, cancel := waitTime()
			defer cancel()
			ctx = timed
		}
		n, err := r.Wait(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			hidden.KeepRequest(p, uint64(request), r)
		}
		return C.size_t(n), requestError(err)
	})
}

// requestError returns the error err of a request with the name of what has failed, which the
// function that waits does not say.
func requestError(err error) error {
	var op *acp.OpError
	if !errors.As(err, &op) {
		return err
	}
	what := op.Op
	if op.Size > 0 {
		what += fmt.Sprintf(" of %d bytes", op.Size)
	}
	return fmt.Errorf("%s: %w", what, op.Err)
}

// goacp_waitall_ch is acp_waitall_ch with arguments that are wrong.
//
//export goacp_waitall_ch
func goacp_waitall_ch(requests *C.acp_request_t, count C.int, sizes *C.size_t) C.int {
	return perform(func(*acp.Process) error {
		if count < 0 {
			return fmt.Errorf("%w: %d requests", acp.ErrBadSize, count)
		}
		return fmt.Errorf("%w: %d requests at NULL", acp.ErrBadAddress, count)
	})
}

// goacp_wake_ch wakes the other end of a channel, which waits for what C has just done.
//
//export goacp_wake_ch
func goacp_wake_ch(ch C.uint64_t) {
	call(0, func(p *acp.Process) (int, error) {
		if c, err := hidden.Channel(p, uint64(ch)); err == nil {
			c.WakeOther()
		}
		return 0, nil
	})
}
