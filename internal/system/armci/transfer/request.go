package transfer

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Kind is the kind of a transfer.
type Kind uint8

// The kinds of transfers.
const (
	Put Kind = iota
	Get
	Accumulate
)

// Request is a transfer as the program describes it. The memory at Local and of segments is not on the
// stack of a goroutine.
type Request struct {
	Kind  Kind
	Proc  int
	Type  element.Type // of an accumulate
	Scale element.Scale

	// The sides of a strided transfer. A contiguous transfer has no levels.
	Local  unsafe.Pointer
	Remote uintptr // address in Proc
	Shape  shape.Strided

	// Vector has the segments of a vector transfer, instead of the sides. Issue changes it.
	Vector []Segment
}

// check returns the error of a request, and whether it moves no bytes. It does not check the addresses
// of an empty request. It merges the blocks of other requests.
func (e *Engine) check(r *Request) (empty bool, err error) {
	if err := e.world.Check(r.Proc); err != nil {
		return false, err
	}
	if r.Kind == Accumulate && !r.Type.Valid() {
		return false, fmt.Errorf("%w: element type %d", world.ErrLevels, r.Type)
	}
	if r.Vector != nil {
		return r.checkVector()
	}
	n, err := r.Shape.Bytes()
	if err != nil {
		return false, fmt.Errorf("%w: %w", world.ErrCount, err)
	}
	if n == 0 {
		return true, nil
	}
	block := r.Shape.Block
	r.Shape.Merge() // strides of levels with one block are ignored
	if err := r.checkElements(block); err != nil {
		return false, err
	}
	return false, checkAddresses(r.Local, r.Remote)
}

// checkVector is check for a vector transfer. It drops empty segments.
func (r *Request) checkVector() (empty bool, err error) {
	none := 0
	for i := range r.Vector {
		s := &r.Vector[i]
		switch {
		case s.N < 0:
			return false, fmt.Errorf("%w: a segment of %d", world.ErrCount, s.N)
		case s.N == 0:
			none++
			continue
		}
		if err := r.checkElements(s.N); err != nil {
			return false, err
		}
		if err := checkAddresses(s.Local, s.Remote); err != nil {
			return false, err
		}
	}
	if none > 0 {
		r.Vector = slices.DeleteFunc(r.Vector, func(s Segment) bool { return s.N == 0 })
	}
	return len(r.Vector) == 0, nil
}

// checkElements returns an error if an accumulate of blocks would split elements. Their addresses may be
// any.
func (r *Request) checkElements(block int64) error {
	if r.Kind == Accumulate && block%r.Type.Size() != 0 {
		return fmt.Errorf("%w: %d, no multiple of the %d of an element", world.ErrCount, block, r.Type.Size())
	}
	return nil
}

func checkAddresses(local unsafe.Pointer, remote uintptr) error {
	if local == nil || remote == 0 {
		return fmt.Errorf("%w: NULL", world.ErrAddress)
	}
	if err := fabric.CheckAddress(uintptr(local)); err != nil {
		return fmt.Errorf("%w: %w", world.ErrAddress, err)
	}
	return nil
}
