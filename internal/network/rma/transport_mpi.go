//go:build mpi

package rma

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/mpi"
)

// Config describes the members and the memory that the windows serve. All fields but Memory,
// Shared and MaySpin are required.
type Config struct {
	Comm mpi.Comm // of all members that have windows; the transport neither changes nor frees it
	Self int      // member number of this process
	Size int      // members of the run

	// Memory is what this member has in the library window, with positions from 0 on:
	// mapped memory that it keeps until after Close. Nil: MPI allocates Bytes bytes,
	// which plain copies between members of one host reach without help. The members
	// agree on which it is. Either begins at a multiple of 4096.
	Memory []byte
	Bytes  int

	// Atomics says that this transport carries out all atomics on all members. If it is false,
	// Atomic must not be called, and C does no atomics by windows.
	Atomics bool

	// Rank returns the rank of a member in Comm, or -1 if it is not in Comm.
	Rank func(member int) int
	// Library reports whether n bytes at position pos are memory that the library of
	// member publishes.
	Library func(member int, pos, n uint64) bool
	// Shared reports whether member is on this host, so that plain copies between
	// windows need no help by its agent. Nil: no member is.
	Shared func(member int) bool
	// Registered returns the registered memory of this member around position pos: its first position, its
	// bytes and their address. It does not block.
	Registered func(pos uint64) (first, size, addr uint64, ok bool)
	// Ask returns where the registered memory of member around position pos lies.
	Ask func(member int, pos uint64) (Region, error)
	// Wake makes the agent of member call Progress of its transport. It does not block.
	Wake func(member int)
	// Tell makes the agent of member call Forget of its transport, and then the agent of this
	// member call Forgotten with the same ticket. It does not block.
	Tell func(member int, ticket uint64)
	// Over returns why the run is over, or nil. Waiting for other members ends then.
	Over func() error
	// Fallback carries what windows do not reach.
	Fallback fabric.Transport
	// MaySpin reports whether this host has a processor for each of its processes: then the
	// progress thread may spin. Nil: it has not.
	MaySpin func() bool
}

// Transport implements fabric.Transport for the members of one communicator. Its operations are
// complete when they return, apart from those that wait for Flush.
type Transport struct {
	cfg        Config
	library    mpi.Win
	memory     []byte    // of this member, in the library window
	shifts     []uint16  // by rank: displacement of position 0 in the library window
	dynamic    []mpi.Win // for registered memory
	calls      *calls
	attached   attached
	known      known
	withdrawal withdrawal
	deferred   deferred
	progress   *progressThread
	monitor    *monitor
	closed     atomic.Bool
}

// name is the name of the fabric.
const name = "rma"

// Name implements fabric.Transport.
func (t *Transport) Name() string { return name }

// Abilities implements fabric.Transport.
func (t *Transport) Abilities() fabric.Abilities {
	a := fabric.Abilities{Waits: true, Collective: true}
	if t.cfg.Atomics {
		a.Atomics = fabric.AllAtomics
	}
	return a
}

// target is where memory of another member lies.
type target struct {
	win  mpi.Win
	rank int
	disp int
	kind kind
}

// errNoWindow says that no window holds the memory.
var errNoWindow = errors.New("memory in no window")

// helped returns the kinds of operations on a member that are known to need the help of
// its agent. Whether those on memory that MPI has allocated do, if the member is on this
// host, depends on what MPI finds between them. The monitor learns it.
func (t *Transport) helped(member int) uint32 {
	if t.cfg.Memory == nil && (member == t.cfg.Self || t.cfg.Shared != nil && t.cfg.Shared(member)) {
		return 1 << kindRegistered
	}
	return everything
}

// find finds the n bytes at position pos of member, for an operation that is of kind what
// on memory of the library. If the bytes are registered memory, the result is valid as long as
// the generation is that of t.known.
func (t *Transport) find(member int, pos, n uint64, what kind) (to target, generation uint64, err error) {
	if member < 0 || member >= t.cfg.Size {
		return target{}, 0, fmt.Errorf("no rank %d in a run of %d", member, t.cfg.Size)
	}
	if t.closed.Load() {
		return target{}, 0, fabric.ErrClosed
	}
	rank := t.cfg.Rank(member)
	if rank < 0 {
		return target{}, 0, errNoWindow
	}
	if t.cfg.Library(member, pos, n) {
		return target{win: t.library, rank: rank, disp: int(pos) + int(t.shifts[rank]), kind: what}, 0, nil
	}
	r, generation, err := t.region(member, pos, n)
	if err != nil {
		return target{}, 0, err
	}
	if r.Window < 0 {
		return target{}, 0, errNoWindow
	}
	return target{win: t.dynamic[r.Window], rank: rank, disp: int(r.Addr + (pos - r.Pos)), kind: kindRegistered}, generation, nil
}

// access carries out one operation, which is of kind what on memory of the library.
func (t *Transport) access(member int, pos, n uint64, what kind, do func(to target) error) error {
	to, err := t.enter(member, pos, n, what)
	if err != nil {
		return err
	}
	defer t.calls.Unlock()
	t.monitor.enter(member, to.kind, n)
	defer t.monitor.leave()
	return do(to)
}

