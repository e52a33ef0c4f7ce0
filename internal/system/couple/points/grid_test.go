package points

import "testing"

func TestGrid(t *testing.T) {
	c := func(sizes ...int) Grid { return Grid{Sizes: sizes} }
	f := func(sizes ...int) Grid { return Grid{sizes, true} }
	for _, x := range []struct {
		a, b Grid
		same bool
	}{
		{c(48, 36), c(48, 36), true}, {c(48, 36), c(36, 48), false}, {c(48, 36), f(36, 48), true}, {c(48, 36), f(48, 36), false},
		{c(48, 36), c(20, 15), false}, {c(48, 36), c(48 * 36), false}, {c(48, 36), c(1, 48, 1, 36), true}, {f(36, 48, 1), c(48, 36), true},
		{c(1), c(), true}, {c(1), c(2), false}, {c(0, 5), c(0, 5), true},
	} {
		if got := x.a.Same(&x.b); got != x.same || x.b.Same(&x.a) != got {
			t.Errorf("%v and %v: %v, expected %v", &x.a, &x.b, got, x.same)
		}
	}
	a, b := c(48, 36), f(3)
	if a.String() != "48 x 36 points" || b.String() != "3 points in the order of Fortran" {
		t.Error(a.String(), ", ", b.String())
	}
}
