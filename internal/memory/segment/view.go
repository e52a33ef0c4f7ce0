package segment

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/pid"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"golang.org/x/sys/unix"
)

// PeerInfo is what a process needs to map the memory of a peer on its host.
type PeerInfo struct {
	Run    Run
	Member int
	PID    int
	// StartTime is when that process started, as package pid returns it.
	StartTime uint64
	FD        int // descriptor of the memory in that process
	Layout    Layout
}

// View is the memory of a peer on the same host, as far as this process has mapped it:
// no more than it has used. Its methods may be called by several goroutines at once.
type View struct {
	peer   PeerInfo
	owner  *pid.Process
	file   file
	direct bool   // registered memory can be reached with process_vm_readv
	slot   uint64 // address of the memory here and in the process of the peer; 0 if they differ

	mail *mailbox.Sender

	extent atomic.Pointer[Extent]
	table  atomic.Pointer[table]

	mu      sync.Mutex // taken to map more
	maps    [][]byte   // all mappings; nil after Close
	noPool  bool       // mapping the pool has failed
	extents []*Extent  // all there have been
}

// Attach maps the memory of a peer. It fails if that process has ended, if this process may
// not access it, or if another process has its id. The caller adds the rank to the error.
func Attach(p PeerInfo) (*View, error) {
	size := p.Layout.MapSize()
	owner, err := pid.Open(p.PID, p.StartTime)
	if err != nil {
		return nil, err
	}
	v := &View{peer: p, owner: owner}
	fd, err := openMemory(p, size)
	if err != nil {
		owner.Close()
		return nil, err
	}
	defer unix.Close(fd)
	if v.file, err = fileOf(fd); err == nil {
		err = v.mapFirst(fd)
	}
	if err == nil {
		err = v.verify()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	v.direct = v.probe()
	v.mail = mailbox.NewSender(&v.header().mail, os.Getpid())
	return v, nil
}

func (v *View) verify() error {
	h := v.header()
	if h.magic != headerMagic || h.run != v.peer.Run || h.member != uint32(v.peer.Member) || h.layout != v.peer.Layout {
		return fmt.Errorf("process %d does not have the memory of this rank of the run", v.peer.PID)
	}
	if h.version != headerVersion {
		return fmt.Errorf("its memory has format %d, this library has %d", h.version, headerVersion)
	}
	return nil
}

// probe reads the owner's header through its address space. If that works and
// shows the same run, the number is that of the right process in this process's
// pid namespace and the kernel allows the access.
func (v *View) probe() bool {
	var seen header
	h := v.header()
	if err := v.vm(false, unsafe.Pointer(&seen), h.self, uint64(unsafe.Sizeof(seen))); err != nil {
		return false
	}
	return seen.magic == headerMagic && seen.run == v.peer.Run && seen.member == h.member && seen.self == h.self
}

func (v *View) header() *header { return (*header)(v.extent.Load().Base) }

// Layout returns the sizes of the parts of the peer's memory.
func (v *View) Layout() Layout { return v.peer.Layout }

// Heap returns the heap of the peer. over returns an error when the run is over, so that
// waiting ends, and otherwise nil.
func (v *View) Heap(over func() error) *heap.Heap {
	return heapOf(v, strconv.Itoa(v.peer.PID), removes(), over)
}

// Equal reports whether the memory has the same addresses here as in the process of the peer. What
// is mapped later has them too.
func (v *View) Equal() bool { return v.slot != 0 }

// MapAll maps all of the memory at the addresses that it has in the process of the peer, for as
// long as the View is open. It reports false if the addresses differ, and if address space is
// limited: then the memory of each peer is mapped as far as it is used.
func (v *View) MapAll() bool {
	left, err := AddressSpace()
	return err == nil && left == math.MaxUint64 && v.Equal() && v.Reach(v.peer.Layout.Heap) != nil
}

// Direct reports whether registered memory of the peer can be read and written
// from this process.
func (v *View) Direct() bool { return v.direct }

// Mail returns what posts requests in the mailbox of the peer.
func (v *View) Mail() *mailbox.Sender { return v.mail }

// Barrier returns the barrier words in the peer's header page.
func (v *View) Barrier() *Barrier { return barrierOf(v.header()) }

// Awake returns the word of Space.Awake in the peer's header page.
func (v *View) Awake() *uint32 { return &v.header().awake }

// Mapped returns the address in this process of the n bytes at position pos. It maps them if
// they are not mapped yet. It returns nil if they are neither starter memory nor heap nor registered
// memory in the pool, or if there is no address space for them.
func (v *View) Mapped(pos, n uint64) unsafe.Pointer {
	l, x := v.peer.Layout, v.extent.Load()
	if within(pos, n, StarterOffset, l.Starter) {
		return unsafe.Add(x.Base, pos)
	}
	if from := l.HeapOffset(); within(pos, n, from, l.Heap) {
		if x = v.Reach(pos - from + n); x != nil {
			return unsafe.Add(x.Base, pos)
		}
	}
	if pos >= UserBase {
		return v.pooled(pos, n)
	}
	return nil
}

// Read copies n bytes from position pos of the peer's registered memory to dst.
func (v *View) Read(dst unsafe.Pointer, pos, n uint64) error { return v.access(false, dst, pos, n) }

// Write copies n bytes from src to position pos of the peer's registered memory.
func (v *View) Write(pos uint64, src unsafe.Pointer, n uint64) error {
	return v.access(true, src, pos, n)
}

// Reachable returns nil if the n bytes at position pos are memory that the peer
// publishes, mapped or registered, and a *fabric.RangeError otherwise.
func (v *View) Reachable(pos, n uint64) error {
	if v.peer.Layout.Contains(pos, n) {
		return nil
	}
	if _, ok := v.lookup(pos, n); pos < UserBase || !ok {
		return &fabric.RangeError{Pos: pos, Size: n}
	}
	return nil
}

// Owner returns the process of the peer. The View closes it.
func (v *View) Owner() *pid.Process { return v.owner }

// Load copies n bytes from an address in the peer's process to dst. It fails with
// fabric.ErrNoPath unless the peer is Direct, and with fabric.ErrPeerDead.
func (v *View) Load(dst unsafe.Pointer, addr, n uint64) error {
	if !v.direct {
		return fabric.ErrNoPath
	}
	return v.vm(false, dst, addr, n)
}

// vmChunk bounds one system call, which moves at most 2 GiB.
const vmChunk = 1 << 30

// vm copies n bytes between memory of this process and the peer's. If the peer has died and
// another process has its id, vm does not write into that process, and returns an error for
// what it has read there.
func (v *View) vm(write bool, local unsafe.Pointer, addr, n uint64) error {
	if write && !v.owner.HasID() {
		return fmt.Errorf("process %d: %w", v.peer.PID, fabric.ErrPeerDead)
	}
	err := v.move(write, local, addr, n)
	if err == nil && !write && !v.owner.HasID() {
		return fmt.Errorf("process %d: %w", v.peer.PID, fabric.ErrPeerDead)
	}
	return err
}

func (v *View) move(write bool, local unsafe.Pointer, addr, n uint64) error {
	for done := uint64(0); done < n; {
		chunk := min(n-done, vmChunk)
		liov := [1]unix.Iovec{{Base: (*byte)(unsafe.Add(local, done)), Len: chunk}}
		riov := [1]unix.RemoteIovec{{Base: uintptr(addr + done), Len: int(chunk)}}
		var got int
		var err error
		if write {
			got, err = unix.ProcessVMWritev(v.peer.PID, liov[:], riov[:], 0)
		} else {
			got, err = unix.ProcessVMReadv(v.peer.PID, liov[:], riov[:], 0)
		}
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ESRCH):
			return fmt.Errorf("process %d: %w", v.peer.PID, fabric.ErrPeerDead)
		case err != nil:
			return os.NewSyscallError("process_vm", err)
		case got <= 0:
			return fmt.Errorf("process_vm moved no byte of %d at %#x of process %d", chunk, addr+done, v.peer.PID)
		}
		done += uint64(got)
	}
	return nil
}

// Close unmaps the memory.
func (v *View) Close() error {
	return errors.Join(v.owner.Close(), v.unmapAll())
}
