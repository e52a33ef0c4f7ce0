package gp

import (
	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/gp/array"
)

// Element is memory of this process that may be assigned to places of arrays. Several goroutines
// may call its methods at once.
type Element array.Element

// Alloc returns a new element of size bytes in the heap of this process, aligned to 16. Its
// contents are undefined. It is valid until Free, or until Reset or Finalize of the process.
//
// Fails with acp.ErrHeapFull. The option -startermemsize-dl of the launchers and
// acp.Config.HeapSize set the maximum size of the heap. Local. Does not block.
func Alloc(p *acp.Process, size int) (*Element, error) {
	if size < 0 {
		return nil, failed("alloc", p, 0, acp.ErrBadSize)
	}
	e, err := array.Of(p).Alloc(uint64(size))
	return (*Element)(e), failed("alloc", p, 0, err)
}

// in returns the element in the form of package array.
func (e *Element) in() *array.Element { return (*array.Element)(e) }

// Bytes returns the memory of the element, or nil if it has been freed. The program does not use
// the memory after Free, Reset and Finalize. Local. Does not block.
func (e *Element) Bytes() []byte { return e.in().Bytes() }

// Size returns the bytes of the element. Local. Does not block.
func (e *Element) Size() int { return int(e.in().Size()) }

// Free gives the memory back. Fails with ErrAssigned if the element is assigned to a place, and
// with ErrDestroyed if it has been freed. Local. Does not block.
func (e *Element) Free() error {
	if err := e.in().Free(); err != nil {
		return &OpError{Op: "free", Rank: acp.Rank(e.in().Rank()), Owner: -1, Err: err}
	}
	return nil
}
