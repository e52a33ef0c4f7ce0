//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// begunLink is a link of a C program that is being opened on a goroutine of its own.
type begunLink struct {
	group  *link.Group // of this link alone
	stop   context.CancelFunc
	opened *coupledLink // when the group is complete
}

// begin is open without the wait, for a link with options.
func (o *linkOpening) begin(chosen link.Options, by opens) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		r, err := o.read()
		if err != nil {
			return 0, err
		}
		if err := link.Check(r.name, chosen); err != nil {
			r.cancel()
			return 0, err
		}
		ctx, cancel := context.WithCancel(r.ctx)
		b := &begunLink{group: link.Begin(ctx), stop: func() { cancel(); r.cancel() }}
		link.Open(b.group, r.field, func(ctx context.Context) (*coupledLink, error) {
			return by(ctx, r)
		}, func(l *coupledLink) { b.opened = l })
		return lib.coupling.links.add(&coupledLink{begun: b}), nil
	})
}

// giveUp ends the opening, or closes the link if it is open by now.
func (b *begunLink) giveUp() error {
	b.stop()
	if b.group.Wait() != nil {
		return nil // which is what the caller wants
	}
	return b.opened.Close(context.Background())
}

// goacp_begin_link is acp_begin_link_to, or acp_begin_link_from if sends is 0.
//
//export goacp_begin_link
func goacp_begin_link(field C.uintptr_t, other *C.char, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: direction(sends), other: other, seconds: seconds}
	chosen := link.Options{Levels: int(levels), Every: int(every)}
	return o.begin(chosen, o.end(sends, chosen))
}

// goacp_begin_weighted_link is acp_begin_link_weighted_to, or acp_begin_link_weighted_from if sends is 0.
//
//export goacp_begin_weighted_link
func goacp_begin_weighted_link(field C.uintptr_t, other *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: direction(sends), other: other, seconds: seconds, matrix: &matrixArguments{rows, columns, weights, entries}}
	chosen := link.Options{Levels: int(levels), Every: int(every)}
	return o.begin(chosen, o.end(sends, chosen))
}

//export goacp_complete_links
func goacp_complete_links(links *C.uintptr_t, count C.int) C.int {
	return doCoupled(func(*acp.Process) error {
		numbers, err := arrayAt("links", links, int64(count))
		if err != nil {
			return err
		}
		var all []*coupledLink
		for i, number := range numbers {
			l, err := find(&lib.coupling.links, "link", number)
			switch {
			case err != nil:
				return err
			case l.begun == nil:
				return fmt.Errorf("%w: link %#x has not been begun, or has been completed", link.ErrOptions, uintptr(number))
			case slices.Contains(numbers[:i], number):
				return fmt.Errorf("%w: link %#x is there twice", link.ErrOptions, uintptr(number))
			}
			all = append(all, l)
		}
		ctx, cancel := waitTime()
		defer cancel()
		err = complete(ctx, all)
		switch {
		case errors.Is(err, link.ErrUnfinished):
			return err
		case err != nil:
			for _, number := range numbers {
				lib.coupling.links.drop(number)
			}
			return err
		}
		for i, l := range all {
			*l = *l.begun.opened
			lib.coupling.near.share(numbers[i], l)
		}
		return nil
	})
}

// complete waits until all links are open that have been begun. If one of them fails, it gives up the others, and
// closes those that are open. If ctx ends before, it returns link.ErrUnfinished and changes nothing.
func complete(ctx context.Context, links []*coupledLink) error {
	var groups []*link.Group
	for _, l := range links {
		groups = append(groups, l.begun.group)
	}
	err := link.Wait(ctx, groups...)
	if errors.Is(err, link.ErrUnfinished) {
		return err
	}
	for _, l := range links {
		l.begun.stop()
	}
	return err
}
