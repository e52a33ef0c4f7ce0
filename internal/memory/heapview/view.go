package heapview

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// Errors of accesses to a View.
var (
	// ErrBadAddress: an address that is not in the heap of the rank.
	ErrBadAddress = errors.New("no address in the heap")
	// ErrShort: this process has no address space for the memory that the operation would
	// need. The operation has changed nothing; the rank's agent can carry it out.
	ErrShort = heap.ErrShort
	// ErrFull: the heap of the rank has no room.
	ErrFull = heap.ErrFull
)

// View is the heap of one rank in the address space of this process. Its methods may be
// called by several goroutines and processes at once.
type View struct {
	mapped atomic.Pointer[Mapped]
	from   uint64 // position of the heap
	size   uint64 // bytes of the heap
	rank   uint64 // of the owner, where addresses have it
	heap   *heap.Heap
	reach  func(n uint64) Mapped
	over   func() error
	gone   func(member int) bool
}

// Mapped is how much of the heap this process has mapped, from its beginning.
type Mapped struct {
	Base unsafe.Pointer // where position 0 of the rank lies
	Size uint64         // bytes of the heap
}

// Config says what a View is made of.
type Config struct {
	Base unsafe.Pointer // where position 0 of the rank lies in this process
	From uint64         // position of the heap
	Size uint64         // bytes of the heap
	Rank int
	Heap *heap.Heap
	Over func() error // an error when the run is over, otherwise nil

	// Gone reports whether a member has left the run or is lost, while the run goes on. It does not block. nil: no member is.
	Gone func(member int) bool

	// Mapped is how many bytes of the heap are mapped at Base. Reach maps at least n bytes of
	// the heap and returns what is mapped then; the Base is nil if it cannot. If Reach is nil,
	// all of the heap is mapped.
	Mapped uint64
	Reach  func(n uint64) Mapped
}

// New returns the View that cfg describes.
func New(cfg Config) *View {
	v := &View{
		from: cfg.From, size: cfg.Size, reach: cfg.Reach,
		rank: uint64(cfg.Rank) << maptable.RankShift, heap: cfg.Heap, over: cfg.Over, gone: cfg.Gone,
	}
	if cfg.Reach == nil {
		cfg.Mapped = cfg.Size
	}
	v.mapped.Store(&Mapped{Base: cfg.Base, Size: cfg.Mapped})
	return v
}

// Covers reports whether all of the heap that is in use is mapped. If it is not, Covers maps
// it if there is address space.
func (v *View) Covers() bool {
	top := v.heap.Top()
	return top <= v.mapped.Load().Size || v.extend(top) != nil
}

// extend maps n bytes of the heap, if there is address space for them.
func (v *View) extend(n uint64) *Mapped {
	if v.reach == nil {
		return nil
	}
	m := v.reach(n)
	if m.Base == nil {
		return nil
	}
	v.mapped.Store(&m)
	return &m
}

// Over returns an error when the run is over, and otherwise nil. A goroutine that waits for
// another process gives up then.
func (v *View) Over() error { return v.over() }

// Gone reports whether a member has left the run or is lost, while the run goes on. Does not block.
func (v *View) Gone(member int) bool { return v.gone != nil && v.gone(member) }

// Usage returns how many blocks the heap has given out, and their bytes.
func (v *View) Usage() (blocks, bytes uint64, err error) { return v.heap.Usage() }

// Size returns the bytes of the heap.
func (v *View) Size() uint64 { return v.size }

// Alloc returns the address of a new block of n bytes, aligned to 16. Its contents are
// undefined. Fails with heap.ErrFull, and with ErrShort.
func (v *View) Alloc(n uint64) (uint64, error) {
	pos, err := v.heap.Alloc(n)
	if err != nil {
		return 0, err
	}
	if v.locate(v.rank|pos, n) == nil {
		return 0, errors.Join(ErrShort, v.heap.Free(pos))
	}
	return v.rank | pos, nil
}

// AllocZero is Alloc of a block whose contents are zero. A large block takes memory only when
// something is written to it.
func (v *View) AllocZero(n uint64) (uint64, error) {
	ga, err := v.Alloc(n)
	if err != nil || v.heap.Discard(ga-v.rank, n) {
		return ga, err
	}
	b, err := v.Bytes(ga, n)
	clear(b)
	return ga, err
}

// Free frees a block. Fails with heap.ErrNotAllocated.
func (v *View) Free(ga uint64) error {
	if !v.Holds(ga) {
		return fmt.Errorf("%w: address %#x is not of rank %d", heap.ErrNotAllocated, ga, v.rank>>maptable.RankShift)
	}
	return v.heap.Free(ga - v.rank)
}

// Holds reports whether ga is an address of the rank whose heap this is.
func (v *View) Holds(ga uint64) bool { return (ga^v.rank)>>maptable.RankShift == 0 }

// locate returns where the n bytes at ga lie, or nil.
func (v *View) locate(ga, n uint64) unsafe.Pointer {
	// An address of another rank is far beyond the heap, or wraps to there.
	off := ga - v.rank - v.from
	m := v.mapped.Load()
	if off > m.Size || n > m.Size-off {
		return v.farther(off, n)
	}
	return unsafe.Add(m.Base, v.from+off)
}

// farther is locate for bytes that are not mapped yet.
func (v *View) farther(off, n uint64) unsafe.Pointer {
	if off > v.size || n > v.size-off {
		return nil
	}
	if m := v.extend(off + n); m != nil {
		return unsafe.Add(m.Base, v.from+off)
	}
	return nil
}

// Bytes returns the n bytes at ga. Fails with ErrBadAddress.
func (v *View) Bytes(ga, n uint64) ([]byte, error) {
	p := v.locate(ga, n)
	if p == nil {
		return nil, fmt.Errorf("%w of rank %d: %d bytes at %#x", ErrBadAddress, v.rank>>maptable.RankShift, n, ga)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// At returns the T at ga, a type of 8-byte words. Fails with ErrBadAddress, also if ga
// is no multiple of 8.
func At[T any](v *View, ga uint64) (*T, error) {
	p := v.locate(ga, uint64(unsafe.Sizeof(*new(T))))
	if p == nil || ga%8 != 0 {
		return nil, fmt.Errorf("%w of rank %d: %#x", ErrBadAddress, v.rank>>maptable.RankShift, ga)
	}
	return (*T)(p), nil
}
