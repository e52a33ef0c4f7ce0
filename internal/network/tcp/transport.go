package tcp

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/acceptlimit"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/ground/liveness"
	"github.com/goacp/goacp/internal/ground/sparse"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"github.com/goacp/goacp/internal/network/driver"
	"golang.org/x/sys/unix"
)

// leaveTime is how long Close waits for peers to react to the goodbye.
const leaveTime = 2 * time.Second

// Config describes this member and the memory that it serves. All fields but
// Local, Check, Survives, Await, PollBudget, Mailbox, Limits, Ranks and Over are required.
type Config struct {
	Self  int  // member number of this process, 0 <= Self < Size
	Size  int  // members that the run can ever have
	Local bool // the run is on this host: only loopback addresses are dialled

	// Check returns nil if a member is present, and otherwise the error of operations on it. nil: all
	// members are. It must not block.
	Check func(member int) error
	// Survives reports whether the run goes on without a member. nil: it never does. It must not block.
	Survives func(member int) bool
	// Await waits until a member that has connected is known to this process. nil: all members are.
	Await func(ctx context.Context, member int) error

	// Addrs returns where the agent of member listens, best address first. It is
	// called when this process first needs the member, and must not block.
	Addrs func(member int) []netip.AddrPort

	Auth  driver.Authenticator
	Owner fabric.Owner

	// PollBudget returns for how long a reader that has carried out requests of a peer may
	// poll for the next one before it sleeps until the kernel wakes it. nil: not at all. It
	// is called often, and must not block.
	PollBudget func() time.Duration

	// Mailbox returns the mailbox in which peers that map memory of this process post requests. Readers carry
	// these out while they poll. nil: there are no such peers. It must not block.
	Mailbox func() *mailbox.Box

	// Limits decide when a host counts as vanished.
	Limits liveness.Limits

	// Ranks returns the rank that errors name for a member.
	Ranks fabric.Ranks

	// Over is closed when the run is over, so that Close need not wait for a peer that
	// has not taken what it was sent. nil: it never is.
	Over <-chan struct{}
}

// Transport implements fabric.Transport for members anywhere. Besides moving bytes for
// this process it serves the memory of this process to others, from Serve to Close.
type Transport struct {
	cfg      Config
	listener *endpoint.Listener
	limiter  *acceptlimit.Limiter    // callers that have not proved themselves
	peers    *sparse.Table[link]     // by member; nil until the first operation
	links    atomic.Pointer[[]*link] // links with a socket; the list is replaced, never changed

	mu     sync.Mutex // guards creation of links and replacement of the list
	closed bool       // under mu

	accepting     context.Context // ends when no more connections are accepted
	stopAccepting context.CancelFunc
	workers       sync.WaitGroup // every goroutine of the transport
	closing       sync.Once
}

// New returns a transport, which takes l over. Serve is called before the first operation.
func New(l *endpoint.Listener, cfg Config) *Transport {
	f := &Transport{cfg: cfg, listener: l, limiter: acceptlimit.New(), peers: sparse.New[link](cfg.Size)}
	f.links.Store(new([]*link))
	f.accepting, f.stopAccepting = context.WithCancel(context.Background())
	return f
}

// Serve implements driver.Messenger: it starts to accept connections, and so to serve the Owner's memory.
// Connections from before that have waited. It is called once.
func (t *Transport) Serve() {
	for _, socket := range t.listener.Sockets() {
		t.workers.Add(1)
		go t.acceptAll(socket)
	}
}

// name is the name of the fabric.
const name = "tcp"

// Name implements fabric.Transport.
func (t *Transport) Name() string { return name }

// Abilities implements fabric.Transport.
func (t *Transport) Abilities() fabric.Abilities {
	return fabric.Abilities{Copies: true, Notices: true, Atomics: fabric.CPUAtomics}
}

// Put implements fabric.Transport. Up to 8 bytes are read from src before it returns.
func (t *Transport) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	t.put(peer, header{kind: kindPut, pos: pos, size: n}, src, done)
}

// put is Put with a header.
func (t *Transport) put(peer int, h header, src unsafe.Pointer, done fabric.Completion) {
	n := h.size
	if peer == t.cfg.Self {
		done.Complete(0, t.putSelf(h.pos, src, n))
		return
	}
	if n <= inlineMax {
		var err error
		if h.arg, err = tryLoad(src, n); err != nil {
			done.Complete(0, fabric.Over(name, err))
			return
		}
		src = nil
	}
	t.request(peer, &h, src, buffer{}, &operation{done: done, kind: kindReply})
}

