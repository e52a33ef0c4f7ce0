package tcp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/liveness"
)

// window is the number of requests that a member may have in flight on one link. It bounds the owner's queue.
// Further requests wait at the initiator.
const window = 1024

// requestLimit is the number of requests under way above which an initiator breaks the
// protocol. It is larger than window because the owner counts replies as sent only when
// sendmsg has returned. By then the initiator may have received each of them and sent another
// request for it.
const requestLimit = 2 * window

// state is the life of a link. It only moves forward.
type state uint8

const (
	stateDialing state = iota // no socket; frames wait in the queue
	stateClaimed              // the socket is chosen and being set up; frames wait
	stateOpen                 // frames flow
	stateDead                 // no frames flow any more; err is the reason
)

// link is the state that belongs to one peer. The package comment describes the goroutines that use it. Locks
// are taken in the order in.lock, writeLock, mu; no lock but in.lock is held while the owner or a completion
// is called.
type link struct {
	transport *Transport
	peer      int

	// waiting is the number of operations of this process under way, for Poll.
	waiting atomic.Int32
	// zeroCopies is the number of queued frames whose payload is this process's memory.
	zeroCopies atomic.Int32
	// gathered is the number of bytes of requests that wait in out without a writer. It changes
	// under mu.
	gathered atomic.Uint64
	// owed is the number of requests of the peer that are not fully answered, without those that were
	// announced as deferred.
	owed atomic.Int32

	mu      sync.Mutex
	state   state
	err     error // with stateDead: the error of operations
	leaving bool  // Close has begun: no new operations
	writing bool  // there is a writer, or frames have to wait
	ops     operations
	under   int       // requests sent or queued in out that are not deferred, at most window
	prompt  int       // the requests among them that the peer answers without waiting for other members
	asked   uint64    // bytes that gets among them ask for, apart from those in headers
	out     queue     // frames to send
	held    queue     // requests that wait until earlier ones have been answered, and notices behind them
	spare   *packet   // to be used again
	standby chan bool // an accepted connection waits for the outcome of dialling
	cut     bool      // Close has ended the connection
	hangUp  context.CancelFunc

	inline  atomic.Int32 // threads that receive and send in place of the goroutines of the link
	full    atomic.Bool  // the socket was full when a writer has tried last
	awaited atomic.Bool  // a goroutine waits for room in the socket

	writeLock sync.Mutex // held during sendmsg
	vec       vector     // under writeLock
	fd        int        // set before stateOpen, valid until the reader has ended
	raw       syscall.RawConn
	seal      *seal // nil if the connection is in clear

	in inbound
}

// newLink returns a link without a socket. The goroutine that opens it is its first writer.
func newLink(f *Transport, peer int) *link {
	return &link{transport: f, peer: peer, writing: true, fd: -1}
}

// rank returns the rank of the peer in errors.
func (l *link) rank() int { return l.transport.cfg.Ranks.Of(l.peer) }

// claim chooses the socket of the link unless that has been done already.
func (l *link) claim() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stateDialing {
		return false
	}
	l.state = stateClaimed
	return true
}

// run takes an authenticated and welcomed connection into use and serves it until
// the link is dead. The caller has claimed the link.
func (l *link) run(c *wire) {
	raw, err := c.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { l.fd = int(fd) })
	}
	if err != nil {
		c.Close()
		l.die(l.transport.peerError(l.peer, err), true)
		return
	}
	l.raw = raw
	l.seal = newSeal(c, l.fd)
	l.in.buf = make([]byte, bufferSize)
	l.vec.stage = make([]byte, 0, stageSize)

	l.mu.Lock()
	l.state = stateOpen
	if l.cut {
		_ = unix.Shutdown(l.fd, unix.SHUT_RDWR)
	}
	l.mu.Unlock()
	l.transport.list(l, true)
	debuglog.TCP.Printf("connected with rank %d: %v here, %v there, version %d, encrypted %v", l.rank(), c.LocalAddr(), c.RemoteAddr(), Version, c.encrypted())
	unwatch := liveness.Watch(c.TCPConn, l.transport.cfg.Limits, l.vanished)
	l.write()

	if err := raw.Read(l.readable); err != nil {
		l.in.lock.Lock()
		l.end(err)
		l.in.lock.Unlock()
	}
	unwatch()
	l.transport.list(l, false)
	c.Close()
}

// vanished ends the link because the host of the peer has stopped answering.
func (l *link) vanished(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == stateOpen && l.err == nil {
		l.err = err
		debuglog.Liveness.Printf("rank %d counts as dead: %v", l.rank(), err)
		// This wakes the reader goroutine, which ends the link. The socket is open as long as the connection
		// is watched.
		_ = unix.Shutdown(l.fd, unix.SHUT_RDWR)
	}
}

// end makes the link dead because of an error or the end of the stream in the reader. The caller holds
// in.lock.
func (l *link) end(cause error) {
	if l.in.ended {
		return
	}
	l.in.ended = true
	l.mu.Lock()
	leaving := l.leaving
	l.mu.Unlock()
	switch {
	case leaving:
		l.die(fabric.ErrClosed, false)
	case cause == errGoodbye:
		l.die(l.transport.peerError(l.peer, cause), false)
	default:
		l.die(l.transport.peerError(l.peer, fmt.Errorf("connection lost: %w", cause)), true)
	}
	// This wakes the reader goroutine, which closes the socket.
	_ = unix.Shutdown(l.fd, unix.SHUT_RDWR)
}

