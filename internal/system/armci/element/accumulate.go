package element

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// Accumulate adds scale times each element of src to the element of dst. Both have the same
// number of bytes, a multiple of the element size. dst is aligned to a component; src need not be.
// The caller prevents other accumulates to dst during the call.
func Accumulate(t Type, scale *Scale, dst unsafe.Pointer, src []byte) {
	switch t {
	case Int32:
		add(view[int32](dst, src), src, int32(word4(scale[:])), func(b []byte) int32 { return int32(word4(b)) })
	case Int64:
		add(view[int64](dst, src), src, int64(word8(scale[:])), func(b []byte) int64 { return int64(word8(b)) })
	case Float32:
		addFloat32(view[float32](dst, src), src, float32At(scale[:]))
	case Float64:
		addFloat64(view[float64](dst, src), src, float64At(scale[:]))
	case Complex64:
		addComplex64(view[float32](dst, src), src, complex(float32At(scale[:]), float32At(scale[4:])))
	case Complex128:
		addComplex128(view[float64](dst, src), src, complex(float64At(scale[:]), float64At(scale[8:])))
	}
}

// view returns as many bytes at dst as src has.
func view[T any](dst unsafe.Pointer, src []byte) []T {
	return unsafe.Slice((*T)(dst), len(src)/int(unsafe.Sizeof(*new(T))))
}

func word4(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }
func word8(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

func float32At(b []byte) float32 { return math.Float32frombits(word4(b)) }
func float64At(b []byte) float64 { return math.Float64frombits(word8(b)) }

// add is Accumulate for integers, which wrap.
func add[T int32 | int64](dst []T, src []byte, scale T, at func([]byte) T) {
	size := int(unsafe.Sizeof(scale))
	for i := range dst {
		dst[i] += scale * at(src[i*size:])
	}
}

// addFloat32 is Accumulate for float32. A scale of one adds exactly.
func addFloat32(dst []float32, src []byte, scale float32) {
	if scale == 1 {
		for i := range dst {
			dst[i] += float32At(src[i*4:])
		}
		return
	}
	for i := range dst {
		dst[i] += scale * float32At(src[i*4:])
	}
}

// addFloat64 is Accumulate for float64. A scale of one adds exactly.
func addFloat64(dst []float64, src []byte, scale float64) {
	if scale == 1 {
		for i := range dst {
			dst[i] += float64At(src[i*8:])
		}
		return
	}
	for i := range dst {
		dst[i] += scale * float64At(src[i*8:])
	}
}

// addComplex64 is Accumulate for complex numbers of two float32, which dst has in pairs. It is the
// complex product without the rules of Go for infinities, as C and Fortran compute it.
func addComplex64(dst []float32, src []byte, scale complex64) {
	if scale == 1 {
		addFloat32(dst, src, 1)
		return
	}
	a, b := real(scale), imag(scale)
	for i := 0; i < len(dst); i += 2 {
		x, y := float32At(src[i*4:]), float32At(src[i*4+4:])
		dst[i] += a*x - b*y
		dst[i+1] += a*y + b*x
	}
}

// addComplex128 is addComplex64 for complex numbers of two float64.
func addComplex128(dst []float64, src []byte, scale complex128) {
	if scale == 1 {
		addFloat64(dst, src, 1)
		return
	}
	a, b := real(scale), imag(scale)
	for i := 0; i < len(dst); i += 2 {
		x, y := float64At(src[i*8:]), float64At(src[i*8+8:])
		dst[i] += a*x - b*y
		dst[i+1] += a*y + b*x
	}
}