// Get implements fabric.Transport.
func (t *Transport) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	t.get(peer, header{kind: kindGet, pos: pos, size: n}, dst, done)
}

// get is Get with a header.
func (t *Transport) get(peer int, h header, dst unsafe.Pointer, done fabric.Completion) {
	if peer == t.cfg.Self {
		done.Complete(0, t.getSelf(h.pos, dst, h.size))
		return
	}
	kind := kindData
	if h.size <= inlineMax {
		kind = kindReply
	}
	t.request(peer, &h, nil, buffer{}, &operation{done: done, kind: kind, dst: dst, size: h.size, pos: h.pos})
}

// Atomic implements fabric.Transport.
func (t *Transport) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	if peer == t.cfg.Self {
		p, err := t.integer(pos, a)
		if err != nil {
			done.Complete(0, err)
			return
		}
		done.Complete(a.Apply(p), nil)
		return
	}
	h := header{kind: kindAtomic, code: uint8(a.Op), width: a.Width, pos: pos, arg: a.Operand, compare: a.Compare}
	t.request(peer, &h, nil, buffer{}, &operation{done: done, kind: kindReply})
}

// Copy implements fabric.Transport. The agent of src starts requests in order of
// issue and replies when the last byte has arrived at dst.
func (t *Transport) Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	if src == t.cfg.Self {
		t.cfg.Owner.Forward(srcPos, dst, dstPos, n, done)
		return
	}
	if dst < 0 || dst >= t.cfg.Size {
		done.Complete(0, fabric.Over(name, t.noMember(dst)))
		return
	}
	h := header{kind: kindCopy, member: uint32(dst), pos: srcPos, size: n, arg: dstPos}
	t.request(src, &h, nil, buffer{}, &operation{done: done, kind: kindReply})
}

// Call lets Owner.Serve of peer answer request, in order with the other operations on
// that peer. The answer goes to reply and its length to done, as the old value. Neither
// slice may be longer than fabric.CallMax, nor be touched before the call has completed.
func (t *Transport) Call(peer int, service uint16, request, reply []byte, done fabric.Completion) {
	if len(request) > fabric.CallMax || len(reply) > fabric.CallMax {
		done.Complete(0, fabric.Over(name, fabric.ErrInvalid))
		return
	}
	if peer == t.cfg.Self {
		t.callSelf(fabric.Request{From: peer, Service: service, Body: request, Reply: reply}, done)
		return
	}
	h := header{kind: kindCall, size: uint64(len(request)), arg: uint64(len(reply))}
	h.setNumber(service)
	op := operation{done: done, kind: kindAnswer, dst: unsafe.Pointer(unsafe.SliceData(reply)), size: h.arg}
	t.request(peer, &h, unsafe.Pointer(unsafe.SliceData(request)), buffer{}, &op)
}

// Notify sends a message to Owner.Notify of peer. It does not wait for its arrival. The agent of the peer has
// carried out all requests that were issued before when Notify of the owner there gets the message, apart
// from answers that come later. The error is fabric.ErrClosed, a *PeerError, or an error for a member that
// does not exist. The later death of a peer is reported by PeerLost.
func (t *Transport) Notify(peer int, notice uint16, arg uint32, value uint64) error {
	if peer == t.cfg.Self {
		t.cfg.Owner.Notify(peer, notice, arg, value)
		return nil
	}
	l, err := t.link(peer)
	if err != nil {
		return err
	}
	return l.notify(notice, arg, value)
}

