package heap

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Errors of Alloc and Free.
var (
	// ErrFull: the heap has no room for the block.
	ErrFull = errors.New("heap full")
	// ErrLimit: the heap has room for the block, but a memory limit leaves no memory for it.
	// It is an ErrFull.
	ErrLimit = fmt.Errorf("%w: a memory limit (cgroup) leaves too little", ErrFull)
	// ErrShort: this process has no address space for the part of the heap that the call needs.
	// Nothing has changed.
	ErrShort = errors.New("no address space for the heap of another rank")
	// ErrNotAllocated: the position is not that of a block in use.
	ErrNotAllocated = errors.New("not an allocated block")
	// ErrDamaged: the metadata contradicts itself. A process of the run has written to
	// them.
	ErrDamaged = errors.New("damaged heap")
)

// Heap gives out blocks of one rank's heap. Its methods may be called by several
// goroutines and by several processes at once.
type Heap struct {
	metadata  *metadata
	spans     atomic.Pointer[[]span] // those that are mapped
	total     uint64                 // number of all spans
	reach     func(n uint64) (metadata unsafe.Pointer, mapped uint64)
	base      uint64                    // position of the first span
	over      func() error              // the error if the run is over, or nil
	purge     func(off, n uint64) error // gives the pages of free memory back; may be nil
	available *Available                // nil if this process may touch all of the heap
}

// Config says where a heap lies.
type Config struct {
	Metadata unsafe.Pointer // MetadataSize(Size) bytes, zero at first
	Base     uint64         // position of the first byte, a multiple of Unit
	Size     uint64         // bytes, a multiple of Unit

	// Mapped is the bytes of the heap about which metadata is mapped. Reach maps metadata about
	// n bytes at least and returns where they are, and about how many; nil if it cannot.
	// Both are for heaps of other processes: without Reach, all metadata is mapped.
	Mapped uint64
	Reach  func(n uint64) (metadata unsafe.Pointer, mapped uint64)

	// Over returns an error when the run is over: the lock may then never be released.
	Over func() error

	// Purge gives the pages of n bytes from the off-th byte of the heap on back to
	// the system. It is called for multiples of Unit. Without Purge, free memory keeps its
	// pages.
	Purge func(off, n uint64) error

	// Available has how much memory is left for the heap; nil if this process has no memory limit.
	Available *Available
}

// Open returns the heap that cfg describes.
func Open(cfg Config) *Heap {
	h := &Heap{
		metadata: (*metadata)(cfg.Metadata), total: cfg.Size >> spanShift, reach: cfg.Reach,
		base: cfg.Base, over: cfg.Over, purge: cfg.Purge, available: cfg.Available,
	}
	if cfg.Reach == nil {
		cfg.Mapped = cfg.Size
	}
	h.use(cfg.Metadata, cfg.Mapped)
	return h
}

// use makes the heap use the mapping of the metadata at at, which is about n bytes.
func (h *Heap) use(at unsafe.Pointer, n uint64) {
	spans := unsafe.Slice((*span)(unsafe.Add(at, unsafe.Sizeof(metadata{}))), n>>spanShift)
	h.spans.Store(&spans)
}

// Top returns the number of bytes from the beginning of the heap to the end of the highest span
// that was ever used.
func (h *Heap) Top() uint64 {
	return min(uint64(atomic.LoadUint32(&h.metadata.top)), h.total) << spanShift
}

// cover maps the metadata about the spans in use and length more, if there are as many.
func (h *Heap) cover(length uint64) error {
	need := min(h.Top()>>spanShift+length, h.total)
	if need <= uint64(len(*h.spans.Load())) {
		return nil
	}
	at, mapped := h.reach(need << spanShift)
	if at == nil {
		return ErrShort
	}
	h.use(at, mapped)
	return nil
}

// span returns the span with the given number, counted from 1. Fails with ErrDamaged if
// there is none.
//
// All processes of the host can write to the metadata. So each value is read once, checked, and then
// used.
func (h *Heap) span(n uint32) (*span, error) {
	spans := *h.spans.Load()
	if uint64(n)-1 >= uint64(len(spans)) {
		return nil, fmt.Errorf("%w: span %d of %d", ErrDamaged, n, h.total)
	}
	return &spans[n-1], nil
}

