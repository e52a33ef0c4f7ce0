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

// goacp_open_weighted_link is acp_open_link_weighted_from.
//
//export goacp_open_weighted_link
func goacp_open_weighted_link(field C.uintptr_t, from *C.char, rows, columns *C.int64_t, weights *C.double, entries C.int64_t, levels, every C.int, seconds C.double) C.uintptr_t {
	o := linkOpening{field, "from", from, seconds}
	return o.open(func(ctx context.Context, f *link.Field, name string) (*coupledLink, error) {
		m := matrixArguments{rows, columns, weights, entries}
		all, err := m.read()
		if err != nil {
			return nil, err
		}
		r, err := f.ReceiveWeighted(ctx, name, all, link.Options{Levels: int(levels), Every: int(every)})
		return &coupledLink{receiver: r}, err
	})
}
