package flow

import (
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// Pack copies the points at some positions of data to dst, one after the other. A point has size
// bytes.
func Pack(dst, data unsafe.Pointer, positions *points.List, size uintptr) {
	packed := uintptr(0) // bytes so far
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return
		}
		copyRun(unsafe.Add(dst, packed), 1, unsafe.Add(data, uintptr(r.Start)*size), r.Stride, r.Count, size)
		packed += uintptr(r.Count) * size
	}
}

// Unpack undoes Pack for the first n points.
func Unpack(data, src unsafe.Pointer, positions *points.List, size uintptr, n int64) {
	unpacked := uintptr(0) // bytes so far
	for it := positions.All(); n > 0; {
		r, ok := it.Take(n)
		if !ok {
			return
		}
		n -= r.Count
		copyRun(unsafe.Add(data, uintptr(r.Start)*size), r.Stride, unsafe.Add(src, unpacked), 1, r.Count, size)
		unpacked += uintptr(r.Count) * size
	}
}

// copyRun copies n points of size bytes. The strides count points.
func copyRun(dst unsafe.Pointer, dstStride int64, src unsafe.Pointer, srcStride, n int64, size uintptr) {
	if n == 1 || dstStride == 1 && srcStride == 1 {
		copy(unsafe.Slice((*byte)(dst), uintptr(n)*size), unsafe.Slice((*byte)(src), uintptr(n)*size))
		return
	}
	to, from := dstStride*int64(size), srcStride*int64(size)
	aligned := (uintptr(dst)|uintptr(src))&(size-1) == 0
	switch {
	case size == 8 && aligned:
		copyWords[uint64](dst, to, src, from, n)
	case size == 4 && aligned:
		copyWords[uint32](dst, to, src, from, n)
	case size == 2 && aligned:
		copyWords[uint16](dst, to, src, from, n)
	case size == 1:
		copyWords[uint8](dst, to, src, from, n)
	default:
		for i := range n {
			copy(unsafe.Slice((*byte)(unsafe.Add(dst, i*to)), size), unsafe.Slice((*byte)(unsafe.Add(src, i*from)), size))
		}
	}
}

// copyWords copies n words that are to and from bytes apart.
func copyWords[T uint8 | uint16 | uint32 | uint64](dst unsafe.Pointer, to int64, src unsafe.Pointer, from, n int64) {
	for i := range n {
		*(*T)(unsafe.Add(dst, i*to)) = *(*T)(unsafe.Add(src, i*from))
	}
}

// Extent returns the end of the positions of a list.
func Extent(l *points.List) int64 {
	extent := int64(0)
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return extent
		}
		extent = max(extent, r.Start+1, r.Last()+1)
	}
}
