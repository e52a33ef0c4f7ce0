package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
)

// The steps of TestListModel: each does the same to a list and to its model.

func (u *listUser) push(l, _ *listModel) error {
	e := listElement{value: u.value(), rank: u.rank()}
	var err error
	switch u.rnd.IntN(4) {
	case 0:
		err = l.PushBack(u.element(e.value), e.rank)
	case 1:
		err = l.PushBackBytes([]byte(e.value), e.rank)
	case 2:
		l.elements = slices.Insert(l.elements, 0, e)
		return l.PushFront(u.element(e.value), e.rank)
	case 3:
		l.elements = slices.Insert(l.elements, 0, e)
		return l.PushFrontBytes([]byte(e.value), e.rank)
	}
	l.elements = append(l.elements, e)
	return err
}

// insert inserts bytes of this rank, or those of an element of another list.
func (u *listUser) insert(l, other *listModel) error {
	i := u.rnd.IntN(len(l.elements) + 1)
	it, err := u.place(l, i)
	if err != nil {
		return err
	}
	e := listElement{value: u.value(), rank: u.rank()}
	if n := len(other.elements); n > 0 && u.rnd.IntN(2) == 0 {
		k := u.rnd.IntN(n)
		e.value = other.elements[k].value
		source := must(u.place(other, k))
		from := must(other.Deref(source))
		if from.Size != uint64(len(e.value)) {
			return fmt.Errorf("element of %d bytes: %v", len(e.value), from)
		}
		it, err = l.Insert(it, from, e.rank)
	} else {
		it, err = l.InsertBytes(it, []byte(e.value), e.rank)
	}
	e.ga = it.Elem
	l.elements = slices.Insert(l.elements, i, e)
	return err
}

func (u *listUser) pop(l, _ *listModel) error {
	n := len(l.elements)
	if u.rnd.IntN(2) == 0 {
		l.elements = l.elements[:max(n-1, 0)]
		return l.PopBack()
	}
	l.elements = l.elements[min(n, 1):]
	return l.PopFront()
}

func (u *listUser) erase(l, _ *listModel) error {
	if len(l.elements) == 0 {
		return nil
	}
	i := u.rnd.IntN(len(l.elements))
	it, err := u.place(l, i)
	if err != nil {
		return err
	}
	next, err := l.Erase(it)
	if err != nil {
		return err
	}
	l.elements = slices.Delete(l.elements, i, i+1)
	if want, err := u.place(l, i); err != nil || next != want {
		return fmt.Errorf("erase returned %v, expected %v, %v", next, want, err)
	}
	return nil
}

func (u *listUser) eraseRange(l, _ *listModel) error {
	i, j, start, end, err := u.between(l)
	if err != nil {
		return err
	}
	l.elements = slices.Delete(l.elements, i, j)
	got, err := l.EraseRange(start, end)
	if got != end {
		return fmt.Errorf("erased up to %v, got %v", end, got)
	}
	return err
}

// copied returns the expected copies of elements.
func copied(elements []listElement) []listElement {
	elements = slices.Clone(elements)
	for i := range elements {
		elements[i].ga = acp.NullGA
	}
	return elements
}

func (u *listUser) assign(l, other *listModel) error {
	l.elements = copied(other.elements)
	return l.Assign(other.ByteList)
}

func (u *listUser) assignRange(l, other *listModel) error {
	i, j, start, end, err := u.between(other)
	if err != nil {
		return err
	}
	l.elements = copied(other.elements[i:j])
	return l.AssignRange(start, end)
}

// anywhere returns a random place of a list, or its end.
func (u *listUser) anywhere(l *listModel) (k int, it acp.ListIterator, err error) {
	k = u.rnd.IntN(len(l.elements) + 1)
	it, err = u.place(l, k)
	return k, it, err
}

func (u *listUser) insertRange(l, other *listModel) error {
	i, j, start, end, err := u.between(other)
	if err != nil {
		return err
	}
	k, it, err := u.anywhere(l)
	if err != nil {
		return err
	}
	first, err := l.InsertRange(it, start, end)
	if err != nil {
		return err
	}
	l.elements = slices.Insert(l.elements, k, copied(other.elements[i:j])...)
	if want, err := u.place(l, k); err != nil || first != want {
		return fmt.Errorf("inserted at %v, expected %v, %v", first, want, err)
	}
	return nil
}

func (u *listUser) splice(l, other *listModel) error {
	i := u.rnd.IntN(len(other.elements) + 1)
	from, err := u.place(other, i)
	if err != nil {
		return err
	}
	k, it, err := u.anywhere(l)
	if err != nil {
		return err
	}
	if i < len(other.elements) {
		moveElements(l, k, other, i, i+1)
	}
	return l.Splice(it, from)
}

