package mutex

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/world"
	"golang.org/x/sys/unix"
)

// Set is a set of mutexes, of which each member of a group holds some. Several goroutines may call
// its methods at once, except Destroy.
type Set struct {
	of      *Mutexes
	group   memory.Members
	entries []entry // by process; outside the Go heap, since C reads them

	mu   sync.Mutex
	held map[far]*node // that this process has, of those that it has not mapped
}

// far is a mutex that this process has not mapped.
type far struct{ proc, index int }

// contributionBytes is the length of the message of each member: the number of mutexes or the reason why it
// has none, and their address.
const contributionBytes = 4 + 8

// Create makes a set, of which this process holds count mutexes, together with all members of a
// group. Collective. Blocks until all members have called it. Fails on all members with the reason
// of a member on which it fails: world.ErrMemory, or world.ErrCount.
func (m *Mutexes) Create(group memory.Members, count int) (*Set, error) {
	s := &Set{of: m, group: group, held: make(map[far]*node)}
	addr, failed := m.allocate(count)
	failed = cmp.Or(failed, s.makeEntries(m.cfg.World.Procs()))
	n := int32(count)
	if failed != nil {
		n = int32(world.Code(failed))
	}
	own := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, uint32(n)), uint64(addr))
	all, err := group.Exchange(own)
	if err != nil {
		return nil, err
	}
	for rank, proc := range group.Procs() {
		blob := all[rank*contributionBytes:]
		n := int32(binary.LittleEndian.Uint32(blob))
		if n < 0 && failed == nil {
			failed = fmt.Errorf("%w: of the mutexes of process %d", world.OfCode(int(n)), proc)
		}
		if failed == nil {
			s.enter(proc, uint64(n), binary.LittleEndian.Uint64(blob[4:]))
		}
	}
	if failed != nil {
		if addr != 0 {
			_ = m.cfg.Local.Free(addr) // it has just been allocated
		}
		return nil, failed
	}
	return s, nil
}

// allocate returns the address of new mutexes, 0 if count is 0.
func (m *Mutexes) allocate(count int) (uintptr, error) {
	switch {
	case count < 0 || int64(count) > math.MaxInt32:
		return 0, fmt.Errorf("%w: %d mutexes", world.ErrCount, count)
	case count == 0:
		return 0, nil
	}
	return m.cfg.Local.Alloc(uint64(count) * placeBytes)
}

// makeEntries gives a set n entries of zeros, which end with it.
func (s *Set) makeEntries(n int) error {
	mem, err := unix.Mmap(-1, 0, n*int(unsafe.Sizeof(entry{})), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("%w: for a table of mutexes: %w", world.ErrMemory, err)
	}
	s.entries = unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(mem))), n)
	// If unmapping fails, memory is not given back, and is not used again either.
	runtime.AddCleanup(s, func(mem []byte) { _ = unix.Munmap(mem) }, mem)
	return nil
}

// enter notes where the mutexes of a process are.
func (s *Set) enter(proc int, n, addr uint64) {
	if n == 0 {
		return
	}
	w, e := s.of.cfg.World, &s.entries[proc]
	e.Count, e.Addr = n, addr
	if proc == w.Self() {
		e.here = world.At(uintptr(addr))
	} else if pos, err := w.Locate(proc, uintptr(addr), n*placeBytes); err == nil {
		e.here = w.Here(proc, pos, n*placeBytes)
	}
}

// Table returns the data of the set for C, as long as the set exists.
func (s *Set) Table() unsafe.Pointer { return unsafe.Pointer(&s.entries[0]) }

// Destroy frees the set when all members have called it. Collective. Fails with world.ErrState if a
// mutex of this process is locked, and then frees nothing here.
func (s *Set) Destroy() error {
	if err := s.group.Barrier(); err != nil {
		return err
	}
	self := s.of.cfg.World.Self()
	own := &s.entries[self]
	for i, p := range unsafe.Slice((*place)(own.here), own.Count) {
		if last := atomic.LoadUint64(&p.Last); last != 0 {
			proc, _ := locate(last)
			return fmt.Errorf("%w: process %d has or waits for mutex %d of process %d", world.ErrState, proc, i, self)
		}
	}
	if own.Count == 0 {
		return nil
	}
	return s.of.cfg.Local.Free(uintptr(own.Addr))
}

// mutex is one mutex of a set.
type mutex struct {
	far
	set  *Set
	addr uintptr // in its process
	here *place  // nil: it is not mapped
}

// mutex returns a mutex. Fails with world.ErrProc and world.ErrLevels.
func (s *Set) mutex(index, proc int) (*mutex, error) {
	if !slices.Contains(s.group.Procs(), proc) {
		return nil, fmt.Errorf("%w: process %d holds no mutexes", world.ErrProc, proc)
	}
	e := &s.entries[proc]
	if index < 0 || uint64(index) >= e.Count {
		return nil, fmt.Errorf("%w: mutex %d of the %d of process %d", world.ErrLevels, index, e.Count, proc)
	}
	m := &mutex{far: far{proc, index}, set: s, addr: uintptr(e.Addr) + uintptr(index)*uintptr(placeBytes)}
	if e.here != nil {
		m.here = (*place)(unsafe.Add(e.here, uintptr(index)*uintptr(placeBytes)))
	}
	return m, nil
}