// enter finds the n bytes at position pos of member and takes the lock. The member does not
// detach the memory while this process has the lock.
func (t *Transport) enter(member int, pos, n uint64, what kind) (target, error) {
	for {
		to, generation, err := t.find(member, pos, n, what)
		if err != nil {
			return to, err
		}
		t.calls.Lock()
		if to.kind != kindRegistered || t.known.isCurrent(generation) {
			return to, nil
		}
		t.calls.Unlock() // this process has forgotten regions meanwhile, perhaps this one
	}
}

// Put implements fabric.Transport.
func (t *Transport) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	var err error
	later := t.defers(peer, done)
	if later {
		err = t.issue(pos, kindCopy, deferredOperation{done: done, member: peer, bytes: n}, func(to target, _ *cell) error {
			return to.win.Put(unsafe.Slice((*byte)(src), n), to.rank, to.disp)
		})
	} else {
		err = t.access(peer, pos, n, kindCopy, func(to target) error {
			return to.win.PutFlush(unsafe.Slice((*byte)(src), n), to.rank, to.disp)
		})
	}
	switch {
	case errors.Is(err, errNoWindow):
		t.cfg.Fallback.Put(peer, pos, src, n, done)
	case err != nil || !later:
		done.Complete(0, fabric.Over(name, err))
	}
}

// Get implements fabric.Transport.
func (t *Transport) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	var err error
	later := t.defers(peer, done)
	if later {
		err = t.issue(pos, kindCopy, deferredOperation{done: done, member: peer, bytes: n}, func(to target, _ *cell) error {
			return to.win.Get(unsafe.Slice((*byte)(dst), n), to.rank, to.disp)
		})
	} else {
		err = t.access(peer, pos, n, kindCopy, func(to target) error {
			return to.win.GetFlush(unsafe.Slice((*byte)(dst), n), to.rank, to.disp)
		})
	}
	switch {
	case errors.Is(err, errNoWindow):
		t.cfg.Fallback.Get(peer, pos, dst, n, done)
	case err != nil || !later:
		done.Complete(0, fabric.Over(name, err))
	}
}

// typeOf returns the type of the integer of an atomic.
func typeOf(a fabric.Atomic) mpi.Type {
	if a.Width == 4 {
		return mpi.Uint32
	}
	return mpi.Uint64
}

// carryOut does an atomic by the operations that networks have: add, swap, and compare and swap.
// The windows are made with the promise (intrinsic) to use no others.
func (t target) carryOut(a fabric.Atomic) (old uint64, err error) {
	kind := typeOf(a)
	switch a.Op {
	case fabric.OpAdd:
		return t.win.FetchAndOpFlush(a.Operand, kind, mpi.Sum, t.rank, t.disp)
	case fabric.OpSwap:
		return t.win.FetchAndOpFlush(a.Operand, kind, mpi.Replace, t.rank, t.disp)
	case fabric.OpCas:
		return t.win.CompareAndSwapFlush(a.Operand, a.Compare, kind, t.rank, t.disp)
	}
	for guess := uint64(0); ; guess = old {
		next := guess
		a.Apply(unsafe.Pointer(&next)) // 4 bytes are the low ones: see calls.c
		if old, err = t.win.CompareAndSwapFlush(next, guess, kind, t.rank, t.disp); err != nil || old == guess {
			return old, err
		}
	}
}

// Atomic implements fabric.Transport. It is atomic with respect to other atomics of this
// transport, also those of the owner. Whether it is with respect to atomic instructions of the
// owner's CPU depends on the MPI.
func (t *Transport) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	if !a.Valid(pos) {
		done.Complete(0, fabric.Over(name, fabric.ErrInvalid))
		return
	}
	var old uint64
	var err error
	later := t.defers(peer, done) && a.Op <= fabric.OpSwap
	if later {
		o := deferredOperation{done: done, member: peer, bytes: uint64(a.Width), width: int(a.Width)}
		err = t.issue(pos, kindAtomic, o, func(to target, c *cell) error {
			if to.disp%int(a.Width) != 0 {
				return fabric.ErrInvalid
			}
			return to.start(a, c)
		})
	} else {
		err = t.access(peer, pos, uint64(a.Width), kindAtomic, func(to target) (err error) {
			if to.disp%int(a.Width) != 0 {
				return fabric.ErrInvalid
			}
			old, err = to.carryOut(a)
			return err
		})
	}
	switch {
	case errors.Is(err, errNoWindow):
		t.cfg.Fallback.Atomic(peer, pos, a, done)
	case err != nil || !later:
		done.Complete(old, fabric.Over(name, err))
	}
}

// Copy implements fabric.Transport. MPI copies between this process and one other only.
func (t *Transport) Copy(_ int, _ uint64, _ int, _, _ uint64, done fabric.Completion) {
	done.Complete(0, fabric.Over(name, fabric.ErrNoPath))
}

var _ fabric.Transport = (*Transport)(nil)
