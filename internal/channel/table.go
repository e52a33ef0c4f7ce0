package channel

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MaxEndpoints is how many endpoints a process can have at a time.
const MaxEndpoints = 1 << slotBits

const (
	slotBits       = 20
	generationBits = 32 - slotBits
)

// ErrNoSlot says that a process has as many endpoints as it can.
var ErrNoSlot = errors.New("too many channels")

// Table holds the endpoints of a process, outside the Go heap. It takes address space
// for all there can be and memory for those there were at one time.
type Table struct {
	// Spin is for how many nanoseconds a waiter may look; Running is 1 when somebody
	// answers calls, so that C may post receives. Both are read by C.
	Spin    uint64
	Running uint32
	used    uint32 // slots that were ever taken
	free    uint32 // the slot that was freed last and is not in use, counted from 1
	_       [44]byte
	slots   [MaxEndpoints]Endpoint
}

// NewTable returns an empty table. Release gives it back.
func NewTable() (*Table, error) {
	size := int(unsafe.Sizeof(Table{}))
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("table of endpoints: %w", err)
	}
	return (*Table)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}

// Release gives the memory of the table back. Nobody may use it afterwards.
func (t *Table) Release() error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(t)), unsafe.Sizeof(*t)))
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
	generation := (e.Flags>>flagBits + 1) & (1<<generationBits - 1)
	generation = max(generation, 1)
	*e = Endpoint{Lock: e.Lock, Count: uint32(e.Room)}
	atomic.StoreUint32(&e.Flags, generation<<flagBits|flags)
	return Name(generation<<slotBits | (i - 1)), e, nil
}

// Recycle makes the place of an endpoint available to others.
func (t *Table) Recycle(n Name) {
	e := &t.slots[n.Index()]
	e.Ring, e.Request, e.Eager = nil, 0, 0
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
//	bits 60 … 29   the name of the endpoint
//	bits 28 …  0   and the words up to that end, modulo a number that no ring has
//	bits 51 … 32   otherwise: the place of the endpoint in the table
//	bits 31 …  0   and a count
const (
	finished = 1 << 63
	madeByGo = 1 << 62
	sentByC  = 1 << 61
	endBits  = 29
)

// Finished returns the name of a request that is finished with result n.
func Finished(n uint64) uint64 { return finished | n }

// Counted returns the name of the n-th request that Go names.
func Counted(n uint64) uint64 { return madeByGo | n }

// Owner returns the place in the table of the endpoint where C has posted a request, and
// false for other requests.
func Owner(request uint64) (index int, ok bool) {
	return int(request >> 32 & (MaxEndpoints - 1)), request != 0 && request < sentByC
}

// Sent returns the endpoint from which C has sent a long message with this request, and
// false for other requests. Ends tells where its record ends.
func Sent(request uint64) (n Name, ok bool) {
	return Name(request >> endBits), request&^(sentByC-1) == sentByC
}

// Ends returns what the ring's Head is when the record of a request has been taken out,
// if the name is that of a message that C has sent from this endpoint.
func (e *Endpoint) Ends(request uint64) uint64 {
	return e.Pos - (e.Pos/8-request)&(1<<endBits-1)*8
}
