//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// coupledLink is one side of a link of a C program. All but one of them are nil.
type coupledLink struct {
	begun     *begunLink
	sender    *link.Sender
	receiver  *link.Receiver
	publisher *link.Publisher
	watcher   *link.Watcher
}

// waiter is an end of a link whose next step may have to wait.
type waiter interface {
	Ready() (bool, error)
	Wait(ctx context.Context) error
}

// waits returns the end of which the program asks whether its next step would wait.
func (l *coupledLink) waits() (waiter, error) {
	if l.publisher != nil {
		return l.publisher, nil
	}
	return l.transfers()
}

// transferEnd is an end of a link that is not watched.
type transferEnd interface {
	waiter
	stateful
	waits
	Scale(factor, offset float64) error
	Record(name string, every int) error
}

// transfers returns the end of the link, unless it is watched.
func (l *coupledLink) transfers() (transferEnd, error) {
	switch {
	case l.sender != nil:
		return l.sender, nil
	case l.receiver != nil:
		return l.receiver, nil
	}
	return nil, l.refuse()
}

// Close ends the use of the link by this rank. It implements link.Closer.
func (l *coupledLink) Close(ctx context.Context) error {
	switch {
	case l.begun != nil:
		return l.begun.giveUp()
	case l.sender != nil:
		return l.sender.Close(ctx)
	case l.receiver != nil:
		return l.receiver.Close(ctx)
	case l.watcher != nil:
		return l.watcher.Close(ctx)
	}
	return l.publisher.Close(ctx)
}

// refuse returns the error for a function that is for another end of a link.
func (l *coupledLink) refuse() error {
	does := "receives"
	switch {
	case l.begun != nil:
		return fmt.Errorf("%w: the link is not open before acp_complete_links", link.ErrOptions)
	case l.sender != nil:
		does = "sends"
	case l.publisher != nil:
		does = "publishes"
	case l.watcher != nil:
		does = "watches"
	}
	return fmt.Errorf("%w: this rank %s by the link", link.ErrOptions, does)
}

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

// linkOpening is what the functions that open a link get.
type linkOpening struct {
	field     C.uintptr_t
	parameter string // what the function calls the other field
	other     *C.char
	seconds   C.double
	matrix    *matrixArguments // nil: without weights
	file      **C.char         // with weights; nil: without
}

// linkRequest is what a linkOpening says.
type linkRequest struct {
	ctx     context.Context
	cancel  context.CancelFunc
	field   *link.Field
	name    string // of the other field
	weights []link.Weight
	file    string
}

// read reads the arguments.
func (o *linkOpening) read() (*linkRequest, error) {
	f, err := find(&lib.coupling.fields, "field", o.field)
	if err != nil {
		return nil, err
	}
	r := &linkRequest{field: f.core}
	if r.name, err = text(o.parameter, o.other); err != nil {
		return nil, err
	}
	if o.matrix != nil {
		if r.weights, err = o.matrix.read(); err != nil {
			return nil, err
		}
	}
	if o.file != nil {
		if r.file, err = text("file", *o.file); err != nil {
			return nil, err
		}
	}
	r.ctx, r.cancel, err = limited(o.seconds)
	return r, err
}

// opens opens an end of a link.
type opens func(ctx context.Context, r *linkRequest) (*coupledLink, error)

// open opens a link by a function. It returns the number of the link, or 0.
func (o *linkOpening) open(by opens) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		r, err := o.read()
		if err != nil {
			return 0, err
		}
		defer r.cancel()
		l, err := by(r.ctx, r)
		if err != nil {
			return 0, err
		}
		number := lib.coupling.links.add(l)
		lib.coupling.near.share(number, l)
		return number, nil
	})
}

// end returns the function that opens the end of a link to the other field, or of one from it if sends is 0. chosen are its
// options.
func (o *linkOpening) end(sends C.int, chosen link.Options) opens {
	return func(ctx context.Context, r *linkRequest) (*coupledLink, error) {
		l, err := new(coupledLink), error(nil)
		switch {
		case sends != 0 && o.matrix != nil:
			l.sender, err = r.field.SendWeighted(ctx, r.name, r.weights, chosen)
		case sends != 0 && o.file != nil:
			l.sender, err = r.field.SendByFile(ctx, r.name, r.file, chosen)
		case sends != 0:
			l.sender, err = r.field.SendTo(ctx, r.name, chosen)
		case o.matrix != nil:
			l.receiver, err = r.field.ReceiveWeighted(ctx, r.name, r.weights, chosen)
		case o.file != nil:
			l.receiver, err = r.field.ReceiveByFile(ctx, r.name, r.file, chosen)
		default:
			l.receiver, err = r.field.ReceiveFrom(ctx, r.name, chosen)
		}
		return l, err
	}
}

// direction is what functions call the field at the other side of a link, to which this one sends unless sends is 0.
func direction(sends C.int) string {
	if sends != 0 {
		return "to"
	}
	return "from"
}

// goacp_open_link is acp_open_link_to, or acp_open_link_from if sends is 0.
//
//export goacp_open_link
func goacp_open_link(field C.uintptr_t, other *C.char, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: direction(sends), other: other, seconds: seconds}
	return o.open(o.end(sends, link.Options{Levels: int(levels), Every: int(every)}))
}

//export goacp_send_link
func goacp_send_link(number C.uintptr_t, step C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		switch {
		case err != nil:
			return err
		case l.publisher != nil:
			return l.publisher.Send(int64(step))
		case l.sender == nil:
			return l.refuse()
		}
		ctx, cancel := waitTime()
		defer cancel()
		return l.sender.Send(ctx, int64(step))
	})
}

//export goacp_receive_link
func goacp_receive_link(number C.uintptr_t, step C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		switch {
		case err != nil:
			return err
		case l.receiver == nil:
			return l.refuse()
		}
		ctx, cancel := waitTime()
		defer cancel()
		return l.receiver.Receive(ctx, int64(step))
	})
}

//export goacp_isready_link
func goacp_isready_link(number C.uintptr_t) C.int {
	return coupled(-1, func(*acp.Process) (C.int, error) {
		l, err := find(&lib.coupling.links, "link", number)
		if err != nil {
			return -1, err
		}
		end, err := l.waits()
		if err != nil {
			return -1, err
		}
		ready, err := end.Ready()
		switch {
		case err != nil:
			return -1, err
		case ready:
			return 0, nil
		}
		return 1, nil
	})
}

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
		end, err := l.waits()
		if err != nil {
			return -1, err
		}
		switch err := end.Wait(ctx); {
		case errors.Is(err, context.DeadlineExceeded):
			return 1, nil
		case err != nil:
			return -1, err
		}
		return 0, nil
	})
}

//export goacp_close_link
func goacp_close_link(number C.uintptr_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.links, "link", number)
		lib.coupling.near.unshare(number)
		if err == nil {
			err = l.Close(context.Background())
		}
		if err == nil {
			lib.coupling.links.drop(number)
		}
		return err
	})
}
