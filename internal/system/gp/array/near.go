package array

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Near returns the bytes of the element of one place if they are mapped in this process, and no
// bytes if no element is assigned. Otherwise it returns false: Get and Put send a message to the
// owner. Fails with ErrBounds, and as Layout does. Does not block.
func (a *Array) Near(place []int) (mem []byte, ok bool, err error) {
	p, err := a.use()
	if err != nil {
		return nil, false, err
	}
	if !p.layout.Contains(place) {
		return nil, false, fmt.Errorf("%w: place %v of dimensions %v", ErrBounds, place, p.layout.Dims())
	}
	rank, index := p.layout.Find(place)
	heap := a.sys.heapView(rank)
	if heap == nil {
		return nil, false, nil
	}
	recs, err := recordsAt(heap, p.blocks[rank], index+1)
	if err != nil {
		return nil, false, nil // its agent reaches them
	}
	at, size, err := recs.load(index, a.sys.mem.Alive)
	if err != nil || size == 0 {
		return nil, err == nil, err
	}
	if mem, err = heap.Bytes(at, size); err != nil {
		return nil, false, nil
	}
	return mem, true, nil
}

// GetOne is GetInto for one place. Its error is about entry 0.
func (a *Array) GetOne(place []int, dst []byte) error {
	mem, ok, err := a.Near(place)
	if err != nil {
		return err
	}
	if !ok {
		sel, err := a.Section(grid.Section{Lo: place, Hi: place})
		if err != nil {
			return err
		}
		return a.GetInto(sel, [][]byte{dst})
	}
	if len(dst) > len(mem) {
		return a.refuse(place, len(dst), len(mem))
	}
	copy(dst, mem)
	a.countNear(place, traffic.Get, len(dst))
	return nil
}

// PutOne is Put for one place. Its error is about entry 0.
func (a *Array) PutOne(place []int, src []byte, exact bool) error {
	mem, ok, err := a.Near(place)
	if err != nil {
		return err
	}
	if !ok {
		sel, err := a.Section(grid.Section{Lo: place, Hi: place})
		if err != nil {
			return err
		}
		return a.Put(sel, [][]byte{src}, exact)
	}
	if !fits(uint64(len(src)), uint64(len(mem)), exact) {
		return a.refuse(place, len(src), len(mem))
	}
	copy(mem, src)
	a.countNear(place, traffic.Put, len(src))
	return nil
}

// refuse returns the error about a buffer that does not fit the element of a place.
func (a *Array) refuse(place []int, want, have int) error {
	owner, _ := a.placed.Load().layout.Find(place)
	return &PlaceError{Owner: owner, Want: uint64(want), Have: uint64(have), Err: mismatch{uint64(want), uint64(have)}}
}
