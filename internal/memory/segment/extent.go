package segment

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/memory/heap"
	"golang.org/x/sys/unix"
)

// Extent is the part of the memory of a process that is mapped: the header page, starter
// memory, the beginning of the heap and the metadata about it, and the pool for malloc. An Extent does not change. When
// more is mapped, there is a new one.
type Extent struct {
	Base     unsafe.Pointer // where position 0 lies
	Metadata unsafe.Pointer // where the metadata of the heap lies
	Heap     uint64         // bytes of the heap
	Pool     PoolExtent     // the pool for malloc, if the process has one and it is mapped
}

// firstHeap is how many bytes of the heap of a peer are mapped at first. When that is not
// enough, growth times as much is mapped. Memory in a slot grows where it is. Other memory is mapped
// at another address, and earlier mappings stay, because pointers lead into them. So a heap
// outside of a slot takes up to a third more address space than it has bytes.
const (
	firstHeap = 1 << 20
	growth    = 4
)

// firstLeaves is how many leaves of the table of a peer are mapped at first.
const firstLeaves = 4

// mapFirst maps the parts of a peer's memory that every user needs, from its descriptor: at the
// addresses that they have in the peer's process, or where there is room.
func (v *View) mapFirst(fd int) error {
	if v.slot = slotAddress(fd, v.peer.Layout); v.slot != 0 {
		if v.mapParts(fd) == nil {
			return nil
		}
		if err := v.unmapAll(); err != nil {
			return err
		}
		v.slot = 0
	}
	return v.mapParts(fd)
}

// slotAddress returns the address at which a peer has mapped its memory, if it is in a slot, and
// otherwise 0.
func slotAddress(fd int, l Layout) uint64 {
	var h header
	n, err := unix.Pread(fd, unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), 0)
	if err != nil || n != int(unsafe.Sizeof(h)) || !inSlots(h.self, l.MapSize()) {
		return 0
	}
	return h.self
}

func (v *View) mapParts(fd int) error {
	l := v.peer.Layout
	part := min(l.Heap, firstHeap)
	main, err := v.mapPart(fd, 0, l.HeapOffset()+part)
	if err != nil {
		return err
	}
	metadata, err := v.mapPart(fd, l.MetadataOffset(), heap.MetadataSize(part))
	if err != nil {
		return err
	}
	entries, err := v.mapPart(fd, l.TableOffset(), tableSize(firstLeaves))
	if err != nil {
		return err
	}
	v.use(&Extent{Base: main, Metadata: metadata, Heap: part})
	v.table.Store(tableAt(entries, firstLeaves))
	return nil
}

func (v *View) mapPart(fd int, from, size uint64) (unsafe.Pointer, error) {
	if err := checkAddressSpace(size); err != nil {
		return nil, err
	}
	at := v.slot
	if at != 0 {
		at += from
	}
	mem, err := mapShared(fd, from, size, at)
	if err != nil {
		return nil, err
	}
	leaveOut(mem) // the owner dumps it
	v.maps = append(v.maps, mem)
	return unsafe.Pointer(unsafe.SliceData(mem)), nil
}

// grow returns where size bytes of the part that is mapped at p and begins at offset from are mapped: there, if the
// memory is in a slot, and otherwise at another address.
func (v *View) grow(p unsafe.Pointer, from, size uint64) (unsafe.Pointer, error) {
	if v.slot != 0 {
		return p, v.widen(p, size)
	}
	if err := checkAddressSpace(size); err != nil {
		return nil, err
	}
	mem, err := duplicate(p, size)
	if err != nil {
		if mem, err = v.reopen(from, size); err != nil {
			return nil, err
		}
	}
	v.maps = append(v.maps, mem)
	return unsafe.Pointer(unsafe.SliceData(mem)), nil
}

