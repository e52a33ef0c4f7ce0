package object

import (
	"errors"
	"fmt"
)

// A pool of numbers, in bytes:
//
//	 0  mark
//	 4  how many numbers there are
//	 8  the address of the bit map
//	16  how many numbers are free and not reserved
//	20  a page of the bit map: those before it have no free number, unless one is being given back
//
// The bit map is a space of its own. A thread that takes a number first reserves one at the pool, so that the bit map has a
// free one for it, and then looks for it.

const (
	poolSizeAt = 4
	poolMapAt  = 8
	poolFreeAt = 16
	poolHintAt = 20

	// bitPage is the size of a page of the bit map, and bitsOfPage how many numbers it has.
	bitPage    = 4096
	bitsOfPage = 8 * bitPage
)

// poolOut is the size of a result with a pool: status, how many numbers, the bit map, the hint.
const poolOut = 4 + 4 + 8 + 4

// initIDPool makes a pool. The input is how many numbers, the bit map.
func initIDPool(b, in, _ []byte) {
	initialise(b, idpoolKind)
	setWord(b, poolSizeAt, word(in, 0))
	setDouble(b, poolMapAt, double(in, 4))
	setWord(b, poolFreeAt, word(in, 0))
}

// checkIDPool returns the pool.
func checkIDPool(b, _, out []byte) {
	setWord(out, 4, word(b, poolSizeAt))
	setDouble(out, 8, double(b, poolMapAt))
	setWord(out, 16, word(b, poolHintAt))
}

// destroyIDPool ends the pool, and returns what it was.
func destroyIDPool(b, in, out []byte) {
	checkIDPool(b, in, out)
	clear(b)
}

// reserveID reserves a number, and returns the pool. The status is exhausted if none is free.
func reserveID(b, in, out []byte) {
	free := word(b, poolFreeAt)
	if free == 0 {
		out[0] = byte(exhausted)
		return
	}
	setWord(b, poolFreeAt, free-1)
	checkIDPool(b, in, out)
}

// raiseIDHint changes the hint from one page to another, if it is the first one.
func raiseIDHint(b, in, _ []byte) {
	if word(b, poolHintAt) == word(in, 0) {
		setWord(b, poolHintAt, word(in, 4))
	}
}

// releaseID makes a number free that has been given back to the page of the input.
func releaseID(b, in, _ []byte) {
	setWord(b, poolFreeAt, min(word(b, poolFreeAt)+1, word(b, poolSizeAt)))
	setWord(b, poolHintAt, min(word(b, poolHintAt), word(in, 0)))
}

// takeBit sets the first bit of a page that is clear, of as many as the input says, and returns its number. The status
// is exhausted if none is clear.
func takeBit(b, in, out []byte) {
	limit := min(int(word(in, 0)), 8*len(b))
	for i := range (limit + 7) / 8 {
		if b[i] == 0xff {
			continue
		}
		for bit := 8 * i; bit < min(8*i+8, limit); bit++ {
			if b[i]>>(bit%8)&1 == 0 {
				b[i] |= 1 << (bit % 8)
				setWord(out, 1, uint32(bit))
				return
			}
		}
	}
	out[0] = byte(exhausted)
}

// returnBit clears a bit of a page. The status is notLocked if it is clear.
func returnBit(b, in, out []byte) {
	bit := int(word(in, 0))
	if bit >= 8*len(b) {
		out[0] = byte(outOfRange)
		return
	}
	if b[bit/8]>>(bit%8)&1 == 0 {
		out[0] = byte(notLocked)
		return
	}
	b[bit/8] &^= 1 << (bit % 8)
}

// ErrExhausted: a pool has no free number.
var ErrExhausted = errors.New("no number is free")

// ErrFree: a number that is given back to a pool is free.
var ErrFree = errors.New("the number is free")

