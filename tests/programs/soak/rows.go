package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/goacp/goacp/acp"
)

// maxRow bounds the values in a vector, deque or list.
const maxRow = 3000

// row is the common interface of vectors and deques.
type row[R any] interface {
	Assign(R) error
	AssignValues(xs ...uint32) error
	Clear() error
	Destroy() error
	Erase(i, n int) error
	Insert(i int, xs ...uint32) error
	Len() (int, error)
	Load(i int) (uint32, error)
	PopBack() (uint32, error)
	PushBack(xs ...uint32) error
	Reserve(n int) error
	Slice() ([]uint32, error)
	Store(i int, x uint32) error
	Swap(R) error
}

// rows changes two vectors or two deques, each on some rank.
type rows[R row[R]] struct {
	w     *world
	rnd   *rand.Rand
	make  func(rank acp.Rank) (R, error)
	made  []R
	model [2][]uint32
}

func newVectors(w *world, rnd *rand.Rand) (actor, error) {
	return &rows[*acp.Vector[uint32]]{
		w: w, rnd: rnd,
		make: func(rank acp.Rank) (*acp.Vector[uint32], error) { return acp.NewVector[uint32](w.p, 0, rank) },
	}, nil
}

// deques are rows with a front.
type deques struct{ rows[*acp.Deque[uint32]] }

func newDeques(w *world, rnd *rand.Rand) (actor, error) {
	return &deques{rows[*acp.Deque[uint32]]{
		w: w, rnd: rnd,
		make: func(rank acp.Rank) (*acp.Deque[uint32], error) { return acp.NewDeque[uint32](w.p, 0, rank) },
	}}, nil
}

func (d *deques) step() error {
	if len(d.made) < 2 || d.rnd.IntN(3) != 0 {
		return d.rows.step()
	}
	i := d.rnd.IntN(2)
	m := d.model[i]
	if d.rnd.IntN(2) == 0 && len(m) < maxRow {
		xs := d.values()
		d.model[i] = slices.Concat(xs, m)
		return d.made[i].PushFront(xs...)
	}
	x, err := d.made[i].PopFront()
	if len(m) == 0 {
		return expectError(err, acp.ErrEmpty)
	}
	d.model[i] = m[1:]
	return expect(x, m[0], err)
}

// values returns a few random values.
func (r *rows[R]) values() []uint32 {
	xs := make([]uint32, r.rnd.IntN(400>>r.rnd.IntN(8))+1)
	for i := range xs {
		xs[i] = r.rnd.Uint32()
	}
	return xs
}

func (r *rows[R]) step() error {
	if len(r.made) < 2 {
		made, err := r.make(r.w.peer(r.rnd))
		if err == nil {
			r.made = append(r.made, made)
		}
		return err
	}
	i := r.rnd.IntN(2)
	made, m := r.made[i], r.model[i]
	if len(m) > maxRow {
		r.model[i] = nil
		return made.Clear()
	}
	switch r.rnd.IntN(11) {
	case 0, 1:
		xs := r.values()
		r.model[i] = append(m, xs...)
		return made.PushBack(xs...)
	case 2:
		xs, at := r.values(), r.rnd.IntN(len(m)+1)
		r.model[i] = slices.Insert(m, at, xs...)
		return made.Insert(at, xs...)
	case 3:
		at := r.rnd.IntN(len(m) + 1)
		n := r.rnd.IntN(len(m) - at + 1)
		r.model[i] = slices.Delete(m, at, at+n)
		return made.Erase(at, n)
	case 4:
		x, err := made.PopBack()
		if len(m) == 0 {
			return expectError(err, acp.ErrEmpty)
		}
		r.model[i] = m[:len(m)-1]
		return expect(x, m[len(m)-1], err)
	case 5:
		if len(m) == 0 {
			_, err := made.Load(0)
			return expectError(err, acp.ErrOutOfRange)
		}
		at := r.rnd.IntN(len(m))
		x, err := made.Load(at)
		return expect(x, m[at], err)
	case 6:
		if len(m) == 0 {
			return expectError(made.Store(0, 1), acp.ErrOutOfRange)
		}
		at, x := r.rnd.IntN(len(m)), r.rnd.Uint32()
		m[at] = x
		return made.Store(at, x)
	case 7:
		n, err := made.Len()
		return expect(n, len(m), err)
	case 8:
		return r.compare(i)
	case 9:
		if r.rnd.IntN(2) == 0 {
			return made.Reserve(r.rnd.IntN(2 * maxRow))
		}
		xs := r.values()
		r.model[i] = slices.Clone(xs)
		return made.AssignValues(xs...)
	default:
		swap := r.rnd.IntN(2) == 0
		if swap {
			r.model[0], r.model[1] = r.model[1], r.model[0]
		} else {
			r.model[i] = slices.Clone(r.model[1-i])
		}
		if swap {
			return made.Swap(r.made[1-i])
		}
		return made.Assign(r.made[1-i])
	}
}

// compare reads all values of vector or deque i.
func (r *rows[R]) compare(i int) error {
	found, err := r.made[i].Slice()
	if err != nil {
		return err
	}
	return sameRow(found, r.model[i])
}

func (r *rows[R]) settle() error { return nil }

func (r *rows[R]) check() error {
	for i := range r.made {
		if err := r.compare(i); err != nil {
			return err
		}
	}
	return nil
}

func (r *rows[R]) close() error {
	for _, made := range r.made {
		if err := made.Destroy(); err != nil {
			return err
		}
	}
	return nil
}

// expect returns err, or an error if found is not the expected value.
func expect[T comparable](found, want T, err error) error {
	if err == nil && found != want {
		err = fmt.Errorf("found %v, expected %v", found, want)
	}
	return err
}

// expectError returns nil if err is the expected error.
func expectError(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("error %w, expected %w", err, want)
}

// sameRow compares values in a row.
func sameRow[T comparable](found, want []T) error {
	for i := range min(len(found), len(want)) {
		if found[i] != want[i] {
			return fmt.Errorf("value %d of %d is %v, expected %v", i, len(want), found[i], want[i])
		}
	}
	if len(found) != len(want) {
		return fmt.Errorf("%d values, expected %d", len(found), len(want))
	}
	return nil
}
