package tcp

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// load returns the n bytes at p, at most 8, in memory order from the lowest byte
// of the result's little-endian form on. An aligned integer is read by one access, so
// it is never half of an old and half of a new value.
func load(p unsafe.Pointer, n uint64) uint64 {
	var b [8]byte
	switch {
	case n == 8 && uintptr(p)%8 == 0:
		binary.NativeEndian.PutUint64(b[:], atomic.LoadUint64((*uint64)(p)))
	case n == 4 && uintptr(p)%4 == 0:
		binary.NativeEndian.PutUint32(b[:], atomic.LoadUint32((*uint32)(p)))
	default:
		copy(b[:], unsafe.Slice((*byte)(p), n))
	}
	return binary.LittleEndian.Uint64(b[:])
}

// store is the reverse of load.
func store(p unsafe.Pointer, v, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	switch {
	case n == 8 && uintptr(p)%8 == 0:
		atomic.StoreUint64((*uint64)(p), binary.NativeEndian.Uint64(b[:]))
	case n == 4 && uintptr(p)%4 == 0:
		atomic.StoreUint32((*uint32)(p), binary.NativeEndian.Uint32(b[:]))
	default:
		copy(unsafe.Slice((*byte)(p), n), b[:n])
	}
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
