package object

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// numbered is an element with its index in a list.
type numbered struct {
	element int64
	index   uint32
}

// sorted returns the elements of a list in ascending order.
func sorted(elements []int64) []numbered {
	all := make([]numbered, len(elements))
	for i, e := range elements {
		all[i] = numbered{e, uint32(i)}
	}
	slices.SortFunc(all, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.element, b.element), cmp.Compare(a.index, b.index))
	})
	return all
}

// decomposition is one call of Decompose.
type decomposition struct {
	objects  *Objects
	set      *set
	region   int
	elements []int64

	was, is   region     // before and after
	old, list []numbered // the lists of both
}

// run carries the decomposition out. If it fails, the region stays as it was.
func (d *decomposition) run() error {
	d.list = sorted(d.elements)
	for i := 1; i < len(d.list); i++ {
		if d.list[i].element == d.list[i-1].element {
			return fmt.Errorf("%w: %d", ErrTwice, d.list[i].element)
		}
	}
	if err := d.begin(); err != nil {
		return err
	}
	if err := d.replace(); err != nil {
		return errors.Join(err, d.objects.unmapRegion(&d.is), d.end(&d.was))
	}
	return d.objects.unmapRegion(&d.was)
}

// begin reads the region, and keeps others from decomposing it.
func (d *decomposition) begin() error {
	out := make([]byte, builtins[regionBegin].out)
	if err := d.objects.memory.Modify(d.set.region(d.region), regionBytes, regionBegin, nil, out); err != nil {
		return err
	}
	if status(out[0]) == locked {
		return fmt.Errorf("%w: %d", ErrDecomposed, d.region)
	}
	d.was = regionAt(out[4:])
	return nil
}

// end stores the region, and lets others decompose it.
func (d *decomposition) end(r *region) error {
	in := make([]byte, builtins[regionEnd].in)
	r.put(in[4:])
	return d.objects.memory.Modify(d.set.region(d.region), regionBytes, regionEnd, in, make([]byte, 1))
}

// replace gives the region its new elements.
func (d *decomposition) replace() error {
	values, err := d.values()
	if err != nil {
		return err
	}
	d.is = region{count: uint32(len(d.list)), turn: d.was.turn + 1}
	if err := d.store(values); err != nil {
		return err
	}
	if err := d.claim(); err != nil {
		return err
	}
	return errors.Join(d.change(without(d.old, d.list), directoryDrop, nil), d.end(&d.is))
}

// values reads the old list, and returns the values of the new one.
func (d *decomposition) values() ([]byte, error) {
	size := d.set.size
	values := make([]byte, int64(len(d.list))*size)
	if d.was.count == 0 {
		return values, nil
	}
	m, list, before := d.objects.memory, make([]byte, 8*int64(d.was.count)), make([]byte, int64(d.was.count)*size)
	if err := errors.Join(m.Read(d.was.list, list, get), m.Read(d.was.values, before, get)); err != nil {
		return nil, err
	}
	elements := make([]int64, d.was.count)
	for i := range elements {
		elements[i] = double(list, 8*i)
	}
	d.old = sorted(elements)
	both(d.old, d.list, func(a, b numbered) {
		copy(values[int64(b.index)*size:][:size], before[int64(a.index)*size:])
	})
	return values, nil
}

// store makes the spaces of the new region.
func (d *decomposition) store(values []byte) (err error) {
	if len(d.list) == 0 {
		return nil
	}
	m, list := d.objects.memory, make([]byte, 0, 8*len(d.elements))
	for _, e := range d.elements {
		list = binary.NativeEndian.AppendUint64(list, uint64(e))
	}
	var r region
	if r.values, err = m.Map(int64(len(values)), 1); err != nil {
		return err
	}
	if r.list, err = m.Map(int64(len(list)), 1); err != nil {
		return errors.Join(err, m.Unmap(r.values))
	}
	d.is.values, d.is.list = r.values, r.list
	return errors.Join(m.Write(r.values, values, exclusive), m.Write(r.list, list, exclusive))
}

// claim enters the new elements into the directory. If it fails, the directory is as before.
func (d *decomposition) claim() error {
	var mu sync.Mutex
	var claimed []numbered
	err := d.change(d.list, directoryClaim, func(page []numbered) {
		mu.Lock()
		defer mu.Unlock()
		claimed = append(claimed, page...)
	})
	if err == nil {
		return nil
	}
	slices.SortFunc(claimed, func(a, b numbered) int { return cmp.Compare(a.element, b.element) })
	var restore []numbered
	both(d.old, claimed, func(a, _ numbered) { restore = append(restore, a) })
	return errors.Join(err, d.change(without(claimed, d.old), directoryDrop, nil), d.change(restore, directoryClaim, nil))
}

// change runs an operation on the pages of the directory that have some elements, and calls done for each page.
func (d *decomposition) change(list []numbered, op Builtin, done func(page []numbered)) error {
	var pages [][]numbered
	for rest := list; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].element/writersOfPage == rest[0].element/writersOfPage {
			n++
		}
		pages, rest = append(pages, rest[:n]), rest[n:]
	}
	return parallel(len(pages), func(i int) error {
		err := d.changePage(pages[i], op)
		if err == nil && done != nil {
			done(pages[i])
		}
		return err
	})
}

// changePage runs an operation on one page of the directory.
func (d *decomposition) changePage(list []numbered, op Builtin) error {
	page := list[0].element / writersOfPage
	in := binary.NativeEndian.AppendUint32(make([]byte, 0, claimHead+len(list)*claimBytes), uint32(d.region+1))
	for _, n := range list {
		in = binary.NativeEndian.AppendUint32(in, uint32(n.element%writersOfPage))
		in = binary.NativeEndian.AppendUint32(in, n.index)
	}
	out := make([]byte, builtins[op].out)
	if err := d.objects.memory.Modify(d.set.directory+page*directoryPage, directoryPage, op, in, out); err != nil {
		return err
	}
	if status(out[0]) == mismatch {
		return fmt.Errorf("%w: element %d, region %d", ErrWriter, page*writersOfPage+int64(word(out, 4)), word(out, 8))
	}
	return status(out[0]).err()
}

// both calls f for the elements that two sorted lists have.
func both(a, b []numbered, f func(a, b numbered)) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].element < b[0].element:
			a = a[1:]
		case a[0].element > b[0].element:
			b = b[1:]
		default:
			f(a[0], b[0])
			a, b = a[1:], b[1:]
		}
	}
}

// without returns the elements of a sorted list that another one does not have.
func without(a, b []numbered) (rest []numbered) {
	for _, n := range a {
		for len(b) > 0 && b[0].element < n.element {
			b = b[1:]
		}
		if len(b) == 0 || b[0].element != n.element {
			rest = append(rest, n)
		}
	}
	return rest
}

// width is how many operations are under way at the same time.
const width = 16

// parallel calls f with the numbers from 0 to n-1, and returns the error of the lowest number.
func parallel(n int, f func(i int) error) error {
	if n == 1 {
		return f(0)
	}
	errs := make([]error, n)
	slots := make(chan struct{}, width)
	var group sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			errs[i] = f(i)
			<-slots
		})
	}
	group.Wait()
	return cmp.Or(errs...)
}
