package array

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Errors that callers may test for.
var (
	// ErrBounds: a place, a section or a number of entries that is not in the array.
	ErrBounds = grid.ErrBounds
	// ErrNotOwner: the place is of another rank.
	ErrNotOwner = errors.New("of another rank")
	// ErrUnassigned: no element is assigned to the place.
	ErrUnassigned = errors.New("no element is assigned")
	// ErrSize: the size of a buffer does not match the size of the element.
	ErrSize = errors.New("sizes do not fit")
	// ErrAssigned: the element is assigned to a place.
	ErrAssigned = errors.New("the element is assigned to a place")
	// ErrNotElement: no element has this address.
	ErrNotElement = errors.New("not the address of an element")
	// ErrNotAllocated: the array has no places yet.
	ErrNotAllocated = errors.New("the array has not been allocated")
	// ErrAllocated: the array has places already.
	ErrAllocated = errors.New("the array has been allocated")
	// ErrDestroyed: the array or the element does not exist any more.
	ErrDestroyed = global.ErrDestroyed
)

// PlaceError is the error of one place.
type PlaceError struct {
	Place []int // nil if the error is about an entry of a selection, until At
	Entry int
	Owner int
	Want  uint64 // bytes of the buffer, if Err is about sizes
	Have  uint64 // bytes of the element
	Err   error
}

// Error returns the text, for example "place [4 17]: 96 bytes for an element of 80".
func (e *PlaceError) Error() string { return fmt.Sprintf("place %v: %v", e.Place, e.Err) }

// At returns err, an error of an operation on a selection. If it is about an entry, it has the
// place from then on, which at returns.
func At(err error, at func(entry int) []int) error {
	var e *PlaceError
	if errors.As(err, &e) && e.Place == nil {
		e.Place = slices.Clone(at(e.Entry))
	}
	return err
}

// Unwrap returns the cause.
func (e *PlaceError) Unwrap() error { return e.Err }

// mismatch is a buffer that does not fit an element. It is ErrSize, and ErrUnassigned if there is
// no element.
type mismatch struct{ want, have uint64 }

func (m mismatch) Error() string {
	if m.have == 0 {
		return fmt.Sprintf("%d bytes, and no element is assigned", m.want)
	}
	return fmt.Sprintf("%d bytes for an element of %d", m.want, m.have)
}

// Is reports whether target is one of the errors that m represents.
func (m mismatch) Is(target error) bool {
	return target == ErrSize || target == ErrUnassigned && m.have == 0
}

// fits reports whether want bytes may be moved from or to an element of have bytes.
func fits(want, have uint64, exact bool) bool { return want == have || want < have && !exact }
