package list

import (
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// The operations. Unless stated otherwise, GA is the address of the control block. A place is the address of
// an element, or that of the control block for the end.
const (
	OpCreate      = am.OpList + iota // creates a list; Val0 is its address; GA is any address of the rank
	OpDestroy                        // frees elements and control block
	OpState                          // Val0 and Val1 are the first place and the number of elements
	OpInsert                         // inserts Data as an element on rank Args[1] before place Args[0], 0 being the first; Val0 is its place
	OpErase                          // erases the element at Args[0], 0 being the first and GA the last; Val0 and Val1 are the place behind, and how many
	OpEraseRange                     // erases from Args[0] to before Args[1]
	OpClear                          // erases all elements
	OpAssign                         // replaces the elements by copies of those of list Args[0], from Args[1] to before Args[2]; of all if Args[1] is 0
	OpInsertRange                    // inserts copies of those of list Args[1], from Args[2] to before Args[3], before Args[0]; Val0 is the first
	OpMove                           // moves those of list Args[1], from Args[2] to before Args[3], before Args[0]; one if Args[3] is 0
	OpSwap                           // exchanges the elements with list Args[0]
	OpReverse                        // reverses the order
	OpRemove                         // erases the elements equal to Data; Val0 is how many
	OpUnique                         // erases the elements equal to the one before; Val0 is how many
	OpInsertMany                     // inserts the values in Data, see values, as elements on rank Args[1] before place Args[0], 0 being the first; Val0 is the first of them
	OpTake                           // erases up to Args[1] elements at the place Args[0], which is 0 or GA as of OpErase, and writes their values to Out: see take
)

// Perform carries out an operation on a list.
func Perform(h *Heaps, c *am.Call) (r am.Result, err error) {
	switch c.Op {
	case OpCreate:
		r.Val0, err = h.createList(rankOf(c.GA))
		return r, err
	case OpRun, OpStore, OpMake, OpFree, OpCopies, OpMakeMany:
		return h.performAccess(c)
	}
	l, err := h.open(c.GA)
	if err != nil {
		return r, err
	}
	switch c.Op {
	case OpDestroy:
		return r, l.destroy()
	case OpState:
		r.Val0, r.Val1 = l.next, l.n
	case OpInsert:
		r.Val0, err = l.insert(c.Args[0], c.Args[1], c.Data)
	case OpErase:
		r.Val0, r.Val1, err = l.erase(c.Args[0])
	case OpEraseRange:
		err = l.eraseRange(c.Args[0], c.Args[1])
	case OpClear:
		err = l.clear()
	case OpReverse:
		err = l.reverse()
	case OpRemove:
		r.Val0, err = l.filter(equalTo(c.Data))
	case OpUnique:
		r.Val0, err = l.filter(equalToLast())
	case OpInsertMany:
		r.Val0, err = l.insertMany(c.Args[0], c.Args[1], c.Data)
	case OpTake:
		return l.take(c)
	default:
		return performTwo(&l, c)
	}
	return r, err
}

// performTwo carries out an operation on l and another list, which may be l itself.
func performTwo(l *ring, c *am.Call) (r am.Result, err error) {
	with := c.Args[1]
	if c.Op == OpAssign || c.Op == OpSwap {
		with = c.Args[0]
	}
	other, err := l.heaps.open(with)
	if err != nil {
		return r, err
	}
	switch c.Op {
	case OpAssign:
		err = l.assign(&other, c.Args[1], c.Args[2])
	case OpInsertRange:
		r.Val0, err = l.insertRange(c.Args[0], &other, c.Args[2], c.Args[3])
	case OpMove:
		err = l.move(c.Args[0], &other, c.Args[2], c.Args[3])
	case OpSwap:
		err = l.swap(&other)
	default:
		err = am.ErrMalformed
	}
	return r, err
}

func (h *Heaps) createList(rank uint64) (uint64, error) {
	view, err := h.viewOf(rank)
	if err != nil {
		return 0, err
	}
	ga, err := view.Alloc(blockSize)
	if err != nil {
		return 0, err
	}
	p, err := heapview.At[block](view, ga)
	if err != nil {
		return 0, err
	}
	*p = block{node{next: ga, prev: ga}, markOf(ga)}
	return ga, nil
}
