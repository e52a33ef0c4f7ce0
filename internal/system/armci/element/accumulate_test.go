package element

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"unsafe"
)

// memory returns the bytes of numbers as memory has them, behind an odd address.
func memory(t *testing.T, numbers any) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteByte(0)
	if err := binary.Write(&b, binary.NativeEndian, numbers); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()[1:]
}

func TestAccumulate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name                  string
		kind                  Type
		scale, src, dst, want any
	}{
		{"int wraps", Int32, int32(3), []int32{1, math.MaxInt32}, []int32{10, 7}, []int32{13, math.MinInt32 + 4}},
		{"long wraps", Int64, int64(-2), []int64{1, math.MinInt64}, []int64{10, 7}, []int64{8, 7}},
		{"float", Float32, float32(0.5), []float32{4, -8}, []float32{1, 2}, []float32{3, -2}},
		{"float by one", Float32, float32(1), []float32{4}, []float32{1}, []float32{5}},
		{"double", Float64, 2.0, []float64{4, -8}, []float64{1, 2}, []float64{9, -14}},
		{"double by one", Float64, 1.0, []float64{4}, []float64{1}, []float64{5}},
		{"zero times infinity", Float64, 0.0, []float64{inf, nan, 1}, []float64{1, 1, 1}, []float64{nan, nan, 1}},
		{"complex", Complex64, complex64(2 + 3i), []complex64{1 + 1i, -1i}, []complex64{1, 0}, []complex64{5i, 3 - 2i}},
		{"complex by one", Complex64, complex64(1), []complex64{1 + 1i}, []complex64{1}, []complex64{2 + 1i}},
		{"double complex", Complex128, 2 + 3i, []complex128{1 + 1i}, []complex128{1}, []complex128{5i}},
		{"double complex by one", Complex128, complex(1, 0), []complex128{complex(inf, 1)}, []complex128{1}, []complex128{complex(inf, 1)}},
	} {
		var scale Scale
		copy(scale[:], memory(t, c.scale))
		src, dst := memory(t, c.src), make([]uint64, 8)
		to := unsafe.Slice((*byte)(unsafe.Pointer(&dst[0])), 64)
		copy(to, memory(t, c.dst))
		Accumulate(c.kind, &scale, unsafe.Pointer(&dst[0]), src)
		want := memory(t, c.want)
		if got := to[:len(want)]; !same(c.kind, got, want) {
			t.Errorf("%s: %x, want %x", c.name, got, want)
		}
		if int64(len(src))%c.kind.Size() != 0 || c.kind.Component() > c.kind.Size() {
			t.Errorf("%s: an element has %d bytes", c.name, c.kind.Size())
		}
	}
}

// same reports whether memory is equal, where one NaN is as good as another.
func same(kind Type, a, b []byte) bool {
	if kind != Float64 {
		return bytes.Equal(a, b)
	}
	for i := 0; i < len(b); i += 8 {
		x, y := float64At(a[i:]), float64At(b[i:])
		if x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
			return false
		}
	}
	return true
}

func TestValid(t *testing.T) {
	for _, kind := range []Type{-1, typeEnd, 255} {
		if kind.Valid() {
			t.Errorf("type %d is valid", kind)
		}
	}
}
