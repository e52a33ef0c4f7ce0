package acp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/sequence"
)

// row is what vectors and deques have in common: bytes in a row on one rank.
//
// Several ranks may use one of them. Those that change it, or use it while another one
// changes it, have to take turns.
type row struct {
	p     *Process
	ga    GA // of the control block
	deque bool
}

// RowIterator is a place in a vector or deque: the number of a byte, from 0 on. The
// number of bytes is the place at the end. Insertions, erasures and assignments make
// iterators invalid.
type RowIterator struct {
	GA    GA // of the vector or deque
	Index int
}

// Advance returns the iterator n bytes further, or back if n is negative. It does not
// look at the vector or deque. Local. Does not block. Spec 4.3.21, 4.4.25.
func (it RowIterator) Advance(n int) RowIterator {
	it.Index += n
	return it
}

// Distance returns how many bytes it takes to advance to last. Local. Does not block. Spec
// 4.3.23, 4.4.27.
func (it RowIterator) Distance(last RowIterator) int { return last.Index - it.Index }

// newRow makes a row of size bytes, which are zero if clear says so.
func (p *Process) newRow(isDeque bool, capacity, size uint64, clear bool, rank Rank) (row, error) {
	r := row{p: p, deque: isDeque}
	err := p.alive()
	if err == nil && (rank < 0 || int(rank) >= p.procs) {
		err = ErrBadRank
	}
	if err == nil {
		c := am.Call{Op: r.op(sequence.OpCreate), Args: [4]uint64{capacity, size}}
		if clear {
			c.Args[2] = 1
		}
		var result am.Result
		result, err = p.execOn(p.member(rank), &c)
		r.ga = GA(result.Val0)
	}
	if err != nil {
		return row{}, p.fail(&OpError{Op: "create " + r.kind(), Rank: p.Rank(), Size: capacity, Err: fmt.Errorf("on rank %d: %w", rank, err)})
	}
	return r, nil
}

func (r row) kind() string {
	if r.deque {
		return "deque"
	}
	return "vector"
}

func (r row) op(op am.Op) am.Op {
	if r.deque {
		op += am.OpDeque - am.OpVector
	}
	return op
}

func (r row) exec(op am.Op, a, b uint64) (am.Result, error) {
	return r.p.exec(&am.Call{Op: r.op(op), GA: uint64(r.ga), Args: [4]uint64{a, b}})
}

// failed describes the failure of an operation.
func (r row) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return r.p.fail(&OpError{Op: what + " of " + r.kind(), Rank: r.p.Rank(), Dst: r.ga, Err: err})
}

// GA returns the address of the control block, by which other ranks use the vector or
// deque too. Local. Does not block.
func (r row) GA() GA { return r.ga }

// Destroy frees the vector or deque. Any rank. Blocks for one round trip. Spec 4.3.9,
// 4.4.10.
func (r row) Destroy() error {
	_, err := r.exec(sequence.OpDestroy, 0, 0)
	return r.failed("destruction", err)
}

// Size returns the number of bytes. Any rank. Blocks for one round trip. Spec 4.3.19,
// 4.4.23.
func (r row) Size() (uint64, error) {
	result, err := r.exec(sequence.OpState, 0, 0)
	return result.Val0, r.failed("size", err)
}

// Capacity returns how many bytes fit without new storage. Any rank. Blocks for one
// round trip. Spec 4.3.6, 4.4.7.
func (r row) Capacity() (uint64, error) {
	result, err := r.exec(sequence.OpState, 0, 0)
	return result.Val1, r.failed("capacity", err)
}

// Empty reports whether there are no bytes. Any rank. Blocks for one round trip. Spec
// 4.3.10, 4.4.11.
func (r row) Empty() (bool, error) {
	n, err := r.Size()
	return n == 0, err
}

// Clear removes all bytes. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.3.7, 4.4.8.
func (r row) Clear() error {
	_, err := r.exec(sequence.OpClear, 0, 0)
	return r.failed("clearing", err)
}

// Reserve makes the capacity at least n bytes. Fails with ErrHeapFull. Any rank. Blocks
// for one round trip. Spec 4.3.18, 4.4.22.
func (r row) Reserve(n uint64) error {
	_, err := r.exec(sequence.OpReserve, n, 0)
	return r.failed("reservation", err)
}

