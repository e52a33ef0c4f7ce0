//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/weights"
)

// flagPlane is the flag of grids in acp_couple.h, besides flagFortran.
const flagPlane = 8

// A grid of the program does not change: the functions that complete it put another one in its place. So weights are made of one state of
// it, also if another thread completes it.

// addGrid returns the handle of the grid that f returns.
func addGrid(f func() (*weights.Grid, error)) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		g, err := f()
		if err != nil {
			return 0, err
		}
		return lib.coupling.grids.add(g), nil
	})
}

//export goacp_create_grid
func goacp_create_grid(xs, ys *C.double, dims C.int, sizes *C.int, flags C.int) C.uintptr_t {
	return addGrid(func() (*weights.Grid, error) {
		if dims < 1 || dims > maxDims {
			return nil, fmt.Errorf("%w: %d dimensions, expected 1 to %d", weights.ErrGrid, dims, maxDims)
		}
		if flags&^(flagFortran|flagPlane) != 0 {
			return nil, fmt.Errorf("%w: flags %#x; expected ACP_ORDER_FORTRAN, ACP_PLANE, their sum, or 0", weights.ErrGrid, flags)
		}
		all, err := integers("sizes", sizes, dims)
		if err != nil {
			return nil, err
		}
		n := int64(1)
		for _, size := range all {
			if size < 1 || int64(size) > mostInArray/n {
				return nil, fmt.Errorf("%w: sizes are %v; expected at least 1 each, and a product of at most %d", weights.ErrGrid, all, int64(mostInArray))
			}
			n *= int64(size)
		}
		if flags&flagFortran != 0 {
			slices.Reverse(all)
		}
		g := &weights.Grid{Plane: flags&flagPlane != 0}
		if dims > 1 {
			g.Sizes = all
		}
		g.X, g.Y, err = coordinates(xs, ys, n)
		return g, err
	})
}

// coordinates returns copies of n coordinates of the program each.
func coordinates(xs, ys *C.double, n int64) (x, y []float64, err error) {
	for _, list := range []struct {
		name string
		at   *C.double
		to   *[]float64
	}{{"xs", xs, &x}, {"ys", ys, &y}} {
		all, err := arrayAt(list.name, list.at, n)
		if err != nil {
			return nil, nil, err
		}
		*list.to = make([]float64, n)
		for i, v := range all {
			(*list.to)[i] = float64(v)
		}
	}
	return x, y, nil
}

//export goacp_count_grid
func goacp_count_grid(number C.uintptr_t) C.int64_t {
	return coupled(-1, func(*acp.Process) (C.int64_t, error) {
		g, err := find(&lib.coupling.grids, "grid", number)
		if err != nil {
			return -1, err
		}
		return C.int64_t(g.Len()), nil
	})
}

// completeGrid puts the grid that f has changed in place of the grid with a handle. If another thread has done so meanwhile, it changes that
// one.
func completeGrid(number C.uintptr_t, f func(g *weights.Grid) error) C.int {
	return doCoupled(func(*acp.Process) error {
		for {
			g, err := find(&lib.coupling.grids, "grid", number)
			if err != nil {
				return err
			}
			changed := *g
			if err := f(&changed); err != nil {
				return err
			}
			if replace(&lib.coupling.grids, number, g, &changed) {
				return nil
			}
		}
	})
}

//export goacp_set_grid_corners
func goacp_set_grid_corners(number C.uintptr_t, xs, ys *C.double, count C.int) C.int {
	return completeGrid(number, func(g *weights.Grid) (err error) {
		if count < 3 || int64(count) > mostInArray/int64(g.Len()) {
			return fmt.Errorf("%w: cells with %d corners; a cell has at least 3", weights.ErrGrid, count)
		}
		g.Corners = int(count)
		g.CornerX, g.CornerY, err = coordinates(xs, ys, int64(g.Len())*int64(count))
		return err
	})
}

