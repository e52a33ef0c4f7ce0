package segment

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"golang.org/x/sys/unix"
)

// Pool is memory from which the allocator of a program takes blocks: one memfd of final size that
// the process has mapped from its first byte on, as long as it runs. Nothing else is ever mapped at
// these addresses.
//
// Registered memory that lies in the pool is mapped memory for the peers of the host. A peer maps
// all of the pool at its first access. Its mapping stays valid when the memory is unregistered, and
// when the program frees it. So nothing counts accesses to it, and unregistering waits for none.
type Pool struct {
	FD   int
	Addr unsafe.Pointer
	Size uint64 // bytes, a multiple of PageSize
}

// poolRecord says in the header page where the pool of the owner is.
type poolRecord struct {
	size     uint64 // bytes; 0: no pool. Written last
	addr     uint64 // in the owner's process
	fd       uint64 // descriptor in the owner's process
	dev, ino uint64 // of the memfd
}

// maxPool is the greatest number of bytes of a pool. 32 bits hold the number of its pages.
const maxPool = 8 << 40

// SetPool makes registered memory in a pool mapped memory. It is called once, and the pool stays as
// long as the process. Peers use a descriptor of their own, so the program may close the pool's.
func (s *Space) SetPool(p Pool) error {
	addr := uint64(uintptr(p.Addr))
	if p.Size == 0 || p.Size > maxPool || p.Size%PageSize != 0 || addr == 0 || addr%PageSize != 0 || addr+p.Size < addr {
		return fmt.Errorf("pool of %d bytes at %#x: expected whole pages, at most %d bytes", p.Size, addr, uint64(maxPool))
	}
	if err := checkMemory(p.FD, p.Size); err != nil {
		return fmt.Errorf("memory of the pool: %w", err)
	}
	fd, err := unix.FcntlInt(uintptr(p.FD), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("descriptor of the pool: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return errors.Join(fmt.Errorf("memory of the pool: %w", err), unix.Close(fd))
	}
	p.FD = fd
	s.pool = &p
	r := &s.header().pool
	r.addr, r.fd, r.dev, r.ino = addr, uint64(fd), uint64(st.Dev), st.Ino
	atomic.StoreUint64(&r.size, p.Size)
	debuglog.SHM.Printf("pool for malloc: %d bytes; registered memory in it is mapped memory for this host", p.Size)
	return nil
}

// closePool closes the descriptor for peers.
func (s *Space) closePool() error {
	if s.pool == nil {
		return nil
	}
	atomic.StoreUint64(&s.header().pool.size, 0)
	return unix.Close(s.pool.FD)
}

// PoolExtent is the pool of a process as it is mapped here, with the table of its registered memory.
// An access to a position that the table leads into the pool is a load or store here.
type PoolExtent struct {
	Regions      unsafe.Pointer // table of registered memory, which begins with tableHeader
	MappedLeaves uint32         // leaves of the table that are mapped; 0: the pool is not mapped
	Pages        uint32         // of the pool, of PageSize bytes
	Addr         uint64         // of the pool in its process
	Base         unsafe.Pointer // of the pool here
}

// size returns the bytes of the pool.
func (x *PoolExtent) size() uint64 { return uint64(x.Pages) * PageSize }

// At returns the address here of the n bytes at position pos if they are registered memory in the
// pool, and otherwise nil. It is nil, too, while the owner changes the table.
func (x *PoolExtent) At(pos, n uint64) unsafe.Pointer {
	if x.MappedLeaves == 0 || pos < UserBase {
		return nil
	}
	t := tableAt(x.Regions, x.MappedLeaves)
	addr, ok := t.lookupOnce(pos, n)
	if !ok {
		return nil
	}
	return x.at(addr, n)
}

// at returns the address here of the n bytes that have an address in the pool's process, or nil if
// they are not in the pool.
func (x *PoolExtent) at(addr, n uint64) unsafe.Pointer {
	if !within(addr, n, x.Addr, x.size()) {
		return nil
	}
	return unsafe.Add(x.Base, addr-x.Addr)
}

// poolExtent returns the pool of this process.
func (s *Space) poolExtent() PoolExtent {
	if s.pool == nil {
		return PoolExtent{}
	}
	return PoolExtent{
		Regions: s.Regions(), MappedLeaves: maxLeaves, Pages: uint32(s.pool.Size / PageSize),
		Addr: uint64(uintptr(s.pool.Addr)), Base: s.pool.Addr,
	}
}

// pooled returns the address here of the n bytes at position pos of the peer's registered memory if
// they lie in its pool. It maps the pool if that is not mapped yet. It returns nil if they do not lie
// there, and if there is no address space for the pool.
func (v *View) pooled(pos, n uint64) unsafe.Pointer {
	if atomic.LoadUint64(&v.header().pool.size) == 0 {
		return nil
	}
	addr, ok := v.lookup(pos, n)
	if !ok {
		return nil
	}
	x := v.extent.Load()
	if x.Pool.MappedLeaves == 0 {
		if x = v.reachPool(addr, n); x == nil {
			return nil
		}
	}
	return x.Pool.at(addr, n)
}

// reachPool maps the pool of the peer, in which n bytes at addr lie. It returns nil if they do not
// lie there, or if the pool cannot be mapped. It tries that once.
func (v *View) reachPool(addr, n uint64) *Extent {
	v.mu.Lock()
	defer v.mu.Unlock()
	x := v.extent.Load()
	if x.Pool.MappedLeaves != 0 {
		return x
	}
	r := v.header().pool
	if v.noPool || v.maps == nil || !within(addr, n, r.addr, r.size) {
		return nil
	}
	mem, err := v.mapPool(r)
	if err != nil {
		v.noPool = true
		debuglog.SHM.Printf("memory of rank %d: its pool for malloc is not mapped, so its registered memory is no mapped memory: %v", v.peer.Member, err)
		return nil
	}
	debuglog.SHM.Printf("memory of rank %d: its pool for malloc is mapped, %d bytes", v.peer.Member, r.size)
	more := *x
	t := v.table.Load()
	more.Pool = PoolExtent{
		Regions: unsafe.Pointer(t.head), MappedLeaves: t.leaves, Pages: uint32(r.size / PageSize),
		Addr: r.addr, Base: unsafe.Pointer(unsafe.SliceData(mem)),
	}
	v.use(&more)
	return &more
}

// mapPool maps the pool that a peer says it has.
func (v *View) mapPool(r poolRecord) ([]byte, error) {
	if r.size > maxPool || r.size%PageSize != 0 || r.addr+r.size < r.addr {
		return nil, fmt.Errorf("pool of %d bytes at %#x", r.size, r.addr)
	}
	p := v.peer
	p.FD = int(r.fd)
	fd, err := openFile(p, r.size, file{r.dev, r.ino})
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := checkAddressSpace(r.size); err != nil {
		return nil, err
	}
	mem, err := mapShared(fd, 0, r.size, 0)
	if err != nil {
		return nil, err
	}
	leaveOut(mem)
	v.maps = append(v.maps, mem)
	return mem, nil
}
