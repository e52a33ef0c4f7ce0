package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/gp"
)

// The global pointer array of a round has two rows. The elements of the first row stay, and each has
// one rank that writes to it. The owners of the second row assign other elements all the time.
const (
	written  = 0
	replaced = 1

	columns     = 48
	generations = 6 // elements of a rank for the second row
)

// newPointerArray makes the array of the round.
func newPointerArray(w *world) (*gp.Array, error) {
	return gp.Create(w.p, gp.Config{Dims: []int{2, columns}, Chunk: []int{1, 0}})
}

// pointers uses the global pointer array of the round.
type pointers struct {
	w     *world
	rnd   *rand.Rand
	made  []*gp.Element // all elements of this rank
	spare []*gp.Element // for the second row, by generation
	model [][]byte      // by column: elements of the first row to which this rank writes
}

// newPointers assigns the elements of the first row.
func newPointers(w *world, rnd *rand.Rand) (actor, error) {
	x := &pointers{w: w, rnd: rnd, model: make([][]byte, columns)}
	for column := range columns {
		if column%w.procs == w.rank {
			x.model[column] = make([]byte, sizeOf(column))
		}
		if int(w.pointers.Owner(written, column)) != w.rank || sizeOf(column) == 0 {
			continue
		}
		e, err := x.alloc(sizeOf(column))
		if err != nil {
			return nil, err
		}
		clear(e.Bytes())
		if err := w.pointers.Assign(e, written, column); err != nil {
			return nil, err
		}
	}
	for g := range generations {
		e, err := x.alloc(generationSize(g))
		if err != nil {
			return nil, err
		}
		for i := range e.Bytes() {
			e.Bytes()[i] = byte(g)
		}
		x.spare = append(x.spare, e)
	}
	return x, nil
}

func (x *pointers) alloc(n int) (*gp.Element, error) {
	e, err := gp.Alloc(x.w.p, n)
	if err == nil {
		x.made = append(x.made, e)
	}
	return e, err
}

// sizeOf returns the bytes of the element of a column of the first row: none, some, or many.
func sizeOf(column int) int {
	switch column % 8 {
	case 0:
		return 0
	case 7:
		return column * 2500
	}
	return 12 + column*5
}

// generationSize returns the bytes of an element of the second row, all of which are the generation.
func generationSize(g int) int { return 1 + g*g*2000 }

func (x *pointers) step() error {
	switch x.rnd.IntN(5) {
	case 0:
		return x.put()
	case 1:
		return x.compare()
	case 2:
		return x.replace()
	case 3:
		return x.sizes()
	default:
		return x.look()
	}
}

// own returns random columns to which this rank writes.
func (x *pointers) own() (places [][]int, all []int) {
	for column := x.w.rank; column < columns; column += x.w.procs {
		if x.rnd.IntN(2) == 0 {
			places, all = append(places, []int{written, column}), append(all, column)
		}
	}
	return places, all
}

// put writes to the beginning of elements, some in one call and some one by one.
func (x *pointers) put() error {
	places, all := x.own()
	src := make([][]byte, len(all))
	for i, column := range all {
		model := x.model[column]
		src[i] = model[:x.rnd.IntN(len(model)+1)]
		pattern(src[i], x.rnd.Uint64())
	}
	if x.rnd.IntN(2) == 0 {
		return x.w.pointers.Scatter(places, src)
	}
	for i, place := range places {
		if err := x.w.pointers.Put(gp.One(place...), src[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// compare reads elements to which only this rank writes.
func (x *pointers) compare() error {
	places, all := x.own()
	found, err := x.w.pointers.Gather(places)
	if err != nil {
		return err
	}
	for i, column := range all {
		if err := sameElement(column, found[i], x.model[column]); err != nil {
			return err
		}
	}
	return nil
}

func sameElement(column int, found, want []byte) error {
	if len(found) != len(want) {
		return fmt.Errorf("the element of column %d has %d bytes, expected %d", column, len(found), len(want))
	}
	if err := differ(found, want); err != nil {
		return fmt.Errorf("the element of column %d: %w", column, err)
	}
	return nil
}

// replace assigns another element to a place of this rank in the second row, or none.
func (x *pointers) replace() error {
	column := x.rnd.IntN(columns)
	if int(x.w.pointers.Owner(replaced, column)) != x.w.rank {
		return nil
	}
	if g := x.rnd.IntN(generations + 1); g < generations {
		return x.w.pointers.Assign(x.spare[g], replaced, column)
	}
	_, err := x.w.pointers.Detach(replaced, column)
	return err
}

// section returns a random part of a row.
func (x *pointers) section(row int) gp.Section {
	first := x.rnd.IntN(columns)
	return gp.Section{Lo: []int{row, first}, Hi: []int{row, first + x.rnd.IntN(columns-first)}}
}

// sizes reads the sizes of the first row, which do not change.
func (x *pointers) sizes() error {
	s := x.section(written)
	found, err := x.w.pointers.Sizes(s)
	if err != nil {
		return err
	}
	for i, n := range found {
		if column := s.Lo[1] + i; n != sizeOf(column) {
			return fmt.Errorf("the element of column %d has %d bytes, expected %d", column, n, sizeOf(column))
		}
	}
	return nil
}

// look reads a part of the second row: each element is an element that owners assign there, or none.
func (x *pointers) look() error {
	patch, err := x.w.pointers.Get(x.section(replaced))
	if err != nil {
		return err
	}
	for place, mem := range patch.All() {
		for _, b := range mem {
			if len(mem) != generationSize(int(b)) {
				return fmt.Errorf("place %v has %d bytes, some of generation %d", place, len(mem), b)
			}
		}
	}
	return nil
}

func (x *pointers) settle() error { return nil }

// check compares the elements to which this rank has written, and the elements in its own memory.
func (x *pointers) check() error {
	for column := x.w.rank; column < columns; column += x.w.procs {
		found, err := x.w.pointers.Get(gp.One(written, column))
		if err != nil {
			return err
		}
		if err := sameElement(column, found.Bytes(), x.model[column]); err != nil {
			return err
		}
	}
	for place, mem := range x.w.pointers.Local() {
		if place[0] == written && len(mem) != sizeOf(place[1]) {
			return fmt.Errorf("the element of column %d has %d bytes here, expected %d", place[1], len(mem), sizeOf(place[1]))
		}
	}
	return nil
}

// close detaches all elements and frees them.
func (x *pointers) close() error {
	for place := range x.w.pointers.Local() {
		if _, err := x.w.pointers.Detach(place...); err != nil {
			return err
		}
	}
	for _, e := range x.made {
		if err := e.Free(); err != nil {
			return err
		}
	}
	return nil
}
