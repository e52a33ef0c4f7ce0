package tcp

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
)

// bufferSize is the size of the receive buffer of a link. It takes many small frames at a time. Of a long
// payload only the part that arrives with its header passes through it.
const bufferSize = 16 << 10

// textKeep is the largest buffer for calls that a link keeps when smaller ones follow.
const textKeep = 4 << 10

// inbound is the receiving side of a link: its position in the stream of frames. A goroutine holds its lock
// while it receives, and while it carries out requests.
type inbound struct {
	lock  sync.Mutex
	ended bool
	asked bool // requests have come since the last poll of the reader

	lowWater int // the kernel wakes the reader only for this many bytes; 0: for any number

	wanted atomic.Int32 // goroutines that wait for the lock, which the reader has to release

	buf  []byte // [r:w] has been received and not handled yet
	r, w int

	head    header         // the frame whose payload is arriving
	left    uint64         // bytes of the payload still to come
	target  unsafe.Pointer // destination of these bytes; nil if they are dropped
	fault   error          // the reason why they are dropped
	foreign bool           // target is memory that the program may have unmapped
	text    []byte         // target of the request of a call and of the text of a reply

	reply    []byte // buffer for the answer to the call that is being served
	deferred bool   // that answer comes later

	mail mail // of a reader that polls

	answers  answers
	outcomes []fabric.Outcome // of operations that have completed, until tell

	vec [2]unix.Iovec
	msg unix.Msghdr
}

// readable is called by the reader goroutine when there may be something to
// receive. It returns true when the link has ended.
func (l *link) readable(uintptr) bool {
	l.in.lock.Lock()
	defer l.in.lock.Unlock()
	for !l.in.ended {
		if l.inline.Load() > 0 {
			return false
		}
		if !l.pump() && !l.pollOn() {
			if l.in.lowWater == 0 || l.in.ended {
				return l.in.ended
			}
			l.setLowWater(0)
			continue // handle the bytes that have arrived before
		}
		if l.in.wanted.Load() > 0 {
			l.in.lock.Unlock()
			runtime.Gosched()
			l.in.lock.Lock()
		}
	}
	return true
}

// pollOn polls for the next request after requests have been carried out: an initiator often sends it right
// after the reply, or posts it in the mailbox. It returns false if nothing arrives at the link within the
// poll budget, which begins anew with each request in the mailbox. The caller holds in.lock.
func (l *link) pollOn() bool {
	if !l.in.asked || l.transport.cfg.PollBudget == nil {
		return false
	}
	l.in.asked = false
	budget := l.transport.cfg.PollBudget()
	if budget == 0 {
		return false
	}
	mail := l.openMail()
	defer mail.shut()
	shared := false // another thread runs on this processor, perhaps the initiator
	crowded := 0    // how often requests came meanwhile
	for deadline := time.Now().Add(budget); ; {
		served := false
		for turn := 0; turn < 4 && !(shared && turn > 0); turn++ {
			if l.pump() {
				l.setLowWater(someBytes) // the next request is expected soon
				return true
			}
			served = mail.look() || served
		}
		if l.isWanted() {
			l.in.asked = true // continues to poll after the goroutines that wait for the lock
			return true
		}
		now := time.Now()
		if served {
			if budget = l.transport.cfg.PollBudget(); budget == 0 {
				return false
			}
			deadline = now.Add(budget)
			if !shared {
				continue // the next request is expected soon
			}
			if crowded++; crowded == mostCrowded {
				wait.LeaveProcessor()
			}
		} else if now.After(deadline) {
			return false
		}
		// As in Poll.
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		shared = time.Since(now) > lateYield
		mail.once = shared
	}
}

// isWanted reports whether other goroutines wait for the link.
func (l *link) isWanted() bool { return l.in.wanted.Load() > 0 || l.inline.Load() > 0 }

// lateYield is the duration of a yield of the processor that shows that another thread has run meanwhile. The
// monitor of the Go runtime runs now and then. An initiator on the same processor runs each time.
const (
	lateYield   = 3 * time.Microsecond
	mostCrowded = 3
)

// sealedPumps is how often pumpAll receives from an encrypted connection before it leaves the rest to a new
// goroutine.
const sealedPumps = 16

// poll is readable for a goroutine that must not wait. It returns false if no byte had arrived.
func (l *link) poll() bool {
	if !l.in.lock.TryLock() {
		return false
	}
	defer l.in.lock.Unlock()
	return !l.in.ended && l.pumpAll()
}