// At returns the address of the byte at offset. Fails with ErrOutOfRange if there is
// none. Any rank. Blocks for one round trip. Spec 4.3.4, 4.4.4.
func (r row) At(offset int) (GA, error) {
	at, err := r.find(offset, 1)
	if err == nil && at.n == 0 {
		err = fmt.Errorf("%w: byte %d", ErrOutOfRange, offset)
	}
	if err != nil {
		return NullGA, r.failed("look-up", err)
	}
	return at.ga, nil
}

// find returns where the n bytes from i on lie, as far as there are so many and they are
// in one stretch.
func (r row) find(i int, n uint64) (span, error) {
	if i < 0 {
		return span{}, nil
	}
	result, err := r.exec(sequence.OpFind, uint64(i), n)
	return span{GA(result.Val0), result.Val1}, err
}

// Begin returns the iterator of the first byte. Local. Does not block. Spec 4.3.5, 4.4.6.
func (r row) Begin() RowIterator { return RowIterator{GA: r.ga} }

// End returns the iterator behind the last byte. Any rank. Blocks for one round trip.
// Spec 4.3.11, 4.4.12.
func (r row) End() (RowIterator, error) {
	n, err := r.Size()
	return RowIterator{r.ga, int(n)}, err
}

// PushBack appends a copy of e, which may lie on any rank. After a failure, such as
// ErrHeapFull, the bytes are as before. Any rank. Blocks for one round trip. Spec
// 4.3.17, 4.4.20.
func (r row) PushBack(e Element) error { return r.push(e, 0) }

func (r row) push(e Element, end uint64) error {
	c := am.Call{Op: r.op(sequence.OpPush), GA: uint64(r.ga), Args: [4]uint64{end}}
	_, err := r.p.execFrom(&c, e.span(), span{})
	return r.failed("push", err)
}

// PopBack removes n bytes at the end, or all if there are fewer. Any rank. Blocks for
// one round trip. Spec 4.3.16, 4.4.18.
func (r row) PopBack(n uint64) error {
	_, err := r.exec(sequence.OpPop, 0, n)
	return r.failed("pop", err)
}

// Insert inserts a copy of e, which may lie on any rank, before it, or at the end if it
// is beyond. It returns the iterator of the first inserted byte. Fails as PushBack does.
// Any rank. Blocks for one round trip. Spec 4.3.14, 4.4.16.
func (r row) Insert(it RowIterator, e Element) (RowIterator, error) {
	if it.GA != r.ga || it.Index < 0 {
		return it, r.failed("insertion", ErrBadIterator)
	}
	c := am.Call{Op: r.op(sequence.OpInsert), GA: uint64(r.ga), Args: [4]uint64{uint64(it.Index)}}
	result, err := r.p.execFrom(&c, e.span(), span{})
	if err != nil {
		return it, r.failed("insertion", err)
	}
	return RowIterator{r.ga, int(result.Val0)}, nil
}

// Erase removes n bytes from it on, as far as there are so many. It returns the iterator
// of the byte behind them. Any rank. Blocks for one round trip. Spec 4.3.12, 4.4.13.
func (r row) Erase(it RowIterator, n uint64) (RowIterator, error) {
	if it.GA != r.ga || it.Index < 0 {
		return it, r.failed("erasure", ErrBadIterator)
	}
	_, err := r.exec(sequence.OpErase, uint64(it.Index), n)
	return it, r.failed("erasure", err)
}

// EraseRange removes the bytes from start to before end, and returns the iterator of the
// byte behind them; of an empty range, end. Any rank. Blocks for one round trip. Spec
// 4.3.13, 4.4.14.
func (r row) EraseRange(start, end RowIterator) (RowIterator, error) {
	if start.GA != end.GA {
		return end, r.failed("erasure", ErrBadIterator)
	}
	if end.Index <= start.Index {
		return end, nil
	}
	return r.Erase(start, uint64(end.Index-start.Index))
}

// stretches returns where the n bytes from i on lie, as far as there are so many. The
// second part is empty unless a deque's storage ends in between.
func (r row) stretches(i int, n uint64) (first, second span, err error) {
	if i < 0 || !r.deque {
		first, err = r.find(i, n)
		return first, second, err
	}
	var words [16]byte
	c := am.Call{Op: r.op(sequence.OpFind), GA: uint64(r.ga), Args: [4]uint64{uint64(i), n}, Out: words[:]}
	result, err := r.p.exec(&c)
	if result.N == len(words) {
		second = span{GA(binary.NativeEndian.Uint64(words[:])), binary.NativeEndian.Uint64(words[8:])}
	}
	return span{GA(result.Val0), result.Val1}, second, err
}

