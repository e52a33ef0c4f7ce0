package tcp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/gate"
	"github.com/goacp/goacp/internal/liveness"
)

// leaveTime is how long Close waits for peers to take notice of the goodbye.
const leaveTime = 2 * time.Second

// Authenticator proves to the other end of a new connection that this process
// belongs to the run, and checks the other end. Both methods read and write no
// byte beyond their own exchange and return when ctx ends or the deadline of the
// connection passes. secured is the connection to use from then on: c, or one that
// encrypts and reads and writes c.
type Authenticator interface {
	// Challenge is for the side that accepted c. member is the one that dialled, or -1 if the
	// exchange does not tell.
	Challenge(ctx context.Context, c net.Conn) (secured net.Conn, member int, err error)

	// Answer is for the side that dialled c to reach member.
	Answer(ctx context.Context, c net.Conn, member int) (secured net.Conn, err error)
}

// Config says who this member is and whom it serves. All fields but
// Local, Patience, Limits, Ranks and Over are required.
type Config struct {
	Self  int  // member number of this process, 0 <= Self < Size
	Size  int  // members of the run
	Local bool // the run is on this host: only loopback addresses are dialled

	// Addrs returns where the agent of member listens, best address first. It is
	// called when this process first needs the member, and must not block.
	Addrs func(member int) []netip.AddrPort

	Auth  Authenticator
	Owner fabric.Owner

	// Patience returns for how long the fabric, after it has carried out requests of
	// a peer, may look for the next instead of sleeping until it is woken. nil means
	// not at all. It is called often, and must not block.
	Patience func() time.Duration

	// Limits says when a host counts as vanished.
	Limits liveness.Limits

	// Ranks tells which rank errors name for a member.
	Ranks fabric.Ranks

	// Over is closed when the run is over, so that Close need not wait for a peer that
	// has not taken what it was sent. nil: it never is.
	Over <-chan struct{}
}

// Fabric implements fabric.Fabric for members anywhere. Besides moving bytes for
// this process it serves the memory of this process to others, from New to Close.
type Fabric struct {
	cfg      Config
	listener *Listener
	gate     *gate.Gate              // callers that have not proved themselves
	peers    []atomic.Pointer[link]  // by member; nil until the first operation
	links    atomic.Pointer[[]*link] // those with a socket; replaced, never changed

	mu     sync.Mutex // guards creation of links and replacement of the list
	closed bool       // under mu

	door    context.Context // ends when no more connections are accepted
	shut    context.CancelFunc
	workers sync.WaitGroup // every goroutine of the fabric
	closing sync.Once
}

// New starts serving connections of l, which the fabric owns from now on.
func New(l *Listener, cfg Config) *Fabric {
	f := &Fabric{cfg: cfg, listener: l, gate: gate.New(), peers: make([]atomic.Pointer[link], cfg.Size)}
	f.links.Store(new([]*link))
	f.door, f.shut = context.WithCancel(context.Background())
	for _, socket := range l.sockets {
		f.workers.Add(1)
		go f.acceptAll(socket)
	}
	return f
}

// Name implements fabric.Fabric.
func (f *Fabric) Name() string { return "tcp" }

// Abilities implements fabric.Fabric.
func (f *Fabric) Abilities() fabric.Abilities {
	return fabric.Abilities{Notices: true, Atomics: fabric.CPUAtomics}
}

// Put implements fabric.Fabric. Up to 8 bytes are read from src before it returns.
func (f *Fabric) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	if peer == f.cfg.Self {
		done.Complete(0, f.putSelf(pos, src, n))
		return
	}
	h := header{kind: kindPut, pos: pos, size: n}
	if n <= inlineMax {
		h.arg = load(src, n)
		src = nil
	}
	f.request(peer, &h, src, operation{done: done, kind: kindReply})
}

// Get implements fabric.Fabric.
func (f *Fabric) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	if peer == f.cfg.Self {
		done.Complete(0, f.getSelf(pos, dst, n))
		return
	}
	h := header{kind: kindGet, pos: pos, size: n}
	f.request(peer, &h, nil, operation{done: done, kind: kindData, dst: dst, size: n, pos: pos})
}

// Atomic implements fabric.Fabric.
func (f *Fabric) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	if peer == f.cfg.Self {
		p, err := f.integer(pos, a)
		if err != nil {
			done.Complete(0, err)
			return
		}
		done.Complete(a.Apply(p), nil)
		return
	}
	h := header{kind: kindAtomic, code: uint8(a.Op), width: a.Width, pos: pos, arg: a.Operand, compare: a.Compare}
	f.request(peer, &h, nil, operation{done: done, kind: kindReply})
}

// Copy implements fabric.Fabric. The agent of src starts requests in order of
// issue and replies when the last byte has arrived at dst.
func (f *Fabric) Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	if src == f.cfg.Self {
		f.cfg.Owner.Forward(srcPos, dst, dstPos, n, done)
		return
	}
	if dst < 0 || dst >= f.cfg.Size {
		done.Complete(0, f.noMember(dst))
		return
	}
	h := header{kind: kindCopy, member: uint32(dst), pos: srcPos, size: n, arg: dstPos}
	f.request(src, &h, nil, operation{done: done, kind: kindReply})
}