func (u *listUser) spliceRange(l, other *listModel) error {
	i, j, start, end, err := u.between(other)
	if err != nil {
		return err
	}
	k, it, err := u.anywhere(l)
	if err != nil {
		return err
	}
	if l == other && i < k && k < j {
		if err := l.SpliceRange(it, start, end); !errors.Is(err, acp.ErrBadIterator) {
			return fmt.Errorf("elements moved into themselves: %v", err)
		}
		return nil
	}
	moveElements(l, k, other, i, j)
	return l.SpliceRange(it, start, end)
}

// moveElements moves the elements i … j-1 of other before element k of l.
func moveElements(l *listModel, k int, other *listModel, i, j int) {
	moved := slices.Clone(other.elements[i:j])
	other.elements = slices.Delete(other.elements, i, j)
	if l == other && k >= j {
		k -= j - i
	}
	l.elements = slices.Insert(l.elements, k, moved...)
}

func (u *listUser) swap(l, other *listModel) error {
	l.elements, other.elements = other.elements, l.elements
	return l.Swap(other.ByteList)
}

// compare compares the values of two elements, which it copies.
func (u *listUser) compare(a, b acp.Element) int {
	value := func(e acp.Element, at int) []byte {
		if err := u.p.move(u.own+acp.GA(at), e.GA, int(e.Size)); err != nil {
			panic(err)
		}
		return u.p.Starter()[at : at+int(e.Size)]
	}
	return bytes.Compare(value(a, 0), value(b, 1<<19))
}

func byValue(a, b listElement) int { return bytes.Compare([]byte(a.value), []byte(b.value)) }

func (u *listUser) sort(l, _ *listModel) error {
	slices.SortStableFunc(l.elements, byValue)
	return l.Sort(u.compare)
}

func (u *listUser) merge(l, other *listModel) error {
	if err := errors.Join(u.sort(l, nil), u.sort(other, nil)); err != nil {
		return err
	}
	if l != other {
		l.elements = append(l.elements, other.elements...)
		slices.SortStableFunc(l.elements, byValue)
		other.elements = nil
	}
	return l.Merge(other.ByteList, u.compare)
}

func (u *listUser) unique(l, _ *listModel) error {
	before := len(l.elements)
	l.elements = slices.CompactFunc(l.elements, func(a, b listElement) bool { return a.value == b.value })
	n, err := l.Unique()
	if err == nil && n != before-len(l.elements) {
		err = fmt.Errorf("unique removed %d", n)
	}
	return err
}

func (u *listUser) remove(l, _ *listModel) error {
	value := u.value()
	before := len(l.elements)
	l.elements = slices.DeleteFunc(l.elements, func(e listElement) bool { return e.value == value })
	var n int
	var err error
	if u.rnd.IntN(2) == 0 {
		n, err = l.Remove(u.element(value))
	} else {
		n, err = l.RemoveBytes([]byte(value))
	}
	if err == nil && n != before-len(l.elements) {
		err = fmt.Errorf("removed %d", n)
	}
	return err
}

func (u *listUser) reverse(l, _ *listModel) error {
	slices.Reverse(l.elements)
	return l.Reverse()
}

func (u *listUser) clear(l, _ *listModel) error {
	l.elements = nil
	return l.Clear()
}

// walk advances an iterator forward and back.
func (u *listUser) walk(l, _ *listModel) error {
	n, empty := must(l.Len()), must(l.Empty())
	if n != len(l.elements) || empty != (n == 0) {
		return fmt.Errorf("%d elements, empty %v", n, empty)
	}
	i, j, start, end, err := u.between(l)
	if err != nil {
		return err
	}
	if got, err := l.Distance(start, end); err != nil || got != j-i {
		return fmt.Errorf("from %d to %d: %d, %v", i, j, got, err)
	}
	if got, err := l.Distance(end, start); err != nil || i < j && got != len(l.elements)-j {
		return fmt.Errorf("from %d back to %d: %d, %v", j, i, got, err)
	}
	if got, err := l.Advance(end, i-j); err != nil || got != start {
		return fmt.Errorf("%d back from %d: %v, %v", j-i, j, got, err)
	}
	if got, err := l.Advance(end, 1000); err != nil || got != l.End() {
		return fmt.Errorf("beyond the end: %v, %v", got, err)
	}
	if got, err := l.Advance(end, -1000); err != nil || got != must(l.Begin()) {
		return fmt.Errorf("before the first: %v, %v", got, err)
	}
	next, err := l.Next(start)
	if err != nil {
		return err
	}
	if back, err := l.Prev(next); i < len(l.elements) && (err != nil || back != start) {
		return fmt.Errorf("one forth and back: %v, %v", back, err)
	}
	return nil
}

// renew puts a new list in the place of one.
func (u *listUser) renew(l, _ *listModel) error {
	if u.rnd.IntN(4) > 0 {
		return nil
	}
	if err := l.Destroy(); err != nil {
		return err
	}
	l.rank, l.elements = u.rank(), nil
	var err error
	l.ByteList, err = u.p.NewByteList(l.rank)
	return err
}