// Poll sends requests that were gathered. Then it handles frames that have arrived on links with operations
// of this process under way, and reports whether there were any. It does not block. A goroutine that waits
// for a completion calls it for a short time before it sleeps. Without Poll, each completion is late by the
// time of a wake-up.
//
// If operations are in flight and no byte has arrived, Poll yields the processor to other threads. The kernel
// often wakes a receiver on the processor of the sender. Without yielding, the peer would wait there for the
// thread that polls for its answer: on two cores an 8-byte put took 30 to 130 µs without yielding, and 20
// with it.
func (t *Transport) Poll() bool {
	did, idle := false, false
	for _, l := range *t.links.Load() {
		if l.waiting.Load() > 0 {
			idle = true
			l.flush()
			did = l.poll() || did
		}
	}
	if idle && !did {
		// Not a RawSyscall: the other thread may run for long.
		_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	return did
}

// Flush sends requests that were gathered.
func (t *Transport) Flush() {
	for _, l := range *t.links.Load() {
		l.flush()
	}
}

// PollPeer is Poll for the link to one peer, whether or not operations of this process are under way there.
// It is for goroutines that wait for an action of the peer that is no answer.
func (t *Transport) PollPeer(peer int) bool {
	for _, l := range *t.links.Load() {
		if l.peer != peer {
			continue
		}
		if l.flush(); l.poll() {
			return true
		}
	}
	// As in Poll.
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	return false
}

// request issues h with the bytes at src on the link to peer. used holds the bytes, or has none.
func (t *Transport) request(peer int, h *header, src unsafe.Pointer, used buffer, op *operation) {
	_, op.batched = op.done.(fabric.Batched)
	l, err := t.link(peer)
	if err == nil {
		err = l.issue(h, src, used, op)
	}
	if err != nil {
		used.giveBack()
		op.done.Complete(0, fabric.Over(name, err))
	}
}

func (t *Transport) noMember(peer int) error {
	return fmt.Errorf("no rank %d in a run of %d", peer, t.cfg.Size)
}

// link returns the link to peer. If there is none it makes one and begins to dial.
func (t *Transport) link(peer int) (*link, error) {
	if peer < 0 || peer >= t.cfg.Size {
		return nil, t.noMember(peer)
	}
	if l := t.peers.Load(peer); l != nil {
		return l, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.peers.Load(peer); l != nil {
		return l, nil
	}
	if t.closed {
		return nil, fabric.ErrClosed
	}
	if t.cfg.Check != nil {
		if err := t.cfg.Check(peer); err != nil {
			return nil, err
		}
	}
	l := newLink(t, peer)
	var ctx context.Context
	ctx, l.hangUp = context.WithCancel(context.Background())
	t.peers.Store(peer, l)
	t.workers.Add(1)
	go l.dial(ctx)
	return l, nil
}

// linkOfCaller returns the link to a peer that has connected. If there is none it
// makes one, and claims it for the caller.
func (t *Transport) linkOfCaller(peer int) (l *link, claimed bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l = t.peers.Load(peer); l != nil {
		return l, false, nil
	}
	if t.closed {
		return nil, false, fabric.ErrClosed
	}
	l = newLink(t, peer)
	l.state = stateClaimed
	t.peers.Store(peer, l)
	return l, true, nil
}

// list adds l to the links that Poll handles, or removes it.
func (t *Transport) list(l *link, add bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var links []*link
	for _, other := range *t.links.Load() {
		if other != l {
			links = append(links, other)
		}
	}
	if add {
		links = append(links, l)
	}
	t.links.Store(&links)
}

// Close implements fabric.Transport. It sends the queued frames and a goodbye to each peer. When Close
// returns, no goroutine of the transport runs or accesses memory. It waits up to 2 seconds for peers that do
// not react. For a peer that has not taken all frames or messages of Notify it waits until the run is over: a
// stopped peer gets them when it continues. Further calls wait as well and return nil.
func (t *Transport) Close() error {
	var err error
	t.closing.Do(func() { err = t.close() })
	return err
}

func (t *Transport) close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.stopAccepting()
	err := t.listener.Close()
	t.limiter.Close()

	for _, l := range t.all() {
		l.leave()
	}
	gone := make(chan struct{})
	go func() {
		t.workers.Wait()
		close(gone)
	}()
	look := time.NewTicker(leaveTime)
	defer look.Stop()
	over, ended := t.cfg.Over, false
	for {
		select {
		case <-gone:
			return err
		case <-over:
			over, ended = nil, true
			look.Reset(leaveTime)
		case <-look.C:
			for _, l := range t.all() {
				if ended || l.delivered() {
					l.abort()
				}
			}
		}
	}
}

// all returns the links to peers.
func (t *Transport) all() []*link {
	var links []*link
	for _, l := range t.peers.All() {
		links = append(links, l)
	}
	return links
}