// Call lets Owner.Serve of peer answer request, in order with the other operations on
// that peer. The answer goes to reply and its length to done, as the old value. Neither
// slice may be longer than fabric.CallMax, nor be touched before the call has completed.
func (f *Fabric) Call(peer int, service uint8, request, reply []byte, done fabric.Completion) {
	if len(request) > fabric.CallMax || len(reply) > fabric.CallMax {
		done.Complete(0, fabric.ErrInvalid)
		return
	}
	if peer == f.cfg.Self {
		n, err := f.cfg.Owner.Serve(service, request, reply)
		done.Complete(uint64(n), err)
		return
	}
	h := header{kind: kindCall, code: service, size: uint64(len(request)), arg: uint64(len(reply))}
	op := operation{done: done, kind: kindAnswer, dst: unsafe.Pointer(unsafe.SliceData(reply)), size: h.arg}
	f.request(peer, &h, unsafe.Pointer(unsafe.SliceData(request)), op)
}

// Notify sends a message to Owner.Notify of peer. It does not wait for its
// arrival. Messages of one goroutine to one peer arrive in order. The error is
// fabric.ErrClosed, a *PeerError, or says that there is no such member; a peer
// that dies later is reported by PeerLost.
func (f *Fabric) Notify(peer int, kind uint32, value uint64) error {
	if peer == f.cfg.Self {
		f.cfg.Owner.Notify(peer, kind, value)
		return nil
	}
	l, err := f.link(peer)
	if err != nil {
		return err
	}
	return l.notify(kind, value)
}

// Poll handles what has arrived on links with operations of this process under
// way and returns whether anything had. It does not block and is meant for a
// goroutine that waits for a completion, for a short time before it sleeps:
// without it completions arrive as well, later by a wake-up.
//
// If operations are under way and nothing has arrived, Poll yields the processor
// to other threads. The kernel likes to wake a receiver on the processor of the
// sender, and there the peer would stand in line behind the one who waits for it:
// on two cores an 8-byte put took 30 to 130 µs without yielding, 20 with it.
func (f *Fabric) Poll() bool {
	did, idle := false, false
	for _, l := range *f.links.Load() {
		if l.waiting.Load() > 0 {
			idle = true
			did = l.poll() || did
		}
	}
	if idle && !did {
		// Not a RawSyscall: the thread may be away for long.
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	return did
}

// PollPeer is Poll for the link to one peer, whether or not operations of this process
// are under way there. It is for goroutines that wait for what the peer does by itself.
func (f *Fabric) PollPeer(peer int) bool {
	for _, l := range *f.links.Load() {
		if l.peer == peer && l.poll() {
			return true
		}
	}
	// As in Poll.
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	return false
}

// request issues h with the bytes at src on the link to peer.
func (f *Fabric) request(peer int, h *header, src unsafe.Pointer, op operation) {
	l, err := f.link(peer)
	if err == nil {
		err = l.issue(h, src, op)
	}
	if err != nil {
		op.done.Complete(0, err)
	}
}

func (f *Fabric) noMember(peer int) error {
	return fmt.Errorf("no rank %d in a run of %d", peer, f.cfg.Size)
}

// link returns the link to peer. If there is none it makes one and begins to dial.
func (f *Fabric) link(peer int) (*link, error) {
	if peer < 0 || peer >= f.cfg.Size {
		return nil, f.noMember(peer)
	}
	if l := f.peers[peer].Load(); l != nil {
		return l, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.peers[peer].Load(); l != nil {
		return l, nil
	}
	if f.closed {
		return nil, fabric.ErrClosed
	}
	l := newLink(f, peer)
	var ctx context.Context
	ctx, l.hangUp = context.WithCancel(context.Background())
	f.peers[peer].Store(l)
	f.workers.Add(1)
	go l.dial(ctx)
	return l, nil
}

// linkOfCaller returns the link to a peer that made contact. If there is none it
// makes one, already claimed for the caller.
func (f *Fabric) linkOfCaller(peer int) (l *link, claimed bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l = f.peers[peer].Load(); l != nil {
		return l, false, nil
	}
	if f.closed {
		return nil, false, fabric.ErrClosed
	}
	l = newLink(f, peer)
	l.state = stateClaimed
	f.peers[peer].Store(l)
	return l, true, nil
}

// list adds l to the links that Poll looks at, or takes it out.
func (f *Fabric) list(l *link, add bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var links []*link
	for _, other := range *f.links.Load() {
		if other != l {
			links = append(links, other)
		}
	}
	if add {
		links = append(links, l)
	}
	f.links.Store(&links)
}

// Close implements fabric.Fabric. Frames that are queued are sent, peers are told
// goodbye, and when Close returns no goroutine of the fabric runs and none
// touches memory. It waits up to 2 seconds for peers that do not react, and until the
// run is over for one that has not taken all frames or messages of Notify: a peer that
// is stopped gets them when it goes on. Further calls wait as well and return nil.
func (f *Fabric) Close() error {
	var err error
	f.closing.Do(func() { err = f.close() })
	return err
}

func (f *Fabric) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.shut()
	err := f.listener.Close()
	f.gate.Close()

	for _, l := range f.all() {
		l.leave()
	}
	gone := make(chan struct{})
	go func() {
		f.workers.Wait()
		close(gone)
	}()
	look := time.NewTicker(leaveTime)
	defer look.Stop()
	over, ended := f.cfg.Over, false
	for {
		select {
		case <-gone:
			return err
		case <-over:
			over, ended = nil, true
			look.Reset(leaveTime)
		case <-look.C:
			for _, l := range f.all() {
				if ended || l.delivered() {
					l.abort()
				}
			}
		}
	}
}

// all returns the links to peers.
func (f *Fabric) all() []*link {
	var links []*link
	for i := range f.peers {
		if l := f.peers[i].Load(); l != nil {
			links = append(links, l)
		}
	}
	return links
}
