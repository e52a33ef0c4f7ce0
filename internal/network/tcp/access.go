package tcp

import (
	"encoding/binary"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// load returns the n bytes at p, at most 8, in memory order from the lowest byte
// of the result's little-endian form on. Aligned integers are read by one access each, so
// none is half of an old and half of a new value.
func load(p unsafe.Pointer, n uint64) uint64 {
	var word uint64
	fabric.MoveWords(unsafe.Pointer(&word), p, n, p)
	return inLittleEndian(word)
}

// store is the reverse of load.
func store(p unsafe.Pointer, v, n uint64) {
	word := inLittleEndian(v)
	fabric.MoveWords(p, unsafe.Pointer(&word), n, p)
}

// inLittleEndian returns the integer of which the bytes of word, as they lie in memory, are the
// little-endian form. It is its own reverse.
func inLittleEndian(word uint64) uint64 {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], word)
	return binary.LittleEndian.Uint64(b[:])
}

// tryLoad is load at an address that the program has named.
func tryLoad(p unsafe.Pointer, n uint64) (v uint64, err error) {
	err = fabric.Touch(func() { v = load(p, n) })
	return v, err
}

// tryStore is the reverse of tryLoad.
func tryStore(p unsafe.Pointer, v, n uint64) error {
	return fabric.Touch(func() { store(p, v, n) })
}
