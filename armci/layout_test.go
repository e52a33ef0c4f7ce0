package armci_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
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

// TestLayoutMistakes: indices outside of a layout give an error, or -1.
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

// TestLayoutBlocks: blocks and indices are those of all elements in order, and no two blocks could be
// merged.
func TestLayoutBlocks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		l := armci.Layout{Offset: rng.IntN(100), Shape: make([]int, rng.IntN(armci.MaxDims+1))}
		l.Strides = make([]int, len(l.Shape))
		stride := 1
		for i := len(l.Shape) - 1; i >= 0; i-- {
			l.Shape[i], l.Strides[i] = 1+rng.IntN(3), stride
			switch rng.IntN(4) {
			case 0:
				l.Strides[i] = rng.IntN(20) - 10
			default:
				stride *= l.Shape[i]
			}
		}
		want := elements(l)
		if got := slices.Collect(l.Indices()); !slices.Equal(got, want) {
			t.Fatalf("%+v has the elements %v, want %v", l, got, want)
		}
		var got []int
		end := math.MinInt
		for first, n := range l.Blocks() {
			if n < 1 || first == end && len(l.Shape) == 1 {
				t.Fatalf("%+v has a block of %d at %d, behind one that ends at %d", l, n, first, end)
			}
			for i := range n {
				got = append(got, first+i)
			}
			end = first + n
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the blocks of %+v have the elements %v, want %v", l, got, want)
		}
	}
	whole := armci.Dense(4, 5, 6)
	part, err := whole.Part([]int{1, 0, 0}, []int{3, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	for first, n := range part.Blocks() {
		if first != 30 || n != 60 {
			t.Errorf("two planes begin at %d and have %d elements", first, n)
		}
	}
	for range whole.Indices() {
		break // a loop may end early
	}
	for _, none := range []armci.Layout{armci.Dense(3, 0, 2), {Shape: []int{-1}}, {Shape: []int{2}, Strides: []int{1, 2}}} {
		for i := range none.Indices() {
			t.Errorf("%+v has element %d", none, i)
		}
	}
}

// elements returns the numbers of all elements of a layout, of which each dimension has one at least.
func elements(l armci.Layout) (all []int) {
	at := make([]int, len(l.Shape))
	for {
		all = append(all, l.Index(at...))
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < l.Shape[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return all
		}
	}
}
