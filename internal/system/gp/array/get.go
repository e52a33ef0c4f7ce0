package array

import (
	"errors"

	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Section returns the places of a section. Fails with ErrBounds, and as Layout does.
func (a *Array) Section(s grid.Section) (grid.Selection, error) {
	layout, err := a.Layout()
	if err != nil {
		return grid.Selection{}, err
	}
	if err := layout.Check(s); err != nil {
		return grid.Selection{}, err
	}
	return layout.Section(s), nil
}

// List returns n places, of which at returns the subscripts. Fails as Section does.
func (a *Array) List(n int, at func(i int) []int) (grid.Selection, error) {
	layout, err := a.Layout()
	if err != nil {
		return grid.Selection{}, err
	}
	return layout.List(n, at)
}

// Sizes calls f with the sizes of the elements, which f does not keep. Blocks for one round trip.
func (a *Array) Sizes(sel grid.Selection, f func(Sizes)) error {
	l, err := a.lookup(sel, false, nil)
	if err != nil {
		return err
	}
	f(l.pairs)
	l.release()
	return nil
}

// lookup reads the records of a selection, and with bytes the first bytes of far elements, as ask
// does.
func (a *Array) lookup(sel grid.Selection, bytes bool, dst [][]byte) (*lookup, error) {
	p, err := a.use()
	if err != nil {
		return nil, err
	}
	l := newLookup(a, p, sel.N)
	for _, part := range sel.Parts {
		near, failed := l.near(a.sys.heapView(part.Rank), part)
		if failed == nil && !near {
			failed = l.ask(part, bytes, dst)
		}
		if failed != nil {
			return nil, errors.Join(failed, l.calls.wait())
		}
	}
	return l, l.calls.wait()
}

// Get copies elements to memory of the caller. buffers gets the sizes of the elements, which it does
// not keep, and returns the destinations: for each entry a slice that is not longer than the
// element. Get returns an error of buffers as it is. Blocks for one round trip, and for one more if
// there are many bytes.
func (a *Array) Get(sel grid.Selection, buffers func(Sizes) ([][]byte, error)) error {
	return a.get(sel, nil, buffers)
}

// get is Get. If most is not nil, buffers returns slices with the same lengths as in most.
func (a *Array) get(sel grid.Selection, most [][]byte, buffers func(Sizes) ([][]byte, error)) error {
	l, err := a.lookup(sel, true, most)
	if err != nil {
		return err
	}
	dst, err := buffers(l.pairs)
	if err != nil {
		return err
	}
	m := newMover(a.sys)
	for _, part := range sel.Parts {
		if err := m.fetch(l, part, dst); err != nil {
			return errors.Join(err, m.wait())
		}
	}
	if err := m.wait(); err != nil {
		return err
	}
	l.release()
	return nil
}

// GetInto copies the beginning of elements to memory of the caller: for each entry of dst as many
// bytes as it has. If an element is shorter, it fails with a *PlaceError about the entry.
// Otherwise as Get.
func (a *Array) GetInto(sel grid.Selection, dst [][]byte) error {
	return a.get(sel, dst, func(sizes Sizes) ([][]byte, error) {
		for _, part := range sel.Parts {
			for _, r := range part.Runs {
				for e := r.Entry; e < r.Entry+r.N; e++ {
					if want, have := uint64(len(dst[e])), sizes.Of(e); !fits(want, have, false) {
						return nil, &PlaceError{Entry: e, Owner: part.Rank, Want: want, Have: have, Err: mismatch{want, have}}
					}
				}
			}
		}
		return dst, nil
	})
}
