package site

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/heap"
)

// Errors of operations. They keep their identity on the way from the agent that
// carried the operation out to its caller.
var (
	// ErrBadAddress: an address that is not in the heap of the rank.
	ErrBadAddress = errors.New("no address in the heap")
	// ErrElsewhere: the operation needs memory that this process does not reach by loads
	// and stores. It has changed nothing.
	ErrElsewhere = errors.New("memory on another host")
	// ErrShort: this process has no address space for the memory that the operation would
	// need. The operation has changed nothing; the rank's agent can carry it out.
	ErrShort = heap.ErrShort
	// ErrFull: the heap of the rank has no room.
	ErrFull = heap.ErrFull
	// ErrBadIterator: a place that is nowhere, or not in the structure.
	ErrBadIterator = errors.New("bad iterator")
	// ErrBadCall: the message is none that this version of the library sends.
	ErrBadCall = errors.New("malformed call")
	// ErrGone: what the operation is on is not there, or not any more.
	ErrGone = errors.New("no such structure")
)

// Site is the heap of one rank in the address space of this process. Its methods may be
// called by several goroutines and processes at once.
type Site struct {
	mapped atomic.Pointer[Mapped]
	from   uint64 // position of the heap
	size   uint64 // bytes of the heap
	rank   uint64 // of the owner, where addresses have it
	heap   *heap.Heap
	reach  func(n uint64) Mapped
	over   func() error
}

// Mapped is how much of the heap this process has mapped, from its beginning.
type Mapped struct {
	Base unsafe.Pointer // where position 0 of the rank lies
	Size uint64         // bytes of the heap
}

// Config says what a Site is made of.
type Config struct {
	Base unsafe.Pointer // where position 0 of the rank lies in this process
	From uint64         // position of the heap
	Size uint64         // bytes of the heap
	Rank int
	Heap *heap.Heap
	Over func() error // an error when the run is over, otherwise nil

	// Mapped is the bytes of the heap that are mapped at Base, and Reach maps n bytes at
	// least and returns what is mapped then; no Base if it cannot. Without Reach,
	// everything is mapped.
	Mapped uint64
	Reach  func(n uint64) Mapped
}

// New returns the site that cfg describes.
func New(cfg Config) *Site {
	s := &Site{
		from: cfg.From, size: cfg.Size, reach: cfg.Reach,
		rank: uint64(cfg.Rank) << direct.RankShift, heap: cfg.Heap, over: cfg.Over,
	}
	if cfg.Reach == nil {
		cfg.Mapped = cfg.Size
	}
	s.mapped.Store(&Mapped{Base: cfg.Base, Size: cfg.Mapped})
	return s
}

// Covers reports whether all of the heap that is in use is mapped, which it becomes if
// there is address space for it.
func (s *Site) Covers() bool {
	top := s.heap.Top()
	return top <= s.mapped.Load().Size || s.extend(top) != nil
}

// extend maps n bytes of the heap, if there is address space for them.
func (s *Site) extend(n uint64) *Mapped {
	if s.reach == nil {
		return nil
	}
	m := s.reach(n)
	if m.Base == nil {
		return nil
	}
	s.mapped.Store(&m)
	return &m
}

// Over returns an error when the run is over, so that waiting for another process is in
// vain.
func (s *Site) Over() error { return s.over() }

// Size returns the bytes of the heap.
func (s *Site) Size() uint64 { return s.size }

// Alloc returns the address of a new block of n bytes, aligned to 16. Its contents are
// undefined. Fails with heap.ErrFull, and with ErrShort.
func (s *Site) Alloc(n uint64) (uint64, error) {
	pos, err := s.heap.Alloc(n)
	if err != nil {
		return 0, err
	}
	if s.locate(s.rank|pos, n) == nil {
		return 0, errors.Join(ErrShort, s.heap.Free(pos))
	}
	return s.rank | pos, nil
}

// Free gives a block back. Fails with heap.ErrNotAllocated.
func (s *Site) Free(ga uint64) error {
	if !s.Holds(ga) {
		return fmt.Errorf("%w: address %#x is not of rank %d", heap.ErrNotAllocated, ga, s.rank>>direct.RankShift)
	}
	return s.heap.Free(ga - s.rank)
}

// Holds reports whether ga is an address of the rank whose heap this is.
func (s *Site) Holds(ga uint64) bool { return (ga^s.rank)>>direct.RankShift == 0 }

// locate returns where the n bytes at ga lie, or nil.
func (s *Site) locate(ga, n uint64) unsafe.Pointer {
	// An address of another rank is far beyond the heap, or wraps to there.
	off := ga - s.rank - s.from
	m := s.mapped.Load()
	if off > m.Size || n > m.Size-off {
		return s.farther(off, n)
	}
	return unsafe.Add(m.Base, s.from+off)
}

// farther is locate for what is not mapped.
func (s *Site) farther(off, n uint64) unsafe.Pointer {
	if off > s.size || n > s.size-off {
		return nil
	}
	if m := s.extend(off + n); m != nil {
		return unsafe.Add(m.Base, s.from+off)
	}
	return nil
}

// Bytes returns the n bytes at ga. Fails with ErrBadAddress.
func (s *Site) Bytes(ga, n uint64) ([]byte, error) {
	p := s.locate(ga, n)
	if p == nil {
		return nil, fmt.Errorf("%w of rank %d: %d bytes at %#x", ErrBadAddress, s.rank>>direct.RankShift, n, ga)
	}
	return unsafe.Slice((*byte)(p), n), nil
}

// At returns the T at ga, a type of 8-byte words. Fails with ErrBadAddress, also if ga
// is no multiple of 8.
func At[T any](s *Site, ga uint64) (*T, error) {
	p := s.locate(ga, uint64(unsafe.Sizeof(*new(T))))
	if p == nil || ga%8 != 0 {
		return nil, fmt.Errorf("%w of rank %d: %#x", ErrBadAddress, s.rank>>direct.RankShift, ga)
	}
	return (*T)(p), nil
}