//export goacp_mask_grid
func goacp_mask_grid(number C.uintptr_t, masks *C.int, count C.int64_t) C.int {
	return completeGrid(number, func(g *weights.Grid) error {
		if int64(count) != int64(g.Len()) {
			return fmt.Errorf("%w: count is %d, for %d points", link.ErrSize, int64(count), g.Len())
		}
		valid, err := arrayAt("masks", masks, int64(count))
		if err != nil {
			return err
		}
		g.Mask = make([]bool, len(valid))
		for i, v := range valid {
			g.Mask[i] = v != 0
		}
		return nil
	})
}

//export goacp_free_grid
func goacp_free_grid(number C.uintptr_t) C.int {
	return freed(&lib.coupling.grids, "grid", number)
}

// errChoice: a method or choice of acp_make_weights that there is not.
var errChoice = errors.New("invalid argument")

// weightOptions returns the options of acp_make_weights.
func weightOptions(method, choice C.int, points *C.int64_t, count C.int64_t) (o weights.Options, err error) {
	o.Method = weights.Method(method)
	switch {
	case method < C.int(weights.Nearest) || method > C.int(weights.Conservative):
		return o, fmt.Errorf("%w: there is no method %d; expected ACP_REGRID_NEAREST, ACP_REGRID_BILINEAR or ACP_REGRID_CONSERVATIVE", errChoice, method)
	case o.Method == weights.Nearest:
		o.Neighbours = int(choice)
	case choice != 0 && choice != 1:
		return o, fmt.Errorf("%w: choice is %d for the method %v; expected 0 or 1", errChoice, choice, o.Method)
	case o.Method == weights.Bilinear:
		o.FillNearest = choice == 1
	case choice == 1:
		o.Normalization = weights.CellArea
	}
	if count < 0 {
		return o, nil
	}
	all, err := arrayAt("points", points, int64(count))
	o.Rows = make([]int, len(all))
	for i, p := range all {
		o.Rows[i] = int(p)
	}
	return o, err
}

//export goacp_make_weights
func goacp_make_weights(from, to C.uintptr_t, method, choice C.int, points *C.int64_t, count C.int64_t) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		o, err := weightOptions(method, choice, points, count)
		if err != nil {
			return 0, err
		}
		var grids [2]weights.Grid
		for i, number := range []C.uintptr_t{from, to} {
			name := [...]string{"from", "to"}[i]
			g, err := find(&lib.coupling.grids, "grid", number)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", name, err)
			}
			if grids[i] = *g; g.Name == "" {
				grids[i].Name = name
			}
		}
		m, err := weights.Make(&grids[0], &grids[1], o)
		if err != nil {
			return 0, err
		}
		return lib.coupling.weights.add(m), nil
	})
}

//export goacp_count_weights
func goacp_count_weights(number C.uintptr_t) C.int64_t {
	return coupled(-1, func(*acp.Process) (C.int64_t, error) {
		m, err := find(&lib.coupling.weights, "weights", number)
		if err != nil {
			return -1, err
		}
		return C.int64_t(len(m.Entries)), nil
	})
}

// doWeights calls f with weights.
func doWeights(number C.uintptr_t, f func(m *weights.Matrix) error) C.int {
	return doCoupled(func(*acp.Process) error {
		m, err := find(&lib.coupling.weights, "weights", number)
		if err != nil {
			return err
		}
		return f(m)
	})
}

//export goacp_query_weights
func goacp_query_weights(number C.uintptr_t, rows, columns *C.int64_t, values *C.double) C.int {
	return doWeights(number, func(m *weights.Matrix) error {
		n := int64(len(m.Entries))
		row, err := arrayAt("rows", rows, n)
		if err != nil {
			return err
		}
		column, err := arrayAt("columns", columns, n)
		if err != nil {
			return err
		}
		value, err := arrayAt("values", values, n)
		if err != nil {
			return err
		}
		for i, e := range m.Entries {
			row[i], column[i], value[i] = C.int64_t(e.Row), C.int64_t(e.Column), C.double(e.Value)
		}
		return nil
	})
}

//export goacp_free_weights
func goacp_free_weights(number C.uintptr_t) C.int {
	return freed(&lib.coupling.weights, "weights", number)
}
