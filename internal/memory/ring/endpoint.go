package ring

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
)

// Endpoint is one end of a channel. Lock and Flags change atomically; the other fields belong to
// the holder of the lock.
//
//goacp:c goacp_endpoint
type Endpoint struct {
	Lock  uint32 // 0 free, 1 taken
	Flags uint32 // properties, and the generation above them
	Ring  *Ring  // in this process; nil if the process does not reach it, or no longer
	Pos   uint64 // the sender's Tail or the receiver's Head
	Seen  uint64 // of the sender: Head when it was read last; of the receiver: bytes that Deliver has put in
	At    uint32 // Pos modulo Size
	Size  uint32 // bytes of the ring's data
	Eager uint32 // longest message that goes in the ring
	Count uint32 // receives that C has posted, so that each has a handle of its own

	// The receive that C has posted, if Request is not 0. Then no other receive is posted.
	Buf      unsafe.Pointer
	Capacity uint64 // bytes at Buf; of the sender: size of the long message that C sent last
	Request  uint64 // its handle; of the sender: Carried

	Peer       uint32 // member at the other end
	PeerHandle uint32 // of its endpoint, 0 before it is known
}

// Properties of an endpoint.
//
//goacp:c GOACP_
const (
	Sender   uint32 = 1 << iota // otherwise it is the receiver
	FastPath                    // connected, and nothing is queued: C may use it
	Far                         // this process reaches the other end by its agent
	Freeing                     // the endpoint takes no more requests
	flagBits = iota
)

// takeSpins is how often Take tries before it lets other threads run.
const takeSpins = 200

// Take takes the lock. A holder keeps it no longer than a copy of a message takes.
func (e *Endpoint) Take() {
	for spins := 0; !e.TryTake(); spins++ {
		if spins >= takeSpins {
			futex.Yield()
		}
	}
}

// TryTake takes the lock if it is free.
func (e *Endpoint) TryTake() bool { return atomic.CompareAndSwapUint32(&e.Lock, 0, 1) }

// Drop releases the lock.
func (e *Endpoint) Drop() { atomic.StoreUint32(&e.Lock, 0) }

// Has reports whether the endpoint has a property.
func (e *Endpoint) Has(flag uint32) bool { return atomic.LoadUint32(&e.Flags)&flag != 0 }

// Set gives the endpoint a property or takes it away.
func (e *Endpoint) Set(flag uint32, on bool) {
	flags := atomic.LoadUint32(&e.Flags)
	if on {
		flags |= flag
	} else {
		flags &^= flag
	}
	atomic.StoreUint32(&e.Flags, flags)
}

// Carried returns how many bytes earlier senders with this index have put into their rings. With
// it the requests of C get other handles than theirs. Only senders have it.
func (e *Endpoint) Carried() uint64 { return e.Request }

// Attach begins to use ring, which has size bytes of data. ring is nil if this process
// does not reach it.
func (e *Endpoint) Attach(ring *Ring, size uint64) {
	e.Ring, e.Pos, e.Seen, e.At = ring, 0, 0, 0
	e.Size, e.Eager = uint32(size), uint32(EagerLimit(size))
}

// detach sets the endpoint back to the state before it had a ring.
func (e *Endpoint) detach() {
	e.Ring, e.Pos, e.Seen, e.At, e.Size, e.Eager = nil, 0, 0, 0, 0, 0
}

// Disable stops all use of the ring.
func (e *Endpoint) Disable() {
	e.Set(FastPath, false)
	e.Ring = nil
}

// TakePosted returns the memory of the receive that C has posted and forgets that.
func (e *Endpoint) TakePosted() []byte {
	buf := unsafe.Slice((*byte)(e.Buf), e.Capacity)
	e.Buf, e.Capacity = nil, 0
	return buf
}

// Fits reports whether a record of span bytes can be put in.
func (e *Endpoint) Fits(span uint64) bool {
	if e.free() >= span {
		return true
	}
	if e.Ring != nil {
		e.Seen = atomic.LoadUint64(&e.Ring.Head)
	}
	return e.free() >= span
}

// free returns the bytes that records may take, as far as the sender knows.
func (e *Endpoint) free() uint64 { return Capacity(uint64(e.Size)) - (e.Pos - e.Seen) }

// Put puts a record with n bytes of payload into the ring, where it fits, and returns when this
// side has to wake the receiver: WantNothing, WantHelp or WantAll.
func (e *Endpoint) Put(rec Record, payload unsafe.Pointer, n uint64) (want uint32) {
	e.write(e.after(8), payload, n)
	e.end(rec.Span())
	// Last, and sequentially consistent: either this side sees what the receiver has written to
	// Want, or the receiver sees the record, because it polls once more after that.
	atomic.StoreUint64(e.word(), uint64(rec))
	e.Skip(rec.Span())
	return atomic.LoadUint32(&e.Ring.Want)
}

