//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"

	"github.com/goacp/goacp/acp"
)

// goacp_publish_link is acp_publish_link_to.
//
//export goacp_publish_link
func goacp_publish_link(field C.uintptr_t, to *C.char, every C.int) C.uintptr_t {
	o := linkOpening{field: field, parameter: "to", other: to, seconds: -1}
	return o.open(func(_ context.Context, r *linkRequest) (*coupledLink, error) {
		p, err := r.field.PublishTo(r.name, int(every))
		return &coupledLink{publisher: p}, err
	})
}

// goacp_watch_link is acp_watch_link_from.
//
//export goacp_watch_link
func goacp_watch_link(field C.uintptr_t, from *C.char, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: "from", other: from, seconds: seconds}
	return o.open(func(ctx context.Context, r *linkRequest) (*coupledLink, error) {
		w, err := r.field.Watch(ctx, r.name)
		return &coupledLink{watcher: w}, err
	})
}

//export goacp_next_link
func goacp_next_link(number C.uintptr_t, step *C.int64_t, seconds C.double) C.int {
	return coupled(-1, func(*acp.Process) (C.int, error) {
		l, err := find(&lib.coupling.links, "link", number)
		switch {
		case err != nil:
			return -1, err
		case l.watcher == nil:
			return -1, l.refuse()
		}
		ctx, cancel, err := limited(seconds)
		if err != nil {
			return -1, err
		}
		defer cancel()
		came, err := l.watcher.Next(ctx)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return 1, nil
		case err != nil:
			return -1, err
		}
		if step != nil {
			*step = C.int64_t(came)
		}
		return 0, nil
	})
}
