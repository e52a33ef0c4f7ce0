package activity

import (
	"sync/atomic"
	"unsafe"
)

// Object is an object of DMI for which a thread waits. The zero Object is none.
type Object struct {
	Addr int64 `json:"addr,omitempty"` // in global memory; 0: none
	// Number is, by the kind of the wait: the page (Access, Home, Copies), the thread of the member that holds the lock (Mutex, Spin) or is
	// to end (Join), the address of the mutex (Condition), how many threads are to come (Arrival), how many bytes are watched (Watch), or
	// how many processes are to take part (Phase).
	Number int64 `json:"number,omitempty"`
}

// At returns the reason with an object of DMI.
func (r Reason) At(addr, number int64) Reason {
	r.object = Object{addr, number}
	return r
}

const (
	// holdsAt is the offset of the holds.
	holdsAt  = 24 * 4096
	maxHolds = 4096 / unsafe.Sizeof(Object{})
)

// The holds must fit in front of the links.
var _ [linksAt - holdsAt - maxHolds*unsafe.Sizeof(Object{})]byte

// Hold is a lock on a page that a thread of the process holds. The zero Hold is none.
type Hold uint16

// Hold shows that a thread of the process, by its number, holds the lock of DMI at an address, until Release: the thread has waited for it,
// and the reasons of threads behind it name an owner before it. Without room it shows nothing. Does not block.
func (p *Page) Hold(addr, thread int64) Hold {
	if p == nil {
		return 0
	}
	for i := range maxHolds {
		h := p.hold(i)
		if atomic.CompareAndSwapInt64(&h.Addr, 0, holdClaimed) {
			atomic.StoreInt64(&h.Number, thread)
			atomic.StoreInt64(&h.Addr, addr)
			return Hold(i + 1)
		}
	}
	return 0
}

// holdClaimed is the address of a hold that is being filled.
const holdClaimed = -1

// Release ends what Hold has shown. Does not block.
func (p *Page) Release(h Hold) {
	if p != nil && h != 0 {
		atomic.StoreInt64(&p.hold(uintptr(h)-1).Addr, 0)
	}
}

// hold returns hold i of the page.
func (p *Page) hold(i uintptr) *Object {
	return (*Object)(unsafe.Pointer(&p.mem[holdsAt+i*unsafe.Sizeof(Object{})]))
}

// decodeHolds returns the locks in the part of a page that has them. Both readings show them.
func decodeHolds(before, after []byte) (list []Object) {
	for a, b := range bothReadings[Object](before, after) {
		if a == b && a.Addr > 0 {
			list = append(list, a)
		}
	}
	return list
}
