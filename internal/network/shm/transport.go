package shm

import (
	"errors"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/sparse"
	"github.com/goacp/goacp/internal/memory/segment"
	"golang.org/x/sys/unix"
)

// Config says where the transport finds the memory of each member. All fields but Ranks and
// Attach are required.
type Config struct {
	Size     int                                // members of the run
	PeerInfo func(member int) *segment.PeerInfo // where a peer's memory is, nil if not on this host

	// Ranks tells which rank errors name for a member.
	Ranks fabric.Ranks

	// Attach maps the memory of a peer. Nil: segment.Attach.
	Attach func(segment.PeerInfo) (*segment.View, error)
}

// Transport implements fabric.Transport for the members of one host. The caller uses
// View for memory that can be mapped and the methods of fabric.Transport for the
// rest; these work for both.
type Transport struct {
	peerInfo func(int) *segment.PeerInfo
	attach   func(segment.PeerInfo) (*segment.View, error)
	ranks    fabric.Ranks
	peers    *sparse.Table[attachment] // by member; nil until the first operation

	mu     sync.Mutex // taken to attach, and to close
	closed bool
}

// attachment is the outcome of the latest attempt to map a peer.
type attachment struct {
	view  *segment.View
	err   error
	again time.Time // when to try again; zero if the outcome is final
}

// retryTime is the pause before View tries again to map a peer, after a failure for lack of
// resources. Meanwhile the peer's agent serves it.
const retryTime = 100 * time.Millisecond

