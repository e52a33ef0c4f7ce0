package hashed

import (
	"fmt"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// first returns the first element from slot n on.
func (t *table) first(n uint32) (r am.Result, err error) {
	for ; n < t.slots; n++ {
		l, err := t.slot(n)
		if err != nil {
			return r, err
		}
		if loadWord(&l.count) == 0 {
			continue
		}
		if l, err = t.hold(n); err != nil {
			return r, err
		}
		ga := l.first
		if ga != 0 {
			t.keepTombstones()
		}
		l.release()
		if ga != 0 {
			return am.Result{Val0: ga, Val1: uint64(n)}, nil
		}
	}
	return r, t.check()
}

// next returns the element behind ga, which is or was in slot n.
func (t *table) next(n uint32, ga uint64) (r am.Result, err error) {
	l, err := t.hold(n)
	if err != nil {
		return r, err
	}
	behind, err := t.behind(l, n, ga)
	t.keepTombstones()
	l.release()
	if err != nil {
		return r, err
	}
	if behind != 0 {
		return am.Result{Val0: behind, Val1: uint64(n)}, nil
	}
	return t.first(n + 1)
}

// describe returns the sizes of the element at ga, which is in slot n. Fails with heapview.ErrBadAddress if
// the slot has no such element any more.
func (t *table) describe(n uint32, ga uint64) (r am.Result, err error) {
	l, err := t.hold(n)
	if err != nil {
		return r, err
	}
	defer l.release()
	here, err := t.has(l, ga)
	if err != nil {
		return r, err
	}
	if !here {
		return r, fmt.Errorf("%w: no element at %#x", heapview.ErrBadAddress, ga)
	}
	e, err := t.element(ga)
	if err != nil {
		return r, err
	}
	return am.Result{Val0: uint64(len(e.key)), Val1: t.kind.extra(e.node)}, nil
}