// openFile opens a descriptor of a peer, which is of a file of at least size bytes. It fails if the peer has closed it:
// the descriptor is of another file then.
func openFile(p PeerInfo, size uint64, want file) (fd int, err error) {
	if fd, err = openMemory(p, size); err != nil {
		return -1, err
	}
	f, err := fileOf(fd)
	if err == nil && f != want {
		err = fmt.Errorf("process %d has closed the descriptor of memory that it publishes", p.PID)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// reopen maps size bytes of the memory from offset from on once more by a new descriptor. The user mode of QEMU refuses
// what duplicate does.
func (v *View) reopen(from, size uint64) ([]byte, error) {
	fd, err := openFile(v.peer, from+size, v.file)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	mem, err := mapShared(fd, from, size, 0)
	if err == nil {
		leaveOut(mem)
	}
	return mem, err
}

// widen makes the mapping at p at least size bytes long.
func (v *View) widen(p unsafe.Pointer, size uint64) error {
	i := slices.IndexFunc(v.maps, func(m []byte) bool { return unsafe.Pointer(unsafe.SliceData(m)) == p })
	have := uint64(len(v.maps[i]))
	if size <= have {
		return nil
	}
	if err := checkAddressSpace(size - have); err != nil {
		return err
	}
	mem, err := widen(v.maps[i], size)
	if err == nil {
		v.maps[i] = mem
	}
	return err
}

// use makes x the current Extent. The caller holds the lock, or there is no other user yet.
func (v *View) use(x *Extent) {
	v.extents = append(v.extents, x)
	v.extent.Store(x)
}

// Position returns the position of the byte at an address in any of the mappings.
func (v *View) Position(addr uintptr) (pos uint64, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, x := range v.extents {
		if pos = uint64(addr - uintptr(x.Base)); pos < v.peer.Layout.HeapOffset()+x.Heap {
			return pos, true
		}
	}
	return 0, false
}

// Extent returns what is mapped.
func (v *View) Extent() *Extent { return v.extent.Load() }

// Reach returns an extent with at least so many bytes of the heap, or nil if there is no
// address space for that now.
func (v *View) Reach(n uint64) *Extent {
	if x := v.extent.Load(); n <= x.Heap {
		return x
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	x := v.extent.Load()
	if n <= x.Heap {
		return x
	}
	l := v.peer.Layout
	if n > l.Heap || v.maps == nil {
		return nil
	}
	need := roundUp(n, heap.Unit)
	for _, part := range []uint64{min(max(need, growth*x.Heap), l.Heap), need} {
		if more := v.reach(x, part); more != nil {
			v.use(more)
			return more
		}
	}
	return nil
}

// reach maps part bytes of the heap and the metadata about them.
func (v *View) reach(x *Extent, part uint64) *Extent {
	known, l := len(v.maps), v.peer.Layout
	metadata, err := v.grow(x.Metadata, l.MetadataOffset(), heap.MetadataSize(part))
	if err == nil {
		var main unsafe.Pointer
		if main, err = v.grow(x.Base, 0, l.HeapOffset()+part); err == nil {
			debuglog.SHM.Printf("memory of rank %d: %d bytes of the heap are mapped now", v.peer.Member, part)
			return &Extent{Base: main, Metadata: metadata, Heap: part, Pool: x.Pool}
		}
	}
	debuglog.SHM.Printf("memory of rank %d: %d bytes of the heap cannot be mapped: %v", v.peer.Member, part, err)
	for _, m := range v.maps[known:] {
		_ = unmap(m) // no other thread knows this mapping
	}
	v.maps = v.maps[:known]
	return nil
}

// lookup is table.lookup in the table of the peer. It maps more of the table first if the
// table has grown.
func (v *View) lookup(pos, n uint64) (addr uint64, ok bool) {
	t := v.table.Load()
	for t.crowded() {
		if t = v.reachTable(); t == nil {
			return 0, false
		}
	}
	return t.lookup(pos, n)
}

// reachTable maps more of the table of the peer, and returns nil if that cannot be.
func (v *View) reachTable() *table {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := v.table.Load()
	if !t.crowded() {
		return t
	}
	if v.maps == nil {
		return nil
	}
	leaves := min(growth*t.leaves, maxLeaves)
	at, err := v.grow(unsafe.Pointer(t.head), v.peer.Layout.TableOffset(), tableSize(leaves))
	if err != nil {
		return nil
	}
	t = tableAt(at, leaves)
	v.table.Store(t)
	if x := *v.extent.Load(); x.Pool.MappedLeaves != 0 {
		x.Pool.Regions, x.Pool.MappedLeaves = at, leaves
		v.use(&x)
	}
	return t
}

// unmapAll unmaps everything.
func (v *View) unmapAll() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var err error
	for _, m := range v.maps {
		err = errors.Join(err, unmap(m))
	}
	v.maps = nil
	return err
}
