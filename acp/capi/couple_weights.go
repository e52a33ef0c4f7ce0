//go:build cgo

package main

// #include "bind.h"
import "C"

import (
	"context"

	"github.com/goacp/goacp/internal/couple/link"
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

// openWeighted is open for a link with weights.
func (o *linkOpening) openWeighted(m *matrixArguments, by func(ctx context.Context, f *link.Field, name string, weights []link.Weight) (*coupledLink, error)) C.uintptr_t {
	return o.open(func(ctx context.Context, f *link.Field, name string) (*coupledLink, error) {
		weights, err := m.read()
		if err != nil {
			return nil, err
		}
		return by(ctx, f, name, weights)
	})
}

// goacp_open_weighted_link is acp_open_link_weighted_to, or acp_open_link_weighted_from if sends is 0.
//
//export goacp_open_weighted_link
func goacp_open_weighted_link(field C.uintptr_t, other *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, sends, levels, every C.int, seconds C.double) C.uintptr_t {
	m, chosen := &matrixArguments{rows, columns, weights, entries}, link.Options{Levels: int(levels), Every: int(every)}
	if sends != 0 {
		o := linkOpening{field, "to", other, seconds}
		return o.openWeighted(m, func(ctx context.Context, f *link.Field, name string, weights []link.Weight) (*coupledLink, error) {
			s, err := f.SendWeighted(ctx, name, weights, chosen)
			return &coupledLink{sender: s}, err
		})
	}
	o := linkOpening{field, "from", other, seconds}
	return o.openWeighted(m, func(ctx context.Context, f *link.Field, name string, weights []link.Weight) (*coupledLink, error) {
		r, err := f.ReceiveWeighted(ctx, name, weights, chosen)
		return &coupledLink{receiver: r}, err
	})
}

// goacp_publish_weighted_link is acp_publish_link_weighted_to.
//
//export goacp_publish_weighted_link
func goacp_publish_weighted_link(field C.uintptr_t, to *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, every C.int) C.uintptr_t {
	o := linkOpening{field, "to", to, -1}
	return o.openWeighted(&matrixArguments{rows, columns, weights, entries}, func(_ context.Context, f *link.Field, name string, weights []link.Weight) (*coupledLink, error) {
		p, err := f.PublishWeighted(name, int(every), weights)
		return &coupledLink{publisher: p}, err
	})
}

// goacp_watch_weighted_link is acp_watch_link_weighted_from.
//
//export goacp_watch_weighted_link
func goacp_watch_weighted_link(field C.uintptr_t, from *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, seconds C.double) C.uintptr_t {
	o := linkOpening{field, "from", from, seconds}
	return o.openWeighted(&matrixArguments{rows, columns, weights, entries}, func(ctx context.Context, f *link.Field, name string, weights []link.Weight) (*coupledLink, error) {
		w, err := f.WatchWeighted(ctx, name, weights)
		return &coupledLink{watcher: w}, err
	})
}