// everything is more bytes than there can be.
const everything = ^uint64(0)

// slice is a part of a vector or deque.
type slice struct {
	row
	from int    // first byte
	n    uint64 // bytes; those beyond the end are left out
}

// between returns what is between two iterators.
func (r row) between(start, end RowIterator) (slice, error) {
	if start.GA != end.GA || start.Index < 0 {
		return slice{}, ErrBadIterator
	}
	return slice{row{r.p, start.GA, r.deque}, start.Index, uint64(max(end.Index-start.Index, 0))}, nil
}

// execSlice carries out an operation into which the bytes of another row go. If that is on
// the same rank, the operation finds them itself.
func (r row) execSlice(op am.Op, arg uint64, from slice) (am.Result, error) {
	if err := r.p.checkGA(from.ga); err != nil {
		return am.Result{}, err
	}
	c := am.Call{Op: r.op(op), GA: uint64(r.ga), Args: [4]uint64{arg}}
	if from.ga.rank() == r.ga.rank() {
		c.Args = [4]uint64{arg, uint64(from.ga), uint64(from.from), from.n}
		return r.p.exec(&c)
	}
	first, second, err := from.stretches(from.from, from.n)
	if err != nil {
		return am.Result{}, err
	}
	return r.p.execFrom(&c, first, second)
}

// assign replaces the bytes by those of another row.
func (r row) assign(from slice) error {
	_, err := r.execSlice(sequence.OpAssign, 0, from)
	return r.failed("assignment", err)
}

func (r row) assignRange(start, end RowIterator) error {
	from, err := r.between(start, end)
	if err != nil {
		return r.failed("assignment", err)
	}
	return r.assign(from)
}

func (r row) insertRange(it, start, end RowIterator) (RowIterator, error) {
	from, err := r.between(start, end)
	if err == nil && (it.GA != r.ga || it.Index < 0) {
		err = ErrBadIterator
	}
	var result am.Result
	switch {
	case err != nil:
	case from.n == 0:
		_, err = r.Size() // fails where there is no row
	default:
		if result, err = r.execSlice(sequence.OpInsert, uint64(it.Index), from); err == nil {
			it.Index = int(result.Val0)
		}
	}
	return it, r.failed("insertion", err)
}

// swap exchanges the bytes of two rows. Each stays on its rank.
func (r row) swap(with row) error {
	err := r.p.checkGA(r.ga)
	if err == nil {
		err = r.p.checkGA(with.ga)
	}
	switch {
	case err != nil:
	case r.ga == with.ga:
		_, err = r.Size() // fails where there is no row
	case r.ga.rank() == with.ga.rank():
		_, err = r.exec(sequence.OpExchange, uint64(with.ga), 0)
	default:
		err = r.swapFar(with)
	}
	return r.failed("swap", err)
}

// swapFar brings the bytes of each to the rank of the other before it changes anything.
func (r row) swapFar(with row) error {
	mine, n, err := with.copyTo(r)
	if err != nil {
		return err
	}
	theirs, m, err := r.copyTo(with)
	if err != nil {
		return errors.Join(err, r.p.discard(mine))
	}
	if err := r.adopt(mine, n); err != nil {
		return errors.Join(err, r.p.discard(mine), r.p.discard(theirs))
	}
	return with.adopt(theirs, m)
}

// copyTo copies the bytes into a new block on the rank of another row.
func (r row) copyTo(to row) (block GA, n uint64, err error) {
	first, second, err := r.stretches(0, everything)
	if err != nil || first.n == 0 {
		return NullGA, 0, err
	}
	n = first.n + second.n
	if block, err = r.p.allocate(r.p.member(to.ga.rank()), (n+7)&^7); err != nil {
		return NullGA, 0, err
	}
	err = errors.Join(r.p.move(block, first), r.p.move(block+GA(first.n), second))
	if err != nil {
		return NullGA, 0, errors.Join(err, r.p.release(block))
	}
	return block, n, nil
}

// discard frees a block unless it is none.
func (p *Process) discard(block GA) error {
	if block == NullGA {
		return nil
	}
	return p.release(block)
}

// adopt makes a block that holds n bytes the storage.
func (r row) adopt(block GA, n uint64) error {
	_, err := r.p.exec(&am.Call{
		Op: r.op(sequence.OpAdopt), GA: uint64(r.ga), Args: [4]uint64{uint64(block), n, (n + 7) &^ 7},
	})
	return err
}
