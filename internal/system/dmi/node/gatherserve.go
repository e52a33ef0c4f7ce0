package node

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/fabric"
)

// gatherReader takes a gather apart. It comes from another process.
type gatherReader struct {
	b   []byte
	bad bool
}

// number returns the next number, which is not negative.
func (r *gatherReader) number() int64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || int64(x) < 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int64(x)
}

// words returns the next words, of which there are n.
func (r *gatherReader) words(n int64) []byte {
	if n > int64(len(r.b)/wordBytes) {
		r.bad, r.b = true, nil
		return nil
	}
	words := r.b[:n*wordBytes]
	r.b = r.b[n*wordBytes:]
	return words
}

// ranges returns the next ranges, which share the memory of the message, and the number of their bytes, of which there are at most some.
func (r *gatherReader) ranges(most int64) (all ranges, size int64) {
	n, high, plus := r.number(), r.number(), r.number()
	all = ranges{high: high, offsets: r.words(n), size: plus - 1}
	if plus == 0 {
		all.sizes = r.words(n)
	}
	if high > 1<<(63-wordBits)-1 || all.size > most {
		r.bad = true
	}
	if r.bad {
		return ranges{}, 0
	}
	size = all.bytes()
	r.bad = size > most
	return all, size
}

// serveGather serves a gather. It does not wait for other processes.
func (n *Node) serveGather(r fabric.Request) (int, error) {
	in, out := gatherReader{b: r.Body}, 0
	for len(in.b) > 0 {
		base, page := in.number(), in.number()
		room := len(r.Reply) - out - 1
		list, size := in.ranges(int64(room))
		if in.bad || room < 0 {
			return 0, errMalformed
		}
		status, err := n.gatherPage(base, page, &list, r.Reply[out+1:])
		if err != nil {
			return 0, err
		}
		r.Reply[out] = status
		if out++; status == gatherRead {
			out += int(size)
		}
	}
	if in.bad {
		return 0, errMalformed
	}
	return out, nil
}

// gatherPage reads ranges of one page to out, if this process may do that at once, and returns what it has done.
func (n *Node) gatherPage(base, number int64, list *ranges, out []byte) (byte, error) {
	s := n.loaded(base)
	if s == nil || s.ended.Load() {
		return gatherRefused, nil
	}
	if number >= s.count() || !list.within(s.pageBytes(number)) {
		return 0, errMalformed
	}
	e := s.entry(number)
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.own == nil {
		if e.untouched() && e.taking == nil && n.home(e) == n.self && !n.shards.isMoving(e.shard()) {
			return gatherZero, nil
		}
		return gatherRefused, nil
	}
	v, err := e.own.near.readRanges(n.over, list, out)
	if err != nil || v != used {
		return gatherRefused, err
	}
	return gatherRead, nil
}

// readRanges copies ranges of the page to out, one behind the other, if it may.
func (b *near) readRanges(over func() error, list *ranges, out []byte) (verdict, error) {
	if err := b.record.lock.RLock(over); err != nil {
		return refused, err
	}
	defer b.record.lock.RUnlock()
	v := b.judge(flagShut)
	if v == used {
		list.copyFrom(b.bytes, out)
	}
	return v, nil
}
