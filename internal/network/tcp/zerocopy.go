package tcp

import (
	"encoding/binary"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// The agent sends the bytes of a get directly from their memory, without a copy. Until it has sent them,
// three things may happen. If a later request changes them, preserve copies them first. If the owner
// unregisters them, withdraw revokes the payload. If the owner's program has unmapped them, the writer gets
// an error from the kernel and revokes the payload, too. The rest of a revoked payload is sent as filling,
// and the reply behind it is an error.

// preserveMax is the greatest number of bytes that the owner copies for one request, not counting bytes that
// are published at several positions. So the initiator holds back a request that may change bytes of gets in
// flight, as long as all gets in flight together ask for more.
const preserveMax = 1 << 20

// sendData queues the n bytes at p, more than inlineMax, for the get in.head, and the reply. copied is the
// buffer that holds them, or nil if they are in the requested memory itself. They are sent after the answers to
// earlier requests, because bytes of an earlier get may have the same destination.
func (l *link) sendData(p unsafe.Pointer, n uint64, copied *buffer) {
	l.queueAnswers()
	data := header{kind: kindData, id: l.in.head.id, pos: l.in.head.pos, size: n}
	end := header{kind: kindReply, id: data.id}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stateOpen {
		return
	}
	f := l.out.push()
	data.encode(&f.head)
	f.payload, f.left = p, n
	if copied != nil {
		f.buffer = copied.whole
	} else {
		f.zeroCopy = true
		l.zeroCopies.Add(1)
	}
	f = l.out.push()
	end.encode(&f.head)
	f.owed = 1
}

// preserve is called before a request changes the n bytes at p, which are at position pos;
// with nil, 0 and the largest n if the request may change any bytes. It copies the bytes for
// earlier gets of the same link that have not sent them yet. It fails if the initiator should
// have held the request back. The caller holds in.lock.
func (l *link) preserve(p unsafe.Pointer, pos, n uint64) error {
	if l.zeroCopies.Load() == 0 {
		return nil
	}
	l.writeLock.Lock()
	defer l.writeLock.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	copied := uint64(0)
	for i := range l.out.n {
		f := l.out.at(i)
		if !f.zeroCopy || !overlap(address(f.payload), f.left, address(p), n) {
			continue
		}
		if at, size := f.asked(); overlap(at, size, pos, n) {
			if copied += f.left; copied > preserveMax {
				return protocolError("a request that changes %d bytes of gets under way, more than %d", copied, preserveMax)
			}
		}
		l.keep(i)
	}
	return nil
}

// keep replaces the zero-copy payload of a queued frame by a copy. The caller holds writeLock and mu.
func (l *link) keep(i int) {
	f := l.out.at(i)
	if !fabric.Readable(f.payload, f.left) {
		l.revoke(&l.out, i)
		return
	}
	rest := make([]byte, f.left)
	copy(rest, unsafe.Slice((*byte)(f.payload), f.left))
	f.payload, f.zeroCopy = unsafe.Pointer(&rest[0]), false
	l.zeroCopies.Add(-1)
}

// revoke takes the memory of its payload from a queued frame, and makes its operation fail. The caller holds
// writeLock and mu.
func (l *link) revoke(q *queue, i int) {
	f := q.at(i)
	switch {
	case f.zeroCopy:
		f.zeroCopy = false
		l.zeroCopies.Add(-1)
		var end header
		end.kind, end.code, end.id = kindReply, uint8(statusRange), f.id()
		end.pos, end.size = f.asked()
		end.encode(&q.at(i + 1).head)
		if f.headSent == 0 {
			f.drop()
			return
		}
	case kind(f.head[1]) == kindPut:
		if op := l.ops.find(f.id()); op != nil {
			op.fault = fabric.ErrGone
		}
		if f.headSent == 0 {
			empty := header{kind: kindPut, id: f.id()}
			empty.pos, _ = f.asked()
			empty.encode(&f.head)
			f.payload, f.left = nil, 0
			return
		}
	}
	f.fill()
}

// Withdraw makes the transport stop using memory that is not published any more: gone reports whether some of
// n bytes at p are such memory. When it returns, the transport receives nothing into the memory and sends
// nothing from it, and no earlier request accesses it. Requests of other members fail with a
// *fabric.RangeError, operations of this process with fabric.ErrGone. It waits for no member, so it does not
// call over, and the error is nil.
func (t *Transport) Withdraw(gone func(p unsafe.Pointer, n uint64) bool, _ func() error) error {
	for _, l := range t.peers.All() {
		l.withdraw(gone)
	}
	return nil
}

func (l *link) withdraw(gone func(p unsafe.Pointer, n uint64) bool) {
	l.in.wanted.Add(1)
	l.in.lock.Lock()
	l.in.wanted.Add(-1)
	defer l.in.lock.Unlock()
	in := &l.in
	if in.target != nil && (in.head.kind == kindPut || in.head.kind == kindData) && gone(in.target, in.left) {
		in.unmapped()
	}
	l.writeLock.Lock()
	defer l.writeLock.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range [...]*queue{&l.out, &l.held} {
		for i := range q.n {
			if f := q.at(i); f.payload != nil && gone(f.payload, f.left) {
				l.revoke(q, i)
			}
		}
	}
	l.ops.each(func(op *operation) {
		if op.dst != nil && gone(op.dst, op.size) {
			op.dst, op.fault = nil, fabric.ErrGone
		}
		op.withdraw(gone)
	})
}

// conflicts reports whether the request h may change bytes of gets in flight while all of these ask for too
// many bytes to be copied. The caller holds mu.
func (l *link) conflicts(h *header) bool {
	if l.asked <= preserveMax {
		return false
	}
	switch h.kind {
	case kindCall:
		return true
	case kindPut:
		return l.ops.asks(h.pos, h.size)
	case kindAtomic:
		return l.ops.asks(h.pos, uint64(h.width))
	case kindSeries:
		return l.ops.seriesAsks(l.ops.find(h.id).series)
	case kindCopy:
		return int(h.member) == l.peer && l.ops.asks(h.arg, h.size)
	}
	return false
}

// id returns the id in the header.
func (f *outFrame) id() uint64 { return binary.LittleEndian.Uint64(f.head[8:]) }

// asked returns position and size in the header.
func (f *outFrame) asked() (pos, size uint64) {
	return binary.LittleEndian.Uint64(f.head[16:]), binary.LittleEndian.Uint64(f.head[24:])
}

func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// overlap reports whether the n bytes from a on share one with the m bytes from b on.
func overlap(a, n, b, m uint64) bool { return a-b < m || b-a < n }
