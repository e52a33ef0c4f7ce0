package tcp

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// becomeWriter makes the caller the writer if there is something to write and
// no writer. The caller holds mu and must call write after it has released it.
func (l *link) becomeWriter() bool {
	if l.writing || l.out.n == 0 {
		return false
	}
	l.writing = true
	return true
}

// kick sends the queued frames unless another goroutine sends them.
func (l *link) kick() {
	l.mu.Lock()
	write := l.becomeWriter()
	l.mu.Unlock()
	if write {
		l.write()
	}
}

// write sends the queued frames without blocking. If the socket is full it leaves the role of the writer to
// the thread that polls the link inline, or to a goroutine that waits for room.
func (l *link) write() {
	if empty, _ := l.drain(); empty || !l.becomeWaiter() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// While the link is open its reader runs, so Close cannot be past its Wait.
	if l.state == stateOpen {
		l.transport.workers.Add(1)
		go l.writeOn()
	}
}

// becomeWaiter reports whether the caller has to wait for room in the socket. It does not if another
// goroutine waits, or if a thread polls the link inline.
func (l *link) becomeWaiter() bool {
	return l.inline.Load() == 0 && l.awaited.CompareAndSwap(false, true)
}

// writeOn is the writer that waits whenever the socket is full.
func (l *link) writeOn() {
	defer l.transport.workers.Done()
	// An error means that the reader has closed the socket.
	_ = l.raw.Write(func(uintptr) bool {
		if empty, _ := l.drain(); !empty && l.inline.Load() == 0 {
			return false
		}
		l.awaited.Store(false)
		// A writer that has found the socket full before this point relies on this goroutine.
		return !l.full.Load() || !l.becomeWaiter()
	})
}

// drain sends queued frames until there are none, which ends the role of the writer, or until the socket is
// full; then empty is false. moved reports whether it has sent any byte.
func (l *link) drain() (empty, moved bool) {
	l.writeLock.Lock()
	defer l.writeLock.Unlock()
	l.full.Store(false)
	careful := false
	for sent := 0; ; moved = moved || sent > 0 {
		l.mu.Lock()
		if l.state != stateOpen {
			l.mu.Unlock()
			return true, moved
		}
		l.retire(l.out.sent(uint64(sent)))
		l.gathered.Store(0)
		if l.out.n == 0 && (l.seal == nil || l.seal.wire.empty()) {
			l.writing = false
			l.mu.Unlock()
			return true, moved
		}
		if careful {
			l.out.gatherOne(&l.vec)
		} else {
			l.out.gather(&l.vec)
		}
		l.mu.Unlock()

		var errno unix.Errno
		if l.seal == nil {
			sent, errno = l.vec.send(l.fd)
		} else {
			sent, errno = l.seal.send(&l.vec)
		}
		switch errno {
		case 0:
		case unix.EAGAIN:
			l.full.Store(true)
			return false, moved
		case unix.EFAULT:
			// Some payload is no longer mapped. Pieces that are sent one by one show which.
			if careful {
				l.mu.Lock()
				l.revoke(&l.out, 0)
				l.mu.Unlock()
			}
			careful, sent = !careful, 0
		default:
			l.failWriter()
			return true, moved
		}
	}
}

// retire removes the first n frames. The caller holds mu.
func (l *link) retire(n int) {
	for range n {
		f := l.out.at(0)
		if f.zeroCopy {
			l.zeroCopies.Add(-1)
		}
		if f.owed > 0 {
			l.owed.Add(-f.owed)
		}
		if f.packet != nil {
			l.spare = f.packet
		}
		buffer{whole: f.buffer}.giveBack()
		l.out.pop()
	}
}

// failWriter leaves the end of the link to the reader, which may still receive replies or a goodbye from the
// socket. No goroutine becomes the writer again.
func (l *link) failWriter() { _ = unix.Shutdown(l.fd, unix.SHUT_RDWR) }

// sendReply queues the answer to a request of the peer, with payload behind it, which does not change any
// more. used holds the payload if it has bytes. counted is true if the request counts in link.owed. The
// caller kicks when it has handled all that has arrived.
func (l *link) sendReply(h *header, payload unsafe.Pointer, used buffer, counted bool) {
	owed := 0
	if counted {
		owed = 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.queueReply(h, owed); f != nil && f.left > 0 {
		f.payload, f.buffer = payload, used.whole
	}
}

// queueReply queues the answer to owed requests of the peer, and returns the frame, whose payload the caller
// sets. It returns nil if the link is not open. The caller holds mu.
func (l *link) queueReply(h *header, owed int) *outFrame {
	if l.state != stateOpen {
		return nil
	}
	f := l.out.push()
	h.encode(&f.head)
	f.owed, f.left = int32(owed), h.payload()
	return f
}
