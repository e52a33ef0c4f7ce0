package fabric

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// storesInOrder says that every processor sees stores in the order in which they
// were made, without the instructions that atomics cost.
const storesInOrder = runtime.GOARCH == "amd64"

// Move copies n bytes from src to dst, which may overlap. A copy of 4 or 8 bytes
// between aligned addresses is one load and one store. A thread that reads them sees all or
// nothing of it; if it sees them, it also sees what was copied before. So the word may be the
// flag that follows the data.
func Move(dst, src unsafe.Pointer, n uint64) {
	switch {
	case n == 8 && (uintptr(dst)|uintptr(src))&7 == 0:
		if storesInOrder {
			*(*uint64)(dst) = *(*uint64)(src)
		} else {
			atomic.StoreUint64((*uint64)(dst), atomic.LoadUint64((*uint64)(src)))
		}
	case n == 4 && (uintptr(dst)|uintptr(src))&3 == 0:
		if storesInOrder {
			*(*uint32)(dst) = *(*uint32)(src)
		} else {
			atomic.StoreUint32((*uint32)(dst), atomic.LoadUint32((*uint32)(src)))
		}
	case n < streamed || n > caches:
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	default:
		moveInPieces(dst, src, n)
	}
}

// From streamed bytes on, copy writes past the caches on amd64. That is faster if the caches cannot keep
// what is copied, and takes up to twice as long if they can: both ends of caches bytes fit in those of a
// server. Pieces of a copy are shorter than streamed bytes.
const (
	streamed = 1 << 20
	caches   = 8 << 20
	piece    = 512 << 10
)

// moveInPieces copies n bytes from src to dst, which may overlap.
func moveInPieces(dst, src unsafe.Pointer, n uint64) {
	back := uintptr(dst)-uintptr(src) < uintptr(n) // so that no piece overwrites one that is still to be copied
	for done := uint64(0); done < n; {
		k := min(piece, n-done)
		at := done
		if back {
			at = n - done - k
		}
		copy(unsafe.Slice((*byte)(unsafe.Add(dst, at)), k), unsafe.Slice((*byte)(unsafe.Add(src, at)), k))
		done += k
	}
}
