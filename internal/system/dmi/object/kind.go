package object

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// kind is a kind of object.
type kind uint8

// The kinds. None is what memory has that is no object.
//
//goacp:c GOACP_DMI_
const (
	none kind = iota
	barrierKind
	mutexKind
	condKind
	spinKind
	idpoolKind
	rwsetKind
	kinds
)

// Sizes of the objects, in bytes.
const (
	BarrierSize = 128
	MutexSize   = 64
	CondSize    = 64
	SpinSize    = 64
	IDPoolSize  = 64
	RWSetSize   = 128
)

// kindNames are the names in messages.
var kindNames = [kinds]string{none: "no object", barrierKind: "barrier", mutexKind: "mutex", condKind: "condition variable",
	spinKind: "spin lock", idpoolKind: "pool of numbers", rwsetKind: "read-write-set"}

// markBase is the mark of kind 0. The other marks follow it.
//
//goacp:c GOACP_DMI_
const markBase = 0x494d4400 // "\0DMI"

// mark is the first word of an object of the kind.
func (k kind) mark() uint32 { return markBase + uint32(k) }

// kindOf returns the kind of the object that b begins with.
func kindOf(b []byte) kind {
	if k := word(b, 0) - markBase; k < uint32(kinds) {
		return kind(k)
	}
	return none
}

// Errors of all objects. Errors that methods return name the object, too.
var (
	ErrNotInitialised = errors.New("it has not been initialised, or it has been destroyed")
	ErrKind           = errors.New("the address has an object of another kind")
	ErrOwner          = errors.New("the calling thread is not the owner")
	ErrOwned          = errors.New("the calling thread is the owner already")
	ErrLocked         = errors.New("it is locked")
	ErrNotLocked      = errors.New("it is not locked")
	ErrWaiting        = errors.New("threads wait at it")
	ErrArgument       = errors.New("invalid argument")

	errUnaligned = fmt.Errorf("%w: the address is not a multiple of %d", ErrArgument, alignment)
)

// alignment is that of the addresses of objects.
const alignment = 8

// failed adds the object to an error.
func failed(k kind, addr int64, err error) error {
	return fmt.Errorf("%s at %#x: %w", kindNames[k], addr, err)
}

// wrongKind returns the error for an address at which an object of another kind is, or none.
func wrongKind(found kind) error {
	if found == none {
		return ErrNotInitialised
	}
	return fmt.Errorf("%w: a %s", ErrKind, kindNames[found])
}

// Objects are read by processes of one architecture alone, so their words have its order of bytes.

func word(b []byte, at int) uint32        { return binary.NativeEndian.Uint32(b[at:]) }
func setWord(b []byte, at int, v uint32)  { binary.NativeEndian.PutUint32(b[at:], v) }
func double(b []byte, at int) int64       { return int64(binary.NativeEndian.Uint64(b[at:])) }
func setDouble(b []byte, at int, v int64) { binary.NativeEndian.PutUint64(b[at:], uint64(v)) }
