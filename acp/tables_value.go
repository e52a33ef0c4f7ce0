package acp

import (
	"errors"

	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/site"
)

// retrieve copies at most dst.n bytes of the value of key to dst, which may lie on any
// rank, and returns how many.
func (t tables) retrieve(key []byte, dst span) (uint64, error) {
	out, direct := t.p.view(dst)
	if !direct {
		if err := t.p.checkGA(dst.ga); err != nil {
			return 0, err
		}
		out = make([]byte, min(dst.n, site.MaxOut))
	}
	r, err := t.onKey(hashed.Find, &site.Call{Data: key, Out: out}, nil)
	if err != nil || r.Vals[0] == 0 {
		return 0, err
	}
	n := min(r.Vals[1], dst.n)
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
	r, err := t.onKey(hashed.Copy, &site.Call{Data: key, Args: [4]uint64{3: most}}, nil)
	return span{GA(r.Vals[0]), r.Vals[1]}, err
}

// value copies the value of key to room, as much of it as fits. It returns how many bytes
// the value has, 0 if the key is not there.
func (t tables) value(key, room []byte) (uint64, error) {
	r, err := t.onKey(hashed.Find, &site.Call{Data: key, Out: room}, nil)
	if err != nil || uint64(r.N) == min(r.Vals[1], uint64(len(room))) {
		return r.Vals[1], err
	}
	block, err := t.copyOut(key, uint64(len(room)))
	if err != nil || block.n == 0 {
		return 0, err
	}
	b := make([]byte, block.n)
	err = errors.Join(t.p.get(b, block.ga), t.p.release(block.ga))
	return uint64(copy(room, b)), err
}

// shortValue is the room for a value whose size is not known.
const shortValue = 512

// wholeValue returns a copy of the value of key, nil if the key is not there.
func (t tables) wholeValue(key []byte) ([]byte, error) {
	for room := uint64(shortValue); ; {
		b := make([]byte, room)
		n, err := t.value(key, b)
		switch {
		case err != nil || n == 0:
			return nil, err
		case n <= room:
			return b[:n], nil
		}
		room = n // unless another value takes its place meanwhile
	}
}
