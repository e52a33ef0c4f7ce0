//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// coupledLinks are the links of the description that a C program has opened.
type coupledLinks struct {
	core    *link.Links
	watched map[string]C.uintptr_t // numbers of links, by the name of the field
}

//export goacp_open_links
func goacp_open_links(model C.uintptr_t, seconds C.double) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		m, err := find(&lib.coupling.models, "model", model)
		if err != nil {
			return 0, err
		}
		ctx, cancel, err := limited(seconds)
		if err != nil {
			return 0, err
		}
		defer cancel()
		core, err := m.Open(ctx)
		if err != nil {
			return 0, err
		}
		l := &coupledLinks{core, make(map[string]C.uintptr_t)}
		for field, w := range core.Watchers() {
			l.watched[field] = lib.coupling.links.add(&coupledLink{watcher: w})
		}
		return lib.coupling.described.add(l), nil
	})
}

//export goacp_send_links
func goacp_send_links(number C.uintptr_t, step C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.described, "links", number)
		if err == nil {
			err = l.core.Send(context.Background(), int64(step))
		}
		return err
	})
}

//export goacp_receive_links
func goacp_receive_links(number C.uintptr_t, step C.int64_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.described, "links", number)
		if err == nil {
			err = l.core.Receive(context.Background(), int64(step))
		}
		return err
	})
}

//export goacp_query_watched_link
func goacp_query_watched_link(number C.uintptr_t, field *C.char) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		l, err := find(&lib.coupling.described, "links", number)
		if err != nil {
			return 0, err
		}
		name, err := text("field", field)
		if err != nil {
			return 0, err
		}
		if l.watched[name] == 0 {
			return 0, fmt.Errorf("%w: the description of the run has no watched link to field %s of this model", link.ErrField, name)
		}
		return l.watched[name], nil
	})
}

//export goacp_close_links
func goacp_close_links(number C.uintptr_t) C.int {
	return doCoupled(func(*acp.Process) error {
		l, err := find(&lib.coupling.described, "links", number)
		if err == nil {
			err = l.core.Close(context.Background())
		}
		if err != nil {
			return err
		}
		for _, w := range l.watched {
			lib.coupling.links.drop(w)
		}
		lib.coupling.described.drop(number)
		return nil
	})
}
