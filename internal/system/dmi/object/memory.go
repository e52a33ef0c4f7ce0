package object

import (
	"context"
	"sync"

	"github.com/goacp/goacp/internal/ground/activity"
)

// MaxExchange is the greatest number of bytes that go into a built-in operation, and of those that come back.
const MaxExchange = 32 << 10

// Memory is the global memory and the messages that objects stand on. Its methods may be called by several goroutines
// at once, and those that fail say why.
type Memory interface {
	// Member returns the number of this process.
	Member() int
	// Modify runs op on the size bytes at addr, which lie in one page, as one access to the page. op gets in, and
	// writes out. Both have at most MaxExchange bytes. Blocks for a round trip or two.
	Modify(addr, size int64, op Builtin, in, out []byte) error
	// Map makes a space of pages that are zero, and returns its address.
	Map(pageSize, pages int64) (int64, error)
	// Unmap ends a space.
	Unmap(addr int64) error
	// Read copies global memory to b, and Write copies b to global memory. mode is one of the interface for programs.
	Read(addr int64, b []byte, mode int8) error
	Write(addr int64, b []byte, mode int8) error
	// NewReader prepares reads of many ranges.
	NewReader(ranges []Range) (Reader, error)
	// NewSlot returns a slot that no thread uses.
	NewSlot() Slot
	// Say shows readers why a thread sleeps without a slot, until Unsay. Neither blocks.
	Say(why activity.Reason) activity.Wait
	Unsay(w activity.Wait)

	// Hold shows readers that a thread of this process holds the lock at addr, until Release. Neither blocks.
	Hold(addr int64, thread uint32) activity.Hold
	Release(h activity.Hold)

	// Signal sends value to a slot of a member. Signals from one process to another arrive in order. Does not block.
	Signal(member int, slot uint32, value []byte) error
}

// Modes of accesses, with the values of the interface for programs.
const (
	get       int8 = 1 // nothing is kept
	exclusive int8 = 5 // the bytes come to this process first
)

// Range is some bytes of global memory, and where they go.
type Range struct {
	Addr, Size int64
	At         int64 // in the buffer of the reader
}

// Reader reads the same ranges again and again. Its methods may be called by several goroutines at once.
type Reader interface {
	// Read copies the bytes of all ranges to b. Each range is an access of its own, in no order. One message goes to
	// each process that owns pages of ranges, whatever their number is. Blocks for a round trip or two. Fails if a range is
	// in no space any more.
	Read(b []byte) error
	// Free gives the reader back. No goroutine reads.
	Free()
}

// Slot is where one thread of this process waits for signals.
type Slot interface {
	// ID is the number of the slot in this process.
	ID() uint32
	// Wait blocks until a signal comes, and returns its value. Signals that came before are kept, in order. Fails if
	// the context ends or the run is over, or the space of the object at addr has ended; addr 0 is of no object.
	Wait(ctx context.Context, addr int64, why activity.Reason) ([]byte, error)
	// Free gives the slot back, for other threads. No signal to it is on the way.
	Free()
}

// Thread identifies a thread of the run.
type Thread struct {
	Member int    // the number of its process
	Number uint32 // unique among the threads of the process
}

// Objects are the objects in global memory, as one process uses them. Its methods may be called by several goroutines
// at once.
type Objects struct {
	memory Memory

	mu       sync.Mutex
	holds    map[int64]hold     // mutexes that threads of this process hold, with a successor known here alone
	standIns map[claim]int      // waits whose context has ended
	stations map[int64]*station // barriers with a LocalBarrier here
}

// New returns the objects in a memory.
func New(m Memory) *Objects {
	return &Objects{memory: m, holds: map[int64]hold{}, standIns: map[claim]int{}, stations: map[int64]*station{}}
}

// exchange is what one call of a built-in operation sends and gets.
type exchange struct {
	in  [maxIn]byte
	out [maxOut]byte
}

// Bounds of the operations that change one object, except those of rwset.
const (
	maxIn  = 64
	maxOut = 160
)

// exchanges has memory for calls: a slice that an interface gets would be allocated each time.
var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// call runs an operation on an object. in and out belong to x. Fails if there is no such object at the address.
func (o *Objects) call(addr int64, op Builtin, x *exchange) error {
	d := &builtins[op]
	if addr%alignment != 0 {
		return failed(d.kind, addr, errUnaligned)
	}
	out := x.out[:d.out]
	clear(out)
	if err := o.memory.Modify(addr, int64(d.size), op, x.in[:d.in], out); err != nil {
		return failed(d.kind, addr, err)
	}
	if status(out[0]) == noObject {
		return failed(d.kind, addr, wrongKind(kind(out[1])))
	}
	return nil
}
