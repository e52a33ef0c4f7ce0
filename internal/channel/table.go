package channel

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
	// Spin is for how many nanoseconds a waiter may look; Running is 1 while a goroutine answers
	// calls, so that C may post receives. Both are read by C.
	Spin    uint64
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

// Name tells an endpoint apart from the others of its process, also from most that had
// the same place in the table before. It is never 0.
type Name uint32

// Index returns the place in the table.
func (n Name) Index() int { return int(n & (MaxEndpoints - 1)) }

// New takes an endpoint that is not in use, with the given properties. The caller holds
// off other calls of New and Recycle.
func (t *Table) New(flags uint32) (Name, *Endpoint, error) {
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
	// C may know the name of the endpoint that was here before. It takes the lock to find out that
	// this endpoint is gone.
	e.Take()
	defer e.Drop()
	generation := (atomic.LoadUint32(&e.Flags)>>flagBits + 1) & (1<<generationBits - 1)
	generation = max(generation, 1)
	e.detach()
	e.Count, e.Buf, e.Room, e.Request = uint32(e.Room), nil, 0, 0
	e.Peer, e.PeerSlot = 0, 0
	if flags&Sender != 0 {
		e.Request = t.carried[i-1]
	}
	atomic.StoreUint32(&e.Flags, generation<<flagBits|flags)
	return Name(generation<<slotBits | (i - 1)), e, nil
}

// Recycle makes the place of an endpoint available to others.
func (t *Table) Recycle(n Name) {
	e := &t.slots[n.Index()]
	e.Take()
	defer e.Drop()
	if e.Has(Sender) {
		t.carried[n.Index()] += e.Pos
	}
	e.Set(Quick|Sender, false)
	e.detach()
	e.Request = 0
	e.Room = uint64(e.Count) // names of requests go on where they were
	e.Count, t.free = t.free, uint32(n.Index())+1
}

// At returns the endpoint at a place of the table.
func (t *Table) At(index int) *Endpoint { return &t.slots[index] }

// Requests have names, too. C holds them, and the results of those that are finished,
// as one word:
//
//	bit  63        finished; the other bits are the result
//	bit  62        made by Go; the other bits are a count
//	bit  61        a long message that C has sent, whose record has been taken out when
//	               the ring's Head has got where it ends:
//	bits 60 … 41   the place of the endpoint in the table
//	bits 40 …  0   and the words that all senders there have put into their rings up to
//	               that end, modulo 16 TiB
//	bits 51 … 32   otherwise: the place of the endpoint in the table
//	bits 31 …  0   and a count
//
//goacp:c GOACP_
const (
	finished   = 1 << 63
	madeByGo   = 1 << 62
	sentByC    = 1 << 61
	endBits    = 41
	ownerShift = 32
)

// Finished returns the name of a request that is finished with result n.
func Finished(n uint64) uint64 { return finished | n }

// Counted returns the name of the n-th request that Go names.
func Counted(n uint64) uint64 { return madeByGo | n }

// Owner returns the place in the table of the endpoint where C has posted a request, and
// false for other requests.
func Owner(request uint64) (index int, ok bool) {
	return int(request >> ownerShift & (MaxEndpoints - 1)), request != 0 && request < sentByC
}

// Sent returns the place in the table of the endpoint from which C has sent a long message
// with this request, and false for other requests. Ends tells where its record ends.
func Sent(request uint64) (index int, ok bool) {
	return int(request >> endBits & (MaxEndpoints - 1)), request&^(sentByC-1) == sentByC
}

// Fate is what has become of a long message that C has sent.
type Fate uint8

// The fates.
const (
	NeverSent Fate = iota // no message has this request
	Taken                 // the record has been taken out long ago, or its channel was freed
	InRing                // the record may still be in the ring
)

// Ends returns what has become of the message with a request from this endpoint and, if
// its record may still be in the ring, what Head is when it has been taken out.
func (e *Endpoint) Ends(request uint64) (end uint64, fate Fate) {
	back := e.back(request, e.Carried()+e.Pos)
	switch {
	case back >= e.Carried()+e.Pos:
		return 0, NeverSent
	case back >= e.Pos || back >= Capacity(uint64(e.Size)):
		return 0, Taken
	}
	return e.Pos - back, InRing
}

// back returns how many bytes were put into rings after the record of request. now is the number of
// all bytes so far.
func (e *Endpoint) back(request, now uint64) uint64 {
	return (now/8 - request) & (1<<endBits - 1) * 8
}

// Fate is Ends for a place that no sender uses.
func (t *Table) Fate(index int, request uint64) Fate {
	carried := atomic.LoadUint64(&t.carried[index])
	if back := t.slots[index].back(request, carried); back >= carried {
		return NeverSent
	}
	return Taken
}
