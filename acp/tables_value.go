package acp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/hashed"
)

// retrieve copies at most dst.n bytes of the value of key to dst, which may lie on any
// rank, and returns how many.
func (t tables) retrieve(key []byte, dst span) (uint64, error) {
	if t.p.registered(dst.ga) {
		defer t.p.space.Leave(t.p.space.Enter())
	}
	out, direct := t.p.viewEntered(dst)
	if !direct {
		if err := t.p.checkGA(dst.ga); err != nil {
			return 0, err
		}
		out = make([]byte, min(dst.n, am.MaxOut))
	}
	r, err := t.onKey(hashed.Find, &am.Call{Data: key, Out: out}, nil)
	if err != nil || r.Val0 == 0 {
		return 0, err
	}
	n := min(r.Val1, dst.n)
	switch {
	case uint64(r.N) < n:
		return t.retrieveLong(key, dst)
	case !direct:
		err = t.p.put(dst.ga, out[:n])
	}
	return n, err
}

// retrieveLong is retrieve for a value that no message has room for: a copy of it travels
// from the rank of the key straight to dst.
func (t tables) retrieveLong(key []byte, dst span) (uint64, error) {
	block, err := t.copyOut(key, dst.n)
	if err != nil || block.n == 0 {
		return 0, err
	}
	err = t.p.move(dst.ga, block)
	return block.n, errors.Join(err, t.p.release(block.ga))
}

// copyOut returns a new block, on the rank of the key, with most bytes of its value at
// most. It has no bytes, and there is no block, if the key is not there.
func (t tables) copyOut(key []byte, most uint64) (span, error) {
	r, err := t.onKey(hashed.Copy, &am.Call{Data: key, Args: [4]uint64{3: most}}, nil)
	return span{GA(r.Val0), r.Val1}, err
}

// value copies the value of key to room, as much of it as fits. It returns how many bytes
// the value has, 0 if the key is not there.
func (t tables) value(key, room []byte) (uint64, error) {
	r, err := t.onKey(hashed.Find, &am.Call{Data: key, Out: room}, nil)
	if err != nil || uint64(r.N) == min(r.Val1, uint64(len(room))) {
		return r.Val1, err
	}
	b, err := t.takeValue(key, uint64(len(room)))
	return uint64(copy(room, b)), err
}

// takeValue returns most bytes of the value of key at most, nil if the key is not there. It
// is for values that no message has room for.
func (t tables) takeValue(key []byte, most uint64) ([]byte, error) {
	block, err := t.copyOut(key, most)
	if err != nil || block.n == 0 {
		return nil, err
	}
	return t.p.take(block)
}

// take returns the bytes of a block, which it frees.
func (p *Process) take(block span) ([]byte, error) {
	if err := p.checkGA(block.ga); err != nil {
		return nil, err
	}
	if _, heap := p.members.Heap(p.member(block.ga.rank())); block.n > heap {
		return nil, fmt.Errorf("%w: a block of %d bytes in a heap of %d", ErrBadAddress, block.n, heap)
	}
	b := make([]byte, block.n)
	return b, errors.Join(p.get(b, block.ga), p.release(block.ga))
}

// shortValue is the room for a value whose size is not known.
const shortValue = 512

// wholeValue returns a copy of the value of key, nil if the key is not there.
func (t tables) wholeValue(key []byte) ([]byte, error) {
	b := make([]byte, shortValue)
	n, err := t.value(key, b)
	switch {
	case err != nil || n == 0:
		return nil, err
	case n <= shortValue:
		return b[:n], nil
	case n <= am.MaxOut:
		b = make([]byte, n)
		if n, err = t.value(key, b); err != nil || n == 0 {
			return nil, err
		}
		if n <= uint64(len(b)) {
			return b[:n], nil
		}
	}
	return t.takeValue(key, everything) // also if a longer value has taken its place
}
