package segment

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"golang.org/x/sys/unix"
)

// Run identifies the run a space belongs to, so that a peer never takes the
// memory of an unrelated process for it.
type Run = activity.Run

// Space is the published memory of this process. Its methods may be called by
// several goroutines at once.
type Space struct {
	fd     int // -1 if the caller of NewIn has made the memory
	mem    []byte
	layout Layout
	remove bool  // pages can be given back by madvise
	pool   *Pool // nil if there is none

	table    *table
	regs     registry
	draining sync.Mutex
}

// New makes the memory of member, zero filled, in the member's slot if that is free. It costs
// address space for the whole and memory for what is touched.
func New(run Run, member int, layout Layout, slot Slot) (*Space, error) {
	if err := layout.Check(); err != nil {
		return nil, err
	}
	size := layout.MapSize()
	fd, err := newMemory(member, size)
	if err != nil {
		return nil, err
	}
	mem, err := mapIn(slot, fd, size)
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	if layout.large() {
		leaveOut(mem[layout.HeapOffset():])
	}
	s := &Space{fd: fd, mem: mem, layout: layout, remove: removes()}
	s.init(run, member)
	return s, nil
}

// mapIn maps size bytes of a descriptor in a slot, or where there is room.
func mapIn(slot Slot, fd int, size uint64) ([]byte, error) {
	if at := slot.address(size); at != 0 {
		if mem, err := mapShared(fd, 0, size, at); err == nil {
			return mem, nil
		}
	}
	return mapShared(fd, 0, size, 0)
}

// NewIn is New in memory that the caller has made, with as many bytes as
// layout.MapSize says and aligned to a page. Peers cannot map it. It belongs to the
// caller and stays until after Close. The contents of the heap stay.
func NewIn(mem []byte, run Run, member int, layout Layout) (*Space, error) {
	if err := layout.Check(); err != nil {
		return nil, err
	}
	if uint64(len(mem)) < layout.MapSize() || uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%PageSize != 0 {
		return nil, fmt.Errorf("%d bytes of memory, of which %d are needed at a multiple of %d", len(mem), layout.MapSize(), PageSize)
	}
	s := &Space{fd: -1, mem: mem, layout: layout}
	from := layout.HeapOffset()
	s.remove = layout.Heap > 0 && removes() && unix.Madvise(mem[from:from+heap.Unit], unix.MADV_REMOVE) == nil
	clear(mem[:PageSize])
	s.clearOwn()
	clear(mem[layout.TableOffset():][:unsafe.Sizeof(tableHeader{})])
	s.init(run, member)
	return s, nil
}

// clearOwn clears starter memory and the metadata of the heap.
func (s *Space) clearOwn() {
	clear(s.Starter())
	clear(s.mem[s.layout.MetadataOffset():s.layout.TableOffset()])
}

func (s *Space) init(run Run, member int) {
	layout := s.layout
	s.table = tableAt(unsafe.Add(s.base(), layout.TableOffset()), maxLeaves)
	s.regs = newRegistry(s.table, s.Position)
	h := s.header()
	h.version, h.member, h.run = headerVersion, uint32(member), run
	h.self, h.layout = uint64(uintptr(s.base())), layout
	h.magic = headerMagic
}

func (s *Space) base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s.mem)) }
func (s *Space) header() *header      { return (*header)(s.base()) }

// FD returns the descriptor of the memory in this process, or -1 if there is none.
// Peers open it through /proc.
func (s *Space) FD() int { return s.fd }

// Base returns the address at which position 0 lies in this process.
func (s *Space) Base() unsafe.Pointer { return s.base() }

// Memory returns all of the memory. Its indices are positions. Fabrics use it that publish
// the memory as a whole.
func (s *Space) Memory() []byte { return s.mem }

// Layout returns the sizes of the parts.
func (s *Space) Layout() Layout { return s.layout }

// Heap returns the heap of this process. over returns an error when the run is over, so that
// waiting ends, and otherwise nil.
func (s *Space) Heap(over func() error) *heap.Heap {
	return heapOf(s, "self", s.remove, over)
}

// Starter returns the starter memory.
func (s *Space) Starter() []byte {
	return s.mem[StarterOffset : StarterOffset+s.layout.Starter : StarterOffset+s.layout.Starter]
}

// Barrier returns the barrier words that the members of a host share in the space of the
// lowest of them.
func (s *Space) Barrier() *Barrier { return barrierOf(s.header()) }

// Awake returns the word in which members that share processors count those of them that are awake.
// It is in the space of the lowest of them.
func (s *Space) Awake() *uint32 { return &s.header().awake }

// Mailbox returns the box in which members of this host post small requests.
func (s *Space) Mailbox() *mailbox.Box { return &s.header().mail }

// Regions returns the table of registered memory, which begins with tableHeader. C
// reads it by the rules of table.lookup.
func (s *Space) Regions() unsafe.Pointer { return unsafe.Pointer(s.table.head) }

// Resolve implements fabric.Memory.
func (s *Space) Resolve(pos, n uint64) (unsafe.Pointer, error) {
	if pos < UserBase {
		if s.layout.Contains(pos, n) {
			return unsafe.Add(s.base(), pos), nil
		}
		return nil, &fabric.RangeError{Pos: pos, Size: n}
	}
	addr, ok := s.table.lookup(pos, n)
	if !ok {
		return nil, &fabric.RangeError{Pos: pos, Size: n}
	}
	return pointer(addr), nil
}

// Region returns the published region that has position pos, or that ends there: its first position, its
// bytes and their address. Does not block.
func (s *Space) Region(pos uint64) (first, size, addr uint64, ok bool) {
	e, ok := s.table.region(pos)
	return e.pos, e.size, e.addr, ok && pos-e.pos <= e.size
}

