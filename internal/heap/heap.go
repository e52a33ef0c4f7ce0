package heap

import (
	"errors"
	"fmt"
	"math/bits"
	"unsafe"
)

// Errors of Alloc and Free.
var (
	// ErrFull: the heap has no room for the block.
	ErrFull = errors.New("heap full")
	// ErrNotAllocated: the position is not that of a block in use.
	ErrNotAllocated = errors.New("not an allocated block")
)

// Heap gives out blocks of one rank's heap. Its methods may be called by several
// goroutines and by several processes at once.
type Heap struct {
	books *books
	spans []span
	base  uint64                    // position of the first span
	over  func() error              // why waiting is in vain, or nil
	purge func(off, n uint64) error // gives the pages of free memory back
}

// Config says where a heap lies.
type Config struct {
	Books unsafe.Pointer // BooksSize(Size) bytes, zero at first
	Base  uint64         // position of the first byte, a multiple of Unit
	Size  uint64         // bytes, a multiple of Unit

	// Over returns an error when the run is over, so that waiting for another
	// process is in vain.
	Over func() error

	// Purge gives the pages of n bytes from the off-th byte of the heap on back to
	// the system. It is called for multiples of Unit.
	Purge func(off, n uint64) error
}

// Open returns the heap that cfg describes.
func Open(cfg Config) *Heap {
	return &Heap{
		books: (*books)(cfg.Books),
		spans: unsafe.Slice((*span)(unsafe.Add(cfg.Books, unsafe.Sizeof(books{}))), cfg.Size>>spanShift),
		base:  cfg.Base, over: cfg.Over, purge: cfg.Purge,
	}
}

// span returns the span with the given number, counted from 1.
func (h *Heap) span(n uint32) *span { return &h.spans[n-1] }

// Usage returns the number of blocks in use and their bytes, as rounded up. It may
// wait for another process.
func (h *Heap) Usage() (blocks, bytes uint64, err error) {
	if err := h.books.lock.acquire(h.over); err != nil {
		return 0, 0, err
	}
	defer h.books.lock.release()
	return h.books.blocks, h.books.bytes, nil
}

// Alloc returns the position of a new block of at least n bytes, aligned to 16. A
// block of 0 bytes is one of the smallest. Its contents are undefined. Fails with
// ErrFull. It may wait for another process.
func (h *Heap) Alloc(n uint64) (uint64, error) {
	if n > uint64(len(h.spans))<<spanShift {
		return 0, ErrFull
	}
	if err := h.books.lock.acquire(h.over); err != nil {
		return 0, err
	}
	defer h.books.lock.release()
	if n > largeSize {
		return h.allocLarge(uint32((n + spanSize - 1) >> spanShift))
	}
	return h.allocSmall(classOf(max(n, 1)))
}

func (h *Heap) allocSmall(class int) (uint64, error) {
	n := h.books.open[class]
	if n == 0 {
		var err error
		if n, err = h.needRun(1); err != nil {
			return 0, err
		}
		h.span(n).become(spanSmall, uint32(class), 1)
		h.push(&h.books.open[class], n)
	}
	s := h.span(n)
	i := s.take(classBlocks(class))
	if int(s.used) == classBlocks(class) {
		h.unlink(&h.books.open[class], n)
	}
	size := classSize(class)
	h.count(1, size)
	return h.position(n) + uint64(i)*size, nil
}

// take marks a free block of the span and returns its number. There is one.
func (s *span) take(blocks int) int {
	for w := s.hint; ; w++ {
		if free := ^s.inUse[w]; free != 0 {
			bit := bits.TrailingZeros64(free)
			s.inUse[w] |= 1 << bit
			s.hint = w
			s.used++
			if i := int(w)*64 + bit; i < blocks {
				return i
			}
			panic("heap: a span with free blocks has none")
		}
	}
}

func (h *Heap) allocLarge(length uint32) (uint64, error) {
	n, err := h.needRun(length)
	if err != nil {
		return 0, err
	}
	h.span(n).become(spanLarge, 0, length)
	h.count(1, uint64(length)<<spanShift)
	return h.position(n), nil
}

// Free gives the block at position pos back. Fails with ErrNotAllocated, and then the
// heap is as it was. It may wait for another process.
func (h *Heap) Free(pos uint64) error {
	off := pos - h.base
	if pos < h.base || off>>spanShift >= uint64(len(h.spans)) {
		return fmt.Errorf("%w: position %#x is outside the heap", ErrNotAllocated, pos)
	}
	if err := h.books.lock.acquire(h.over); err != nil {
		return err
	}
	defer h.books.lock.release()
	n := uint32(off>>spanShift) + 1
	switch s := h.span(n); {
	case s.kind == spanSmall:
		return h.freeSmall(n, off&(spanSize-1), pos)
	case s.kind == spanLarge && off&(spanSize-1) == 0:
		return h.freeLarge(n)
	}
	return fmt.Errorf("%w: position %#x", ErrNotAllocated, pos)
}

func (h *Heap) freeSmall(n uint32, off, pos uint64) error {
	s := h.span(n)
	size := classSize(int(s.class))
	i := off / size
	word, mask := uint32(i/64), uint64(1)<<(i%64)
	if off%size != 0 || i >= uint64(classBlocks(int(s.class))) || s.inUse[word]&mask == 0 {
		return fmt.Errorf("%w: position %#x", ErrNotAllocated, pos)
	}
	s.inUse[word] &^= mask
	s.hint = min(s.hint, word)
	if int(s.used) == classBlocks(int(s.class)) {
		h.push(&h.books.open[s.class], n)
	}
	s.used--
	h.uncount(size)
	if s.used == 0 && !h.only(n) {
		h.unlink(&h.books.open[s.class], n)
		h.giveRun(n, 1)
	}
	return nil
}

func (h *Heap) freeLarge(n uint32) error {
	s := h.span(n)
	length := s.length
	h.uncount(uint64(length) << spanShift)
	// Under the lock, so that nobody is given these pages before they are gone.
	err := h.purge(uint64(n-1)<<spanShift, uint64(length)<<spanShift)
	h.giveRun(n, length)
	return err
}

func (h *Heap) position(n uint32) uint64 { return h.base + uint64(n-1)<<spanShift }

func (h *Heap) count(blocks, bytes uint64) {
	h.books.blocks += blocks
	h.books.bytes += bytes
}

func (h *Heap) uncount(bytes uint64) {
	h.books.blocks--
	h.books.bytes -= bytes
}
