package tcp

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A thread that waits for a peer polls the link inline: it receives and sends in place of the goroutines of
// the link. Then a long payload needs no wake-ups, and no more processors than the waiting threads.

// longestInline bounds a call of PollInline. A thread whose wait lasts longer parks, so that readers of the
// activity page see the wait and its reason. The bytes that arrived in between may have been for another
// thread.
const longestInline = 10 * time.Millisecond

// longestAwait bounds for how long a thread that polls a link inline does not check whether it still waits.
const longestAwait = 50 * time.Microsecond

// PollInline receives what arrives from a peer and sends what is queued for it, on the calling thread, until
// done returns true, until no byte has moved for the time quiet, or for longestInline. Returns at once if
// there is no connection with the peer.
func (t *Transport) PollInline(peer int, quiet time.Duration, done func() bool) {
	if !done() {
		t.pollInline(func(l *link) bool { return l.peer == peer }, quiet, done)
	}
}

// PollAllInline is PollInline for all peers with operations of this process under way. It calls done for the first time when
// it polls them inline, and done may issue operations. Returns false at once if there is no connection with such a peer.
func (t *Transport) PollAllInline(quiet time.Duration, done func() bool) bool {
	return t.pollInline(func(l *link) bool { return l.waiting.Load() > 0 }, quiet, done)
}

// pollInline polls the links inline that chosen selects when it is called. It reports whether there are any.
func (t *Transport) pollInline(chosen func(*link) bool, quiet time.Duration, done func() bool) bool {
	if quiet == 0 {
		return false
	}
	var few [4]*link
	a := inlinePoll{links: few[:0], quiet: quiet}
	for _, l := range *t.links.Load() {
		if chosen(l) {
			a.links = append(a.links, l)
		}
	}
	if len(a.links) == 0 {
		return false
	}
	a.begin()
	defer a.end()
	for !done() && a.turn() {
	}
	return true
}

// inlinePoll is the set of links that a thread polls inline.
type inlinePoll struct {
	links           []*link
	quiet           time.Duration
	start, deadline time.Time
}

func (a *inlinePoll) begin() {
	for _, l := range a.links {
		l.inline.Add(1)
		if l.in.lock.TryLock() { // if another goroutine has the lock, the first poll sets the mark
			l.setLowWater(manyBytes)
			l.in.lock.Unlock()
		}
	}
	a.start = time.Now()
	a.deadline = a.start.Add(a.quiet)
}

func (a *inlinePoll) end() {
	for _, l := range a.links {
		l.endInline()
	}
}

// turn receives and sends once. If no byte has moved, it yields to other threads. It returns false if polling
// has to end.
func (a *inlinePoll) turn() bool {
	moved, full := false, false
	for _, l := range a.links {
		l.flush()
		moved = l.pollLink() || moved
		moved = l.push() || moved
		full = full || l.full.Load()
	}
	now := time.Now()
	switch {
	case moved && now.Sub(a.start) < longestInline:
		a.deadline = now.Add(a.quiet)
	case now.After(a.deadline):
		return false
	case full && len(a.links) == 1:
		a.links[0].awaitWritable(min(a.deadline.Sub(now), longestAwait))
	default:
		// As in Poll.
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	return true
}

// pollLink is poll for a thread that polls the link inline. Meanwhile the kernel does not wake the reader.
func (l *link) pollLink() bool {
	if !l.in.lock.TryLock() {
		return false
	}
	defer l.in.lock.Unlock()
	if l.in.ended {
		return false
	}
	l.setLowWater(manyBytes)
	return l.pumpAll()
}

// The numbers of bytes from which on the kernel wakes the reader of a link with a raised low-water mark. The
// kernel makes room for twice as many in the socket. A thread that polls a link inline may wait for a long
// payload.
const (
	manyBytes = 1 << 20  // if a thread polls the link inline
	someBytes = 64 << 10 // if the reader polls
)

// setLowWater makes the kernel wake the reader only for least bytes, or for any number if least is 0.
// Meanwhile a polling goroutine receives: one that polls the link inline, or the reader itself. Without the
// mark the kernel would wake a thread of the Go runtime for each message, whether or not a goroutine waits
// for it. The caller holds in.lock.
func (l *link) setLowWater(least int) {
	if least == l.in.lowWater || l.in.ended { // after the end of the link the socket may be closed
		return
	}
	// It cannot fail for an open socket.
	_ = unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, max(least, 1))
	l.in.lowWater = least
}

// lowWaterWakes reports whether the kernel wakes the reader for bytes that have arrived when setLowWater lowers the
// mark: since Linux 4.18.
var lowWaterWakes = sync.OnceValue(func() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	return kernelWakes(unix.ByteSliceToString(name.Release[:]))
})

// kernelWakes is lowWaterWakes for a release of the kernel.
func kernelWakes(release string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 4 || major == 4 && minor >= 18
}

// awaitWritable sleeps until the socket takes bytes or has many to receive, but for no longer than d. The connection may be
// closed meanwhile.
func (l *link) awaitWritable(d time.Duration) {
	timeout := unix.NsecToTimespec(int64(d))
	_, _ = unix.Ppoll([]unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLOUT | unix.POLLIN}}, &timeout, nil)
}

// push continues to send if the socket was full. It reports whether any byte was sent.
func (l *link) push() bool {
	if !l.full.Load() {
		return false
	}
	_, moved := l.drain()
	return moved
}

// endInline gives the link back to its goroutines. The kernel does not wake them for earlier events: bytes
// that have arrived, unless the low-water mark was raised, and room in the socket.
func (l *link) endInline() {
	if l.inline.Add(-1) > 0 {
		return
	}
	l.in.wanted.Add(1)
	l.in.lock.Lock()
	l.in.wanted.Add(-1)
	woken := false
	if l.inline.Load() == 0 {
		woken = l.in.lowWater > 0 && l.seal == nil && lowWaterWakes()
		l.setLowWater(0)
	}
	if !woken && !l.in.ended && l.pumpAll() && !l.in.ended {
		l.readOn()
	}
	l.in.lock.Unlock()
	if l.full.Load() {
		l.write()
	}
}

// readOn lets a goroutine receive bytes that have already arrived, for which the kernel does not wake the
// reader. The link has not ended. The caller holds in.lock.
func (l *link) readOn() {
	l.transport.workers.Add(1) // the reader still runs, so Close cannot be past its Wait
	go func() {
		defer l.transport.workers.Done()
		l.readable(0)
	}()
}
