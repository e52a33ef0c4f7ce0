//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// matrixArguments are the entries of a sparse matrix, as a C program gives them.
type matrixArguments struct {
	rows, columns *C.int64_t
	weights       *C.double
	entries       C.int64_t
}

// read returns the entries.
func (m *matrixArguments) read() ([]link.Weight, error) {
	n := int64(m.entries)
	rows, err := arrayAt("rows", m.rows, n)
	if err != nil {
		return nil, err
	}
	columns, err := arrayAt("columns", m.columns, n)
	if err != nil {
		return nil, err
	}
	weights, err := arrayAt("weights", m.weights, n)
	if err != nil {
		return nil, err
	}
	entries := make([]link.Weight, n)
	for i := range entries {
		entries[i] = link.Weight{Row: int64(rows[i]), Column: int64(columns[i]), Value: float64(weights[i])}
	}
	return entries, nil
}

// goacp_open_weighted_link is acp_open_link_weighted_to, or acp_open_link_weighted_from if sends is 0.
//
//export goacp_open_weighted_link
func goacp_open_weighted_link(field C.uintptr_t, other *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: direction(sends), other: other, seconds: seconds, matrix: &matrixArguments{rows, columns, weights, entries}}
	return o.open(o.end(sends, link.Options{Levels: int(levels), Every: int(every)}))
}

// goacp_publish_weighted_link is acp_publish_link_weighted_to.
//
//export goacp_publish_weighted_link
func goacp_publish_weighted_link(field C.uintptr_t, to *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, every C.int) C.uintptr_t {
	o := linkOpening{field: field, parameter: "to", other: to, seconds: -1, matrix: &matrixArguments{rows, columns, weights, entries}}
	return o.open(func(_ context.Context, r *linkRequest) (*coupledLink, error) {
		p, err := r.field.PublishWeighted(r.name, int(every), r.weights)
		return &coupledLink{publisher: p}, err
	})
}

// goacp_watch_weighted_link is acp_watch_link_weighted_from.
//
//export goacp_watch_weighted_link
func goacp_watch_weighted_link(field C.uintptr_t, from *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, seconds C.double) C.uintptr_t {
	o := linkOpening{field: field, parameter: "from", other: from, seconds: seconds, matrix: &matrixArguments{rows, columns, weights, entries}}
	return o.open(func(ctx context.Context, r *linkRequest) (*coupledLink, error) {
		w, err := r.field.WatchWeighted(ctx, r.name, r.weights)
		return &coupledLink{watcher: w}, err
	})
}