// run returns the first span of a run or block of length spans from n on, which must lie in
// the heap.
func (h *Heap) run(n, length uint32) (*span, error) {
	if length == 0 || uint64(n)-1+uint64(length) > h.total {
		return nil, fmt.Errorf("%w: %d spans from span %d on, of %d", ErrDamaged, length, n, h.total)
	}
	return h.span(n)
}

// Usage returns the number of blocks in use and their bytes, as rounded up. It may
// wait for another process.
func (h *Heap) Usage() (blocks, bytes uint64, err error) {
	if err := h.metadata.lock.Lock(h.over); err != nil {
		return 0, 0, err
	}
	defer h.metadata.lock.Unlock()
	return h.metadata.blocks, h.metadata.bytes, nil
}

// Alloc returns the position of a new block of at least n bytes, aligned to 16. A
// block of 0 bytes is one of the smallest. Its contents are undefined. Fails with
// ErrFull, and with ErrLimit. It may wait for another process.
func (h *Heap) Alloc(n uint64) (uint64, error) {
	if n > h.total<<spanShift {
		return 0, ErrFull
	}
	for {
		pos, err := h.alloc(n)
		if err != errUngranted {
			return pos, err
		}
		if err := h.grant(max(1, uint32((n+spanSize-1)>>spanShift))); err != nil {
			return 0, err
		}
	}
}

// alloc is Alloc within the granted spans. It fails with errUngranted if it needs more.
func (h *Heap) alloc(n uint64) (uint64, error) {
	if err := h.metadata.lock.Lock(h.over); err != nil {
		return 0, err
	}
	defer h.metadata.lock.Unlock()
	if err := h.cover((n + spanSize - 1) >> spanShift); err != nil {
		return 0, err
	}
	if n > largeSize {
		return h.allocLarge(uint32((n + spanSize - 1) >> spanShift))
	}
	return h.allocSmall(classOf(max(n, 1)))
}

func (h *Heap) allocSmall(class int) (uint64, error) {
	n := h.metadata.open[class]
	if n == 0 {
		var err error
		if n, err = h.newSmall(class); err != nil {
			return 0, err
		}
	}
	s, err := h.span(n)
	if err != nil {
		return 0, err
	}
	if s.kind != spanSmall || s.class != uint32(class) {
		return 0, fmt.Errorf("%w: span %d has no blocks of %d bytes", ErrDamaged, n, classSize(class))
	}
	i, full, err := s.take(classBlocks(class))
	if err != nil {
		return 0, fmt.Errorf("%w: span %d", err, n)
	}
	if full {
		if err := h.unlink(&h.metadata.open[class], n); err != nil {
			return 0, err
		}
	}
	size := classSize(class)
	h.count(1, size)
	return h.position(n) + uint64(i)*size, nil
}

// newSmall makes a span of a class, whose list is empty.
func (h *Heap) newSmall(class int) (uint32, error) {
	n, err := h.needRun(1)
	if err != nil {
		return 0, err
	}
	s, err := h.span(n)
	if err != nil {
		return 0, err
	}
	s.become(spanSmall, uint32(class), 1)
	return n, h.push(&h.metadata.open[class], n)
}

// take marks a free block of the span and returns its number, and whether it was the last.
// Fails with ErrDamaged if there is none.
func (s *span) take(blocks int) (block int, full bool, err error) {
	for w := s.hint; w < uint32(len(s.inUse)); w++ {
		free := ^s.inUse[w]
		if free == 0 {
			continue
		}
		bit := bits.TrailingZeros64(free)
		if block = int(w)*64 + bit; block >= blocks {
			break
		}
		s.inUse[w] |= 1 << bit
		s.hint = w
		s.used++
		return block, int(s.used) == blocks, nil
	}
	return 0, false, fmt.Errorf("%w: a span that is listed as having a free block has none", ErrDamaged)
}