// InitIDPool makes the IDPoolSize bytes at addr a pool of the numbers from 0 to size-1, all of them free. Any process may
// call it. Blocks for a round trip.
func (o *Objects) InitIDPool(addr int64, size int) error {
	if size < 1 || int(int32(size)) != size {
		return failed(idpoolKind, addr, fmt.Errorf("%w: %d numbers", ErrArgument, size))
	}
	bits, err := o.memory.Map(bitPage, int64((size+bitsOfPage-1)/bitsOfPage))
	if err != nil {
		return failed(idpoolKind, addr, err)
	}
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	setWord(x.in[:], 0, uint32(size))
	setDouble(x.in[:], 4, bits)
	if err := o.call(addr, idpoolInit, x); err != nil {
		_ = o.memory.Unmap(bits)
		return err
	}
	return nil
}

// DestroyIDPool ends a pool and its bit map. Any process may call it. Blocks for a round trip.
func (o *Objects) DestroyIDPool(addr int64) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	if err := o.call(addr, idpoolDestroy, x); err != nil {
		return err
	}
	if err := o.memory.Unmap(double(x.out[:], 8)); err != nil {
		return failed(idpoolKind, addr, err)
	}
	return nil
}

// GetID takes a free number out of a pool: a small one, but not always the smallest. Any process may call it. Blocks for
// some round trips. Fails with ErrExhausted.
func (o *Objects) GetID(addr int64) (int, error) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	if err := o.call(addr, idpoolReserve, x); err != nil {
		return 0, err
	}
	if status(x.out[0]) == exhausted {
		return 0, failed(idpoolKind, addr, ErrExhausted)
	}
	size, bits := int(word(x.out[:], 4)), double(x.out[:], 8)
	pages := max(1, (size+bitsOfPage-1)/bitsOfPage)
	hint := min(int(word(x.out[:], 16)), pages-1)
	for page := hint; ; page = (page + 1) % pages {
		bit, err := o.takeBit(bits, page, size, x)
		if err != nil {
			return 0, failed(idpoolKind, addr, err)
		}
		if bit < 0 {
			continue
		}
		if page > hint {
			setWord(x.in[:], 0, uint32(hint))
			setWord(x.in[:], 4, uint32(page))
			if err := o.call(addr, idpoolRaise, x); err != nil {
				return 0, err
			}
		}
		return page*bitsOfPage + bit, nil
	}
}

// takeBit takes a number of a page of the bit map at bits. The result is negative if none is free.
func (o *Objects) takeBit(bits int64, page, size int, x *exchange) (int, error) {
	setWord(x.in[:], 0, uint32(min(size-page*bitsOfPage, bitsOfPage)))
	out := x.out[:builtins[bitsTake].out]
	clear(out)
	err := o.memory.Modify(bits+int64(page)*bitPage, bitPage, bitsTake, x.in[:builtins[bitsTake].in], out)
	if err != nil || status(out[0]) == exhausted {
		return -1, err
	}
	return int(word(out, 1)), nil
}

// PutID gives a number back to a pool. Any process may call it. Blocks for some round trips. Fails with ErrFree.
func (o *Objects) PutID(addr int64, id int) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	if err := o.call(addr, idpoolCheck, x); err != nil {
		return err
	}
	size, bits := int(word(x.out[:], 4)), double(x.out[:], 8)
	if id < 0 || id >= size {
		return failed(idpoolKind, addr, fmt.Errorf("%w: the number %d; it has 0 to %d", ErrArgument, id, size-1))
	}
	page := id / bitsOfPage
	setWord(x.in[:], 0, uint32(id%bitsOfPage))
	out := x.out[:builtins[bitsReturn].out]
	clear(out)
	err := o.memory.Modify(bits+int64(page)*bitPage, bitPage, bitsReturn, x.in[:builtins[bitsReturn].in], out)
	if err == nil && status(out[0]) != done {
		err = fmt.Errorf("%w: %d", ErrFree, id)
	}
	if err != nil {
		return failed(idpoolKind, addr, err)
	}
	setWord(x.in[:], 0, uint32(page))
	return o.call(addr, idpoolRelease, x)
}
