package hashed

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// Retrieve copies at most dst.N bytes of the value of key to dst, which may lie on any
// rank, and returns how many.
func (t Tables) Retrieve(key []byte, dst ga.Span) (uint64, error) {
	if t.c.mem.Registered(dst.GA) {
		defer t.c.mem.Leave(t.c.mem.Enter())
	}
	out, direct := t.c.mem.ViewEntered(dst)
	if !direct {
		if err := t.c.mem.Check(dst.GA); err != nil {
			return 0, err
		}
		out = make([]byte, min(dst.N, am.MaxOut))
	}
	r, err := t.doKey(Find, &am.Call{Data: key, Out: out}, nil)
	if err != nil || r.Val0 == 0 {
		return 0, err
	}
	n := min(r.Val1, dst.N)
	switch {
	case uint64(r.N) < n:
		return t.retrieveLong(key, dst)
	case !direct:
		err = t.c.mem.Put(dst.GA, out[:n])
	}
	return n, err
}

// RetrieveFrom is Retrieve with a key of any rank.
func (t Tables) RetrieveFrom(key, dst ga.Span) (uint64, error) {
	b, err := t.c.mem.Load(key)
	if err != nil {
		return 0, err
	}
	return t.Retrieve(b, dst)
}

// retrieveLong is Retrieve for a value that fits into no message: a copy of it goes from the rank of the key
// directly to dst.
func (t Tables) retrieveLong(key []byte, dst ga.Span) (uint64, error) {
	if t.c.mem.Detaches() {
		return detachedKey(t, key, func(t Tables, key []byte) (uint64, error) { return t.retrieveLong(key, dst) })
	}
	block, err := t.copyOut(key, dst.N)
	if err != nil || block.N == 0 {
		return 0, err
	}
	err = t.c.mem.Move(dst.GA, block)
	return block.N, errors.Join(err, t.c.mem.Free(block.GA))
}

// copyOut returns a new block, on the rank of the key, with at most most bytes of its value. If there is no
// such key, the result has no bytes and there is no block.
func (t Tables) copyOut(key []byte, most uint64) (ga.Span, error) {
	r, err := t.doKey(Copy, &am.Call{Data: key, Args: [4]uint64{3: most}}, nil)
	return ga.Span{GA: r.Val0, N: r.Val1}, err
}

// Value copies the value of key to dst, as much of it as fits. It returns how many bytes
// the value has, 0 if the key is not there.
func (t Tables) Value(key, dst []byte) (uint64, error) {
	r, err := t.doKey(Find, &am.Call{Data: key, Out: dst}, nil)
	if err != nil || uint64(r.N) == min(r.Val1, uint64(len(dst))) {
		return r.Val1, err
	}
	b, err := t.takeValue(key, uint64(len(dst)))
	return uint64(copy(dst, b)), err
}

// takeValue returns at most most bytes of the value of key, nil if there is no such key. It is for values
// that fit into no message.
func (t Tables) takeValue(key []byte, most uint64) ([]byte, error) {
	if t.c.mem.Detaches() {
		return detachedKey(t, key, func(t Tables, key []byte) ([]byte, error) { return t.takeValue(key, most) })
	}
	block, err := t.copyOut(key, most)
	if err != nil || block.N == 0 {
		return nil, err
	}
	return t.c.take(block)
}

// take returns the bytes of a block, which it frees.
func (c *Client) take(block ga.Span) ([]byte, error) {
	if err := c.mem.Check(block.GA); err != nil {
		return nil, err
	}
	if heap := c.mem.HeapSize(c.mem.Member(block.GA)); block.N > heap {
		return nil, fmt.Errorf("%w: a block of %d bytes in a heap of %d", global.ErrBadAddress, block.N, heap)
	}
	b := make([]byte, block.N)
	return b, errors.Join(c.mem.Get(b, block.GA), c.mem.Free(block.GA))
}

// maxValue is more bytes than a value can have.
const maxValue = ^uint64(0)

// shortValue is the capacity for a value whose size is not known.
const shortValue = 512

// WholeValue returns a copy of the value of key, nil if the key is not there.
func (t Tables) WholeValue(key []byte) ([]byte, error) {
	b := make([]byte, shortValue)
	n, err := t.Value(key, b)
	switch {
	case err != nil || n == 0:
		return nil, err
	case n <= shortValue:
		return b[:n], nil
	case n <= am.MaxOut:
		b = make([]byte, n)
		if n, err = t.Value(key, b); err != nil || n == 0 {
			return nil, err
		}
		if n <= uint64(len(b)) {
			return b[:n], nil
		}
	}
	return t.takeValue(key, maxValue) // also if a longer value has replaced it meanwhile
}
