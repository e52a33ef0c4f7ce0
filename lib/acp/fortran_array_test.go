//go:build cgo

package libacp

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// randomArray returns a section of an array with elements of 8 bytes, whose first values dimension is contiguous.
func randomArray(r *rand.Rand, memory []float64, values int64) *fortranArray {
	a := &fortranArray{element: 8, kind: datatype.Float64}
	base, next := int64(0), int64(8)
	if values > 1 {
		a.extents, a.strides = []int64{values}, []int64{8}
		next *= values
	}
	for range r.IntN(4) {
		n, step := 1+r.Int64N(4), 1+r.Int64N(2)
		stride := next * step
		if r.IntN(2) == 0 {
			base += stride * (n - 1)
			stride = -stride
		}
		a.extents, a.strides = append(a.extents, n), append(a.strides, stride)
		next *= n * step
	}
	a.base = unsafe.Pointer(&memory[base/8])
	return a
}

// TestFortranArrayMemory: the points of random sections of arrays lie where their elements do.
func TestFortranArrayMemory(t *testing.T) {
	memory := make([]float64, 1<<14)
	sections := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		values := 1 + r.Int64N(2)
		a := randomArray(r, memory, values)
		n := a.elements() / values
		base, section, err := a.memory(element.Type{Kind: datatype.Float64, Values: int(values)}, n)
		if err != nil {
			t.Fatalf("seed %d: %v: %v", seed, a, err)
		}
		var all points.Builder
		all.AddRun(points.Run{Start: 0, Stride: 1, Count: n})
		positions := all.List()
		if section != nil {
			sections++
			positions = section.Layout(&points.Layout{Points: positions, Positions: positions}).Positions
		}
		i := int64(0)
		for it := positions.All(); ; {
			p, ok := it.Take(1)
			if !ok {
				break
			}
			if got, want := unsafe.Add(base, p.Start*values*8), a.at(i*values); got != want {
				t.Fatalf("seed %d: %v with strides %v: point %d at %p, expected %p", seed, a, a.strides, i, got, want)
			}
			i++
		}
		if i != n {
			t.Fatalf("seed %d: %d points, expected %d", seed, i, n)
		}
	}
	if sections == 0 {
		t.Error("no array is a section")
	}
}

// at returns where an element is.
func (a *fortranArray) at(i int64) unsafe.Pointer {
	at := a.base
	for d, n := range a.extents {
		at = unsafe.Add(at, i%n*a.strides[d])
		i /= n
	}
	return at
}

// TestFortranArrayRefusals: strides that no field can have are errors that name dimension and stride.
func TestFortranArrayRefusals(t *testing.T) {
	var memory [100]float64
	base := unsafe.Pointer(&memory)
	for _, c := range []struct {
		a    fortranArray
		e    element.Type
		n    int64
		want string
	}{
		{fortranArray{base, 4, datatype.Int32, []int64{3}, []int64{6}}, element.Type{Kind: datatype.Int32, Values: 1}, 3, "dimension 1 has a stride of 6 bytes, elements of 4 bytes, which is no multiple of the 4 bytes"},
		{fortranArray{base, 8, datatype.Float64, []int64{2, 3}, []int64{8, 24}}, element.Type{Kind: datatype.Float64, Values: 2}, 3, "dimension 2 has a stride of 24 bytes, elements of 8 bytes, which is no multiple of the 16 bytes"},
		{fortranArray{base, 8, datatype.Float64, []int64{4, 3}, []int64{16, 64}}, element.Type{Kind: datatype.Float64, Values: 2}, 6, "dimension 1 has a stride of 16 bytes, elements of 8 bytes, and the 2 values of a point lie side by side"},
	} {
		if _, _, err := c.a.memory(c.e, c.n); !errors.Is(err, errStride) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, expected %q", &c.a, err, c.want)
		}
	}
}
