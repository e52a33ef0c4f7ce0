package list

import (
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// Heaps are the heaps of the ranks that an operation may touch. They are for one operation of
// one goroutine.
type Heaps struct {
	Views  HeapViews
	Agents Agents // for heaps that are not mapped; nil if the operation must not use agents

	// The heaps that were used last. Most operations use the heap of the list and the heap of one element. A
	// call of HeapViews for each word would cost more than the access to the word.
	recent [2]rankView
}

// rankView is the heap of a rank; nil stands for no rank.
type rankView struct {
	rank uint64
	view *heapview.View
}

// HeapViews are the heaps that this process has mapped.
type HeapViews interface {
	// HeapViewOf returns the heap of a rank. Fails with am.ErrElsewhere, with heapview.ErrBadAddress if there
	// is no such rank, and with fabric.ErrMemberGone if it is gone.
	HeapViewOf(rank uint64) (*heapview.View, error)
}

// Agents access heaps that this process has not mapped.
type Agents interface {
	// Exec carries out an operation of this package at a rank.
	Exec(rank uint64, c *am.Call) (am.Result, error)
	// Read copies the bytes at ga to b.
	Read(b []byte, ga uint64) error
	// Finish calls change, which changes lists. Its agents complete their calls even if the context of the
	// caller ends.
	Finish(lists []uint64, change func(a Agents) error) error
}

// viewOf returns the heap of a rank. Errors as of HeapViews. An operation without agents, which another process has sent, leaves a rank that
// is gone to that process: a message cannot carry which rank it is.
func (h *Heaps) viewOf(rank uint64) (*heapview.View, error) {
	for i := range h.recent {
		if r := &h.recent[i]; r.rank == rank && r.view != nil {
			return r.view, nil
		}
	}
	view, err := h.Views.HeapViewOf(rank)
	switch {
	case err == nil:
		h.recent = [...]rankView{{rank, view}, h.recent[0]}
	case h.Agents == nil && isGone(err):
		err = am.ErrElsewhere
	}
	return view, err
}

// needsAgent reports whether err means that memory is not mapped, and the operation may use an agent.
func (h *Heaps) needsAgent(err error) bool {
	return h.Agents != nil && errors.Is(err, am.ErrElsewhere)
}

// near returns the T at ga if it is mapped.
func near[T any](h *Heaps, ga uint64) (*T, error) {
	view, err := h.viewOf(rankOf(ga))
	if err != nil {
		return nil, err
	}
	p, err := heapview.At[T](view, ga)
	if err != nil {
		return nil, h.refused(ga, err)
	}
	return p, nil
}

// refused returns the reason why there is no memory at ga. Since HeapViews returned the heap, the heap may have
// grown beyond the address space of this process; then refused returns the new error of HeapViews.
func (h *Heaps) refused(ga uint64, err error) error {
	h.recent = [2]rankView{}
	if _, gone := h.Views.HeapViewOf(rankOf(ga)); gone != nil {
		return gone
	}
	return err
}

// nearValue returns the value of an element if it is mapped.
func (h *Heaps) nearValue(ga, n uint64) ([]byte, error) {
	view, err := h.viewOf(rankOf(ga))
	if err != nil {
		return nil, err
	}
	b, err := view.Bytes(ga+HeadSize, n)
	if err != nil {
		return nil, h.refused(ga, err)
	}
	return b, nil
}

// block returns the control block at ga, or the beginning of an element as a block.
func (h *Heaps) block(ga uint64) (block, error) {
	p, err := near[block](h, ga)
	if err == nil {
		return *p, nil
	}
	if h.needsAgent(err) {
		return h.farBlock(ga)
	}
	return block{}, err
}

// node returns the element at ga. Fails with am.ErrBadIterator if a control block is there.
func (h *Heaps) node(ga uint64) (node, error) {
	b, err := h.block(ga)
	if err == nil && b.mark == markOf(ga) {
		err = broken(ga)
	}
	return b.node, err
}

// open returns the list at ga. Fails with heapview.ErrBadAddress if there is none.
func (h *Heaps) open(ga uint64) (ring, error) {
	b, err := h.block(ga)
	if err == nil && b.mark != markOf(ga) {
		err = noList(ga)
	}
	return ring{heaps: h, ga: ga, node: b.node}, err
}

// write is a word to be stored.
type write struct{ at, word uint64 }

// apply makes the changes of an operation, or none if one of them is impossible.
func (h *Heaps) apply(changes []write) error {
	far := false
	for _, w := range changes {
		if _, err := near[uint64](h, w.at); h.needsAgent(err) {
			far = true
		} else if err != nil {
			return err
		}
	}
	for _, w := range changes {
		if p, err := near[uint64](h, w.at); err == nil {
			*p = w.word
		}
	}
	if far {
		return h.applyFar(slices.Clone(changes))
	}
	return nil
}

// create makes an element on a rank, with the links of n. The value is only read.
func (h *Heaps) create(rank uint64, n node, value []byte) (uint64, error) {
	view, err := h.viewOf(rank)
	if h.needsAgent(err) {
		return h.createFar(rank, n, slices.Clone(value))
	}
	if err != nil {
		return 0, err
	}
	return createAt(view, n, value)
}

func createAt(view *heapview.View, n node, value []byte) (uint64, error) {
	n.n = uint64(len(value))
	ga, err := view.Alloc(HeadSize + n.n)
	if err != nil {
		return 0, err
	}
	p, err := heapview.At[node](view, ga)
	if err != nil {
		return 0, err
	}
	*p = n
	b, err := view.Bytes(ga+HeadSize, n.n)
	copy(b, value)
	return ga, err
}

// free frees blocks. If one fails, it still frees the others. The memory of a rank that is gone is free.
func (h *Heaps) free(blocks ...uint64) error {
	var failed error
	far := false
	for _, ga := range blocks {
		view, err := h.viewOf(rankOf(ga))
		switch {
		case err == nil:
			err = view.Free(ga)
		case h.needsAgent(err):
			far, err = true, nil
		}
		if err != nil && !isGone(err) {
			failed = err
		}
	}
	if far {
		return errors.Join(failed, h.freeFar(slices.Clone(blocks)))
	}
	return failed
}

// copyOf makes a copy of each element on its rank, without links, or none if one fails.
func (h *Heaps) copyOf(elements []Element) ([]Element, error) {
	copies := make([]Element, len(elements))
	var far []int
	for i, e := range elements {
		view, err := h.viewOf(rankOf(e.GA))
		if h.needsAgent(err) {
			far = append(far, i)
			continue
		}
		if err == nil {
			copies[i], err = copyAt(view, e)
		}
		if err != nil {
			return nil, errors.Join(err, h.discard(copies))
		}
	}
	if len(far) > 0 {
		if err := h.copyFar(copies, elements, far); err != nil {
			return nil, errors.Join(err, h.discard(copies))
		}
	}
	return copies, nil
}

func copyAt(view *heapview.View, e Element) (Element, error) {
	value, err := view.Bytes(e.GA+HeadSize, e.Size)
	if err != nil {
		return Element{}, err
	}
	ga, err := createAt(view, node{}, value)
	return Element{GA: ga, Size: e.Size}, err
}

// discard frees the elements whose address is not 0.
func (h *Heaps) discard(elements []Element) error {
	var blocks []uint64
	for _, e := range elements {
		if e.GA != 0 {
			blocks = append(blocks, e.GA)
		}
	}
	return h.free(blocks...)
}
