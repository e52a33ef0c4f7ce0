package node

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/dmi/address"
)

// Errors of accesses.
var (
	// ErrNoSpace: the address is in no space, or not any more.
	ErrNoSpace = errors.New("no space has the address")
	// ErrRange: the range ends beyond its space.
	ErrRange = errors.New("the range ends beyond its space")
	// ErrPages: the range does not lie in one page.
	ErrPages = errors.New("the range does not lie in one page")
	// ErrMode: the mode is not one of the function.
	ErrMode = errors.New("wrong mode")
	// ErrSize: a size that cannot be.
	ErrSize = errors.New("bad size")
	// ErrNotBase: the address is not the first one of a space, or the space was made by another function.
	ErrNotBase = errors.New("the address is not what the function that makes spaces has returned")
	// ErrNoFunction: the program has no operation of its own.
	ErrNoFunction = errors.New("the program has no DMI_function")

	errCrowded   = errors.New("more processes watch a page than can have copies")
	errMalformed = fmt.Errorf("%w about a page", global.ErrProtocol)
)

// spaceError returns ErrNoSpace with an address.
func spaceError(addr int64) error { return fmt.Errorf("%w %#x", ErrNoSpace, addr) }

// sizeError returns an error for a space whose pages are too large or too many.
func sizeError(pageSize, pages int64) error {
	return fmt.Errorf("%w: %d pages of %d bytes, where a space has from 1 to %d bytes", ErrSize, pages, pageSize, int64(address.MaxSize))
}
