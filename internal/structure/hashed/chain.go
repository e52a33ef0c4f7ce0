package hashed

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/memory/heapview"
)

// element is one of a chain, in memory.
type element struct {
	*node
	ga         uint64
	key, value []byte
}

// element finds the element at ga.
func (t *table) element(ga uint64) (element, error) {
	n, err := heapview.At[node](t.view, ga)
	if err != nil {
		return element{}, err
	}
	key, value := t.kind.sizes(n)
	b, err := t.view.Bytes(ga+t.kind.headSize(), key+value)
	if err != nil {
		return element{}, err
	}
	return element{n, ga, b[:key:key], b[key:]}, nil
}

// most returns the number of elements in the chain of l, but never more than fit into the heap. So walks end
// even if the program has damaged the counter and links.
func (t *table) most(l *slot) uint64 { return min(l.count, t.view.Size()/leastElement) }

// leastElement is the least number of bytes of an element's block.
const leastElement = 32

// search returns the element of l with key; its node is nil if there is none. The caller
// holds the lock of l.
func (t *table) search(l *slot, key []byte) (element, error) {
	ga := l.first
	for left := t.most(l); ga != 0 && left > 0; left-- {
		n, err := heapview.At[node](t.view, ga)
		if err != nil {
			return element{}, err
		}
		if size, _ := t.kind.sizes(n); size == uint64(len(key)) {
			e, err := t.element(ga)
			if err != nil || bytes.Equal(e.key, key) {
				return e, err
			}
		}
		ga = n.next
	}
	return element{}, nil
}

// newElement makes an element for slot n, whose lock the caller holds. It is in no chain.
func (t *table) newElement(n uint32, key, value []byte, times uint64) (element, error) {
	ga, err := t.allocAside(n, t.kind.headSize()+uint64(len(key))+uint64(len(value)))
	if err != nil {
		return element{}, err
	}
	head, err := heapview.At[node](t.view, ga)
	if err != nil {
		return element{}, err
	}
	t.kind.fill(head, len(key), len(value), times)
	e, err := t.element(ga)
	if err != nil {
		return element{}, err
	}
	copy(e.key, key)
	copy(e.value, value)
	return e, nil
}

// links returns the two words that contain the address of e: one before it and one behind it in the chain.
// The caller holds the lock of l, to which e belongs. Fails with heapview.ErrBadAddress if one of them holds
// another address, because a program has overwritten it. Then the caller writes nothing.
func (t *table) links(l *slot, e element) (before, behind *uint64, err error) {
	before, behind, err = t.around(l, e.node)
	if err == nil && (*before != e.ga || *behind != e.ga) {
		err = fmt.Errorf("%w: the links at %#x do not agree", heapview.ErrBadAddress, e.ga)
	}
	return before, behind, err
}

// around returns the words of the two neighbours that e names. If there is no such neighbour,
// the word is one of l.
func (t *table) around(l *slot, e *node) (before, behind *uint64, err error) {
	before, behind = &l.first, &l.last
	if e.prev != 0 {
		n, err := heapview.At[node](t.view, e.prev)
		if err != nil {
			return nil, nil, err
		}
		before = &n.next
	}
	if e.next != 0 {
		n, err := heapview.At[node](t.view, e.next)
		if err != nil {
			return nil, nil, err
		}
		behind = &n.prev
	}
	return before, behind, nil
}

// enter appends e to the chain of l, whose lock the caller holds. If it fails, it has freed e.
func (t *table) enter(l *slot, e element) error {
	e.prev, e.next = l.last, 0
	before, behind, err := t.around(l, e.node)
	if err == nil && *before != 0 {
		err = fmt.Errorf("%w: the element at %#x is not the last", heapview.ErrBadAddress, l.last)
	}
	if err != nil {
		return errors.Join(err, t.view.Free(e.ga))
	}
	*before, *behind = e.ga, e.ga
	storeWord(&l.count, l.count+1)
	return nil
}

// takeOut removes e from the chain of l, which is slot n, whose lock the caller holds, and
// frees it.
func (t *table) takeOut(l *slot, n uint32, e element) error {
	before, behind, err := t.links(l, e)
	if err != nil {
		return err
	}
	*before, *behind = e.next, e.prev
	storeWord(&l.count, l.count-1)
	t.addTombstone(n, e.ga, e.next, e.next)
	return t.view.Free(e.ga)
}

// replace puts e in the place of old and frees old. The caller holds the lock of l, which is slot n. If it
// fails, it has freed e.
func (t *table) replace(l *slot, n uint32, old, e element) error {
	before, behind, err := t.links(l, old)
	if err != nil {
		return errors.Join(err, t.view.Free(e.ga))
	}
	e.prev, e.next = old.prev, old.next
	*before, *behind = e.ga, e.ga
	t.addTombstone(n, old.ga, e.ga, e.next)
	return t.view.Free(old.ga)
}

// The counter of a slot and the mark of a table are read without a lock.
func loadWord(w *uint64) uint64              { return atomic.LoadUint64(w) }
func storeWord(w *uint64, v uint64)          { atomic.StoreUint64(w, v) }
func swapWord(w *uint64, old, v uint64) bool { return atomic.CompareAndSwapUint64(w, old, v) }