// passes reports whether the reason for a failure may go away.
func passes(err error) bool {
	for _, lack := range []error{unix.ENOMEM, unix.EAGAIN, unix.EMFILE, unix.ENFILE} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// stands reports whether the outcome is still valid.
func (a *attachment) stands() bool {
	return a != nil && (a.again.IsZero() || time.Now().Before(a.again))
}

// New returns a transport. It maps a peer at the first operation on it.
func New(cfg Config) *Transport {
	if cfg.Attach == nil {
		cfg.Attach = segment.Attach
	}
	return &Transport{peerInfo: cfg.PeerInfo, attach: cfg.Attach, ranks: cfg.Ranks, peers: sparse.New[attachment](cfg.Size)}
}

// name is the name of the fabric.
const name = "shm"

// Name implements fabric.Transport.
func (t *Transport) Name() string { return name }

// Abilities implements fabric.Transport. Atomics are for memory that is mapped.
func (t *Transport) Abilities() fabric.Abilities {
	return fabric.Abilities{Immediate: true, Copies: true, Notices: true, Atomics: fabric.CPUAtomics}
}

// View returns the mapped memory of member, mapping it if this is the first use. A failure
// is final unless it is for lack of address space or descriptors.
func (t *Transport) View(member int) (*segment.View, error) {
	if member < 0 || member >= t.peers.Size() {
		return nil, fmt.Errorf("no rank %d in a run of %d: %w", member, t.peers.Size(), fabric.ErrNoPath)
	}
	if a := t.peers.Load(member); a.stands() {
		return t.outcome(member, a)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.peers.Load(member); a.stands() {
		return t.outcome(member, a)
	}
	if t.closed {
		return nil, fabric.ErrClosed
	}
	a := new(attachment)
	if p := t.peerInfo(member); p != nil {
		if a.view, a.err = t.attach(*p); passes(a.err) {
			a.again = time.Now().Add(retryTime)
		}
	} else {
		a.err = fmt.Errorf("on another host: %w", fabric.ErrNoPath)
	}
	t.peers.Store(member, a)
	t.log(member, a)
	return t.outcome(member, a)
}

// log writes the outcome of an attempt to map a member.
func (t *Transport) log(member int, a *attachment) {
	rank := t.ranks.Of(member)
	switch {
	case !debuglog.SHM.On():
	case a.view != nil:
		addresses, registered := "the same addresses", "by process_vm_readv"
		if !a.view.Equal() {
			addresses = "other addresses"
		}
		if !a.view.Direct() {
			registered = "by its agent, since the kernel does not permit process_vm_readv"
		}
		debuglog.SHM.Printf("memory of rank %d: mapped at %s, %d bytes of the heap so far; its registered memory is reached %s",
			rank, addresses, a.view.Extent().Heap, registered)
	case a.again.IsZero():
		debuglog.SHM.Printf("memory of rank %d: not mapped, its agent serves it from now on: %v", rank, a.err)
	default:
		debuglog.SHM.Printf("memory of rank %d: not mapped, its agent serves it until the next attempt in %v: %v", rank, retryTime, a.err)
	}
}

// outcome returns the outcome of an attempt to map member. The attempt may have been before
// acp_reset; the error names the rank that member has now.
func (t *Transport) outcome(member int, a *attachment) (*segment.View, error) {
	if a.err != nil {
		return nil, &fabric.RankError{Rank: t.ranks.Of(member), Err: a.err}
	}
	return a.view, nil
}

// Put implements fabric.Transport.
func (t *Transport) Put(member int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	done.Complete(0, fabric.Over(name, t.put(member, pos, src, n)))
}

func (t *Transport) put(member int, pos uint64, src unsafe.Pointer, n uint64) error {
	v, err := t.View(member)
	if err != nil {
		return err
	}
	if p := v.Mapped(pos, n); p != nil {
		return fabric.TryMove(p, src, n)
	}
	return v.Write(pos, src, n)
}

// Get implements fabric.Transport.
func (t *Transport) Get(member int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	done.Complete(0, fabric.Over(name, t.get(member, pos, dst, n)))
}

func (t *Transport) get(member int, pos uint64, dst unsafe.Pointer, n uint64) error {
	v, err := t.View(member)
	if err != nil {
		return err
	}
	if p := v.Mapped(pos, n); p != nil {
		return fabric.TryMove(dst, p, n)
	}
	return v.Read(dst, pos, n)
}

// Atomic implements fabric.Transport. Only mapped memory can be the target: the
// kernel offers no atomic operation on the address space of another process.
func (t *Transport) Atomic(member int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	v, err := t.View(member)
	switch {
	case err != nil:
	case !a.Valid(pos):
		err = fabric.ErrInvalid
	default:
		if p := v.Mapped(pos, uint64(a.Width)); p != nil {
			done.Complete(a.Apply(p), nil)
			return
		}
		if err = v.Reachable(pos, uint64(a.Width)); err == nil {
			err = fabric.ErrNoPath
		}
	}
	done.Complete(0, fabric.Over(name, err))
}

// Copy implements fabric.Transport. This process moves the data itself: between two
// mappings directly, otherwise once through a buffer.
func (t *Transport) Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	done.Complete(0, fabric.Over(name, t.copy(src, srcPos, dst, dstPos, n)))
}

func (t *Transport) copy(src int, srcPos uint64, dst int, dstPos, n uint64) error {
	from, err := t.View(src)
	if err != nil {
		return err
	}
	to, err := t.View(dst)
	if err != nil {
		return err
	}
	if p := from.Mapped(srcPos, n); p != nil {
		return t.put(dst, dstPos, p, n)
	}
	if p := to.Mapped(dstPos, n); p != nil {
		return t.get(src, srcPos, p, n)
	}
	if err := errors.Join(from.Reachable(srcPos, n), to.Reachable(dstPos, n)); err != nil {
		return err // before anything has been written
	}
	return bounce(from, srcPos, to, dstPos, n)
}

// bounceBytes is the size of the buffer between two address spaces: large enough
// that system calls do not count, small enough to stay in cache.
const bounceBytes = 256 << 10

var bounceBuffers = sync.Pool{New: func() any { return new([bounceBytes]byte) }}

// bounce copies between two regions of registered memory. It works from the end
// if the regions may overlap that way, as memmove does.
func bounce(from *segment.View, srcPos uint64, to *segment.View, dstPos, n uint64) error {
	buf := bounceBuffers.Get().(*[bounceBytes]byte)
	defer bounceBuffers.Put(buf)
	p := unsafe.Pointer(buf)
	backward := from == to && dstPos > srcPos
	for left := n; ; {
		chunk := min(left, bounceBytes)
		at := n - left
		if backward {
			at = left - chunk
		}
		if err := from.Read(p, srcPos+at, chunk); err != nil {
			return err
		}
		if err := to.Write(dstPos+at, p, chunk); err != nil {
			return err
		}
		if left -= chunk; left == 0 {
			return nil
		}
	}
}

// Close implements fabric.Transport.
func (t *Transport) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	var first error
	for i, a := range t.peers.All() {
		t.peers.Store(i, &attachment{err: fabric.ErrClosed})
		if a.view != nil {
			if err := a.view.Close(); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

var _ fabric.Transport = (*Transport)(nil)
