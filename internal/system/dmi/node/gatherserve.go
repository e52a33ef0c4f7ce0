package node

import "github.com/goacp/goacp/internal/fabric"

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
