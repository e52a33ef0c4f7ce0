package main

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/goacp/goacp/acp"
)

// maxList bounds the elements of a list.
const maxList = 300

// lists changes two lists, whose elements lie on any ranks.
type lists struct {
	w     *world
	rnd   *rand.Rand
	made  []*acp.List[uint64]
	model [2][]uint64
}

func newLists(w *world, rnd *rand.Rand) (actor, error) { return &lists{w: w, rnd: rnd}, nil }

// value returns one of few values, so that some are equal.
func (l *lists) value() uint64 { return l.rnd.Uint64N(100) }

// place returns an iterator of element i of a list.
func place(made *acp.List[uint64], i int) (acp.ListIterator, error) {
	it, err := made.Begin()
	if err != nil {
		return it, err
	}
	return made.Advance(it, i)
}

func (l *lists) step() error {
	if len(l.made) < 2 {
		made, err := acp.NewList[uint64](l.w.p, l.w.peer(l.rnd))
		if err == nil {
			l.made = append(l.made, made)
		}
		return err
	}
	i := l.rnd.IntN(2)
	if len(l.model[i]) > maxList {
		l.model[i] = nil
		return l.made[i].Clear()
	}
	if l.rnd.IntN(2) == 0 {
		return l.atEnds(i)
	}
	if l.rnd.IntN(2) == 0 {
		return l.inside(i)
	}
	return l.whole(i)
}

// atEnds changes an end of list i.
func (l *lists) atEnds(i int) error {
	made, m, x := l.made[i], l.model[i], l.value()
	switch l.rnd.IntN(6) {
	case 0, 1:
		l.model[i] = append(m, x)
		return made.PushBack(x, l.w.peer(l.rnd))
	case 2, 3:
		l.model[i] = slices.Insert(m, 0, x)
		return made.PushFront(x, l.w.peer(l.rnd))
	case 4:
		x, err := made.PopBack()
		if len(m) == 0 {
			return expectError(err, acp.ErrEmpty)
		}
		l.model[i] = m[:len(m)-1]
		return expect(x, m[len(m)-1], err)
	default:
		x, err := made.PopFront()
		if len(m) == 0 {
			return expectError(err, acp.ErrEmpty)
		}
		l.model[i] = m[1:]
		return expect(x, m[0], err)
	}
}

// inside changes list i somewhere.
func (l *lists) inside(i int) error {
	made, m := l.made[i], l.model[i]
	at := l.rnd.IntN(len(m) + 1)
	it, err := place(made, at)
	if err != nil {
		return err
	}
	switch l.rnd.IntN(5) {
	case 0, 1:
		x := l.value()
		l.model[i] = slices.Insert(m, at, x)
		_, err := made.Insert(it, x, l.w.peer(l.rnd))
		return err
	case 2:
		_, err := made.Erase(it)
		if at == len(m) {
			return expectError(err, acp.ErrBadIterator)
		}
		l.model[i] = slices.Delete(m, at, at+1)
		return err
	case 3:
		x, err := made.Load(it)
		if at == len(m) {
			return expectError(err, acp.ErrBadIterator)
		}
		return expect(x, m[at], err)
	default:
		return l.splice(i, it, at)
	}
}

// splice moves some elements of the other list to a place of list i.
func (l *lists) splice(i int, it acp.ListIterator, at int) error {
	other, from := l.made[1-i], l.model[1-i]
	first := l.rnd.IntN(len(from) + 1)
	last := first + l.rnd.IntN(len(from)-first+1)
	start, err := place(other, first)
	if err != nil {
		return err
	}
	end, err := place(other, last)
	if err != nil {
		return err
	}
	moved := slices.Clone(from[first:last])
	l.model[i] = slices.Insert(l.model[i], at, moved...)
	l.model[1-i] = slices.Delete(from, first, last)
	return l.made[i].SpliceRange(it, start, end)
}

// whole does an operation on all elements of list i.
func (l *lists) whole(i int) error {
	made, m := l.made[i], l.model[i]
	other, om := l.made[1-i], l.model[1-i]
	switch l.rnd.IntN(9) {
	case 0:
		slices.Reverse(m)
		return made.Reverse()
	case 1:
		slices.Sort(m)
		return made.Sort(cmp.Compare[uint64])
	case 2:
		kept := slices.Compact(slices.Clone(m))
		l.model[i] = kept
		n, err := made.Unique()
		return expect(n, len(m)-len(kept), err)
	case 3:
		x := l.value()
		kept := slices.DeleteFunc(slices.Clone(m), func(y uint64) bool { return x == y })
		l.model[i] = kept
		n, err := made.Remove(x)
		return expect(n, len(m)-len(kept), err)
	case 4:
		slices.Sort(m)
		slices.Sort(om)
		if err := made.Sort(cmp.Compare[uint64]); err != nil {
			return err
		}
		if err := other.Sort(cmp.Compare[uint64]); err != nil {
			return err
		}
		merged := slices.Concat(m, om)
		slices.Sort(merged)
		l.model[i], l.model[1-i] = merged, nil
		return made.Merge(other, cmp.Compare[uint64])
	case 5:
		l.model[0], l.model[1] = l.model[1], l.model[0]
		return made.Swap(other)
	case 6:
		l.model[i] = slices.Clone(om)
		return made.Assign(other)
	case 7:
		n, err := made.Len()
		return expect(n, len(m), err)
	default:
		return l.compare(i)
	}
}

func (l *lists) compare(i int) error {
	found, err := l.made[i].Slice()
	if err != nil {
		return err
	}
	return sameRow(found, l.model[i])
}

func (l *lists) settle() error { return nil }

func (l *lists) check() error {
	for i := range l.made {
		if err := l.compare(i); err != nil {
			return err
		}
	}
	return nil
}

func (l *lists) close() error {
	for _, made := range l.made {
		if err := made.Destroy(); err != nil {
			return err
		}
	}
	return nil
}