// pumpAll is pump for goroutines other than the reader. It leaves no bytes in the encryption
// of the connection, which may take more from the socket than it returns at once: the kernel
// does not wake the reader for bytes that are not in the socket any more. The caller holds
// in.lock.
func (l *link) pumpAll() bool {
	if !l.pump() {
		return false
	}
	for n := 1; l.seal != nil && !l.in.ended; n++ {
		if n == sealedPumps {
			l.readOn()
			break
		}
		if !l.pump() {
			break
		}
	}
	return true
}

// pump receives once and handles the received bytes. It returns false if there were none. The caller holds
// in.lock.
func (l *link) pump() bool {
	var n int
	var errno unix.Errno
	if l.seal == nil {
		n, errno = l.in.receive(l.fd)
	} else {
		n, errno = l.seal.receive(&l.in)
	}
	switch {
	case errno == unix.EAGAIN:
		return false
	case errno == unix.EFAULT && l.in.target != nil:
		l.in.unmapped()
		return true
	case errno == unix.EBADMSG && l.seal != nil:
		l.end(l.seal.fault)
		return true
	case errno != 0:
		l.end(errno)
		return true
	case n == 0:
		l.end(errHungUp)
		return true
	}
	err := l.take(n)
	l.queueAnswers()
	l.kick()
	l.tell()
	if err != nil {
		l.end(err)
	}
	return true
}

// receive does one recvmsg: into the target of a payload, if one is arriving,
// and into the buffer behind it.
func (in *inbound) receive(fd int) (int, unix.Errno) {
	if in.r > 0 {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
	pieces := 0
	var direct uint64
	if in.left > 0 && in.target != nil {
		direct = min(in.left, pieceMax)
		in.vec[0].Base = (*byte)(in.target)
		in.vec[0].SetLen(int(direct))
		pieces = 1
	}
	if direct == in.left || pieces == 0 {
		in.vec[pieces].Base = &in.buf[in.w]
		in.vec[pieces].SetLen(len(in.buf) - in.w)
		pieces++
	}
	in.msg.Iov = &in.vec[0]
	in.msg.SetIovlen(pieces)
	n, errno := transfer(unix.SYS_RECVMSG, fd, &in.msg, direct > quickBytes)
	in.vec[0].Base = nil
	return n, errno
}

// take handles n received bytes: bytes of the payload are in place already, the rest is in the buffer.
func (l *link) take(n int) error {
	in := &l.in
	if in.left > 0 && in.target != nil && l.seal == nil {
		k := min(uint64(n), in.left)
		in.advance(k)
		n -= int(k)
		if in.left == 0 {
			if err := l.arrived(); err != nil {
				return err
			}
		}
	}
	in.w += n
	for in.r < in.w {
		if in.left > 0 {
			k := min(uint64(in.w-in.r), in.left)
			if in.foreign && in.target != nil && !fabric.Writable(in.target, k) {
				in.unmapped()
			}
			if in.target != nil {
				copy(unsafe.Slice((*byte)(in.target), k), in.buf[in.r:])
			}
			in.r += int(k)
			in.advance(k)
			if in.left > 0 {
				break
			}
			if err := l.arrived(); err != nil {
				return err
			}
			continue
		}
		if in.w-in.r < headerSize {
			break
		}
		if err := in.head.decode((*[headerSize]byte)(in.buf[in.r:])); err != nil {
			return protocolError("%w", err)
		}
		in.r += headerSize
		if err := l.begin(); err != nil {
			return err
		}
	}
	if in.r == in.w {
		in.r, in.w = 0, 0
	}
	return nil
}

// expect makes the next n bytes, at most fabric.CallMax, go to text.
func (in *inbound) expect(n uint64) {
	if uint64(cap(in.text)) < n || cap(in.text) > textKeep && n <= textKeep {
		in.text = make([]byte, n, max(n, textMax))
	}
	in.text = in.text[:n]
	in.target, in.left = unsafe.Pointer(&in.text[0]), n
}

// advance moves the target over k bytes that have arrived.
func (in *inbound) advance(k uint64) {
	in.left -= k
	switch {
	case in.target == nil:
	case in.left == 0:
		in.target = nil
	default:
		in.target = unsafe.Add(in.target, k)
	}
}

// unmapped drops the rest of a payload whose target must not be accessed any more: memory that was unmapped
// or unregistered after Resolve, or the destination of a get.
func (in *inbound) unmapped() {
	in.target = nil
	if in.head.kind == kindPut {
		in.fault = &fabric.RangeError{Pos: in.head.pos, Size: in.head.size}
	} else {
		in.fault = fabric.ErrGone
	}
}
