//go:build cgo

package main

// #include "bind.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/couple/link"
)

// coupledLink is one side of a link of a C program. One of both is nil.
type coupledLink struct {
	sender   *link.Sender
	receiver *link.Receiver
}

// end returns what both sides have in common.
func (l *coupledLink) end() interface {
	Ready() (bool, error)
	Wait(ctx context.Context) error
	Close(ctx context.Context) error
} {
	if l.sender != nil {
		return l.sender
	}
	return l.receiver
}

// Errors about the side of a link.
var (
	errSends    = fmt.Errorf("%w: this rank sends by the link", link.ErrOptions)
	errReceives = fmt.Errorf("%w: this rank receives by the link", link.ErrOptions)
)

// mostSeconds is the longest time limit; longer ones are none.
const mostSeconds = float64(math.MaxInt64 / int64(time.Second))

// limited returns a context that ends after some seconds, and never if they are negative.
func limited(seconds C.double) (context.Context, context.CancelFunc, error) {
	switch s := float64(seconds); {
	case math.IsNaN(s):
		return nil, nil, fmt.Errorf("%w: a time limit that is no number", link.ErrOptions)
	case s < 0 || s >= mostSeconds:
		return context.Background(), func() {}, nil
	default:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(s*float64(time.Second)))
		return ctx, cancel, nil
	}
}

// goacp_open_link is acp_open_link_to, or acp_open_link_from if sends is 0.
//
//export goacp_open_link
func goacp_open_link(field C.uintptr_t, other *C.char, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		f, err := find(&lib.coupling.fields, "field", field)
		if err != nil {
			return 0, err
		}
		parameter := "from"
		if sends != 0 {
			parameter = "to"
		}
		name, err := text(parameter, other)
		if err != nil {
			return 0, err
		}
		ctx, cancel, err := limited(seconds)
		if err != nil {
			return 0, err
		}
		defer cancel()
		l, o := new(coupledLink), link.Options{Levels: int(levels), Every: int(every)}
		if sends != 0 {
			l.sender, err = f.core.SendTo(ctx, name, o)
		} else {
			l.receiver, err = f.core.ReceiveFrom(ctx, name, o)
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return 0, fmt.Errorf("after %g s not all ranks of both models have opened the link: %w", float64(seconds), err)
		case err != nil:
			return 0, err
		}
		return lib.coupling.links.add(l), nil
	})
}

// goacp_send_link is acp_send_link.
//
//export goacp_send_link
func goacp_send_link(number C.uintptr_t, step C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		switch {
		case err != nil:
			return err
		case l.sender == nil:
			return errReceives
		}
		return l.sender.Send(context.Background(), int64(step))
	})
}

// goacp_receive_link is acp_receive_link.
//
//export goacp_receive_link
func goacp_receive_link(number C.uintptr_t, step C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		switch {
		case err != nil:
			return err
		case l.receiver == nil:
			return errSends
		}
		return l.receiver.Receive(context.Background(), int64(step))
	})
}

// goacp_isready_link is acp_isready_link.
//
//export goacp_isready_link
func goacp_isready_link(number C.uintptr_t) C.int {
	return coupled(-1, func(*acp.Process) (C.int, error) {
		l, err := find(&lib.coupling.links, "link", number)
		if err != nil {
			return -1, err
		}
		ready, err := l.end().Ready()
		switch {
		case err != nil:
			return -1, err
		case ready:
			return 0, nil
		}
		return 1, nil
	})
}

// goacp_wait_link is acp_wait_link.
//
//export goacp_wait_link
func goacp_wait_link(number C.uintptr_t, seconds C.double) C.int {
	return coupled(-1, func(*acp.Process) (C.int, error) {
		l, err := find(&lib.coupling.links, "link", number)
		if err != nil {
			return -1, err
		}
		ctx, cancel, err := limited(seconds)
		if err != nil {
			return -1, err
		}
		defer cancel()
		switch err := l.end().Wait(ctx); {
		case errors.Is(err, context.DeadlineExceeded):
			return 1, nil
		case err != nil:
			return -1, err
		}
		return 0, nil
	})
}

// goacp_close_link is acp_close_link.
//
//export goacp_close_link
func goacp_close_link(number C.uintptr_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		if err == nil {
			err = l.end().Close(context.Background())
		}
		if err == nil {
			lib.coupling.links.drop(number)
		}
		return err
	})
}
