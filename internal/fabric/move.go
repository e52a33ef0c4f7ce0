package fabric

import "unsafe"

// Move copies n bytes from src to dst, which may overlap. A copy of 4 or 8 bytes
// between aligned addresses is one load and one store, so that nobody sees half
// of it.
func Move(dst, src unsafe.Pointer, n uint64) {
	switch {
	case n == 8 && (uintptr(dst)|uintptr(src))&7 == 0:
		*(*uint64)(dst) = *(*uint64)(src)
	case n == 4 && (uintptr(dst)|uintptr(src))&3 == 0:
		*(*uint32)(dst) = *(*uint32)(src)
	case n != 0:
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}
