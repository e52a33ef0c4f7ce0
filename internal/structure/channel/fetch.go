package channel

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ring"
	"golang.org/x/sys/unix"
)

// fetch copies the first n bytes of a long message from the sender's memory to the memory of r. It returns
// false if the copy is still in progress.
func (c *Channel) fetch(e *ring.Endpoint, r *Request, rec ring.Record, n uint64) (done bool, err error) {
	var pos uint64
	e.Payload(unsafe.Pointer(&pos), 8)
	h, peer, dst := c.engine, int(e.Peer), unsafe.Pointer(unsafe.SliceData(r.buf))
	if rec.Kind() == ring.Direct {
		atomic.StoreUint32(&e.Ring.Polling, 1) // a sender that has another message need not ring
		err = h.fetchDirect(peer, dst, pos, n)
		atomic.StoreUint32(&e.Ring.Polling, 0)
		return true, err
	}
	defer h.space.Leave(h.space.Enter())
	from, err := h.router.Locate(peer, pos, n)
	if err != nil {
		return true, err
	}
	if from.Addr != nil {
		return true, ownMemory(fabric.TryMove(dst, from.Addr, n), dst, n)
	}
	if from.Immediate() {
		if err := h.router.Get(from, dst, n); !errors.Is(err, fabric.ErrNoPath) {
			return true, err
		}
	}
	r.pin.Pin(dst)
	h.messages.Add(1)
	h.router.Agents().Get(peer, pos, dst, n, &fetched{c: c, r: r, rec: rec, n: n})
	return false, nil
}

// fetchDirect copies n bytes from an address in the process of a member to dst. readsDirectly has
// returned true for the member.
func (h *Engine) fetchDirect(member int, dst unsafe.Pointer, addr, n uint64) error {
	v, err := h.router.View(member)
	if err != nil {
		return err
	}
	wait.Reschedule(time.Now())
	err = v.Load(dst, addr, n)
	if errors.Is(err, unix.EFAULT) && v.Readable(addr, n) {
		err = unwritable(dst, n)
	}
	return err
}

// errOwnMemory: a message could not be stored in the memory of the receive.
var errOwnMemory = fmt.Errorf("the memory of the receive cannot be written: %w", unix.EFAULT)

func unwritable(dst unsafe.Pointer, n uint64) error {
	return fmt.Errorf("%w: %d bytes at %p", errOwnMemory, n, dst)
}

// ownMemory returns err, or, if err is a fault at dst, the reason why the n bytes of a receive cannot be
// stored there.
func ownMemory(err error, dst unsafe.Pointer, n uint64) error {
	var fault *fabric.FaultError
	if errors.As(err, &fault) && fault.Addr-uintptr(dst) < uintptr(n) {
		return unwritable(dst, n)
	}
	return err
}

// readsDirectly reports whether this process reads the memory of a member by its addresses. If so,
// C reads it, too.
func (h *Engine) readsDirectly(member int) bool {
	v, err := h.router.View(member)
	if err != nil || !v.Direct() || v.Owner().FD() < 0 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open() != nil {
		return false
	}
	h.table.SetSource(member, ring.Source{PID: uint32(v.Owner().ID()), FD: int32(v.Owner().FD())})
	return true
}

// fetched ends a fetch that an agent has carried out. It implements fabric.Completion.
type fetched struct {
	c   *Channel
	r   *Request
	rec ring.Record
	n   uint64
}

// Complete implements fabric.Completion.
func (f *fetched) Complete(_ uint64, err error) {
	defer f.c.engine.messages.Done()
	if errors.Is(err, fabric.ErrGone) {
		err = unwritable(unsafe.Pointer(unsafe.SliceData(f.r.buf)), f.n)
	}
	if err != nil {
		go f.end(err) // the caller may hold the lock of the channel
		return
	}
	f.end(nil)
}

func (f *fetched) end(err error) {
	c := f.c
	if !c.lock() {
		return
	}
	defer c.unlock()
	c.work.fetching = false
	if f.r.Done() { // the channel has failed meanwhile
		return
	}
	if e := c.end(); c.received(e, f.r, f.rec, f.n, err) {
		c.wakeSender(e)
	}
}