// die completes every operation with err. From then on no memory of an operation is accessed: the caller
// holds in.lock or there is no reader, and writeLock keeps out writers. If lost is true, and the run does not go
// on without the peer, die also calls PeerLost of the owner.
func (l *link) die(err error, lost bool) {
	l.writeLock.Lock()
	l.mu.Lock()
	if l.leaving {
		err, lost = fabric.ErrClosed, false
	}
	l.state, l.err = stateDead, err
	ops := l.ops
	l.ops = operations{}
	l.out, l.held = queue{}, queue{}
	standby := l.standby
	l.standby = nil
	l.mu.Unlock()
	l.writeLock.Unlock()
	debuglog.TCP.Printf("the connection with rank %d has ended: %v", l.rank(), err)

	if standby != nil {
		standby <- false
	}
	if l.transport.survives(l.peer) {
		l.transport.forget(l)
	} else if lost {
		l.transport.cfg.Owner.PeerLost(l.peer, err)
	}
	ops.each(func(op *operation) {
		l.waiting.Add(-1)
		op.done.Complete(0, fabric.Over(name, err))
	})
}

// refusal returns the reason why no new operation is possible, or nil. The caller holds mu.
func (l *link) refusal() error {
	switch {
	case l.leaving:
		return fabric.ErrClosed
	case l.state == stateDead:
		return l.err
	}
	return nil
}

// issue sends the request h with the bytes at src, or queues it. used holds the bytes, or has none. If issue returns
// an error the operation has not been started.
func (l *link) issue(h *header, src unsafe.Pointer, used buffer, op *operation) error {
	l.mu.Lock()
	if err := l.refusal(); err != nil {
		l.mu.Unlock()
		return err
	}
	h.id = l.ops.add(op)
	l.waiting.Add(1)
	q := &l.held
	if l.held.n == 0 && l.fits(h) {
		q = &l.out
		l.count(h)
	}
	f := q.push()
	h.encode(&f.head)
	f.payload, f.left, f.buffer = src, h.payload(), used.whole
	write := (q == &l.held || !l.gather(h, op)) && l.becomeWriter()
	l.mu.Unlock()
	if write {
		l.write()
	}
	return nil
}

// fits reports whether the request h may be sent now. The caller holds mu.
func (l *link) fits(h *header) bool { return l.under < window && !l.conflicts(h) }

// count counts the request h, which is about to be sent. The caller holds mu.
func (l *link) count(h *header) {
	l.under++
	if op := l.ops.find(h.id); op.answeredAtOnce(h.kind) {
		op.prompt = true
		l.prompt++
	}
	if h.kind == kindGet && h.size > inlineMax {
		l.ops.find(h.id).asked = true
		l.asked += h.size
	}
}

// settle returns the operation with this id, whose reply has arrived, and stops counting it. It returns nil
// if there is none. The caller holds mu, removes the operation from the table, and calls release.
func (l *link) settle(id uint64) *operation {
	op := l.ops.find(id)
	if op == nil {
		return nil
	}
	l.waiting.Add(-1)
	if !op.later {
		l.under--
	}
	if op.prompt {
		l.prompt--
	}
	if op.asked {
		l.asked -= op.size
	}
	return op
}

// release queues held requests that may be sent now, and the notices behind them. The caller holds mu.
func (l *link) release() {
	for l.held.n > 0 {
		f := l.held.at(0)
		if !f.notice() {
			var h header
			if _ = h.decode(&f.head); !l.fits(&h) { // this process has encoded it
				break
			}
			l.count(&h)
		}
		*l.out.push() = *f
		l.held.pop()
	}
}

// notify sends a notice behind all requests that have been issued.
func (l *link) notify(notice uint16, arg uint32, value uint64) error {
	h := header{kind: kindNotify, member: arg, arg: value}
	h.setNumber(notice)
	l.mu.Lock()
	if err := l.refusal(); err != nil {
		l.mu.Unlock()
		return err
	}
	q := &l.held
	if l.held.n == 0 {
		q = &l.out
	}
	h.encode(&q.push().head)
	write := l.becomeWriter()
	l.mu.Unlock()
	if write {
		l.write()
	}
	return nil
}

// leave begins the end of the link: no new operations, goodbye after the last queued frame. A link without a
// socket continues to dial only to deliver messages.
func (l *link) leave() {
	l.mu.Lock()
	if l.state == stateDead || l.leaving {
		l.mu.Unlock()
		return
	}
	l.leaving = true
	for ; l.held.n > 0; l.held.pop() {
		if f := l.held.at(0); f.notice() {
			*l.out.push() = *f
		}
	}
	if l.state == stateDialing && !l.out.messages() && l.hangUp != nil {
		l.hangUp()
	}
	h := header{kind: kindGoodbye}
	h.encode(&l.out.push().head)
	write := l.becomeWriter()
	l.mu.Unlock()
	if write {
		l.write()
	}
}

// delivered reports whether the kernel has every frame of the link that the peer must
// get.
func (l *link) delivered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.writing
}

// abort cuts the connection so that all goroutines of the link end.
func (l *link) abort() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	if l.hangUp != nil {
		l.hangUp()
	}
	if l.state == stateOpen {
		_ = unix.Shutdown(l.fd, unix.SHUT_RDWR)
	}
}
