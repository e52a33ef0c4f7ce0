//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// goacp_open_file_link is acp_open_link_file_to, or acp_open_link_file_from if sends is 0.
//
//export goacp_open_file_link
func goacp_open_file_link(field C.uintptr_t, other, file *C.char, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: direction(sends), other: other, seconds: seconds, file: &file}
	return o.open(o.end(sends, link.Options{Levels: int(levels), Every: int(every)}))
}

// goacp_begin_file_link is acp_begin_link_file_to, or acp_begin_link_file_from if sends is 0.
//
//export goacp_begin_file_link
func goacp_begin_file_link(field C.uintptr_t, other, file *C.char, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: direction(sends), other: other, seconds: seconds, file: &file}
	chosen := link.Options{Levels: int(levels), Every: int(every)}
	return o.begin(chosen, o.end(sends, chosen))
}

// goacp_publish_file_link is acp_publish_link_file_to.
//
//export goacp_publish_file_link
func goacp_publish_file_link(field C.uintptr_t, to, file *C.char, every C.int) C.uintptr_t {
	o := linkOpening{field: field, parameter: "to", other: to, seconds: -1, file: &file}
	return o.open(func(_ context.Context, r *linkRequest) (*coupledLink, error) {
		p, err := r.field.PublishByFile(r.name, int(every), r.file)
		return &coupledLink{publisher: p}, err
	})
}

// goacp_watch_file_link is acp_watch_link_file_from.
//
//export goacp_watch_file_link
func goacp_watch_file_link(field C.uintptr_t, from, file *C.char, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: "from", other: from, seconds: seconds, file: &file}
	return o.open(func(ctx context.Context, r *linkRequest) (*coupledLink, error) {
		w, err := r.field.WatchByFile(ctx, r.name, r.file)
		return &coupledLink{watcher: w}, err
	})
}
