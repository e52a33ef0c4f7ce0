package hashed

import (
	"github.com/goacp/goacp/internal/site"
)

// first returns the first element from slot n on.
func (t *table) first(n uint32) (r site.Result, err error) {
	for ; n < t.slots; n++ {
		l, err := t.slot(n)
		if err != nil {
			return r, err
		}
		if loadWord(&l.count) == 0 {
			continue
		}
		if err := l.acquire(t.s); err != nil {
			return r, err
		}
		ga := l.first
		l.release()
		if ga != 0 {
			return site.Result{Vals: [2]uint64{ga, uint64(n)}}, nil
		}
	}
	return r, nil
}

// next returns the element behind ga, which is or was in slot n.
func (t *table) next(n uint32, ga uint64) (r site.Result, err error) {
	l, err := t.slot(n)
	if err != nil {
		return r, err
	}
	if err := l.acquire(t.s); err != nil {
		return r, err
	}
	behind, err := t.behind(l, ga)
	l.release()
	if err != nil {
		return r, err
	}
	if behind != 0 {
		return site.Result{Vals: [2]uint64{behind, uint64(n)}}, nil
	}
	return t.first(n + 1)
}

// behind returns the address of the element of l behind ga, 0 if there is none or if it
// cannot be told. The caller holds the lock of l.
//
// The element may have been removed since its address was known. Blocks that have been
// freed keep their bytes until somebody uses them again; so its links tell where it was
// as long as those on both sides of it are neighbours. In all other cases what they lead
// to could be anything, and the iteration goes on with the next slot.
func (t *table) behind(l *slot, ga uint64) (uint64, error) {
	e, err := site.At[node](t.s, ga)
	if err != nil {
		return 0, err
	}
	old := *e
	before, behind, err := t.link(l, &old)
	if err != nil {
		return 0, nil
	}
	here := *before == ga && *behind == ga
	gone := *before == old.next && *behind == old.prev
	if here || gone {
		return old.next, nil
	}
	return 0, nil
}

// describe tells of the element at ga.
func (t *table) describe(ga uint64) (site.Result, error) {
	e, err := t.element(ga)
	if err != nil {
		return site.Result{}, err
	}
	return site.Result{Vals: [2]uint64{uint64(len(e.key)), t.kind.extra(e.node)}}, nil
}
