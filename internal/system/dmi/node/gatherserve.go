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

// distance returns the next number.
func (r *gatherReader) distance() int64 {
	x, n := binary.Varint(r.b)
	return r.skip(x, n)
}

// count returns the next number, which is not negative.
func (r *gatherReader) count() int64 {
	x, n := binary.Uvarint(r.b)
	if int64(x) < 0 {
		n = 0
	}
	return r.skip(int64(x), n)
}

func (r *gatherReader) skip(x int64, n int) int64 {
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return x
}

// spans returns the ranges of a group, whose bytes go behind each other, and the number of their bytes, of which there are at most some.
func (r *gatherReader) spans(most int64) (all []span, size int64) {
	n := r.count()
	if n > int64(len(r.b)) {
		r.bad = true
	}
	at := int64(0)
	for i := int64(0); i < n && !r.bad; i++ {
		at += r.distance()
		x := span{at, r.count(), size}
		if r.bad = r.bad || x.at < 0 || x.size > most-size; !r.bad {
			all, size = append(all, x), size+x.size
		}
	}
	return all, size
}

// serveGather serves a gather. It does not wait for other processes.
func (n *Node) serveGather(r fabric.Request) (int, error) {
	in, out := gatherReader{b: r.Body}, 0
	for len(in.b) > 0 {
		base, page := in.count(), in.count()
		room := len(r.Reply) - out - 1
		spans, size := in.spans(int64(room))
		if in.bad || room < 0 {
			return 0, errMalformed
		}
		status, err := n.gatherPage(base, page, spans, r.Reply[out+1:])
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
func (n *Node) gatherPage(base, number int64, spans []span, out []byte) (byte, error) {
	s := n.loaded(base)
	if s == nil || s.ended.Load() {
		return gatherRefused, nil
	}
	if number >= s.count() {
		return 0, errMalformed
	}
	for _, x := range spans {
		if size := s.pageBytes(number); x.size > size || x.at > size-x.size {
			return 0, errMalformed
		}
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
	v, err := e.own.near.readSpans(n.over, spans, func(x span) []byte { return out[x.to : x.to+x.size] })
	if err != nil || v != used {
		return gatherRefused, err
	}
	return gatherRead, nil
}