// Deliver puts records, as they lie in memory, into the ring, behind the tail bytes that it has put
// there before. The receiver calls it for a sender that cannot write to the ring. It reports
// whether they are whole records that fit, and otherwise changes nothing.
func (e *Endpoint) Deliver(tail uint64, records []byte) bool {
	n := uint64(len(records))
	limit := Capacity(uint64(e.Size))
	if tail != e.Seen || tail-e.Pos > limit || n > limit-(tail-e.Pos) || !e.whole(records) {
		return false
	}
	if n > 0 {
		at := e.after(tail - e.Pos)
		payload := records[8:]
		e.write((at+8)%uint64(e.Size), unsafe.Pointer(unsafe.SliceData(payload)), n-8)
		e.end(tail - e.Pos + n)
		atomic.StoreUint64((*uint64)(e.data(at)), binary.NativeEndian.Uint64(records))
		e.Seen = tail + n
	}
	return true
}

// whole reports whether b consists of records that a sender on another host may send.
func (e *Endpoint) whole(b []byte) bool {
	for len(b) >= 8 {
		rec := Record(binary.NativeEndian.Uint64(b))
		if !e.Valid(rec) || rec.Kind() == Direct || rec.Span() > uint64(len(b)) {
			return false
		}
		b = b[rec.Span():]
	}
	return len(b) == 0
}

// Valid reports whether a record is one that this end's ring can hold. Another process writes the
// ring and may write anything. Take out only records that are valid.
func (e *Endpoint) Valid(rec Record) bool {
	switch rec.Kind() {
	case Eager:
		return rec.Size() <= uint64(e.Eager)
	case Large, Direct:
		return rec.Size() <= MaxMessage
	}
	return rec == NewRecord(Last, 0)
}

// end writes that there is no record yet n bytes behind the end of this side. The receiver polls
// that word when it has taken out the record before.
func (e *Endpoint) end(n uint64) { *(*uint64)(e.data(e.after(n))) = 0 }

// write copies n bytes to the data of the ring, beginning at an offset.
func (e *Endpoint) write(at uint64, src unsafe.Pointer, n uint64) {
	first := min(n, uint64(e.Size)-at)
	copyBytes(e.data(at), src, first)
	if first < n {
		copyBytes(e.data(0), unsafe.Add(src, first), n-first)
	}
}

// Peek returns the first record of the ring, if there is one.
func (e *Endpoint) Peek() (Record, bool) {
	rec := Record(atomic.LoadUint64(e.word()))
	return rec, rec != 0
}

// Before returns what lies 16 bytes before a position where the sender has been: the head of
// the record of a long message, if one ends there.
func (e *Endpoint) Before(end uint64) (Record, bool) {
	back := e.Pos - end + 16
	if size := uint64(e.Size); end < 16 || end > e.Pos || back > size || back%8 != 0 {
		return 0, false
	} else {
		at := (uint64(e.At) + size - back) % size
		return Record(atomic.LoadUint64((*uint64)(e.data(at)))), true
	}
}

// Payload copies the first n bytes of the payload of the first record to dst.
func (e *Endpoint) Payload(dst unsafe.Pointer, n uint64) {
	at := e.after(8)
	first := min(n, uint64(e.Size)-at)
	copyBytes(dst, e.data(at), first)
	if first < n {
		copyBytes(unsafe.Add(dst, first), e.data(0), n-first)
	}
}

// Remove takes the first record out and reports whether this side has to wake the sender.
func (e *Endpoint) Remove(rec Record) (reached bool) {
	e.Skip(rec.Span())
	atomic.StoreUint64(&e.Ring.Head, e.Pos)
	return e.Ring.Reached(e.Pos)
}

// word returns where the record lies at the end of this side.
func (e *Endpoint) word() *uint64 { return (*uint64)(e.data(uint64(e.At))) }

// Skip moves the end of this side over n bytes.
func (e *Endpoint) Skip(n uint64) {
	e.Pos += n
	e.At = uint32(e.after(n))
}

// after returns the offset n bytes behind At.
func (e *Endpoint) after(n uint64) uint64 {
	at := uint64(e.At) + n
	if at >= uint64(e.Size) {
		at -= uint64(e.Size)
	}
	return at
}

func (e *Endpoint) data(at uint64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(e.Ring), HeadSize+at)
}

func copyBytes(dst, src unsafe.Pointer, n uint64) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// Usable reports whether the endpoint has this handle and, apart from Far, exactly these
// properties.
func (e *Endpoint) Usable(h Handle, flags uint32) bool {
	return atomic.LoadUint32(&e.Flags)&^Far == uint32(h)>>slotBits<<flagBits|flags
}

// LoadRing returns the ring. It needs no lock.
func (e *Endpoint) LoadRing() *Ring {
	return (*Ring)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&e.Ring))))
}

// Changed reports whether the other end has changed the ring since this end read it last. It needs
// no lock. It may be wrong while another goroutine holds the lock.
func (e *Endpoint) Changed(ring *Ring) bool {
	if e.Has(Sender) {
		return atomic.LoadUint64(&ring.Head) != atomic.LoadUint64(&e.Seen) || atomic.LoadUint32(&ring.Closed) != 0
	}
	at := uint64(atomic.LoadUint32(&e.At))
	return atomic.LoadUint64((*uint64)(unsafe.Add(unsafe.Pointer(ring), HeadSize+at))) != 0
}
