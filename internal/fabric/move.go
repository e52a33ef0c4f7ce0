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
	case n != 0:
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
}