// Register announces size bytes at addr, bound to color, and returns the key of
// the region they now belong to. It counts one registration of that key.
func (s *Space) Register(addr uintptr, size uint64, color int) (Key, error) {
	return s.regs.register(addr, size, color)
}

// Lend publishes size bytes at addr for a short time, until Unregister, and returns the
// position of the first of them. size is not 0.
func (s *Space) Lend(addr uintptr, size uint64) (key Key, pos uint64, err error) {
	return s.regs.lend(addr, size)
}

// Position returns where the n bytes at addr lie in starter memory or in the heap, or
// false if they do not.
func (s *Space) Position(addr uintptr, n uint64) (uint64, bool) {
	pos := uint64(addr) - uint64(uintptr(s.base()))
	return pos, s.layout.Contains(pos, n)
}

// Unregister takes back one registration of key. With the last one the region is
// no longer accessible, and last is true; accesses that began before may be under way.
func (s *Space) Unregister(key Key) (last bool, err error) {
	_, last, err = s.regs.unregister(key)
	return last, err
}

// Withdraw is Unregister that also returns the memory that is not published any more. Drain
// then waits for the accesses under way.
func (s *Space) Withdraw(key Key) (gone Withdrawn, last bool, err error) {
	return s.regs.unregister(key)
}

// WithdrawAll takes back all registrations and returns the memory that is not published any
// more.
func (s *Space) WithdrawAll() Withdrawn { return s.regs.reset() }

// Enter counts the caller among the users of registered memory. From then on the caller may
// Resolve such memory and use it, until it calls Leave with the result of Enter. Does not
// block.
func (s *Space) Enter() uint32 { return s.table.enter() }

// Leave ends what Enter began.
func (s *Space) Leave(epoch uint32) { s.table.leave(epoch) }

// Drain waits until memory that was withdrawn before the call has no users any more, in this
// process and in others on the host. It calls over from time to time, and fails with its error
// if that is not nil.
func (s *Space) Drain(over func() error) error {
	s.draining.Lock()
	defer s.draining.Unlock()
	return s.table.drain(over)
}

// Observer learns which registered memory peers may reach. It is called with a lock
// held that registration needs.
type Observer interface {
	Published(pos, size uint64, addr uintptr) // a region was translated for the first time
	Withdrawn(pos uint64)                     // the region published at pos is gone
}

// Observe makes o the observer, before the first registration.
func (s *Space) Observe(o Observer) { s.regs.observer = o }

// Translate returns the position of addr in the region of key and publishes the
// region if this is its first translation.
func (s *Space) Translate(key Key, addr uintptr) (uint64, error) {
	return s.regs.translate(key, addr)
}

// Foreign implements fabric.Memory.
func (s *Space) Foreign(pos uint64) bool { return pos >= UserBase }

// Reset takes back all registrations, throws announcements away, fills the starter memory with
// zeros and empties the heap.
func (s *Space) Reset() error {
	s.regs.reset()
	s.Notifier().TakeQueue()
	clearing := s.mem[StarterOffset:s.layout.TableOffset()]
	if s.fd < 0 {
		s.clearOwn()
		return nil
	}
	// Punching a hole gives the pages back to the kernel. If the kernel refuses that, clear
	// writes zeros.
	if err := unix.Fallocate(s.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, StarterOffset, int64(len(clearing))); err != nil {
		if !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("clearing starter memory and heap: %w", err)
		}
		clear(clearing)
	}
	return nil
}

// Extent returns what is mapped: everything.
func (s *Space) Extent() *Extent {
	return &Extent{Base: s.base(), Metadata: unsafe.Add(s.base(), s.layout.MetadataOffset()), Heap: s.layout.Heap, Pool: s.poolExtent()}
}

// Reach returns Extent if so many bytes of the heap are mapped, otherwise nil.
func (s *Space) Reach(n uint64) *Extent {
	if n > s.layout.Heap {
		return nil
	}
	return s.Extent()
}

// Memory is that of a member as one process has mapped it: a Space or a View.
type Memory interface {
	Layout() Layout
	Extent() *Extent
	Reach(n uint64) *Extent
	Heap(over func() error) *heap.Heap
}

// heapOf returns the heap in the mapped memory of a member, whose directory in /proc is
// owner. remove says that pages can be given back.
func heapOf(m Memory, owner string, remove bool, over func() error) *heap.Heap {
	l, x := m.Layout(), m.Extent()
	cfg := heap.Config{
		Metadata: x.Metadata, Mapped: x.Heap, Base: l.HeapOffset(), Size: l.Heap, Over: over, Available: availableOf(m, owner),
		Reach: func(n uint64) (unsafe.Pointer, uint64) {
			x := m.Reach(n)
			if x == nil {
				return nil, 0
			}
			return x.Metadata, x.Heap
		},
	}
	if remove {
		cfg.Purge = func(off, n uint64) error {
			x := m.Reach(off + n)
			if x == nil {
				return heap.ErrShort
			}
			return unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(x.Base, l.HeapOffset()+off)), n), unix.MADV_REMOVE)
		}
	}
	return heap.Open(cfg)
}

// Close unmaps the memory. Peers that have mapped it keep theirs.
func (s *Space) Close() error {
	err := s.closePool()
	if s.fd < 0 {
		return err
	}
	return errors.Join(err, unmap(s.mem), unix.Close(s.fd))
}

// pointer turns an address that came out of a table into a pointer. The address
// is one of C memory, of a mapping or of pinned Go memory, which does not move.
func pointer(addr uint64) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}