func (h *Heap) allocLarge(length uint32) (uint64, error) {
	n, err := h.needRun(length)
	if err != nil {
		return 0, err
	}
	s, err := h.run(n, length)
	if err != nil {
		return 0, err
	}
	s.become(spanLarge, 0, length)
	h.count(1, uint64(length)<<spanShift)
	return h.position(n), nil
}

// Free frees the block at position pos. Fails with ErrNotAllocated, and then the heap is as it
// was. It may wait for another process.
func (h *Heap) Free(pos uint64) error {
	off := pos - h.base
	if pos < h.base || off>>spanShift >= h.total {
		return fmt.Errorf("%w: position %#x is outside the heap", ErrNotAllocated, pos)
	}
	if err := h.metadata.lock.Lock(h.over); err != nil {
		return err
	}
	defer h.metadata.lock.Unlock()
	if off >= h.Top() {
		return fmt.Errorf("%w: position %#x", ErrNotAllocated, pos)
	}
	if err := h.cover(0); err != nil {
		return err
	}
	n := uint32(off>>spanShift) + 1
	s, err := h.span(n)
	if err != nil {
		return err
	}
	switch kind := s.kind; {
	case kind == spanSmall:
		return h.freeSmall(s, n, off&(spanSize-1), pos)
	case kind == spanLarge && off&(spanSize-1) == 0:
		return h.freeLarge(s, n)
	}
	return fmt.Errorf("%w: position %#x", ErrNotAllocated, pos)
}

func (h *Heap) freeSmall(s *span, n uint32, off, pos uint64) error {
	class := int(s.class)
	if class >= classCount {
		return fmt.Errorf("%w: span %d has blocks of class %d", ErrDamaged, n, class)
	}
	size := classSize(class)
	i := off / size
	word, mask := uint32(i/64), uint64(1)<<(i%64)
	if off%size != 0 || i >= uint64(classBlocks(class)) || s.inUse[word]&mask == 0 {
		return fmt.Errorf("%w: position %#x", ErrNotAllocated, pos)
	}
	used := s.used
	if used == 0 || int(used) > classBlocks(class) {
		return fmt.Errorf("%w: span %d counts %d blocks of %d bytes", ErrDamaged, n, used, size)
	}
	s.inUse[word] &^= mask
	s.hint = min(s.hint, word)
	if int(used) == classBlocks(class) {
		if err := h.push(&h.metadata.open[class], n); err != nil {
			return err
		}
	}
	s.used = used - 1
	h.uncount(size)
	if used == 1 && !s.only() {
		if err := h.unlink(&h.metadata.open[class], n); err != nil {
			return err
		}
		return h.giveSmall(n)
	}
	return nil
}

func (h *Heap) freeLarge(s *span, n uint32) error {
	length := s.length
	if _, err := h.run(n, length); err != nil {
		return err
	}
	// Under the lock, so that no other process gets these pages before they are gone.
	var err error
	if h.purge != nil {
		err = h.purge(uint64(n-1)<<spanShift, uint64(length)<<spanShift)
	}
	if errors.Is(err, ErrShort) {
		return err
	}
	h.uncount(uint64(length) << spanShift)
	h.ungrant(length, false)
	return errors.Join(err, h.giveRun(n, length))
}

// Discard makes a block of n bytes zero by giving its pages back to the system. It reports false if
// the block shares its pages with others, or if the system does not take them: then the block is as
// it was. The caller has allocated the block.
func (h *Heap) Discard(pos, n uint64) bool {
	if n <= largeSize || h.purge == nil {
		return false
	}
	return h.purge(pos-h.base, (n+spanSize-1)&^(spanSize-1)) == nil
}

func (h *Heap) position(n uint32) uint64 { return h.base + uint64(n-1)<<spanShift }

func (h *Heap) count(blocks, bytes uint64) {
	h.metadata.blocks += blocks
	h.metadata.bytes += bytes
}

func (h *Heap) uncount(bytes uint64) {
	h.metadata.blocks--
	h.metadata.bytes -= bytes
}
