package armci_test

import (
	"errors"
	"math"
	"testing"

	"github.com/goacp/goacp/armci"
)

// TestLayout: parts, reversed and transposed layouts have the elements that they should.
func TestLayout(t *testing.T) {
	whole := armci.Dense(4, 5, 6)
	part, err := whole.Part([]int{1, 0, 2}, []int{3, 5, 6})
	if err != nil || part.Len() != 2*5*4 {
		t.Fatalf("%+v: %v", part, err)
	}
	turned, err := part.Reverse(1)
	if err != nil {
		t.Fatal(err)
	}
	if turned, err = turned.Transpose(0, 2); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for j := range 5 {
			for k := range 4 {
				want := (i+1)*30 + j*6 + k + 2
				if got := part.Index(i, j, k); got != want {
					t.Errorf("element %d of the part at %d, %d, %d, want %d", got, i, j, k, want)
				}
				if got := turned.Index(k, 4-j, i); got != want {
					t.Errorf("element %d of the transposed part at %d, %d, %d, want %d", got, k, 4-j, i, want)
				}
			}
		}
	}
	if got := (armci.Layout{Shape: []int{2, 3}, Offset: 1}).Index(1, 2); got != 6 {
		t.Errorf("without strides: %d", got)
	}
	if n := (armci.Layout{Offset: 7}).Len(); n != 1 {
		t.Errorf("a layout without dimensions has %d elements", n)
	}
}

// TestLayoutMistakes: what a layout does not have is an error, or -1.
func TestLayoutMistakes(t *testing.T) {
	l := armci.Dense(4, 5)
	for name, f := range map[string]func() (armci.Layout, error){
		"part with too few bounds":        func() (armci.Layout, error) { return l.Part([]int{0}, []int{1}) },
		"part that ends before it begins": func() (armci.Layout, error) { return l.Part([]int{2, 0}, []int{1, 5}) },
		"part beyond the end":             func() (armci.Layout, error) { return l.Part([]int{0, 0}, []int{4, 6}) },
		"part from -1":                    func() (armci.Layout, error) { return l.Part([]int{-1, 0}, []int{4, 5}) },
		"dimension 2 of 2":                func() (armci.Layout, error) { return l.Reverse(2) },
		"dimension -1":                    func() (armci.Layout, error) { return l.Transpose(0, -1) },
		"too few strides":                 func() (armci.Layout, error) { return armci.Layout{Shape: []int{1, 2}, Strides: []int{1}}.Reverse(0) },
	} {
		if _, err := f(); !errors.Is(err, armci.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, at := range [][]int{{4, 0}, {0, -1}, {0}, {0, 0, 0}} {
		if i := l.Index(at...); i != -1 {
			t.Errorf("element %v has number %d", at, i)
		}
	}
	for _, shape := range [][]int{{-1}, {math.MaxInt, math.MaxInt}, {1, 1, 1, 1, 1, 1, 1, 1, 1}} {
		if n := (armci.Layout{Shape: shape, Strides: make([]int, len(shape))}).Len(); n != 0 {
			t.Errorf("shape %v has %d elements", shape, n)
		}
	}
}
