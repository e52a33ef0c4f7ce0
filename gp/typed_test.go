package gp_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
)

// particle is a struct as C programs have it.
type particle struct {
	position [3]float64
	cell     int32
	alive    bool
}

// cellOf returns the particles of cell i.
func cellOf(i int) []particle {
	cell := make([]particle, i%4)
	for k := range cell {
		cell[k] = particle{[3]float64{float64(i), float64(k)}, int32(i), true}
	}
	return cell
}

// TestTyped moves slices of structs, and finds elements of another size.
func TestTyped(t *testing.T) {
	forEach(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			const cells = 20
			a, err := gp.Create(p.Process, gp.Config{Dims: []int{cells}})
			if err != nil {
				return err
			}
			t, err := gp.Of[particle](a)
			if err != nil {
				return err
			}
			block, _ := a.Block(p.Rank())
			for i := range block.Places() {
				at := block.Place(i)[0]
				if len(cellOf(at)) == 0 {
					continue
				}
				e, err := t.New(cellOf(at))
				if err == nil {
					err = a.Assign(e, at)
				}
				if err != nil || !slices.Equal(t.Values(e), cellOf(at)) {
					return fmt.Errorf("cell %d has %v: %w", at, t.Values(e), err)
				}
			}
			for place, cell := range t.Local() {
				if !slices.Equal(cell, cellOf(place[0])) {
					return fmt.Errorf("cell %v has %v", place, cell)
				}
			}
			return errors.Join(p.sync(), moveCells(p, t, cells), p.sync(), oddSize(p, t))
		})
	})
}

// moveCells reads all cells, writes to one cell of each rank and checks it.
func moveCells(p *member, t *gp.Typed[particle], cells int) error {
	all, err := t.Get(gp.Section{Lo: []int{0}, Hi: []int{cells - 1}})
	if err != nil || len(all) != cells {
		return fmt.Errorf("%d cells: %w", len(all), err)
	}
	for i, cell := range all {
		if !slices.Equal(cell, cellOf(i)) {
			return fmt.Errorf("cell %d has %v", i, cell)
		}
	}
	if err := p.sync(); err != nil {
		return err
	}
	own := 4*int(p.Rank()) + 3 // of three particles
	moved := []particle{{cell: 100}, {cell: 101}}
	if err := errors.Join(t.Put(gp.One(own), [][]particle{moved}), t.Scatter([][]int{{own}}, [][]particle{moved[:1]})); err != nil {
		return err
	}
	got, err := t.Gather([][]int{{own}, {own}})
	want := append(slices.Clone(moved), cellOf(own)[2])
	if err != nil || !slices.Equal(got[0], want) || !slices.Equal(got[1], want) {
		return fmt.Errorf("cell %d has %v, want %v: %w", own, got, want, err)
	}
	return nil
}

// oddSize reads an element that is no slice of particles.
func oddSize(p *member, t *gp.Typed[particle]) error {
	a := t.Array()
	block, _ := a.Block(p.Rank())
	e, err := gp.Alloc(p.Process, 33)
	if err != nil {
		return err
	}
	if err := a.Assign(e, block.Lo...); err != nil {
		return err
	}
	_, err = t.Get(gp.One(block.Lo...))
	var op *gp.OpError
	if !errors.Is(err, gp.ErrSize) || !errors.As(err, &op) || op.Have != 33 || !slices.Equal(op.Place, block.Lo) {
		return fmt.Errorf("an element of 33 bytes: %v", err)
	}
	if n := len(t.Values(e)); n != 1 {
		return fmt.Errorf("33 bytes are %d particles", n)
	}
	return nil
}

// TestTypes: slices of types with pointers have no form in global memory.
func TestTypes(t *testing.T) {
	run(t, bridge.ModeSHM, 1, func(p *member) error {
		a, err := gp.Create(p.Process, gp.Config{Dims: []int{1}})
		if err != nil {
			return err
		}
		_, pointer := gp.Of[*int](a)
		_, text := gp.Of[struct{ name string }](a)
		_, slice := gp.Of[[2][]byte](a)
		_, nothing := gp.Of[struct{}](a)
		for _, err := range []error{pointer, text, slice, nothing} {
			if err := expect(gp.ErrBadType, err); err != nil {
				return err
			}
		}
		_, number := gp.Of[complex128](a)
		_, array := gp.Of[[3]struct{ a, b uint8 }](a)
		return errors.Join(number, array)
	})
}
