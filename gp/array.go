package gp

import (
	"errors"
	"iter"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Limits of arrays.
const (
	MaxDims   = grid.MaxDims   // dimensions
	MaxExtent = grid.MaxExtent // places along one dimension
)

// Config describes the dimensions of an array and the distribution of its places over the ranks.
// All ranks pass the same values.
//
// Each rank has a rectangular block of places. The blocks form a grid and are numbered in C order:
// the last dimension varies fastest. Without Chunk and Starts the library chooses the grid with as
// many blocks as possible, and among these the grid with the smallest surface of a block.
type Config struct {
	Dims []int // places of each dimension

	// Chunk is the minimum extent of a block in each dimension. With 0 or less the library
	// chooses it; with the whole dimension or more the dimension is not divided. May be nil.
	Chunk []int

	// Starts defines the grid: for each dimension the first index of each block, from 0, in
	// ascending order. Two equal indices make an empty block. There are no more blocks than
	// ranks. If Starts is not nil, Chunk is not used.
	Starts [][]int
}

// Array is a global pointer array. Several goroutines may call its methods at once, apart from
// collective ones. No goroutine uses it while another destroys it.
type Array struct {
	p   *acp.Process
	a   *array.Array
	mem *global.Memory // its context is that of WithContext
}

// Create makes an array, to whose places no elements are assigned. It takes 16 bytes for each
// place in the heap of its owner, and on each rank 8 bytes for each rank.
//
// If it fails on one rank, it fails on all and takes no memory: with acp.ErrHeapFull, with
// ErrShape, and with acp.ErrDisagree if the ranks pass different values. Collective. Blocks until
// every rank has called it. Not for concurrent use.
func Create(p *acp.Process, cfg Config) (*Array, error) {
	a, err := array.Of(p).NewHandle()
	if err != nil {
		return nil, failed("create", p, 0, err)
	}
	if err := a.Allocate(grid.Shape(cfg)); err != nil {
		a.Abandon()
		return nil, failed("create", p, a.Number(), err)
	}
	return &Array{p, a, array.Of(p).Memory()}, nil
}

// Destroy destroys the array. The memory of its elements stays allocated: free it by their Element,
// or detach and free the elements first. Fails with ErrDestroyed. Collective. Blocks until every
// rank has called it. Not for concurrent use.
func (a *Array) Destroy() error {
	err := a.settle()
	if err == nil {
		err = a.a.Destroy()
	}
	return a.failed("destroy", err)
}

// Sync completes all accesses of this process, waits until every rank has called it, and makes all
// earlier changes of other ranks visible. It is Complete and Sync of the process. Collective.
// Blocks until every rank has called it. Not for concurrent use.
func Sync(p *acp.Process) error { return errors.Join(p.Complete(acp.HandleAll), p.Sync()) }

// Terminate destroys all arrays and frees all elements. Programs in Go need not call it. Programs
// in C call it as GP_Terminate, and all ranks of a run have to call it together. Collective. Blocks
// until every rank has called it. Not for concurrent use.
func Terminate(p *acp.Process) error {
	s := array.Of(p)
	s.Memory().Settle()
	return failed("terminate", p, 0, s.Clear())
}

// Zero sets all bytes of all elements to 0. Their sizes stay. It synchronises as Sync does, before
// and after. Collective. Blocks until every rank has called it. Not for concurrent use.
func (a *Array) Zero() error {
	return a.failed("zero", errors.Join(a.settle(), a.p.Complete(acp.HandleAll), a.a.Zero()))
}

// Number returns the number of the array, which is the same on all ranks. Programs in C use it
// as the handle. Local. Does not block.
func (a *Array) Number() int { return a.a.Number() }

// Dims returns the places of each dimension, or nil if the array has been destroyed. Local. Does
// not block.
func (a *Array) Dims() []int {
	l, err := a.a.Layout()
	if err != nil {
		return nil
	}
	return append([]int(nil), l.Dims()...)
}

// Block returns the places of a rank. It returns false if the rank has none, and if the array has
// been destroyed. Local. Does not block.
func (a *Array) Block(rank acp.Rank) (Section, bool) {
	l, err := a.a.Layout()
	if err != nil || rank < 0 || int(rank) >= a.p.Procs() {
		return Section{}, false
	}
	s, ok := l.Block(int(rank))
	if !ok {
		return Section{}, false
	}
	return Section(s), true
}

// Owner returns the rank that has a place, or -1 if the array does not have the place. Local. Does
// not block.
func (a *Array) Owner(place ...int) acp.Rank {
	l, err := a.a.Layout()
	if err != nil || !l.Contains(place) {
		return -1
	}
	rank, _ := l.Find(place)
	return acp.Rank(rank)
}

// Assign attaches an element to a place of this process. The previous element of the place is
// detached, not freed. An element may be assigned to several places, which then share its bytes.
// Other ranks see it at once.
//
// Fails with ErrBounds, with ErrNotOwner, also if the element is of another process, and with
// ErrDestroyed. Local. Does not block.
func (a *Array) Assign(e *Element, place ...int) error {
	return a.AssignPrefix(e, e.Size(), place...)
}

// AssignPrefix is Assign for the first size bytes of an element, which are at least 1. Fails with
// ErrSize as well. Local. Does not block.
func (a *Array) AssignPrefix(e *Element, size int, place ...int) error {
	return a.failed("assign", a.a.Assign(e.in(), uint64(max(size, 0)), place))
}

// Detach detaches the element of a place of this process, and returns it, or nil if none was
// assigned. It does not free it. Errors as for Assign. Local. Does not block.
func (a *Array) Detach(place ...int) (*Element, error) {
	e, _, err := a.a.Detach(place)
	return (*Element)(e), a.failed("detach", err)
}

// Element returns the element of a place of this process, or nil if none is assigned. Errors as for
// Assign. Local. Does not block.
func (a *Array) Element(place ...int) (*Element, error) {
	e, _, err := a.a.Element(place)
	return (*Element)(e), a.failed("element", err)
}

// Local goes through the assigned places of this process, in C order, and the bytes of their
// elements, which the program may change. It ends at once if the array has been destroyed. Local.
// Does not block.
func (a *Array) Local() iter.Seq2[[]int, []byte] {
	return func(yield func([]int, []byte) bool) {
		// The loop has no error: there are no places then.
		_ = a.a.Local(yield)
	}
}
