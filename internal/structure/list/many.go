package list

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/network/am"
)

// In Data and in Out many values follow each other, each as its size in a word and its bytes.
const valueHead = 8

// AppendValue appends a value to many.
func AppendValue(b, value []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(value))), value...)
}

// cutValue returns the first value of many, and the rest. ok is false if b ends within the value.
func cutValue(b []byte) (value, rest []byte, ok bool) {
	if len(b) < valueHead {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint64(b)
	if b = b[valueHead:]; n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}

// countValues returns how many values are in b. Fails with am.ErrMalformed if b ends within a value.
func countValues(b []byte) (n int, err error) {
	for ok := true; len(b) > 0; n++ {
		if _, b, ok = cutValue(b); !ok {
			return 0, am.ErrMalformed
		}
	}
	return n, nil
}

// insertMany makes elements with the values in b before a place, and returns the place of the first; without
// values it returns place itself.
func (l *ring) insertMany(place, rank uint64, b []byte) (uint64, error) {
	if place == 0 {
		place = l.next
	}
	if len(b) == 0 {
		return place, nil
	}
	prev, err := l.before(place)
	if err != nil {
		return 0, err
	}
	made, err := l.heaps.createMany(rank, b)
	if err != nil {
		return 0, err
	}
	if err := l.heaps.apply(l.joins(prev, made, place)); err != nil {
		return 0, errors.Join(err, l.heaps.discard(made))
	}
	return made[0].GA, nil
}

// joins returns the changes that put new elements between two places.
func (l *ring) joins(prev uint64, elements []Element, place uint64) []write {
	changes := make([]write, 0, 2*len(elements)+3)
	for _, e := range elements {
		changes = link(changes, prev, e.GA)
		prev = e.GA
	}
	return append(link(changes, prev, place), write{l.ga + offN, l.n + uint64(len(elements))})
}

// createMany makes an element without links on a rank for each value in b, or none if one fails. The values
// are only read.
func (h *Heaps) createMany(rank uint64, b []byte) ([]Element, error) {
	n, err := countValues(b)
	if err != nil {
		return nil, err
	}
	view, err := h.viewOf(rank)
	if h.needsAgent(err) {
		return h.createManyFar(rank, slices.Clone(b), n)
	}
	if err != nil {
		return nil, err
	}
	made := make([]Element, n)
	for i := range made {
		var value []byte
		value, b, _ = cutValue(b)
		if made[i].GA, err = createAt(view, node{}, value); err != nil {
			return nil, errors.Join(err, h.discard(made))
		}
	}
	return made, nil
}

// createManyFar is createMany of n values by the agent of the rank.
func (h *Heaps) createManyFar(rank uint64, b []byte, n int) ([]Element, error) {
	made := make([]Element, 0, n)
	for len(made) < n {
		part, count := b, 0
		for used := 0; len(b) > 0; count++ {
			value, rest, _ := cutValue(b)
			if used += valueHead + len(value); used > am.MaxData && count > 0 {
				break
			}
			b = rest
		}
		c := am.Call{Op: OpMakeMany, Args: [4]uint64{2: rank}, Data: part[:len(part)-len(b)], Out: make([]byte, 8*count)}
		r, err := h.Agents.Exec(rank, &c)
		if err == nil && r.N != len(c.Out) {
			err = am.ErrMalformed
		}
		if err != nil {
			return nil, errors.Join(err, h.discard(made))
		}
		for _, at := range decode(c.Out) {
			made = append(made, Element{GA: at})
		}
	}
	return made, nil
}

// makeMany is createMany for another process.
func (h *Heaps) makeMany(c *am.Call) (int, error) {
	if n, err := countValues(c.Data); err != nil || len(c.Out) < 8*n {
		return 0, am.ErrMalformed
	}
	made, err := h.createMany(c.Args[2], c.Data)
	for i, e := range made {
		binary.LittleEndian.PutUint64(c.Out[8*i:], e.GA)
	}
	return 8 * len(made), err
}

// anySize is Args[2] of OpTake if elements may have any size.
const anySize = ^uint64(0)

// take erases up to Args[1] elements at an end. It writes their values to Out, beginning with the element at
// the end. It stops before an element for which Out has no room, and, unless Args[2] is anySize, before an
// element that does not have Args[2] bytes. Val0 is how many it has erased, and Val1 the bytes of the element
// before which it has stopped, or anySize if it has not stopped.
func (l *ring) take(c *am.Call) (r am.Result, err error) {
	back := c.Args[0] == l.ga
	at := l.next
	if back {
		at = l.prev
	}
	r.Val1 = anySize
	reader := l.heaps.Read(l.ga, min(c.Args[1], l.n), back, true)
	b := c.Out[:0:len(c.Out)]
	var taken []Element
	for at != l.ga && uint64(len(taken)) < min(c.Args[1], l.n) {
		e, err := reader.linked(at)
		if err != nil {
			return am.Result{}, err
		}
		if uint64(cap(b)-len(b)) < valueHead+e.Size || c.Args[2] != anySize && e.Size != c.Args[2] {
			r.Val1 = e.Size
			break
		}
		b, taken = AppendValue(b, e.Value), append(taken, e)
		if at = e.Next; back {
			at = e.Prev
		}
	}
	if len(taken) == 0 {
		return r, nil
	}
	r.Val0, r.N = uint64(len(taken)), len(b)
	return r, l.dropEnd(taken, at, back)
}

// dropEnd erases elements at an end. at is the place behind them, counted from that end.
func (l *ring) dropEnd(taken []Element, at uint64, back bool) error {
	last := taken[len(taken)-1].GA
	next, err := l.at(at)
	if err != nil {
		return err
	}
	if !back && next.prev != last || back && next.next != last || !back && taken[0].Prev != l.ga || back && taken[0].Next != l.ga {
		return broken(at)
	}
	var changes []write
	if back {
		changes = link(nil, at, l.ga)
	} else {
		changes = link(nil, l.ga, at)
	}
	if err := l.heaps.apply(append(changes, write{l.ga + offN, l.n - uint64(len(taken))})); err != nil {
		return err
	}
	return l.heaps.discard(taken)
}

// Take removes up to n elements at an end, the last one first if back is true, and calls f with the value of
// each. f must not keep the value. If size is not 0, Take removes only elements of size bytes: it stops
// before an element of another size and returns the bytes of that element. Blocks for one round trip for
// every am.MaxOut bytes, or for two if an element is longer than that.
func (l List) Take(back bool, n int, size uint64, f func(value []byte)) (other uint64, err error) {
	c := am.Call{Op: OpTake, GA: l.at, Args: [4]uint64{2: anySize}}
	each := uint64(usualSize)
	if size > 0 {
		c.Args[2], each = size, valueHead+size
	}
	if back {
		c.Args[0] = l.at
	}
	for first := true; n > 0 || first; first = false {
		c.Args[1] = uint64(n)
		c.Out = make([]byte, min(am.MaxOut, min(uint64(n), am.MaxOut)*each))
		r, err := l.do(&c)
		if err != nil {
			return 0, err
		}
		b := c.Out[:r.N]
		if got, err := countValues(b); err != nil || uint64(got) != r.Val0 || got > n {
			return 0, am.ErrMalformed
		}
		for len(b) > 0 {
			var value []byte
			value, b, _ = cutValue(b)
			f(value)
		}
		n -= int(r.Val0)
		switch {
		case r.Val1 == anySize:
			return 0, nil // these were all
		case size > 0 && r.Val1 != size:
			return r.Val1, nil
		case r.Val0 == 0:
			if err := l.takeLong(c.Args[0], f); err != nil {
				return 0, err
			}
			n--
		}
	}
	return 0, nil
}

// takeLong removes one element at an end that fits into no message.
func (l List) takeLong(end uint64, f func(value []byte)) error {
	heaps, err := l.Heaps()
	if err != nil {
		return err
	}
	e, found, err := heaps.End(l.at, end == l.at)
	if err != nil || !found {
		return err
	}
	value := slices.Clone(e.Value)
	if _, err := l.Do(OpErase, nil, e.GA); err != nil {
		return err
	}
	f(value)
	return nil
}

// End returns the first or the last element of a list, with its value, and whether there is one.
func (h *Heaps) End(list uint64, back bool) (e Element, found bool, err error) {
	r := h.Read(list, 2, back, true)
	head, err := r.Element(list)
	if err != nil {
		return e, false, err
	}
	at := head.Next
	if back {
		at = head.Prev
	}
	if at == list {
		return e, false, nil
	}
	e, err = r.Element(at)
	return e, err == nil, err
}
