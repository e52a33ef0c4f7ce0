package ring

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxEndpoints is how many endpoints a process can have at a time.
//
//goacp:c GOACP_
const MaxEndpoints = 1 << slotBits

//goacp:c GOACP_
const (
	slotBits       = 20
	generationBits = 32 - slotBits
)

// ErrNoSlot says that a process has as many endpoints as it can.
var ErrNoSlot = errors.New("too many channels")

// Table holds the endpoints of a process, outside the Go heap. It takes address space for as many
// as there can be, and memory for as many as there were at one time.
//
//goacp:c goacp_channels
type Table struct {
	// C reads both. Load says how long a waiter may spin. Running is 1 while a goroutine waits at the
	// notifier, so that C may post receives.
	Load    unsafe.Pointer `c:"struct goacp_load *"`
	Running uint32
	used    uint32 // slots that were ever taken
	free    uint32 // the slot that was freed last and is not in use, counted from 1
	_       [4]byte
	sources unsafe.Pointer `c:"struct goacp_source *"` // by member: Source
	members uint64
	_       [24]byte
	slots   [MaxEndpoints]Endpoint
	carried [MaxEndpoints]uint64 // by senders that have been freed
}

// Source is the process of a member whose memory this process reads at addresses. It lies here and
// not in a ring: the other end of a channel could write another process there. The zero value is
// none.
//
//goacp:c goacp_source
type Source struct {
	PID uint32
	FD  int32 // a descriptor of the process, which tells whether PID still is its id
}

// NewTable returns an empty table for a run of so many members. Release gives it back.
func NewTable(members int) (*Table, error) {
	mem, err := unix.Mmap(-1, 0, int(tableSize(members)), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("table of endpoints: %w", err)
	}
	t := (*Table)(unsafe.Pointer(unsafe.SliceData(mem)))
	t.members = uint64(members)
	t.sources = unsafe.Add(unsafe.Pointer(t), unsafe.Sizeof(*t))
	return t, nil
}

func tableSize(members int) uintptr {
	return unsafe.Sizeof(Table{}) + uintptr(members)*unsafe.Sizeof(Source{})
}

// Release gives the memory of the table back. It must not be used afterwards.
func (t *Table) Release() error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(t)), tableSize(int(t.members))))
}

// SetSource says which process a member is. C reads it when it receives from there.
func (t *Table) SetSource(member int, s Source) {
	at := (*uint64)(unsafe.Add(t.sources, uintptr(member)*unsafe.Sizeof(s)))
	atomic.StoreUint64(at, *(*uint64)(unsafe.Pointer(&s)))
}

// Handle names an endpoint of a process: the index in the table, and above it a generation. The
// generation tells the endpoint from those that had the same index before, until it wraps. A
// handle is never 0.
type Handle uint32

// Index returns the index in the table.
func (h Handle) Index() int { return int(h & (MaxEndpoints - 1)) }

// New takes an endpoint that is not in use, with the given properties. The caller holds
// off other calls of New and Recycle.
func (t *Table) New(flags uint32) (Handle, *Endpoint, error) {
	i := t.free
	switch {
	case i != 0:
		t.free = t.slots[i-1].Count // where Recycle keeps the next
	case t.used == MaxEndpoints:
		return 0, nil, ErrNoSlot
	default:
		t.used++
		i = t.used
	}
	e := &t.slots[i-1]
	// C may have the handle of the endpoint that was here before. It takes the lock to find out that
	// this endpoint is gone.
	e.Take()
	defer e.Drop()
	generation := (atomic.LoadUint32(&e.Flags)>>flagBits + 1) & (1<<generationBits - 1)
	generation = max(generation, 1)
	e.detach()
	e.Count, e.Buf, e.Capacity, e.Request = uint32(e.Capacity), nil, 0, 0
	e.Peer, e.PeerHandle = 0, 0
	if flags&Sender != 0 {
		e.Request = t.carried[i-1]
	}
	atomic.StoreUint32(&e.Flags, generation<<flagBits|flags)
	return Handle(generation<<slotBits | (i - 1)), e, nil
}

// Recycle makes the index of an endpoint available to others.
func (t *Table) Recycle(h Handle) {
	e := &t.slots[h.Index()]
	e.Take()
	defer e.Drop()
	if e.Has(Sender) {
		t.carried[h.Index()] += e.Pos
	}
	e.Set(FastPath|Sender, false)
	e.detach()
	e.Request = 0
	e.Capacity = uint64(e.Count) // handles of requests go on where they were
	e.Count, t.free = t.free, uint32(h.Index())+1
}

// At returns the endpoint at an index.
func (t *Table) At(index int) *Endpoint { return &t.slots[index] }
